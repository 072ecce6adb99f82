"""Detect stalls: onset, end and baseline, and what is no stall.

A stall is a time range with far more sessions inside the server than usual (or, without such a
series, with far less work done). Short ranges, ranges caused by a debugger that stops the server,
and the drain of queued work after a stall are separate kinds.
"""

from __future__ import annotations

import itertools
import math
import statistics
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.stalls.indicators import Signal, signals, throughput
from pileup.numerals import grouped

_S = 1_000_000
_FACTOR = 4.0
"""Factor over the quiet level that counts as piled up."""
_EXTRA = 10.0
"""Fewest extra sessions that count as piled up: 1 to 6 is no pileup."""
_JOIN_S = 5.0
"""Two ranges closer than this are one stall, in seconds."""
_HOLE_S = 900.0
"""Longest silence of a collector that still counts as stalled, in seconds."""
_SHORT_S = 10.0
_NOISE_S = 5.0
_BASELINE_S = 30.0
_ALWAYS_HIGH = 25.0
"""pt-stalk's own threshold for Threads_running: a whole capture above it is inside a stall."""
_APART = 1.5
"""Factor of a stall's median over the busy level outside it; less is normal scatter."""
_BURST = 1.4
_OBSERVER_BEFORE_S, _OBSERVER_AFTER_S, _OBSERVER_MOST_S = 2.0, 8.0, 6.0

Kind = Literal["stall", "false_positive", "recovery_burst"]


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

    @property
    def span(self) -> Span:
        return Span(self.onset, self.end if self.end is not None else self.last)

    @property
    def duration_s(self) -> float:
        return self.span.seconds


def find(evidence: Evidence, values: pl.DataFrame) -> list[Stall]:
    """Detect every stall, false positive and recovery burst, in time order."""
    observed = _observer_times(evidence)
    stalls: list[Stall] = []
    for signal in signals(values):
        stalls += _of_signal(signal, values, observed)
    if not any(stall.kind == "stall" for stall in stalls):
        stalls += _from_moments(values)
    return sorted(stalls, key=lambda stall: stall.onset)


# ---- one signal --------------------------------------------------------------------------------


def _of_signal(signal: Signal, values: pl.DataFrame, observed: Sequence[int]) -> list[Stall]:
    mask = _high(signal)
    runs = _runs(mask)
    if not runs:
        return _all_along(signal)
    observer, runs = _split_observer(signal, runs, observed)
    joined = _join(signal, runs)
    stalls: list[Stall] = []
    for first, last in observer:
        note = (
            "A debugger was walking the stacks then and held the server still: "
            "made by the observer, not by the incident."
        )
        stalls.append(_stall(signal, first, last, "false_positive", None, note))
    longest = max((signal.times[b] - signal.times[a] for a, b in joined), default=0)
    least = _threshold_of(signal, mask)
    busy = _busy_outside(signal, joined)
    previous_end = 0
    for first, last in joined:
        length = (signal.times[last] - signal.times[first] + signal.interval_us) / _S
        peak = max(signal.values[first : last + 1])
        if signal.role != "throughput" and length < _NOISE_S and peak < 2 * least:
            continue
        if busy and statistics.median(signal.values[first : last + 1]) < _APART * busy:
            continue
        short = length < _NOISE_S or (
            length < _SHORT_S
            and (longest / _S >= 3 * length or _cleared(signal, mask, last, length))
        )
        baseline = None if short else _baseline(signal, mask, first, previous_end)
        if short:
            note = f"Only {length:.0f} s: work piled up and cleared again at once."
            stalls.append(_stall(signal, first, last, "false_positive", None, note))
            continue
        note = "" if baseline else "The capture starts inside the stall: there is no baseline."
        stall = _stall(signal, first, last, "stall", baseline, note)
        stalls += _with_burst(stall, signal, values)
        previous_end = signal.times[last]
    return stalls


def _cleared(signal: Signal, mask: Sequence[bool], last: int, length: float) -> bool:
    """Return whether sessions are few again after a pileup, for at least as long as it lasted."""
    if signal.role != "concurrency" or last + 1 >= len(signal.times):
        return False
    until = signal.times[last] + max(length, _NOISE_S) * _S
    after = [
        high
        for time, high in zip(signal.times[last + 1 :], mask[last + 1 :], strict=True)
        if time <= until
    ]
    return signal.times[-1] >= until and bool(after) and not any(after)


def _high(signal: Signal) -> list[bool]:
    """Return per sample whether it is piled up."""
    if signal.role == "throughput":
        return _low_throughput(signal.values)
    quiet = _quiet_levels(signal)
    mask = [
        value >= max(_FACTOR * level, level + (_EXTRA if signal.role == "concurrency" else 0.0))
        for value, level in zip(signal.values, quiet, strict=True)
    ]
    if any(mask):
        return mask
    # more than six sevenths of the capture may be inside the stall: look for two clear levels
    logs = [math.log2(1 + max(value, 0.0)) for value in signal.values]
    split, low, high = _two_levels(logs)
    if high - low >= 2 and 2**high - 2**low >= _EXTRA:
        return [log > split for log in logs]
    return mask


def _quiet_levels(signal: Signal) -> list[float]:
    """Return the quiet level around each sample, over the capture or 40 minutes of a long one."""
    numbers = pl.Series(signal.values, dtype=pl.Float64)
    span = signal.times[-1] - signal.times[0]
    if span <= 3600 * _S:
        level = numbers.quantile(0.15) or 0.0
        return [level] * len(numbers)
    frame = pl.DataFrame({"t": pl.Series(signal.times).cast(pl.Datetime("us")), "v": numbers})
    rolled = frame.rolling("t", period="40m", offset="-20m", closed="both").agg(
        pl.col("v").quantile(0.25)
    )
    return rolled["v"].fill_null(0.0).to_list()


def _low_throughput(values: Sequence[float]) -> list[bool]:
    logs = [math.log2(1 + max(value, 0.0)) for value in values]
    split, low, high = _two_levels(logs)
    if high - low < 1.2 or statistics.median(logs[:3]) < split:
        # little work from the first sample on: a load that came and went, not one that stopped
        return [False] * len(values)
    return [log < split for log in logs]


def _two_levels(logs: Sequence[float]) -> tuple[float, float, float]:
    """Split values into two levels by Otsu: (split, median below, median above)."""
    ordered = sorted(logs)
    count = len(ordered)
    if count < 6 or ordered[0] == ordered[-1]:
        return math.inf, 0.0, 0.0
    sums = list(itertools.accumulate(ordered))
    best, at = -1.0, 0
    for k in range(3, count - 2):
        if ordered[k] == ordered[k - 1]:
            continue
        below, above = sums[k - 1] / k, (sums[-1] - sums[k - 1]) / (count - k)
        between = k * (count - k) * (above - below) ** 2
        if between > best:
            best, at = between, k
    if at == 0:
        return math.inf, 0.0, 0.0
    split = (ordered[at - 1] + ordered[at]) / 2
    return split, statistics.median(ordered[:at]), statistics.median(ordered[at:])


def _threshold_of(signal: Signal, mask: Sequence[bool]) -> float:
    piled = [v for v, high in zip(signal.values, mask, strict=True) if high]
    quiet = [v for v, high in zip(signal.values, mask, strict=True) if not high]
    level = statistics.median(quiet) if quiet else 0.0
    return min([*piled, math.inf]) if not quiet else max(_FACTOR * level, level + _EXTRA)


def _busy_outside(signal: Signal, runs: Sequence[tuple[int, int]]) -> float:
    """Return the 90th percentile of samples outside the longer runs, for concurrency; else 0.

    A few sessions that come and go (2 to 17 and back within seconds) give runs of high samples too.
    """
    if signal.role != "concurrency":
        return 0.0
    outside = list(signal.values)
    for first, last in reversed(runs):
        if signal.times[last] - signal.times[first] >= _NOISE_S * _S:
            del outside[first : last + 1]
    return pl.Series(outside).quantile(0.9) or 0.0 if len(outside) >= 10 else 0.0


def _runs(mask: Sequence[bool]) -> list[tuple[int, int]]:
    """Return the index ranges (both ends included) of piled-up samples."""
    runs: list[tuple[int, int]] = []
    start: int | None = None
    for index, high in enumerate(mask):
        if high and start is None:
            start = index
        if not high and start is not None:
            runs.append((start, index - 1))
            start = None
    if start is not None:
        runs.append((start, len(mask) - 1))
    return runs


def _split_observer(
    signal: Signal, runs: Sequence[tuple[int, int]], observed: Sequence[int]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Separate short, lone runs during stack sampling from the others."""
    mine: list[tuple[int, int]] = []
    rest: list[tuple[int, int]] = []
    gap = 2.5 * signal.interval_us
    for number, (first, last) in enumerate(runs):
        start, end = signal.times[first], signal.times[last]
        alone = (number == 0 or start - signal.times[runs[number - 1][1]] > gap) and (
            number == len(runs) - 1 or signal.times[runs[number + 1][0]] - end > gap
        )
        near = bisect_left(observed, start - _OBSERVER_AFTER_S * _S)
        seen = near < len(observed) and observed[near] <= end + _OBSERVER_BEFORE_S * _S
        short = end - start <= _OBSERVER_MOST_S * _S
        (mine if alone and seen and short else rest).append((first, last))
    return mine, rest


def _join(signal: Signal, runs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge runs closer than they are long, and runs with only a hole in the samples between."""
    joined: list[tuple[int, int]] = []
    for first, last in runs:
        if joined:
            before = joined[-1]
            gap = signal.times[first] - signal.times[before[1]]
            longer = max(
                signal.times[before[1]] - signal.times[before[0]],
                signal.times[last] - signal.times[first],
            )
            bridge = max(min(_JOIN_S * _S, longer), 2.5 * signal.interval_us)
            nothing_between = first == before[1] + 1 and gap <= _HOLE_S * _S
            if gap <= bridge or nothing_between:
                joined[-1] = (before[0], last)
                continue
        joined.append((first, last))
    return joined


def _baseline(signal: Signal, mask: Sequence[bool], first: int, previous_end: int) -> Span | None:
    """Return the quiet range just before: half a minute, or thirty samples of a slow series."""
    reach = max(_BASELINE_S * _S, 30 * signal.interval_us)
    start = max(signal.times[first] - reach, previous_end)
    inside = [signal.times[i] for i in range(first) if signal.times[i] >= start and not mask[i]]
    if len(inside) < 3:
        return None
    return Span(inside[0], inside[-1])


def _stall(
    signal: Signal, first: int, last: int, kind: Kind, baseline: Span | None, note: str
) -> Stall:
    end = signal.times[last + 1] if last + 1 < len(signal.times) else None
    if end is not None and end - signal.times[last] > 3 * signal.interval_us:
        end = signal.times[last] + signal.interval_us
    return Stall(
        kind, signal.host, signal.times[first], end, signal.times[last], baseline, signal, note
    )


def _with_burst(stall: Stall, signal: Signal, values: pl.DataFrame) -> list[Stall]:
    """End a stall where queued work begins to drain, and add the drain as an entry of its own."""
    if stall.baseline is None or signal.role == "throughput":
        return [stall]
    window = Span(stall.baseline.start, stall.last)
    work = throughput(values, stall.host, window)
    if work is None:
        return [stall]
    before = [v for t, v in zip(work.times, work.values, strict=True) if t <= stall.baseline.end]
    inside = [
        (t, v)
        for t, v in zip(work.times, work.values, strict=True)
        if stall.onset <= t <= stall.last
    ]
    before = before[-30:]
    if len(before) < 3 or len(inside) < 5:
        return [stall]
    usual, during = statistics.median(before), statistics.median(v for _, v in inside)
    least = max(_BURST * usual, 2 * during)
    start = _burst_start(inside, least)
    if start is None or inside[start][0] - stall.onset < 0.5 * (stall.last - stall.onset):
        return [stall]
    at = inside[start][0]
    rate = statistics.mean(v for _, v in inside[start:])
    what = "rows read" if work.series == "innodb.rows_read" else "statements"
    note = (
        f"Queued work drains: {grouped(rate)} {what}/s against {grouped(usual)}/s before the "
        "stall, with sessions still many."
    )
    burst = replace(stall, kind="recovery_burst", onset=at, baseline=None, note=note)
    return [replace(stall, end=at, last=at), burst]


def _burst_start(inside: Sequence[tuple[int, float]], least: float) -> int | None:
    """Return the earliest index from which work stays mostly above ``least``; None: never."""
    best, above = None, 0
    for count, index in enumerate(range(len(inside) - 1, -1, -1), start=1):
        above += inside[index][1] >= least
        if inside[index][1] >= least and above >= 0.6 * count:
            best = index
        if above < 0.4 * count:
            break
    return best


def _all_along(signal: Signal) -> list[Stall]:
    """Return one stall over the whole capture if it is busy throughout, else none."""
    if signal.role != "concurrency" or statistics.median(signal.values) < _ALWAYS_HIGH:
        return []
    note = (
        "The capture starts inside the stall and ends inside it: there is no baseline, "
        "and onset and end are unknown."
    )
    first, last = signal.times[0], signal.times[-1]
    return [Stall("stall", signal.host, first, None, last, None, signal, note)]


# ---- few moments -------------------------------------------------------------------------------


def _from_moments(values: pl.DataFrame) -> list[Stall]:
    """Derive stalls from a few dumps or processlists with ten or more waiters."""
    enough = pl.when(pl.col("series") == "processlist.running").then(_ALWAYS_HIGH).otherwise(10.0)
    names = ["innodb.semaphore_waits", "innodb.lock_wait_transactions", "processlist.running"]
    rows = values.filter(pl.col("series").is_in(names))
    if rows.is_empty():
        return []
    counts = rows.group_by("id").len()
    few = counts.filter(pl.col("len") < 8)["id"].to_list()
    high = rows.filter(pl.col("id").is_in(few) & (pl.col("value") >= enough)).sort("time")
    found = []
    for (host,), frame in high.group_by("host", maintain_order=True):
        first, last = int(frame["time"][0]), int(frame["time"][-1])
        note = (
            "Seen in single moments only: sessions already wait there. Onset and end "
            "are unknown without a series over time."
        )
        name = None if host is None else str(host)
        found.append(Stall("stall", name, first, None, last, None, None, note))
    return found


def _observer_times(evidence: Evidence) -> list[int]:
    """Return the times of stack samples: a debugger stops the server while it walks stacks."""
    snapshots = evidence.frame("snapshot")
    if snapshots is None:
        return []
    taken = snapshots.filter((pl.col("kind") == "stacks") & pl.col("time").is_not_null())
    return sorted(int(time) for time in taken["time"])


__all__ = ["Stall", "find"]
