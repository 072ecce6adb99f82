"""The class of time of each thread of a moment: exactly one, by its innermost wait.

A wait of the graph decides, then the thread's stack, its wait by performance_schema, its State, and
its transaction's operation. The mapping is data: ``knowledge/data/wait_classes.yaml``.
"""

from __future__ import annotations

from pileup.analysis.evidence.actors import Actor
from pileup.analysis.waits.draft import Graph, Resource
from pileup.knowledge import wait_classes

_SCOPES = ("global", "commit", "backup lock")
"""Names of metadata locks that belong to no object."""
_AT_REST = ("cleaning up", "sleeping", "sleep")
"""State of a connection in a status dump between two statements."""


def of_waiter(actor: str, graph: Graph) -> str | None:
    """Return the class of what a thread waits for in the graph; None if it waits for nothing."""
    waits = [
        e for e in graph.touching.get(actor, ()) if e.source == actor and e.kind == "waits_for"
    ]
    if not waits:
        return None
    surest = max(waits, key=lambda edge: (edge.confidence, edge.target))
    return of_resource(graph.resources[surest.target])


def of_resource(resource: Resource) -> str:
    """Return the class of a wait for a resource."""
    if resource.kind == "queue":
        return wait_classes.of_queue(resource.id.split(":")[1])
    if resource.kind == "metadata_lock" and resource.id.split(":")[1].lower() in _SCOPES:
        return wait_classes.of_queue("global-read-lock")
    if resource.id == "fsync:data files":
        return wait_classes.DATA_WRITE
    return wait_classes.of_resource(resource.kind)


def of_thread(actor: Actor) -> str:
    """Return the class of a thread that waits for nothing in the graph; IDLE: not active."""
    by_row = _by_row(actor)
    if by_row == wait_classes.IDLE:
        return by_row
    if actor.stack is not None:
        by_stack = wait_classes.of_stack(tuple(actor.functions))
        if by_stack not in (wait_classes.IDLE, wait_classes.UNKNOWN) or by_row is None:
            return by_stack
    if actor.event is not None and actor.event["ongoing"] is not False:
        by_event = wait_classes.of_event(actor.event["event"], actor.event["operation"])
        if by_event != wait_classes.IDLE or by_row is None:
            return by_event
    return wait_classes.IDLE if by_row is None else by_row


def _by_row(actor: Actor) -> str | None:
    """Return the class by a processlist's State, else by a transaction; None without both."""
    if actor.session is not None:
        if not any(actor.session[name] for name in ("command", "state", "query")):
            return wait_classes.IDLE
        return wait_classes.of_state(actor.session["command"], actor.session["state"])
    trx = actor.trx
    if trx is None:
        return None
    state = trx["thread_state"]
    resting = not trx["query"] and (not state or state.lower() in _AT_REST)
    if resting or (trx["state"].startswith("not started") and not trx["operation"]):
        return wait_classes.IDLE
    by_operation = wait_classes.of_operation(trx["operation"])
    if by_operation != wait_classes.WORKING or not state:
        return by_operation
    return wait_classes.of_state("Query", state)


__all__ = ["of_resource", "of_thread", "of_waiter"]
