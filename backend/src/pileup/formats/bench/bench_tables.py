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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Item, Section, Skipped, Table

NAME = "bench-tables"
TITLE = "Benchmark results as tables"
GIVES = "A table per block of results, to compare with another."
PRINTED_BY = "insert benchmark and sysbench summaries of mytools; name and numbers by tab or comma"
VERSION = 1
HINTS = (".met", ".tsv")

_NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|inf|nan)$")
_LEGEND = re.compile(r"(?P<name>col-\d+) : (?P<build>\S.{0,200})")
_SURE = re.compile(
    r"^(?:--- absolute|iostat, vmstat normalized by operation rate|col-1 : \S.*"
    r"|samp\tr/s\t.*|(?:[\w./-]+\t+)+dbms)\s*$",
    re.MULTILINE,
)
_MOST_ROWS = 100_000
_LONGEST = 4000


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
        cells = _cells(line)
        if len(cells) < 3 or not _is_name(cells[0]) or not all(map(_NUMBER.match, cells[1:])):
            return False
        widths.add(len(cells))
    return len(widths) == 1


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a Table for each block of rows of the same width, with a Section.

    The line above a block is its title or holds the names of its columns.
    """
    block = _Block()
    names: dict[str, int] = {}
    title = ""
    note = ""
    header: list[str] = []
    legend: dict[str, str] = {}
    for number, text in enumerate(lines, start=1):
        line = text[:_LONGEST].rstrip()
        cells = _cells(line)
        numbers = sum(bool(_NUMBER.match(cell)) for cell in cells)
        if len(cells) > 1 and numbers * 2 >= len(cells):
            if block.rows and (len(cells) != len(block.rows[0]) or len(block.rows) >= _MOST_ROWS):
                yield from block.close(_name(title, note, names), header, legend)
            block.add(number, cells)
            continue
        if line.strip() == "-":  # groups of one table
            continue
        if block.rows:
            yield from block.close(_name(title, note, names), header, legend)
            if not line.strip():
                note = ""
        if match := _LEGEND.match(line):
            legend[match["name"]] = match["build"].strip()
        elif len(cells) > 1 and not numbers:
            header = cells
        elif line.startswith("--- "):
            note = line[4:].strip()
        elif line.strip() and len(cells) == 1:
            title, note, header = line.strip()[:200], "", []
        elif line.strip():
            yield Skipped(number, number, "not a row of numbers")
    yield from block.close(_name(title, note, names), header, legend)


@dataclass(slots=True)
class _Block:
    rows: list[list[str]] = field(default_factory=list)
    first: int = 0
    last: int = 0

    def add(self, number: int, cells: list[str]) -> None:
        self.first = number if not self.rows else self.first
        self.last = number
        self.rows.append(cells)

    def close(self, name: str, header: Sequence[str], legend: dict[str, str]) -> Iterator[Item]:
        rows, self.rows = self.rows, []
        if not rows:
            return
        width = len(rows[0])
        texts = [at for at in range(width) if not all(_NUMBER.match(row[at]) for row in rows)]
        columns = [legend.get(cell, cell) for cell in header]
        if len(columns) == width - 1 and texts:  # the column of row names has no header
            columns.insert(texts[0], "name")
        if len(columns) != width:
            columns = [f"value_{at + (0 if texts[:1] == [0] else 1)}" for at in range(width)]
            for at in texts[:1]:
                columns[at] = "name"
        yield Section(name, self.first, self.last)
        yield Table(
            line_first=self.first,
            line_last=self.last,
            name=name,
            columns=_distinct(columns),
            rows=tuple(tuple(row) for row in rows),
        )


def _name(title: str, note: str, names: dict[str, int]) -> str:
    name = " · ".join(part for part in (title or "results", note) if part)
    names[name] = names.get(name, 0) + 1
    return name if names[name] == 1 else f"{name} {names[name]}"


def _distinct(columns: Sequence[str]) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    distinct = []
    for column in columns:
        seen[column] = seen.get(column, 0) + 1
        distinct.append(column if seen[column] == 1 else f"{column} {seen[column]}")
    return tuple(distinct)


def _cells(line: str) -> list[str]:
    parts = re.split(r"\t+", line.strip()) if "\t" in line else line.strip().split(",")
    return [part.strip() for part in parts]


def _is_name(cell: str) -> bool:
    return bool(cell) and not _NUMBER.match(cell) and read_stamp(cell) is None
