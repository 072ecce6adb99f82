"""Who and what stays stuck: every node of the wait graphs, over the moments with waiters.

A wait that is there in one dump may be over in a millisecond; one that is there in all of them is
the incident. Moments are of one kind, the surest there is several of: status dumps, else lock
tables, stack samples, processlists (a processlist between two dumps would count a dump twice).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import msgspec

from pileup.analysis.contract import LastingWait, WaitGraph, WaitPersistence
from pileup.analysis.evidence import Evidence
from pileup.analysis.joins import scene
from pileup.analysis.moments import iso
from pileup.analysis.wait_draft import Graph
from pileup.analysis.wait_fold import lasting_place
from pileup.analysis.wait_graph import build
from pileup.analysis.wait_groups import SMALLEST
from pileup.analysis.wait_view import WholeGraph
from pileup.analysis.waits import (
    WaitMoment,
    count_graph,
    lasting_key,
    lasting_s,
    moments,
    spread,
)

MOST = 4000
"""Nodes that are told, the most thread-seconds first."""
_UNITS = (
    ("status dump", frozenset({"innodb_status"})),
    ("lock table", frozenset({"transactions", "lock_waits", "metadata_locks"})),
    ("stack sample", frozenset({"stacks"})),
    ("processlist", frozenset({"processlist"})),
)


@dataclass(slots=True)
class _Lasting:
    seen: int = 0
    waiting: int = 0
    root: int = 0
    most: int = 0
    cost_s: float = 0.0
    first: int | None = None
    last: int | None = None

    def add(self, time: int | None, *, waits: bool, root: bool, behind: int, lasts: float) -> None:
        self.seen += 1
        self.waiting += waits
        self.root += root
        self.most = max(self.most, behind)
        self.cost_s += behind * lasts
        if time is not None:
            self.first = time if self.first is None else min(self.first, time)
            self.last = time if self.last is None else max(self.last, time)


def wait_persistence(evidence: Evidence) -> WaitPersistence:
    """How long each node of the wait graphs was waiting, or waited for.

    Of a single moment no node is told.
    """
    unit, some = _moments(evidence)
    chosen = spread(some)
    if len(chosen) <= 1:  # one moment does not tell what lasts
        return WaitPersistence(unit=unit, of=len(chosen), moments=len(some), nodes=[])
    lasts = lasting_s(chosen)
    found: defaultdict[str, _Lasting] = defaultdict(_Lasting)
    for moment in chosen:
        graph = build(evidence, scene(evidence, moment.time, moment.host))
        _count(graph, moment.time, lasts[id(moment)], found)
    ranked = sorted(found.items(), key=lambda item: (-item[1].cost_s, -item[1].seen, item[0]))
    return WaitPersistence(
        unit=unit,
        of=len(chosen),
        moments=len(some),
        nodes=[
            LastingWait(
                key=key,
                seen=one.seen,
                waiting=one.waiting,
                root=one.root,
                most=one.most,
                blocked_thread_s=round(one.cost_s, 1),
                first=iso(one.first),
                last=iso(one.last),
            )
            for key, one in ranked[:MOST]
        ],
    )


def lasting_in(found: WaitPersistence, whole: WholeGraph, graph: WaitGraph) -> WaitPersistence:
    """What lasts of a graph as it is shown: its nodes and groups, and all its roots."""
    of = {node.id: node.lasting or node.id for node in whole.nodes}
    wanted = {node.lasting or node.id for node in graph.nodes}
    wanted |= {of[root.node] for root in graph.roots}
    nodes = [one for one in found.nodes if one.key in wanted]
    return msgspec.structs.replace(found, nodes=nodes)


def _moments(evidence: Evidence) -> tuple[str, list[WaitMoment]]:
    """Moments with waiters of the surest kind, one per host and time."""
    every = [one for one in moments(evidence) if one.waiting > 0 and one.time is not None]
    best: tuple[str, list[WaitMoment]] = ("moment", [])
    for unit, kinds in _UNITS:
        apart: dict[tuple[str | None, int], WaitMoment] = {}
        for one in every:
            if one.kind in kinds and one.time is not None:
                key = (one.host, one.time // 1_000_000)
                if key not in apart or one.waiting > apart[key].waiting:
                    apart[key] = one
        if len(apart) > 1:
            return unit, list(apart.values())
        if apart and not best[1]:
            best = (unit, list(apart.values()))
    return best


def _count(graph: Graph, time: int | None, lasts: float, found: defaultdict[str, _Lasting]) -> None:
    counts = count_graph(graph)
    waiting = graph.waiting()
    roots = set(counts.roots)
    here: dict[str, tuple[bool, bool, int]] = {}
    for name in (*graph.resources, *graph.actors):
        key = _key(name, graph)
        waits, root, behind = here.get(key, (False, False, 0))
        here[key] = (
            waits or name in waiting,
            root or name in roots,
            max(behind, counts.total[name]),
        )
    for place, threads in _places(graph).items():
        if threads >= SMALLEST:
            here[place] = (True, False, 0)
    for key, (waits, root, behind) in here.items():
        found[key].add(time, waits=waits, root=root, behind=behind, lasts=lasts)


def _key(name: str, graph: Graph) -> str:
    """Threads by their session; a latch or a lock by its address or its name."""
    return lasting_key(name, graph) if name in graph.actors else name


def _places(graph: Graph) -> dict[str, int]:
    """Waiters per place: what the folded groups are over time."""
    places: defaultdict[str, int] = defaultdict(int)
    for edge in graph.edges:
        if edge.kind == "waits_for":
            places[lasting_place(edge.target, edge.mode, edge.position)] += 1
    return places
