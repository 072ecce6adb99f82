"""Count over several moments how often each node of the wait graph waits, blocks and is the root.

The overview, the wait graph's panel, the report and the export all take their numbers from here, so
they always agree. ``moments.choose_moments`` selects the moments.

A node **blocks** in a moment when threads wait behind it, through any number of steps. It is the
**root blocker** when it is not blocked itself. A latch with readers is the root only in the dumps
that name no reader, but it blocks in all of them, so both numbers are given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from pileup.analysis.contract import BlockerDoc, WaitNode
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.scene import scene
from pileup.analysis.evidence.times import iso
from pileup.analysis.waits.counts import Counts
from pileup.analysis.waits.draft import Graph
from pileup.analysis.waits.graph import build
from pileup.analysis.waits.group_roles import lasting_place, lasting_sorts
from pileup.analysis.waits.groups import SMALLEST
from pileup.analysis.waits.moment_graph import (
    MOST,
    amplification,
    confidence,
    count_graph,
    lasting_key,
    node_doc,
    why_root,
)
from pileup.analysis.waits.moments import MomentChoice, WaitMoment, lasting_s, worst_of

_UNHELD = 0.4
"""Weight of a queue without a holder, relative to a holder that another moment shows."""


@dataclass(slots=True)
class Lasting:
    """In how many moments one node waits, blocks or is the root; counts are of moments."""

    seen: int = 0
    """Moments in which it waited or was waited for."""
    waiting: int = 0
    blocking: int = 0
    root: int = 0
    most: int = 0
    """Peak number of threads behind it."""
    cost_s: float = 0.0
    """Thread-seconds spent behind it."""
    first: int | None = None
    last: int | None = None


@dataclass(slots=True)
class Tally:
    """Counts over the wait graphs of the chosen moments."""

    choice: MomentChoice
    nodes: dict[str, Lasting]
    """By node id; threads by ``lasting_key``, groups as in ``group_roles``."""
    origins: dict[str, Lasting]
    """By ``lasting_key``: latches of one origin count as one."""
    members: dict[str, set[str]]
    """Node ids by origin."""
    roots: dict[str, list[int]]
    """By origin: known times (UTC µs) of the moments in which it was the root blocker."""
    best: dict[str, tuple[WaitNode, WaitMoment, _Root]]
    """By origin: the moment with the best evidence of who it is."""
    most: tuple[int, int] | None
    """Peak number of waiting threads and its time (UTC µs); None: no moment has a time."""


def tally(evidence: Evidence, choice: MomentChoice) -> Tally:
    """Build the wait graph of each chosen moment and count its nodes."""
    lasts = lasting_s(choice.chosen)
    counted = Tally(
        choice,
        defaultdict(Lasting),
        defaultdict(Lasting),
        defaultdict(set),
        defaultdict(list),
        {},
        None,
    )
    for moment in choice.chosen:
        graph = build(evidence, scene(evidence, moment.time, moment.host))
        _add(counted, graph, moment, lasts[id(moment)])
    return counted


def most_waiting(
    evidence: Evidence, every: Sequence[WaitMoment], span: Span, host: str | None
) -> tuple[int, int] | None:
    """Return the waiting threads in the worst moment of ``span`` and its time (UTC µs).

    None: no moment of the span has a time and a waiter.
    """
    moment = worst_of(every, span, host)
    if moment is None or moment.time is None or not moment.waiting:
        return None
    return len(build(evidence, scene(evidence, moment.time, moment.host)).waiting()), moment.time


def blockers(counted: Tally) -> list[BlockerDoc]:
    """List the root blockers, those that block most threads in most moments first."""
    ranked = sorted(
        counted.best.items(),
        key=lambda item: (-_weight(item[1], counted.origins[item[0]].root), item[0]),
    )
    of, among = len(counted.choice.chosen), counted.choice.among
    return [
        BlockerDoc(
            kind=_blocker_kind(node),
            id=node.id,
            holder=root.holder,
            time=iso(moment.time),
            blocks_direct=node.blocks_direct,
            blocks_total=node.blocks_total,
            seen=lasting.root,
            blocking=lasting.blocking,
            of=of,
            among=among,
            waiters=root.waiters,
            nodes=len(counted.members[key]),
            why=root.why,
            evidence=[
                msgspec.structs.replace(each, text=f"{node.label} blocks {node.blocks_total}")
                for each in node.locators[:2]
            ],
            inferred=node.inferred,
            blocked_thread_s=round(lasting.cost_s, 1),
            first=iso(min(counted.roots[key], default=None)),
            last=iso(max(counted.roots[key], default=None)),
            confidence=root.confidence,
            persistence=persistence(
                lasting.root, lasting.blocking, among, len(counted.members[key])
            ),
            amplification=root.amplification,
        )
        for key, (node, moment, root) in ranked[:MOST]
        for lasting in (counted.origins[key],)
        if node.blocks_total > 0
    ]


def persistence(root: int, blocking: int, among: str, nodes: int = 1) -> str:
    """Write a sentence such as 'Root blocker in 11 of 24 sampled status dumps, blocks in 23'."""
    text = f"Root blocker in {root} of {among}"
    if blocking > root:
        text += f", blocks in {blocking}"
    return text + (f" ({nodes} of one origin combined)" if nodes > 1 else "")


@dataclass(frozen=True, slots=True)
class _Root:
    """Description of a root at the moment with most threads behind it."""

    holder: str
    why: str
    confidence: float
    amplification: str
    waiters: int
    unheld: bool = False
    """True for a queue whose holder is unknown in this moment."""


@dataclass(slots=True)
class _Here:
    """Counts of one key in one moment; several nodes may share the key."""

    waits: bool = False
    root: bool = False
    behind: int = 0
    names: set[str] = field(default_factory=set)


def _add(counted: Tally, graph: Graph, moment: WaitMoment, lasts: float) -> None:
    counts, waiting = count_graph(graph), graph.waiting()
    if moment.time is not None and len(waiting) > (counted.most[0] if counted.most else 0):
        counted.most = (len(waiting), moment.time)
    named = set(counts.roots)
    roots = [enclosing_flush(name, graph) for name in counts.roots]
    roots = [name for name in dict.fromkeys(roots) if counts.total[name] > 0]
    named.update(roots)
    nodes: defaultdict[str, _Here] = defaultdict(_Here)
    origins: defaultdict[str, _Here] = defaultdict(_Here)
    for name in (*graph.resources, *graph.actors):
        origin = lasting_key(name, graph)
        behind = counts.total[name]
        for here in (nodes[origin if name in graph.actors else name], origins[origin]):
            here.waits |= name in waiting
            here.root |= name in named
            here.behind = max(here.behind, behind)
            here.names.add(name)
    for place, threads in _places(graph).items():
        if threads >= SMALLEST:
            nodes[place].waits = True
    for sort, here in _sorts(graph, counts, waiting).items():
        if len(here.names) >= SMALLEST:
            _count(
                counted.nodes[sort], here, moment.time, 0.0
            )  # each member's cost is already counted
    for into, every in ((counted.nodes, nodes), (counted.origins, origins)):
        for key, here in every.items():
            _count(into[key], here, moment.time, lasts)
    for name in roots:
        key = lasting_key(name, graph)
        counted.members[key].add(name if name in graph.resources else key)
        counted.roots[key] += [] if moment.time is None else [moment.time]
        node, root = node_doc(name, graph, counts), _root(name, graph, counts)
        # prefer the moment with most threads behind it, and evidence over inference
        if key not in counted.best or _evidence_weight(node, root) > _evidence_weight(
            *counted.best[key][::2]
        ):
            counted.best[key] = (node, moment, root)


def _count(lasting: Lasting, here: _Here, time: int | None, lasts: float) -> None:
    lasting.seen += 1
    lasting.waiting += here.waits
    lasting.blocking += here.behind > 0
    lasting.root += here.root
    lasting.most = max(lasting.most, here.behind)
    lasting.cost_s += here.behind * lasts
    if time is not None:
        lasting.first = time if lasting.first is None else min(lasting.first, time)
        lasting.last = time if lasting.last is None else max(lasting.last, time)


def _places(graph: Graph) -> dict[str, int]:
    """Count waiters per place, the key by which folded groups persist over time."""
    places: defaultdict[str, int] = defaultdict(int)
    for edge in graph.edges:
        if edge.kind == "waits_for":
            places[lasting_place(edge.target, edge.mode, edge.position)] += 1
    return places


def _sorts(graph: Graph, counts: Counts, waiting: frozenset[str]) -> dict[str, _Here]:
    """Count nodes by role and kind, the keys by which groups behind groups persist over time.

    The threads behind a role are those behind its worst member.
    """
    things = {
        resource.id: (str(resource.kind), resource.label) for resource in graph.resources.values()
    }
    things |= dict.fromkeys(graph.actors, ("thread", ""))
    blocking = {name for name in things if counts.total[name] > 0}
    sorts: defaultdict[str, _Here] = defaultdict(_Here)
    for name, keys in lasting_sorts(things, graph.edges, blocking).items():
        for key in set(keys):
            here = sorts[key]
            here.waits |= name in waiting
            here.behind = max(here.behind, counts.total[name])
            here.names.add(name)
    return sorts


def _root(name: str, graph: Graph, counts: Counts) -> _Root:
    node = node_doc(name, graph, counts)
    holder = f"{node.label}{f' ({node.detail})' if node.detail else ''}"
    why = why_root(name, graph)
    if node.kind == "fsync" and not node.inferred:
        threads = [e for e in graph.touching[name] if e.source == name]
        inside = [node_doc(e.target, graph, counts).label for e in threads]
        holder = f"{node.label}{f' (in it: {inside[0]})' if inside else ''}"
        why = f"{threads[0].note[0].upper()}{threads[0].note[1:]}." if threads else why
    unheld = (
        node.kind != "thread"
        and not node.inferred
        and not any(e.source == name for e in graph.touching.get(name, ()))
    )
    return _Root(
        holder,
        why,
        confidence(name, graph),
        amplification(name, graph, counts),
        len(graph.waiting()),
        unheld and node.kind in ("commit", "queue"),
    )


def enclosing_flush(name: str, graph: Graph) -> str:
    """Return the flush that ``name`` executes, or ``name`` when it holds anything else.

    The flushing thread changes with every commit; the flush stays.
    """
    held = [e.source for e in graph.touching.get(name, ()) if e.target == name]
    kinds = {graph.resources[name].kind for name in held if name in graph.resources}
    return held[0] if kinds == {"fsync"} and len(set(held)) == 1 else name


def _evidence_weight(node: WaitNode, root: _Root) -> float:
    return node.blocks_total * root.confidence


def _blocker_kind(node: WaitNode) -> str:
    if node.kind != "thread":
        return "latch" if node.kind == "latch" else node.kind
    if node.trx_id is not None:
        return "transaction"
    return "session" if node.session_id is not None else "thread"


def _weight(best: tuple[WaitNode, WaitMoment, _Root], times: int) -> float:
    """Rank roots: persistent ones above brief ones, known holders above unknown ones."""
    node, _, root = best
    return node.blocks_total * times * (_UNHELD if root.unheld else 1.0)
