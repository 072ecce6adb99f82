"""A whole wait graph, and the part of it that a screen shows: folded, opened, searched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pileup.analysis.contract import Locator, WaitEdge, WaitGraph, WaitNode, WaitRoot
from pileup.analysis.evidence.scene import Scene
from pileup.analysis.waits.counts import Counts
from pileup.analysis.waits.draft import Edge, Graph
from pileup.analysis.waits.fold import FOLD_OVER, fold
from pileup.analysis.waits.groups import groups
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
    nodes, edges = whole.nodes, whole.edges
    fold_it = folded if folded is not None else len(nodes) > FOLD_OVER
    names = find_nodes(nodes, find)
    if fold_it:
        alone = frozenset(names)
        group_of = {
            name: group
            for name, group in whole.groups.items()
            if group not in opened and name not in alone
        }
        nodes, edges = fold(nodes, edges, whole.raw, group_of, whole.graph.uncounted)
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
        cycles=[list(cycle) for cycle in whole.counts.cycles],
        notes=whole.notes,
        slim=slim,
        found=names,
        against=whole.against,
        difference=whole.difference,
    )
