"""Completed work per second at the times of the active sessions, for the same picture."""

from __future__ import annotations

from bisect import bisect_left

import msgspec
import polars as pl

from pileup.analysis.contract import ActiveSessionsDoc, ThroughputDoc
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.series import short_name
from pileup.analysis.evidence.times import parse
from pileup.analysis.stalls import indicators


def with_throughput(
    active: ActiveSessionsDoc | None, values: pl.DataFrame, host: str | None
) -> ActiveSessionsDoc | None:
    """Add the throughput of the same seconds, where a series shows it.

    values: see ``evidence.series.values``.
    """
    if active is None or len(active.times) < 2 or values.is_empty():
        return active
    times = [parse(time) for time in active.times]
    found = indicators.throughput(values, host, Span(times[0], times[-1]))
    if found is None:
        return active
    return msgspec.structs.replace(
        active,
        throughput=ThroughputDoc(
            series=found.series,
            title=indicators.WORK_UNITS.get(
                short_name(found.series).lower(), short_name(found.series)
            ),
            values=_between(times, found.times, found.values),
        ),
    )


def _between(times: list[int], sampled: list[int], values: list[float]) -> list[float | None]:
    """Return the mean of the samples from each time up to the next; None without a sample."""
    means: list[float | None] = []
    for at, start in enumerate(times):
        step = times[at + 1] - start if at + 1 < len(times) else start - times[at - 1]
        first, last = bisect_left(sampled, start), bisect_left(sampled, start + max(1, step))
        part = values[first:last]
        means.append(round(sum(part) / len(part), 2) if part else None)
    return means


__all__ = ["with_throughput"]
