"""Builder of samples and stacks from collapsed lines, yielded some thousands at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat

import polars as pl

from pileup.formats.reading import pt_stalk_samples
from pileup.formats.reading.date_lines import read_date_line
from pileup.formats.stacks.parts.folded_lines import MOST_FRAMES
from pileup.formats.stacks.parts.frame_runs import Runs
from pileup.formats.stacks.parts.pmp_lines import (
    CHATTER,
    COUNT_ONLY,
    NESTED,
    is_count,
    read_date,
    split_frames,
    unsure,
)
from pileup.records import Clock, Item, Problem, Samples, Section, Skipped, Snapshot, Stacks
from pileup.records.columns import group_of_rows

_MOST_PLACES = 200_000
"""Frames of stacks that are yielded together."""
_MOST_TOGETHER = 1024
"""Lines that are read together."""
_MOST_NUMBERS = 50_000
_MOST_KNOWN = 256
"""Frames of a stack that is remembered."""


@dataclass(slots=True)
class _Sample:
    """The sample being read."""

    first: int
    last: int
    threads: int
    wall_us: int | None
    clock: Clock
    original: str | None
    samples: int


class Reader:
    """Collects the samples and stacks of the lines of one artifact."""

    def __init__(self) -> None:
        self.stacks_seen = False
        self._snapshot = -1
        self._dates: list[tuple[int, Clock, str]] = []
        self._clock_reported = False
        self.after_blank = False
        """Whether a higher count starts another output, so that the next line is read by itself."""
        self._sample: _Sample | None = None
        self._previous = 0
        self.runs = Runs()
        self._forget()
        self._begin()

    def _begin(self) -> None:
        """Clear the columns of stacks that were not yielded yet, with an entry per stack."""
        if self.runs.full:
            self._forget()
        self._lines: list[int] = []
        self._counts: list[int] = []
        self._widths: list[int] = []
        self._places: list[int] = []
        self._sealed: list[tuple[pl.DataFrame, pl.Series]] = []  # of the above: rows, places
        self._depth = 0
        self._stacks = 0
        self._settled = 0
        self._alike = True
        """Whether looking up stacks by their parts pays off; checked again for each batch."""
        self._of_sample: list[tuple[_Sample, int, int]] = []  # sample, snapshot, stacks

    def _forget(self) -> None:
        self.runs.forget()
        self._texts: dict[str, int] = {}  # of whole lines
        self._inners: dict[str, int] = {}  # before the outermost of pt-pmp's lines
        self._outer: dict[str, int] = {}
        self._numbers: dict[str, int] = {}

    @property
    def full(self) -> bool:
        """Whether it is time to yield the stacks."""
        return self._depth > _MOST_PLACES or self.runs.has_too_much_text

    @property
    def waiting(self) -> bool:
        """Whether there are stacks to yield."""
        return self._stacks > 0

    def begins_sample(self, count: int) -> bool:
        """Return whether a stack with this count begins a sample.

        Stacks are sorted by count: a higher count after a blank line starts another output.
        """
        return self.after_blank and self._sample is not None and count > self._previous

    def stack(self, number: int, count: int, text: str, folded: bool) -> Problem | None:
        """Add a stack; return a Problem if it is too deep and was cut."""
        problem = None
        run = None if folded else self._texts.get(text)
        if run is None:
            names = text.split(";")[::-1] if folded else split_frames(text)
            if len(names) > MOST_FRAMES:
                problem = Problem(
                    number,
                    f"{len(names)} frames; only the innermost {MOST_FRAMES} were kept.",
                )
                names = names[:MOST_FRAMES]
            elif not names[0] and not any(map(str.strip, names)):
                names = ["??"]
            run = self.runs.add(names)
            if not folded and not problem:
                self._texts[text] = run
        self._lines.append(number)
        self._counts.append(count)
        self._widths.append(1)
        self._places.append(run)
        self._depth += self.runs.lengths[run]
        self._stacks += 1
        sample = self._sample or self._open(number)
        sample.last = number
        sample.threads += count
        self._previous = count
        self.after_blank = False
        return problem

    def folded(self, first: int, counts: pl.Series, widths: pl.Series, places: pl.Series) -> None:
        """Add the stacks of consecutive folded lines; see ``folded_lines``."""
        self._seal()
        height = len(counts)
        lines = pl.int_range(first, first + height, eager=True)
        rows = pl.DataFrame([lines.alias("line"), counts.alias("count"), widths.alias("width")])
        self._sealed.append((rows, places))
        self._depth += int(pl.Series(self.runs.lengths, dtype=pl.UInt16).gather(places).sum())
        self._stacks += height
        sample = self._sample or self._open(first)
        sample.last = first + height - 1
        sample.threads += int(counts.sum())
        self._previous = counts[-1]

    def plain_lines(self, first: int, lines: list[str], at: int) -> int:
        """Add plain lines of pt-pmp inside a sample; return the position of the first other line.

        Threads of one pool differ only in the outermost frame: what precedes it is looked up as a
        whole.
        """
        sample = self._sample
        if sample is None or self.after_blank or not self._alike:
            return at
        known, first_place = len(self._counts), len(self._places)
        before, begun = len(self._inners), at
        at = self._collapsed(lines, at, min(len(lines), at + _MOST_TOGETHER))
        self._alike = len(self._inners) - before < 16 + (at - begun) // 2
        if at > begun:
            self._lines += range(first + begun, first + at)
            self._widths += repeat(2, at - begun)
            self._depth += sum(map(self.runs.lengths.__getitem__, self._places[first_place:]))
            self._stacks += at - begun
            sample.last = first + at - 1
            sample.threads += sum(self._counts[known:])
            self._previous = self._counts[-1]
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
        """Remember the parts of a line of pt-pmp; return False if they may be something else."""
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
            self._inners[inner] = self.runs.add(inner.split(","))
        if last not in self._outer:
            self._outer[last] = self.runs.add([last])
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
        """Read a line that is no stack with frames."""
        if not line.strip():
            self.after_blank = True
            return
        if date := read_date(line):
            yield from self._date(date)
        elif time := pt_stalk_samples.read_ts(line):
            yield from self._date((time[0], "utc", line))
            if time[1] and not self._clock_reported:
                self._clock_reported = True
                yield pt_stalk_samples.clock_event(number, time[0], time[1])
        elif stamp := read_date_line(line, most_words=3):
            yield from self._date((stamp.wall_us, stamp.clock, stamp.printed))
        elif match := COUNT_ONLY.match(line):
            # "    356 ": threads whose stack gdb could not read
            count = int(match["count"])
            if self.begins_sample(count):
                yield from self.end_sample()
            self.stack(number, count, "", False)
        elif not CHATTER.match(line):
            yield Skipped(number, number, "not a collapsed stack")
        self.after_blank = False

    def end_sample(self) -> Iterator[Item]:
        """Yield the snapshot, section and thread count of the sample; ``stacks`` has its stacks."""
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
        """Return the stacks that were not yielded yet."""
        if self._sample:
            self._settle(self._sample)
        self._seal()
        columns = pl.concat(rows for rows, _ in self._sealed)
        places = pl.concat(places for _, places in self._sealed)
        rows = self._rows(self._of_sample, columns["line"], columns["count"])
        stacks = Stacks(rows, columns["width"], places, *self.runs.columns())
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
        rows = samples[group_of_rows([stacks for *_, stacks in of_sample])]
        return rows.with_columns(lines.alias("line_first"), counts.alias("count"))

    def _seal(self) -> None:
        """Move the stacks that were added line by line to the sealed ones."""
        if not self._lines:
            return
        columns = {"line": self._lines, "count": self._counts, "width": self._widths}
        schema = {"line": pl.Int64, "count": pl.Int64, "width": pl.UInt32}
        rows = pl.DataFrame(columns, schema=schema)
        self._sealed.append((rows, pl.Series(self._places, dtype=pl.UInt32)))
        self._lines, self._counts, self._widths, self._places = [], [], [], []

    def _settle(self, sample: _Sample) -> None:
        """Assign the stacks read since the last call to the sample."""
        stacks = self._stacks - self._settled
        if stacks:
            self._settled += stacks
            self._of_sample.append((sample, self._snapshot, stacks))

    def _date(self, date: tuple[int, Clock, str]) -> Iterator[Item]:
        yield from self.end_sample()
        if not self._dates or self._dates[-1][0] != date[0]:  # else printed twice
            self._dates.append(date)
