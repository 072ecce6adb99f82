"""Detect work that stops: throughput falls to a quarter or less of what it was just before.

A load that ends, a burst that is over and a restart of the server look alike; what tells them apart
is the level before the load came, the clients that stay connected, and the server's uptime.
"""

from __future__ import annotations

import itertools
import statistics
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from pileup.analysis.evidence.context import Span
from pileup.analysis.stalls.indicators import Signal
from pileup.analysis.stalls.onsets import PLATEAU, left_baseline
from pileup.analysis.stalls.references import far_from_before
from pileup.analysis.stalls.stall import Shape, Stall, baseline_before, join, of_range, runs

_S = 1_000_000
_FALL = 0.25
_NOTHING = 0.1
"""Share of the usual work up to which it has stopped; above, it is slow."""
_LEAST_S = 5.0
_SHORT_S = 10.0
_MISSED = 30.0
"""Statements that did not come, at least: fewer are chance."""
_PATTERN_RUNS, _PATTERN_SHARE = 4, 0.2
"""Falls as frequent as this are how the load works: a job that runs and rests."""
_ALIKE = 0.25
"""Falls of one pattern last at least this share of the longest."""
_BACK = 0.5
"""Share of the usual work from which it has come back."""
_LEFT = 0.5
"""Clients, or sessions, down to this share of what they were: the load left."""
_LEAST_GONE = 3
"""Clients that went, the least that are a load that left."""
_RESTART_S = 60.0
_SAME = 0.7
"""The second half of a plateau has at least this share of its first half; less is a ramp."""
_MEMORY = 1000
"""Samples before a fall that show how little work is usual."""


def stops(
    signal: Signal,
    clients: Signal | None,
    sessions: Signal | None,
    restarts: Sequence[int] = (),
) -> list[Stall]:
    """Detect every stop of the work in one series of throughput.

    clients, sessions: connected and running, where a series shows them. restarts: UTC µs at which
    the server started.
    """
    marked = far_from_before(signal, lambda value, level, _: value <= _FALL * level)
    ranges = join(signal, runs(marked.mask))
    interval = signal.interval_us
    low = sum(last - first + 1 for first, last in ranges)
    if low >= _PATTERN_SHARE * len(signal.values) and _is_pattern(signal, ranges, marked.levels):
        return []
    stalls: list[Stall] = []
    earlier: list[float] = []
    begin = 0
    for first, last in ranges:
        level = marked.levels[first]
        assert level is not None
        earlier = [*earlier, *signal.values[max(begin, first - _MEMORY) : first]][-_MEMORY:]
        begin = first
        inside = signal.values[first : last + 1]
        length = (signal.times[last] - signal.began(first)) / _S
        during = statistics.median(inside)
        stopped = during <= _NOTHING * level
        if (
            length < (_LEAST_S if stopped else _SHORT_S)
            or (last - first < 2 and interval < _LEAST_S * _S and not signal.is_long(first))
            or level * length < _MISSED
            or _was_so_before(earlier, during, level)
        ):
            continue
        span = Span(signal.times[first], signal.times[last])
        ended = last + 1 == len(signal.values)
        if _load_left(span, clients, sessions, certain=not ended and stopped):
            continue
        begin = last + 1
        if any(span.start - interval <= time <= span.end + _RESTART_S * _S for time in restarts):
            note = "The server started again then: a restart, no stall."
            stalls.append(of_range(signal, first, last, "false_positive", None, note))
            continue
        previous = stalls[-1].last if stalls else 0
        onset = left_baseline(signal.values, first, _index_after(signal, previous), falls=True)
        if stopped:
            onset = _after_plateau(signal.values, onset, last, _NOTHING * level)
        baseline = baseline_before(signal, marked.mask, onset, previous)
        shape: Shape = "stopped" if stopped else "slow"
        stall = of_range(signal, onset, last, "stall", baseline, "", shape)
        stalls.append(_without_pauses(stall, signal, onset, last))
    return stalls


def _without_pauses(stall: Stall, signal: Signal, first: int, last: int) -> Stall:
    """Begin and end a stall where a long sample does, which is not where it was taken."""
    if signal.is_long(first):
        stall = replace(stall, onset=signal.began(first) + signal.interval_us)
    if signal.is_long(last):
        stall = replace(stall, end=signal.times[last])
    return stall


def _is_pattern(
    signal: Signal, ranges: Sequence[tuple[int, int]], levels: Sequence[float | None]
) -> bool:
    """Return whether work falls and comes back again and again, for about as long each time.

    Slow work does not come back, and a moment's fall beside a long one is none of its kind.
    """
    longest = max((signal.times[last] - signal.times[first] for first, last in ranges), default=0)
    alike = [
        (first, last)
        for first, last in ranges
        if signal.times[last] - signal.times[first] >= _ALIKE * longest
    ]
    back = sum(
        max(signal.values[last + 1 : first], default=0.0) >= _BACK * (levels[first] or 0.0)
        for (_, last), (first, _) in itertools.pairwise(alike)
    )
    return bool(alike) and back + 1 >= _PATTERN_RUNS


def _after_plateau(values: Sequence[float], onset: int, last: int, nothing: float) -> int:
    """Return where work stopped: a plateau of slow work before that is no part of the stop."""
    smooth = (statistics.median(values[at : at + 3]) for at in range(onset, last + 1))
    far = next((onset + at for at, value in enumerate(smooth) if value <= nothing), onset)
    middle = (onset + far) // 2
    if far - onset < PLATEAU:
        return onset
    earlier, later = statistics.median(values[onset:middle]), statistics.median(values[middle:far])
    if later < _SAME * earlier:
        return onset  # a ramp
    return left_baseline(values, far, onset, falls=True)


def _was_so_before(earlier: Sequence[float], during: float, level: float) -> bool:
    """Return whether so little work is nothing new: the load came and went."""
    ordered = sorted(earlier)
    lowest = ordered[len(ordered) // 20]
    return lowest <= _FALL * level and lowest <= 2 * during + 1e-9


def _load_left(
    span: Span, clients: Signal | None, sessions: Signal | None, *, certain: bool
) -> bool:
    """Return whether the work ended because the clients went.

    certain: the work stopped and came back; sessions that end with it are then no sign.
    """
    before, during = levels_around(clients, span)
    if before is not None and during is not None:
        return during <= _LEFT * before and before - during >= _LEAST_GONE
    if certain:
        return False
    before, during = levels_around(sessions, span)
    return before is not None and during is not None and before >= 2 and during <= _LEFT * before


def levels_around(signal: Signal | None, span: Span) -> tuple[float | None, float | None]:
    """Return the medians of a series in the minute before a span, and inside; None: no samples."""
    if signal is None:
        return None, None
    reach = max(60 * _S, 10 * signal.interval_us)
    before = signal.between(span.start - reach, span.start - 1)
    inside = signal.between(span.start, span.end)
    return (
        statistics.median(before) if before else None,
        statistics.median(inside) if inside else None,
    )


def _index_after(signal: Signal, time: int) -> int:
    return bisect_right(signal.times, time)


__all__ = ["levels_around", "stops"]
