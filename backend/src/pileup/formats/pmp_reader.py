"""What collapsed stacks become: samples and their stacks, handed on some thousands at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat

import polars as pl

from pileup.formats import pt_stalk
from pileup.formats.interned import repeated
from pileup.formats.pmp_lines import (
    CHATTER,
    COUNT_ONLY,
    NESTED,
    is_count,
    read_date,
    split_frames,
    unsure,
)
from pileup.formats.pmp_runs import Runs
from pileup.records import Clock, Item, Problem, Samples, Section, Skipped, Snapshot, Stacks

_MAX_FRAMES = 4096
_MOST_PLACES = 200_000
"""Frames of stacks that are handed on together."""
_MOST_TOGETHER = 1024
"""Lines that are looked at together."""
_MOST_NUMBERS = 50_000
_MOST_KNOWN = 256
"""Frames of a stack that is kept to be known again."""


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


class Reader:
    """What the lines of one artifact become."""

    def __init__(self) -> None:
        self.stacks_seen = False
        self._snapshot = -1
        self._dates: list[tuple[int, Clock, str]] = []
        self._clock_told = False
        self._blank = False
        self._sample: _Sample | None = None
        self._previous = 0
        self._runs = Runs()
        self._forget()
        self._begin()

    def _begin(self) -> None:
        """The columns of stacks that were not handed on yet; of samples one entry per stack."""
        if self._runs.many:
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
        self._runs.forget()
        self._texts: dict[str, int] = {}  # of whole lines
        self._inners: dict[str, int] = {}  # before the outermost of pt-pmp's lines
        self._outer: dict[str, int] = {}
        self._rests: dict[str, int] = {}  # below the two outermost of folded lines
        self._numbers: dict[str, int] = {}

    @property
    def full(self) -> bool:
        """Time to hand the stacks on."""
        return self._depth > _MOST_PLACES or self._runs.wordy

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
            run = self._runs.add(names)
            if not folded and not problem:
                self._texts[text] = run
        self._lines.append(number)
        self._counts.append(count)
        self._widths.append(1)
        self._places.append(run)
        self._depth += self._runs.lengths[run]
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
        if sample is None or self._blank:
            return at
        if not self._alike:
            return self._distinct(first, lines, at, sample)
        known, first_place = len(self._counts), len(self._places)
        before, begun = len(self._rests) + len(self._inners), at
        end = min(len(lines), at + _MOST_TOGETHER)
        is_folded = ";" in lines[at]
        at = self._folded(lines, at, end) if is_folded else self._collapsed(lines, at, end)
        new = len(self._rests) + len(self._inners) - before
        self._alike = new < 16 + (at - begun) // 2
        if at > begun:
            self._lines += range(first + begun, first + at)
            self._widths += repeat(3 if is_folded else 2, at - begun)
            self._depth += sum(map(self._runs.lengths.__getitem__, self._places[first_place:]))
            sample.last = first + at - 1
            sample.threads += sum(self._counts[known:])
            self._previous = self._counts[-1]
        return at

    def _distinct(self, first: int, lines: list[str], at: int, sample: _Sample) -> int:
        """Note plain folded lines that have little in common: what ``stack`` does, in one loop."""
        begun, add, numbers = at, self._runs.add, self._numbers
        for line in lines[at : at + _MOST_TOGETHER]:
            frames, _, count = line.rpartition(" ")
            start = frames[:1]
            if not start or start == ";" or start.isdigit() or start.isspace() or unsure(frames):
                break
            if count not in numbers:
                if not is_count(count):
                    break
                self._learn_number(count)
            names = frames.split(";")
            if not names[-1] or not 1 < len(names) <= _MAX_FRAMES:
                break
            names.reverse()
            self._places.append(add(names))
            self._counts.append(numbers[count])
            self._depth += len(names)
            at += 1
        if at > begun:
            self._lines += range(first + begun, first + at)
            self._widths += repeat(1, at - begun)
            sample.last = first + at - 1
            sample.threads += sum(self._counts[begun - at :])
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
        if not is_count(count) or inner.count(",") > _MOST_KNOWN:
            return False
        if not inner or not last or inner[0].isdigit() or inner[0] == ",":
            return False
        # A comma in brackets would part a name, also one with the parts of another line.
        if any(";" in text or "<" in text or unsure(text) for text in (inner, last)):
            return False
        if NESTED.search(f"{inner},") or NESTED.search(last) or last[-1].isspace():
            return False
        if inner not in self._inners:
            self._inners[inner] = self._runs.add(inner.split(","))
        if last not in self._outer:
            self._outer[last] = self._runs.add([last])
        self._learn_number(count)
        return True

    def _learn(self, root: str, thread: str, rest: str, count: str) -> bool:
        """Know the parts of a folded line again; False when they may be something else."""
        if not is_count(count):
            return False
        if not root or root[0].isdigit() or root[0].isspace() or rest.count(";") > _MOST_KNOWN:
            return False
        below = rest.split(";")[::-1]
        if not below[0] or any(map(unsure, (root, thread, rest))):
            return False
        if rest not in self._rests:
            self._rests[rest] = self._runs.add(below)
        for text in (root, thread):
            if text not in self._outer:
                self._outer[text] = self._runs.add([text])
        self._learn_number(count)
        return True

    def _learn_number(self, count: str) -> None:
        if len(self._numbers) > _MOST_NUMBERS:
            self._numbers.clear()
        self._numbers[count] = int(count)

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
        if match := COUNT_ONLY.match(line):
            # "    356 ": threads whose stack gdb could not read
            count = int(match["count"])
            if self.is_anew(count):
                yield from self.end_sample()
            self.stack(number, count, "", False)
        elif date := read_date(line):
            yield from self._date(date)
        elif time := pt_stalk.read_ts(line):
            yield from self._date((time[0], "utc", line))
            if time[1] and not self._clock_told:
                self._clock_told = True
                yield pt_stalk.clock_event(number, time[0], time[1])
        elif not CHATTER.match(line):
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
        lines = pl.Series(self._lines, dtype=pl.Int64)
        rows = self._rows(self._of_sample, lines, pl.Series(self._counts, dtype=pl.Int64))
        widths = pl.Series(self._widths, dtype=pl.UInt32)
        places = pl.Series(self._places, dtype=pl.UInt32)
        stacks = Stacks(rows, widths, places, *self._runs.columns())
        self._begin()
        return stacks

    def _rows(
        self, of_sample: list[tuple[_Sample, int, int]], lines: pl.Series, counts: pl.Series
    ) -> pl.DataFrame:
        samples = pl.DataFrame(
            {
                "wall_us": [sample.wall_us for sample, *_ in of_sample],
                "clock": [sample.clock for sample, *_ in of_sample],
                "snapshot": [snapshot for _, snapshot, _ in of_sample],
                "samples": [sample.samples for sample, *_ in of_sample],
            },
            schema={
                "wall_us": pl.Int64,
                "clock": pl.String,
                "snapshot": pl.Int64,
                "samples": pl.Int64,
            },
        )
        rows = samples[repeated([stacks for *_, stacks in of_sample])]
        return rows.with_columns(lines.alias("line_first"), counts.alias("count"))

    def _settle(self, sample: _Sample) -> None:
        """Say of which sample the stacks are that were read since the last time."""
        stacks = len(self._lines) - self._settled
        if stacks:
            self._settled += stacks
            self._of_sample.append((sample, self._snapshot, stacks))

    def _date(self, date: tuple[int, Clock, str]) -> Iterator[Item]:
        yield from self.end_sample()
        self._dates.append(date)
