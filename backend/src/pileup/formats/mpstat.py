"""mpstat -P ALL: CPU percentages with the time of day; the date stands in the banner only.

Source: mpstat(1) of sysstat. 12-hour clocks shift the columns by one. 'Average:' is left out.
Yields: mpstat.<column> with label cpu (all, 0, 1, ...). Of the tables of -A and -I the sum of
        interrupts is read, not one series for each interrupt and CPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from pileup.formats.columns import Columns, Header, Lane
from pileup.formats.sysstat import DayClock
from pileup.records import Item, Problem, Skipped

NAME = "mpstat"
TITLE = "mpstat"
GIVES = "Each column per CPU (`mpstat.*`)."
PRINTED_BY = "sysstat; 12 and 24 hour clocks"
VERSION = 3
HINTS = ("-mpstat", "-mpstat-overall", "mpstat.txt")

_HEADER = re.compile(r"^\d{1,2}:\d\d:\d\d(?: [AP]M)?\s+CPU\s+\S")

_SNIFF = re.compile(
    r"^\d{1,2}:\d\d:\d\d(?: [AP]M)? +(?:CPU|NODE) +%us\w* .*(?:%iowait +%irq|%idle +intr/s)",
    re.MULTILINE,
)


def sniff(head: str) -> bool | None:
    """sar -u begins alike, but knows no interrupts before the idle time."""
    return bool(_SNIFF.search(head))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Every line of every CPU."""
    columns: list[str] = []
    header = Header(())
    skipping = False
    width = -1  # cells of a line with its time; -1 while each line must be looked at
    found, day = Columns(), DayClock()
    lanes: dict[str, Lane] = {}  # of the CPUs of the tables before
    last, wall = "", day.wall("")
    for line_number, text in enumerate(lines, start=1):
        cells = text.split()
        if len(cells) == width and cells[0] == last and (lane := lanes.get(cells[1])):
            lane.add(cells[2:], wall, line_number)
            continue
        line = text.strip()
        if not line or day.banner(text) or line.startswith("Average:"):
            continue
        time = cells.pop(0)
        if cells and cells[0] in ("AM", "PM"):
            time += f" {cells.pop(0)}"
        if _HEADER.match(line):
            names = cells[1:] if cells[1][0] == "%" or cells[1:] == ["intr/s"] else []
            if names != columns:
                columns = names
                header = _header(tuple(names))
                lanes.clear()
            skipping = not columns
            width = -1 if skipping else len(columns) + 2
            last, wall = time, day.wall(time)  # midnight may lie between it and the next line
            if found.full:
                yield from found.flush()
                lanes.clear()
            continue
        if skipping:
            yield Skipped(line_number, line_number, "interrupts one by one")
            continue
        if not columns or len(cells) != len(columns) + 1:
            yield Problem(line_number, "Not a line of mpstat; it is left out.", found=text[:200])
            continue
        last, wall = time, day.wall(time)
        lane = lanes[cells[0]] = found.lane(header, "local", (("cpu", cells[0]),))
        lane.add(cells[1:], wall, line_number)
        if found.full:
            yield from found.flush()
            lanes.clear()
    yield from found.flush()


@lru_cache(maxsize=64)
def _header(columns: tuple[str, ...]) -> Header:
    return Header((f"mpstat.{column.lstrip('%')}", "gauge", _unit(column)) for column in columns)


def _unit(column: str) -> str:
    return "%" if column.startswith("%") else "1/s"
