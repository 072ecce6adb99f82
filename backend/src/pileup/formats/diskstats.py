"""/proc/diskstats, also under pt-stalk's TS lines, and vmstat -d: counters per device.

Source: Documentation/admin-guide/iostats.rst of Linux: 11 numbers, 15 from 4.18 (discards), 17
        from 5.5 (flushes). Sectors are of 512 bytes. Devices that never did anything are left out.
        vmstat -d of procps prints the first nine and the seconds busy, with -t a time on each line.
Yields: diskstats.<field> with label device: counters, but for in_progress.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.columns import Columns, Header, Kind, number
from pileup.formats.pt_stalk import clock_event, read_ts
from pileup.formats.stamps import read_stamp
from pileup.records import Clock, Item, Problem

NAME = "diskstats"
TITLE = "/proc/diskstats, vmstat -d"
GIVES = "I/O counters per device (`diskstats.*`)."
PRINTED_BY = "Linux 2.6 to 6.x (11, 15 or 17 numbers); `vmstat -d`, `-dt`"
VERSION = 3
HINTS = ("-diskstats",)

_FIELDS: tuple[tuple[str, Kind, str], ...] = (
    ("reads", "counter", "reads"),
    ("reads_merged", "counter", "reads"),
    ("sectors_read", "counter", "sectors"),
    ("ms_reading", "counter", "ms"),
    ("writes", "counter", "writes"),
    ("writes_merged", "counter", "writes"),
    ("sectors_written", "counter", "sectors"),
    ("ms_writing", "counter", "ms"),
    ("in_progress", "gauge", "requests"),
    ("ms_io", "counter", "ms"),
    ("ms_weighted", "counter", "ms"),
    ("discards", "counter", "discards"),
    ("discards_merged", "counter", "discards"),
    ("sectors_discarded", "counter", "sectors"),
    ("ms_discarding", "counter", "ms"),
    ("flushes", "counter", "flushes"),
    ("ms_flushing", "counter", "ms"),
)
_HEADERS = [
    Header((f"diskstats.{name}", kind, unit) for name, kind, unit in _FIELDS[:size])
    for size in range(len(_FIELDS) + 1)
]
"""By the number of fields that a kernel prints."""
_SECONDS = ("s_io", "counter", "s")
_LONGEST = 1_000
_MOST_IDLE = 10_000
_LINE = re.compile(r"^ *\d+ +\d+ (?P<device>[\w!./-]+) (?P<numbers>\d+(?: +\d+){3,})\s*$")
_DEVICE = re.compile(r"[\w!./-]+")
# sda  15257  100 841035  8395  50851 5502 1648657 146540  0  44 2021-09-16 20:32:28
_VMSTAT = re.compile(
    r"(?P<device>[\w!./-]{1,64})(?P<numbers>(?: +\d{1,20}){10})"
    r"(?: +(?P<stamp>\d{4}-[\d-]{5} [\d:]{8}))?\s*$"
)
_VMSTAT_HEADER = re.compile(r"disk- -+reads-+ -+writes-+ -+IO-+")


def sniff(head: str) -> bool | None:
    """Lines of it and nothing else, or vmstat's header."""
    if _VMSTAT_HEADER.match(head.lstrip("\n")):
        return True
    lines = [line for line in head.split("\n")[:40] if line.strip() and not line.startswith("TS ")]
    return len(lines) >= 2 and sum(_LINE.match(line) is not None for line in lines) >= 0.9 * len(
        lines
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Every device of every sample."""
    found = Columns()
    wall: int | None = 0
    clock: Clock = "relative"
    seen: set[str] = set()
    samples = 0
    said = of_vmstat = utc = False
    idle: set[str] = set()  # nine devices of ten do nothing: the same line in every sample
    for line_number, text in enumerate(lines, start=1):
        if text in idle:
            continue
        if text.startswith("TS ") and (stamp := read_ts(text)):
            wall, clock = stamp[0], "utc"
            if stamp[1] and not said:
                said = True
                yield clock_event(line_number, *stamp)  # type: ignore[arg-type]  # local is there
            continue
        if not text.strip():
            continue
        if of_vmstat and (row := _VMSTAT.match(text[:_LONGEST])):
            if row["device"] in seen:
                samples, seen = samples + 1, set()
            seen.add(row["device"])
            _vmstat_row(found, row, line_number, utc=utc, sample=samples)
            continue
        if _VMSTAT_HEADER.match(text):
            of_vmstat = True
            continue
        if of_vmstat and text.lstrip().startswith("total merged"):
            utc = text.split()[-1] in ("UTC", "GMT")
            continue
        found_row = _device_and_numbers(text)
        if found_row is None:
            yield Problem(line_number, "Not a line of /proc/diskstats.", found=text[:200])
            continue
        device, cells = found_row
        if clock == "relative" and device in seen:
            samples, seen = samples + 1, set()
            wall = samples * 1_000_000
        seen.add(device)
        if cells.count("0") == len(cells) or len(cells) < 11:
            if clock == "utc" and len(idle) < _MOST_IDLE:
                idle.add(text)
            continue  # idle device, or an old partition with four numbers
        header = _HEADERS[min(len(cells), len(_FIELDS))]
        values = cells[: len(header.series)]
        labels = (("device", device),)
        found.row(header, values, wall=wall, clock=clock, line=line_number, labels=labels)
        if found.full:
            yield from found.flush()
    yield from found.flush()


def _device_and_numbers(text: str) -> tuple[str, list[str]] | None:
    """What ``_LINE`` says, three times faster."""
    cells = text.split()
    if len(text) > _LONGEST or len(cells) < 7:
        return None
    digits = "".join([cells[0], cells[1], *cells[3:]])
    if not digits.isascii() or not digits.isdecimal() or not _DEVICE.fullmatch(cells[2]):
        return None
    return cells[2], cells[3:]


def _vmstat_row(found: Columns, row: re.Match[str], line: int, *, utc: bool, sample: int) -> None:
    stamp = read_stamp(row["stamp"]) if row["stamp"] else None
    wall, clock = stamp or (sample * 1_000_000, "relative")
    if utc and clock == "local":
        clock = "utc"
    cells = row["numbers"].split()
    if not any(cell != "0" for cell in cells):
        return
    for (name, kind, unit), cell in zip((*_FIELDS[:9], _SECONDS), cells, strict=True):
        found.add(
            f"diskstats.{name}",
            number(cell),
            wall=wall,
            clock=clock,
            line=line,
            kind="gauge" if kind == "gauge" else "counter",
            unit=unit,
            labels=(("device", row["device"]),),
        )
