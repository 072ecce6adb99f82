"""Fold a wait graph that is too large to read: similar nodes become a group that can be opened.

``groups`` decides which nodes are similar; this module builds the group nodes with their counts of
distinct threads, and the edges between them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from pileup.analysis.contract import WaitEdge, WaitNode
from pileup.analysis.waits.draft import Edge
from pileup.analysis.waits.group_roles import lasting_sorts
from pileup.analysis.waits.groups import counter, place_of
from pileup.numerals import grouped

T = TypeVar("T")

FOLD_OVER = 40
"""Largest number of nodes that is shown unfolded."""


def fold(
    nodes: Sequence[WaitNode],
    edges: Sequence[WaitEdge],
    raw: Sequence[Edge],
    group_of: Mapping[str, str],
    uncounted: frozenset[str] = frozenset(),
) -> tuple[list[WaitNode], list[WaitEdge]]:
    """Replace the nodes in ``group_of`` (node id to group id) by their groups.

    uncounted: waiting threads that do not count among those behind a group.
    """
    members: defaultdict[str, list[WaitNode]] = defaultdict(list)
    for node in nodes:
        if node.id in group_of:
            members[group_of[node.id]].append(node)
    unfolded = [node for node in nodes if node.id not in group_of]
    gone = frozenset(node.id for node in nodes if node.mark == "gone")
    count = counter(raw, gone, uncounted)
    sorts = lasting_sorts(
        {node.id: (node.kind, node.label) for node in nodes},
        raw,
        {node.id for node in nodes if node.blocks_total > 0},
    )
    unfolded += [_group(group, nodes, count(nodes), sorts) for group, nodes in members.items()]
    return unfolded, _merge(edges, group_of)


def _group(
    group: str,
    members: Sequence[WaitNode],
    behind: tuple[int, int],
    sorts: Mapping[str, tuple[str, str]],
) -> WaitNode:
    first = max(members, key=lambda node: node.waited_s or 0.0)
    if first.mark == "gone":  # the graph no longer has all threads behind it
        behind = sum(m.blocks_direct for m in members), sum(m.blocks_total for m in members)
    threads = first.kind == "thread"
    place = place_of(group, first.mark)
    label, detail = (_threads if threads else _resources)(members)
    if threads and not detail:  # a commit stage: nothing else is known of such a thread
        detail = place.rpartition("|")[2] if "|" in place else ""
    return WaitNode(
        id=group,
        kind="group",
        of=None if first.kind == "group" else first.kind,
        label=label,
        lasting=_lasting(place, members, sorts),
        mark=first.mark,
        detail=detail,
        members=len(members),
        blocks_direct=behind[0],
        blocks_total=behind[1],
        depth=max(m.depth for m in members),
        root=first.root,
        inferred=first.inferred,
        waiting=first.waiting,
        waited_s=first.waited_s,
        mode=_same(m.mode for m in members),
        state=first.state,
        query=first.query,
        shape=_same(m.shape for m in members) or "",
        table=_same(m.table for m in members) or "",
        user=_same(m.user for m in members),
        latch=_same(m.latch for m in members),
        meaning=_same(m.meaning for m in members),
        stack=first.stack,
        join=first.join,
        joins=first.joins,
        join_confidence=min(
            (m.join_confidence for m in members if m.join_confidence is not None), default=None
        ),
        locators=first.locators[:1],
    )


def _lasting(place: str, members: Sequence[WaitNode], sorts: Mapping[str, tuple[str, str]]) -> str:
    """Return the key that identifies a group in other moments; empty: its members differ."""
    if members[0].kind == "thread" and "|" in place:
        return f"place:{place}"
    for which in (0, 1):
        if same := _same(sorts[member.id][which] for member in members):
            return same
    return ""


def _threads(members: Sequence[WaitNode]) -> tuple[str, str]:
    """Label threads: ('300 waiters', 'S at btr0sea.ic:122') or ('36 transactions, ...', '')."""
    common = _common(members)
    if not any(member.blocks_total for member in members):
        place = next((m.detail for m in members if m.detail), "")
        return f"{len(members)} waiters", common or place
    noun = "threads"
    if all(member.trx_id is not None for member in members):
        noun = "transactions"
    elif all(member.session_id is not None for member in members):
        noun = "sessions"
    least = min(member.blocks_total for member in members)
    most = max(member.blocks_total for member in members)
    each = f"{grouped(least)} to {grouped(most)}" if most > least else grouped(least)
    return f"{len(members)} {noun}, each blocking {each}", common


def _resources(members: Sequence[WaitNode]) -> tuple[str, str]:
    """Label resources: ('13 × RW-latch buf0buf.cc:1', ...) or ('49 row locks', 'row of ...')."""
    labels = Counter(member.label for member in members)
    if len(labels) == 1:
        return f"{len(members)} × {members[0].label}", _same(m.detail for m in members) or ""
    text = ", ".join(label for label, _ in labels.most_common(_LABELS_SHOWN))
    more = f" and {len(labels) - _LABELS_SHOWN} more" if len(labels) > _LABELS_SHOWN else ""
    return f"{len(members)} {_PLURAL[members[0].kind]}", f"{text}{more}"


_LABELS_SHOWN = 2
_PLURAL = {
    "latch": "latches",
    "row_lock": "row locks",
    "table_lock": "table locks",
    "metadata_lock": "metadata locks",
    "commit": "commit queues",
    "fsync": "flushes",
    "queue": "queues",
}


def _same(values: Iterable[T]) -> T | None:
    """Return the value that all share; None if they differ."""
    different = set(values)
    return different.pop() if len(different) == 1 else None


def _common(members: Sequence[WaitNode]) -> str:
    """Return what the members share: 'S at btr0sea.ic:122', or the start of the query."""
    places = {part for m in members for part in m.detail.split(", ") if part.startswith("at ")}
    mode = _same(m.mode for m in members)
    if len(places) == 1:
        return f"{mode} {places.pop()}" if mode else places.pop()
    queries = {(m.query or "").split("\n")[0][:60] for m in members}
    return queries.pop() if len(queries) == 1 else ""


def _merge(edges: Sequence[WaitEdge], group_of: Mapping[str, str]) -> list[WaitEdge]:
    """Map edges to the shown nodes and merge parallel ones, with their count."""
    same: defaultdict[tuple[str, str, str, str], list[WaitEdge]] = defaultdict(list)
    for edge in edges:
        source = group_of.get(edge.source, edge.source)
        target = group_of.get(edge.target, edge.target)
        same[source, target, edge.kind, edge.mark].append(edge)
    return [
        edges[0]
        if len(edges) == 1 and (source, target) == (edges[0].source, edges[0].target)
        else WaitEdge(
            source=source,
            target=target,
            kind=edges[0].kind,
            mark=edges[0].mark,
            mode=_same(edge.mode for edge in edges),
            count=sum(edge.count for edge in edges),
            waited_s=max(
                (edge.waited_s for edge in edges if edge.waited_s is not None), default=None
            ),
            inferred=any(edge.inferred for edge in edges),
            confidence=min(edge.confidence for edge in edges),
            note=edges[0].note,
            locators=edges[0].locators,
        )
        for (source, target, _, _), edges in same.items()
        if source != target
    ]
