"""Commit waits: the sessions in the commit queue, its leader, and the log flushes.

Chain: a session waits for the commit queue, the queue for its leader and, when the leader is in
fsync, for the flush; a session in the prepare phase waits for the redo flush itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from pileup.analysis.evidence.actors import Actor
from pileup.analysis.stacks import commit_queue, instruments
from pileup.analysis.stacks.log_flushes import Log, flushes, leads_flush_stage, waits_for_redo
from pileup.analysis.waits import by_instruments
from pileup.analysis.waits.draft import BY_STACK, BY_STATE, Draft, Resource

_BY_LEADING_STACK = 0.9
_BY_FLUSHER, _BY_HELD, _BY_REPLY, _BY_DUMP = 0.7, 0.65, 0.65, 0.6
_TAKEN_IN_COMMIT = "fts_cache_lock"
"""A commit takes it exclusively, in its place of the queue, to add the words of its rows."""
PENDING = ("innodb.pending_log_fsyncs", "innodb.pending_log_flushes", "innodb.pending_log_ios")
"""Counters of a dump for requested flushes of the redo log that are not finished."""
_IN_FSYNC = 8
_STORAGE = "Ends when the storage confirms the write."
_LEADER_UNKNOWN = "No stack shows who leads the commit queue: collect gdb stacks or pt-pmp."
_REPLIES = ("queue:semisync", "queue:galera")
"""Replies of other servers for which a commit waits in its place of the queue."""


def commits(draft: Draft) -> None:
    """Add the commit queue, its leader, and the flushes of the redo and the binary log."""
    _without_ids(draft)
    in_flush: defaultdict[Log, list[Actor]] = defaultdict(list)
    for actor in draft.scene.actors.values():
        if log := _flushed_log(actor):
            in_flush[log].append(actor)
    _redo(draft, in_flush)
    waiters = [
        actor
        for actor in draft.scene.actors.values()
        if actor.id not in draft.waiting and commit_queue.waits_for_commit(actor)
    ]
    leaders = dict(_leaders(draft))
    cache, holders = _held_in_commit(draft)
    waiters = [waiter for waiter in waiters if waiter.id not in holders.union(leaders)]
    if waiters:
        queue = _queue(draft, waiters, _busy(draft))
        if leaders:
            # Full-text sync explains the queue better than a flush.
            words, leader = min(
                leaders.values(), key=lambda leader: ("full-text" not in leader[0], leader[1].id)
            )
            _lead(draft, queue, leader, words)
        elif flushing := in_flush.get("binary log") or in_flush.get("redo log"):
            _behind_a_flush(draft, queue, flushing[0])
        elif cache is not None:
            draft.hold(
                queue,
                cache,
                note="inferred: a commit takes this lock, and a thread holds it exclusively "
                "while sessions wait for the commit",
                lines=None,
                inferred=True,
                confidence=_BY_HELD,
            )
        elif (row := _pending(draft)) is not None:
            _by_dump(draft, queue, row)
        else:
            draft.notes[_LEADER_UNKNOWN] = None
    _many(draft, in_flush)


def behind_a_reply(draft: Draft) -> None:
    """Infer that commits wait for the one that waits longest for a replica or for the cluster."""
    queue = draft.resources.get("commit")
    if queue is None or any(edge.source == queue.id for edge in draft.edges):
        return
    waits = [edge for edge in draft.edges if edge.kind == "waits_for" and edge.target in _REPLIES]
    if not waits:
        return
    first = max(waits, key=lambda edge: edge.waited_s or 0.0)
    leader = draft.scene.actors[first.source]
    reply = draft.resources[first.target].label
    draft.hold(
        queue,
        leader,
        note=f"inferred: commits in order, and waits longest for the {reply.removeprefix('the ')}",
        lines=leader.session or leader.trx or leader.stack,
        inferred=True,
        confidence=_BY_REPLY,
    )
    draft.notes.pop(_LEADER_UNKNOWN, None)


def _without_ids(draft: Draft) -> None:
    """Add leading and flushing threads without ids: pt-pmp stacks and background threads."""
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
        actor.join("a stack without thread ids: its session is unknown", 0.5)
        draft.scene.actors[actor.id] = actor


def _flushed_log(actor: Actor) -> Log | None:
    """Return the log that a thread flushes, by its stack, else by performance_schema."""
    if actor.stack:
        return flushes(actor.functions)
    return instruments.flushes(actor.event) if actor.event is not None else None


def _busy(draft: Draft) -> frozenset[str]:
    """Return the group-commit stages that some stack executes."""
    functions = [[frame["function"] for frame in stack["frames"]] for stack in draft.scene.stacks]
    return commit_queue.occupied(functions)


def _leaders(draft: Draft) -> Iterator[tuple[str, tuple[str, Actor]]]:
    for actor in draft.scene.actors.values():
        if not actor.stack:
            if _flushed_log(actor) == "binary log":
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
            meaning="Commits wait for the leader to write and flush the logs.",
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
    """Return the commit stage in which a thread waits, how it is known, and the confidence."""
    if actor.functions:
        where = commit_queue.follower_stage(actor.functions, busy)
        return where, where, BY_STACK
    event = actor.event
    if event is not None and (by_event := instruments.stage_of(event["event"])):
        note = f"{by_event}: waits for {event['event']} by performance_schema"
        return by_event, note, by_instruments.wait_confidence(event)
    if where := commit_queue.stage_by_transaction(actor.trx):
        return where, f"{where}, by its State and its transaction", BY_STATE
    return "", "by its State, which shows no stage", BY_STATE


def _lead(draft: Draft, queue: Resource, leader: Actor, words: str) -> None:
    """Add the queue's leader, through the flush that it executes, if any."""
    log = None if "full-text" in words else _flushed_log(leader)
    by = "by its stack" if leader.stack else "by performance_schema"
    held = queue
    if log is not None:
        held = _fsync(draft, log)
        draft.hold(
            queue,
            held,
            note=f"its leader is in this flush ({words})",
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
    """Infer that commits wait for a log flush when no stack leads the queue."""
    log = _flushed_log(flusher)
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


def _held_in_commit(draft: Draft) -> tuple[Resource | None, set[str]]:
    """Return the latch that commits take, and the threads that hold it as the dump prints."""
    holds = [edge for edge in draft.edges if edge.kind == "held_by" and not edge.inferred]
    for edge in holds:
        latch = draft.resources.get(edge.source)
        if latch is not None and latch.latch == _TAKEN_IN_COMMIT:
            return latch, {each.target for each in holds if each.source == edge.source}
    return None, set()


def _redo(draft: Draft, in_flush: dict[Log, list[Actor]]) -> None:
    """Add threads that wait for another thread's flush of the redo log."""
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
    """Add threads in flushes of their own, without waiters behind them, as storage waits."""
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
                note="is in fsync: the storage has not confirmed the write",
                confidence=BY_STACK,
                locators=[draft.lines(row)],
            )


def _by_dump(draft: Draft, queue: Resource, row: dict[str, object]) -> None:
    """Infer that the queue waits for a flush that the dump counts as pending."""
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
    """Return the dump's sample of pending flushes above zero, or None."""
    rows = draft.dump_samples(PENDING)
    if rows is None or (rows := rows.filter(pl.col("value") > 0)).is_empty():
        return None
    row = rows.row(0, named=True)
    return {**row, "line_last": row["line_first"]}


def _fsync(draft: Draft, log: Log) -> Resource:
    name = f"fsync:{log}"
    return draft.resources.setdefault(
        name, Resource(name, "fsync", f"fsync of the {log}", _STORAGE, meaning=_STORAGE)
    )


__all__ = ["PENDING", "behind_a_reply", "commits"]
