"""Place times along a figure, without long stretches that nobody captured.

Files of several days are captures of minutes: in proportion each would be a line of one pixel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pileup.analysis.evidence.spans import joined
from pileup.report.document import Lane

_CUT = 4.0
"""A gap in all lanes is cut out if it is so many times as long as all that was captured."""
_BREAK = 14.0
_LEAST = 30.0
"""Pixels between two stretches, and the least of a stretch; both shrink where there are many."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time that is drawn in proportion; times in epoch ms, places in pixels."""

    first: float
    last: float
    left: float
    right: float

    def x(self, time: float) -> float:
        """Return the place of a time."""
        share = (time - self.first) / ((self.last - self.first) or 1)
        return self.left + (self.right - self.left) * share


@dataclass(frozen=True, slots=True)
class TimeScale:
    """The stretches from left to right; there is at least one."""

    stretches: tuple[Stretch, ...]

    def x(self, time: float) -> float:
        """Return the place of a time; of one that is cut out, the start of the next stretch."""
        for stretch in self.stretches:
            if time <= stretch.last:
                return stretch.left if time < stretch.first and self.is_cut else stretch.x(time)
        return self.stretches[-1].right if self.is_cut else self.stretches[-1].x(time)

    @property
    def is_cut(self) -> bool:
        """Whether a gap is left out."""
        return len(self.stretches) > 1

    def breaks(self) -> Iterator[tuple[float, float]]:
        """Yield the left and right side of each gap that is left out."""
        for before, after in pairwise(self.stretches):
            yield before.right, after.left


def time_scale(lanes: Sequence[Lane], left: float, right: float) -> TimeScale | None:
    """Lay the times of all lanes out between two places; None without a time."""
    spans = _stretches(lanes)
    if not spans:
        return None
    many = len(spans)
    gap = min(_BREAK, (right - left) / (3 * many)) if many > 1 else 0.0
    room = right - left - gap * (many - 1)
    least = min(_LEAST, room / (2 * many)) if many > 1 else 0.0
    whole = sum(last - first for first, last in spans) or 1
    placed: list[Stretch] = []
    at = left
    for first, last in spans:
        width = least + (room - least * many) * (last - first) / whole
        placed.append(Stretch(first, last, at, at + width if many > 1 else right))
        at += width + gap
    return TimeScale(tuple(placed))


def is_cut(lanes: Sequence[Lane]) -> bool:
    """Return whether a gap in the times of all lanes is left out."""
    return len(_stretches(lanes)) > 1


def _stretches(lanes: Sequence[Lane]) -> list[tuple[float, float]]:
    """Return the times that any lane covers, joined over gaps that are not long."""
    covered = joined((run for lane in lanes for run in _runs(lane)), over=0.0)
    return joined(covered, over=_CUT * sum(last - first for first, last in covered))


def _runs(lane: Lane) -> Iterator[tuple[float, float]]:
    """Yield the first and last time of each line of a lane, which a gap ends."""
    first = last = None
    for time, value in [*lane.points, (0.0, None)]:
        if value is not None:
            first = time if first is None else first
            last = time
        elif first is not None and last is not None:
            yield first, last
            first = None
