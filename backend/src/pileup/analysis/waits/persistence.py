"""Persistence of every node of the wait graphs over the chosen moments.

A wait in one dump may end a millisecond later; a wait in all dumps is the incident.
``moments.choose_moments`` selects the moments, ``tally`` counts them.
"""

from __future__ import annotations

import msgspec

from pileup.analysis.contract import LastingWait, WaitGraph, WaitPersistence
from pileup.analysis.evidence.times import iso
from pileup.analysis.waits.tally import Tally
from pileup.analysis.waits.view import WholeGraph

MOST = 4000
"""Most nodes in the document: most thread-seconds first, groups before single waiters."""
_GROUPS = ("place:", "sort:")


def wait_persistence(tally: Tally) -> WaitPersistence:
    """List in how many moments each node waits or is waited for; no nodes for a single moment."""
    choice = tally.choice
    persistence = WaitPersistence(
        unit=choice.unit,
        of=len(choice.chosen),
        moments=choice.total,
        among=choice.among,
        nodes=[],
    )
    if persistence.of <= 1:  # one moment cannot show persistence
        return persistence
    ranked = sorted(
        tally.nodes.items(),
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


def lasting_in(
    persistence: WaitPersistence, whole: WholeGraph, graph: WaitGraph
) -> WaitPersistence:
    """Select the persistence of the nodes, groups and roots that a shown graph contains."""
    of = {node.id: node.lasting or node.id for node in whole.nodes}
    wanted = {node.lasting or node.id for node in graph.nodes}
    wanted |= {of[root.node] for root in graph.roots}
    nodes = [node for node in persistence.nodes if node.key in wanted]
    return msgspec.structs.replace(persistence, nodes=nodes)
