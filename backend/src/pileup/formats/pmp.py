"""Collapsed stacks: pt-pmp, poor man's profiler one-liners, FlameGraph's folded form.

Source: aggregate_stacktrace() in bin/pt-pmp (innermost first, commas, count in front);
        stackcollapse-*.pl of FlameGraph (outermost first, semicolons, count at the end).
Yields: per sample one Snapshot, one Stack per line, and the threads as series stacks.threads.
Units:  counts are threads times samples. ``samples`` is how often ``date`` was printed above a
        block: pt-pmp --iterations prints it once per iteration and sums the counts.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, repeat

import polars as pl

from pileup.formats import pt_stalk
from pileup.formats.errors import FormatError
from pileup.formats.stack_frames import pmp_frame
from pileup.formats.times import local_us
from pileup.records import (
    Clock,
    Frame,
    Item,
    Problem,
    Rows,
    Samples,
    Section,
    Skipped,
    Snapshot,
    frame_of,
    list_column,
    struct_column,
)

NAME = "pmp"
TITLE = "collapsed stacks (pt-pmp)"
GIVES = "Stacks with counts, which are threads times samples; `stacks.threads`."
PRINTED_BY = "pt-pmp, poor man's profiler, FlameGraph's folded form"
VERSION = 1
HINTS = ("pmp.txt", ".pmp", ".hier", ".folded", ".collapsed")

#      80 __futex_abstimed_wait_common64,os_cond_wait,os_event_wait_low,start_thread,clone3
#     187 __lll_mutex_lock_wait(libpthread.so.0),pthread_mutex_lock(libpthread.so.0),open_table
# mysqld;start_thread;handle_one_connection;do_command;poll 12
_COUNT_ONLY = re.compile(r"\s*(?P<count>\d{1,12})\s*$")
# Fri Nov 20 22:19:41 UTC 2026      Fri Nov 20 10:19:41 PM CET 2026
_DATE = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?P<month>[A-Z][a-z]{2}) +(?P<day>\d{1,2}) "
    r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?: (?P<half>AM|PM))? "
    r"(?P<zone>[A-Z]{2,5}|[+-]\d{2,4}) (?P<year>\d{4})\s*$"
)
# What tools print around the stacks.
_CHATTER = re.compile(r"awk: |gdb: |warning: |\[|Attaching|\$ |# |cmd\. line|pt-pmp|sort: ")
# A comma in brackets, or brackets in brackets; linear, whatever the line.
_NESTED = re.compile(r"<|\([^()]*[,(]")
# ...,open_table(sql_base.cc:2790) 33 poll(libc.so.6),vio_io_wait: a name has no number in blanks
_JOINED = re.compile(r"(?<=[^\s,]) (?P<count>\d{1,12}) (?=[^\s\d,])")
_MONTHS = {name: number for number, name in enumerate(calendar.month_abbr) if name}
_MAX_FRAMES = 4096
_MOST_FRAMES = 50_000
"""Distinct frames that are kept by their text."""
_MOST_PLACES = 200_000
"""Frames of stacks that are handed on together."""


def sniff(head: str) -> bool | None:
    """True when four of five non-empty lines are collapsed stacks, one at least with two frames."""
    lines = head.split("\n")
    if len(head) >= 60_000 and len(lines) > 1:
        lines.pop()  # cut in the middle
    stacks = other = deep = 0
    for line in lines:
        if not line.strip() or _DATE.match(line) or line.startswith("TS "):
            continue
        if _is_stack(line):
            stacks += 1
            deep += "," in line or ";" in line
        elif not _COUNT_ONLY.match(line) and not _CHATTER.match(line):
            other += 1
    if not deep:
        return False
    return stacks >= 4 * other


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Read every block; a block starts at a date, a TS line, or a higher count after a blank."""
    reader = _Reader()
    for number, line in enumerate(lines, start=1):
        parts = _parts(line)
        if parts is None:
            yield from reader.other(number, line)
            continue
        for count, text, folded in _unjoined(*parts):
            if reader.is_anew(count):
                yield from reader.end_sample()
            problem = reader.stack(number, count, text, folded)
            if problem:
                yield problem
        if reader.full:
            yield reader.rows()
    yield from reader.end_sample()
    if reader.waiting:
        yield reader.rows()
    if not reader.stacks_seen:
        raise FormatError(
            "No collapsed stack was found: a line is a count and then function names joined by "
            "commas (pt-pmp) or names joined by semicolons and then a count (folded)."
        )


class _Places(dict[str, int]):
    """The text of a frame to its place in ``frames``; each text is read once."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []

    def __missing__(self, text: str) -> int:
        self.frames.append(pmp_frame(text))
        self[text] = place = len(self.frames) - 1
        return place


@dataclass(slots=True)
class _Sample:
    """The block being read."""

    first: int
    last: int
    threads: int
    wall_us: int | None
    clock: Clock
    original: str | None
    samples: int


class _Reader:
    def __init__(self) -> None:
        self.stacks_seen = False
        self._snapshot = -1
        self._dates: list[tuple[int, Clock, str]] = []
        self._clock_told = False
        self._places = _Places()
        self._blank = False
        self._sample: _Sample | None = None
        self._previous = 0
        self._begin()

    def _begin(self) -> None:
        """The columns of stacks that were not handed on yet; of samples one entry per stack."""
        if len(self._places) > _MOST_FRAMES:
            self._places = _Places()
        self._lines: list[int] = []
        self._counts: list[int] = []
        self._depths: list[int] = []
        self._frames: list[int] = []
        self._settled = 0
        self._of_sample: list[tuple[_Sample, int, int]] = []  # sample, snapshot, stacks

    @property
    def full(self) -> bool:
        """Time to hand the stacks on."""
        return len(self._frames) > _MOST_PLACES

    @property
    def waiting(self) -> bool:
        """Whether there are stacks to hand on."""
        return bool(self._lines)

    def is_anew(self, count: int) -> bool:
        """Sorted by count: a higher one after a blank line starts another output."""
        return self._blank and self._sample is not None and count > self._previous

    def stack(self, number: int, count: int, text: str, folded: bool) -> Problem | None:
        """Note a stack; a problem when it is too deep to be kept whole."""
        names = text.split(";")[::-1] if folded else split_frames(text)
        problem = None
        if len(names) > _MAX_FRAMES:
            problem = Problem(
                number,
                f"line {number}: {len(names)} frames; only the innermost {_MAX_FRAMES} were kept",
            )
            names = names[:_MAX_FRAMES]
        elif not names[0] and not any(map(str.strip, names)):
            names = ["??"]
        self._lines.append(number)
        self._counts.append(count)
        self._depths.append(len(names))
        self._frames += map(self._places.__getitem__, names)
        sample = self._sample or self._open(number)
        sample.last = number
        sample.threads += count
        self._previous = count
        self._blank = False
        return problem

    def _open(self, number: int) -> _Sample:
        self.stacks_seen = True
        self._snapshot += 1
        wall_us: int | None = 0 if self._snapshot == 0 else None
        clock: Clock = "relative"
        original = None
        if self._dates:
            wall_us, clock, original = self._dates[0]
        samples = max(1, len(self._dates))
        self._sample = _Sample(number, number, 0, wall_us, clock, original, samples)
        return self._sample

    def other(self, number: int, line: str) -> Iterator[Item]:
        """A line that is no stack with frames."""
        if not line.strip():
            self._blank = True
            return
        if match := _COUNT_ONLY.match(line):
            # "    356 ": threads whose stack gdb could not read
            count = int(match["count"])
            if self.is_anew(count):
                yield from self.end_sample()
            self.stack(number, count, "", False)
        elif date := _read_date(line):
            yield from self._date(date)
        elif time := pt_stalk.read_ts(line):
            yield from self._date((time[0], "utc", line))
            if time[1] and not self._clock_told:
                self._clock_told = True
                yield pt_stalk.clock_event(number, time[0], time[1])
        elif not _CHATTER.match(line):
            yield Skipped(number, number, "not a collapsed stack")
        self._blank = False

    def end_sample(self) -> Iterator[Item]:
        """What is known of a sample at its end; its stacks follow in ``rows``."""
        sample, self._sample = self._sample, None
        if sample is None:
            return
        self._settle(sample)
        yield Snapshot(
            line_first=sample.first,
            line_last=sample.last,
            wall_us=sample.wall_us,
            clock=sample.clock,
            snapshot=self._snapshot,
            kind="stacks",
            time_quality="exact" if sample.original else "unknown",
            original=sample.original,
        )
        many = f" in {sample.samples} samples" if sample.samples > 1 else ""
        yield Section(f"{sample.threads} threads{many}", sample.first, sample.last)
        yield Samples(
            series="stacks.threads",
            kind="gauge",
            unit=None,
            clock=sample.clock,
            wall_us=[sample.wall_us],
            values=[sample.threads / sample.samples],
            lines=[sample.first],
        )
        self._dates = []

    def rows(self) -> Rows:
        """The stacks that were not handed on yet."""
        if self._sample:
            self._settle(self._sample)
        table = struct_column(Frame, self._places.frames)
        places = pl.Series(self._frames, dtype=pl.UInt32)
        lengths = [stacks for *_, stacks in self._of_sample]

        def each(values: Iterable[object]) -> list[object]:
            return list(chain.from_iterable(map(repeat, values, lengths)))

        columns: dict[str, object] = {
            "line_first": self._lines,
            "wall_us": each([sample.wall_us for sample, *_ in self._of_sample]),
            "clock": each([sample.clock for sample, *_ in self._of_sample]),
            "snapshot": each([snapshot for _, snapshot, _ in self._of_sample]),
            "count": self._counts,
            "samples": each([sample.samples for sample, *_ in self._of_sample]),
            "frames": list_column(table.gather(places), self._depths),
        }
        self._begin()
        return Rows("stack", frame_of("stack", columns))

    def _settle(self, sample: _Sample) -> None:
        """Say of which sample the stacks are that were read since the last time."""
        stacks = len(self._lines) - self._settled
        if stacks:
            self._settled += stacks
            self._of_sample.append((sample, self._snapshot, stacks))

    def _date(self, date: tuple[int, Clock, str]) -> Iterator[Item]:
        yield from self.end_sample()
        self._dates.append(date)


def _unjoined(count: int, text: str, folded: bool) -> Iterable[tuple[int, str, bool]]:
    """The stacks of a line: one, or several where a form (a bug report) lost the line ends."""
    if folded or " " not in text or not (joins := list(_JOINED.finditer(text))):
        return ((count, text, folded),)
    counts = [count, *(int(join["count"]) for join in joins)]
    starts = [0, *(join.end() for join in joins)]
    ends = [*(join.start() for join in joins), len(text)]
    return [
        (one, text[start:end], False) for one, start, end in zip(counts, starts, ends, strict=True)
    ]


def split_frames(text: str) -> list[str]:
    """Split at commas that are not inside <> or (); damaged brackets fall back to every comma."""
    text = text.rstrip().removesuffix(",")
    if "<" not in text and ("(" not in text or not _NESTED.search(text)):
        return text.split(",")
    names: list[str] = []
    depth = start = 0
    for at, character in enumerate(text):
        if character in "<(":
            depth += 1
        elif character in ">)":
            depth -= 1
            if depth < 0:  # operator->, or a frame that awk cut
                depth = 0
        elif character == "," and depth == 0:
            names.append(text[start:at])
            start = at + 1
    if depth:
        return text.split(",")
    names.append(text[start:])
    return names


def _parts(line: str) -> tuple[int, str, bool] | None:
    """Count, frames and whether they are folded (outermost first); None for another line."""
    if ";" in line:
        frames, _, count = line.rpartition(" ")
        first = frames[:1]
        if (
            ";" in frames[1:]
            and count.isdigit()
            and count.isascii()
            and len(count) <= 12
            and not (first.isdigit() or first.isspace() or first == ";")
        ):
            return (int(count), frames, True) if _plausible(frames) else None
    count, frames = (*line.split(None, 1), "", "")[:2]
    if count.isdigit() and count.isascii() and len(count) <= 12 and frames:
        first = frames[0]
        if (not first.isdigit() or frames.startswith("0x")) and _plausible(frames):
            return int(count), frames, False
    return None


def _is_stack(line: str) -> bool:
    return _parts(line) is not None


def _plausible(frames: str) -> bool:
    """Function names, not prose and not a table: no double blanks, no pipes, a letter or ??."""
    head = frames[:2000]
    if " " not in head:
        return "|" not in head and "\t" not in head
    return (
        "  " not in head
        and "|" not in head
        and "\t" not in head
        and ("," in head or ";" in head)
        and not head.startswith(("rows in set", "row in set"))
        and head.count(" ") <= 4 + 2 * (head.count(",") + head.count(";") + head.count("<"))
    )


def _read_date(line: str) -> tuple[int, Clock, str] | None:
    match = _DATE.match(line)
    if not match or match["month"] not in _MONTHS:
        return None
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] == "PM" else 0)
    wall_us = local_us(
        match["year"],
        _MONTHS[match["month"]],
        match["day"],
        hour,
        match["minute"],
        match["second"],
    )
    if wall_us is None:
        return None
    clock: Clock = "utc" if match["zone"] in ("UTC", "GMT") else "local"
    return wall_us, clock, line.strip()
