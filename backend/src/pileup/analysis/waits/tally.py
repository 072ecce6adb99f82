"""Count over several moments how often each node of the wait graph waits, blocks and is the root.

``moments.choose_moments`` selects the moments. ``analysis.blocked_time`` decides at which root the
time of the waiters ends; this counts in how many moments a node waits and blocks.

A node **blocks** in a moment when threads wait behind it, through any number of steps. It is the
**root blocker** when it is not blocked itself. A latch with readers is the root only in the dumps
that name no reader, but it blocks in all of them, so both numbers are given.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from pileup.analysis.contract import WaitNode
from pileup.analysis.waits.counts import Counts
from pileup.analysis.waits.draft import Graph
from pileup.analysis.waits.group_roles import lasting_place, lasting_sorts
from pileup.analysis.waits.groups import SMALLEST
from pileup.analysis.waits.moment_graph import (
    amplification,
    confidence,
    lasting_key,
    node_doc,
    why_root,
)
from pileup.analysis.waits.moments import MomentChoice, WaitMoment


@dataclass(slots=True)
class Lasting:
    """In how many moments one node waits, blocks or is the root; counts are of moments."""

    seen: int = 0
    """Moments in which it waited or was waited for."""
    waiting: int = 0
    blocking: int = 0
    root: int = 0
    """Moments in which it is not blocked itself, or in which blocked time ends there."""
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
    """Ids of the nodes that block, by origin; threads count as one of each key."""
    most: tuple[int, int] | None = None
    """Peak number of waiting threads and its time (UTC µs); None: no moment has a time."""

    def ends_at(self, origin: str, moments: int) -> None:
        """Record in how many moments the time of the waiters ends at a root."""
        if origin not in self.origins:
            return
        self.origins[origin].root = moments
        names = self.members.get(origin, set())
        if len(names) == 1:
            self.nodes[next(iter(names))].root = moments


def empty(choice: MomentChoice) -> Tally:
    """Return a tally without any moment yet."""
    return Tally(choice, defaultdict(Lasting), defaultdict(Lasting), defaultdict(set))


def persistence(root: int, blocking: int, among: str, nodes: int = 1) -> str:
    """Write a sentence such as 'Root blocker in 11 of 24 sampled status dumps, blocks in 23'."""
    text = f"Root blocker in {root} of {among}"
    if blocking > root:
        text += f", blocks in {blocking}"
    return text + (f" ({nodes} similar ones combined)" if nodes > 1 else "")


@dataclass(frozen=True, slots=True)
class Described:
    """A node at one moment, in words."""

    node: WaitNode
    holder: str
    why: str
    confidence: float
    amplification: str
    waiters: int


@dataclass(slots=True)
class _Here:
    """Counts of one key in one moment; several nodes may share the key."""

    waits: bool = False
    root: bool = False
    behind: int = 0
    names: set[str] = field(default_factory=set)


def add(
    counted: Tally, graph: Graph, counts: Counts, moment: WaitMoment, lasts: float, threads: int
) -> None:
    """Count the nodes of one moment's graph.

    lasts: the seconds that it represents. threads: how many threads wait in it.
    """
    waiting = graph.waiting()
    if moment.time is not None and threads > (counted.most[0] if counted.most else 0):
        counted.most = (threads, moment.time)
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
        if behind > 0:
            counted.members[origin].add(name if name in graph.resources else origin)
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


def describe(name: str, graph: Graph, counts: Counts, threads: int) -> Described:
    """Describe a node of a graph: who it is, and why others wait for it.

    threads: how many threads wait in the graph.
    """
    node = node_doc(name, graph, counts)
    holder = _with_detail(node)
    why = why_root(name, graph)
    if node.kind == "fsync" and not node.inferred:
        holds = [e for e in graph.touching[name] if e.source == name]
        inside = [node_doc(e.target, graph, counts).label for e in holds]
        holder = f"{node.label}{f' (in it: {inside[0]})' if inside else ''}"
        why = f"{holds[0].note[0].upper()}{holds[0].note[1:]}." if holds else why
    return Described(
        node,
        holder,
        why,
        confidence(name, graph),
        amplification(name, graph, counts),
        threads,
    )


def _with_detail(node: WaitNode) -> str:
    """'page latch (buf0buf.cc:1433, buf_block_lock, 0x7f2162eae30)'."""
    if not node.detail:
        return node.label
    if node.latch and node.label.endswith(")"):
        return f"{node.label[:-1]}, {node.detail})"
    return f"{node.label} ({node.detail})"


def enclosing_flush(name: str, graph: Graph) -> str:
    """Return the flush that ``name`` executes, or ``name`` when it holds anything else.

    The flushing thread changes with every commit; the flush stays.
    """
    held = [e.source for e in graph.touching.get(name, ()) if e.target == name]
    kinds = {graph.resources[name].kind for name in held if name in graph.resources}
    return held[0] if kinds == {"fsync"} and len(set(held)) == 1 else name
