"""mysqlslap: one benchmark per paragraph, or the lines of --csv.

Source: print_conclusions(), print_conclusions_csv(), client/mysqlslap.c(c); mariadb-slap alike.
Yields: the table 'mysqlslap', one row per benchmark, times in seconds; with the command when it is
        printed above, as a shell shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.records import Item, Section, Skipped, Table

NAME = "mysqlslap"
TITLE = "mysqlslap output"
GIVES = "A table: one row per benchmark, times in seconds, with the command above it."
PRINTED_BY = "mysqlslap, mariadb-slap; `--csv`"
VERSION = 2
HINTS = ("mysqlslap.txt", "mysqlslap.log", "mysqlslap.csv")

COLUMNS = (
    "engine",
    "load",
    "average_s",
    "minimum_s",
    "maximum_s",
    "clients",
    "queries_per_client",
)
_LINES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("engine", re.compile(r"\s*Running for engine (\S{1,60})")),
    ("average_s", re.compile(r"\s*Average number of seconds to run all queries: ([\d.]+)")),
    ("minimum_s", re.compile(r"\s*Minimum number of seconds to run all queries: ([\d.]+)")),
    ("maximum_s", re.compile(r"\s*Maximum number of seconds to run all queries: ([\d.]+)")),
    ("clients", re.compile(r"\s*Number of clients running queries: (\d+)")),
    ("queries_per_client", re.compile(r"\s*Average number of queries per client: (\d+)")),
)
# # mysqlslap -a --concurrency=10 --iterations=10
_COMMAND = re.compile(
    r"\s*(?:[\w@.:~/-]{0,60}[#$>%]\s*)?(?P<command>(?:\S{0,200}/)?(?:mysqlslap|mariadb-slap)\s+-.{1,4000})"
)
_PASSWORD = re.compile(r"(\s(?:--password=|-p))\S+")
# innodb,mixed,0.236,0.225,0.249,50,20
_CSV = re.compile(
    r"(?P<engine>[\w-]{0,40}),(?P<load>[\w .-]{0,60}),(?P<average_s>\d+\.\d{3}),"
    r"(?P<minimum_s>\d+\.\d{3}),(?P<maximum_s>\d+\.\d{3}),(?P<clients>\d+),"
    r"(?P<queries_per_client>\d+)\s*$"
)


def sniff(head: str) -> bool | None:
    """Return whether the text holds a sentence of mysqlslap, or only its CSV lines."""
    if "number of seconds to run all queries: " in head:
        return True
    lines = [line for line in head.split("\n")[:20] if line.strip()]
    whole = lines[:-1] if len(lines) > 1 else lines
    return bool(whole) and all(_CSV.match(line) for line in whole)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield one Table with a row per benchmark, a Section per benchmark, and skip other lines."""
    rows: list[tuple[str | None, ...]] = []
    benchmark: dict[str, str] = {}
    command: str | None = None
    first = last = begun = 0

    def close() -> Iterator[Item]:
        nonlocal benchmark
        if benchmark:
            rows.append((*(benchmark.get(name) for name in COLUMNS), command))
            yield Section(f"Benchmark {len(rows)}", begun, last)
        benchmark = {}

    for number, text in enumerate(lines, start=1):
        if text.strip() == "Benchmark" or not text.strip():
            yield from close()
            continue
        if called := _COMMAND.match(text):
            yield from close()
            command = _PASSWORD.sub(r"\1…", called["command"])
            first, last = first or number, number
            continue
        values = _csv(text) or _line(text)
        if not values:
            if not re.match(r"\s*(User time|Maximum resident|Non-physical|Voluntary|Blocks)", text):
                yield Skipped(number, number, "not mysqlslap's own output")
            continue
        if values.keys() & benchmark.keys():
            yield from close()
        begun = begun if benchmark else number
        first, last = first or number, number
        benchmark |= values
    yield from close()
    if rows:
        named = any(row[-1] for row in rows)
        yield Table(
            line_first=first,
            line_last=last,
            name="mysqlslap",
            columns=(*COLUMNS, "command") if named else COLUMNS,
            rows=tuple(row if named else row[:-1] for row in rows),
        )


def _csv(text: str) -> dict[str, str] | None:
    match = _CSV.match(text)
    return match.groupdict() if match else None


def _line(text: str) -> dict[str, str] | None:
    for name, pattern in _LINES:
        if match := pattern.match(text):
            return {name: match[1]}
    return None
