"""A whole wait graph, and the part of it that a screen shows: folded, opened, searched."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from pileup.analysis.contract import Locator, WaitEdge, WaitGraph, WaitNode, WaitRoot
from pileup.analysis.evidence.scene import Scene
from pileup.analysis.waits.counts import Counts
from pileup.analysis.waits.draft import Edge, Graph
from pileup.analysis.waits.fold import FOLD_OVER, fold
from pileup.analysis.waits.groups import groups
from pileup.analysis.waits.headline import deadlocks
from pileup.analysis.waits.one_population import is_background, is_guess
from pileup.analysis.waits.search import find_nodes, slimmed


@dataclass(frozen=True)
class WholeGraph:
    """The graph of one moment, or the comparison of two, with every node and edge.

    Building it is expensive; deriving a view with ``shown`` is cheap.
    """

    graph: Graph
    """Graph of the (first) moment, like ``counts``, ``headline``, ``waiters`` and ``roots``."""
    counts: Counts
    at: str | None
    snapshots: list[Locator]
    headline: str
    waiters: int
    nodes: list[WaitNode]
    edges: list[WaitEdge]
    raw: list[Edge]
    """Edges of both moments, from which groups are formed."""
    roots: list[WaitRoot]
    notes: list[str]
    against: str | None = None
    difference: str = ""
    scene: Scene | None = None
    """The layers of the (first) moment."""

    @cached_property
    def groups(self) -> dict[str, str]:
        """Group id by id of each node that folds."""
        return groups(self.nodes, self.raw)


def shown(
    whole: WholeGraph,
    *,
    folded: bool | None = None,
    opened: frozenset[str] = frozenset(),
    find: str = "",
) -> WaitGraph:
    """Derive what a screen shows of a whole graph.

    folded: None folds graphs of more than FOLD_OVER nodes. opened: ids of groups to unfold.
    find: ids or words; matching nodes are listed in ``found`` and stay unfolded.
    """
    names = find_nodes(whole.nodes, find)
    hidden = _repeated(whole.graph) - frozenset(names) if whole.against is None else frozenset()
    gone = hidden | (_without(whole.graph, hidden) - frozenset(names))
    nodes = [node for node in whole.nodes if node.id not in gone]
    edges = [edge for edge in whole.edges if gone.isdisjoint((edge.source, edge.target))]
    fold_it = folded if folded is not None else len(nodes) > FOLD_OVER
    if fold_it:
        alone = frozenset(names)
        group_of = {
            name: group
            for name, group in whole.groups.items()
            if group not in opened and name not in alone
        }
        raw = [edge for edge in whole.raw if gone.isdisjoint((edge.source, edge.target))]
        nodes, edges = fold(nodes, edges, raw, group_of, whole.graph.uncounted)
    nodes, edges, slim = slimmed(nodes, edges, names)
    return WaitGraph(
        at=whole.at,
        snapshots=whole.snapshots,
        headline=whole.headline,
        waiters=whole.waiters,
        folded=fold_it,
        nodes=sorted(nodes, key=lambda n: (n.depth, -n.blocks_total, n.id)),
        edges=edges,
        roots=whole.roots,
        cycles=[list(cycle) for cycle in deadlocks(whole.graph, whole.counts)],
        notes=[*whole.notes, *_left_out(len(hidden))],
        slim=slim,
        found=names,
        against=whole.against,
        difference=whole.difference,
    )


def _left_out(hidden: int) -> list[str]:
    if not hidden:
        return []
    threads = "1 thread is" if hidden == 1 else f"{hidden} threads are"
    why = "more threads than sessions wait, so other nodes show the same sessions"
    return [f"{threads} not drawn: {why}. Search finds them."]


def _repeated(graph: Graph) -> frozenset[str]:
    """Return the waiting threads that do not count, as other nodes show the same sessions.

    Threads of the server itself are no sessions and stay, and so does who holds something, or is
    known to wait for what nobody else waits for.
    """
    shared = {
        edge.target
        for edge in graph.edges
        if edge.kind == "waits_for" and edge.source in graph.counted
    }
    hidden = set()
    for name in graph.uncounted:
        actor, edges = graph.actors[name], graph.touching[name]
        if is_background(actor) or any(edge.target == name for edge in edges):
            continue
        if is_guess(actor) or shared.issuperset(edge.target for edge in edges):
            hidden.add(name)
    return frozenset(hidden)


def _without(graph: Graph, hidden: frozenset[str]) -> frozenset[str]:
    """Return what only hidden threads wait for, through any steps, and who holds nothing else."""
    gone = set(hidden)
    left = list(hidden)
    behind = Counter(edge.target for edge in graph.edges)
    ahead = Counter(edge.source for edge in graph.edges)
    while left:
        name = left.pop()
        for edge in graph.touching[name]:
            if edge.source != name or edge.target in gone:
                continue
            behind[edge.target] -= 1
            waits = edge.target in graph.actors and ahead[edge.target]
            if not behind[edge.target] and not waits:
                gone.add(edge.target)
                left.append(edge.target)
    return frozenset(gone - hidden)
