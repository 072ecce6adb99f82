"""Waits for the order of commits on a replica: an applier waits for the transaction before its own.

States: 'Waiting for preceding transaction to commit' (replica_preserve_commit_order), 'Waiting for
prior transaction to commit' (MariaDB, in order). The transaction before it belongs to an applier
that does not wait for the order: it works, or waits for something else. A lock that an applier has
for its commit closes a circle with whoever waits for that lock and blocks the first applier.
"""

from __future__ import annotations

import re

from pileup.analysis.evidence.actors import Actor
from pileup.analysis.waits.draft import Draft, Resource
from pileup.knowledge import function_key, wait_classes

ORDER = "queue:commit-order"
_STATES = re.compile(
    r"^waiting for (preceding|prior|dependent) transaction to (start )?commit"
    r"|^waiting for its turn to commit",
    re.IGNORECASE,
)
_FUNCTIONS = ("Commit_order_manager::wait",)
_APPLIES = ("handle_slave_worker", "handle_rpl_parallel_thread", "handle_slave_sql")
_COMMANDS = ("Connect", "Slave_worker", "Slave_SQL", "Replica_worker", "Replica_SQL")
_USER = "system user"
_SHOWN = 8
_FIRST = 0.8


def commit_order(draft: Draft) -> None:
    """Add appliers that wait for the order of commits, and those that they may wait for.

    Where no other applier is captured, ``by_commits`` adds them to the commit queue.
    """
    appliers = [actor for actor in draft.scene.actors.values() if _applies(actor)]
    waiters = [a for a in appliers if a.id not in draft.waiting and _waits(a)]
    before = [a for a in appliers if not _waits(a) and _is_busy(a)][:_SHOWN]
    if not waiters or not before:
        return
    resource = draft.resources.setdefault(
        ORDER,
        Resource(
            ORDER,
            "queue",
            "order of commits",
            "appliers commit in the order of the source",
            meaning="An applier commits when the transactions before its own have committed.",
        ),
    )
    for actor in waiters:
        draft.wait_as_seen(actor, resource)
    for actor in before:
        draft.hold(
            resource,
            actor,
            note="inferred: an applier that does not wait for the order comes before the others",
            lines=actor.session or actor.trx or actor.stack,
            inferred=True,
            confidence=round(_FIRST / (1 + 0.5 * (len(before) - 1)), 2),
        )


def waiters(draft: Draft) -> list[Actor]:
    """Return the appliers that have what they need to commit, and wait for their turn."""
    names = [edge.source for edge in draft.edges if edge.target == ORDER]
    return [draft.scene.actors[name] for name in names if name in draft.scene.actors]


def _applies(actor: Actor) -> bool:
    row = actor.session or {}
    if row.get("user") == _USER or row.get("command") in _COMMANDS:
        return True
    if any(function_key(name) in _APPLIES for name in actor.functions):
        return True
    return _waits(actor)


def _waits(actor: Actor) -> bool:
    states = ((actor.session or {}).get("state"), (actor.trx or {}).get("thread_state"))
    if any(_STATES.search(state) for state in states if state):
        return True
    return any(function_key(name).startswith(_FUNCTIONS) for name in actor.functions)


def _is_busy(actor: Actor) -> bool:
    """Return whether an applier works on a transaction: coordinators and idle workers do not."""
    row = actor.session
    if row is not None:
        name = wait_classes.of_state(row["command"], row["state"])
        return name not in (wait_classes.IDLE, "replication") and bool(row["state"])
    return actor.lock_wait or bool(actor.functions)


__all__ = ["ORDER", "commit_order", "waiters"]
