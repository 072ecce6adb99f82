"""Join the threads of a moment that no id joins to a session, by what both wait for.

160 stacks below MDL_context::acquire_lock and 160 sessions in "Waiting for table metadata lock" a
few seconds apart are the same 160. Which stack belongs to which session is not known, but what they
wait for is. Threads that work are not joined: their stacks differ.
"""

from __future__ import annotations

from collections import defaultdict

from pileup.analysis.evidence.actors import Actor
from pileup.knowledge import wait_classes
from pileup.numerals import grouped

_LOCKS = frozenset(
    {"metadata_lock", "table_lock", "global_lock", "user_lock", "row_lock", "commit_queue",
     "throttled", "replication", "redo_space"}
)  # fmt: skip
"""Classes in which a State and a stack name the same wait."""
_LOOKS_LIKE = {"metadata_lock": frozenset({"global_lock", "user_lock"})}
"""Locks whose waits have the same innermost functions as another one's."""
BY_WAIT = 0.5
"""Confidence that this stack is this session's."""


def join_by_wait(actors: dict[str, Actor]) -> list[str]:
    """Give sessions the stacks of unnamed threads that wait alike; return what disagrees.

    Of a class of which the stacks show more threads than sessions wait, the surplus is left out:
    a processlist lists every session.
    """
    sessions: defaultdict[str, list[Actor]] = defaultdict(list)
    threads: defaultdict[str, list[Actor]] = defaultdict(list)
    for actor in actors.values():
        named = actor.session is not None or (actor.trx is not None and actor.pthread is None)
        if named and actor.stack is None and not actor.waits:
            sessions[_of_session(actor)].append(actor)
        elif _is_unnamed(actor):
            threads[wait_classes.of_stack(tuple(actor.functions))].append(actor)
    if not any(sessions.values()):
        return []
    notes = []
    for name in sorted(_LOCKS & set(threads)):
        mine = threads[name]
        alike = sorted(_LOOKS_LIKE.get(name, frozenset()) & set(sessions))
        listed = [*sessions.get(name, ()), *(actor for other in alike for actor in sessions[other])]
        if not listed:
            continue
        for thread, session in zip(mine, listed, strict=False):
            _join(session, thread, len(mine), name)
        for thread in mine:
            del actors[thread.id]
        if len(mine) > len(listed):
            notes.append(
                f"The stacks show {grouped(len(mine))} threads that wait for a {_title(name)}, the "
                f"processlist {grouped(len(listed))} sessions: they were taken seconds apart."
            )
    return notes


def _is_unnamed(actor: Actor) -> bool:
    named = actor.session_id is not None or bool(actor.session or actor.trx or actor.waits)
    return actor.stack is not None and not named


def _of_session(actor: Actor) -> str:
    if actor.lock_wait:
        return "row_lock"
    if actor.session is not None:
        return wait_classes.of_state(actor.session["command"], actor.session["state"])
    return wait_classes.of_state("Query", (actor.trx or {}).get("thread_state"))


def _join(session: Actor, thread: Actor, count: int, name: str) -> None:
    session.stack = thread.stack
    if session.pthread is None:
        session.pthread = thread.pthread
    alike = f"one of {count} stacks" if count > 1 else "the only stack"
    session.join(f"{alike} that wait{'' if count > 1 else 's'} for a {_title(name)}", BY_WAIT)


def _title(name: str) -> str:
    titles = {each.id: each.title.lower() for each in wait_classes.time_classes()}
    return titles.get(name, name)


__all__ = ["join_by_wait"]
