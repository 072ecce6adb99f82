"""Which waiting threads of a moment count, so that no session counts twice.

A status dump, a processlist and a stack sample are views of the same sessions. Where no id joins
them, the same session is several nodes of the wait graph: a thread of the dump that waits for a
latch, and a listed session whose State says something else. No more of them count than the largest
view has sessions that wait, or whose State leaves room for a wait. Those that do not count are
not drawn where only a vague State says that they wait, or where others wait for the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from pileup.analysis.evidence.actors import Actor, Row
from pileup.knowledge import wait_classes

_JOINED, _PRINTED, _BY_STACK, _BY_STATE = range(4)
"""What is known of a waiting thread, the surest first; the last one is the first not to count."""


def is_background(actor: Actor) -> bool:
    """Return whether a thread is the server's own, by its stack."""
    if actor.session_id is not None or actor.trx is not None or actor.stack is None:
        return False
    return wait_classes.is_background(tuple(actor.functions))


def counted(actors: Mapping[str, Actor], waiting: frozenset[str]) -> frozenset[str]:
    """Return those of ``waiting`` that count: each session once, in whatever layers it is.

    Background threads count where only they wait.
    """
    sessions = frozenset(name for name in waiting if not is_background(actors[name])) or waiting
    most = _most(actors, sessions)
    if most is None or len(sessions) <= most:
        return sessions
    order = sorted(sessions, key=lambda name: (_known(actors[name]), name))
    return frozenset(order[:most])


def _most(actors: Mapping[str, Actor], waiting: frozenset[str]) -> int | None:
    """Return how many sessions wait at most, by the largest layer; None: nothing lists sessions."""
    rows = [(name, actor.session) for name, actor in actors.items() if actor.session is not None]
    listed = sum(name in waiting or _may_wait(row) for name, row in rows)
    of_dump = sum(bool(actors[name].trx or actors[name].waits) for name in waiting)
    by_stack = sum(_is_by_stack(actors[name]) for name in waiting)
    if not rows:
        named = sum(actor.trx is not None for actor in actors.values())
        if not named:
            return None
        listed = named + sum(actors[name].trx is None for name in waiting) - by_stack
    return max(listed, of_dump, by_stack)


def _known(actor: Actor) -> int:
    row = actor.session
    if row is None:
        return _BY_STACK if _is_by_stack(actor) else _PRINTED
    alone = not (actor.trx or actor.waits or actor.stack or actor.event)
    if alone and wait_classes.of_state(row["command"], row["state"]) in wait_classes.VAGUE:
        return _BY_STATE
    return _JOINED


def is_guess(actor: Actor) -> bool:
    """Return whether only a vague State says that a session waits: 'updating', 'statistics'."""
    return _known(actor) == _BY_STATE


def _is_by_stack(actor: Actor) -> bool:
    """Return whether only a stack shows a thread."""
    return not (actor.session or actor.trx or actor.waits) and actor.session_id is None


def _may_wait(session: Row) -> bool:
    if wait_classes.is_collector(session["query"]):
        return False
    return wait_classes.of_state(session["command"], session["state"]) in wait_classes.VAGUE


__all__ = ["counted", "is_background", "is_guess"]
