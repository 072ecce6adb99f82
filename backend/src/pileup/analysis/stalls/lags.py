"""Detect appliers of a replica that stand still: its lag grows by a second in every second.

A replica that is only slow falls behind more slowly, and a delay that is wanted stays the same. The
sessions of such a server can be calm meanwhile: nobody but the appliers waits.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from pileup.analysis.evidence.series import short_name
from pileup.analysis.stalls.indicators import LEAST, Signal
from pileup.analysis.stalls.stall import Stall, baseline_before, of_range

_S = 1_000_000
_NAMES = frozenset({"replica_lag", "seconds_behind"})
_SLOPE = 0.7
"""Seconds of lag per second: whole seconds are printed, so a step may show a little less."""
_LEAST_S, _LEAST_STEPS = 15.0, 3
_LONGEST_STEP_S = 120.0


def lag_stops(values: pl.DataFrame) -> dict[str | None, list[Stall]]:
    """Detect per host every range in which the lag of a replica grows as fast as time passes."""
    named = [name for name in values["series"].unique().to_list() if short_name(name) in _NAMES]
    rows = values.filter(pl.col("series").is_in(named)).sort("time", maintain_order=True)
    stalls: dict[str | None, list[Stall]] = {}
    for (name,), frame in rows.group_by("id", maintain_order=True):
        if frame.height < LEAST:
            continue
        host, times, lags = frame["host"][0], frame["time"].to_list(), frame["value"].to_list()
        signal = Signal(str(name), frame["series"][0], host, "latency", times, lags)
        if found := list(_of_signal(signal)):
            stalls.setdefault(host, []).extend(found)
    return stalls


def _of_signal(signal: Signal) -> Iterator[Stall]:
    ended = 0
    for first, last in _growth(signal.times, signal.values):
        grown = signal.values[last] - signal.values[first]
        lasted = (signal.times[last] - signal.times[first]) / _S
        if min(grown, lasted) < _LEAST_S or last - first < _LEAST_STEPS:
            continue
        # the lag of the first sample after it says since when nothing was applied
        since = signal.times[first + 1] - round(signal.values[first + 1] * _S)
        onset = max(signal.times[first], since)
        mask = [first < at <= last for at in range(len(signal.values))]
        baseline = baseline_before(signal, mask, first + 1, ended)
        stall = of_range(signal, first + 1, last, "stall", baseline, "", "stopped")
        yield replace(stall, onset=onset)
        ended = signal.times[last]


def _growth(times: Sequence[int], lags: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Yield the index ranges (both ends included) in which the lag grows as time passes."""
    start: int | None = None
    for at, (before, after) in enumerate(itertools.pairwise(zip(times, lags, strict=True))):
        step = (after[0] - before[0]) / _S
        grows = 0 < step <= _LONGEST_STEP_S and after[1] - before[1] >= _SLOPE * step
        if grows and start is None:
            start = at
        if not grows and start is not None:
            yield start, at
            start = None
    if start is not None:
        yield start, len(times) - 1


__all__ = ["lag_stops"]
