"""Compare two moments in one wait graph: new waits, ended waits, and waits that remain.

Threads match by session, else by pthread, else (stacks without thread ids) by their functions;
latches and locks match by address or name. Every node and edge carries a mark of its change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from pileup.analysis.contract import Mark, WaitEdge, WaitGraph, WaitNode
from pileup.analysis.evidence import servers
from pileup.analysis.evidence.actors import Actor
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.scene import Scene, scene
from pileup.analysis.evidence.times import clock_text, iso
from pileup.analysis.waits.counts import Counts, count
from pileup.analysis.waits.draft import Edge, Graph
from pileup.analysis.waits.graph import build
from pileup.analysis.waits.moment_graph import (
    build_headline,
    count_graph,
    node_doc,
    roots_doc,
)
from pileup.analysis.waits.moments import worst
from pileup.analysis.waits.node_documents import edge_doc
from pileup.analysis.waits.view import WholeGraph, shown


@dataclass(frozen=True, slots=True)
class _Side:
    scene: Scene
    graph: Graph
    counts: Counts


def wait_diff(
    evidence: Evidence,
    at_us: int | None,
    against_us: int,
    *,
    folded: bool | None = None,
    opened: frozenset[str] = frozenset(),
    find: str = "",
) -> WaitGraph:
    """Build the graph at one moment, marked with its changes since another, for a screen."""
    return shown(whole_diff(evidence, at_us, against_us), folded=folded, opened=opened, find=find)


def whole_diff(evidence: Evidence, at_us: int | None, against_us: int) -> WholeGraph:
    """Build the whole graph at one moment (None: the worst), marked with changes since another.

    Counts, roots and headline are those of the first moment; nodes that are gone keep the counts
    of the other moment.
    """
    host = None
    if at_us is None:
        moment = worst(evidence)
        at_us, host = (moment.time, moment.host) if moment else (None, None)
    now, then = _side(evidence, at_us, host), _side(evidence, against_us, host)
    names = _same(then.graph, now.graph)
    edges, documents, grouping = _edges(now.graph, then.graph, names)
    waiters = len(now.graph.counted)
    return WholeGraph(
        graph=now.graph,
        counts=now.counts,
        at=iso(now.scene.at),
        snapshots=[*now.scene.locators, *then.scene.locators],
        headline=build_headline(now.graph, now.counts, waiters, now.counts.roots),
        waiters=waiters,
        nodes=_nodes(now, then, names, edges),
        edges=documents,
        raw=grouping,
        roots=roots_doc(now.graph, now.counts, now.counts.roots),
        notes=list(dict.fromkeys([*now.graph.notes, *then.graph.notes])),
        against=iso(then.scene.at),
        difference=_difference(now, then, names),
        scene=now.scene,
    )


def _side(evidence: Evidence, at_us: int | None, host: str | None) -> _Side:
    moment_scene = scene(evidence, at_us, host)
    server = servers.server(evidence, servers.effective_settings(evidence))
    graph = build(evidence, moment_scene, server)
    return _Side(moment_scene, graph, count_graph(graph))


def _same(then: Graph, now: Graph) -> dict[str, str]:
    """Map each node id of ``then`` to the same node's id in ``now``, or to a new id."""
    known: dict[tuple[object, ...], str] = {}
    for name, key in _keys(now):
        known.setdefault(key, name)
    taken: set[str] = set()
    names: dict[str, str] = {}
    for name, key in _keys(then):
        text = known.get(key)
        if text is None or name in names or text in taken:
            continue
        mine, other = _session(then, name), _session(now, text)
        if mine == other or mine is None or other is None:
            names[name] = text
            taken.add(text)
    here = now.actors.keys() | now.resources.keys()
    for name in (*then.actors, *then.resources):
        if name not in names:
            names[name] = f"was:{name}" if name in here else name
    return names


def _session(graph: Graph, name: str) -> int | None:
    """Return the session of a node: a pthread serves many, so known sessions decide a match."""
    actor = graph.actors.get(name)
    return actor.session_id if actor else None


def _keys(graph: Graph) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Yield the keys that identify each node over time, the surest first."""
    for name in graph.resources:
        yield name, ("resource", name)
    for name, actor in graph.actors.items():
        if actor.session_id is not None:
            yield name, ("session", actor.session_id)
    for name, actor in graph.actors.items():
        if actor.pthread is not None:
            yield name, ("pthread", actor.pthread)
    alike: Counter[tuple[str, ...]] = Counter()
    for name, actor in graph.actors.items():
        if _anonymous(actor):
            functions = tuple(actor.functions)
            alike[functions] += 1
            yield name, ("stack", functions, alike[functions])
        else:
            yield name, ("name", name)


def _anonymous(actor: Actor) -> bool:
    return actor.session_id is None and actor.pthread is None and actor.id.startswith("stack:")


def _edges(
    now: Graph, then: Graph, names: Mapping[str, str]
) -> tuple[list[tuple[str, str]], list[WaitEdge], list[Edge]]:
    """Return all pairs of both moments, their marked documents, and the edges that form groups."""
    here = {(edge.source, edge.target, edge.kind) for edge in now.edges}
    before = {(names[edge.source], names[edge.target], edge.kind) for edge in then.edges}
    documents = [
        _marked(edge_doc(edge), "kept" if key in before else "added")
        for edge in now.edges
        for key in ((edge.source, edge.target, edge.kind),)
    ]
    grouping = list(now.edges)
    stay = now.actors.keys()
    for edge in then.edges:
        source, target = names[edge.source], names[edge.target]
        if (source, target, edge.kind) in here:
            continue
        document = msgspec.structs.replace(edge_doc(edge), source=source, target=target)
        documents.append(_marked(document, "gone"))
        if source not in stay:
            grouping.append(Edge(source, target, edge.kind, mode=edge.mode, position=edge.position))
    return [(document.source, document.target) for document in documents], documents, grouping


def _marked(edge: WaitEdge, mark: Mark) -> WaitEdge:
    return msgspec.structs.replace(edge, mark=mark)


def _nodes(
    now: _Side, then: _Side, names: Mapping[str, str], edges: list[tuple[str, str]]
) -> list[WaitNode]:
    here = [*now.graph.resources, *now.graph.actors]
    stayed = set(names.values())
    nodes = [
        msgspec.structs.replace(
            node_doc(name, now.graph, now.counts), mark="kept" if name in stayed else "added"
        )
        for name in here
    ]
    present = set(here)
    for old, name in names.items():
        if name not in present:
            node = node_doc(old, then.graph, then.counts)
            nodes.append(msgspec.structs.replace(node, id=name, mark="gone"))
    waiting = {node.id for node in nodes if node.waiting}
    depth = count([node.id for node in nodes], edges, waiting).depth
    return [msgspec.structs.replace(node, depth=depth[node.id]) for node in nodes]


def _difference(now: _Side, then: _Side, names: Mapping[str, str]) -> str:
    """Summarise: 'Since 22:19:52 UTC: 60 threads started to wait, 15 left, 240 still wait. ...'."""
    waits = now.graph.waiting()
    waited = {names[name] for name in then.graph.waiting()}
    came, left, still = len(waits - waited), len(waited - waits), len(waits & waited)
    since = f"Since {clock_text(then.scene.at)}" if then.scene.at is not None else "Since then"
    if now.scene.at is not None and then.scene.at is not None and now.scene.at < then.scene.at:
        since = f"Against {clock_text(then.scene.at)}, which is later"
    if not came and not left:
        moved = f"the same {still} threads wait" if still else "nobody waits in either"
        moved = "the same thread waits" if still == 1 else moved
        return f"{since}: {moved}. {_roots(now, then, names)}".strip()
    parts = f"{came} {_threads(came)} started to wait, {left} left, {still} still wait"
    return f"{since}: {parts}. {_roots(now, then, names)}".strip()


def _roots(now: _Side, then: _Side, names: Mapping[str, str]) -> str:
    before = {names[name] for name in then.counts.roots}
    if not now.counts.roots or not before:
        return ""
    top = now.counts.roots[0]
    label = node_doc(top, now.graph, now.counts).label
    label = f"{label[0].upper()}{label[1:]}"
    if top in before:
        return f"{label} is a root of both."
    old = node_doc(then.counts.roots[0], then.graph, then.counts).label
    return f"{label} is a new root; the first was {old}."


def _threads(number: int) -> str:
    return "thread" if number == 1 else "threads"
