"""The lock-wait graph of one moment: who waits for what, and who holds it.

Nodes are threads and what they wait for (latches, row and table locks, metadata locks, the commit
queue, the flush of a log); a waiter points at the resource, the resource at its holder. A holder
that no layer names is inferred where the evidence allows it, and marked, with how sure that is.
Counts are of distinct waiting threads.
"""

from __future__ import annotations

from pileup.analysis import (
    wait_commits,
    wait_instruments,
    wait_latch_stacks,
    wait_latches,
    wait_locks,
    wait_queues,
)
from pileup.analysis.context import Server
from pileup.analysis.evidence import Evidence
from pileup.analysis.joins import Scene
from pileup.analysis.wait_draft import Draft, Graph


def build(evidence: Evidence, scene: Scene, server: Server | None = None) -> Graph:
    """All waits of a scene; actors that neither wait nor hold are left out.

    server: whose version tells the functions at the places where threads wait.
    """
    draft = Draft(evidence, scene, server or Server())
    wait_latches.semaphores(draft)
    wait_locks.row_locks(draft)
    wait_locks.lock_tables(draft)
    wait_locks.lock_lists(draft)
    wait_locks.pending_metadata_locks(draft)
    wait_instruments.event_waits(draft)
    wait_locks.metadata_locks(draft)
    wait_instruments.latch_holders(draft)
    wait_commits.commits(draft)
    wait_queues.unlisted(draft)
    wait_latch_stacks.stacks_alone(draft)
    return draft.graph()


__all__ = ["build"]
