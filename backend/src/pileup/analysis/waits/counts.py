"""Count blocked threads, depth and cycles of a wait graph.

Tarjan's components, then one pass over the condensation in topological order with a bit set of
threads per component: exact (each waiter counts once) and near linear for real graphs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    direct: Mapping[str, int]
    """By node: waiting threads one resource away, or waiting for this resource itself."""
    total: Mapping[str, int]
    """By node: waiting threads behind it through any number of steps."""
    levels: Mapping[str, int]
    """By node: waiting threads on the longest path from here to a root, this one included."""
    depth: Mapping[str, int]
    """By node: 0 at a root, growing towards the waiters."""
    roots: Sequence[str]
    """Nodes that are not blocked themselves, those blocking most threads first."""
    cycles: Sequence[Sequence[str]]


def count(
    nodes: Iterable[str],
    edges: Iterable[tuple[str, str]],
    waiting: frozenset[str] | set[str],
    counted: frozenset[str] | None = None,
) -> Counts:
    """Count a graph whose edges point from the waiter to what it waits for.

    counted: those of ``waiting`` that count in ``direct`` and ``total``; None: all of them.
    """
    names = list(nodes)
    ahead: defaultdict[str, list[str]] = defaultdict(list)
    behind: defaultdict[str, list[str]] = defaultdict(list)
    for source, target in edges:
        ahead[source].append(target)
        behind[target].append(source)
    components = strong_components(names, ahead)
    of = {name: number for number, members in enumerate(components) for name in members}
    bit = {name: 1 << i for i, name in enumerate(waiting)}

    depth_of, levels_of = _depth_and_levels(components, of, ahead, bit)
    sets = _threads_behind_components(components, of, behind, bit)
    every = sum(bit[name] for name in (waiting if counted is None else counted))
    total = {name: (sets[of[name]] & every & ~bit.get(name, 0)).bit_count() for name in names}
    next_behind = _threads_next_behind(names, ahead, behind, bit)
    direct = {name: (next_behind[name] & every & ~bit.get(name, 0)).bit_count() for name in names}
    roots = [name for name in names if not ahead[name] and behind[name]]
    cycles = [members for members in components if len(members) > 1]
    return Counts(
        direct=direct,
        total=total,
        levels={name: levels_of[of[name]] for name in names},
        depth={name: depth_of[of[name]] for name in names},
        roots=sorted(roots, key=lambda name: (-total[name], name)),
        cycles=cycles,
    )


def _depth_and_levels(
    components: list[list[str]],
    of: Mapping[str, int],
    ahead: Mapping[str, list[str]],
    bit: Mapping[str, int],
) -> tuple[list[int], list[int]]:
    """Return per component its depth, and the waiting threads on the longest path to a root."""
    depth_of = [0] * len(components)
    levels_of = [0] * len(components)
    # Tarjan yields a component only after everything it points at: roots come first.
    for number, members in enumerate(components):
        targets = {of[target] for name in members for target in ahead.get(name, ())} - {number}
        depth_of[number] = max((depth_of[target] + 1 for target in targets), default=0)
        waits = any(name in bit for name in members)
        levels_of[number] = max((levels_of[target] for target in targets), default=0) + waits
    return depth_of, levels_of


def _threads_behind_components(
    components: list[list[str]],
    of: Mapping[str, int],
    behind: Mapping[str, list[str]],
    bit: Mapping[str, int],
) -> list[int]:
    """Return per component a bit set of the waiting threads in it and behind it."""
    sets = [0] * len(components)
    for number in range(len(components) - 1, -1, -1):
        for name in components[number]:
            sets[number] |= bit.get(name, 0)
            for source in behind.get(name, ()):
                sets[number] |= sets[of[source]]
    return sets


def _threads_next_behind(
    names: Sequence[str],
    ahead: Mapping[str, list[str]],
    behind: Mapping[str, list[str]],
    bit: Mapping[str, int],
) -> dict[str, int]:
    """Return per node a bit set of the waiting threads behind it, not through other threads.

    One pass, as for all threads behind, over the graph without the edges that leave threads.
    """
    passing = {name: targets for name, targets in ahead.items() if name not in bit}
    components = strong_components(names, passing)
    of = {name: number for number, members in enumerate(components) for name in members}
    sets = [0] * len(components)
    for number in range(len(components) - 1, -1, -1):
        for name in components[number]:
            for source in behind.get(name, ()):
                sets[number] |= bit[source] if source in bit else sets[of[source]]
    return {name: sets[of[name]] for name in names}


def threads_behind(
    names: Iterable[str],
    behind: Mapping[str, list[str]],
    waiting: frozenset[str] | set[str],
    uncounted: frozenset[str] = frozenset(),
    *,
    through: bool,
) -> int:
    """Count distinct waiting threads behind nodes; ``through``: also behind other threads."""
    seen = set(names)
    left = list(seen)
    threads = 0
    while left:
        for name in behind.get(left.pop(), ()):
            if name in seen:
                continue
            seen.add(name)
            threads += name in waiting and name not in uncounted
            if through or name not in waiting:
                left.append(name)
    return threads


def strong_components(names: Sequence[str], ahead: Mapping[str, list[str]]) -> list[list[str]]:
    """Return the strongly connected components, those without successors first (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    stack: list[str] = []
    components: list[list[str]] = []
    for start in names:
        if start in index:
            continue
        work: list[tuple[str, int]] = [(start, 0)]
        while work:
            name, position = work.pop()
            if position == 0:
                index[name] = low[name] = len(index)
                stack.append(name)
                on_stack.add(name)
            targets = ahead.get(name, [])
            for next_position in range(position, len(targets)):
                target = targets[next_position]
                if target not in index:
                    work.append((name, next_position + 1))
                    work.append((target, 0))
                    break
                if target in on_stack:
                    low[name] = min(low[name], index[target])
            else:
                if low[name] == index[name]:
                    members: list[str] = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        members.append(member)
                        if member == name:
                            break
                    components.append(members)
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[name])
    return components
