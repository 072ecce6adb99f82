"""A whole wait graph, and what a screen shows of it: folded, opened, with what is looked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pileup.analysis.contract import Locator, WaitEdge, WaitGraph, WaitNode, WaitRoot
from pileup.analysis.waits.counts import Counts
from pileup.analysis.waits.draft import Edge, Graph
from pileup.analysis.waits.fold import FOLD_OVER, fold
from pileup.analysis.waits.groups import groups
from pileup.analysis.waits.search import find_nodes, slimmed


@dataclass(frozen=True)
class WholeGraph:
    """The graph of a moment, or the difference of two, with every node and edge.

    To make it is what takes time; each view of it is ``shown``.
    """

    graph: Graph
    """Of the (first) moment, as ``counts``, ``headline``, ``waiters`` and ``roots``."""
    counts: Counts
    at: str | None
    snapshots: list[Locator]
    headline: str
    waiters: int
    nodes: list[WaitNode]
    edges: list[WaitEdge]
    raw: list[Edge]
    """Whom groups are made by; of both moments."""
    roots: list[WaitRoot]
    notes: list[str]
    against: str | None = None
    difference: str = ""

    @cached_property
    def groups(self) -> dict[str, str]:
        """Node to the group that it folds into."""
        return groups(self.nodes, self.raw)


def shown(
    whole: WholeGraph,
    *,
    folded: bool | None = None,
    opened: frozenset[str] = frozenset(),
    find: str = "",
) -> WaitGraph:
    """What a screen shows. folded: None folds when there are more than FOLD_OVER nodes.

    find: ids or words; nodes that have them are told and not folded away (``wait_find``).
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
        nodes, edges = fold(nodes, edges, whole.raw, group_of)
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
