"""/proc/diskstats, also under pt-stalk's TS lines, and vmstat -d: counters per device.

Source: Documentation/admin-guide/iostats.rst of Linux: 11 numbers, 15 from 4.18 (discards), 17
        from 5.5 (flushes); a partition before 2.6.25 has 4. Sectors are of 512 bytes. Devices that
        never did anything are left out.
        vmstat -d of procps prints the first nine and the seconds busy, with -t a time on each line.
Yields: diskstats.<field> with label device: counters, except the gauge in_progress.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import polars as pl

from pileup.formats.reading.number_rows import read_chunks, row_by_row, table
from pileup.formats.reading.pt_stalk_samples import clock_event, read_ts, read_ts_lines
from pileup.formats.reading.series_columns import Columns, Header, Kind, number
from pileup.formats.reading.text import Chunk, make_chunks
from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Clock, Item, Problem, Skipped

NAME = "diskstats"
TITLE = "/proc/diskstats, vmstat -d"
GIVES = "I/O counters per device (`diskstats.*`)."
PRINTED_BY = "Linux 2.6 to 6.x (4, 11, 15 or 17 numbers); `vmstat -d`, `-dt`"
VERSION = 4
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
"""Headers by the number of fields that a kernel prints."""
_PARTITION = Header(
    (f"diskstats.{_FIELDS[at][0]}", "counter", _FIELDS[at][2]) for at in (0, 2, 4, 6)
)
"""The four numbers of a partition before Linux 2.6.25: reads, writes and sectors of each."""
_SECONDS = ("s_io", "counter", "s")
_LEAST = 11
_LONGEST = 1_000
_MOST_IDLE = 10_000
_LINE = re.compile(
    r"^ *\d+ +\d+ (?P<device>(?=[\d!./-]*[A-Za-z])[\w!./-]+) (?P<numbers>\d+(?: +\d+){3,})\s*$"
)
_DEVICE = re.compile(r"[\w!./-]+")
_DEVICE_ALONE = r"^[\w!./-]+$"
# The kernel prints "%4d %7d %s": only the width of the major and minor number is checked.
_NUMBERED = r"^ *[0-9]+ +[0-9]+ +"
_WIDTH = 13
# sda  15257  100 841035  8395  50851 5502 1648657 146540  0  44 2021-09-16 20:32:28
_VMSTAT = re.compile(
    r"(?P<device>[\w!./-]{1,64})(?P<numbers>(?: +\d{1,20}){10})"
    r"(?: +(?P<stamp>\d{4}-[\d-]{5} [\d:]{8}))?\s*$"
)
_VMSTAT_HEADER = re.compile(r"disk- -+reads-+ -+writes-+ -+IO-+")


def sniff(head: str) -> bool | None:
    """Return whether nearly all lines are of /proc/diskstats, or vmstat -d's header comes first."""
    if _VMSTAT_HEADER.match(head.lstrip("\n")):
        return True
    lines = [line for line in head.split("\n")[:40] if line.strip() and not line.startswith("TS ")]
    return len(lines) >= 2 and sum(_LINE.match(line) is not None for line in lines) >= 0.9 * len(
        lines
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of every device that is not idle."""
    return parse_chunks(make_chunks(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """Yield what ``parse`` yields, from chunks; devices under TS lines are read in bulk."""
    return read_chunks(chunks, _Reader())


class _Reader:
    def __init__(self) -> None:
        self.collected = Columns()
        self._wall = 0
        self._clock: Clock = "relative"
        self._seen: set[str] = set()
        self._samples = 0
        self._clock_reported = self._of_vmstat = self._utc = False
        self._idle: set[str] = set()
        """Lines of idle devices: nine of ten devices print the same line in every sample."""

    @property
    def ready(self) -> bool:
        """Whether rows can be read in bulk: each sample has a TS line, so its end is known."""
        return self._clock == "utc" and not self._of_vmstat

    def rows(self, first: int, lines: pl.Series) -> list[Item] | None:
        """Read lines in bulk if all have the same number of fields; None to read them singly."""
        is_stamp = lines.str.starts_with("TS ")
        is_row = ~(is_stamp | lines.is_in(list(self._idle)))
        rows = lines.filter(is_row)
        stamps = read_ts_lines(lines.filter(is_stamp))
        size = len(rows[0].split()) - 3 if len(rows) else 0
        if stamps is None or not self._clock_reported or not _LEAST <= size <= len(_FIELDS):
            return None
        cells = table(_from_device(rows), [pl.String, *[pl.UInt64] * size])
        plain = (rows.str.len_bytes() <= _LONGEST).all()
        if cells is None or not plain or not cells["0"].str.contains(_DEVICE_ALONE).all():
            return None
        walls = pl.concat([pl.Series([self._wall], dtype=pl.Int64), stamps])
        self._wall = walls[-1]
        cells = cells.with_columns(
            walls.gather(is_stamp.cum_sum().filter(is_row)).alias("wall"),
            (is_row.arg_true().cast(pl.Int64) + first).alias("line"),
            rows.alias("text"),
        )
        numbers = [str(at + 1) for at in range(size)]
        is_idle = cells.select(pl.all_horizontal(pl.col(numbers) == 0)).to_series()
        self._idle.update(cells["text"].filter(is_idle).unique().head(_MOST_IDLE).to_list())
        for busy in cells.filter(~is_idle).partition_by("0", maintain_order=True):
            lane = self.collected.lane(_HEADERS[size], "utc", (("device", busy["0"][0]),))
            lane.add_numbers(row_by_row(busy.select(numbers)), busy["wall"], busy["line"])
        return list(self.collected.flush()) if self.collected.full else []

    def line(self, number: int, text: str) -> Iterator[Item]:
        if text in self._idle:
            return
        if text.startswith("TS ") and (stamp := read_ts(text)):
            self._wall, self._clock = stamp[0], "utc"
            if stamp[1] and not self._clock_reported:
                self._clock_reported = True
                yield clock_event(number, stamp[0], stamp[1])
            return
        if not text.strip():
            return
        if self._of_vmstat and (row := _VMSTAT.match(text[:_LONGEST])):
            self._vmstat_row(row, number)
            return
        if _VMSTAT_HEADER.match(text):
            self._of_vmstat = True
            return
        if self._of_vmstat and text.lstrip().startswith("total merged"):
            self._utc = text.split()[-1] in ("UTC", "GMT")
            return
        row_cells = _device_and_numbers(text)
        if row_cells is None:
            yield Problem(number, "Not a line of /proc/diskstats.", found=text[:200])
            return
        device, cells = row_cells
        if self._clock == "relative":
            self._next_of(device)
            self._wall = self._samples * 1_000_000
        if cells.count("0") == len(cells):
            if self._clock == "utc" and len(self._idle) < _MOST_IDLE:
                self._idle.add(text)
            return
        if len(cells) < _LEAST and len(cells) != len(_PARTITION.series):
            yield Skipped(number, number, f"a device with {len(cells)} numbers")
            return
        many = len(cells) >= _LEAST
        header = _HEADERS[min(len(cells), len(_FIELDS))] if many else _PARTITION
        values = cells[: len(header.series)]
        labels = (("device", device),)
        self.collected.row(
            header, values, wall=self._wall, clock=self._clock, line=number, labels=labels
        )
        if self.collected.full:
            yield from self.collected.flush()

    def _next_of(self, device: str) -> None:
        """Begin the next sample if this device is already in the current one."""
        if device in self._seen:
            self._samples += 1
            self._seen.clear()
        self._seen.add(device)

    def _vmstat_row(self, row: re.Match[str], line: int) -> None:
        self._next_of(row["device"])
        stamp = read_stamp(row["stamp"]) if row["stamp"] else None
        wall, clock = stamp or (self._samples * 1_000_000, "relative")
        if self._utc and clock == "local":
            clock = "utc"
        cells = row["numbers"].split()
        if not any(cell != "0" for cell in cells):
            return
        for (name, kind, unit), cell in zip((*_FIELDS[:9], _SECONDS), cells, strict=True):
            self.collected.add(
                f"diskstats.{name}",
                number(cell),
                wall=wall,
                clock=clock,
                line=line,
                kind="gauge" if kind == "gauge" else "counter",
                unit=unit,
                labels=(("device", row["device"]),),
            )


def _from_device(rows: pl.Series) -> pl.Series:
    """Remove the major and minor number: device and counters remain, separated by spaces."""
    heads = rows.str.head(_WIDTH).unique()
    if heads.str.contains(_NUMBERED + "$").all():
        return rows.str.slice(_WIDTH)
    return rows.str.replace(_NUMBERED, "")


def _device_and_numbers(text: str) -> tuple[str, list[str]] | None:
    """Split a line into device and numbers, as ``_LINE`` does but three times faster."""
    cells = text.split()
    if len(text) > _LONGEST or len(cells) < 7:
        return None
    digits = "".join([cells[0], cells[1], *cells[3:]])
    if not digits.isascii() or not digits.isdecimal() or not _DEVICE.fullmatch(cells[2]):
        return None
    return cells[2], cells[3:]
