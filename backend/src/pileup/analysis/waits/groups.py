"""Group similar nodes of a wait graph, so that thousands of nodes become a few groups.

The walk goes from the roots to the waiters: nodes are similar if they wait for the same resource
(or group) in the same role. Whole subtrees fold, level by level: 36 transactions that each block
seven, the 36 rows they hold, the 252 waiters for these rows. The grain sets how similar they must
be: the finest grain that leaves a readable graph is used, else the coarsest. At the finer grains,
waiters with nobody behind them that run statements of one shape are a group of their own.

Members of a deadlock, inferred holders next to known ones, the roots of a kind that block most, and
the few nodes that block far more than their siblings never disappear in a group.
"""

from __future__ import annotations

import re
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
"""Smallest group; fewer similar nodes stay single."""
RESOURCES_SHOWN = 12
"""Resources of one holder, and roots of one kind, that stay single, if the graph stays readable."""
_ROOTS_SHOWN = 4
"""Those that stay single at the coarsest grain."""
BLOCKERS_SHOWN = 8
"""Similar waiters with threads behind them that stay single, if the graph stays readable."""
READABLE = 60
"""Most nodes of a readable graph; above it a coarser grain applies."""
_OUTSTANDING, _OUTSTANDING_SHOWN = 4.0, 3
"""A blocker above this multiple of its siblings' median stays single; limit of such blockers."""
_SHAPES_SHOWN = 6
"""Statement shapes of the waiters at one place that are groups of their own; others share one."""
_CYCLE = 40
"""Members of a deadlock that stay single; a larger cycle folds like other nodes."""


@dataclass(frozen=True, slots=True)
class _Grain:
    """How similar the nodes of one group must be."""

    blockers: int
    """Smallest group of waiters with threads behind them."""
    exact: bool
    """They share mode, position, levels behind them, and kinds of held resources."""
    by_parent: bool
    """They wait for the same resource or group; else they only share their depth."""
    resources: int = RESOURCES_SHOWN
    """Resources of one holder, and roots of one kind, that stay single."""


_GRAINS = (
    _Grain(BLOCKERS_SHOWN + 1, exact=True, by_parent=True),
    _Grain(SMALLEST, exact=True, by_parent=True),
    _Grain(SMALLEST, exact=False, by_parent=True),
    _Grain(SMALLEST, exact=False, by_parent=False, resources=_ROOTS_SHOWN),
)


def groups(nodes: Sequence[WaitNode], raw: Sequence[Edge]) -> dict[str, str]:
    """Map node ids to group ids by the finest grain that leaves READABLE nodes.

    Single nodes are not in the mapping. Groups and their ids depend only on the graph, not on which
    groups a person opened.
    """
    shape = _Shape(nodes, raw)
    names: dict[str, str] = {}
    for grain in _GRAINS:
        names = _assign(shape, grain)
        if len(nodes) - len(names) + len(set(names.values())) <= READABLE:
            break
    return names


class _Shape:
    """Position of each node in the graph: edges, held resources, cycles and levels."""

    def __init__(self, nodes: Sequence[WaitNode], raw: Sequence[Edge]) -> None:
        self.nodes = {node.id: node for node in nodes}
        self.ahead: defaultdict[str, list[Edge]] = defaultdict(list)
        self.holds: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        self.behind: set[str] = set()
        """Ids of nodes that are waited for, or that hold something."""
        cycle: set[str] = set()
        for edge in raw:
            source, target = self.nodes.get(edge.source), self.nodes.get(edge.target)
            if source is None or target is None:
                continue
            self.ahead[edge.source].append(edge)
            self.behind.add(edge.target)
            if edge.kind == "held_by":
                self.holds[edge.target].add((source.kind, source.label))
            if source.depth == target.depth:  # only a cycle has both ends at one depth
                cycle |= {edge.source, edge.target}
        self.cycle = cycle if len(cycle) <= _CYCLE else set()
        self.levels = self._levels()

    def _levels(self) -> dict[str, int]:
        """Return the longest path behind each node, in steps."""
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
            if node.id not in shape.cycle:
                alike[_key(node, shape, grain, names)].append(node)
        here: dict[str, str] = {}
        for key, nodes in alike.items():
            folded = _folded(nodes, shape, grain, names)
            for suffix, members in _by_statement(folded, shape, grain):
                if len(members) >= SMALLEST:
                    group = _name(key, members[0], shape, grain, names) + suffix
                    here |= {node.id: group for node in members}
        names |= here
    return names


def _key(
    node: WaitNode, shape: _Shape, grain: _Grain, names: dict[str, str]
) -> tuple[Hashable, ...]:
    """Return the key that all nodes of one group share."""
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
    # latches without holder group by origin, however long their queues are
    return parents, *part, node.label, shape.levels[node.id] if ahead else 0


def _folded(
    nodes: list[WaitNode], shape: _Shape, grain: _Grain, names: dict[str, str]
) -> list[WaitNode]:
    """Return those of the similar nodes that fold into the group."""
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
        return sorted(nodes, key=_most_first)[grain.resources :]
    return []


def _by_statement(
    nodes: list[WaitNode], shape: _Shape, grain: _Grain
) -> list[tuple[str, list[WaitNode]]]:
    """Split waiters by the shape of their statement: parts of the group's id, and members.

    The most frequent shape keeps the id of the place, the last part holds all that remain.
    """
    if not grain.exact or not nodes or nodes[0].kind != "thread" or nodes[0].id in shape.behind:
        return [("", nodes)]
    alike: defaultdict[str, list[WaitNode]] = defaultdict(list)
    for node in nodes:
        alike[node.shape].append(node)
    ranked = sorted(alike.items(), key=lambda item: (-len(item[1]), item[0]))
    own = [item for item in ranked if len(item[1]) >= SMALLEST][:_SHAPES_SHOWN]
    if not own or len(ranked) == 1:
        return [("", nodes)]
    parts = [("" if at == 0 else _suffix(text), group) for at, (text, group) in enumerate(own)]
    rest = [node for _, group in ranked[len(own) :] for node in group]
    return [*parts, (_suffix("other statements"), rest)] if rest else parts


def _suffix(text: str) -> str:
    return f"~{blake2b(text.encode(), digest_size=4).hexdigest()}"


_SUFFIX = re.compile(r"~[0-9a-f]{8}$")


def place_of(group: str, mark: str) -> str:
    """Return what of a group's id names its place: the same for all shapes of statements there."""
    place = _SUFFIX.sub("", group.removeprefix("group:"))
    return place.removesuffix(f"|{mark}") if mark else place


def _most_first(node: WaitNode) -> tuple[int, str]:
    return -node.blocks_total, node.id


def _name(
    key: tuple[Hashable, ...],
    first: WaitNode,
    shape: _Shape,
    grain: _Grain,
    names: dict[str, str],
) -> str:
    """Return a group id: readable, as links and pins store it, if possible; else a digest."""
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
    raw: Iterable[Edge], gone: frozenset[str], uncounted: frozenset[str]
) -> Callable[[Sequence[WaitNode]], tuple[int, int]]:
    """Return a function that counts the distinct threads behind nodes, directly and in total.

    gone: ids of nodes that only the other moment of a comparison has; they do not count.
    uncounted: waiting threads that are shown and do not count; see ``one_population``.
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
            threads_behind(names, behind, waiting, uncounted, through=False),
            threads_behind(names, behind, waiting, uncounted, through=True),
        )

    return of


__all__ = ["READABLE", "SMALLEST", "counter", "groups", "place_of"]
