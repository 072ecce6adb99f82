"""The stall that detection finds, and the ranges of samples that it is made of."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pileup.analysis.evidence.context import Span
from pileup.analysis.stalls.indicators import Signal

_S = 1_000_000
_JOIN_S = 5.0
"""Two ranges closer than this are one stall, in seconds."""
_HOLE_S = 900.0
"""Longest silence of a collector that still counts as stalled, in seconds."""
_BASELINE_S = 30.0
_LEAST_BASELINE = 3

Kind = Literal["stall", "false_positive", "recovery_burst"]
Shape = Literal["piled_up", "refused", "stopped", "slow"]
SHAPES: tuple[Shape, ...] = get_args(Shape)
"""In the order in which they name a stall that several signals show."""


@dataclass(frozen=True, slots=True)
class Stall:
    """One stall, false positive or recovery burst; times in UTC µs."""

    kind: Kind
    host: str | None
    onset: int
    end: int | None
    last: int
    """The last time known to be inside the stall."""
    baseline: Span | None
    signal: Signal | None
    note: str = ""
    corrected_by: str | None = None
    """Person who set onset, end or baseline; ``computed`` has the computed stall."""
    computed: Stall | None = None
    shape: Shape = "piled_up"
    also: tuple[Shape, ...] = ()
    """Other shapes in which the same stall shows."""

    @property
    def span(self) -> Span:
        return Span(self.onset, self.end if self.end is not None else self.last)

    @property
    def duration_s(self) -> float:
        return self.span.seconds


def of_range(
    signal: Signal,
    first: int,
    last: int,
    kind: Kind,
    baseline: Span | None,
    note: str,
    shape: Shape = "piled_up",
) -> Stall:
    """Build the stall of a range of samples, both ends included; it ends at the next sample."""
    interval = signal.interval_us
    end = signal.times[last + 1] if last + 1 < len(signal.times) else None
    if end is not None and end - signal.times[last] > 3 * interval:
        end = signal.times[last] + interval
    return Stall(
        kind,
        signal.host,
        signal.times[first],
        end,
        signal.times[last],
        baseline,
        signal,
        note,
        shape=shape,
    )


def runs(mask: Sequence[bool]) -> list[tuple[int, int]]:
    """Return the index ranges (both ends included) of marked samples."""
    found: list[tuple[int, int]] = []
    start: int | None = None
    for index, high in enumerate(mask):
        if high and start is None:
            start = index
        if not high and start is not None:
            found.append((start, index - 1))
            start = None
    if start is not None:
        found.append((start, len(mask) - 1))
    return found


def join(signal: Signal, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge ranges closer than they are long, and ranges with only a hole between samples."""
    joined: list[tuple[int, int]] = []
    interval = signal.interval_us
    for first, last in ranges:
        if joined:
            before = joined[-1]
            gap = signal.times[first] - signal.times[before[1]]
            longer = max(
                signal.times[before[1]] - signal.times[before[0]],
                signal.times[last] - signal.times[first],
            )
            bridge = max(min(_JOIN_S * _S, longer), 2.5 * interval)
            nothing_between = first == before[1] + 1 and gap <= _HOLE_S * _S
            if gap <= bridge or nothing_between:
                joined[-1] = (before[0], last)
                continue
        joined.append((first, last))
    return joined


def baseline_before(
    signal: Signal, mask: Sequence[bool], first: int, previous_end: int
) -> Span | None:
    """Return the quiet range just before: half a minute, or thirty samples of a slow series.

    previous_end: time (UTC µs) before which nothing counts. None with fewer than three samples.
    """
    reach = max(_BASELINE_S * _S, 30 * signal.interval_us)
    onset = signal.began(first) if signal.is_long(first) else signal.times[first]
    start = max(onset - reach, previous_end)
    begin = bisect_left(signal.times, start)
    inside = [signal.times[at] for at in range(begin, first) if not mask[at]]
    return None if len(inside) < _LEAST_BASELINE else Span(inside[0], inside[-1])


__all__ = ["SHAPES", "Kind", "Shape", "Stall", "baseline_before", "join", "of_range", "runs"]
