"""Waits in queues that no dump lists: slots, caches, table and global locks (``queues``)."""

from __future__ import annotations

import re
from collections import defaultdict

from pileup.analysis.evidence.actors import Actor
from pileup.analysis.evidence.statements import tables_of
from pileup.analysis.stacks import queues
from pileup.analysis.waits import by_commit_order, lock_holders
from pileup.analysis.waits.counts import strong_components
from pileup.analysis.waits.draft import BY_STATE, PRINTED, Draft, Resource
from pileup.analysis.waits.lock_holders import Guess

HOLDERS_SHOWN = 8
_INSIDE_BY_STACK = 0.8
_FIRST_IN_QUEUE = 0.8
_COMMITS = 0.75
GLOBAL_LOCKS = ("global-read-lock", "commit-lock", "backup-lock")
_OF_TABLES = ("table-lock", "metadata-lock")
_BEHIND_SCHEMA_CHANGES = ("table-cache", "galera")


def unlisted(draft: Draft) -> None:
    """Add every queue with waiters, and its holder: a thread inside it, or an inferred one."""
    queued: defaultdict[str, list[Actor]] = defaultdict(list)
    for actor in list(draft.scene.actors.values()):
        if actor.id not in draft.waiting and (queue := queues.waits_in(actor)):
            queued[queue.id].append(actor)
    waiting = {actor.id for actors in queued.values() for actor in actors}
    for queue in queues.QUEUES:
        if members := queued.get(queue.id):
            _queue(draft, queue, members, waiting)


def _queue(draft: Draft, queue: queues.Queue, members: list[Actor], queued: set[str]) -> None:
    resource = _latch_of_dump(draft, queue.latch) or draft.resources.setdefault(
        f"queue:{queue.id}",
        Resource(
            f"queue:{queue.id}", "queue", queue.label, latch=queue.latch, meaning=queue.meaning
        ),
    )
    inside = {member.id for member in members}
    others = [actor for actor in draft.scene.actors.values() if actor.id not in inside]
    taker = next(
        (member for member in members if lock_holders.takes_global_lock(queue.id, member)), None
    )
    if taker is not None:
        members = [member for member in members if member is not taker]
        _queue_behind_request(draft, queue, resource, taker, others, queued, alone=not members)
    for actor in members:
        draft.wait_as_seen(actor, resource)
    if taker is not None:
        return
    guesses = _holders(draft, queue, members, others, queued)
    for guess in guesses:
        note = f"inferred: {guess.why}" if guess.inferred else guess.why
        draft.hold(
            resource,
            guess.actor,
            note=note,
            lines=guess.row,
            inferred=guess.inferred,
            confidence=guess.confidence,
        )
    if not guesses:
        draft.notes[f"Holder of the {queue.label} unknown."] = None


def _holders(
    draft: Draft,
    queue: queues.Queue,
    members: list[Actor],
    others: list[Actor],
    queued: set[str],
) -> list[Guess]:
    inside = queues.inside(queue, others)[:HOLDERS_SHOWN]
    if inside:
        sure = PRINTED if queue.id == "concurrency" else _INSIDE_BY_STACK
        return [
            Guess(actor, how, sure, actor.stack or actor.session or actor.trx)
            for actor, how in inside
        ]
    waits = [(member.session or {}).get("time_s") or 0.0 for member in members]
    longest = max(waits, default=0.0)
    waiting = queued | draft.waiting
    if queue.id in GLOBAL_LOCKS:
        # the session that runs the statement may itself wait for a table to be closed
        listed = [(row, draft.owner(row)) for row in draft.scene.metadata_locks]
        guess = lock_holders.guess_global_lock_holder(queue.id, others, longest, listed)
    elif queue.id in _OF_TABLES:
        names = frozenset().union(*(tables_of(member.query or "") for member in members))
        guess = lock_holders.guess_table_holder(names, others, longest, waiting)
    elif queue.id in _BEHIND_SCHEMA_CHANGES:
        drops = queue.id == "table-cache"
        guess = lock_holders.guess_schema_change(others, waits, waiting, drops=drops)
    elif queue.id == "user-lock":
        guess = lock_holders.guess_user_lock_holder(members, others, longest, waiting)
    elif queue.oldest:
        guess = lock_holders.guess_longest_running(others, longest, waiting)
    else:
        guess = None
    return [guess] if guess else []


def _queue_behind_request(
    draft: Draft,
    queue: queues.Queue,
    resource: Resource,
    taker: Actor,
    others: list[Actor],
    queued: set[str],
    *,
    alone: bool,
) -> None:
    """Add a session whose pending request for a global lock blocks all later writes.

    A pending request precedes every later write (MDL_scoped_lock's waiting matrix).
    """
    row = taker.session or taker.trx
    assert row is not None
    waited = (taker.session or {}).get("time_s")
    granting = draft.resources.setdefault(
        f"{resource.id}:granting",
        Resource(
            f"{resource.id}:granting",
            "queue",
            f"granting of the {queue.label}",
            meaning="Granted when every write that started earlier has ended.",
        ),
    )
    draft.wait(
        taker,
        granting,
        waited_s=waited,
        note="by its State",
        confidence=BY_STATE,
        locators=[draft.lines(row)],
    )
    if not alone:
        draft.hold(
            resource,
            taker,
            note="inferred: its request for the lock is first, and later writes wait behind it",
            lines=row,
            inferred=True,
            confidence=_FIRST_IN_QUEUE,
        )
    _hold_granting(draft, queue, granting, waited or 0.0, others, queued)


_AT_COMMIT = re.compile(
    r"waiting for (?:semi-?sync ack|handler commit|certification)|query end$|wsrep: .{0,60}commit",
    re.IGNORECASE,
)
"""States of a transaction that has its lock for the commit, and waits for others to end it."""


def _hold_granting(
    draft: Draft,
    queue: queues.Queue,
    granting: Resource,
    waited: float,
    others: list[Actor],
    queued: set[str],
) -> None:
    """Add who delays the granting of a global lock: a write, or appliers that commit in order."""
    ordered = [actor for actor in by_commit_order.waiters(draft) if actor in others]
    committing = ordered or [
        actor for actor in others if _AT_COMMIT.match((actor.session or {}).get("state") or "")
    ]
    for actor in committing[:HOLDERS_SHOWN]:
        draft.hold(
            granting,
            actor,
            note="inferred: has its lock for the commit and waits for "
            + ("the transaction before it" if ordered else "the end of its commit"),
            lines=actor.session or actor.trx or actor.stack,
            inferred=True,
            confidence=_COMMITS,
        )
    guess = lock_holders.guess_blocking_write(others, queued | draft.waiting, waited)
    if guess is None and not committing:
        guess = lock_holders.guess_table_locker(others, waited)
    if guess is not None:
        draft.hold(
            granting,
            guess.actor,
            note=f"inferred: {guess.why}",
            lines=guess.row,
            inferred=True,
            confidence=guess.confidence,
        )
    elif not committing:
        draft.notes[f"What delays the {queue.label} is unknown."] = None


def _latch_of_dump(draft: Draft, latch: str | None) -> Resource | None:
    """Return the dump's latch with this id if it lists exactly one, so both waits are merged."""
    known = [resource for resource in draft.resources.values() if latch and resource.latch == latch]
    return known[0] if len(known) == 1 else None


def drop_own_waiters(draft: Draft) -> None:
    """Drop those who serve a queue and wait behind it themselves: others serve it, or nobody.

    Whoever finishes first lets the queue go on, so a way back to it is no deadlock.
    """
    passing = {f"queue:{name}" for name in queues.PASSING} & draft.resources.keys()
    if not passing:
        return
    ahead: defaultdict[str, list[str]] = defaultdict(list)
    for edge in draft.edges:
        ahead[edge.source].append(edge.target)
    components = strong_components([*draft.resources, *draft.scene.actors], ahead)
    of = {name: number for number, members in enumerate(components) for name in members}
    draft.edges = [
        edge
        for edge in draft.edges
        if edge.source not in passing
        or edge.kind != "held_by"
        or of[edge.source] != of.get(edge.target)
    ]


__all__ = ["GLOBAL_LOCKS", "drop_own_waiters", "unlisted"]
