"""Convert threads, resources and edges of a wait graph to documents of the contract."""

from __future__ import annotations

from pileup.analysis.contract import JoinDoc, WaitEdge, WaitNode
from pileup.analysis.evidence import unnumbered
from pileup.analysis.evidence.actors import NO_NUMBER, Actor, Row
from pileup.analysis.evidence.statements import short_shape, tables_of
from pileup.analysis.waits.draft import Edge, Resource

STACK_SHOWN = 30


def thread_node(actor: Actor, waits: bool, function: str = "") -> WaitNode:
    """Convert a thread. function: the server function at its wait position."""
    trx, session = actor.trx or {}, actor.session or {}
    stack = [f["function"] for f in (actor.stack or {}).get("frames", ())][:STACK_SHOWN]
    wait = actor.waits[0] if actor.waits else None
    return WaitNode(
        id=actor.id,
        kind="thread",
        label=_thread_label(actor),
        detail=_thread_detail(actor, function),
        waiting=waits,
        waited_s=wait["waited_s"] if wait else trx.get("wait_s"),
        mode=wait["mode"] if wait else trx.get("waits_mode"),
        thread_id=None if actor.pthread is None else str(actor.pthread),
        session_id=actor.session_id,
        trx_id=trx.get("trx_id"),
        user=session.get("user") or trx.get("user"),
        state=session.get("state") or trx.get("thread_state"),
        command=session.get("command"),
        query=actor.query,
        shape=short_shape(actor.query) if actor.query else "",
        table=_table(actor),
        trx_active_s=trx.get("active_s"),
        undo_entries=trx.get("undo_entries"),
        row_locks=trx.get("row_locks"),
        stack=stack,
        join="; ".join(join.why for join in actor.joined),
        joins=[JoinDoc(why=join.why, confidence=join.confidence) for join in actor.joined],
        join_confidence=min((join.confidence for join in actor.joined), default=None),
    )


def resource_node(resource: Resource) -> WaitNode:
    return WaitNode(
        id=resource.id,
        kind=resource.kind,
        label=resource.label,
        detail=resource.detail,
        inferred=resource.inferred,
        address=resource.address,
        latch=resource.latch,
        meaning=resource.meaning,
        locators=resource.locators,
    )


def edge_doc(edge: Edge) -> WaitEdge:
    return WaitEdge(
        source=edge.source,
        target=edge.target,
        kind=edge.kind,
        mode=edge.mode,
        waited_s=edge.waited_s,
        inferred=edge.inferred,
        confidence=edge.confidence,
        note=edge.note,
        source_site=edge.source_site,
        locators=edge.locators,
    )


def _table(actor: Actor) -> str:
    """Return the table that a thread waits for, else those that its statement names."""
    waits_for = (actor.trx or {}).get("waits_table")
    return str(waits_for) if waits_for else ", ".join(sorted(tables_of(actor.query or "")))


def _thread_label(actor: Actor) -> str:
    trx = actor.trx or {}
    parts = []
    is_numbered = trx.get("trx_id") and unnumbered.is_number(trx["trx_id"])
    if is_numbered and not trx["state"].startswith("not started"):
        parts.append(f"{'prepared ' if actor.is_left_prepared else ''}trx {trx['trx_id']}")
    if actor.session_id is not None:
        parts.append(f"session {actor.session_id}")
    if not parts and actor.session is not None:
        parts.append(actor.name)
    if not parts and actor.pthread is not None:
        parts.append(f"thread {actor.pthread}")
    if not parts and actor.stack is not None:
        parts.append(f"thread in {describe_stack(actor.stack)}")
    if not parts and actor.id == f"trx:{NO_NUMBER}":
        return actor.name
    return " · ".join(parts) or actor.id.replace("ps_thread", "thread").replace(":", " ")


def describe_stack(stack: Row) -> str:
    """Return the function of a stack that best describes the thread's work."""
    names = [frame["function"] for frame in stack["frames"]]
    for prefixes in (("fts_sync",), ("MYSQL_", "fil_", "log_", "trx_", "row_", "buf_")):
        for name in names:
            if name.startswith(prefixes):
                return str(name)
    return str(names[0]) if names else "unknown"


def _thread_detail(actor: Actor, function: str) -> str:
    trx, session = actor.trx or {}, actor.session or {}
    parts = []
    if trx.get("active_s") is not None:
        doing = "idle in transaction" if actor.is_idle else "active"
        if actor.is_left_prepared:
            doing = "XA transaction without a session,"
        elif actor.has_no_session:
            doing = "without a session,"
        parts.append(f"{doing} {trx['active_s']:.0f} s")
    if actor.waits:
        wait = actor.waits[0]
        where = f" in {function}" if function else ""
        parts.append(f"at {wait['file']}:{wait['line']}{where}")
    state = session.get("state") or trx.get("thread_state")
    if state:
        parts.append(str(state))
    elif session.get("command"):
        parts.append(str(session["command"]))
    return ", ".join(parts)
