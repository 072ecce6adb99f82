"""Infer the holder of a lock that no source names, with a confidence and a reason.

A processlist shows table, metadata and global locks only by their waiters (``Waiting for ...
lock``). The holder is a session that does not wait, started before the first waiter, and runs or
ran a statement that takes such a lock. Fewer candidates raise the confidence.
Source: MDL_context::acquire_lock (mdl.cc), Global_read_lock (lock.cc), thr_lock.c.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pileup.analysis.evidence.actors import Actor, Row
from pileup.analysis.evidence.statements import (
    BACKUP_LOCK,
    BACKUP_TOOL,
    GLOBAL_READ_LOCK,
    opening,
    tables_of,
)
from pileup.knowledge import wait_classes

_IDLE = ("Sleep",)
_SERVANTS = ("Daemon", "Binlog Dump", "Binlog Dump GTID", "Connect", "Slave_SQL", "Slave_IO")
_SLACK_S = 1.0
"""Tolerance (s), because printed seconds are truncated."""
_MOST_IDLE = 3
"""Most idle sessions among which choosing one is more than luck."""
_LONG_S = 5.0
"""Seconds of the longest wait from which on it is no chance who became idle just before it."""
_TAKES = {
    "global-read-lock": GLOBAL_READ_LOCK,
    "commit-lock": GLOBAL_READ_LOCK,
    "backup-lock": BACKUP_LOCK,
}
_NAMED = {
    "global-read-lock": ("GLOBAL", "GLOBAL READ LOCK"),
    "commit-lock": ("COMMIT", "COMMIT LOCK"),
    "backup-lock": ("BACKUP LOCK", "BACKUP"),
}
_OF_STATEMENTS = frozenset(
    {
        *("INTENTION_EXCLUSIVE", "SHARED_READ"),
        *("BACKUP_DML", "BACKUP_TRANS_DML", "BACKUP_SYS_DML", "BACKUP_COMMIT"),
        *("BACKUP_DDL", "BACKUP_ALTER_COPY"),
    }
)
"""Modes in which every statement holds a lock of the whole server, beside others."""


@dataclass(frozen=True, slots=True)
class Guess:
    actor: Actor
    why: str
    confidence: float
    row: Row | None
    """The record that supports it."""
    inferred: bool = True


def takes_global_lock(queue: str, actor: Actor) -> bool:
    """Return whether a session runs the statement that takes this global lock."""
    wanted = _TAKES.get(queue)
    return bool(wanted and actor.query and wanted.match(actor.query))


def guess_global_lock_holder(
    queue: str, others: Sequence[Actor], longest: float, listed: Iterable[tuple[Row, Actor]]
) -> Guess | None:
    """Find the holder of the global read, commit or backup lock; None: no candidate.

    others: sessions that do not wait for it. longest: longest wait (s). listed: rows of
    metadata_locks with their owners.
    """
    for row, owner in listed:
        granted = row["object_type"] in _NAMED[queue] and row["status"] == "GRANTED"
        if granted and row["mode"] not in _OF_STATEMENTS:
            why = f"holds it ({row['mode']}) by metadata_locks"
            return Guess(owner, why, 0.95, row, inferred=False)
    for actor in others:
        if takes_global_lock(queue, actor):
            return Guess(actor, f"runs {opening(actor.query)}", 0.9, actor.session or actor.trx)
    backup = [
        actor for actor in others if _is_backup(actor) and _since(actor) + _SLACK_S >= longest
    ]
    if backup:
        why = "its user or statement belongs to a backup, which takes this lock first"
        return _choose_oldest(backup, why, 0.6)
    return _idle(others, longest)


def guess_table_holder(
    tables: frozenset[str], others: Sequence[Actor], longest: float, waiting: set[str]
) -> Guess | None:
    """Find the holder of a table or metadata lock: a session that used it before the first wait."""
    free = [actor for actor in others if actor.id not in waiting]
    running = [actor for actor in free if _runs(actor) and _since(actor) + _SLACK_S >= longest]
    same = [actor for actor in running if tables & tables_of(actor.query or "")]
    if same:
        name = ", ".join(sorted(tables & tables_of(same[0].query or "")))
        return _choose_oldest(
            same, f"has run a statement on {name} since before the first wait", 0.85
        )
    blocked = [
        actor
        for actor in others
        if actor.id in waiting and _runs(actor) and _since(actor) + _SLACK_S >= longest
        if tables & tables_of(actor.query or "") and not _waits_for_metadata(actor)
    ]
    if blocked:
        why = "has waited elsewhere since before the first wait, in a statement on this table"
        return _choose_oldest(blocked, why, 0.6)
    idle = [
        actor
        for actor in free
        if actor.trx
        and not _runs(actor)
        and actor.trx["state"].startswith("ACTIVE")
        and (actor.trx["active_s"] or 0.0) + _SLACK_S >= longest
    ]
    if idle:
        return _choose_oldest(idle, "an idle transaction that began before the first wait", 0.65)
    if running:
        return _choose_oldest(running, "runs longest of the sessions that do not wait", 0.4)
    return _idle(free, longest)


_CHANGES_SCHEMA = re.compile(
    r"\s*(?:alter|create|drop|truncate|rename|optimize|repair)\b", re.IGNORECASE
)
_DROPS = re.compile(
    r"\s*(?:drop|truncate)\b|\s*alter\s+(?:ignore\s+)?table\b.{1,200}\b(?:drop|truncate)\s+partition\b",
    re.IGNORECASE | re.DOTALL,
)


def guess_schema_change(
    others: Sequence[Actor], waits: Sequence[float], waiting: set[str], *, drops: bool
) -> Guess | None:
    """Find the schema change that has run since before the first wait; drops: only one that drops.

    A drop keeps the lock of the table cache, or the dictionary behind it; a cluster in total order
    isolation lets nobody commit beside it. Drops follow each other, so one that began before most
    of the waits counts as well. waits: how long each has waited (s).
    """
    wanted = _DROPS if drops else _CHANGES_SCHEMA
    running = [
        actor
        for actor in others
        if actor.id not in waiting and _runs(actor) and wanted.match(actor.query or "")
    ]  # fmt: skip
    why = "has dropped a table" if drops else "has changed the schema"
    usual = statistics.median(waits) if waits else 0.0
    for least, sure, when in (
        (max(waits, default=0.0), 0.65, "the first wait"),
        (usual, 0.55, "most of the waits"),
    ):
        older = [actor for actor in running if _since(actor) + _SLACK_S >= least]
        if older:
            return _choose_oldest(older, f"{why} since before {when}", sure)
        if not drops:
            break
    return None


def guess_table_locker(others: Sequence[Actor], waited: float) -> Guess | None:
    """Find an idle session that may hold what delays a global lock, where no statement does."""
    return _idle(others, waited, "no running statement delays it")


def guess_user_lock_holder(
    members: Sequence[Actor], others: Sequence[Actor], longest: float, waiting: set[str]
) -> Guess | None:
    """Find a session of the user of all that wait for a user lock, alone at work for as long.

    Whoever took it may run anything since, or nothing: without one at work, an idle one.
    """
    users = {(actor.session or {}).get("user") for actor in members}
    if len(users) != 1 or None in users:
        return None
    running = [
        actor
        for actor in others
        if actor.id not in waiting and _runs(actor) and _since(actor) + _SLACK_S >= longest
        and (actor.session or {}).get("user") in users and _works(actor)
    ]  # fmt: skip
    why = "its user is that of those that wait, and it has run since before the first wait"
    if running:
        return _choose_oldest(running, why, 0.55) if len(running) == 1 else None
    same = [actor for actor in others if (actor.session or {}).get("user") in users]
    return _idle(same, longest, "no session of their user has run since before the first wait")


def _works(actor: Actor) -> bool:
    row = actor.session or {}
    return wait_classes.of_state(row.get("command"), row.get("state")) == wait_classes.WORKING


def guess_longest_running(
    others: Sequence[Actor], longest: float, waiting: set[str]
) -> Guess | None:
    """Find a session that does not wait and has run at least as long as the longest wait."""
    free = [actor for actor in others if actor.id not in waiting and _runs(actor)]
    free = [actor for actor in free if _since(actor) >= longest]
    return (
        _choose_oldest(free, "runs longest of the sessions that do not wait", 0.5) if free else None
    )


def guess_blocking_write(
    others: Sequence[Actor], waiting: set[str], longest: float
) -> Guess | None:
    """Find the running write that delays the grant of a global read lock."""
    write = re.compile(
        r"\s*(?:(?:insert|update|delete|replace|load|alter|create|drop|truncate|call|commit)\b"
        r"|select\b.{1,4000}\bfor\s+update\b)",
        re.IGNORECASE | re.DOTALL,
    )
    running = [
        actor
        for actor in others
        if actor.id not in waiting and _runs(actor) and write.match(actor.query or "")
        and _since(actor) + _SLACK_S >= longest
    ]  # fmt: skip
    return (
        _choose_oldest(running, "writes since before the lock was requested", 0.7)
        if running
        else None
    )


def _choose_oldest(actors: list[Actor], why: str, sure: float) -> Guess:
    """Choose the oldest candidate; more candidates lower the confidence."""
    chosen = max(actors, key=lambda actor: (_since(actor), actor.id))
    others = len(actors) - 1
    more = f"; {others} other candidate{'s' if others > 1 else ''}" if others else ""
    row = chosen.session or chosen.trx or chosen.stack
    return Guess(chosen, why + more, round(sure / (1 + 0.5 * others), 2), row)


_NO_TAKER = "no running statement takes this lock"


def _idle(others: Sequence[Actor], longest: float, reason: str = _NO_TAKER) -> Guess | None:
    """Choose a session that was idle before the first wait, if no statement takes the lock."""
    idle = [
        actor
        for actor in others
        if actor.session
        and actor.session["command"] in _IDLE
        and (actor.session["time_s"] or 0.0) + _SLACK_S >= longest
    ]
    just_then = [actor for actor in idle if _since(actor) <= longest + _SLACK_S]
    if longest >= _LONG_S and len(just_then) == 1:
        (chosen,) = just_then
        why = f"{reason}; its last statement ended just before the first wait, and no other's did"
        return Guess(chosen, why, 0.5, chosen.session)
    if not 0 < len(idle) <= _MOST_IDLE:
        return None
    # a session that took the lock just before the first wait is idle hardly longer than that wait,
    # and one that is idle for less only if its seconds were cut
    chosen = min(idle, key=lambda actor: (_since(actor) < longest, _since(actor), actor.id))
    count = "the only one" if len(idle) == 1 else f"one of {len(idle)}"
    why = f"{reason}, so an idle session must hold it; {count} that was idle before the first wait"
    return Guess(chosen, why, round(0.45 / len(idle), 2), chosen.session)


def _waits_for_metadata(actor: Actor) -> bool:
    return "metadata lock" in str((actor.session or {}).get("state"))


def _is_backup(actor: Actor) -> bool:
    names = ((actor.session or {}).get("user"), (actor.query or "")[:200])
    if str((actor.session or {}).get("command")).lower() == "clone":
        return True  # a copy of the whole server takes the backup lock first
    return any(BACKUP_TOOL.search(str(text)) for text in names if text)


def _runs(actor: Actor) -> bool:
    command = (actor.session or {}).get("command")
    at_work = bool(actor.query) and command not in (*_IDLE, *_SERVANTS)
    return at_work and not wait_classes.is_collector(actor.query)


def _since(actor: Actor) -> float:
    """Return the seconds since the session's current activity began."""
    if actor.session is not None:
        return float(actor.session["time_s"] or 0.0)
    return float((actor.trx or {}).get("active_s") or 0.0)


__all__ = [
    "Guess",
    "guess_blocking_write",
    "guess_global_lock_holder",
    "guess_longest_running",
    "guess_schema_change",
    "guess_table_holder",
    "guess_table_locker",
    "guess_user_lock_holder",
    "takes_global_lock",
]
