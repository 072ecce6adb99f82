"""Folds a wait graph that is too large to read: siblings become counted groups that open again.

Waiters that stand at the same place for the same thing and block nobody are one group; resources
of the same kind and origin that nobody holds (a hundred page latches) are one group.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pileup.analysis.contract import WaitEdge, WaitNode
from pileup.analysis.wait_draft import Edge

FOLD_OVER = 40
"""Nodes that are still shown one by one."""
SMALLEST = 3
RESOURCES_SHOWN = 12
"""Unheld resources of one origin that are shown one by one."""


def fold(
    nodes: Sequence[WaitNode],
    edges: Sequence[WaitEdge],
    raw: Sequence[Edge],
    opened: frozenset[str],
    keep: frozenset[str] = frozenset(),
) -> tuple[list[WaitNode], list[WaitEdge]]:
    """The graph with groups instead of siblings; ``opened`` groups stay open.

    keep: nodes that stay on their own.
    """
    by_id = {node.id: node for node in nodes if node.id not in keep}
    group_of = _waiter_groups(by_id, raw, opened)
    group_of |= _resource_groups(by_id, raw, opened)
    members: defaultdict[str, list[WaitNode]] = defaultdict(list)
    for name, group in group_of.items():
        members[group].append(by_id[name])
    kept = [node for node in nodes if node.id not in group_of]
    kept += [_group(group, some) for group, some in members.items()]
    return kept, _merge(edges, group_of)


def members_of(nodes: Sequence[WaitNode], raw: Sequence[Edge], group: str) -> list[WaitNode]:
    """The nodes that a group stands for, the longest waits first."""
    by_id = {node.id: node for node in nodes}
    nothing: frozenset[str] = frozenset()
    group_of = _waiter_groups(by_id, raw, nothing) | _resource_groups(by_id, raw, nothing)
    members = [by_id[name] for name, found in group_of.items() if found == group]
    return sorted(members, key=lambda one: (-(one.waited_s or 0.0), one.id))


def _waiter_groups(
    by_id: dict[str, WaitNode], raw: Sequence[Edge], opened: frozenset[str]
) -> dict[str, str]:
    blocked_by = {e.target for e in raw}
    out: defaultdict[str, list[Edge]] = defaultdict(list)
    for edge in raw:
        if edge.kind == "waits_for" and edge.source in by_id:
            out[edge.source].append(edge)
    siblings: defaultdict[str, list[str]] = defaultdict(list)
    for name, some in out.items():
        if name in blocked_by or by_id[name].kind != "thread" or len(some) != 1:
            continue
        edge = some[0]
        mark = f"|{by_id[name].mark}" if by_id[name].mark else ""
        siblings[f"group:{edge.target}|{edge.mode or ''}|{edge.position}{mark}"].append(name)
    return {
        name: group
        for group, names in siblings.items()
        if len(names) >= SMALLEST and group not in opened
        for name in names
    }


def _resource_groups(
    by_id: dict[str, WaitNode], raw: Sequence[Edge], opened: frozenset[str]
) -> dict[str, str]:
    held = {e.source for e in raw if e.kind == "held_by"}
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for node in by_id.values():
        if node.kind == "latch" and node.id not in held and not node.inferred:
            mark = f"|{node.mark}" if node.mark else ""
            alike[f"group:{node.kind}|{node.label}{mark}"].append(node.id)
    result: dict[str, str] = {}
    for group, names in alike.items():
        if group in opened or len(names) <= RESOURCES_SHOWN:
            continue
        ranked = sorted(names, key=lambda name: (-by_id[name].blocks_total, name))
        result |= dict.fromkeys(ranked[RESOURCES_SHOWN:], group)
    return result


def lasting_place(target: str, mode: str | None, position: str) -> str:
    """What a group of waiters is over time: those at one place for one thing."""
    return f"place:{target}|{mode or ''}|{position}"


def _lasting_group(group: str, first: WaitNode) -> str:
    if first.kind != "thread":
        return first.lasting or first.id
    marked = group.removesuffix(f"|{first.mark}" if first.mark else "")
    return f"place:{marked.removeprefix('group:')}"


def _group(group: str, members: Sequence[WaitNode]) -> WaitNode:
    first = max(members, key=lambda node: node.waited_s or 0.0)
    threads = first.kind == "thread"
    noun = "waiters" if threads else f"× {first.label}"
    place = next((m.detail for m in members if m.detail), "")
    if threads and not place:  # a stage of the commit: nothing else is known of such a thread
        place = _lasting_group(group, first).rpartition("|")[2]
    return WaitNode(
        id=group,
        kind="group",
        label=f"{len(members)} {noun}",
        lasting=_lasting_group(group, first),
        mark=first.mark,
        detail=_common(members) or place,
        members=len(members),
        blocks_direct=sum(m.blocks_direct for m in members),
        blocks_total=sum(m.blocks_total for m in members),
        depth=max(m.depth for m in members),
        root=first.root,
        inferred=first.inferred,
        waiting=threads,
        waited_s=first.waited_s,
        mode=first.mode,
        state=first.state,
        query=first.query,
        latch=first.latch,
        meaning=first.meaning,
        stack=first.stack,
        join=first.join,
        joins=first.joins,
        join_confidence=min(
            (m.join_confidence for m in members if m.join_confidence is not None), default=None
        ),
        locators=first.locators[:1],
    )


def _common(members: Sequence[WaitNode]) -> str:
    """What most members share: 'S at btr0sea.ic:122', a state, or the beginning of the query."""
    places = {part for m in members for part in m.detail.split(", ") if part.startswith("at ")}
    mode = members[0].mode
    if len(places) == 1:
        return f"{mode} {places.pop()}" if mode else places.pop()
    queries = {(m.query or "").split("\n")[0][:60] for m in members}
    return queries.pop() if len(queries) == 1 else ""


def _merge(edges: Sequence[WaitEdge], group_of: dict[str, str]) -> list[WaitEdge]:
    merged: dict[tuple[str, str, str, str], WaitEdge] = {}
    for edge in edges:
        source = group_of.get(edge.source, edge.source)
        target = group_of.get(edge.target, edge.target)
        key = (source, target, edge.kind, edge.mark)
        before = merged.get(key)
        waits = [w for w in (edge.waited_s, before.waited_s if before else None) if w is not None]
        merged[key] = WaitEdge(
            source=source,
            target=target,
            kind=edge.kind,
            mark=edge.mark,
            mode=edge.mode,
            count=(before.count if before else 0) + edge.count,
            waited_s=max(waits, default=None),
            inferred=edge.inferred,
            confidence=min(edge.confidence, before.confidence) if before else edge.confidence,
            note=before.note if before else edge.note,
            locators=before.locators if before else edge.locators,
        )
    return list(merged.values())
