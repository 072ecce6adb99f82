"""Sentences about sources of one moment whose counts of sessions disagree.

Sources are views of one population, so a wide difference has a reason that the reader must know:
they show different moments, or do not count the same. Which of them is right is not decided here.
"""

from __future__ import annotations

from pileup.analysis.blocked_time.active_sessions import MOMENTS
from pileup.analysis.contract import ActiveSessionsDoc, StallDoc
from pileup.analysis.evidence.times import clock_text, parse
from pileup.knowledge.series_titles import series_title
from pileup.numerals import grouped

_FAR = 0.1
"""Share of the larger count up to which two sources of one moment agree."""
_SAMPLED = 0.25
"""The same where one of them is a series: between two samples, it may have been higher."""
_FEW = 2.0
"""So many sessions come and go between two looks."""


def listed_and_stacks(listed: int, threads: int) -> list[str]:
    """Compare the active sessions of a processlist with the stacks that are not idle."""
    if not listed or not threads or not _apart(listed, threads, _FAR):
        return []
    text = (
        f"The sources disagree: the processlist lists {grouped(listed)} active sessions, the "
        f"stacks show {grouped(threads)} threads that are not idle."
    )
    return [text]


def active_and_connected(active: float, connected: float) -> list[str]:
    """Compare the active sessions that a moment shows with those connected, a smaller number."""
    if not _apart(active, connected, _FAR):
        return []
    text = (
        f"The sources disagree: the moment shows {grouped(round(active))} active sessions, and "
        f"{grouped(round(connected))} are connected."
    )
    return [text]


def waiting_and_running(stall: StallDoc, active: ActiveSessionsDoc) -> list[str]:
    """Compare the most sessions that a moment shows waiting with the most that a series counts.

    A session that waits inside the server runs, so that more can run than wait, never fewer.
    """
    waiting, running = stall.peak_waiters, active.peak
    counted = stall.peak_counts == "waiting" and active.level_from != MOMENTS
    if not counted or not waiting or waiting <= running or not _apart(waiting, running, _SAMPLED):
        return []
    at = f" at {clock_text(parse(stall.peak_at))}" if stall.peak_at else ""
    series = series_title(active.level_from).words
    listed = f"the waits listed{at} are of {grouped(waiting)} threads"
    most = f"{series} counts at most {grouped(round(running))} sessions"
    return [
        f"The sources disagree: {listed}, while {most}.",
        "A list is written while threads come and go, and the server's own may be in it.",
    ]


def _apart(count: float, other: float, share: float) -> bool:
    return abs(count - other) > max(_FEW, share * max(count, other))


__all__ = ["active_and_connected", "listed_and_stacks", "waiting_and_running"]
