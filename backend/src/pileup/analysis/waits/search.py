"""Search a wait graph for ids or words, and strip details from graphs of many nodes."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pileup.analysis.contract import WaitEdge, WaitNode

MOST_FOUND = 50
SLIM_OVER = 300
"""Most nodes with stack, statement and raw lines; larger graphs load these per node."""
_SHORTEST_WORD = 3


def find_nodes(nodes: Sequence[WaitNode], words: str) -> list[str]:
    """Return the ids of nodes whose id equals ``words``, else of nodes whose text contains them.

    words: a node's id, a thread, session or transaction id, or part of a label, a state or a
           statement; parts need at least three letters.
    """
    wanted = words.strip().lower()
    if not wanted:
        return []
    exact = [node.id for node in nodes if wanted in _ids(node)]
    if exact or len(wanted) < _SHORTEST_WORD:
        return exact[:MOST_FOUND]
    return [node.id for node in nodes if wanted in _text(node)][:MOST_FOUND]


def slimmed(
    nodes: list[WaitNode], edges: list[WaitEdge], whole: Sequence[str]
) -> tuple[list[WaitNode], list[WaitEdge], bool]:
    """Strip details from nodes and edges if there are more than SLIM_OVER nodes.

    whole: ids of nodes that keep their details. The last value tells whether details were stripped.
    """
    if len(nodes) <= SLIM_OVER:
        return nodes, edges, False
    names = set(whole)
    return (
        [node if node.id in names else _slim(node) for node in nodes],
        [_slim_edge(edge) for edge in edges],
        True,
    )


def _slim_edge(edge: WaitEdge) -> WaitEdge:
    """Strip an edge, but keep a holder's note, which explains the hold."""
    note = edge.note if edge.kind == "held_by" else ""
    return msgspec.structs.replace(edge, locators=[], source_site="", note=note)


def _slim(node: WaitNode) -> WaitNode:
    return WaitNode(
        id=node.id,
        kind=node.kind,
        label=node.label,
        lasting=node.lasting,
        mark=node.mark,
        detail=node.detail,
        members=node.members,
        of=node.of,
        blocks_direct=node.blocks_direct,
        blocks_total=node.blocks_total,
        depth=node.depth,
        root=node.root,
        inferred=node.inferred,
        waiting=node.waiting,
        waited_s=node.waited_s,
        mode=node.mode,
        shape=node.shape if node.kind == "group" else "",
        table=node.table if node.kind == "group" else "",
    )


def _ids(node: WaitNode) -> set[str]:
    known = (node.id, node.thread_id, node.session_id, node.trx_id, node.address)
    return {str(item).lower() for item in known if item is not None}


def _text(node: WaitNode) -> str:
    parts = (node.label, node.detail, node.state, node.query, node.user)
    return "\n".join(part for part in parts if part).lower()
