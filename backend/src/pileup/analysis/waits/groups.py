"""Which nodes of a wait graph stand for one another, so that thousands become some groups.

Walked from the roots to the waiters: nodes are alike when they hang on the same thing (or on the
same group) and have the same part in it. So whole subtrees fold, level by level: 36 transactions
that each block seven, the 36 rows they have, the 252 that want those. How alike is the grain: the
finest under which the graph can be read is taken, so that one too large even then still folds.

Roots, members of a deadlock, inferred holders beside known ones, and the few that block far more
than those beside them are never lost in a group.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from statistics import median

from pileup.analysis.contract import WaitNode
from pileup.analysis.waits.counts import threads_behind
from pileup.analysis.waits.draft import Edge

SMALLEST = 3
"""Fewer of a kind are shown one by one."""
RESOURCES_SHOWN = 12
"""Resources of one holder, and roots of one kind, that are shown one by one."""
BLOCKERS_SHOWN = 8
"""Alike waiters with others behind them that are shown one by one, where there is room."""
READABLE = 150
"""Nodes of a graph that can be read; over it a coarser grain folds."""
_OUTSTANDING, _OUTSTANDING_SHOWN = 4.0, 3
"""A blocker with so many times what is usual beside it stays on its own; how many of them do."""
_CIRCLE = 40
"""Members of a deadlock that are shown one by one; a larger circle folds as all else."""


@dataclass(frozen=True, slots=True)
class _Grain:
    """How alike nodes of one group are."""

    blockers: int
    """Waiters with others behind them become a group from this number on."""
    exact: bool
    """They have the same mode, place and levels behind them, and hold the like."""
    by_parent: bool
    """They hang on the same thing; else they are of one level alone."""


_GRAINS = (
    _Grain(BLOCKERS_SHOWN + 1, exact=True, by_parent=True),
    _Grain(SMALLEST, exact=True, by_parent=True),
    _Grain(SMALLEST, exact=False, by_parent=True),
    _Grain(SMALLEST, exact=False, by_parent=False),
)


def groups(nodes: Sequence[WaitNode], raw: Sequence[Edge]) -> dict[str, str]:
    """Node to its group, by the finest grain that leaves READABLE nodes; alone: not in it.

    The groups and their ids depend on the graph alone, not on which of them somebody opened.
    """
    shape = _Shape(nodes, raw)
    names: dict[str, str] = {}
    for grain in _GRAINS:
        names = _assign(shape, grain)
        if len(nodes) - len(names) + len(set(names.values())) <= READABLE:
            break
    return names


class _Shape:
    """What is known of each node's place in the graph."""

    def __init__(self, nodes: Sequence[WaitNode], raw: Sequence[Edge]) -> None:
        self.nodes = {node.id: node for node in nodes}
        self.ahead: defaultdict[str, list[Edge]] = defaultdict(list)
        self.holds: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        self.behind: set[str] = set()
        """Those that something waits for or is held by."""
        circle: set[str] = set()
        for edge in raw:
            source, target = self.nodes.get(edge.source), self.nodes.get(edge.target)
            if source is None or target is None:
                continue
            self.ahead[edge.source].append(edge)
            self.behind.add(edge.target)
            if edge.kind == "held_by":
                self.holds[edge.target].add((source.kind, source.label))
            if source.depth == target.depth:  # only a circle has both ends at one depth
                circle |= {edge.source, edge.target}
        self.circle = circle if len(circle) <= _CIRCLE else set()
        self.levels = self._levels()

    def _levels(self) -> dict[str, int]:
        """How many steps there are behind each node, at most."""
        levels = dict.fromkeys(self.nodes, 0)
        for node in sorted(self.nodes.values(), key=lambda node: -node.depth):
            for edge in self.ahead.get(node.id, ()):
                if self.nodes[edge.target].depth < node.depth:
                    levels[edge.target] = max(levels[edge.target], levels[node.id] + 1)
        return levels


def _assign(shape: _Shape, grain: _Grain) -> dict[str, str]:
    names: dict[str, str] = {}
    by_depth = sorted(shape.nodes.values(), key=lambda node: node.depth)
    for _, level in groupby(by_depth, key=lambda node: node.depth):
        alike: defaultdict[tuple[Hashable, ...], list[WaitNode]] = defaultdict(list)
        for node in level:
            if node.id not in shape.circle:
                alike[_key(node, shape, grain, names)].append(node)
        here: dict[str, str] = {}
        for key, nodes in alike.items():
            folded = _folded(nodes, shape, grain, names)
            if len(folded) >= SMALLEST:
                group = _name(key, folded[0], shape, grain, names)
                here |= {node.id: group for node in folded}
        names |= here
    return names


def _key(
    node: WaitNode, shape: _Shape, grain: _Grain, names: dict[str, str]
) -> tuple[Hashable, ...]:
    """What nodes of one group have in common."""
    ahead = shape.ahead.get(node.id, ())
    blocks = node.id in shape.behind
    parents: Hashable = node.depth
    if grain.by_parent:
        parents = tuple(sorted({names.get(edge.target, edge.target) for edge in ahead}))
    part = (node.kind, node.mark, node.inferred, bool(ahead), blocks)
    if not grain.exact:
        return parents, *part
    if node.kind == "thread":
        places = tuple(sorted({(edge.mode or "", edge.position) for edge in ahead}))
        holds = tuple(sorted(shape.holds[node.id])) if blocks and ahead else ()
        return parents, *part, places, holds, shape.levels[node.id] if ahead else 0
    # a latch without holder is of its origin, however long the queues are
    return parents, *part, node.label, shape.levels[node.id] if ahead else 0


def _folded(
    nodes: list[WaitNode], shape: _Shape, grain: _Grain, names: dict[str, str]
) -> list[WaitNode]:
    """Those of nodes that are alike which become the group."""
    first = nodes[0]
    ahead = shape.ahead.get(first.id, ())
    blocks = first.id in shape.behind
    if first.kind == "thread" and not blocks:
        return nodes
    if first.kind == "thread" and ahead:
        usual = median(node.blocks_total for node in nodes)
        ranked = sorted(nodes, key=_most_first)
        far = [n for n in ranked[:_OUTSTANDING_SHOWN] if n.blocks_total > _OUTSTANDING * usual]
        rest = ranked[len(far) :]
        return rest if len(rest) >= grain.blockers else []
    inside = grain.by_parent and all(edge.target in names for edge in ahead)
    if ahead and (inside or not grain.by_parent):
        return nodes
    if ahead or first.root or first.kind == "latch":
        return sorted(nodes, key=_most_first)[RESOURCES_SHOWN:]
    return []


def _most_first(node: WaitNode) -> tuple[int, str]:
    return -node.blocks_total, node.id


def _name(
    key: tuple[Hashable, ...],
    first: WaitNode,
    shape: _Shape,
    grain: _Grain,
    names: dict[str, str],
) -> str:
    """In words where a group hangs on one thing, as links and pins have it; else a digest."""
    mark = f"|{first.mark}" if first.mark else ""
    ahead = shape.ahead.get(first.id, ())
    if first.kind == "latch" and not ahead and grain.exact and not first.inferred:
        return f"group:latch|{first.label}{mark}"
    last = first.kind == "thread" and first.id not in shape.behind
    if last and grain.exact and len(ahead) == 1 and ahead[0].target not in names:
        edge = ahead[0]
        return f"group:{edge.target}|{edge.mode or ''}|{edge.position}{mark}"
    return f"group:{first.kind}:{blake2b(repr(key).encode(), digest_size=8).hexdigest()}"


def counter(
    raw: Iterable[Edge], gone: frozenset[str]
) -> Callable[[Sequence[WaitNode]], tuple[int, int]]:
    """Counts the distinct threads behind some nodes, directly and in all.

    gone: nodes of the other moment of a difference, which do not count.
    """
    behind: defaultdict[str, list[str]] = defaultdict(list)
    waiting: set[str] = set()
    for edge in raw:
        if edge.source not in gone:
            behind[edge.target].append(edge.source)
            if edge.kind == "waits_for":
                waiting.add(edge.source)

    def of(members: Sequence[WaitNode]) -> tuple[int, int]:
        names = {node.id for node in members}
        return (
            threads_behind(names, behind, waiting, through=False),
            threads_behind(names, behind, waiting, through=True),
        )

    return of


__all__ = ["READABLE", "SMALLEST", "counter", "groups"]
