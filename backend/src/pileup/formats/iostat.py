"""iostat -dx: per device, columns mapped by their header whatever the version.

Source: iostat(1) of sysstat 9 to 12. The first block is the average since boot and is left out.
        A time is printed only with -t; else blocks are a nominal second apart.
Yields: iostat.<column> with label device; the CPU block as iostat.cpu_<column>.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from pileup.formats.columns import Columns, Header, Lane, number
from pileup.formats.stamps import read_stamp
from pileup.formats.sysstat import DayClock, read_date
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
    return bool(re.search(r"^Device:?\s.*(%util|kB_read|Blk_read|rkB/s|r/s)", head, re.MULTILINE))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Every block after the first."""
    columns: list[str] = []
    header = Header(())
    cpu: list[str] = []
    found, clock_of = Columns(), DayClock()
    block = -1
    printed: tuple[int | None, Clock] | None = None
    lanes: dict[str, Lane] = {}  # of the devices of the blocks before
    width = -1  # cells of their lines; -1 while each line must be looked at
    at: tuple[int | None, Clock] = 0, "relative"
    for line_number, text in enumerate(lines, start=1):
        cells = text.split()
        if len(cells) == width and (lane := lanes.get(cells[0])):
            lane.add(cells[1:], at[0], line_number)
            continue
        if not cells:
            cpu = []
            continue
        line = text.strip()
        if _HEADER.match(line):
            cpu = []
            block += 1
            before, at = at, _when(printed, block)
            if cells[1:] != columns:
                columns = cells[1:]
                header = _header(tuple(columns))
                lanes.clear()
            if at[1] != before[1]:
                lanes.clear()
            if found.full:
                yield from found.flush()
                lanes.clear()
            width = len(cells)
            continue
        if block < 1 or len(cells) != width:
            width = -1
        if clock_of.banner(text):
            continue
        if match := _TIME.match(line):
            printed = _printed(match["date"], match["time"]), "local"
            width = -1
            continue
        if stamp := read_stamp(line):
            printed = stamp  # ISO with an offset is absolute
            width = -1
            continue
        if cells[0] == "avg-cpu:":
            cpu = cells[1:]
            width = -1
            continue
        # The CPU table stands above the devices of its block, which are not counted yet.
        wall, when = _when(printed, block + 1 if cpu else block)
        if cpu and all(number(c) is not None for c in cells):
            if block >= 0:
                for name, cell in zip(cpu, cells, strict=False):
                    series = f"iostat.cpu_{name.lstrip('%')}"
                    found.add(
                        series, number(cell), wall=wall, clock=when, line=line_number, unit="%"
                    )
            continue
        if not columns or len(cells) != len(columns) + 1:
            yield Problem(line_number, "Not a line of iostat; it is left out.", found=text[:200])
            continue
        if block == 0:
            continue  # since boot
        labels = (("device", cells[0].rstrip(":")),)
        lane = found.lane(header, when, labels)
        lane.add(cells[1:], wall, line_number)
        if width > 0 and (wall, when) == at:
            lanes[cells[0]] = lane
        if found.full:
            yield from found.flush()
            lanes.clear()
    yield from found.flush()


@lru_cache(maxsize=64)
def _header(columns: tuple[str, ...]) -> Header:
    return Header((f"iostat.{column.lstrip('%')}", "gauge", _unit(column)) for column in columns)


def _unit(column: str) -> str | None:
    return _UNITS.get(column, "1/s" if column.endswith("/s") else None)


def _when(printed: tuple[int | None, Clock] | None, block: int) -> tuple[int | None, Clock]:
    if printed is not None and printed[0] is not None:
        return printed
    return max(0, block - 1) * 1_000_000, "relative"


def _printed(date: str, time: str) -> int | None:
    day = read_date(date)
    if day is None:
        return None
    hour, minute, rest = time.split(":")
    second, _, half = rest.partition(" ")
    hours = int(hour) % 12 + (12 if half == "PM" else 0) if half else int(hour)
    return local_us(*day, hours, minute, second)
