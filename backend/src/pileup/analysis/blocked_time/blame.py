"""Where the time of one moment's waiters ends: along each wait to its holder, and on from there.

A waiter's time flows to what it waits for, from there to the holder, and on to what the holder
waits for. Candidates share by confidence. What cannot be followed ends where it is: at a resource
whose holder is unknown. Threads that wait in a circle are one node.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pileup.analysis.blocked_time.population import Member, Population
from pileup.analysis.waits.counts import strong_components
from pileup.analysis.waits.draft import Graph
from pileup.analysis.waits.tally import enclosing_flush
from pileup.knowledge import wait_classes

_GUESS = 0.5
"""Confidence of a holder below which only a part of the time flows to it."""
_SURE_CYCLE = 0.6
"""Least confidence of every edge of a circle that ends the time of those behind it."""
_LONGEST = 12
"""Most steps of a path."""


@dataclass(slots=True)
class End:
    """Where the time of some waiters of one moment ends."""

    names: list[str]
    """Node ids: one, or all nodes of a circle."""
    sessions: float
    """Active sessions whose time ends here."""
    gates: dict[str, float] = field(default_factory=dict)
    """By node id: the resources through which their time came to a holder; empty for a resource."""
    path: list[str] = field(default_factory=list)
    """Node ids from the waiters to here, as most of the time flows; the first is a waiter."""
    first: float = 0.0
    """Sessions at the start of the path."""
    passed: dict[str, float] = field(default_factory=dict)
    """By node id of the path: the sessions whose time flows through it, of those that end here."""


@dataclass(slots=True)
class Flow:
    """The waits of one moment as shares of time that flow from node to node."""

    population: Population
    ahead: dict[str, list[tuple[str, float]]]
    """By node: where its time flows to, with shares of at most 1 in all."""
    components: list[list[str]]
    """Circles as one node; what the time flows to comes first."""
    sure: dict[tuple[str, str], float]
    _found: list[End] | None = None

    def ends(self) -> list[End]:
        """Return where the time of all waiters ends."""
        if self._found is None:
            self._found = _ends(self)
        return self._found

    def share_through(self, select: Callable[[Member], bool]) -> float:
        """Return the active sessions that are selected or wait behind what is selected."""
        hit: dict[str, float] = {}
        members = self.population.members
        chosen = {name for name, member in members.items() if select(member)}
        for group in self.components:
            inside = set(group)
            if inside & chosen:
                hit |= dict.fromkeys(group, 1.0)
                continue
            out = [
                (target, share)
                for name in group
                for target, share in self.ahead.get(name, ())
                if target not in inside
            ]
            whole = sum(share for _, share in out) if len(group) > 1 else 1.0
            value = sum(hit[target] * share for target, share in out)
            hit |= dict.fromkeys(group, value / whole if whole else 0.0)
        return sum(
            member.weight * hit.get(name, float(name in chosen))
            for name, member in members.items()
            if member.weight
        )


def flow(population: Population, graph: Graph) -> Flow:
    """Turn the edges of a wait graph into shares of time."""
    sure: dict[tuple[str, str], float] = {}
    for edge in graph.edges:
        if edge.source == edge.target:
            continue
        member = population.members.get(edge.target)
        if edge.kind == "held_by" and member is not None and member.collector:
            continue  # the collector is no suspect
        key = edge.source, edge.target
        sure[key] = max(sure.get(key, 0.0), edge.confidence)
    candidates: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for (source, target), confidence in sure.items():
        candidates[source].append((target, confidence))
    ahead = {}
    for source, targets in candidates.items():
        whole = sum(confidence for _, confidence in targets)
        followed = 1.0 if source in graph.actors else min(1.0, whole / _GUESS)
        ahead[source] = [(target, followed * c / whole) for target, c in targets if whole > 0]
    names = [*graph.resources, *graph.actors]
    passing = {name: [target for target, _ in targets] for name, targets in ahead.items()}
    return Flow(population, ahead, strong_components(names, defaultdict(list, passing)), sure)


def unfollowed(population: Population) -> dict[str, list[Member]]:
    """Return the sessions that wait by their class while no layer shows for what, by key."""
    waiting = {each.id for each in wait_classes.time_classes() if each.waits}
    found: defaultdict[str, list[Member]] = defaultdict(list)
    for member in population.members.values():
        if member.weight > 0 and not member.waits and member.time_class in waiting:
            by_latch = member.time_class == "latch" and member.latch
            key = f"latch:{member.latch}" if by_latch else f"class:{member.time_class}"
            found[key].append(member)
    return dict(found)


def _ends(flowing: Flow) -> list[End]:
    members, ahead = flowing.population.members, flowing.ahead
    of = {name: at for at, group in enumerate(flowing.components) for name in group}
    through: list[float] = [0.0] * len(flowing.components)
    into: list[defaultdict[str, float]] = [defaultdict(float) for _ in flowing.components]
    """By component: time that comes from each node outside of it."""
    ends: list[End] = []
    for at in range(len(flowing.components) - 1, -1, -1):
        group = flowing.components[at]
        own = sum(members[n].weight for n in group if n in members and members[n].waits)
        through[at] = amount = own + sum(into[at].values())
        if amount <= 0:
            continue
        out = [(n, t, s) for n in group for t, s in ahead.get(n, ()) if of[t] != at]
        leaving = _leaving(flowing, group, out)
        for name, target, share in out:
            if leaving > 0:
                into[of[target]][name] += amount * leaving * share / sum(s for *_, s in out)
        if leaving < 1:
            ends.append(End(list(group), amount * (1 - leaving)))
    for end in ends:
        at = of[end.names[0]]
        end.gates = {name: share for name, share in into[at].items() if not _acts(members, name)}
        end.path, end.first = _path(flowing, of, into, end)
        end.passed = {name: min(through[of[name]], end.sessions) for name in end.path}
    return ends


def _leaving(flowing: Flow, group: Sequence[str], out: Sequence[tuple[str, str, float]]) -> float:
    """Return the share of a node's time that flows on."""
    if len(group) == 1 or not out:
        return min(1.0, sum(share for *_, share in out))
    inside = set(group)
    weakest = min(
        flowing.sure[name, target]
        for name in group
        for target, _ in flowing.ahead.get(name, ())
        if target in inside
    )
    return 0.0 if weakest >= _SURE_CYCLE else 1.0


def _acts(members: Mapping[str, Member], name: str) -> bool:
    return name in members and members[name].kind != "resource"


def _path(
    flowing: Flow,
    of: Mapping[str, int],
    into: Sequence[Mapping[str, float]],
    end: End,
) -> tuple[list[str], float]:
    """Return the way by which most time comes to an end, and the sessions at its start."""
    members = flowing.population.members
    at = of[end.names[0]]
    path = [end.names[0]]
    first = end.sessions
    while into[at] and len(path) < _LONGEST:
        name = max(into[at], key=lambda source: (into[at][source], source))
        if _acts(members, name) and not into[of[name]]:
            # the threads at the start stand together
            waiters = [n for n in into[at] if _acts(members, n) and not into[of[n]]]
            first = sum(into[at][waiter] for waiter in waiters)
            path.append(name)
            break
        path.append(name)
        at = of[name]
    return path[::-1], first


def root_of(name: str, graph: Graph) -> str:
    """Return what an end is a part of: the flush that a thread executes, a latch of its readers."""
    latch = name.removeprefix("readers:")
    if latch != name and latch in graph.resources:
        return latch
    return enclosing_flush(name, graph)


__all__ = ["End", "Flow", "flow", "root_of", "unfollowed"]
