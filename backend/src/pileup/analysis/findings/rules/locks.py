"""Rule for transactions that wait for a row lock, and the transaction that holds it."""

from __future__ import annotations

import polars as pl

from pileup.analysis.findings.observed import Observed, Seen
from pileup.analysis.findings.rules import Match, Rule, count, having_any
from pileup.analysis.findings.strength import strength
from pileup.analysis.findings.worst_moment import Queue, describe_holder, is_idle

_MANY = 50


def hot_row(observed: Observed) -> Match | None:
    """Match transactions that wait for row locks, however few (hot-row)."""
    queue = observed.lock_queue
    if (queue.mode or "").startswith("AUTO-INC"):
        return None
    at_worst = observed.queues.get("row_lock")
    waits = _waits(observed, queue.waiters, at_worst)
    if waits is None:
        return None
    grade = strength(waits.most, queue.of_active, waits.longest)
    idle = _idle_holder(observed)
    holder = at_worst.holder if at_worst else None
    named = at_worst.sure if at_worst and holder else 0.0
    score = (
        grade * (0.5 + 0.2 * min(1.0, waits.share / 0.5))
        + 0.12 * grade * min(1.0, waits.most / _MANY)
        + 0.12 * grade * max(named, float(idle > 0 or (holder is not None and is_idle(holder))))
    )
    why = _why(waits, queue.table, at_worst, idle)
    everyone = max(waits.most, at_worst.waiters if at_worst else 0)
    score = round(min(0.97, score), 3)
    return Match("hot-row", score, why, waits.evidence, waiters=everyone)


def _waits(observed: Observed, listed: Seen, at_worst: Queue | None) -> Seen | None:
    """Return the waits for row locks, by the dumps and lock tables, else by the stacks."""
    if listed.holds:
        return listed
    if at_worst is not None:
        return Seen(
            True,
            at_worst.waiters,
            at_worst.share,
            evidence=at_worst.evidence,
            longest=at_worst.longest,
        )
    by_stack = observed.threads(
        having_any("lock_wait_suspend_thread", "row_mysql_handle_errors"), "wait for a row lock"
    )
    return by_stack if by_stack.holds else None


def _why(waits: Seen, table: str | None, at_worst: Queue | None, idle: float) -> str:
    lasted = f", for up to {waits.longest:.0f} s" if waits.longest else ""
    on = f" on {table}" if table else ""
    many = count(waits.most, "transaction waits", "transactions wait at once")
    why = f"{many} for a row lock{on}{lasted}."
    if at_worst and at_worst.holder:
        may = "is held by" if at_worst.sure >= 0.9 else "may be held by"
        why += f" It {may} {describe_holder(at_worst.holder)}."
    elif idle:
        why += (
            f" A transaction with undo and row locks has been idle for up to {idle:.0f} s: "
            "it holds what they wait for."
        )
    return why


def _idle_holder(observed: Observed) -> float:
    """Return the longest idle time in seconds of a transaction with undo and locks."""
    frame = observed.during("transaction")
    if frame is None:
        return 0.0
    idle = frame.filter(
        ~pl.col("lock_wait")
        & pl.col("query").is_null()
        & (pl.col("row_locks").fill_null(0) > 0)
        & (pl.col("undo_entries").fill_null(0) > 0)
        & (pl.col("active_s").fill_null(0) >= 3)
    )
    longest = idle["active_s"].max()
    return float(longest) if isinstance(longest, int | float) else 0.0


RULES: dict[str, Rule] = {"hot-row": hot_row}
