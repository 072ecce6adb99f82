"""Describe one node of a wait graph: its whole stack, its latch, a group's members."""

from __future__ import annotations

from pileup.analysis.contract import LatchKnowledge, WaitMember, WaitNodeDoc
from pileup.analysis.evidence.actors import Row
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.stacks.groups import stack_key
from pileup.analysis.stacks.hot_stacks import clean
from pileup.analysis.waits.draft import Graph
from pileup.analysis.waits.moment_graph import whole_graph
from pileup.analysis.waits.view import WholeGraph
from pileup.knowledge import knowledge

MOST_MEMBERS = 200
_DEPTH = 120


def wait_node(evidence: Evidence, at_us: int | None, node_id: str) -> WaitNodeDoc | None:
    """Describe a node or folded group at a moment (None: the worst); None: unknown id."""
    return describe_node(whole_graph(evidence, at_us), node_id)


def describe_node(whole: WholeGraph, node_id: str) -> WaitNodeDoc | None:
    """Describe a node of a graph, or the members of a folded group; None: unknown id.

    Members are sorted by blocked threads, then by the longest wait.
    """
    graph, member_documents = whole.graph, []
    node = next((node for node in whole.nodes if node.id == node_id), None)
    if node_id.startswith("group:"):
        members = sorted(
            (node for node in whole.nodes if whole.groups.get(node.id) == node_id),
            key=lambda node: (-node.blocks_total, -(node.waited_s or 0.0), node.id),
        )
        node = members[0] if members else None
        member_documents = [
            WaitMember(id=m.id, label=m.label, waited_s=m.waited_s, blocks_total=m.blocks_total)
            for m in members
        ]
    if node is None:
        return None
    actor = graph.actors.get(node.id)
    stack = actor.stack if actor else None
    return WaitNodeDoc(
        node=node,
        latch=_latch(_latch_id(node.id, graph)),
        frames=[] if stack is None else [_frame(frame) for frame in stack["frames"][:_DEPTH]],
        stack_artifact=stack["artifact"] if stack else None,
        stack_snapshot=(stack["snapshot"] or 0) if stack else None,
        stack_key=_key(stack) if stack else None,
        members=member_documents[:MOST_MEMBERS],
    )


def _latch_id(name: str, graph: Graph) -> str | None:
    """Return the id of the latch that a node is, or that it waits for."""
    if name in graph.resources:
        return graph.resources[name].latch
    for edge in graph.touching.get(name, ()):
        if edge.source == name and edge.target in graph.resources:
            return graph.resources[edge.target].latch
    return None


def _latch(latch_id: str | None) -> LatchKnowledge | None:
    latch = knowledge().latches.get(latch_id) if latch_id else None
    if latch is None:
        return None
    return LatchKnowledge(
        id=latch.id,
        kind=latch.kind,
        subsystem=latch.subsystem,
        shared_by=latch.taken_shared_by or "",
        exclusive_by=latch.taken_exclusive_by or "",
        contention_means=latch.contention_means or "",
        check=list(latch.check),
        knobs=list(latch.knobs),
    )


def _key(stack: Row) -> str:
    return stack_key([clean(frame["function"] or "??") for frame in stack["frames"][:_DEPTH]])


def _frame(frame: Row) -> str:
    if not frame["file"]:
        return str(frame["function"])
    line = f":{frame['line']}" if frame["line"] else ""
    return f"{frame['function']} at {frame['file']}{line}"
