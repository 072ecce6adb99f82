"""What makes waits for a latch a by-product: a larger wait that they follow from."""

from __future__ import annotations

from dataclasses import dataclass

from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.rules.commit import commit_waiters
from pileup.analysis.findings.rules.concurrency import collapse

_CONVOY = 0.5


@dataclass(frozen=True, slots=True)
class Larger:
    collapse: bool
    """Throughput falls as threads rise, and no single latch of its own explains it."""
    commits: int
    """Sessions waiting for the commit at once."""
    rows: int
    """Transactions waiting for a row lock at once."""

    def than(self, waiters: int) -> tuple[str, ...]:
        """Sentences on what is larger than this many waiters for a latch."""
        said = []
        if self.collapse:
            said.append("Throughput collapses as threads rise: the latch is where they meet.")
        if self.commits > 2 * waiters:
            said.append(f"{self.commits} sessions wait for the commit, many more than for this.")
        if self.rows > 2 * waiters:
            said.append(f"{self.rows} transactions wait for a row lock, many more than for this.")
        return tuple(said)


def waits(observed: Observed) -> Larger:
    """The larger waits of a stall."""
    convoy = (
        observed.hot_latch("btr_search_latch").share >= _CONVOY
        or observed.dominant_latch is not None
    )
    rows = observed.lock_queue.waiters
    return Larger(
        collapse=collapse(observed) is not None and not convoy,
        commits=commit_waiters(observed).most,
        rows=rows.most,
    )


__all__ = ["Larger", "waits"]
