"""Tables of benchmark results: tab-separated or comma-separated numbers with a name per row.

Source: mysql benchmark scripts of M. Callaghan (mytools): insert benchmark and sysbench summaries,
        'iostat, vmstat normalized by operation rate', results of several builds side by side.
            cpu/o		cs/o	r/o	o/s	dbms
            0.000040	0.128	0	130293	my8033
            hot-points_range=100,89407,84479
Yields: a table per block. The name of a row is in its column 'name'; a block without a header
        has columns value_1, value_2, ...; the legend 'col-1 : build' names the columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables.layouts import number_blocks
from pileup.formats.tables.layouts.reader import ResultRow, ResultSet
from pileup.formats.tables.meanings.handlers import Where
from pileup.formats.tables.meanings.tables import Shared, TableCollector
from pileup.records import Item, Section, Skipped, Table

NAME = "bench-tables"
TITLE = "Benchmark results as tables"
GIVES = "A table per block of results, to compare with another."
PRINTED_BY = "insert benchmark and sysbench summaries of mytools; name and numbers by tab or comma"
VERSION = 2
HINTS = (".met", ".tsv")

_SURE = re.compile(
    r"^(?:--- absolute|iostat, vmstat normalized by operation rate|col-1 : \S.*"
    r"|samp\tr/s\t.*|(?:[\w./-]+\t+)+dbms)\s*$",
    re.MULTILINE,
)


def sniff(head: str) -> bool | None:
    """Return whether a line is typical of these tables, or every line is a name and numbers."""
    if _SURE.search(head[:4000]):
        return True
    lines = [line for line in head.split("\n")[:40] if line.strip()]
    if len(lines) == 40 or len(lines) > 1:
        lines = lines[:-1]
    if len(lines) < 3:
        return False
    widths = set()
    for line in lines:
        cells = number_blocks.split(line)
        numbers = all(map(number_blocks.is_number, cells[1:]))
        if len(cells) < 3 or not _is_name(cells[0]) or not numbers:
            return False
        widths.add(len(cells))
    return len(widths) == 1


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a Table for each block of rows of the same width, with a Section."""
    shared = Shared()
    table: TableCollector | None = None
    for part in number_blocks.read(lines):
        if isinstance(part, ResultSet):
            yield from _end(table)
            table = TableCollector(part, Where(None, None), shared)
        elif isinstance(part, ResultRow):
            assert table is not None
            table.row(part)
        else:
            yield Skipped(part.line, part.line, "not a row of numbers")
    yield from _end(table)


def _end(table: TableCollector | None) -> Iterator[Item]:
    for item in table.end() if table else ():
        if isinstance(item, Table):
            yield Section(item.name, item.line_first, item.line_last)
        yield item


def _is_name(cell: str) -> bool:
    return (
        bool(cell)
        and not number_blocks.is_number(cell)
        and read_stamp(cell) is None
        and not _TIME.search(cell[:_LONGEST_NAME])
    )


_TIME = re.compile(r"\d\d:\d\d:\d\d")
"""Behind a prefix: the rows are of a log or a CSV."""
_LONGEST_NAME = 200
