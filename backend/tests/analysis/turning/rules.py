"""Rules of findings, called directly where a threshold decides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.levels import Level, Levels
from pileup.analysis.findings.observed import Observed, Seen
from pileup.analysis.findings.rules import (
    Match,
    commit,
    concurrency,
    larger,
    latches,
    locks,
    pages,
    pauses,
    statements,
)
from pileup.records import Query, Session, Transaction
from tests.analysis.frames import T0, S, evidence
from tests.analysis.turning.tools import Scenes, always, given, instead, level

_AT: dict[str, Any] = {
    "line_first": 1, "line_last": 1, "wall_us": T0, "clock": "utc", "snapshot": 0
}  # fmt: skip


def seen(most: int = 1, share: float = 1.0, longest: float | None = 9.0) -> Seen:
    return Seen(True, most, share, "text", (), longest=longest)


def stall(**more: Any) -> Any:
    """Return what a rule observes: nothing, but for these answers."""
    usual: dict[str, Any] = {
        name: always(Seen(False))
        for name in (
            *("threads", "stack", "log", "latch", "hot_latch", "locked", "place", "profile"),
            *("query", "replicating", "state", "wait"),
        )
    }
    usual |= {
        "level": always(None), "levels_named": always([]), "during": always(None),
        "lines": always(None), "series": always(None), "shift": always(None), "queues": {},
        "lock_queue": given(waiters=Seen(False), mode=None, of_active=1.0, table=None),
        "one_latch": None, "latch_waiters": 0, "worst": given(waiting=0), "limits": [],
        "is_clustered": False, "blocked": None,
        "record_counts": {"status dumps": 9, "stack samples": 9, "log lines": 9},
        "context": given(
            hot_latches=[], setting=always(None), number=always(None), evidence=evidence({}),
            stall=None, stalls=[], host=None,
        ),
        "ends_at": always(0.0), "levels": Levels(()), "main": always(Seen(False)),
    }  # fmt: skip
    return given(**usual | more)


def _score(match: Match | None) -> object:
    return None if match is None else match.score


def _flushes() -> object:
    """Twenty pending at two per second: ten seconds each."""
    pending = level("pending_log_fsyncs", 20.0)
    known: Observed = stall(levels_named=always([pending]), level=always(2.0))
    return commit._slow_flushes(known) is None


def _held() -> object:
    known: Observed = stall(latch=always(seen(longest=5.0)), level=always(1.0))
    return commit._flush_under_mutex(known) is None


def _list(*rows: tuple[float, str, str]) -> pl.DataFrame:
    listed = [
        Session(
            session_id=n, command="Query", time_s=took, user="app", state=state, query=query, **_AT
        )
        for n, (took, state, query) in enumerate(rows)
    ]
    frame = evidence({"list": listed}).frame("session")
    assert frame is not None
    return frame


def _large(oldest: float = 600.0, others: int = 8, other: float = 2.0) -> object:
    change = "DELETE FROM t"
    rows = [(oldest, "query end", change), *[(other, "query end", change)] * others]
    return commit._large_at_commit(stall(during=always(_list(*rows)))).holds


def _at_commit(
    most: int = 2, *, fsyncs: float | None = None, full_cache: float | None = None
) -> Match:
    """So many wait for the commit. fsyncs: of the usual ones, how many are left."""
    fell = None if fsyncs is None else given(direction="down", ratio=fsyncs)
    cache = None if full_cache is None else Match("mysql-73816", full_cache, "why", ())
    with instead(
        commit, commit_waiters=always(seen(most=most)), fts_sync=always(cache),
        _large_at_commit=always(Seen(False)), _acknowledged=always(False),
    ):  # fmt: skip
        match = commit.fsync_stall(stall(shift=always(fell), shifted=always(None)))
    assert match is not None
    return match


def _few_commit() -> object:
    return any("So few" in text for text in _at_commit().against)


def _idle() -> object:
    trx = Transaction(
        trx_id="7", state="ACTIVE", lock_wait=False, row_locks=1, undo_entries=1, active_s=3.0,
        **_AT
    )  # fmt: skip
    return locks._idle_holder(stall(during=always(evidence({"dump": [trx]}).frame("transaction"))))


def _ahi() -> object:
    hot = always(seen(most=9, share=0.15))
    return _score(latches.ahi_build(stall(hot_latch=hot, setting=always(None))))


def _convoy() -> object:
    known: Observed = stall(hot_latch=always(seen(share=0.75)))
    with instead(larger, collapse=always(object()), commit_waiters=always(Seen(False))):
        return larger.waits(known).collapse


def _page(read_in: float | None = None, dumps: int = 1, addresses: int = 1) -> object:
    known: Observed = stall(
        hot_latch=always(seen(most=30, share=0.75)),
        locked=always(Seen(False) if read_in is None else seen(share=read_in)),
        record_counts={"status dumps": dumps},
        context=given(hot_latches=[given(latch="buf_block_lock", addresses=addresses)]),
    )
    with instead(latches.larger, waits=always(given(than=always(())))):
        match = latches.hot_page(known)
    assert match is not None
    return match.score, match.against


def _lists(share: float = 0.0, of_calls: int = 0) -> object:
    digests = [
        given(calls=of_calls, text="SELECT a FROM t WHERE a IN (...)", table=None),
        given(calls=8 - of_calls, text="SELECT 1", table=None),
    ]
    base = Match("mysql-100512", 0.75, "", ())
    with instead(
        latches, ahi_build=always(base), _share_of_statements=always(share),
        digests=always(digests),
    ):  # fmt: skip
        return latches.ahi_in_list(stall()) is None


def _changing(*seconds: float, counted: float | None = None, latched: int = 0) -> Any:
    rows = [(took, "Updating", f"UPDATE t SET a=1 WHERE id={n}") for n, took in enumerate(seconds)]
    frame = _list(*rows)
    levels = [] if counted is None else [level("Innodb_row_lock_current_waits", counted)]
    known: Observed = stall(
        during=lambda kind: frame if kind == "session" else None, levels_named=always(levels)
    )
    with instead(locks, _in_latches=always(latched)):
        match = locks._by_processlist(known)
    return None if match is None else match.against


def _quota(
    used: float = 200.0, *, apart: float = 0.0, points: int = 9, running: float = 40.0,
    busy: float = 30.0, throttled: float | None = None,
) -> object:  # fmt: skip
    """The server's even use of CPU; threads that run, and percent of the machine's CPUs."""
    periods = [] if throttled is None else [level("throttled_pct", throttled)]
    taken = level("top.process_cpu", used)
    server = replace(taken, peak=used + apart, lowest=used - apart, points=points)
    known: Observed = stall(
        levels_named=always(periods), level=always(running),
        context=given(stall=Span(T0, T0 + 60 * S)),
    )  # fmt: skip
    with instead(
        concurrency.machine_checks, of_server=always(server), cpu_busy=always((busy, None, taken))
    ):
        return _score(concurrency.quota(known))


def _counted_deadlocks() -> object:
    counted = [level("Innodb_deadlocks", 2.0)]
    known: Observed = stall(deadlocks=always(Seen(False)), levels_named=always(counted))
    return locks._deadlocks(known)


def _row_waits(away: int = 0) -> object:
    known = stall(wait=always(seen(most=away)))
    with instead(locks, _waits=always(seen(most=60, share=0.75, longest=60.0)), _why=always("")):
        return _score(locks.hot_row(known))


def _dirty() -> object:
    values = {"pool_modified_pages": 90.0, "pool_pages": 100.0, "pool_pending_lru_writes": 1.0}
    return pages._evicts_dirty_pages(stall(level=values.get))


_NO_STACKS = {"stack samples": 0}


def _log_is_full(share: float = 0.875, *, filled: bool = False) -> object:
    log = given(id="redo-log", share=share, before=None, ceiling=1.0)
    with instead(pages, _filled=always(filled)):
        return _score(pages.sync_flush(stall(limits=[log], record_counts=_NO_STACKS)))


def _main_waits(share: float = 0.9) -> object:
    log = given(id="redo-log", share=share, before=None, ceiling=1.0)
    main = always(seen(share=0.25))
    match = pages.sync_flush(stall(limits=[log], main=main, record_counts=_NO_STACKS))
    return match and (match.score, match.why)


def _single_pages() -> object:
    values = {"pool_pending_single_page_writes": 8.0}
    free = pages._FREE[0]
    known: Observed = stall(level=lambda *names: 0.0 if free in names else values.get(names[0]))
    with instead(pages, _evicts_dirty_pages=always(False), _waits_for_free=always(True)):
        return _score(pages.free_pages(known))


def _shortage(free: float = 60.0, searching: int = 20) -> object:
    known: Observed = stall(
        threads=always(seen(most=searching) if searching else Seen(False)),
        level=lambda *names: free if pages._FREE[0] in names else None,
    )
    with instead(pages, _evicts_dirty_pages=always(False), _waits_for_free=always(True)):
        return _score(pages.free_pages(known))


def _of_digests(share: float = 0.75, each_s: float = 4.0) -> object:
    table = object()
    timed = [
        given(total_s=share * 8, calls=2.0 * share * 4 / each_s, lock_s=0.0, table=table, text="a"),
        given(total_s=(1 - share) * 8, calls=99, lock_s=0.0, table=table, text="b"),
    ]
    with instead(statements, digests=always(timed)):
        return statements._of_digests(stall()) is None


def _commits(share: float = 0.75, each_s: float = 4.0) -> object:
    table = object()
    timed = [
        given(total_s=share * 8, calls=2.0 * share * 4 / each_s, table=table, text="COMMIT"),
        given(total_s=(1 - share) * 8, calls=99, table=table, text="b"),
    ]
    with instead(commit, digests=always(timed)):
        return commit._commits_by_digests(stall()) is None


def _logged_commits() -> object:
    """Three COMMITs of a second each, and seven seconds of other statements."""
    logged = pl.DataFrame(
        {"query": ["COMMIT", "COMMIT", "COMMIT", "SELECT 1"], "query_time_s": [1.0, 1.0, 1.0, 7.0]}
    )
    return commit._commits_of_log(stall(during=always(logged))) is None


def _commit_alone() -> object:
    """A single COMMIT of five seconds, and nothing else."""
    logged = pl.DataFrame({"query": ["COMMIT"], "query_time_s": [5.0]})
    return commit._commits_of_log(stall(during=always(logged))) is None


def _counted_waits() -> object:
    """Five wait for rows, and nothing shows how many run."""
    waits = level("innodb_row_lock_current_waits", 5.0)
    return locks._by_counter(stall(levels_named=always([waits]))) is None


def _read_by_a_plan() -> object:
    columns = ["table", "rows", "loops", "total_ms"]
    return statements._run({"columns": columns, "rows": [["t", "100000", "1", "2000"]]})[1]


def _many_changes() -> object:
    """A transaction of a million changes that rolls back."""
    changed = Transaction(
        trx_id="7", state="ROLLING BACK", active_s=1.0, undo_entries=1_000_000, **_AT
    )
    frame = evidence({"dump": [changed]}).frame("transaction")
    method: Any = vars(Observed)["_transactions"]
    listed = getattr(method, "func", method)(stall(during=always(frame)))
    return listed.frame["what"].to_list()


def _counted() -> object:
    levels = [
        level("processlist.state", 90.0, labels="state=Sending data"),
        level("processlist.state", 30.0, labels="state=Waiting for table level lock"),
    ]
    return statements._of_counts(stall(levels_named=always(levels))) is None


def _large_change() -> object:
    trx = Transaction(
        trx_id="7", state="ACTIVE", lock_wait=False, undo_entries=4_000_000, active_s=60.0, **_AT
    )
    frame = evidence({"dump": [trx]}).frame("transaction")
    return locks.large_transaction(stall(during=always(frame))) is None


def _contention(taken: float, *more: Level, before: float | None = 0.0) -> object:
    program = level("process_cpu", taken, before=before, collector="top", labels="command=gzip")
    observed = stall(levels=Levels((program, *more)))
    with instead(concurrency.machine_checks, taken_by_strangers=always((before, taken))):
        return _score(concurrency.contention(observed))


def _trace(calls: int, waits: int, changed: int) -> object:
    """A strace of so many calls, waits and waits that came too late."""
    columns = [["call", "calls"], ["address", "waits", "changed_before"]]
    rows = [[["futex", str(calls)]], [["0x1", str(waits), str(changed)]]]
    frame = pl.DataFrame(
        {"artifact": ["a"] * 2, "line_first": [1] * 2, "line_last": [9] * 2, "columns": columns,
         "rows": rows}
    )  # fmt: skip
    observed = stall(context=given(evidence=given(frame=always(frame))))
    return concurrency._crowded_trace(observed) is None


_CROWD = (
    level("r", 44.0, collector="vmstat"),
    *(level("usr", 97.0, collector="mpstat", labels=f"cpu={n}") for n in range(2)),
)


def _collapsed(
    count: float = 200.0,
    times: float | None = 10.0,
    ratio: float = 0.4,
    waiters: int = 80,
    **numbers: float,
) -> Observed:
    """So many threads run, and with them this share of the work is left."""
    shifts = {
        names[0]: given(stall=value, ratio=by, direction=way)
        for names, value, by, way in (
            (concurrency.THREADS, count, times, "up"), (concurrency.RATES, 50.0, ratio, "down"),
        )
    }  # fmt: skip
    return stall(
        shift=lambda *names: shifts[names[0]], latch_waiters=waiters, shifted=always(None),
        setting=always(None), lock_queue=given(waiters=seen(most=0)),
        context=given(number=numbers.get),
    )  # fmt: skip


def _collapse(**more: Any) -> object:
    return concurrency.collapse(_collapsed(**more)) is None


def _unlimited(**more: Any) -> object:
    return _score(concurrency.unlimited(_collapsed(**more)))


def _alone(fell: float) -> object:
    rate = level("qps", fell * 100.0, before=100.0)
    context = given(
        evidence=evidence({}), stall=object(), number={"innodb_thread_concurrency": 0.0}.get
    )
    known = stall(levels=Levels((rate,)), context=context, setting=always(object()))
    return _score(concurrency._work_alone(known))


def _collects() -> object:
    look = Query(
        query_time_s=30.0, rows_examined=0, rows_sent=0, lock_time_s=0.0,
        query="SELECT * FROM sys.innodb_lock_waits", **_AT,
    )  # fmt: skip
    frame = evidence({"slow": [look]}).frame("query")
    return statements._of_log(stall(during=always(frame))) is None


def _of_log() -> object:
    log = [
        Query(
            query_time_s=64.0, rows_examined=100_000, rows_sent=99, lock_time_s=0.0,
            query=f"SELECT a FROM t WHERE b = {n}", **_AT,
        )
        for n in range(3)
    ]  # fmt: skip
    frame = evidence({"slow": log}).frame("query")
    return statements._of_log(stall(during=always(frame))) is None


def _of_slow_log() -> object:
    """A statement that takes so long that some rows are enough."""
    long = Query(
        query_time_s=statements._SLOW.clear, rows_examined=statements._SOME_ROWS, rows_sent=1,
        lock_time_s=0.0, query="SELECT a FROM t WHERE b = 1", **_AT,
    )  # fmt: skip
    frame = evidence({"slow": [long]}).frame("query")
    return statements._of_log(stall(during=always(frame))) is None


def _of_lists() -> object:
    frame = _list(*[(64.0, "Sending data", f"SELECT a FROM t WHERE a > {n}") for n in range(3)])
    return statements._of_lists(stall(), frame, None) is None


def _deadlocks_end_them() -> object:
    waits = seen(most=60, share=0.75, longest=2.0)
    with instead(locks, _waits=always(waits), _why=always("")):
        match = locks.hot_row(stall(deadlocks=always(seen())))
    return match is not None and len(match.against)


def _reads_more() -> object:
    return statements._tells(level("Handler_read_rnd_next", 200_000.0, before=20_000.0)) > 0


def _reads_them() -> object:
    """As many wait in a list as a list taken right after a pause may show."""
    known: Observed = stall(worst=given(waiting=4))
    with instead(pauses, _listed=always(("text", ())), _silences=always(None)):
        match = pauses.process_paused(known)
    return match is not None and bool(match.against)


def _silent() -> object:
    """The server is silent for half of the stall, the machine for four fifths of that."""
    span = Span(T0, T0 + 10 * S)
    values = pl.DataFrame({"time": [T0], "id": ["mysql.x"]})
    stalls = [given(kind="stall", shape="stopped", also=[])]
    known: Any = given(context=given(stall=span, stalls=stalls, values=values))
    spans = iter((Span(T0, T0 + 5 * S), Span(T0, T0 + 4 * S)))
    with instead(pauses, _longest=lambda *_: next(spans)):
        found = pauses._silences(known)
    return found and found[0]


def _moments() -> object:
    """Five moments, of which the last comes late."""
    times = pl.DataFrame({"time": [T0 + at * S for at in (0, 1, 2, 3, 30)]})
    return pauses._longest(times, Span(T0, T0 + 30 * S)) is not None


SCENES: Scenes = {
    "findings.rules.pauses _FEW process_paused": _reads_them,
    "findings.rules.pauses _LEAST_SAMPLES _longest": _moments,
    "findings.rules.pauses _MOST_OF _silences": _silent,
    "findings.rules.pauses _TOGETHER _silences": _silent,
    "findings.observed _VERY_MANY Observed._transactions": _many_changes,
    "findings.rules.commit _BRIEF_S _commits_of_log": _logged_commits,
    "findings.rules.commit _FLUSH _commits_of_log": _commit_alone,
    "findings.rules.concurrency _EVEN quota": lambda: _quota(apart=20.0),
    "findings.rules.concurrency _LEAST_USED quota": lambda: _quota(20.0),
    "findings.rules.concurrency _LEAST_SEEN quota": lambda: _quota(points=5),
    "findings.rules.concurrency _WANT quota": lambda: _quota(1000.0),
    "findings.rules.concurrency _ROOM quota": lambda: _quota(busy=70.0),
    "findings.rules.locks _STORM_PER_S _deadlocks": _counted_deadlocks,
    "findings.rules.locks _CROWD _by_counter": _counted_waits,
    "findings.rules.statements _MANY_ROWS _run": _read_by_a_plan,
    "findings.rules.commit _LEAST_LOGGED _commits_of_log": _logged_commits,
    "findings.rules.commit _OF_ALL _commits_of_log": _logged_commits,
    "findings.rules.commit _BRIEF_S _lasts": lambda: commit._lasts(seen(longest=1.0)),
    "findings.rules.commit _COMMIT_S _commits_by_digests": _commits,
    "findings.rules.commit _OF_ALL _commits_by_digests": _commits,
    "findings.rules.commit _FLUSH _slow_flushes": _flushes,
    "findings.rules.commit _HELD_S _flush_under_mutex": _held,
    "findings.rules.commit _LARGE_S _large_at_commit": _large,
    "findings.rules.commit _OLDER _large_at_commit": lambda: _large(other=8.0),
    "findings.rules.commit _FSYNCS_LEFT fsync_stall": lambda: _at_commit(fsyncs=0.7).score,
    "findings.rules.commit _HEAD_KNOWN fsync_stall": lambda: _at_commit(full_cache=0.6).score,
    "findings.rules.commit _QUEUE fsync_stall": _few_commit,
    "findings.rules.commit _QUEUED _large_at_commit": _large,
    "findings.rules.larger _CONVOY waits": _convoy,
    "findings.rules.latches _CROWD hot_page": _page,
    "findings.rules.latches _ENOUGH ahi_in_list": lambda: _lists(of_calls=4),
    "findings.rules.latches _ENOUGH ahi_in_list again": lambda: _lists(share=latches._ENOUGH),
    "findings.rules.latches _FEW_PAGES hot_page": lambda: _page(addresses=4),
    "findings.rules.latches _MINOR ahi_build": _ahi,
    "findings.rules.latches _READ_IN hot_page": lambda: _page(read_in=0.75, dumps=9),
    "findings.rules.locks _ALONE_S _by_processlist": lambda: _changing(60.0),
    "findings.rules.locks _ENDED_S hot_row": _deadlocks_end_them,
    "findings.rules.locks _IDLE_S _idle_holder": _idle,
    "findings.rules.locks _MANY_CHANGES large_transaction": _large_change,
    "findings.rules.locks _MOSTLY _by_processlist": lambda: _changing(60.0, 50.0, counted=1.0),
    "findings.rules.locks _MOSTLY _by_processlist again": lambda: any(
        "latches" in text for text in _changing(60.0, 50.0, counted=1.0, latched=3)
    ),
    "findings.rules.locks _AWAY hot_row": lambda: _row_waits(away=120),
    "findings.rules.locks _MOSTLY hot_row": _row_waits,
    "findings.rules.pages _DIRTY _evicts_dirty_pages": _dirty,
    "findings.rules.pages _FULL sync_flush": _log_is_full,
    "findings.rules.pages _MANY free_pages": _shortage,
    "findings.rules.pages _MANY sync_flush": lambda: _score(
        pages.sync_flush(stall(threads=always(seen(most=20))))
    ),
    "findings.rules.pages _NO_PAGES free_pages": lambda: _shortage(searching=0),
    "findings.rules.pages _FULL sync_flush again": lambda: _log_is_full(pages._FULL, filled=True),
    "findings.rules.pages _NEARLY_FULL sync_flush": lambda: _main_waits(pages._NEARLY_FULL),
    "findings.rules.pages _OFTEN sync_flush": _main_waits,
    "findings.rules.pages _SINGLE free_pages": _single_pages,
    "findings.rules.statements _ALIKE _score": lambda: statements._score(8, 3.0, 0, alone=True),
    "findings.rules.statements _CROWD _of_counts": _counted,
    "findings.rules.statements _LEAST_ALIKE_S _score": lambda: statements._score(
        2, 3.0, 0, alone=True
    ),
    "findings.rules.statements _MANY_ROWS _tells": _reads_more,
    "findings.rules.statements _MOSTLY _of_counts": _counted,
    "findings.rules.statements _MOSTLY _of_digests": _of_digests,
    "findings.rules.statements _MOSTLY _of_profile": lambda: statements._of_profile(
        stall(profile=always(seen(share=0.75)))
    ) is None,
    "findings.rules.concurrency _LEAST_WAITS _crowded_trace": lambda: _trace(12, 10, 9),
    "findings.rules.concurrency _CROWDED _crowded_trace": lambda: _trace(40, 20, 19),
    "findings.rules.concurrency _CROWDED _crowded_trace again": lambda: _trace(30, 20, 10),
    "findings.rules.concurrency _COLLAPSED collapse": _collapse,
    "findings.rules.concurrency _LIMITED unlimited": lambda: _unlimited(
        innodb_thread_concurrency=32.0
    ),
    "findings.rules.concurrency _MANY collapse": _collapse,
    "findings.rules.concurrency _NEARLY_NOTHING _work_alone": lambda: _alone(0.125),
    "findings.rules.concurrency _NEARLY_NOTHING unlimited": lambda: _unlimited(ratio=0.125),
    "findings.rules.concurrency _OF_THREADS collapse": _collapse,
    "findings.rules.concurrency _TIMES_AS_MANY collapse": _collapse,
    "findings.rules.concurrency _USUAL_SPINS unlimited": lambda: _unlimited(
        innodb_sync_spin_loops=60.0
    ),
    "findings.rules.concurrency _HALF contention": lambda: _contention(100.0, *_CROWD),
    "findings.rules.concurrency _MORE contention": lambda: _contention(
        120.0, *_CROWD, before=80.0
    ),
    "findings.rules.concurrency _ADDED contention": lambda: _contention(
        200.0, *_CROWD, before=150.0
    ),
    "findings.rules.concurrency _LITTLE_MORE contention": lambda: _contention(
        176.0, *_CROWD, before=160.0
    ),
    "findings.rules.concurrency _MOST contention": lambda: _contention(150.0, *_CROWD),
    "findings.rules.concurrency _SATURATED contention again": lambda: _contention(
        60.0, level("us", 95.0, before=90.0, collector="vmstat")
    ),
    "findings.rules.concurrency _SATURATED contention": lambda: _contention(
        60.0, level("us", 90.0, collector="vmstat")
    ),
    "findings.rules.statements _COLLECTS_S _of_log": _collects,
    "findings.rules.statements _ROWS_FOR_ONE _of_log": _of_log,
    "findings.rules.statements _SLOW _of_digests": _of_digests,
    "findings.rules.statements _SLOW _of_lists": _of_lists,
    "findings.rules.statements _SLOW _of_log": _of_log,
    "findings.rules.statements _SLOW _of_log again": _of_slow_log,
    "findings.rules.statements _SOME_TIMES _tells": _reads_more,
}  # fmt: skip
