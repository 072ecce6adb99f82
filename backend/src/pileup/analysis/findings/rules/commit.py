"""Rules for commits that wait for a flush, for the full-text cache or for the old commit mutex."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import polars as pl

from pileup.analysis.evidence.digests import digests
from pileup.analysis.evidence.levels import Level
from pileup.analysis.findings import event_load, machine_checks
from pileup.analysis.findings.observed import NO_DATA, Observed, Seen
from pileup.analysis.findings.rules import (
    Match,
    Rule,
    count,
    graded,
    having_any,
    inside_shows,
    pauses,
    stacks_show,
)
from pileup.analysis.findings.strength import LATCH, Patience, age, strength
from pileup.analysis.findings.words import clip
from pileup.analysis.stacks import commit_queue
from pileup.numerals import number

_COMMIT_STATES = (
    r"(?i)^(query end|waiting for handler commit|commit$|Waiting for prior transaction)"
)
_COMMIT = r"(?i)^\s*commit\s*;?\s*$"
"""A statement that is at its commit, whatever its State: up to 5.7 it is still 'starting'."""
_EARLIER = {
    "queue:semisync": "a replica's acknowledgement",
    "queue:global-read-lock": "the global read lock",
    "queue:commit-lock": "the commit lock",
}
"""Queues whose members hold up a commit queue, whatever the disk does."""
_IN_ORDER = r"(?i)^waiting for (prior|preceding) transaction to (start )?commit"
"""An applier that waits for its turn: what the one before it waits for is the cause."""
_SYNCS = r"(?i)\bSYNC index|fts_?sync"
"""Operation of a transaction that writes the full-text cache: 'ACTIVE (…) doing SYNC index'."""


def commit_waiters(observed: Observed) -> Seen:
    """Count the sessions or threads in the commit queue at once."""
    states = observed.sessions_in(_COMMIT_STATES)
    stacks = observed.threads(commit_queue.waits_by_stack, "wait in the commit queue")
    best = states if states.most >= stacks.most else stacks
    listed = observed.queues.get("commit")
    if not best.holds and listed is not None:
        return Seen(
            True, listed.waiters, listed.share, evidence=listed.evidence, longest=listed.longest
        )
    if not best.holds and (loaded := event_load.kind(observed, "commit")).holds:
        return loaded
    return Seen(
        bool(best.holds),
        max(states.most, stacks.most),
        max(states.share, stacks.share),
        evidence=(best.evidence + states.evidence + stacks.evidence)[:3],
        longest=states.longest,
    )


def fts_sync(observed: Observed) -> Match | None:
    """Match a full-text cache sync that others wait behind at the commit (mysql-73816).

    The sync alone is the general problem (fts-sync); this one needs commits that wait behind it,
    or a sync inside a commit.
    """
    syncing = observed.threads(
        having_any("fts_sync", "fts_sync_write_words", "fts_sync_table", "fts_sync_index"),
        "write the full-text cache (fts_sync)",
    )
    cache = observed.latch(["fts_cache_lock"])
    working = observed.transaction(_SYNCS)
    if not (syncing.holds or cache.holds or working.holds):
        return None
    waiters = commit_waiters(observed)
    inside = observed.threads(
        lambda stack: "fts_sync" in stack and any("commit" in name for name in stack),
        "sync the full-text cache inside a commit",
    )
    if not (waiters.holds or inside.holds):
        return None
    ordered = (observed.context.setting("binlog_order_commits") or "ON").upper() in ("ON", "1")
    sure = syncing.holds or working.holds
    behind = strength(waiters.most, waiters.share, waiters.longest, full_share=0.05)
    score = (
        0.45 * (1.0 if sure else strength(cache.most, cache.share, cache.longest, many=2))
        + 0.25 * behind
        + (0.2 if inside.holds else 0.0)
        + (0.05 * behind if ordered else 0.0)
    )
    who = count(waiters.most, "commit waits", "commits wait") if waiters.holds else "others wait"
    why = (
        f"{who} behind one session that writes the full-text cache to its index tables"
        f"{' inside the ordered commit' if inside.holds else ''}; "
        "they need not touch a full-text index."
    )
    evidence = syncing.evidence + working.evidence + cache.evidence + waiters.evidence
    why = why[0].upper() + why[1:]
    return Match("mysql-73816", round(score, 3), why, evidence[:5], waiters=waiters.most)


def fsync_stall(observed: Observed) -> Match | None:
    """Match commits that all wait for a flush to disk (fsync-stall)."""
    waiters = commit_waiters(observed)
    flushing = observed.threads(
        lambda stack: (words := commit_queue.leads(stack)) is not None and "flush" in words,
        "flush a log to disk at the head of the queue",
    )
    if not waiters.holds:
        return _flush_under_mutex(observed) or _slow_flushes(observed)
    fsyncs = observed.shift("metric.log_fsyncs", "mysql.Innodb_os_log_fsyncs", "innodb.os_fsyncs")
    fell = fsyncs is not None and fsyncs.direction == "down" and (fsyncs.ratio or 1) < _FSYNCS_LEFT
    context = observed.context
    durable = context.setting("sync_binlog") == "1" or (
        context.setting("innodb_flush_log_at_trx_commit") == "1"
    )
    rows = observed.lock_queue.waiters
    grade = strength(waiters.most, waiters.share, waiters.longest, full_share=_FEW_COMMIT)
    score = grade * (
        graded((True, 0.4), (bool(flushing.holds), 0.25), (fell, 0.1), (durable, 0.07))
        + 0.1 * min(1.0, waiters.share / 0.2)
    )
    against: tuple[str, ...] = ()
    if (fts := fts_sync(observed)) is not None and fts.score >= _HEAD_KNOWN:
        against += ("The head of the queue writes the full-text cache: the disk is not the cause.",)
        score *= 0.45
    if rows.most > waiters.most:
        against += (f"More transactions ({rows.most}) wait for a row lock than for the commit.",)
        score *= 0.4
    if observed.latch_waiters > 2 * waiters.most:
        against += ("More threads wait for latches than for the commit.",)
        score *= 0.4
    if observed.stack(_ROTATES, [], None).holds or observed.query(_PURGES, 2.0).holds:
        against += ("The head of the queue rotates or purges the binary log.",)
        score *= 0.5
    if _large_at_commit(observed).holds:
        against += ("A statement that changed rows for long is among those at the commit.",)
        score *= 0.5
    if waiters.most < _QUEUE and not flushing.holds and not fell:
        against += ("So few at the commit may each be busy with their own transaction.",)
        score *= _ALONE + (1 - _ALONE) * (waiters.most - 1) / (_QUEUE - 1)
    most = 1.0 if flushing.holds or fell or _lasts(waiters) else _UNSEEN
    if (capped := min(score, most)) != score:
        against += ("Nothing shows that a flush takes long.",)
        score = capped
    if not flushing.holds and _is_brief(observed, waiters):
        against += ("None has waited for a second: commits of any busy server do.",)
        score *= _BRIEF
    for text, factor in _elsewhere(observed, waiters, flushes=bool(flushing.holds)):
        against += (text,)
        score *= factor
    why = f"{count(waiters.most, 'session waits', 'sessions wait at once')} for the commit"
    why += ", and the one at the head flushes a log to disk" if flushing.holds else ""
    if fsyncs and fell and fsyncs.ratio:
        why += f"; log flushes per second fell to {fsyncs.ratio:.0%}"
    evidence = waiters.evidence + flushing.evidence
    if fsyncs is not None and fell:
        evidence += (observed.shifted(fsyncs),)
    return Match("fsync-stall", round(score, 3), f"{why}.", evidence, against, waiters.most)


def _elsewhere(observed: Observed, waiters: Seen, *, flushes: bool) -> Iterator[tuple[str, float]]:
    """Say for what else commits may wait, with a factor for the score."""
    in_order = observed.state(_IN_ORDER)
    if not flushes and in_order.holds and 2 * in_order.most >= waiters.most:
        yield "Appliers wait for the transaction before theirs: they commit in order.", _IN_TURN
    if not flushes and (crowd := machine_checks.crowd(observed.levels)):
        yield f"{crowd}: commits may wait for a CPU, and no stack shows a flush.", _CROWDED
    if not flushes and pauses.is_silent(observed):
        yield "The server gave no answer meanwhile: lists show the first moment alone.", _SILENT
    if not flushes and observed.is_clustered:
        yield "A node of a Galera cluster: statements end when the cluster lets them.", _BEFORE
    for text in _earlier(observed, flushes=flushes):
        yield text, _BEFORE


def _is_brief(observed: Observed, waiters: Seen) -> bool:
    """Whether a list, all there is, shows no commit that has lasted for a second."""
    unknown = observed.context.stall is not None or waiters.longest is None
    return not unknown and not _lasts(waiters)


def _lasts(waiters: Seen) -> bool:
    return waiters.longest is not None and waiters.longest >= _BRIEF_S


def _earlier(observed: Observed, *, flushes: bool) -> tuple[str, ...]:
    """Say for what commits wait before they come to the disk."""
    found = [
        f"Some wait for {what}: commits may queue behind them."
        for queue, what in _EARLIER.items()
        if queue in observed.queues or (queue == "queue:semisync" and _acknowledged(observed))
    ]
    if not flushes and observed.level("unreachable_members"):
        found.append("A member of the replication group does not reply: commits need the group.")
    return tuple(found)


_FEW_COMMIT = 0.25
"""Share of the active sessions that wait for a commit at any moment on a server that writes."""
_UNSEEN = 0.5
"""The most where commits queue, and neither a stack, a rate nor a long wait shows a slow flush."""
_FSYNCS_LEFT = 0.7
"""Of the usual flushes, below which they fell."""
_HEAD_KNOWN = 0.6
"""Confidence in a full cache at the head of the queue, from which on the disk is not the cause."""
_MOSTLY = 0.5
"""Share of the threads that makes a mechanism likelier."""
_BRIEF_S, _BRIEF = 1.0, 0.7
"""Factor where one list shows commits that have all lasted less."""
_CROWDED, _SILENT, _BEFORE, _IN_TURN = 0.7, 0.5, 0.5, 0.25
"""Factors: far more threads are ready to run than there are CPUs; nothing was read from the server;
some wait for what comes before the disk; most are appliers that wait for each other."""
_QUEUE, _ALONE = 4, 0.6
"""Sessions that make a queue of commits certain, and what one session tells of it."""
_PURGES = r"(?i)^\s*purge\s+(binary|master)\s+logs"
_ROTATES = ["MYSQL_BIN_LOG::new_file_impl", "MYSQL_BIN_LOG::purge_logs"]


def large_transaction(observed: Observed) -> Match | None:
    """Match a large transaction at its commit that others wait behind (binlog-large-transaction).

    A stack shows it being written to the binary log; a list shows a statement that changed rows
    since long before the others came to their commits.
    """
    writes = observed.stack(_WRITES_CACHE, [], None)
    large = _large_at_commit(observed)
    if not (writes.holds or large.holds):
        return None
    behind = observed.state(_COMMIT_STATES, _LASTS_S)
    queued = observed.stack(_ENROLLED, [], None)
    score = 0.4 if writes.holds else 0.35
    score += 0.1 if writes.holds and large.holds else 0.0
    if behind.holds:
        score += 0.3 * strength(behind.most, behind.share, behind.longest, many=3)
    if queued.holds:
        score += 0.15 * strength(queued.most, queued.share, full_share=0.0)
    shown = [seen for seen in (writes, large, behind, queued) if seen.holds]
    why = "; ".join(seen.text for seen in shown)
    evidence = tuple(locator for seen in shown for locator in seen.evidence)[:5]
    return Match(
        "binlog-large-transaction", round(score, 3), f"{why[0].upper()}{why[1:]}.", evidence,
        waiters=max(behind.most, queued.most),
    )  # fmt: skip


def _large_at_commit(observed: Observed) -> Seen:
    """Find a statement at its commit that is much older than all others at theirs.

    The second oldest came to its commit when the queue began, or earlier: what ran so much longer
    was still changing rows then.
    """
    frame = observed.during("session")
    if frame is None:
        return NO_DATA
    at_commit = pl.col("state").str.contains(_COMMIT_STATES) | pl.col("query").str.contains(_COMMIT)
    rows = frame.filter(at_commit & pl.col("time_s").is_not_null()).sort(
        "time_s", descending=True, maintain_order=True
    )
    for _, moment in rows.group_by("artifact", "snapshot", "time", maintain_order=True):
        if moment.height < _QUEUED + 1:
            continue
        oldest, next_s = moment.row(0, named=True), float(moment["time_s"][1])
        statement = " ".join((oldest["query"] or "").split())
        is_large = oldest["time_s"] >= max(_LARGE_S, _OLDER * next_s)
        if is_large and _CHANGES_ROWS.match(statement):
            text = (
                f"session {oldest['session_id']} is at its commit, "
                f"{number(oldest['time_s'])} s after it began '{clip(statement, _SHOWN)}'"
            )
            return Seen(True, 1, 1.0, text, (observed.lines(oldest, text),))
    return Seen(False)


_WRITES_CACHE = [
    "MYSQL_BIN_LOG::do_write_cache", "MYSQL_BIN_LOG::write_cache", "Event_log::write_cache"
]  # fmt: skip
_ENROLLED = [
    "MYSQL_BIN_LOG::change_stage", "Commit_stage_manager::enroll_for", "Stage_manager::enroll_for"
]  # fmt: skip
_CHANGES_ROWS = re.compile(
    r"(?:/\*.{0,200}?\*/ ?)?(?:insert|update|delete|replace|load data|create table|alter)\b",
    re.IGNORECASE,
)
_LASTS_S, _LARGE_S, _OLDER, _QUEUED = 10.0, 60.0, 3.0, 2
_SHOWN = 120


def _flush_under_mutex(observed: Observed) -> Match | None:
    """Match long waits for the log's mutex while a flush is pending: old servers hold it meanwhile.

    A mutex that is only contended is held for microseconds, and nobody waits for a second.
    """
    waits = observed.latch(["log_sys_mutex"])
    pending = observed.level("pending_log_fsyncs", "pending_log_flushes", "pending_log_ios")
    if not waits.holds or not pending or (waits.longest or 0.0) < _HELD_S:
        return None
    score = 0.3 + 0.2 * strength(waits.most, waits.share, waits.longest, patience=LATCH)
    why = (
        f"{count(waits.most, 'thread waits', 'threads wait')} for the redo log's mutex, for up "
        f"to {number(waits.longest or 0)} s, while a flush of the log is pending."
    )
    return Match("fsync-stall", round(score, 3), why, waits.evidence, waiters=waits.most)


def _slow_flushes(observed: Observed) -> Match | None:
    """Match flushes that take seconds by a dump's counts alone, where it shows no session.

    So many pending at so many per second take pending / rate seconds each (Little's law). One dump
    may show the only slow one: little to be sure of.
    """
    pending = [
        level
        for level in observed.levels_named(_PENDING)
        if not level.labels and (level.inside or 0.0) >= 1
    ]
    if not pending:
        return (
            _traced_flushes(observed) or _commits_of_log(observed) or _commits_by_digests(observed)
        )
    most = max(pending, key=lambda level: level.inside or 0.0)
    rates = [observed.level(name) for name in ("os_fsyncs_per_s", "log_ios_per_s")]
    rate = next((rate for rate in rates if rate is not None), None)
    if not rate:
        return None if rate is None else _unended_flush(observed, most)
    lasts = (most.inside or 0.0) / rate
    if lasts < _FLUSH.usual:
        return None
    score = 0.2 + 0.2 * age(lasts, _FLUSH)
    text = (
        f"{count(round(most.inside or 0), 'flush is', 'flushes are')} pending at "
        f"{number(rate)} per second: {number(lasts)} s for each"
    )
    where = observed.series(most, text)
    return Match("fsync-stall", round(score, 3), f"{text}.", (where,))


def _traced_flushes(observed: Observed) -> Match | None:
    """Match flushes of which a trace of system calls shows how long each takes."""
    events = observed.during("event")
    if events is None:
        return None
    took = pl.col("message").str.extract(r" took (\d{1,9}\.\d{3}) s").cast(pl.Float64)
    flushes = events.filter(
        (pl.col("kind") == "slow_call") & pl.col("code").is_in(["fsync", "fdatasync"])
    ).with_columns(took.alias("s"))
    if flushes.is_empty():
        return None
    longest = flushes.row(flushes["s"].arg_max() or 0, named=True)
    score = 0.5 * strength(flushes.height, 1.0, longest["s"], patience=_TRACED)
    many = count(flushes.height, "traced flush", "traced flushes")
    text = f"{many} took up to {number(longest['s'])} s"
    where = (observed.lines(longest, text),)
    return Match("fsync-stall", round(score, 3), f"{text}.", where)


_TRACED = Patience(0.1, 1.0)
"""Seconds of a single flush that are slow, and that are slow by any measure."""


def _unended_flush(observed: Observed, pending: Level) -> Match:
    """Match a flush that is pending where none ended in the interval of a dump's averages."""
    interval = observed.level("averages_interval") or _FLUSH.usual
    writes = observed.main("(?i)flushing log|flushing (dirty )?pages|making checkpoint")
    score = 0.2 + 0.15 * age(interval, _FLUSH) + (0.1 if writes.holds else 0.0)
    many = count(round(pending.inside or 0), "flush is", "flushes are")
    text = f"{many} pending, and none ended while the dump's averages were taken"
    why = f"{text}; {writes.text}." if writes.holds else f"{text}."
    where = (observed.series(pending, text), *writes.evidence)
    return Match("fsync-stall", round(score, 3), why, where)


def _commits_by_digests(observed: Observed) -> Match | None:
    """Match a COMMIT that takes most of the time of all statements, by digests alone.

    A commit does nothing else that takes long than to wait for its logs.
    """
    timed = [each for each in digests(observed.context.evidence) if each.total_s and each.calls]
    commits = [each for each in timed if re.search(_COMMIT, each.text)]
    if not commits:
        return None
    top = commits[0]
    total = top.total_s or 0.0
    share = total / sum(each.total_s or 0.0 for each in timed if each.table is top.table)
    each_s = total / top.calls
    if share < _OF_ALL or each_s < _COMMIT_S:
        return None
    text = (
        f"{share:.0%} of the time of all statements went to COMMIT, {number(each_s * 1000)} ms for "
        f"each of {number(top.calls)}"
    )
    against = ("A digest has no time: it says what the server mostly does.",)
    where = (observed.lines(top.table, text),)
    return Match("fsync-stall", round(0.2 + 0.3 * share, 3), f"{text}.", where, against)


def _commits_of_log(observed: Observed) -> Match | None:
    """Match COMMITs that each took seconds, most of the time of all statements in a slow log."""
    logged = observed.during("query")
    if logged is None:
        return None
    timed = logged.filter(pl.col("query_time_s").fill_null(0.0) > 0)
    slow = timed.filter(
        pl.col("query").fill_null("").str.contains(_COMMIT) & (pl.col("query_time_s") >= _BRIEF_S)
    )
    alone = slow.height < _LEAST_LOGGED
    if slow.is_empty() or (alone and float(slow["query_time_s"].max()) < _FLUSH.clear / 2):  # type: ignore[arg-type]
        return None
    share = float(slow["query_time_s"].sum()) / float(timed["query_time_s"].sum())
    if share < _OF_ALL:
        return None
    longest = slow.row(slow["query_time_s"].arg_max() or 0, named=True)
    text = (
        f"{count(slow.height, 'COMMIT', 'COMMITs')} took up to "
        f"{number(longest['query_time_s'])} s, {share:.0%} of the time of all logged statements"
    )
    against = ("A slow log does not say what a commit waited for.",)
    where = (observed.lines(longest, text),)
    score = 0.2 + (0.15 if alone else 0.3) * share
    return Match("fsync-stall", round(score, 3), f"{text}.", where, against)


_LEAST_LOGGED = 3
_OF_ALL, _COMMIT_S = 0.3, 0.005
"""Share of all time, and seconds for each, from which on commits wait for a slow flush."""
_PENDING = ("pending_log_fsyncs", "pending_log_flushes", "pending_pool_fsyncs")
_FLUSH = Patience(1.0, 10.0)
"""Seconds of a flush that are slow, and that are slow by any measure."""
_HELD_S = 1.0
"""Wait in seconds that a mutex explains only when it is held during I/O."""


def _acknowledged(observed: Observed) -> bool:
    """Return whether a thread waits for a replica's acknowledgement, by its stack or State."""
    functions = ["ReplSemiSyncMaster::commitTrx", "Repl_semi_sync_master::commit_trx"]
    by_stack = observed.stack(functions, [], True).holds
    return bool(by_stack or observed.state("(?i)semi-?sync ACK").holds)


def commit_mutex(observed: Observed) -> Match | None:
    """Match one fsync under prepare_commit_mutex that blocks commits (5.0/5.1, mysql-13669)."""
    behind, head = _old_commit(observed)
    if not behind.holds:
        return None
    score = _grade(behind) * graded(
        (True, 0.5), (bool(head.holds), 0.25), (behind.share >= _MOSTLY, 0.1)
    )
    waiting = count(behind.most, "thread waits", "threads wait")
    why = f"{waiting} for the commit mutex in innobase_xa_prepare" + (
        ", one flushes the binary log with it held." if head.holds else "."
    )
    evidence = behind.evidence + head.evidence
    return Match("mysql-13669", round(score, 3), why, evidence, waiters=behind.most)


def commit_slots(observed: Observed) -> Match | None:
    """Match commits that keep their concurrency slots while waiting for the mutex (mysql-46459)."""
    behind, head = _old_commit(observed)
    if not behind.holds:
        return None
    limit = observed.context.number("innodb_thread_concurrency")
    limited = limit is not None and 0 < limit <= behind.most
    queued = observed.shift("innodb.queries_in_queue")
    unlimited = limit == 0
    score = _grade(behind) * graded(
        (True, 0.5),
        (bool(head.holds), 0.2),
        (behind.share >= _MOSTLY, 0.1),
        (limited, 0.15),
        (bool(queued), 0.05),
    )
    against = (
        ("innodb_thread_concurrency is 0: there are no slots to use up.",) if unlimited else ()
    )
    waiting = count(behind.most, "thread waits", "threads wait")
    why = f"{waiting} for the commit mutex, still counted as inside InnoDB" + (
        f", where only {limit:.0f} may be at once: reads cannot enter." if limited else "."
    )
    return Match(
        "mysql-46459",
        round(score * 0.5 if unlimited else score, 3),
        why,
        behind.evidence + head.evidence,
        against,
        behind.most,
    )


def _grade(waits: Seen) -> float:
    return strength(waits.most, waits.share, full_share=0.0)


def _old_commit(observed: Observed) -> tuple[Seen, Seen]:
    behind = observed.threads(_waits_to_prepare, "wait for the commit mutex")
    head = observed.threads(
        lambda stack: any(name.endswith("::flush_and_sync") for name in stack),
        "flush the binary log",
    )
    return behind, head


def _waits_to_prepare(stack: Sequence[str]) -> bool:
    """Return whether innobase_xa_prepare itself waits for a mutex, and not what it called."""
    if "innobase_xa_prepare" not in stack:
        return False
    inner = stack[: stack.index("innobase_xa_prepare")]
    return any("mutex_lock" in name for name in inner) and len(inner) <= _OF_LIBC


_OF_LIBC = 4
"""Functions of libc between a mutex and who locks it, at most."""

HAS_DATA = {"mysql-73816": inside_shows, "mysql-13669": stacks_show, "mysql-46459": stacks_show}
RULES: dict[str, Rule] = {
    "mysql-73816": fts_sync,
    "fsync-stall": fsync_stall,
    "mysql-13669": commit_mutex,
    "mysql-46459": commit_slots,
    "binlog-large-transaction": large_transaction,
}
