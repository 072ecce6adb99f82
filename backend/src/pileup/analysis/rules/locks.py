"""Transactions and sessions that wait for locks: rows, tables, metadata, caches."""

from __future__ import annotations

import polars as pl

from pileup.analysis import signs
from pileup.analysis.context import Context
from pileup.analysis.rules import Match, Rule, graded

_ENOUGH = 5


def hot_row(context: Context) -> Match | None:
    """Many transactions behind one row lock (hot-row)."""
    sign, table, mode = signs.lock_waiters(context)
    if sign.most < _ENOUGH or (mode or "").startswith("AUTO-INC"):
        return None
    idle = _idle_holder(context)
    score = graded((True, 0.5), (sign.share >= 0.5, 0.2), (sign.most >= 50, 0.12), (idle > 0, 0.12))
    holder = (
        f" A transaction with undo and row locks has been idle for up to {idle:.0f} s: "
        "it holds what they wait for."
        if idle
        else ""
    )
    why = f"{sign.most} transactions at once wait for a lock on {table}.{holder}"
    return Match("hot-row", score, why, sign.evidence)


def deadlock_detect(context: Context) -> Match | None:
    """Deadlock search burns CPU over a hot row (hot-row-deadlock-detect)."""
    sign, table, _ = signs.lock_waiters(context)
    search = signs.stacks(
        context,
        lambda stack: any("DeadlockChecker" in n or "lock_deadlock" in n for n in stack),
        "search for deadlocks",
    )
    latch = signs.latch(context, "lock_sys_mutex")
    if sign.most < 50 or (not search and latch.most < 20):
        return None
    why = (
        f"{sign.most} transactions wait on {table}, and threads search the wait list for deadlocks."
    )
    score = graded((True, 0.4), (search.most > 1, 0.2), (latch.most >= 20, 0.15))
    return Match("hot-row-deadlock-detect", score, why, search.evidence + latch.evidence)


def autoinc(context: Context) -> Match | None:
    """Inserts wait for the table's AUTO-INC lock (mysql-16979)."""
    sign, table, mode = signs.lock_waiters(context)
    if sign.most < 3 or not (mode or "").startswith("AUTO-INC"):
        return None
    why = f"{sign.most} transactions at once wait for the AUTO-INC lock of {table}."
    return Match("mysql-16979", graded((True, 0.6), (sign.most >= 20, 0.2)), why, sign.evidence)


# state pattern -> (issue, words)
_STATES = (
    (r"(?i)metadata lock", "mdl-pileup", "a metadata lock"),
    (r"(?i)query cache", "query-cache", "the query cache"),
    (r"(?i)table flush", "flush-tables", "a table flush"),
    (r"(?i)global read lock|commit lock|backup lock", "ftwrl", "the global read lock"),
    (r"(?i)^opening tables?$", "lock-open", "opening a table"),
    (r"(?i)^(locked|waiting for table.level lock|table lock)$", "myisam-lock", "a table lock"),
)


def _by_state(pattern: str, issue: str, what: str) -> Rule:
    def rule(context: Context) -> Match | None:
        sign = signs.sessions(context, pattern)
        if sign.most < _ENOUGH:
            return None
        score = graded((True, 0.5), (sign.share >= 0.3, 0.2), (sign.most >= 50, 0.15))
        why = f"{sign.most} sessions at once wait for {what} ({sign.share:.0%} of all sessions)."
        return Match(issue, score, why, sign.evidence)

    return rule


def query_cache_stacks(context: Context) -> Match | None:
    """Threads below the query cache's lock, when there is no processlist (query-cache)."""
    if signs.sessions(context, r"(?i)query cache"):
        return None
    sign = signs.stacks(
        context,
        lambda stack: (
            any(name.startswith("Query_cache::") for name in stack[:12])
            and any("lock" in name or "cond" in name for name in stack[:5])
        ),
        "wait in the query cache",
    )
    if sign.most < _ENOUGH:
        return None
    why = f"{sign.most} threads at once wait for the query cache's lock."
    return Match("query-cache", graded((True, 0.5), (sign.share >= 0.3, 0.25)), why, sign.evidence)


def _idle_holder(context: Context) -> float:
    """The longest time that a transaction with undo and locks stood without a statement."""
    frame = context.evidence.frame("transaction")
    if frame is None:
        return 0.0
    if context.stall is not None:
        frame = frame.filter(context.stall.holds())
    idle = frame.filter(
        ~pl.col("lock_wait")
        & pl.col("query").is_null()
        & (pl.col("row_locks").fill_null(0) > 0)
        & (pl.col("undo_entries").fill_null(0) > 0)
        & (pl.col("active_s").fill_null(0) >= 3)
    )
    longest = idle["active_s"].max()
    return float(longest) if isinstance(longest, int | float) else 0.0


RULES: tuple[Rule, ...] = (
    hot_row,
    deadlock_detect,
    autoinc,
    *(_by_state(*one) for one in _STATES),
    query_cache_stacks,
)
