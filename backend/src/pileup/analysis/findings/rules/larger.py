"""Larger waits of a stall that make waits for a latch a by-product."""

from __future__ import annotations

from dataclasses import dataclass

from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.rules.commit import commit_waiters
from pileup.analysis.findings.rules.concurrency import collapse

_CONVOY = 0.5


@dataclass(frozen=True, slots=True)
class Larger:
    collapse: bool
    """Whether throughput falls as threads rise and no single latch explains it."""
    commits: int
    """Number of sessions waiting for the commit at once."""
    rows: int
    """Number of transactions waiting for a row lock at once."""

    def than(self, waiters: int) -> tuple[str, ...]:
        """Describe each wait that is larger than this many waiters for a latch."""
        reasons = []
        if self.collapse:
            reasons.append("Throughput collapses as threads rise: the latch wait is a by-product.")
        if self.commits > 2 * waiters:
            reasons.append(f"{self.commits} sessions wait for the commit, many more than for this.")
        if self.rows > 2 * waiters:
            reasons.append(
                f"{self.rows} transactions wait for a row lock, many more than for this."
            )
        return tuple(reasons)


def waits(observed: Observed) -> Larger:
    """Measure the larger waits of a stall."""
    convoy = (
        observed.hot_latch("btr_search_latch").share >= _CONVOY or observed.one_latch is not None
    )
    rows = observed.lock_queue.waiters
    return Larger(
        collapse=collapse(observed) is not None and not convoy,
        commits=commit_waiters(observed).most,
        rows=rows.most,
    )


__all__ = ["Larger", "waits"]
