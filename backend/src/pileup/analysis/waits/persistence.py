"""Who and what stays stuck: every node of the wait graphs, over the moments that are looked at.

A wait that is there in one dump may be over in a millisecond; one that is there in all of them is
the incident. Which moments, and how they are counted: ``wait_moments.look``, ``blockers.tally``.
"""

from __future__ import annotations

import msgspec

from pileup.analysis.contract import LastingWait, WaitGraph, WaitPersistence
from pileup.analysis.evidence.times import iso
from pileup.analysis.waits.blockers import Tally
from pileup.analysis.waits.view import WholeGraph

MOST = 4000
"""Nodes that are told, the most thread-seconds first, then groups before single waiters."""
_GROUPS = ("place:", "sort:")


def wait_persistence(found: Tally) -> WaitPersistence:
    """How long each node of the wait graphs was waiting, or waited for.

    Of a single moment no node is told.
    """
    looked = found.looked
    persistence = WaitPersistence(
        unit=looked.unit,
        of=len(looked.chosen),
        moments=looked.total,
        among=looked.among,
        nodes=[],
    )
    if persistence.of <= 1:  # one moment does not tell what lasts
        return persistence
    ranked = sorted(
        found.nodes.items(),
        key=lambda item: (
            -item[1].cost_s,
            not item[0].startswith(_GROUPS),
            -item[1].seen,
            item[0],
        ),
    )
    nodes = [
        LastingWait(
            key=key,
            seen=lasting.seen,
            waiting=lasting.waiting,
            blocking=lasting.blocking,
            root=lasting.root,
            most=lasting.most,
            blocked_thread_s=round(lasting.cost_s, 1),
            first=iso(lasting.first),
            last=iso(lasting.last),
        )
        for key, lasting in ranked[:MOST]
    ]
    return msgspec.structs.replace(persistence, nodes=nodes)


def lasting_in(found: WaitPersistence, whole: WholeGraph, graph: WaitGraph) -> WaitPersistence:
    """What lasts of a graph as it is shown: its nodes and groups, and all its roots."""
    of = {node.id: node.lasting or node.id for node in whole.nodes}
    wanted = {node.lasting or node.id for node in graph.nodes}
    wanted |= {of[root.node] for root in graph.roots}
    nodes = [node for node in found.nodes if node.key in wanted]
    return msgspec.structs.replace(found, nodes=nodes)
