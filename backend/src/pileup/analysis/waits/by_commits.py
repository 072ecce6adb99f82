"""The commit: who waits in its queue, who leads it, and who is in the flush of a log.

Chain: a session waits for the commit queue, the queue for the one at its head, and where that one
is in fsync, for the flush; a session in the prepare phase waits for the redo flush itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from pileup.analysis.evidence.scene import Actor
from pileup.analysis.stacks import commit_queue, instruments
from pileup.analysis.stacks.log_flushes import Log, flushes, leads_flush_stage, waits_for_redo
from pileup.analysis.waits import by_instruments
from pileup.analysis.waits.draft import BY_STACK, BY_STATE, Draft, Resource

_BY_LEADING_STACK = 0.9
_BY_FLUSHER, _BY_DUMP = 0.7, 0.6
PENDING = ("innodb.pending_log_fsyncs", "innodb.pending_log_flushes", "innodb.pending_log_ios")
"""What a dump counts of flushes of the redo log that were asked for and are not done."""
_IN_FSYNC = 8
_STORAGE = "Ends when the storage says that the bytes are safe."


def commits(draft: Draft) -> None:
    """The commit queue with its head, and the flushes of the redo and the binary log."""
    _without_ids(draft)
    in_flush: defaultdict[Log, list[Actor]] = defaultdict(list)
    for actor in draft.scene.actors.values():
        if log := _flush_of(actor):
            in_flush[log].append(actor)
    _redo(draft, in_flush)
    waiters = [
        actor
        for actor in draft.scene.actors.values()
        if actor.id not in draft.waiting and commit_queue.waits_for_commit(actor)
    ]
    leaders = dict(_leaders(draft))
    waiters = [waiter for waiter in waiters if waiter.id not in leaders]
    if waiters:
        queue = _queue(draft, waiters, _busy(draft))
        if leaders:
            # One works at the head; full-text sync explains the queue better than a flush.
            words, leader = min(
                leaders.values(), key=lambda leader: ("full-text" not in leader[0], leader[1].id)
            )
            _lead(draft, queue, leader, words)
        elif flushing := in_flush.get("binary log") or in_flush.get("redo log"):
            _behind_a_flush(draft, queue, flushing[0])
        elif (row := _pending(draft)) is not None:
            _by_dump(draft, queue, row)
        else:
            draft.notes[
                "No stack shows who leads the commit queue: collect gdb stacks or pt-pmp."
            ] = None
    _many(draft, in_flush)


def _without_ids(draft: Draft) -> None:
    """Whoever leads or flushes is a thread, too: of pt-pmp without ids, or of the background."""
    for row in draft.scene.event_waits:
        if row["session_id"] is None and row["ps_thread_id"] and instruments.counts(row):
            draft.owner(row).event = row
    if draft.scene.stacks_alone:
        return
    for stack in draft.scene.stacks:
        functions = [frame["function"] for frame in stack["frames"]]
        if stack["threads"] or not (commit_queue.leads(functions) or flushes(functions)):
            continue
        actor = Actor(f"stack:{stack['line_first']}", stack=stack)
        actor.join("a stack without thread ids: which session it is, nothing says", 0.5)
        draft.scene.actors[actor.id] = actor


def _flush_of(actor: Actor) -> Log | None:
    """The log that a thread flushes, by its stack, else by performance_schema."""
    if actor.stack:
        return flushes(actor.functions)
    return instruments.flushes(actor.event) if actor.event is not None else None


def _busy(draft: Draft) -> frozenset[str]:
    """Stages of the group commit that a stack works in."""
    found = [[frame["function"] for frame in stack["frames"]] for stack in draft.scene.stacks]
    return commit_queue.occupied(found)


def _leaders(draft: Draft) -> Iterator[tuple[str, tuple[str, Actor]]]:
    for actor in draft.scene.actors.values():
        if not actor.stack:
            if _flush_of(actor) == "binary log":
                yield actor.id, ("flushes the binary log to disk", actor)
            continue
        if words := commit_queue.leads(actor.functions):
            yield actor.id, (words, actor)
        elif waits_for_redo(actor.functions) and leads_flush_stage(actor.functions):
            yield actor.id, ("waits for the redo log to be flushed for its whole group", actor)


def _queue(draft: Draft, waiters: list[Actor], busy: frozenset[str]) -> Resource:
    queue = draft.resources.setdefault(
        "commit",
        Resource(
            "commit",
            "commit",
            "commit queue",
            "binary log group commit and redo flush",
            meaning="Commits wait for the one at the head to write and flush the logs.",
        ),
    )
    for actor in waiters:
        row = actor.session or actor.stack or actor.event or actor.trx
        assert row is not None
        waited = (actor.session or {}).get("time_s")
        where, note, confidence = _stage(actor, busy)
        draft.wait(
            actor,
            queue,
            mode=where.partition(" (")[0] or None,
            waited_s=waited,
            position=where.partition(" (")[0],
            note=note,
            confidence=confidence,
            locators=[draft.lines(row)],
        )
    return queue


def _stage(actor: Actor, busy: frozenset[str]) -> tuple[str, str, float]:
    """Where in the commit a thread waits, how that is known, and how sure it is."""
    if actor.functions:
        where = commit_queue.follower_stage(actor.functions, busy)
        return where, where, BY_STACK
    event = actor.event
    if event is not None and (by_event := instruments.stage_of(event["event"])):
        note = f"{by_event}: waits for {event['event']} by performance_schema"
        return by_event, note, by_instruments.sure(event)
    if where := commit_queue.stage_by_transaction(actor.trx):
        return where, f"{where}, by its State and its transaction", BY_STATE
    return "", "by its State, which names no stage", BY_STATE


def _lead(draft: Draft, queue: Resource, leader: Actor, words: str) -> None:
    """The head of the queue; through the flush that it is in, where it is in one."""
    log = None if "full-text" in words else _flush_of(leader)
    by = "by its stack" if leader.stack else "by performance_schema"
    held = queue
    if log is not None:
        held = _fsync(draft, log)
        draft.hold(
            queue,
            held,
            note=f"the one at its head is in this flush ({words})",
            lines=leader.stack or leader.event,
            confidence=_BY_LEADING_STACK,
        )
    draft.hold(
        held,
        leader,
        note=f"{words}, {by}",
        lines=leader.stack or leader.event,
        confidence=_BY_LEADING_STACK,
    )


def _behind_a_flush(draft: Draft, queue: Resource, flusher: Actor) -> None:
    """No stack leads the queue, but one is in the flush of a log: commits wait for it, likely."""
    log = _flush_of(flusher)
    assert log is not None
    flush = _fsync(draft, log)
    draft.hold(
        queue,
        flush,
        note=f"inferred: a thread is in the flush of the {log} while sessions wait for the commit",
        lines=flusher.stack or flusher.event,
        inferred=True,
        confidence=_BY_FLUSHER,
    )
    by = "by its stack" if flusher.stack else "by performance_schema"
    draft.hold(
        flush,
        flusher,
        note=f"flushes the {log} to disk, {by}",
        lines=flusher.stack or flusher.event,
        confidence=_BY_LEADING_STACK,
    )


def _redo(draft: Draft, in_flush: dict[Log, list[Actor]]) -> None:
    """Threads that wait for another's flush of the redo log, where a stack is in that flush."""
    flushing = in_flush.get("redo log", [])
    if not flushing:
        return
    for actor in list(draft.scene.actors.values()):
        if actor.id in draft.waiting or not actor.stack or not waits_for_redo(actor.functions):
            continue
        redo = _fsync(draft, "redo log")
        where = commit_queue.stage(actor.functions)
        draft.wait(
            actor,
            redo,
            waited_s=(actor.session or {}).get("time_s"),
            position=where,
            note=where,
            confidence=BY_STACK,
            locators=[draft.lines(actor.stack)],
        )
        for item in flushing[:_IN_FSYNC]:
            by = "by its stack" if item.stack else "by performance_schema"
            draft.hold(
                redo,
                item,
                note=f"flushes the redo log to disk, {by}",
                lines=item.stack or item.event,
                confidence=_BY_LEADING_STACK,
            )


def _many(draft: Draft, in_flush: dict[Log, list[Actor]]) -> None:
    """Several threads in flushes of their own, nobody behind them: they wait for the storage."""
    for log, actors in in_flush.items():
        if f"fsync:{log}" in draft.resources or len(actors) < 2:
            continue
        flush = _fsync(draft, log)
        for actor in actors:
            if actor.id in draft.waiting:
                continue
            row = actor.stack or actor.event
            assert row is not None
            draft.wait(
                actor,
                flush,
                note="is in fsync: the storage has not answered",
                confidence=BY_STACK,
                locators=[draft.lines(row)],
            )


def _by_dump(draft: Draft, queue: Resource, row: dict[str, object]) -> None:
    """No stack, but the dump counts a flush that is not done: the queue hangs on it, likely."""
    redo = _fsync(draft, "redo log")
    redo.inferred = True
    redo.detail = (
        f"inferred: the dump counts {row['value']:.0f} pending flush of the redo log while "
        "sessions wait for the commit; no stack shows whose"
    )
    draft.hold(
        queue,
        redo,
        note=f"inferred: {row['series']} is {row['value']:.0f} in this dump",
        lines=row,
        inferred=True,
        confidence=_BY_DUMP,
    )


def _pending(draft: Draft) -> dict[str, object] | None:
    """The dump's own count of pending flushes, when it is above zero."""
    dump, samples = draft.scene.dump, draft.evidence.frame("sample")
    if dump is None or samples is None:
        return None
    rows = samples.filter(
        (pl.col("artifact") == dump["artifact"])
        & pl.col("series").cast(pl.String).is_in(PENDING)
        & pl.col("line_first").is_between(dump["line_first"], dump["line_last"])
        & (pl.col("value") > 0)
    )
    if rows.is_empty():
        return None
    row = rows.sort("line_first").row(0, named=True)
    return {**row, "line_last": row["line_first"]}


def _fsync(draft: Draft, log: Log) -> Resource:
    name = f"fsync:{log}"
    return draft.resources.setdefault(
        name, Resource(name, "fsync", f"fsync of the {log}", _STORAGE, meaning=_STORAGE)
    )


__all__ = ["PENDING", "commits"]
