"""What waits for what at the worst moment: the queues of its wait graph, with their holders.

The wait graph joins all layers (dump, processlist, stacks, lock tables), so that a queue counts
each session once and names its holder wherever any layer shows it. What a queue means for a known
problem does not belong here: see ``matching`` and ``rules``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from pileup.analysis.blocked_time.measure import BlockedTime, Drawn, draw
from pileup.analysis.contract import Locator
from pileup.analysis.evidence.actors import Actor
from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.times import iso
from pileup.analysis.findings.words import clip
from pileup.analysis.waits import moments
from pileup.analysis.waits.counts import threads_behind
from pileup.analysis.waits.draft import Edge, Graph, Resource
from pileup.numerals import grouped, number

_STATEMENT = 160


@dataclass(frozen=True, slots=True)
class Queue:
    """Sessions that wait for one kind of resource, and the resource most of them wait for."""

    kind: str
    waiters: int
    share: float
    """Of all sessions that wait at this moment."""
    longest: float | None
    """Longest wait in the largest queue, in seconds; None: not printed."""
    label: str
    """The resource that most wait for."""
    in_largest: int
    holder: Actor | None
    sure: float
    """Confidence that ``holder`` holds it, 0..1."""
    onward: str | None
    """What the holder itself waits for; None: it waits for nothing that is known."""
    evidence: tuple[Locator, ...]
    statements: tuple[str, ...] = ()
    """Statements of sessions in the largest queue, the most frequent first."""
    root: Actor | None = None
    """Who everybody in it waits for in the end; the holder itself if it waits for nobody."""
    root_sure: float = 0.0
    """Confidence that ``root`` does, 0..1."""
    behind: int = 0
    """Sessions that wait behind the resource that most wait for, through any number of steps."""


@dataclass(frozen=True, slots=True)
class Worst:
    """The moment with most waiters."""

    queues: dict[str, Queue]
    """By kind of resource."""
    waiting: int
    """Sessions that wait, each counted once."""
    latches: dict[str, Queue] = field(default_factory=dict)
    """The queues for latches by the latch of the knowledge base."""


def worst_moment(context: Context, blocked: BlockedTime | None = None) -> Worst:
    """Return what waits for what at the moment with most waiters.

    blocked: blocked time of the stall, which has drawn that moment; None: not measured.
    """
    drawn = blocked.worst if blocked is not None else _drawn(context)
    if drawn is None:
        return Worst({}, 0)
    queues = of_graph(drawn.graph)
    if blocked is not None:
        queues = {kind: _by_all_moments(queue, context, blocked) for kind, queue in queues.items()}
    return Worst(queues, drawn.threads, of_latches(drawn.graph))


def _by_all_moments(queue: Queue, context: Context, blocked: BlockedTime) -> Queue:
    """Name the holder that all moments together show where this one shows another less surely."""
    root = next((r for r in blocked.roots if r.path[-2:-1] == [queue.label]), None)
    if root is None or root.session_id is None or root.confidence <= queue.sure:
        return queue
    chosen = blocked.table.choice.chosen
    moment = next((each for each in chosen if each.time and iso(each.time) == root.time), None)
    if moment is None:
        return queue
    actor = draw(context.evidence, moment, context.server).graph.actors.get(root.node or "")
    if actor is None:
        return queue
    return replace(
        queue, holder=actor, sure=root.confidence, onward=None, root=actor,
        root_sure=root.confidence,
    )  # fmt: skip


def _drawn(context: Context) -> Drawn | None:
    every = moments.moments(context.evidence)
    worst = moments.worst_of(every, context.stall, context.host)
    return None if worst is None else draw(context.evidence, worst, context.server)


def of_graph(graph: Graph) -> dict[str, Queue]:
    """Group the waits of a graph by the kind of what they wait for."""
    return _grouped(graph, kind_of)


def of_latches(graph: Graph) -> dict[str, Queue]:
    """Group the waits for latches by the latch of the knowledge base; unknown ones are left out."""
    return _grouped(graph, lambda resource: resource.latch or "")


def _grouped(graph: Graph, name_of: Callable[[Resource], str]) -> dict[str, Queue]:
    """Group waits by the name of what they wait for; '' is left out."""
    waits: defaultdict[str, list[Edge]] = defaultdict(list)
    behind: defaultdict[str, list[str]] = defaultdict(list)
    for edge in graph.edges:
        behind[edge.target].append(edge.source)
        if edge.kind == "waits_for" and edge.source in graph.actors:
            waits[edge.target].append(edge)
    by_kind: defaultdict[str, list[Resource]] = defaultdict(list)
    for resource in graph.resources.values():
        if resource.id in waits and (name := name_of(resource)):
            by_kind[name].append(resource)
    return {
        name: _queue(kind_of(resources[0]), resources, waits, behind, graph)
        for name, resources in by_kind.items()
    }


def kind_of(resource: Resource) -> str:
    """Return the kind of a resource; a queue by its own name: 'queue:semisync'."""
    if resource.kind == "queue":
        return ":".join(resource.id.split(":")[:2])  # a user lock's id ends with its name
    scope = resource.id.split(":")[1].lower() if resource.kind == "metadata_lock" else ""
    return _QUEUE_OF_SCOPE.get(scope, str(resource.kind))


_QUEUE_OF_SCOPE = {
    "global": "queue:global-read-lock",
    "commit": "queue:commit-lock",
    "backup lock": "queue:backup-lock",
    "user level lock": "queue:user-lock",
}
"""Metadata locks that belong to no object, as a processlist's State names them."""


def _queue(
    kind: str,
    resources: Sequence[Resource],
    waits: dict[str, list[Edge]],
    behind: dict[str, list[str]],
    graph: Graph,
) -> Queue:
    largest = max(resources, key=lambda r: (len(waits[r.id]), _longest(waits[r.id]) or 0.0, r.id))
    waiters = _counted([edge for resource in resources for edge in waits[resource.id]], graph)
    holder, sure = _holder(graph, largest.id)
    root, root_sure = _root(graph, holder, sure)
    evidence = [locator for edge in waits[largest.id][:2] for locator in edge.locators[:1]]
    return Queue(
        kind,
        waiters,
        waiters / max(1, len(graph.counted)),
        _longest(waits[largest.id]),
        largest.label,
        _counted(waits[largest.id], graph),
        holder,
        sure,
        _onward(graph, holder),
        tuple(evidence),
        _statements(graph, waits[largest.id]),
        root,
        root_sure,
        threads_behind([largest.id], behind, graph.waiting(), graph.uncounted, through=True),
    )


def _counted(edges: Sequence[Edge], graph: Graph) -> int:
    """Count the threads that wait, each session once; all of them where none counts."""
    threads = {edge.source for edge in edges}
    return len(threads & graph.counted) or len(threads)


def _statements(graph: Graph, edges: Sequence[Edge]) -> tuple[str, ...]:
    counts = Counter(
        clip(query, _STATEMENT) for edge in edges if (query := graph.actors[edge.source].query)
    )
    return tuple(text for text, _ in counts.most_common(2))


def _longest(edges: Sequence[Edge]) -> float | None:
    return max((edge.waited_s for edge in edges if edge.waited_s is not None), default=None)


def _holder(graph: Graph, name: str) -> tuple[Actor | None, float]:
    """Follow the surest holder of a resource to a thread; a flush is held by who is in it."""
    sure, seen = 1.0, {name}
    while True:
        held = [
            edge
            for edge in graph.touching.get(name, ())
            if edge.source == name and edge.kind == "held_by" and edge.target not in seen
        ]
        if not held:
            return None, 0.0
        best = max(held, key=lambda edge: (edge.confidence, edge.target))
        sure *= best.confidence
        if best.target in graph.actors:
            return graph.actors[best.target], round(sure, 2)
        name = best.target
        seen.add(name)


def _root(graph: Graph, holder: Actor | None, sure: float) -> tuple[Actor | None, float]:
    """Follow a holder to whom it waits for in the end; nobody where that is not known."""
    met: set[str] = set()
    while holder is not None and holder.id not in met:
        met.add(holder.id)
        target = _awaits(graph, holder)
        if target is None:
            return holder, round(sure, 2)
        holder, more = _holder(graph, target)
        sure *= more
    return None, 0.0


def _awaits(graph: Graph, actor: Actor) -> str | None:
    """Return the id of the resource that an actor waits for."""
    for edge in graph.touching.get(actor.id, ()):
        if edge.source == actor.id and edge.kind == "waits_for":
            return edge.target
    return None


def _onward(graph: Graph, holder: Actor | None) -> str | None:
    target = _awaits(graph, holder) if holder else None
    return None if target is None else kind_of(graph.resources[target])


"""A holder of whom no layer prints an id."""


_MANY_ROW_LOCKS, _FAR_MORE = 1000, 10
"""Row locks, and times as many as changes, from which on a holder read without a usable index."""


def describe_holder(actor: Actor) -> str:
    """Describe a holder: 'session 13 (idle in transaction for 253 s)'."""
    trx = actor.trx or {}
    parts = []
    active = trx.get("active_s")
    if actor.is_idle:
        parts.append("idle in a transaction" + (f" for {number(active)} s" if active else ""))
    elif actor.is_left_prepared:
        parts.append("a prepared XA transaction without a session")
    elif actor.has_no_session:
        parts.append("without a session: prepared by XA, or recovered")
    elif active:
        parts.append(f"its transaction is {number(active)} s old")
    elif (lasting := (actor.session or {}).get("time_s")) and actor.query:
        parts.append(f"running for {number(lasting)} s")
    locks, changes = trx.get("row_locks") or 0, trx.get("undo_entries") or 0
    if locks >= _MANY_ROW_LOCKS and locks >= _FAR_MORE * changes:
        changed = grouped(changes) if changes else "none"
        parts.append(f"has locked {grouped(locks)} rows and changed {changed}")
    if actor.query:
        parts.append(f"'{clip(actor.query, _STATEMENT)}'")
    name = actor.name
    return f"{name} ({', '.join(parts)})" if parts else name


def text_of(actor: Actor) -> str:
    """Return what is known of a holder as one line: command, State, transaction, statement."""
    trx, session = actor.trx or {}, actor.session or {}
    parts = (
        session.get("command"),
        session.get("user"),
        session.get("state") or trx.get("thread_state"),
        trx.get("state"),
        "without a session" if actor.has_no_session else None,
        trx.get("operation"),
        actor.query or ("idle" if actor.is_idle else None),
    )
    return " ".join(str(part) for part in parts if part)


__all__ = [
    "Queue",
    "Worst",
    "describe_holder",
    "of_graph",
    "of_latches",
    "text_of",
    "worst_moment",
]
