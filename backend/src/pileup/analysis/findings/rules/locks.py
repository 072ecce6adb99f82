"""Rule for transactions that wait for a row lock, and the idle transaction that holds it."""

from __future__ import annotations

import polars as pl

from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.rules import Match, Rule, graded

_ENOUGH = 5


def hot_row(observed: Observed) -> Match | None:
    """Match many transactions that wait for one row lock (hot-row)."""
    queue = observed.lock_queue
    waiters = queue.waiters
    if waiters.most < _ENOUGH or (queue.mode or "").startswith("AUTO-INC"):
        return None
    idle = _idle_holder(observed)
    score = graded(
        (True, 0.5), (waiters.share >= 0.5, 0.2), (waiters.most >= 50, 0.12), (idle > 0, 0.12)
    )
    holder = (
        f" A transaction with undo and row locks has been idle for up to {idle:.0f} s: "
        "it holds what they wait for."
        if idle
        else ""
    )
    why = f"{waiters.most} transactions at once wait for a lock on {queue.table}.{holder}"
    return Match("hot-row", score, why, waiters.evidence)


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
