"""mpstat -P ALL: CPU percentages with the time of day; only the banner has the date.

Source: mpstat(1) of sysstat; write_*_stats() in mpstat.c. 12-hour clocks shift the columns by one.
        'Average:' is left out. -T puts core, socket and node of a CPU before its percentages.
        Rows without their heading are known by their shares, which add up to a hundred.
Yields: mpstat.<column> with label cpu (all, 0, 1, ...), or node for the tables of -N. Of the tables
        of -I CPU and SCPU mpstat.interrupts and mpstat.softirqs with labels cpu and irq, each from
        its first occurrence on: most interrupts never occur.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

import polars as pl

from pileup.formats.machine.parts.sysstat import (
    TIME,
    DayClock,
    are_rows_of_cpus,
    cells_after_time,
    columns_of_cpu,
)
from pileup.formats.reading.number_rows import read_chunks, row_by_row, table
from pileup.formats.reading.series_columns import Columns, Header
from pileup.formats.reading.series_columns import number as number_of
from pileup.formats.reading.text import Chunk, make_chunks
from pileup.records import Item, Problem

NAME = "mpstat"
TITLE = "mpstat"
GIVES = "Each column per CPU or node (`mpstat.*`); interrupts by CPU and name."
PRINTED_BY = "sysstat: `-P`, `-A`, `-I`, `-N`, `-T`; 12 and 24 hour clocks, any language"
VERSION = 5
HINTS = ("-mpstat", "-mpstat-overall", "mpstat.txt")

_SNIFF = re.compile(
    rf"^{TIME} +(?:(?:CPU|NODE)(?: +(?:CORE|SOCK|NODE))* +%us\w* .*(?:%iowait +%irq|%idle +intr/s)"
    r"|CPU +(?:intr/s *$|\d+/s +\d+/s|HI/s +TIMER/s))",
    re.MULTILINE,
)

_DEFAULT = tuple(
    tuple(names.split())
    for names in (
        "%usr %nice %sys %iowait %irq %soft %steal %guest %gnice %idle",
        "%usr %nice %sys %iowait %irq %soft %steal %guest %idle",
    )
)
"""Columns of sysstat 9 and later, with 7 columns of blanks and digits each."""


def sniff(head: str) -> bool | None:
    """Return whether the text holds a header of mpstat, or rows of it alone.

    The header of sar -u is similar, but has no interrupts before the idle time.
    """
    if ("%us" in head or "/s" in head) and _SNIFF.search(head):
        return True
    return are_rows_of_cpus(head, _DEFAULT)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of every CPU or node in every table."""
    return parse_chunks(make_chunks(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """Yield what ``parse`` yields, from chunks; tables with the same columns are read in bulk."""
    return read_chunks(chunks, _Reader())


class _Reader:
    def __init__(self) -> None:
        self.collected = Columns()
        self._day = DayClock()
        self._columns: list[str] = []
        self._header = Header(())
        self._heading = ""
        """The heading of the columns, without the time."""
        self._item = "cpu"
        self._places = 0
        """Columns of core, socket and node between the CPU and its numbers."""
        self._interrupts = ""
        self._came: set[tuple[str, str]] = set()

    @property
    def ready(self) -> bool:
        """Whether rows can be read in bulk: the columns are known and all hold numbers."""
        return bool(self._columns) and not self._interrupts and not self._places

    def rows(self, first: int, lines: pl.Series) -> list[Item] | None:
        """Read lines under the current heading in bulk; None to read them singly."""
        is_row = ~(lines.str.ends_with(self._heading) | (lines == ""))
        rows = lines.filter(is_row)
        width = len(self._columns)
        words = len(rows[0].split()) - width if len(rows) else 0
        cells = table(rows, [*[pl.String] * words, *[pl.Float64] * width])
        if cells is None or words not in (2, 3) or (cells["0"] == "Average:").any():
            return None
        times = cells["0"]
        halves = cells["1"].is_in(["AM", "PM"])
        if words == 3:
            times = times + " " + cells["1"]
        if halves.any() != (words == 3) or halves.all() != (words == 3):
            return None
        place = times.rle_id()
        walls = [self._day.wall(time) for time in times.filter(place.diff().fill_null(1) != 0)]
        cells = cells.with_columns(
            pl.Series(walls, dtype=pl.Int64).gather(place).alias("wall"),
            (is_row.arg_true().cast(pl.Int64) + first).alias("line"),
        )
        numbers = [str(at + words) for at in range(width)]
        for frame in cells.partition_by(str(words - 1), maintain_order=True):
            labels = ((self._item, frame[str(words - 1)][0]),)
            lane = self.collected.lane(self._header, "local", labels)
            lane.add_numbers(row_by_row(frame.select(numbers)), frame["wall"], frame["line"])
        return list(self.collected.flush()) if self.collected.full else []

    def line(self, number: int, text: str) -> Iterator[Item]:
        line = text.strip()
        if not line or self._day.banner(text):
            return
        timed = cells_after_time(line)
        if timed is None:
            if not line.split(None, 1)[0].endswith(":"):  # Average: in any language
                yield Problem(number, "Not a line of mpstat; it is left out.", found=text[:200])
            return
        time, cells = timed
        if not self._columns and (names := columns_of_cpu(line, cells, _DEFAULT)):
            self._begin_table(["CPU", *names])
        if cells[0] in ("CPU", "NODE") and len(cells) > 1 and number_of(cells[1]) is None:
            self._heading = text[text.index(cells[0]) :]
            self._begin_table(cells)
            self._day.wall(time)  # midnight may lie between it and the next line
        elif len(cells) - len(self._columns) not in (1, 1 + self._places) or not self._columns:
            yield Problem(number, "Not a line of mpstat; it is left out.", found=text[:200])
        elif self._interrupts:
            self._add_interrupts(cells[0], cells[1:], self._day.wall(time), number)
        else:
            lane = self.collected.lane(self._header, "local", ((self._item, cells[0]),))
            lane.add(cells[-len(self._columns) :], self._day.wall(time), number)
        if self.collected.full:
            yield from self.collected.flush()

    def _begin_table(self, cells: list[str]) -> None:
        """Read a heading: CPU or NODE, with -T its place, then the names of the numbers."""
        self._item = cells[0].lower()
        names = cells[1:]
        while len(names) > 1 and names[0] in ("CORE", "SOCK", "NODE"):
            del names[0]
        self._places = len(cells) - 1 - len(names)
        self._columns = names
        self._interrupts = ""
        if all(name.endswith("/s") for name in names) and names != ["intr/s"]:
            self._interrupts = "softirqs" if "TIMER/s" in names else "interrupts"
        else:
            self._header = _header(tuple(names))

    def _add_interrupts(self, cpu: str, cells: list[str], wall: int | None, line: int) -> None:
        for name, cell in zip(self._columns, cells, strict=True):
            value = number_of(cell)
            if value == 0 and (cpu, name) not in self._came:
                continue
            self._came.add((cpu, name))
            self.collected.add(
                f"mpstat.{self._interrupts}",
                value,
                wall=wall,
                clock="local",
                line=line,
                unit="1/s",
                labels=(("cpu", cpu), ("irq", name.removesuffix("/s"))),
            )


@lru_cache(maxsize=64)
def _header(columns: tuple[str, ...]) -> Header:
    return Header((f"mpstat.{column.lstrip('%')}", "gauge", _unit(column)) for column in columns)


def _unit(column: str) -> str:
    return "%" if column.startswith("%") else "1/s"
