"""Collector of the threads of a stack sample, the same for every tool.

Yields: per sample one Snapshot, one Section, one Stack per distinct stack with its threads (in
        order of first appearance, lines of its first thread), and series stacks.threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from pileup.formats.reading import pt_stalk_samples
from pileup.formats.reading.date_lines import DateLine
from pileup.records import (
    Clock,
    Frame,
    Item,
    Problem,
    Samples,
    Section,
    Snapshot,
    Stack,
    StackThread,
)

_MAX_ADDRESSES = 256


class Group:
    """The threads of one sample that show the same stack."""

    __slots__ = ("addresses", "first", "frames", "last", "threads")

    def __init__(self, frames: tuple[Frame, ...], first: int, last: int) -> None:
        self.frames = frames
        self.first = first
        self.last = last
        self.threads: list[StackThread] = []
        self.addresses: dict[bytes, None] = {}


class StackSamples:
    """Collects the threads of the current sample, and numbers the samples."""

    def __init__(self) -> None:
        self.seen = False
        self._snapshot = -1
        self._time: DateLine | None = None
        self._clock_reported = False
        self._begin()

    def _begin(self) -> None:
        self.groups: dict[int, Group] = {}
        """Groups by the number of their stack."""
        self.first = self.last = 0

    @property
    def threads(self) -> int:
        """Threads counted in this sample."""
        return sum([len(group.threads) for group in self.groups.values()])

    def at(self, number: int, time: tuple[int, str | None]) -> Iterator[Item]:
        """Set the time of the following samples from a TS line of pt-stalk.

        Yields the server's zone as an event, once.
        """
        self._time = DateLine(time[0], "utc", time[1] or "")
        if time[1] and not self._clock_reported:
            self._clock_reported = True
            yield pt_stalk_samples.clock_event(number, time[0], time[1])

    def dated(self, date: DateLine) -> None:
        """Set the time of the following samples from a line that is a date."""
        self._time = date

    def group(self, stack: int, frames: tuple[Frame, ...], first: int, last: int) -> Group:
        """Count a thread with this stack; the caller adds it to the group's threads."""
        group = self.groups.get(stack)
        if group is None:
            group = self.groups[stack] = Group(frames, first, last)
        self.last = last
        return group

    def end(self, *, complete: bool = True) -> Iterator[Item]:
        """Yield the records of the sample; nothing if no thread was counted."""
        if not self.groups:
            self._begin()
            return
        self.seen = True
        self._snapshot += 1
        clock: Clock = self._time.clock if self._time else "relative"
        wall_us = self._time.wall_us if self._time else (0 if self._snapshot == 0 else None)
        yield Snapshot(
            line_first=self.first,
            line_last=self.last,
            kind="stacks",
            time_quality="exact" if self._time else "unknown",
            original=(self._time.printed or None) if self._time else None,
            complete=complete,
            wall_us=wall_us,
            clock=clock,
            snapshot=self._snapshot,
        )
        yield Section(f"{self.threads} threads", self.first, self.last)
        for group in self.groups.values():
            yield Stack(
                line_first=group.first,
                line_last=group.last,
                count=len(group.threads),
                frames=group.frames,
                threads=tuple(group.threads),
                addresses=tuple(map(bytes.decode, islice(group.addresses, _MAX_ADDRESSES))),
                wall_us=wall_us,
                clock=clock,
                snapshot=self._snapshot,
            )
        yield Samples(
            series="stacks.threads",
            kind="gauge",
            unit=None,
            clock=clock,
            wall_us=[wall_us],
            values=[self.threads],
            lines=[self.first],
        )
        self._begin()


def notice(lines: list[int], what: str) -> Problem:
    """Build one Problem for all lines with the same defect, at the first of them."""
    more = f" ({len(lines)} times, first here)" if len(lines) > 1 else ""
    return Problem(lines[0], f"{what}{more}.")
