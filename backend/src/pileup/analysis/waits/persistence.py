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
    told = WaitPersistence(
        unit=looked.unit,
        of=len(looked.chosen),
        moments=looked.total,
        among=looked.among,
        nodes=[],
    )
    if told.of <= 1:  # one moment does not tell what lasts
        return told
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
            seen=one.seen,
            waiting=one.waiting,
            blocking=one.blocking,
            root=one.root,
            most=one.most,
            blocked_thread_s=round(one.cost_s, 1),
            first=iso(one.first),
            last=iso(one.last),
        )
        for key, one in ranked[:MOST]
    ]
    return msgspec.structs.replace(told, nodes=nodes)


def lasting_in(found: WaitPersistence, whole: WholeGraph, graph: WaitGraph) -> WaitPersistence:
    """What lasts of a graph as it is shown: its nodes and groups, and all its roots."""
    of = {node.id: node.lasting or node.id for node in whole.nodes}
    wanted = {node.lasting or node.id for node in graph.nodes}
    wanted |= {of[root.node] for root in graph.roots}
    nodes = [one for one in found.nodes if one.key in wanted]
    return msgspec.structs.replace(found, nodes=nodes)
