"""Detect clients that are refused: connections at their limit, and errors per second."""

from __future__ import annotations

import statistics
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from pileup.analysis.evidence.context import Span
from pileup.analysis.stalls.indicators import Role, Signal
from pileup.analysis.stalls.references import far_from_before
from pileup.analysis.stalls.stall import Stall, baseline_before, join, of_range, runs
from pileup.analysis.stalls.stops import levels_around

_S = 1_000_000
_LEAST_S, _LEAST = 5.0, 2
_SOME = 0.2
"""Refused connections per second that count; usually there are none."""
_FACTOR, _MANY = 10.0, 1.0
"""Errors per second: ten times those before, and one at least."""
_OF_WORK = 0.05
"""Least share of errors in the statements, where both are known."""
_DEADLOCKS_OF_WORK = 0.01
"""The same of deadlocks, each of which undoes the statements of a transaction."""
_ROSE = 0.9
"""Connections below this share of the limit before: they rose to it."""
_LINES, _APART_S = 5, 10.0
_SILENT_S = 60.0
"""Longest silence beside a failed attempt that belongs to it."""
DEADLOCKS_ENDED = "deadlocks ended statements."
"""Ends the note of a stall that ``by_deadlocks`` found."""


def refused(signal: Signal) -> list[Stall]:
    """Detect ranges with connections refused at max_connections."""
    mask = [value >= _SOME for value in signal.values]
    return _stalls(signal, mask)


def at_limit(connected: Signal, limit: float) -> list[Stall]:
    """Detect ranges in which connections rose to max_connections and stayed there."""
    mask = [value >= limit for value in connected.values]
    rose = [
        (first, last)
        for first, last in join(connected, runs(mask))
        if (before := connected.values[max(0, first - 30) : first])
        and statistics.median(before) < _ROSE * limit
    ]
    kept = [False] * len(mask)
    for first, last in rose:
        kept[first : last + 1] = [True] * (last - first + 1)
    return _stalls(connected, kept)


def erring(signal: Signal, work: Signal | None, role: Role = "errors") -> list[Stall]:
    """Detect ranges with far more errors per second than before. work: statements per second.

    role: what the errors are; of deadlocks, fewer are many.
    """
    marked = far_from_before(
        signal, lambda value, level, peaks: value >= max(_MANY, _FACTOR * max(level, peaks))
    )
    stalls = _stalls(signal, marked.mask)
    return [stall for stall in stalls if _is_much(stall, signal, work, role)]


def _is_much(stall: Stall, signal: Signal, work: Signal | None, role: Role) -> bool:
    _, errors = levels_around(signal, stall.span)
    _, done = levels_around(work, stall.span)
    share = (errors or 0.0) / done if done else 1.0
    return share >= _DEADLOCKS_OF_WORK if role == "deadlocks" else share >= _OF_WORK


def by_log(times: Sequence[int], host: str | None) -> list[Stall]:
    """Detect ranges of log lines by which clients get errors. times: of the lines, sorted."""
    return [
        _of_times(
            lines, host, f"{len(lines)} log lines report connections or statements that failed."
        )
        for lines in _together(times)
        if len(lines) >= _LINES
    ]


def of_collectors(times: Sequence[int], seen: Sequence[int], host: str | None) -> list[Stall]:
    """Detect ranges in which collectors cannot connect: each line is one of their few attempts.

    times: of their errors; seen: of samples of the server; both sorted. A range goes on over the
    silence of the samples around it.
    """
    groups: list[list[int]] = []
    for time in times:
        last = groups[-1][-1] if groups else time
        silent = bisect_right(seen, last) == bisect_right(seen, time)
        if groups and (silent or time - last <= _APART_S * _S):
            groups[-1].append(time)
        else:
            groups.append([time])
    steps = [after - before for before, after in pairwise(seen)]
    step = round(statistics.median(steps)) if steps else 0
    stalls: list[Stall] = []
    for failed in groups:
        before, after = bisect_right(seen, failed[0]), bisect_right(seen, failed[-1])
        start, end = failed[0], failed[-1]
        if before and start - seen[before - 1] <= _SILENT_S * _S:
            start = min(start, seen[before - 1] + step)
        if after < len(seen) and seen[after] - end <= _SILENT_S * _S:
            end = seen[after]
        if len(failed) >= _LEAST and end - start >= _LEAST_S * _S:
            note = f"{len(failed)} attempts of collectors to connect failed."
            stalls.append(_of_times([start, end], host, note))
    return stalls


def by_deadlocks(times: Sequence[int], work: Signal | None, host: str | None) -> list[Stall]:
    """Detect ranges in which deadlocks end statements as often as errors that count.

    times: of the deadlocks, sorted. work: statements per second.
    """
    stalls: list[Stall] = []
    for ended in _together(times):
        per_s = len(ended) * _S / (ended[-1] - ended[0])
        _, done = levels_around(work, Span(ended[0], ended[-1]))
        if per_s >= max(_MANY, _DEADLOCKS_OF_WORK * (done or 0.0)):
            whole = [time // _S * _S for time in ended]
            stalls.append(_of_times(whole, host, f"{len(ended)} {DEADLOCKS_ENDED}"))
    return stalls


def _together(times: Sequence[int]) -> list[list[int]]:
    """Divide times where nothing happens for a while; ranges of moments are left out."""
    ranges: list[list[int]] = []
    for time in times:
        if ranges and time - ranges[-1][-1] <= _APART_S * _S:
            ranges[-1].append(time)
        else:
            ranges.append([time])
    return [each for each in ranges if each[-1] - each[0] >= _LEAST_S * _S]


def _of_times(times: Sequence[int], host: str | None, note: str) -> Stall:
    before = Span(times[0] - 30 * _S, times[0] - 1)
    return Stall("stall", host, times[0], times[-1], times[-1], before, None, note, shape="refused")


def _stalls(signal: Signal, mask: list[bool]) -> list[Stall]:
    stalls: list[Stall] = []
    ended, interval = 0, signal.interval_us
    for first, last in join(signal, runs(mask)):
        length = (signal.times[last] - signal.times[first] + interval) / _S
        if length < _LEAST_S or last - first + 1 < _LEAST:
            continue
        baseline = baseline_before(signal, mask, first, ended)
        stalls.append(of_range(signal, first, last, "stall", baseline, "", "refused"))
        ended = signal.times[last]
    return stalls


__all__ = ["at_limit", "by_log", "erring", "of_collectors", "refused"]
