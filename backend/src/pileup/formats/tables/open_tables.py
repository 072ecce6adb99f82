"""Parse SHOW OPEN TABLES: the open and used tables of the cache; pt-stalk -opentables1 and 2.

Source: list_open_tables(), sql/sql_base.cc. Above 1,000 tables pt-stalk prints only
        'Too many open tables: n'.
Yields: the Table (Database, Table, In_use, Name_locked) and the gauges open_tables.open, .in_use
        (tables in use), .uses (sum of In_use) and .name_locked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.tables.meanings import reader as result_records
from pileup.records import Item, Samples

NAME = "open-tables"
TITLE = "SHOW OPEN TABLES"
GIVES = "A table; the gauges `open_tables.*`."
PRINTED_BY = "`SHOW OPEN TABLES`, pt-stalk"
VERSION = 2
HINTS = ("-opentables1", "-opentables2")

_HEADER = re.compile(
    r"^(?:\| *)?Database(?:\t| *\| *)Table(?:\t| *\| *)In_use(?:\t| *\| *)Name_locked\b", re.M
)
_VERTICAL = re.compile(r"^ *Database: .*\n *Table: .*\n *In_use: \d+\n *Name_locked: ", re.M)
_TOO_MANY = re.compile(r"Too many open tables: (\d{1,12})\s*$")


def sniff(head: str) -> bool | None:
    """Whether the head has the four columns in their order, or pt-stalk's refusal."""
    if "Name_locked" in head and (_HEADER.search(head) or _VERTICAL.search(head)):
        return True
    return bool(_TOO_MANY.match(head.strip()))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the tables, or only their number when pt-stalk did not print them."""
    too_many: list[tuple[int, int]] = []

    def noting() -> Iterator[str]:
        for number, text in enumerate(lines, start=1):
            if match := _TOO_MANY.match(text):
                too_many.append((number, int(match[1])))
            yield text

    yield from result_records.parse(noting())
    for number, count in too_many:
        yield Samples("open_tables.open", "gauge", None, "relative", [0], [count], [number])
