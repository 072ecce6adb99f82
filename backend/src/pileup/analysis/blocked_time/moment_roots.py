"""Name the roots of one moment's wait graph as the table of the stall names them.

Within a moment, roots rank by the active sessions whose time ends there. A root of the stall that
is in the moment comes first, and a resource whose holders rotate takes the place of the holder
that this moment shows. Where another root is first, a note names the root of the whole stall.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec

from pileup.analysis.blocked_time.blame import Flow, flow, root_of
from pileup.analysis.blocked_time.population import population
from pileup.analysis.blocked_time.roots import key_of
from pileup.analysis.contract import RootDoc, WaitGraph
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.waits import diff, moment_graph
from pileup.analysis.waits.draft import Graph
from pileup.analysis.waits.view import WholeGraph, shown

_MINOR = 0.25
"""Below this share of the largest root here, a root of the stall is not the first of a moment."""
_ROUNDED = 1e-9


def whole_graph(evidence: Evidence, at_us: int | None, roots: Sequence[RootDoc] = ()) -> WholeGraph:
    """Build the whole graph at an instant. roots: of the analysis; see ``with_roots``."""
    return with_roots(moment_graph.whole_graph(evidence, at_us), roots)


def whole_diff(
    evidence: Evidence, at_us: int | None, against_us: int, roots: Sequence[RootDoc] = ()
) -> WholeGraph:
    """Build the whole graph at an instant, marked with its changes since another."""
    return with_roots(diff.whole_diff(evidence, at_us, against_us), roots)


def wait_graph(
    evidence: Evidence,
    at_us: int | None,
    roots: Sequence[RootDoc] = (),
    *,
    fold: bool | None = None,
) -> WaitGraph:
    """Build the graph at an instant, reduced to what a figure shows."""
    return shown(whole_graph(evidence, at_us, roots), folded=fold)


def with_roots(whole: WholeGraph, roots: Sequence[RootDoc]) -> WholeGraph:
    """Return a graph whose roots and headline follow the table ``roots`` of its stall."""
    graph, counts = whole.graph, whole.counts
    if whole.scene is None:
        return whole
    by_key = {root.key: root for root in roots}
    places = {root.key: at for at, root in enumerate(roots)}
    ended, replaced = _ended(flow(population(whole.scene, graph), graph), graph, by_key)
    rest = [name for name in counts.roots if name not in ended and name not in replaced]
    most = max(ended.values(), default=0.0)

    def place(name: str) -> tuple[int, float, int, str]:
        minor = ended[name] < _MINOR * most
        at = len(places) if minor else places.get(key_of(name, graph), len(places))
        return at, -ended[name], -counts.total[name], name

    names = [*sorted(ended, key=place), *rest]
    documents = [
        msgspec.structs.replace(doc, why=by_key[key_of(doc.node, graph)].why)
        if doc.node in replaced.values()
        else doc
        for doc in moment_graph.roots_doc(graph, counts, names)
    ]
    notes = list(whole.notes)
    if roots and roots[0].known and names and key_of(names[0], graph) != roots[0].key:
        notes.append(f"Over the whole stall, most time ends at {roots[0].label}.")
    return replace(
        whole,
        headline=moment_graph.build_headline(graph, counts, whole.waiters, names),
        nodes=[
            msgspec.structs.replace(node, root=True) if node.id in ended and not node.root else node
            for node in whole.nodes
        ],
        roots=documents,
        notes=notes,
    )


def _ended(
    flowing: Flow, graph: Graph, by_key: Mapping[str, RootDoc]
) -> tuple[dict[str, float], dict[str, str]]:
    """Return the active sessions whose time ends at each node.

    Return also by holder the resource that the table of the stall names in its place.
    """
    ended: defaultdict[str, float] = defaultdict(float)
    replaced: dict[str, str] = {}
    for end in flowing.ends():
        if len(end.names) > 1:
            continue  # a circle has no root
        name, left = root_of(end.names[0], graph), end.sessions
        behind = sum(end.gates.values())
        for gate, part in end.gates.items():
            root = by_key.get(key_of(gate, graph))
            passing = root is not None and (root.rotates or key_of(name, graph) not in by_key)
            if passing and gate != name:
                ended[gate] += end.sessions * part / behind
                left -= end.sessions * part / behind
                replaced[name] = gate
        if left > _ROUNDED:
            ended[name] += left
    return dict(ended), replaced


__all__ = ["wait_graph", "whole_diff", "whole_graph", "with_roots"]
