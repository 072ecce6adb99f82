"""Completed work over time, for a capture in which nothing counts active sessions."""

from __future__ import annotations

import math
import statistics

from pileup.analysis.contract import ActiveSessionsDoc, StoryWork
from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.series import short_name
from pileup.analysis.evidence.times import iso_of
from pileup.analysis.stalls import indicators

_MOST_POINTS = 200


def work(context: Context, active: ActiveSessionsDoc | None) -> StoryWork | None:
    """Return the series of completed work; None without one, or where sessions have a chart."""
    if (active is not None and len(active.times) > 1) or context.stall is None:
        return None
    found = indicators.throughput(context.values, context.host, context.stall)
    if found is None or len(found.times) < 2:
        return None
    size = math.ceil(len(found.times) / _MOST_POINTS)
    starts = range(0, len(found.times), size)
    name = short_name(found.series).lower()
    return StoryWork(
        title=indicators.WORK_UNITS.get(name, name),
        times=[iso_of(found.times[at]) for at in starts],
        values=[round(statistics.fmean(found.values[at : at + size]), 2) for at in starts],
    )


__all__ = ["work"]
