"""Build the lock-wait graph of one moment: waiters, the resources they wait for, and the holders.

Nodes are threads and resources (latches, row and table locks, metadata locks, the commit queue, the
flush of a log); a waiter points at the resource, the resource at its holder. A holder that no layer
names is inferred if the evidence allows it, and marked with a confidence. Counts are of distinct
waiting threads.
"""

from __future__ import annotations

from pileup.analysis.evidence.context import Server
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.scene import Scene
from pileup.analysis.waits import (
    by_commit_order,
    by_commits,
    by_free_pages,
    by_instruments,
    by_latch_stacks,
    by_latches,
    by_locks,
    by_queues,
)
from pileup.analysis.waits.draft import Draft, Graph


def build(evidence: Evidence, scene: Scene, server: Server | None = None) -> Graph:
    """Build the graph of all waits of a scene, without actors that neither wait nor hold.

    server: its version selects the source that names the functions at wait positions.
    """
    draft = Draft(evidence, scene, server or Server())
    by_latches.semaphores(draft)
    by_locks.row_locks(draft)
    by_locks.lock_tables(draft)
    by_locks.lock_lists(draft)
    by_locks.pending_metadata_locks(draft)
    by_instruments.event_waits(draft)
    by_locks.metadata_locks(draft)
    by_instruments.latch_holders(draft)
    by_commit_order.commit_order(draft)
    by_commits.commits(draft)
    by_queues.unlisted(draft)
    by_commits.behind_a_reply(draft)
    by_latches.drop_released(draft)
    by_latch_stacks.stacks_alone(draft)
    by_free_pages.page_holders(draft)
    by_queues.drop_own_waiters(draft)
    return draft.graph()


__all__ = ["build"]
