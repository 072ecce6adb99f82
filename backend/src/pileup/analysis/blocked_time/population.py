"""One population per moment: the sessions that are active, each counted once in every layer.

The scene joins layers by printed identity. Where a layer prints none (pt-pmp, a debugger without
handles), counts are reconciled by what the threads wait for: threads below
MDL_context::acquire_lock and sessions in "Waiting for table metadata lock" are the same. What is
left of such a layer takes the place of sessions whose State says only that they work.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pileup.analysis.blocked_time import classes, disagreements, hidden_waits
from pileup.analysis.evidence import latch_stacks
from pileup.analysis.evidence.actors import Actor, Row
from pileup.analysis.evidence.scene import Scene
from pileup.analysis.waits.draft import Graph
from pileup.analysis.waits.moment_graph import lasting_key
from pileup.analysis.waits.one_population import is_background
from pileup.knowledge import knowledge, wait_classes

_TOGETHER_US = 1_000_000
"""How far apart two layers are that should show the same."""


@dataclass(slots=True)
class Member:
    """A session, a background thread or a resource of one moment."""

    id: str
    """Its node id in the wait graph, or a name of its own for threads that no id names."""
    key: str
    """The same in all moments."""
    kind: Literal["session", "background", "resource"]
    time_class: str
    """Of a resource: the class of waiting for it. ``idle`` for a holder between statements."""
    weight: float = 0.0
    """Active sessions that it counts as; 0 for resources, background threads and idle sessions."""
    waits: bool = False
    label: str = ""
    session_id: int | None = None
    user: str | None = None
    command: str | None = None
    state: str | None = None
    statement: str | None = None
    operation: str | None = None
    """What its transaction does, as a status dump prints it."""
    object: str | None = None
    """Of a resource: what it locks, such as its table."""
    latch: str | None = None
    """Latch of the knowledge base: of a resource, or the latch that a stack waits for."""
    functions: tuple[str, ...] = ()
    """Its stack, innermost first."""
    collector: bool = False
    """Whether it is a session by which a collector looks at the server."""


@dataclass(slots=True)
class Population:
    """Everybody of one moment."""

    members: dict[str, Member]
    active: float
    """Active sessions: the sum of the members' weights."""
    complete: bool
    """Whether a processlist or a stack sample shows every session."""
    notes: list[str] = field(default_factory=list)
    """Where its sources disagree."""

    def by_class(self) -> dict[str, float]:
        """Return the active sessions of each class; they add up to ``active``."""
        counted: defaultdict[str, float] = defaultdict(float)
        for member in self.members.values():
            counted[member.time_class] += member.weight
        return {name: weight for name, weight in counted.items() if weight > 0}


def limited(people: Population, connected: float | None) -> Population:
    """Let threads without a session id count as no more than the connections leave room for.

    connected: sessions that the server counts as connected near the moment; None: not known. A
    session whose id is printed counts whatever the counter says: replication's are not in it.
    """
    if connected is None or people.active <= connected:
        return people
    loose = [m for m in people.members.values() if m.session_id is None and m.weight > 0]
    sure = people.active - sum(member.weight for member in loose)
    room = max(0.0, connected - sure)
    inferred = people.active - sure
    if inferred <= room or not inferred:
        return people
    for member in loose:
        member.weight *= room / inferred
    people.notes += disagreements.active_and_connected(people.active, connected)
    people.active = sum(member.weight for member in people.members.values())
    return people


def population(scene: Scene, graph: Graph) -> Population:
    """Count the active sessions of a scene whose wait graph is ``graph``."""
    waiting = graph.waiting()
    members = {
        name: _member(name, actor, graph, waits=name in waiting)
        for name, actor in scene.actors.items()
    }
    has_list = any(actor.session for actor in scene.actors.values())
    has_named = has_list or any(actor.trx for actor in scene.actors.values())
    named, unnamed, threads = [], [], 0
    uncounted = graph.uncounted
    for name, actor in scene.actors.items():
        member = members[name]
        if member.kind != "session" or member.collector:
            continue
        if member.time_class == wait_classes.IDLE or name in uncounted:
            continue
        gone = has_list and actor.session is None and not member.waits
        if gone or (not member.waits and _is_thread(actor) and not scene.stacks_alone):
            unnamed.append(member)
        else:
            member.weight = 1.0
            unlisted = actor.session_id is None and actor.session is None
            if unlisted and (has_list or (has_named and not actor.waits)):
                threads += 1  # it waits, and is one of the sessions that only seem to work
            else:
                named.append(member)
    unnamed += _without_ids(scene)
    _doubt_changes(named, scene)
    _displace(named, threads)
    _reconcile(named, unnamed)
    members |= {member.id: member for member in unnamed if member.weight > 0}
    members |= {name: _resource(name, graph) for name in graph.resources}
    active = sum(member.weight for member in members.values())
    return Population(members, active, has_list or bool(scene.stacks), _notes(scene, named))


def _doubt_changes(named: list[Member], scene: Scene) -> None:
    """Call unknown what old changes do that only a list shows, and that may wait for a row."""
    listed = [
        (member, row)
        for member in named
        if member.time_class == wait_classes.WORKING
        and not member.waits
        and (actor := scene.actors.get(member.id)) is not None
        and not (actor.trx or actor.stack)
        and (row := actor.session) is not None
    ]
    hidden = hidden_waits.of_moment(row for _, row in listed) if len(listed) > 1 else set()
    for member, _ in listed:
        if member.session_id in hidden:
            member.time_class = wait_classes.UNKNOWN


def _is_thread(actor: Actor) -> bool:
    return actor.session_id is None and not (actor.trx or actor.session or actor.waits)


def _member(name: str, actor: Actor, graph: Graph, *, waits: bool) -> Member:
    functions = tuple(actor.functions)
    row = actor.session or {}
    trx = actor.trx or {}
    background = is_background(actor)
    by_wait = classes.of_waiter(name, graph) if waits else None
    return Member(
        name,
        lasting_key(name, graph) if name in graph.actors else name,
        "background" if background else "session",
        by_wait or classes.of_thread(actor),
        waits=waits,
        label=name,
        session_id=actor.session_id,
        user=row.get("user") or trx.get("user"),
        command=row.get("command"),
        state=row.get("state") or trx.get("thread_state"),
        statement=actor.query,
        operation=trx.get("operation"),
        latch=_latch_of(functions) if functions else None,
        functions=functions,
        collector=not waits and wait_classes.is_collector(actor.query),
    )


def _latch_of(functions: tuple[str, ...]) -> str | None:
    """Return the latch that a stack waits for, by its functions, else by the knowledge base."""
    if wait_classes.of_stack(functions) != wait_classes.LATCH:
        return None
    if wait := latch_stacks.waits_for(functions):
        return wait.latch
    known = knowledge().stack_for(functions)
    latches = [name for name in known.waits_on if name in knowledge().latches] if known else []
    return latches[0] if len(latches) == 1 else None


def _resource(name: str, graph: Graph) -> Member:
    resource = graph.resources[name]
    return Member(
        name,
        lasting_key(name, graph),
        "resource",
        classes.of_resource(resource),
        label=resource.label,
        object=resource.label,
        latch=resource.latch,
    )


def _without_ids(scene: Scene) -> list[Member]:
    """Return the threads of stacks that no id joins to a session, one member per stack."""
    if scene.stacks_alone:
        return []
    found = []
    for row in scene.stacks:
        if any(thread["pthread"] is not None for thread in row["threads"]):
            continue
        functions = _functions(row)
        name = wait_classes.of_stack(functions)
        if name == wait_classes.IDLE or wait_classes.is_background(functions):
            continue
        member = Member(
            f"stacks:{row['line_first']}", f"stacks:{name}", "session", name,
            label="threads without ids", functions=functions, latch=_latch_of(functions),
        )  # fmt: skip
        member.weight = max(1, row["count"] // max(1, row["samples"]))
        found.append(member)
    return found


def _functions(row: Row) -> tuple[str, ...]:
    return tuple(frame["function"] for frame in row["frames"])


def _displace(named: list[Member], threads: int) -> None:
    """Take the weight of waiting threads without a session from sessions of vague classes."""
    vague = [member for member in named if member.time_class in wait_classes.VAGUE]
    kept = max(0.0, len(vague) - threads) / len(vague) if vague else 0.0
    for member in vague:
        member.weight *= kept


def _reconcile(named: list[Member], unnamed: list[Member]) -> None:
    """Give weights to what no id joins, so that the whole is the larger of both counts.

    A class of which the named sessions show fewer than the others takes its surplus from the
    named sessions of vague classes.
    """
    if not unnamed:
        return
    for member in unnamed:
        member.weight = member.weight or 1.0
    shown, listed = _sum(named), _sum(unnamed)
    surplus = {
        name: max(0.0, count - shown.get(name, 0.0))
        for name, count in listed.items()
        if name not in wait_classes.VAGUE
    }
    total = max(sum(shown.values()), sum(listed.values()))
    vague = sum(shown.get(name, 0.0) for name in wait_classes.VAGUE)
    room = total - (sum(shown.values()) - vague)
    wanted = sum(surplus.values())
    share = min(1.0, room / wanted) if wanted else 1.0
    left = max(0.0, room - wanted * share)
    unnamed_vague = sum(listed.get(name, 0.0) for name in wait_classes.VAGUE)
    more = max(0.0, min(unnamed_vague, left - vague))
    for member in unnamed:
        of_class = listed[member.time_class]
        if member.time_class in wait_classes.VAGUE:
            member.weight *= more / unnamed_vague if unnamed_vague else 0.0
        else:
            member.weight *= surplus[member.time_class] * share / of_class
    kept = min(1.0, left / vague) if vague else 1.0
    for member in named:
        if member.time_class in wait_classes.VAGUE:
            member.weight *= kept


def _sum(members: Iterable[Member]) -> Mapping[str, float]:
    weights: defaultdict[str, float] = defaultdict(float)
    for member in members:
        weights[member.time_class] += member.weight
    return weights


def _notes(scene: Scene, named: list[Member]) -> list[str]:
    """Return where the processlist and the stacks of the moment disagree."""
    listed = sum(1 for member in named if member.command is not None)
    sessions = (actor.session for actor in scene.actors.values() if actor.session)
    at = next((row["time"] for row in sessions), None)
    threads = 0
    for row in scene.stacks:
        if at is None or row["time"] is None or abs(row["time"] - at) > _TOGETHER_US:
            continue
        functions = _functions(row)
        idle = wait_classes.of_stack(functions) == wait_classes.IDLE
        if not idle and not wait_classes.is_background(functions):
            threads += max(1, row["count"] // max(1, row["samples"]))
    return disagreements.listed_and_stacks(listed, threads)


__all__ = ["Member", "Population", "limited", "population"]
