"""Detect pileups: time ranges with far more sessions inside the server than usual.

Short ranges, ranges caused by a debugger that stops the server, and the drain of queued work after
a stall are separate kinds.
"""

from __future__ import annotations

import itertools
import math
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace

import polars as pl

from pileup.analysis.evidence.context import Span
from pileup.analysis.stalls.indicators import Signal, throughput
from pileup.analysis.stalls.onsets import left_baseline
from pileup.analysis.stalls.stall import Stall, baseline_before, join, of_range, runs
from pileup.numerals import grouped

_S = 1_000_000
_FACTOR = 4.0
"""Factor over the quiet level that counts as piled up."""
_EXTRA = 10.0
"""Fewest extra sessions that count as piled up: 1 to 6 is no pileup."""
_SHORT_S = 10.0
_NOISE_S = 5.0
_DIP = 0.5
"""Share of what counts as piled up that sessions keep where a pileup only falters."""
ALWAYS_HIGH = 25.0
"""pt-stalk's own threshold for Threads_running: a whole capture above it is inside a stall."""
_APART = 1.5
"""Factor of a stall's median over the busy level outside it; less is normal scatter."""
_QUIET_S, _QUIET_SAMPLES = 2400, 32
"""Range around a sample that shows the quiet level of a long capture; at least so many samples."""
_BURST = 1.4
_LEAST_VALUES = 6
"""Values, the fewest that show two levels."""
_LEAST_OUTSIDE = 10
"""Samples outside of long ranges that show noise."""
_LEAST_BEFORE, _LEAST_INSIDE = 3, 5
"""Samples before a stall and in it that show a burst."""
_FORERUNNER = 0.25
"""Share of a stall's usual sessions below which a pile before it is another one."""
_OBSERVER_BEFORE_S, _OBSERVER_AFTER_S, _OBSERVER_MOST_S = 2.0, 8.0, 6.0

# ---- one signal --------------------------------------------------------------------------------


def pileups(
    signal: Signal,
    values: pl.DataFrame,
    observed: Sequence[int],
    is_carried: Callable[[float], bool],
) -> list[Stall]:
    """Detect every pileup of one series of sessions, short ones and drains among them.

    observed: times of stack samples, sorted; a debugger stops the server while it takes one.
    is_carried: whether the server carries so many running sessions, where no baseline tells.
    """
    mask = _high(signal)
    ranges = runs(mask)
    if not ranges:
        return _all_along(signal, is_carried)
    observer, ranges = _split_observer(signal, ranges, observed)
    least = _threshold_of(signal, mask)
    joined = _without_dips(signal, join(signal, ranges), least)
    joined = _without_forerunners(signal, joined, ranges)
    stalls: list[Stall] = []
    for first, last in observer:
        note = (
            "A debugger was walking the stacks then and held the server still: "
            "made by the observer, not by the incident."
        )
        stalls.append(of_range(signal, first, last, "false_positive", None, note))
    longest = max((signal.times[b] - signal.times[a] for a, b in joined), default=0)
    busy, peaks = _busy_outside(signal, joined)
    interval = signal.interval_us
    previous_end = -1
    for first, last in joined:
        length = (signal.times[last] - signal.times[first] + interval) / _S
        peak = max(signal.values[first : last + 1])
        if length < _NOISE_S and peak < 2 * least:
            continue
        usual = peaks if _NOISE_S <= length < _SHORT_S else busy
        if usual and statistics.median(signal.values[first : last + 1]) < _APART * usual:
            continue
        short = length < _NOISE_S or (
            length < _SHORT_S
            and (longest / _S >= 3 * length or _cleared(signal, mask, last, length))
        )
        if short:
            note = f"Only {length:.0f} s: work piled up and cleared again at once."
            stalls.append(of_range(signal, first, last, "false_positive", None, note))
            continue
        onset = left_baseline(signal.values, first, previous_end + 1, falls=False)
        after = signal.times[previous_end] if previous_end >= 0 else 0
        baseline = baseline_before(signal, mask, onset, after)
        note = "" if baseline else "The capture starts inside the stall: there is no baseline."
        stall = of_range(signal, onset, last, "stall", baseline, note)
        stalls += _with_burst(stall, values)
        previous_end = last
    return stalls


def _without_forerunners(
    signal: Signal, joined: Sequence[tuple[int, int]], ranges: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Let each stall begin with its own pile, not with a small one that cleared before it.

    joined: ranges in order; each consists of some of ``ranges``, which are in order too.
    """
    begins: list[tuple[int, int]] = []
    at = 0
    for first, last in joined:
        while ranges[at][0] < first:
            at += 1
        level = statistics.median(signal.values[first : last + 1])
        while ranges[at][1] < last and _is_forerunner(signal, ranges[at], ranges[at + 1], level):
            at += 1
        begins.append((max(first, ranges[at][0]), last))
    return begins


def _is_forerunner(
    signal: Signal, small: tuple[int, int], then: tuple[int, int], level: float
) -> bool:
    """Return whether a pile far below the level of the stall cleared for longer than it lasted."""
    lasted = signal.times[small[1]] - signal.times[small[0]] + signal.interval_us
    if signal.times[then[0]] - signal.times[small[1]] <= lasted:
        return False
    return max(signal.values[small[0] : small[1] + 1]) < _FORERUNNER * level


def _without_dips(
    signal: Signal, ranges: Sequence[tuple[int, int]], least: float
) -> list[tuple[int, int]]:
    """Merge ranges between which sessions fell for a moment, and not to their usual level.

    least: from which count on sessions are piled up.
    """
    merged: list[tuple[int, int]] = []
    for first, last in ranges:
        if merged:
            before = merged[-1][1]
            short = signal.times[first] - signal.times[before] <= _SHORT_S * _S
            if short and min(signal.values[before + 1 : first], default=0.0) >= _DIP * least:
                merged[-1] = merged[-1][0], last
                continue
        merged.append((first, last))
    return merged


def _cleared(signal: Signal, mask: Sequence[bool], last: int, length: float) -> bool:
    """Return whether sessions are few again after a pileup, for at least as long as it lasted."""
    if last + 1 >= len(signal.times):
        return False
    until = signal.times[last] + max(length, _NOISE_S) * _S
    after = mask[last + 1 : bisect_right(signal.times, until)]
    return signal.times[-1] >= until and bool(after) and not any(after)


def _high(signal: Signal) -> list[bool]:
    """Return per sample whether it is piled up."""
    quiet = _quiet_levels(signal)
    mask = [
        value >= max(_FACTOR * level, level + _EXTRA)
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
    """Return the quiet level around each sample, over the capture or a part of a long one."""
    numbers = pl.Series(signal.values, dtype=pl.Float64)
    span = signal.times[-1] - signal.times[0]
    if span <= 3600 * _S:
        level = numbers.quantile(0.15) or 0.0
        return [level] * len(numbers)
    frame = pl.DataFrame({"t": pl.Series(signal.times).cast(pl.Datetime("us")), "v": numbers})
    half = max(_QUIET_S // 2, _QUIET_SAMPLES // 2 * signal.interval_us // _S)
    rolled = frame.rolling("t", period=f"{2 * half}s", offset=f"-{half}s", closed="both").agg(
        pl.col("v").quantile(0.25)
    )
    return rolled["v"].fill_null(0.0).to_list()


def _two_levels(logs: Sequence[float]) -> tuple[float, float, float]:
    """Split values into two levels by Otsu: (split, median below, median above)."""
    ordered = sorted(logs)
    count = len(ordered)
    if count < _LEAST_VALUES or ordered[0] == ordered[-1]:
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


def _busy_outside(signal: Signal, ranges: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Return the 90th and the 98th percentile of samples outside the longer runs, or (0, 0).

    A few sessions that come and go (2 to 17 and back within seconds) give runs of high samples too.
    """
    outside, interval = list(signal.values), signal.interval_us
    for first, last in reversed(ranges):
        if signal.times[last] - signal.times[first] + interval >= _NOISE_S * _S:
            del outside[first : last + 1]
    if len(outside) < _LEAST_OUTSIDE:
        return 0.0, 0.0
    numbers = pl.Series(outside)
    return numbers.quantile(0.9) or 0.0, numbers.quantile(0.98) or 0.0


def _split_observer(
    signal: Signal, ranges: Sequence[tuple[int, int]], observed: Sequence[int]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Separate short, lone runs during stack sampling from the others.

    A run inside a stall that has lasted for a while, and goes on, is a part of it.
    """
    mine: list[tuple[int, int]] = []
    rest: list[tuple[int, int]] = []
    gap = 2.5 * signal.interval_us
    whole = dict(join(signal, ranges))
    begins = list(whole)
    for number, (first, last) in enumerate(ranges):
        start, end = signal.times[first], signal.times[last]
        alone = (number == 0 or start - signal.times[ranges[number - 1][1]] > gap) and (
            number == len(ranges) - 1 or signal.times[ranges[number + 1][0]] - end > gap
        )
        near = bisect_left(observed, start - _OBSERVER_AFTER_S * _S)
        seen = near < len(observed) and observed[near] <= end + _OBSERVER_BEFORE_S * _S
        short = end - start <= _OBSERVER_MOST_S * _S
        begin = begins[bisect_right(begins, first) - 1]
        inside = start - signal.times[begin] >= _SHORT_S * _S and whole[begin] > last
        (mine if alone and seen and short and not inside else rest).append((first, last))
    return mine, rest


def _with_burst(stall: Stall, values: pl.DataFrame) -> list[Stall]:
    """End a stall where queued work begins to drain, and add the drain as an entry of its own."""
    if stall.baseline is None:
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
    if len(before) < _LEAST_BEFORE or len(inside) < _LEAST_INSIDE:
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
        "stall, while many sessions still run."
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


def _all_along(signal: Signal, is_carried: Callable[[float], bool]) -> list[Stall]:
    """Return one stall over the whole capture if it is busy throughout and carries no load."""
    level = statistics.median(signal.values)
    if level < ALWAYS_HIGH or is_carried(level):
        return []
    note = (
        "The capture starts inside the stall and ends inside it: there is no baseline, "
        "and onset and end are unknown."
    )
    first, last = signal.times[0], signal.times[-1]
    return [Stall("stall", signal.host, first, None, last, None, signal, note)]


__all__ = ["ALWAYS_HIGH", "pileups"]
