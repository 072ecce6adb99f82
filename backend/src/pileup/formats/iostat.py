"""iostat -dx: per device, columns mapped by their header whatever the version.

Source: iostat(1) of sysstat 9 to 12. The first block is the average since boot and is left out.
        A time is printed only with -t; else blocks are a nominal second apart.
Yields: iostat.<column> with label device; the CPU block as iostat.cpu_<column>.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

import polars as pl

from pileup.formats.columns import Columns, Header
from pileup.formats.columns import number as number_of
from pileup.formats.number_rows import read_chunks, row_by_row, table
from pileup.formats.stamps import read_stamp
from pileup.formats.sysstat import DayClock, read_date
from pileup.formats.text import Chunk, chunks_of
from pileup.formats.times import local_us
from pileup.records import Clock, Item, Problem

NAME = "iostat"
TITLE = "iostat"
GIVES = "Each column per device (`iostat.*`), the CPU as `iostat.cpu_*`."
PRINTED_BY = "sysstat 9 to 12"
VERSION = 3
HINTS = ("-iostat", "-iostat-overall", "iostat.txt")

_HEADER = re.compile(r"^Device:?\s+\S")
_TIME = re.compile(
    r"^(?P<date>\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}) (?P<time>\d{1,2}:\d\d:\d\d(?: [AP]M)?)\s*$"
)
_MOST_DEVICES = 10_000
_UNITS = {
    "%util": "%",
    "await": "ms",
    "r_await": "ms",
    "w_await": "ms",
    "rkB/s": "KiB/s",
    "wkB/s": "KiB/s",
}


def sniff(head: str) -> bool | None:
    """A device header with a column that only iostat prints."""
    if "Device" not in head:
        return False
    return bool(re.search(r"^Device:?\s.*(%util|kB_read|Blk_read|rkB/s|r/s)", head, re.MULTILINE))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Every block after the first."""
    return parse_chunks(chunks_of(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """The same: the lines of known devices together, all else line by line."""
    return read_chunks(chunks, _Reader())


class _Reader:
    def __init__(self) -> None:
        self.found = Columns()
        self._clock_of = DayClock()
        self._columns: list[str] = []
        self._header = Header(())
        self._heading = ""
        self._cpu: list[str] = []
        self._block = -1
        self._printed: tuple[int | None, Clock] | None = None
        self._devices: set[str] = set()

    @property
    def ready(self) -> bool:
        """A block after the one since boot has told the devices."""
        return self._block > 1 and bool(self._devices)

    def rows(self, first: int, lines: pl.Series) -> list[Item] | None:
        """The devices of blocks under headings like the last one."""
        is_row = lines.str.extract("^([^ ]+) ", 1).is_in(list(self._devices)).fill_null(value=False)
        is_heading = lines == self._heading
        is_other = ~(is_row | is_heading | (lines == ""))
        others = lines.filter(is_other)
        if others.str.contains("Device", literal=True).any() or (is_other.shift(1) & is_row).any():
            return None  # other columns, or the CPU table runs into the devices
        cells = table(lines.filter(is_row), [pl.String, *[pl.Float64] * len(self._columns)])
        if cells is None:
            return None
        blocks = is_heading.cum_sum().cast(pl.Int64) + self._block
        items: list[Item] = []
        printed = [self._printed]
        before = -1
        for at, text in zip(is_other.arg_true().to_list(), others.to_list(), strict=True):
            self._block = blocks[at]
            self._cpu = self._cpu if at == before + 1 else []
            items += self.line(first + at, text)
            printed.append(self._printed)
            before = at
        self._block = blocks[-1]
        self._cpu = self._cpu if is_other[-1] else []
        told = is_other.cum_sum().filter(is_row)
        known = [one if one and one[0] is not None else (None, None) for one in printed]
        walls, clocks = zip(*known, strict=True)
        cells = cells.with_columns(
            pl.Series(walls, dtype=pl.Int64)
            .gather(told)
            .fill_null((blocks.filter(is_row) - 1) * 1_000_000)
            .alias("wall"),
            pl.Series(clocks, dtype=pl.String).gather(told).fill_null("relative").alias("clock"),
            (is_row.arg_true().cast(pl.Int64) + first).alias("line"),
        )
        numbers = [str(at + 1) for at in range(len(self._columns))]
        for one in cells.partition_by("0", "clock", maintain_order=True):
            labels = (("device", one["0"][0].rstrip(":")),)
            lane = self.found.lane(self._header, one["clock"][0], labels)
            lane.add_numbers(row_by_row(one.select(numbers)), one["wall"], one["line"])
        return [*items, *self.found.flush()] if self.found.full else items

    def line(self, number: int, text: str) -> Iterator[Item]:
        cells = text.split()
        line = text.strip()
        if not cells:
            self._cpu = []
        elif _HEADER.match(line):
            self._begin_block(text, cells[1:])
        elif self._clock_of.banner(text):
            pass
        elif match := _TIME.match(line):
            self._printed = _printed(match["date"], match["time"]), "local"
        elif stamp := read_stamp(line):
            self._printed = stamp  # ISO with an offset is absolute
        elif cells[0] == "avg-cpu:":
            self._cpu = cells[1:]
        elif self._cpu and all(number_of(cell) is not None for cell in cells):
            self._cpu_row(number, cells)
        elif not self._columns or len(cells) != len(self._columns) + 1:
            yield Problem(number, "Not a line of iostat; it is left out.", found=text[:200])
        elif self._block > 0:  # the first is since boot
            wall, clock = self._moment()
            if len(self._devices) < _MOST_DEVICES:
                self._devices.add(cells[0])
            labels = (("device", cells[0].rstrip(":")),)
            self.found.lane(self._header, clock, labels).add(cells[1:], wall, number)
            if self.found.full:
                yield from self.found.flush()

    def _begin_block(self, text: str, columns: list[str]) -> None:
        self._cpu = []
        self._block += 1
        self._heading = text
        if columns != self._columns:
            self._columns = columns
            self._header = _header(tuple(columns))
            self._devices.clear()

    def _cpu_row(self, number: int, cells: list[str]) -> None:
        if self._block < 0:
            return
        wall, clock = self._moment()
        for name, cell in zip(self._cpu, cells, strict=False):
            series = f"iostat.cpu_{name.lstrip('%')}"
            self.found.add(series, number_of(cell), wall=wall, clock=clock, line=number, unit="%")

    def _moment(self) -> tuple[int | None, Clock]:
        """Of the next line of numbers."""
        if self._printed is not None and self._printed[0] is not None:
            return self._printed
        # The CPU table stands above the devices of its block, which are not counted yet.
        block = self._block + 1 if self._cpu else self._block
        return max(0, block - 1) * 1_000_000, "relative"


@lru_cache(maxsize=64)
def _header(columns: tuple[str, ...]) -> Header:
    return Header((f"iostat.{column.lstrip('%')}", "gauge", _unit(column)) for column in columns)


def _unit(column: str) -> str | None:
    return _UNITS.get(column, "1/s" if column.endswith("/s") else None)


def _printed(date: str, time: str) -> int | None:
    day = read_date(date)
    if day is None:
        return None
    hour, minute, rest = time.split(":")
    second, _, half = rest.partition(" ")
    hours = int(hour) % 12 + (12 if half == "PM" else 0) if half else int(hour)
    return local_us(*day, hours, minute, second)
