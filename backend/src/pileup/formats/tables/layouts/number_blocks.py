"""Split blocks of rows of numbers, between tabs or commas, each row with a name or none.

Source: mysql benchmark scripts of M. Callaghan (mytools).
Yields: a ResultSet for each block of rows of one width, its rows, and a Stray for a line that is
        neither a row nor above one. The line above a block is its title or names its columns; the
        legend ``col-1 : build`` renames them. The column of the rows' names is 'name'; a block
        without names of columns has value_1, value_2, ...
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pileup.formats.tables.layouts.quoted import split_quoted
from pileup.formats.tables.layouts.reader import ResultRow, ResultSet, Stray

_NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|inf|nan)$")
_LEGEND = re.compile(r"(?P<name>col-\d+) : (?P<build>\S.{0,200})")
_TABS = re.compile(r"\t+")
_MOST_ROWS = 100_000
_LONGEST = 4000


def split(text: str) -> list[str]:
    """Split a line into cells: at tabs, several of them as one, else at commas."""
    bare = text[:_LONGEST].strip()
    if "\t" in bare:
        return [cell.strip() for cell in _TABS.split(bare)]
    return [cell.strip() for cell in split_quoted(bare, ",") or [bare]]


def is_number(cell: str) -> bool:
    return _NUMBER.match(cell) is not None


def read(lines: Iterable[str]) -> Iterator[ResultSet | ResultRow | Stray]:
    """Yield the blocks of a text in order."""
    reader = _Reader()
    for number, text in enumerate(lines, start=1):
        yield from reader.line(number, text[:_LONGEST].rstrip())
    yield from reader.end_block()


@dataclass(slots=True)
class _Reader:
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    """The lines and cells of the current block."""
    names: dict[str, int] = field(default_factory=dict)
    """How many blocks have each title."""
    title: str = ""
    note: str = ""
    header: list[str] = field(default_factory=list)
    legend: dict[str, str] = field(default_factory=dict)
    blocks: int = 0

    def line(self, number: int, line: str) -> Iterator[ResultSet | ResultRow | Stray]:
        cells = split(line)
        numbers = sum(map(is_number, cells))
        if len(cells) > 1 and numbers * 2 >= len(cells):
            if self.rows and (len(cells) != len(self.rows[0][1]) or len(self.rows) >= _MOST_ROWS):
                yield from self.end_block()
            self.rows.append((number, cells))
            return
        if line.strip() == "-":  # groups of one table
            return
        if self.rows:
            yield from self.end_block()
            if not line.strip():
                self.note = ""
        if match := _LEGEND.match(line):
            self.legend[match["name"]] = match["build"].strip()
        elif len(cells) > 1 and not numbers:
            self.header = cells
        elif line.startswith("--- "):
            self.note = line[4:].strip()
        elif line.strip() and len(cells) == 1:
            self.title, self.note, self.header = line.strip()[:200], "", []
        elif line.strip():
            yield Stray(number, line)

    def end_block(self) -> Iterator[ResultSet | ResultRow]:
        rows, self.rows = self.rows, []
        if not rows:
            return
        columns = self._columns([cells for _, cells in rows])
        result = ResultSet(self.blocks, self._name(), columns, rows[0][0], "cells")
        self.blocks += 1
        yield result
        for number, cells in rows:
            yield ResultRow(result, tuple(cells), number, number)

    def _columns(self, rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
        width = len(rows[0])
        texts = [at for at in range(width) if not all(is_number(row[at]) for row in rows)]
        columns = [self.legend.get(cell, cell) for cell in self.header]
        if len(columns) == width - 1 and texts:  # the column of row names has no header
            columns.insert(texts[0], "name")
        if len(columns) != width:
            columns = [f"value_{at + (0 if texts[:1] == [0] else 1)}" for at in range(width)]
            for at in texts[:1]:
                columns[at] = "name"
        return _distinct(columns)

    def _name(self) -> str:
        name = " · ".join(part for part in (self.title or "results", self.note) if part)
        count = self.names[name] = self.names.get(name, 0) + 1
        return name if count == 1 else f"{name} {count}"


def _distinct(columns: Sequence[str]) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    distinct = []
    for column in columns:
        seen[column] = seen.get(column, 0) + 1
        distinct.append(column if seen[column] == 1 else f"{column} {seen[column]}")
    return tuple(distinct)


__all__ = ["is_number", "read", "split"]
