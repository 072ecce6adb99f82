"""Queues that no dump lists: slots, caches, table and global locks (``queues``)."""

from __future__ import annotations

from collections import defaultdict

from pileup.analysis.evidence.scene import Actor
from pileup.analysis.evidence.statements import tables_of
from pileup.analysis.stacks import queues
from pileup.analysis.waits import lock_holders
from pileup.analysis.waits.draft import BY_STACK, BY_STATE, PRINTED, Draft, Resource
from pileup.analysis.waits.lock_holders import Guess

HOLDERS_SHOWN = 8
_INSIDE_BY_STACK = 0.8
_FIRST_IN_QUEUE = 0.8
GLOBAL_LOCKS = ("global-read-lock", "commit-lock", "backup-lock")
_OF_TABLES = ("table-lock", "metadata-lock")


def unlisted(draft: Draft) -> None:
    """Every queue in which somebody stands, with its holder where one is inside or guessed."""
    standing: defaultdict[str, list[Actor]] = defaultdict(list)
    for actor in list(draft.scene.actors.values()):
        if actor.id not in draft.waiting and (queue := queues.waits_in(actor)):
            standing[queue.id].append(actor)
    waiting = {actor.id for actors in standing.values() for actor in actors}
    for queue in queues.QUEUES:
        if members := standing.get(queue.id):
            _queue(draft, queue, members, waiting)


def _queue(draft: Draft, queue: queues.Queue, members: list[Actor], standing: set[str]) -> None:
    resource = _latch_of_dump(draft, queue.latch) or draft.resources.setdefault(
        f"queue:{queue.id}",
        Resource(f"queue:{queue.id}", "queue", queue.label, meaning=queue.meaning),
    )
    inside = {member.id for member in members}
    others = [actor for actor in draft.scene.actors.values() if actor.id not in inside]
    taker = next((member for member in members if lock_holders.takes(queue.id, member)), None)
    if taker is not None:
        members = [member for member in members if member is not taker]
        _ask_first(draft, queue, resource, taker, others, standing, alone=not members)
    for actor in members:
        row = actor.session or actor.trx or actor.stack
        assert row is not None
        draft.wait(
            actor,
            resource,
            waited_s=(actor.session or {}).get("time_s"),
            note="by its stack" if actor.functions else "by its State",
            confidence=BY_STACK if actor.functions else BY_STATE,
            locators=[draft.lines(row)],
        )
    if taker is not None:
        return
    guesses = _holders(draft, queue, members, others, standing)
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
        draft.notes[f"Nothing that was captured names who holds the {queue.label}."] = None


def _holders(
    draft: Draft,
    queue: queues.Queue,
    members: list[Actor],
    others: list[Actor],
    standing: set[str],
) -> list[Guess]:
    inside = queues.inside(queue, others)[:HOLDERS_SHOWN]
    if inside:
        sure = PRINTED if queue.id == "concurrency" else _INSIDE_BY_STACK
        return [
            Guess(actor, how, sure, actor.stack or actor.session or actor.trx)
            for actor, how in inside
        ]
    longest = max(((member.session or {}).get("time_s") or 0.0 for member in members), default=0.0)
    waiting = standing | draft.waiting
    if queue.id in GLOBAL_LOCKS:
        # who runs the statement may wait itself, for a table to be closed
        listed = [(row, draft.owner(row)) for row in draft.scene.metadata_locks]
        guess = lock_holders.of_global_lock(queue.id, others, longest, listed)
    elif queue.id in _OF_TABLES:
        names = frozenset().union(*(tables_of(member.query or "") for member in members))
        guess = lock_holders.of_table(names, others, longest, waiting)
    elif queue.oldest:
        guess = lock_holders.oldest(others, longest, waiting)
    else:
        guess = None
    return [guess] if guess else []


def _ask_first(
    draft: Draft,
    queue: queues.Queue,
    resource: Resource,
    taker: Actor,
    others: list[Actor],
    standing: set[str],
    *,
    alone: bool,
) -> None:
    """The session that asks for a global lock waits itself; all who came later wait behind it.

    A pending request for the lock goes before every later write (MDL_scoped_lock's waiting matrix).
    """
    row = taker.session or taker.trx
    assert row is not None
    waited = (taker.session or {}).get("time_s")
    asked = draft.resources.setdefault(
        f"{resource.id}:granting",
        Resource(
            f"{resource.id}:granting",
            "queue",
            f"granting of the {queue.label}",
            meaning="Granted when every statement that writes, and began before, has ended.",
        ),
    )
    draft.wait(
        taker,
        asked,
        waited_s=waited,
        note="by its State",
        confidence=BY_STATE,
        locators=[draft.lines(row)],
    )
    if not alone:
        draft.hold(
            resource,
            taker,
            note="inferred: its request for the lock stands first, and later writes wait behind it",
            lines=row,
            inferred=True,
            confidence=_FIRST_IN_QUEUE,
        )
    guess = lock_holders.writers(others, standing | draft.waiting, waited or 0.0)
    if guess is None:
        draft.notes[f"Nothing that was captured names what keeps the {queue.label} from it."] = None
        return
    draft.hold(
        asked,
        guess.actor,
        note=f"inferred: {guess.why}",
        lines=guess.row,
        inferred=True,
        confidence=guess.confidence,
    )


def _latch_of_dump(draft: Draft, latch: str | None) -> Resource | None:
    """The latch as the dump lists it, when it lists one alone: its waiters are one crowd."""
    known = [resource for resource in draft.resources.values() if latch and resource.latch == latch]
    return known[0] if len(known) == 1 else None


__all__ = ["GLOBAL_LOCKS", "unlisted"]
