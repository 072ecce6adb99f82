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
from itertools import repeat

import polars as pl

from pileup.formats import pt_stalk
from pileup.formats.errors import FormatError
from pileup.formats.interned import repeated
from pileup.formats.stack_frames import pmp_frame
from pileup.formats.text import Chunk, chunks_of
from pileup.formats.times import local_us
from pileup.records import (
    Clock,
    Frame,
    Item,
    Problem,
    Samples,
    Section,
    Skipped,
    Snapshot,
    Stacks,
    list_column,
    struct_column,
)

NAME = "pmp"
TITLE = "collapsed stacks (pt-pmp)"
GIVES = "Stacks with counts, which are threads times samples; `stacks.threads`."
PRINTED_BY = "pt-pmp, poor man's profiler, FlameGraph's folded form"
VERSION = 2
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
_MOST_TEXT = 16 * 1024 * 1024
"""Characters of stacks that are kept to be known again."""
_MOST_TOGETHER = 1024
"""Lines that are looked at together."""
_MOST_KNOWN = 256
"""Frames of a folded stack that is kept to be known again."""


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
    return parse_chunks(chunks_of(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """The same: runs of plain lines together, all else line by line."""
    reader = _Reader()
    for chunk in chunks:
        lines = chunk.text.split("\n")
        lines.pop()
        at = 0
        while at < len(lines):
            at = reader.alike(chunk.first, lines, at)
            if at < len(lines) and not reader.full:
                yield from _read(reader, chunk.first + at, lines[at])
                at += 1
            if reader.full:
                yield reader.stacks()
    yield from reader.end_sample()
    if reader.waiting:
        yield reader.stacks()
    if not reader.stacks_seen:
        raise FormatError(
            "No collapsed stack was found: a line is a count and then function names joined by "
            "commas (pt-pmp) or names joined by semicolons and then a count (folded)."
        )


def _read(reader: _Reader, number: int, line: str) -> Iterator[Item]:
    parts = _parts(line)
    if parts is None:
        yield from reader.other(number, line)
        return
    for count, text, folded in _unjoined(*parts):
        if reader.is_anew(count):
            yield from reader.end_sample()
        problem = reader.stack(number, count, text, folded)
        if problem:
            yield problem


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
        self._forget()
        self._blank = False
        self._sample: _Sample | None = None
        self._previous = 0
        self._begin()

    def _begin(self) -> None:
        """The columns of stacks that were not handed on yet; of samples one entry per stack."""
        many = len(self._frames) > _MOST_FRAMES or len(self._run_frames) > 2 * _MOST_PLACES
        if many or self._known > _MOST_TEXT:
            self._forget()
        self._lines: list[int] = []
        self._counts: list[int] = []
        self._widths: list[int] = []
        self._places: list[int] = []
        self._depth = 0
        self._settled = 0
        self._alike = True
        """Whether it is worth while to look stacks up by their parts; asked anew now and then."""
        self._of_sample: list[tuple[_Sample, int, int]] = []  # sample, snapshot, stacks

    def _forget(self) -> None:
        """What was read so often that it is known, and the runs of frames that it became."""
        self._frames = _Places()
        self._run_frames: list[int] = []
        self._run_lengths: list[int] = []
        self._runs: pl.Series | None = None
        self._table = pl.Series()
        self._texts: dict[str, int] = {}  # of pt-pmp's lines
        self._rests: dict[str, int] = {}  # below the two outermost of folded lines
        self._inners: dict[str, int] = {}  # before the outermost of pt-pmp's lines
        self._outer: dict[str, int] = {}
        self._numbers: dict[str, int] = {}
        self._known = 0

    @property
    def full(self) -> bool:
        """Time to hand the stacks on."""
        return self._depth > _MOST_PLACES or self._known > _MOST_TEXT

    @property
    def waiting(self) -> bool:
        """Whether there are stacks to hand on."""
        return bool(self._lines)

    def is_anew(self, count: int) -> bool:
        """Sorted by count: a higher one after a blank line starts another output."""
        return self._blank and self._sample is not None and count > self._previous

    def stack(self, number: int, count: int, text: str, folded: bool) -> Problem | None:
        """Note a stack; a problem when it is too deep to be kept whole."""
        problem = None
        run = None if folded else self._texts.get(text)
        if run is None:
            names = text.split(";")[::-1] if folded else split_frames(text)
            if len(names) > _MAX_FRAMES:
                problem = Problem(
                    number,
                    f"line {number}: {len(names)} frames; only the innermost {_MAX_FRAMES} were "
                    "kept",
                )
                names = names[:_MAX_FRAMES]
            elif not names[0] and not any(map(str.strip, names)):
                names = ["??"]
            run = self._run(names)
            if not folded and not problem:
                self._texts[text] = run
        self._lines.append(number)
        self._counts.append(count)
        self._widths.append(1)
        self._places.append(run)
        self._depth += self._run_lengths[run]
        sample = self._sample or self._open(number)
        sample.last = number
        sample.threads += count
        self._previous = count
        self._blank = False
        return problem

    def alike(self, first: int, lines: list[str], at: int) -> int:
        """Note plain lines inside a sample; gives the place of the first other line.

        Threads of one pool have the same stack below their names: what follows the two outermost
        frames of a folded line, and what precedes the outermost of pt-pmp's, is looked up as a
        whole.
        """
        sample = self._sample
        if sample is None or self._blank or not self._alike:
            return at
        known, first_place = len(self._counts), len(self._places)
        before = len(self._rests) + len(self._inners)
        begun, end = at, min(len(lines), at + _MOST_TOGETHER)
        is_folded = ";" in lines[at]
        at = self._folded(lines, at, end) if is_folded else self._collapsed(lines, at, end)
        new = len(self._rests) + len(self._inners) - before
        self._alike = new < 16 + (at - begun) // 2
        if at > begun:
            self._lines += range(first + begun, first + at)
            self._widths += repeat(3 if is_folded else 2, at - begun)
            self._depth += sum(map(self._run_lengths.__getitem__, self._places[first_place:]))
            sample.last = first + at - 1
            sample.threads += sum(self._counts[known:])
            self._previous = self._counts[-1]
        return at

    def _folded(self, lines: list[str], at: int, end: int) -> int:
        rests, outer, numbers = self._rests, self._outer, self._numbers
        places, counts = self._places, self._counts
        first_place, begun = len(places), at
        line = at
        while at < end:
            try:
                for line in range(at, end):
                    root, thread, rest = lines[line].split(";", 2)
                    rest, _, count = rest.rpartition(" ")
                    places += (rests[rest], outer[thread], outer[root])
                    counts.append(numbers[count])
                at = end
            except KeyError:
                at = line
                del places[first_place + 3 * (at - begun) :]
                if not self._learn(root, thread, rest, count):
                    break
            except ValueError:  # fewer than three frames
                at = line
                break
        return at

    def _collapsed(self, lines: list[str], at: int, end: int) -> int:
        inners, outer, numbers = self._inners, self._outer, self._numbers
        places, counts = self._places, self._counts
        first_place, begun = len(places), at
        line = at
        while at < end:
            try:
                for line in range(at, end):
                    count, inner = lines[line].split(None, 1)
                    inner, _, last = inner.rpartition(",")
                    places += (inners[inner], outer[last])
                    counts.append(numbers[count])
                at = end
            except KeyError:
                at = line
                del places[first_place + 2 * (at - begun) :]
                if not self._learn_collapsed(count, inner, last):
                    break
            except ValueError:  # a blank line, or a count alone
                at = line
                break
        return at

    def _learn_collapsed(self, count: str, inner: str, last: str) -> bool:
        """Know the parts of a line of pt-pmp again; False when they may be something else."""
        if not _is_count(count) or inner.count(",") > _MOST_KNOWN:
            return False
        if not inner or not last or inner[0].isdigit() or inner[0] == ",":
            return False
        # A comma in brackets would part a name, also one with the parts of another line.
        if any(";" in text or "<" in text or _unsure(text) for text in (inner, last)):
            return False
        if _NESTED.search(f"{inner},") or _NESTED.search(last) or last[-1].isspace():
            return False
        if inner not in self._inners:
            self._inners[inner] = self._run(inner.split(","))
        if last not in self._outer:
            self._outer[last] = self._run([last])
        self._learn_number(count)
        return True

    def _learn(self, root: str, thread: str, rest: str, count: str) -> bool:
        """Know the parts of a folded line again; False when they may be something else."""
        if not _is_count(count):
            return False
        if not root or root[0].isdigit() or root[0].isspace() or rest.count(";") > _MOST_KNOWN:
            return False
        below = rest.split(";")[::-1]
        if not below[0] or any(map(_unsure, (root, thread, rest))):
            return False
        if rest not in self._rests:
            self._rests[rest] = self._run(below)
        for text in (root, thread):
            if text not in self._outer:
                self._outer[text] = self._run([text])
        self._learn_number(count)
        return True

    def _learn_number(self, count: str) -> None:
        if len(self._numbers) > _MOST_FRAMES:
            self._numbers.clear()
        self._numbers[count] = int(count)

    def _run(self, names: list[str]) -> int:
        """A new run of frames, innermost first."""
        self._known += sum(map(len, names))
        self._run_frames += map(self._frames.__getitem__, names)
        self._run_lengths.append(len(names))
        return len(self._run_lengths) - 1

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

    def stacks(self) -> Stacks:
        """The stacks that were not handed on yet."""
        if self._sample:
            self._settle(self._sample)
        if self._runs is None or len(self._runs) < len(self._run_lengths):
            self._table = struct_column(Frame, self._frames.frames)
            run_frames = pl.Series(self._run_frames, dtype=pl.UInt32)
            self._runs = list_column(run_frames, self._run_lengths)
        of_sample = repeated([stacks for *_, stacks in self._of_sample])
        samples = pl.DataFrame(
            {
                "wall_us": [sample.wall_us for sample, *_ in self._of_sample],
                "clock": [sample.clock for sample, *_ in self._of_sample],
                "snapshot": [snapshot for _, snapshot, _ in self._of_sample],
                "samples": [sample.samples for sample, *_ in self._of_sample],
            },
            schema={
                "wall_us": pl.Int64,
                "clock": pl.String,
                "snapshot": pl.Int64,
                "samples": pl.Int64,
            },
        )
        rows = samples[of_sample].with_columns(
            pl.Series("line_first", self._lines, pl.Int64),
            pl.Series("count", self._counts, pl.Int64),
        )
        widths = pl.Series(self._widths, dtype=pl.UInt32)
        places = pl.Series(self._places, dtype=pl.UInt32)
        stacks = Stacks(rows, widths, places, self._runs, self._table)
        self._begin()
        return stacks

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


def _is_count(text: str) -> bool:
    return text.isdigit() and text.isascii() and len(text) <= 12


def _unsure(text: str) -> bool:
    """Whether it takes more than a look to tell frames from prose or a table (``_plausible``)."""
    return " " in text or "|" in text or "\t" in text


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
