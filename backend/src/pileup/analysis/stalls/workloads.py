"""Tell a pileup from more work: sessions rise, all of them work, and their work is done."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.series import short_name, whole
from pileup.analysis.stalls.stall import Stall

_FULL = 0.9
"""Statements per second, as a share of the baseline's, that count as undisturbed."""
_EXPLAINED = 0.5
"""Least rise in statements per second, as a share of the rise in sessions."""
_UNDISTURBED = 1.5
"""Largest rise in statements per second of a load beside which a batch job runs."""
_WAITING = 0.2
"""Share of the additional sessions that wait: from there on it is a pileup."""
_STATEMENTS = ("qps", "questions", "queries", "queries_per_second", "qps_total", "tps")
_ROWS = (
    "rows_read", "innodb_rows_read", "rows_inserted", "innodb_rows_inserted", "rows_updated",
    "innodb_rows_updated", "handler_read_next", "handler_read_rnd_next", "handler_write",
    "innodb_buffer_pool_read_requests",
)  # fmt: skip
_WAITS = (
    "semaphore_waits", "lock_wait_transactions", "innodb_row_lock_current_waits",
    "row_lock_current_waits",
)  # fmt: skip
_WORKS = re.compile(
    r"(?i)^(executing|sending data|sending to client|writing to net|sorting|creating sort"
    r"|statistics|copying|creating tmp|converting|optimizing|preparing|init|starting|updating"
    r"|update$|end$|freeing items|checking|reading|receiving|searching|$)"
)
"""States of a processlist in which a session works."""


@dataclass(frozen=True, slots=True)
class _Level:
    """Medians of a series before and during a range, and its 20th percentile inside."""

    id: str
    name: str
    labels: str
    before: float
    during: float
    low: float


def is_done(stall: Stall, values: pl.DataFrame, listed: Callable[[Span], float]) -> bool:
    """Return whether the work of a range with many sessions went up with them and was done.

    Compared with the baseline, else with the minute after it. False without either, without a
    series of statements, or where sessions wait.

    listed: the most waiting sessions that a processlist, a lock table or stacks of a range list.
    """
    quiet = stall.baseline
    if quiet is None and stall.end is not None:
        quiet = Span(stall.end, stall.end + 60_000_000)
    if quiet is None or stall.signal is None:
        return False
    rows = values.filter(quiet.holds() | stall.span.holds())
    if stall.host is not None:
        rows = rows.filter(pl.col("host").is_null() | (pl.col("host") == stall.host))
    during = stall.span.holds()
    before = quiet.holds()
    undivided = set(whole(rows))
    table = (
        rows.group_by("id", "series", "labels")
        .agg(
            pl.col("value").filter(before).median().alias("before"),
            pl.col("value").filter(during).median().alias("during"),
            pl.col("value").filter(during).quantile(0.2).alias("low"),
        )
        .drop_nulls(["before", "during"])
    )
    levels = [
        _Level(id_, short_name(series, labels or ""), labels or "", *rest)
        for id_, series, labels, *rest in table.iter_rows()
    ]
    plain = [level for level in levels if level.id in undivided]
    sessions = next((level for level in levels if level.id == stall.signal.id), None)
    statements = [level for level in plain if level.name in _STATEMENTS and level.before > 0]
    if sessions is None or not statements:
        return False
    if any(level.low < _FULL * level.before for level in statements):
        return False
    extra = sessions.during - sessions.before
    waiting = max((level.during for level in plain if level.name in _WAITS), default=0.0)
    waiting = max(waiting, _waiting_by_state(levels))
    if waiting >= _WAITING * extra:
        return False
    rise = sessions.during / max(sessions.before, 1.0)
    more = max(level.during / level.before for level in statements)
    if more >= _EXPLAINED * rise:
        return True
    if more > _UNDISTURBED:
        return False
    moved = [level.during / level.before for level in plain if level.name in _ROWS and level.before]
    return max(moved, default=0.0) >= rise and listed(stall.span) < _WAITING * extra


def _waiting_by_state(levels: list[_Level]) -> float:
    """Return the sessions of a processlist whose state is no work."""
    return sum(
        level.during
        for level in levels
        if level.name == "state" and not _WORKS.search(level.labels.partition("state=")[2])
    )


__all__ = ["is_done"]
