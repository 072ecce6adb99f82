"""Detect statements that take far longer than just before, in a series of latency."""

from __future__ import annotations

import statistics

from pileup.analysis.stalls.indicators import Signal
from pileup.analysis.stalls.onsets import left_baseline
from pileup.analysis.stalls.references import far_from_before
from pileup.analysis.stalls.stall import Stall, baseline_before, join, of_range, runs

_S = 1_000_000
_FACTOR = 4.0
_ABOVE_USUAL_PEAKS = 2.0
"""Factor over the usual peaks (95th percentile): percentiles of latency scatter."""
_LEAST_S, _LEAST = 20.0, 3
"""A few slow statements raise a percentile for some seconds."""
_KNOWN, _LEAST_KNOWN, _COARSE_S = 30, 10, 10
"""Fewest samples before it, and fewest of a series with ten seconds or more between samples."""


def slowdowns(signal: Signal) -> list[Stall]:
    """Detect every range in which the latency stays at four times its level before, or more."""
    marked = far_from_before(
        signal,
        lambda value, level, peaks: (
            level > 0 and value >= max(_FACTOR * level, _ABOVE_USUAL_PEAKS * peaks)
        ),
    )
    stalls: list[Stall] = []
    previous, ended = -1, 0
    interval = signal.interval_us
    for first, last in join(signal, runs(marked.mask)):
        inside = signal.values[first : last + 1]
        length = (signal.times[last] - signal.times[first] + interval) / _S
        level = marked.levels[first] or 0.0
        known = first - previous - 1
        if known < (_KNOWN if interval < _COARSE_S * _S else _LEAST_KNOWN):
            continue
        if length < _LEAST_S or len(inside) < _LEAST or statistics.median(inside) < _FACTOR * level:
            continue
        onset = left_baseline(signal.values, first, previous + 1, falls=False)
        baseline = baseline_before(signal, marked.mask, onset, ended)
        stalls.append(of_range(signal, onset, last, "stall", baseline, "", "slow"))
        previous, ended = last, signal.times[last]
    return stalls


__all__ = ["slowdowns"]
