"""Who must hold a lock that nothing names: a guess, with how sure it is and why.

Table, metadata and global locks show in a processlist by their waiters alone (``Waiting for ...
lock``). Their holder is a session that does not wait, was there before the first waiter, and runs
or ran what takes such a lock. The fewer of them there are, the surer the guess.
Source: MDL_context::acquire_lock (mdl.cc), Global_read_lock (lock.cc), thr_lock.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pileup.analysis.evidence.scene import Actor, Row
from pileup.analysis.evidence.statements import (
    BACKUP_LOCK,
    BACKUP_TOOL,
    GLOBAL_READ_LOCK,
    tables_of,
)

_IDLE = ("Sleep",)
_SERVANTS = ("Daemon", "Binlog Dump", "Binlog Dump GTID", "Connect", "Slave_SQL", "Slave_IO")
_SLACK_S = 1.0
"""Seconds are cut off when they are printed."""
_MOST_IDLE = 3
"""With more idle sessions than this any of them would be a lucky guess."""
_TAKES = {
    "global-read-lock": GLOBAL_READ_LOCK,
    "commit-lock": GLOBAL_READ_LOCK,
    "backup-lock": BACKUP_LOCK,
}
_NAMED = {"global-read-lock": "GLOBAL", "commit-lock": "COMMIT", "backup-lock": "BACKUP LOCK"}


@dataclass(frozen=True, slots=True)
class Guess:
    actor: Actor
    why: str
    confidence: float
    row: Row | None
    """The line that it rests on."""
    inferred: bool = True


def takes(queue: str, actor: Actor) -> bool:
    """Whether a session runs the statement that takes this global lock."""
    wanted = _TAKES.get(queue)
    return bool(wanted and actor.query and wanted.match(actor.query))


def of_global_lock(
    queue: str, others: Sequence[Actor], longest: float, listed: Iterable[tuple[Row, Actor]]
) -> Guess | None:
    """Holder of the global read, commit or backup lock.

    others: sessions that do not wait for it. listed: rows of metadata_locks with their owners.
    """
    for row, owner in listed:
        granted = row["object_type"] == _NAMED[queue] and row["status"] == "GRANTED"
        if granted and row["mode"] not in ("INTENTION_EXCLUSIVE", "SHARED_READ"):
            why = f"has it in mode {row['mode']} by metadata_locks"
            return Guess(owner, why, 0.95, row, inferred=False)
    for actor in others:
        if takes(queue, actor):
            statement = " ".join((actor.query or "").split())[:60]
            return Guess(actor, f"runs {statement}", 0.9, actor.session or actor.trx)
    backup = [
        actor for actor in others if _is_backup(actor) and _since(actor) + _SLACK_S >= longest
    ]
    if backup:
        why = "its user or its statement is a backup's, which takes this lock first"
        return _one_of(backup, why, 0.6)
    return _idle(others, longest)


def of_table(
    tables: frozenset[str], others: Sequence[Actor], longest: float, waiting: set[str]
) -> Guess | None:
    """Holder of a table or metadata lock: who uses the table since before the first waited."""
    free = [actor for actor in others if actor.id not in waiting]
    running = [actor for actor in free if _runs(actor) and _since(actor) + _SLACK_S >= longest]
    same = [actor for actor in running if tables & tables_of(actor.query or "")]
    if same:
        name = ", ".join(sorted(tables & tables_of(same[0].query or "")))
        return _one_of(same, f"runs a statement on {name} since before the first waited", 0.85)
    idle = [
        actor
        for actor in free
        if actor.trx
        and not _runs(actor)
        and actor.trx["state"].startswith("ACTIVE")
        and (actor.trx["active_s"] or 0.0) + _SLACK_S >= longest
    ]
    if idle:
        return _one_of(idle, "an idle transaction that began before the first waited", 0.65)
    if running:
        return _one_of(running, "runs longest of all that do not wait", 0.4)
    return _idle(free, longest)


def oldest(others: Sequence[Actor], longest: float, waiting: set[str]) -> Guess | None:
    """Who has run at least as long as the longest wait, and does not wait."""
    free = [actor for actor in others if actor.id not in waiting and _runs(actor)]
    free = [actor for actor in free if _since(actor) >= longest]
    return _one_of(free, "runs longest of all that do not wait", 0.5) if free else None


def writers(others: Sequence[Actor], waiting: set[str], longest: float) -> Guess | None:
    """The statement that keeps a global read lock from being granted: a running write."""
    write = re.compile(
        r"\s*(?:insert|update|delete|replace|load|alter|create|drop|truncate|call|commit)\b",
        re.IGNORECASE,
    )
    running = [
        actor
        for actor in others
        if actor.id not in waiting and _runs(actor) and write.match(actor.query or "")
        and _since(actor) + _SLACK_S >= longest
    ]  # fmt: skip
    return _one_of(running, "writes since before the lock was asked for", 0.7) if running else None


def _one_of(actors: list[Actor], why: str, sure: float) -> Guess:
    """The oldest; the more there are, the less sure."""
    chosen = max(actors, key=lambda actor: (_since(actor), actor.id))
    others = len(actors) - 1
    more = f"; {others} other candidate{'s' if others > 1 else ''}" if others else ""
    row = chosen.session or chosen.trx or chosen.stack
    return Guess(chosen, why + more, round(sure / (1 + 0.5 * others), 2), row)


def _idle(others: Sequence[Actor], longest: float) -> Guess | None:
    """No statement takes it: then an idle session does, one that was idle before all waited."""
    idle = [
        actor
        for actor in others
        if actor.session
        and actor.session["command"] in _IDLE
        and (actor.session["time_s"] or 0.0) + _SLACK_S >= longest
    ]
    if not 0 < len(idle) <= _MOST_IDLE:
        return None
    # who took it just before the first waited has been idle hardly longer than that one waits
    chosen = min(idle, key=lambda actor: (_since(actor), actor.id))
    count = "the only one" if len(idle) == 1 else f"one of {len(idle)}"
    why = (
        "no running statement takes this lock, so an idle session must hold it; "
        f"{count} that was idle before the first waited"
    )
    return Guess(chosen, why, round(0.45 / len(idle), 2), chosen.session)


def _is_backup(actor: Actor) -> bool:
    said = ((actor.session or {}).get("user"), (actor.query or "")[:200])
    return any(BACKUP_TOOL.search(str(text)) for text in said if text)


def _runs(actor: Actor) -> bool:
    command = (actor.session or {}).get("command")
    return bool(actor.query) and command not in (*_IDLE, *_SERVANTS)


def _since(actor: Actor) -> float:
    """Seconds that a session has been doing what it does."""
    if actor.session is not None:
        return float(actor.session["time_s"] or 0.0)
    return float((actor.trx or {}).get("active_s") or 0.0)


__all__ = ["Guess", "of_global_lock", "of_table", "oldest", "takes", "writers"]
