"""Findings, deadlocks, reasoning: direct calls with rivals in the wrong order, and a tie."""

from __future__ import annotations

from importlib import import_module
from typing import Any
from unittest import mock

import polars as pl

from pileup.analysis.contract import HotLatchDoc
from pileup.analysis.deadlocks import by_deadlock
from pileup.analysis.deadlocks import cycle as cycles
from pileup.analysis.evidence import listed_times
from pileup.analysis.evidence.actors import Actor
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.levels import Levels
from pileup.analysis.findings import (
    cascade,
    catalogue,
    event_load,
    latch_counts,
    limits,
    machine_checks,
    matching,
    next_evidence,
    observed,
    particulars,
    ranking,
    remedies,
    signatures,
    slow_queries,
    stall_records,
    storms,
    summary,
    triage,
    turning_points,
    worst_moment,
)
from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.rules import (
    Match,
    commit,
    concurrency,
    latches,
    locks,
    statements,
)
from pileup.analysis.reasoning import discriminate
from pileup.analysis.reasoning.matrix import Column
from pileup.analysis.stalls import detection, lags, silences
from pileup.records import Deadlock, DeadlockTrx, Event, Query, Transaction
from tests.analysis.frames import T0, S, evidence, gauge
from tests.analysis.test_rivals import finding
from tests.analysis.turning.rules import stall
from tests.analysis.turning.tools import always, given, instead, level, listed
from tests.api.test_table_tabs import session

explained: Any = import_module("pileup.analysis.deadlocks.explain")
patterns: Any = import_module("pileup.analysis.deadlocks.patterns")
_AT: dict[str, Any] = {"line_first": 1, "line_last": 1, "wall_us": T0, "clock": "utc"}


def _at(second: float, line: int = 1) -> dict[str, Any]:
    return {
        "line_first": line,
        "line_last": line,
        "wall_us": T0 + round(second * S),
        "clock": "utc",
    }


# ---- deadlocks ---------------------------------------------------------------------------------


def signature_of_a_member() -> object:
    member: Any = given(
        statement=None, wants=None, holds=[given(signature=(name,)) for name in ("c", "a", "b")]
    )
    return cycles.Member.signature.__get__(member)


def nearest_holder() -> object:
    wants = given(name="wants")
    lock = lambda name: given(name=name, blocks=always(True))  # noqa: E731
    first = given(wants=wants, holds=[])
    others = [given(wants=None, holds=[lock(name)]) for name in ("few", "most", "some")]
    nearness = {"few": 1, "most": 9, "some": 5}
    members: Any = [first, *others]
    with (
        instead(cycles, _nearness=lambda held, _: nearness[held.name]),
        instead(cycles, Wait=lambda *parts: parts[3].name),
    ):
        return cycles._wait(members[0], members, 0)


def words_of_a_deadlock() -> object:
    wants = [
        given(signature=(name,), table=name, extent="record", index=f"i{name}")
        for name in ("c", "a", "b")
    ]
    cycle: Any = given(members=[given(wants=each) for each in wants])
    return explained._names(cycle, given(because=""))


def rows_of_a_lock() -> object:
    rows = ("1:9:5", "1:2:7", "1:4:1")
    one, several = ("1:9:5",), rows
    return [
        explained._rows(given(extent="record", supremum=False, rows=each))
        for each in (one, several)
    ]


def _folded(*names: str) -> object:
    with (
        instead(patterns, _read=lambda row: (row["name"], None)),
        instead(patterns, pattern_id=lambda cycle, _: cycle),
        instead(
            patterns,
            _begin=lambda key, *_: given(
                id=key, count=0, first_us=None, last_us=None, most_in_a_minute=0
            ),
        ),
    ):
        found = patterns.patterns({"name": name, "time": None} for name in names)
    return [(each.id, each.count) for each in found]


def pattern_of_any_order() -> object:
    def named(*names: str) -> str:
        cycle: Any = given(members=[given(signature=name) for name in names])
        kind: Any = "unknown"
        return patterns.pattern_id(cycle, kind)

    return named("c", "a", "b"), named("a", "b", "c") == named("c", "a", "b")


def beginning_of_a_pattern() -> object:
    members = [
        given(statement=given(shape=f"s{name}"), holds=(given(table=name),), wants=None)
        for name in ("c", "a", "b")
    ]
    kind: Any = next(iter(patterns.WORDS))
    begun = patterns._begin("x", kind, given(members=members), {})  # type: ignore[arg-type]
    return begun.shapes, begun.tables


# ---- what ends where ---------------------------------------------------------------------------


def latches_at_which_time_ends() -> object:
    shares = (("c", 0.1), ("b", 0.2), ("d", 0.5), ("a", 0.2))

    def each(_: object, collect: Any) -> None:
        for name, share in shares:
            member = given(latch=name, kind="resource", label=name)
            collect(name, member, share)

    blocked: Any = object()
    with instead(cascade, _each=each):
        return [ending.label for ending in cascade.endings(blocked)]


def root_of_a_finding() -> object:
    selects: dict[str, Any] = {name: object() for name in ("a", "few", "tie", "most", "even")}
    whole = {"a": 10.0, "few": 8.0, "tie": 8.0, "most": 8.0, "even": 8.0}
    ends = {"a": 0.0, "few": 5.0, "tie": 7.0, "most": 8.0, "even": 7.0}
    name_of = {id(select): name for name, select in selects.items()}
    found = []
    for left_out in ((), ("most",)):
        kept = {name: each for name, each in selects.items() if name not in left_out}
        with instead(
            cascade,
            ends_at=lambda _, select: ends[name_of[id(select)]],
            _through=lambda _, select: whole.get(name_of.get(id(select), ""), 9.0),
        ):
            blocked: Any = object()
            found.append(cascade.passes_on(blocked, kept))
    return found


# ---- lists of the evidence ---------------------------------------------------------------------


def files_by_path() -> object:
    found = evidence({name: [gauge("m.x", [1.0])] for name in ("c", "a", "b")})
    reordered: Any = given(
        frames=found.frames, artifacts=found.artifacts[::-1], clocks=found.clocks, path=found.path
    )
    return [doc.path for doc in catalogue.artifacts(reordered)]


def series_by_id() -> object:
    """Of a series that two files have as often, the first file."""
    found = evidence(
        {file: [gauge(f"m.{name}", [1.0]) for name in ("c", "a", "b")] for file in ("f2", "f1")}
    )
    return [(doc.id, doc.artifact[:2]) for doc in catalogue.series(found)]


def events_in_time() -> object:
    logged = [
        Event(kind="log", message=name, severity=severity, **_at(second, line))
        for line, (name, severity, second) in enumerate(
            (
                ("d", "note", 9),
                ("b", "error", 5),
                ("a", None, 1),
                ("c", "warning", 5),
                ("e", "warning", 2),
            ),
            start=1,
        )
    ]
    found = evidence({"log": logged})
    every = [event.message for event in catalogue.events(found)]
    with mock.patch.object(catalogue, "MOST_EVENTS", 2):
        return every, [event.message for event in catalogue.events(found)]


def fullest_print() -> object:
    """Prints of one deadlock: those with a time, of these the whole ones, else as they came."""
    prints = [(None, True, 1), ("t", True, 2), (None, False, 3), ("t", False, 4), ("t", False, 5)]
    rows = [
        {
            "host": "h", "wall_us": None, "original": original, "truncated": cut,
            "line_first": line,
            "transactions": [{"trx_id": "7", "query": ""}, {"trx_id": "8", "query": ""}],
        }
        for original, cut, line in prints
    ]  # fmt: skip
    return [[row["line_first"] for row in group] for group in by_deadlock(rows)]


def deadlocks_by_host() -> object:
    """Times in another order than the lines; of two prints, the one with a printed time first."""
    rows = [
        Deadlock(
            line_first=line, line_last=line, host=host, wall_us=T0 + second * S, clock="utc",
            original=original,
            transactions=(DeadlockTrx(number=1, trx_id=a), DeadlockTrx(number=2, trx_id=b)),
        )
        for line, host, second, original, a, b in (
            (1, "h", 9, None, "5", "6"), (2, "h", 3, None, "1", "2"), (3, "h", 5, "t", "1", "2"),
            (4, "h", 4, "t", "3", "4"), (5, "g", 1, None, "7", "8"), (6, "h", 20, None, "9", "10"),
            (7, "h", 2, "t", "1", "2"),
        )
    ]  # fmt: skip
    found = detection._deadlock_times(evidence({"d": rows}))
    return {host: [(time - T0) // S for time in times] for host, times in found.items()}


def log_lines_by_host() -> object:
    rows = [
        Event(
            line_first=line, line_last=line, kind="log", message="x", host=host,
            wall_us=T0 + second * S, clock="utc",
        )
        for line, host, second in ((1, "h", 9), (2, "h", 3), (3, "g", 5), (4, "h", 3), (5, "g", 1))
    ]  # fmt: skip
    found = detection._logged(evidence({"d": rows}), pl.lit(True))
    return {host: [(time - T0) // S for time in times] for host, times in found.items()}


def collectors_that_end() -> object:
    times = [T0 + at * S for at in (5, 1, 9, 3, 7, 2)]
    return silences._ends(pl.DataFrame({"by": ["b"] * 6, "time": times}))


def lag_in_time() -> object:
    seconds = [0, 10, 60, 20, 50, 30, 40, 70, 80, 90]
    lags_s = [0.0, 0, 30, 0, 20, 0, 10, 30, 0, 0]
    rows = [
        ("a", "replication.seconds_behind", "h", T0 + at * S, lag)
        for at, lag in zip(seconds, lags_s, strict=True)
    ]
    frame = pl.DataFrame(rows, schema=["id", "series", "host", "time", "value"], orient="row")
    return [(each.onset - T0) // S for each in lags.lag_stops(frame)["h"]]


def deadlocks_in_time() -> object:
    rows = [
        Deadlock(
            transactions=(), victim=None, original=name, **_at(second, line)
        )
        for line, (name, second) in enumerate((("c", 9), ("a", 1), ("b", 5)), start=1)
    ]  # fmt: skip
    return [row["original"] for row in catalogue._distinct_deadlocks(evidence({"d": rows}))]


def tables_of_a_deadlock() -> object:
    waits = [{"holds": ["app.c x", "app.a x", "app.b x"], "waits_for": None, "query": None}]
    return catalogue._relation(T0, waits, {"app.c", "app.a", "app.b"}, Span(T0, T0 + S))


# ---- levels and signs --------------------------------------------------------------------------


_LEVELS = [level("x.few", 3.0), level("x.most", 9.0), level("x.some", 5.0)]


def _series_of(each: Any, _: str) -> str:
    return each.series


def most_loaded_event() -> object:
    known: Any = given(levels_named=always(_LEVELS), series=_series_of)
    return event_load._seen(known, _LEVELS, "x").evidence


def most_counted_latch() -> object:
    levels = [level(name, value * 1e6) for name, value in (("few", 3), ("most", 9), ("some", 5))]
    known: Any = given(levels_named=always(levels), series=_series_of, context=given(server=None))
    with instead(latch_counts, _latch_of=always("z"), latches=" and ".join):
        return latch_counts.counted(known, [], {"z"}).evidence


def names_of_counted_latches() -> object:
    levels = [level("x", 9e6, labels=name) for name in ("c", "a", "b")]
    known: Any = given(levels_named=always(levels), series=_series_of, context=given(server=None))
    with instead(latch_counts, _latch_of=lambda labels, _: labels, latches=" and ".join):
        return latch_counts.counted(known, [], {"a", "b", "c"}).text


def fullest_limits() -> object:
    docs = [
        given(verdict=verdict, share=share, id=name)
        for verdict, share, name in (
            ("far", 0.1, "f"), ("near", 0.8, "d"), ("reached", 0.9, "b"), ("near", 0.8, "c"),
            ("near", 0.9, "e"), ("reached", 1.0, "a"),
        )
    ]  # fmt: skip
    with instead(
        limits, limits=always({"x": docs}), _check=lambda limit, _: limit, _undated=always(()),
        Ceilings=always(None),
    ):  # fmt: skip
        context: Any = given()
        return [doc.id for doc in limits.check(context, Levels(()))]


def undated_gauges() -> object:
    found = evidence({"a": [gauge(f"m.{name}", [1.0]) for name in ("c", "a", "b")]})
    frame = found.frame("sample")
    assert frame is not None
    undated = frame.with_columns(time=pl.lit(None, dtype=pl.Int64)).reverse()
    context: Any = given(evidence=given(frame=always(undated)))
    return [each.series for each in limits._undated(context)]


def busiest_core() -> object:
    cores = [
        level("cpu_busy_pct", value, before=1.0, labels=f"{value}") for value in (3.0, 9.0, 5.0)
    ]
    found = machine_checks._busy_of_cores(Levels(tuple(cores)))
    return found and found[2].labels


def server_that_takes_most() -> object:
    rows = [
        level("cpu", value, collector="pidstat", labels=f"command=mysqld,pid={pid}")
        for pid, value in ((1, 60.0), (2, 99.0), (3, 99.0), (4, 80.0))
    ]
    found = machine_checks.of_server(Levels(tuple(rows)))
    return found and found.labels


def most_throttled() -> object:
    rows = [
        level("throttled_pct", value, labels=f"n={at}")
        for at, value in enumerate((12.0, 61.0, 61.0, 20.0))
    ]
    match = concurrency.quota(stall(levels_named=always(rows), series=lambda row, _: row.labels))
    return match and (match.why, match.evidence)


def busiest_processes() -> object:
    rows = [
        level("cpu", value, collector="pidstat", labels=f"command=p{value:.0f}")
        for value in (60.0, 70.0, 99.0, 80.0)
    ]
    return [text for text, _ in machine_checks.strangers(Levels(tuple(rows)))]


def faults_by_kind() -> object:
    few, most, some = sorted(machine_checks.FAULTS)[:3]
    frame = pl.DataFrame({"kind": [few, *[some] * 2, *[most] * 3]})
    return machine_checks.count_by_kind(frame)


def best_alternative() -> object:
    answers = {
        name: given(seen=given(holds=True, name=name), score=score, strength=score, weight=1.0,
                    best=None)
        for name, score in (("few", 0.1), ("most", 0.9), ("some", 0.5))
    }  # fmt: skip
    sign: Any = given(any=list(answers))
    with instead(matching, look=lambda item, _: answers[item]):
        known: Any = given()
        return matching._best(sign, known).strength


def largest_counter() -> object:
    sign: Any = given(counter="x", peak=None, lowest=None)
    known: Any = given(levels_named=always(_LEVELS), series=_series_of)
    with instead(
        matching, names=always(["x"]), _fits=always(True), change=lambda item: item.series
    ):
        return matching._counter(sign, known).text


def class_of_most_time() -> object:
    kinds = list(next_evidence._LOCKS)
    metadata = next(kind for kind in kinds if next_evidence._LOCKS[kind] != "row_locks")
    rows = next(kind for kind in kinds if next_evidence._LOCKS[kind] == "row_locks")
    active: Any = given(
        classes=[
            given(waits=True, share=share, id=name)
            for name, share in ((metadata, 0.2), (rows, 0.7), ("x", 0.1))
        ]
    )
    context: Any = given(server=given(flavor="mysql", version=(8, 0, 30)))
    with instead(
        next_evidence, _has=always(False), row_locks=always("rows"),
        metadata_locks=always("metadata"), processlist=always("list"), status_dump=always("dump"),
        stacks=always("stacks"), query=always("query"),
    ):  # fmt: skip
        return next_evidence.to_settle(context, active)


def _latch(name: str, share: float) -> HotLatchDoc:
    return given(latch=name, share=share, addresses=1)


def latch_of_most_waits() -> object:
    known = given(
        context=given(hot_latches=[_latch("a", 0.05), _latch("b", 0.9), _latch("c", 0.05)])
    )
    method: Any = vars(Observed)["dominant_latch"]
    found = getattr(method, "func", getattr(method, "fget", method))(known)
    return found and found.latch


def _group(name: str, threads: int, *, profiled: bool = False, row: int = 0) -> Any:
    return given(
        site={name}, keys={name, "f"}, waiting=False, profiled=profiled, threads=threads,
        names=(name, "f"), per_sample={("a", 0): float(threads)},
        example={"count": threads, "row": row},
    )  # fmt: skip


_GROUPS = [_group("few", 3), _group("most", 9, row=5), _group("tie", 9, row=2), _group("some", 5)]


def largest_stack() -> object:
    known: Any = given(stacks=_GROUPS, _no_stack=None, _stacks_seen=lambda _, top, *__: top.names)
    with instead(observed, _named=always("x")):
        return Observed.stack(known, ["f"], [], None)


def largest_of_a_profile() -> object:
    groups = [_group(name, n, profiled=True) for name, n in (("few", 3), ("most", 9), ("some", 5))]
    known: Any = given(stacks=groups, lines=lambda row, _: row["count"])
    return Observed.profile(known, "f").evidence


def stack_of_threads() -> object:
    """Of equals that of the first line."""
    known: Any = given(
        stacks=_GROUPS, _no_stack=None, _stacks_seen=lambda _, top, *__: top.names,
        context=given(evidence=given(frame=always(object()))),
    )  # fmt: skip
    return Observed.threads(known, always(True), "x")


def stack_of_waits() -> object:
    known: Any = given(_stacks_seen=lambda _, top, *__: top.names)
    return Observed._by_stack(known, _GROUPS, "wait")


def functions_of_stacks() -> object:
    groups = [_group(name, n) for name, n in (("few", 3), ("tie", 5), ("most", 9), ("even", 5))]
    with instead(observed, function_key=lambda name: name):
        return observed._named(groups, {"few", "tie", "most", "even"})


def moment_of_most_rows() -> object:
    rows = [("a", 0, 9), ("b", 1, 5), ("b", 1, 5), ("c", 2, 3), ("c", 2, 3), ("d", 3, 3)]
    frame = pl.DataFrame(
        [
            {"artifact": name, "snapshot": at, "time": time, "line_first": 1, "line_last": 1}
            for name, at, time in rows
        ]
    )
    return observed._peak(frame)["artifact"]


# ---- who, and which statement ------------------------------------------------------------------


def oldest_statement() -> object:
    frame = pl.DataFrame({"time_s": [3.0, None, 9.0, 5.0], "session_id": [1, 2, 3, 4]})
    context: Any = given()
    with instead(particulars, _statements=always(frame)):
        return particulars._oldest("KILL", context)


def most_connected() -> object:
    """In the fullest list, the later of two as full."""
    lists = [(0, "abb"), (5, "accbb"), (9, "bcccc"), (9, "adddd")]
    rows = [
        session(90 * snapshot + n, "SELECT 1", wall_us=T0 + at * S, snapshot=snapshot, user=user)
        for snapshot, (at, users) in enumerate(lists)
        for n, user in enumerate(users, start=1)
    ]
    context: Any = given(evidence=evidence({"list": rows}))
    return particulars._most_connected(context)


def leader_of_a_mechanism() -> object:
    entries: Any = [given(issue=given(mechanism="m"), n=n) for n in (3, 9, 5)]
    with instead(ranking, _leads=lambda entry, _: entry.n):
        server: Any = None
        return [[each.n for each in group] for group in ranking.by_mechanism(entries, server)]


def findings_in_order() -> object:
    """Symptoms last, what is only seen behind what is found, then by rank, then by id."""
    rows = [
        ("f", "symptom", "found", 9.0),
        ("e", "problem", "seen", 9.0),
        ("d", "problem", "found", 1.0),
        ("c", "problem", "found", 5.0),
        ("a", "problem", "found", 9.0),
        ("b", "problem", "found", 5.0),
    ]
    ranks = {name: rank for name, _, _, rank in rows}
    docs = [finding(name, 0.5, role=role, verdict=verdict) for name, role, verdict, _ in rows]
    with instead(ranking, _rank=lambda doc: ranks[doc.id], _marked=lambda doc, *_: doc):
        return [doc.id for doc in ranking.in_order(docs, {}, {}, {}, is_small=False)]


def oldest_transaction() -> object:
    rows = [
        Transaction(
            trx_id=f"{n}", state="ACTIVE", session_id=n, active_s=age, lock_wait=False, snapshot=0,
            **_AT,
        )
        for n, age in enumerate((3.0, 90.0, 5.0), start=1)
    ]  # fmt: skip
    context: Any = given(evidence=evidence({"dump": rows}), stall=None)
    return remedies._end_oldest(context, "KILL")


def large_at_commit() -> object:
    rows = [
        session(n, "DELETE FROM t", state="query end", time_s=took, snapshot=0)
        for n, took in enumerate((2.0, 600.0, *[2.0] * 8), start=1)
    ]
    frame = evidence({"list": rows}).frame("session")
    return commit._large_at_commit(stall(during=always(frame))).text


def most_pending() -> object:
    rows = [level("pending_log_fsyncs", value) for value in (3.0, 20.0, 5.0)]
    match = commit._slow_flushes(stall(levels_named=always(rows), level=always(2.0)))
    return match and match.why


def digest_of_most_calls() -> object:
    digests = [
        given(calls=calls, text=f"SELECT {calls} FROM t WHERE a IN (...)", table=None)
        for calls in (3, 9, 5)
    ]
    base = Match("mysql-100512", 0.75, "", ())
    with instead(
        latches, ahi_build=always(base), _share_of_statements=always(0.0), digests=always(digests)
    ):
        match = latches.ahi_in_list(stall(lines=lambda _, text: text))
    return match and match.evidence


def table_of_most_changes() -> object:
    rows = [
        session(n, f"UPDATE {table} SET a=1", state="Updating", time_s=60.0, snapshot=0)
        for n, table in enumerate(("x", "c", "c", "d", "d"), start=1)
    ]
    frame = evidence({"list": rows}).frame("session")
    known = stall(during=lambda kind: frame if kind == "session" else None)
    with instead(locks, _in_latches=always(0)):
        match = locks._by_processlist(known)
    return match and match.why


def oldest_change() -> object:
    rows = [
        session(n, "UPDATE t SET a=1", state="Waiting for semi-sync ACK from slave", time_s=took)
        for n, took in enumerate((70.0, 90.0, 80.0), start=1)
    ]
    frame = evidence({"list": rows}).frame("session")
    assert frame is not None
    return locks._commits(frame, "t", 60.0)


def counter_of_most() -> object:
    known = stall(levels_named=always(_LEVELS), level=always(10.0), series=_series_of)
    match = locks._by_counter(known)
    return match and match.evidence


def slowest_shape() -> object:
    """The shape that took most time in all, with its longest statement."""
    log = [
        Query(
            query_time_s=took, rows_examined=90_000_000, rows_sent=1, lock_time_s=0.0,
            query=f"SELECT {shape} FROM t WHERE b = {line}", **_at(0, line),
        )
        for line, (shape, took) in enumerate(
            (("x", 50.0), ("y", 30.0), ("y", 40.0), ("z", 20.0)), start=1
        )
    ]  # fmt: skip
    frame = evidence({"slow": log}).frame("query")
    found = statements._of_log(stall(during=always(frame), lines=lambda row, _: row["line_first"]))
    return found and (found.match.why, found.match.evidence)


def digest_of_most_time() -> object:
    table = object()
    timed = [
        given(total_s=total, calls=1, lock_s=0.0, table=table, text=f"d{total:.0f}")
        for total in (20.0, 90.0, 30.0)
    ]
    with instead(statements, digests=always(timed)):
        match = statements._of_digests(stall())
    return match and match.why


def statements_at_once() -> object:
    """One that ends when another begins is not beside it."""
    frame = pl.DataFrame(
        {"time": [T0 + 9 * S, T0 + 5 * S, T0 + 3 * S], "query_time_s": [4.0, 2.0, 2.0]}
    )
    return slow_queries.at_once(frame)


def queue_of_a_latch() -> object:
    known: Any = given(
        queues={},
        worst=given(
            latches={
                name: given(waiters=waiters, name=name)
                for name, waiters in (("a", 3), ("b", 9), ("c", 9))
            }
        ),
    )
    with instead(signatures.impacts, latches_of=always({"c", "a", "b"})):
        signature: Any = None
        found = signatures._queue(signature, "latch", known)
    return found and found.name


def _logged(*rows: tuple[str, float, float, int]) -> pl.DataFrame:
    log = [
        Query(query_time_s=took, query=text, **_at(second, line))
        for text, took, second, line in rows
    ]
    frame = evidence({"slow": log}).frame("query")
    assert frame is not None
    return frame


def texts_of_most_time() -> object:
    frame = _logged(("c", 1, 9, 1), ("b", 5, 9, 2), ("d", 9, 9, 3), ("a", 5, 9, 4))
    prepared = frame.with_columns(_text=pl.col("query"), weight=pl.lit(1.0))
    return slow_queries._shapes(prepared)["_text"].to_list()


def kinds_of_statements() -> object:
    frame = _logged(
        ("c", 1, 9, 1), ("b", 2, 9, 2), ("d", 9, 9, 3), ("a", 5, 9, 4), ("b", 3, 5, 5),
        ("b", 3, 5, 6), ("d", 9, 5, 7),
    )  # fmt: skip
    shaped = frame.with_columns(shape=pl.col("query"), weight=pl.lit(1.0))
    with mock.patch.object(slow_queries, "_WEIGHT", pl.lit(1.0)):
        found = slow_queries._classes(shaped)
    return found.select("shape", "total_s", "line_first").rows()


def series_by_name() -> object:
    by_name = {name: [name] for name in ("c", "a", "b")}
    known: Any = given(_by_name=by_name)
    return stall_records.StallRecords.levels_named(known, {"c", "a", "b"})


def deadlocks_that_are_most() -> object:
    frame = lambda n: pl.DataFrame(  # noqa: E731
        {"time": [T0] * n, "line_first": list(range(n)), "line_last": list(range(n))}
    )
    known: Any = given(lines=lambda *_: None)
    with instead(
        storms, _printed=always(frame(3)), _logged=always(frame(9)), _usual_statements=always(""),
        _rate_of_latest=always(0.0),
    ):  # fmt: skip
        return storms.deadlocks(known, 2.0).text


def latest_deadlocks() -> object:
    """Each dump has the latest before it, whatever the order of the records."""
    order = (3, 0, 4, 1, 2)
    times = {
        "deadlock": [T0 + 9 * n * S for n in order],
        "snapshot": [T0 + (9 * n + 2) * S for n in order],
    }
    frames = {
        kind: pl.DataFrame({"time": of, "host": [None] * 5, "kind": ["innodb_status"] * 5})
        for kind, of in times.items()
    }
    with instead(storms, _near=lambda _, kind: frames[kind]):
        return storms._rate_of_latest(given())


def plan_of_most_rows() -> object:
    rows = [[name, "ALL", str(n)] for name, n in (("b", 200_000), ("c", 900_000), ("a", 300_000))]
    table = {"columns": ["table", "type", "rows"], "rows": rows, "line_first": 1, "line_last": 4}
    frame = pl.DataFrame([table])
    known = stall(context=given(evidence=given(frame=always(frame))))
    match = statements._of_plans(known)
    return match and match.why


def minute_of_most() -> object:
    return storms._most_in_a_minute([T0 + n * S for n in (500, 0, 510, 300, 505)])


def usual_statements() -> object:
    texts = ("c", "b", "b", "a", "a", "d", "d", "d")
    frame = pl.DataFrame({"transactions": [[{"query": f"SELECT {t} FROM t"}] for t in texts]})
    with mock.patch.object(storms, "_SHAPES", 3):
        return storms._usual_statements(frame)


def middle_value() -> object:
    return storms._middle([9.0, 1.0, 99.0, 5.0, 2.0])


def growth_in_time() -> object:
    order = sorted(range(60), key=lambda n: (n * 7) % 60)
    rows = pl.DataFrame(
        {"id": ["x"] * 60, "time": [T0 + n * S for n in order], "value": [10.0 + n for n in order]}
    )
    context = given(stall=None, baseline=None, baseline_is_before=False, values=rows)
    known: Any = given(
        context=context, levels_named=always([given(id="x", series="x", labels="")]),
        series=always(None),
    )  # fmt: skip
    return storms.trend(known, ["x"]).holds


def longest_growth() -> object:
    """From its last minimum on where that grew more than the stall itself."""
    values = [1.0 + n for n in range(30)] + [31.0 + 4 * n for n in range(30)]
    rows = pl.DataFrame(
        {"id": ["x"] * 60, "time": [T0 + n * S for n in range(60)], "value": values}
    )
    context = given(
        stall=Span(T0 + 30 * S, T0 + 60 * S), baseline=None, baseline_is_before=False, values=rows
    )
    known: Any = given(
        context=context, levels_named=always([given(id="x", series="x", labels="")]),
        series=always(None),
    )  # fmt: skip
    return storms.trend(known, ["x"]).text


def last_deadlock() -> object:
    frame = pl.DataFrame(
        {"time": [9, 1, 5], "transactions": ["last", "first", "second"], "victim": [None] * 3}
    )
    context: Any = given(evidence=given(frame=lambda kind: frame if kind == "deadlock" else None))
    with instead(summary, explain=lambda rows, _: given(kind="", label=rows, why="")):
        return summary._of_deadlock(context)


def usual_query() -> object:
    """The shape of most statements; of equals the first by name, with its first line."""
    texts = ("SELECT c FROM t", "SELECT b FROM t", "SELECT b FROM t", "SELECT a FROM t",
             "SELECT a FROM t")  # fmt: skip
    rows = [session(n, text, snapshot=0) for n, text in enumerate(texts, start=1)]
    found = evidence({"list": rows})
    reversed_: Any = given(frame=lambda kind: found.frame(kind).reverse())  # type: ignore[union-attr]
    known: Any = given(
        context=given(evidence=reversed_, stall=None), lines=lambda row, *_, **__: row["line_first"]
    )
    with instead(triage, _doc=lambda *parts: (parts[1], parts[2], parts[3])):
        return triage._collateral(known)


def slowest_storage() -> object:
    levels = Levels(
        tuple(
            level("await", value, before=1.0, labels=f"device={name}")
            for name, value in (("few", 30.0), ("most", 90.0), ("some", 50.0))
        )
    )
    known: Any = mock.MagicMock(levels=levels)
    with instead(triage, _doc=lambda *parts: parts[2]):
        return triage._shared_storage(known)


def largest_queue() -> object:
    """The longest wait decides between equals, then the kind."""

    def queue(kind: str, waiters: int, longest: float | None) -> Any:
        return given(
            kind=kind, waiters=waiters, longest=longest, label=kind, share=0.5, evidence=()
        )

    rows = (queue("row", 2, 90.0), queue("latch", 3, None), queue("table", 3, 8.0),
            queue("user", 3, 8.0))  # fmt: skip
    known: Any = given(queues={each.kind: each for each in rows})
    found = triage._few_waits(known)
    return found and found.why


def list_after_the_last() -> object:
    """The lists come in no order."""
    lists = {35: {8: "SELECT 1"}, 5: {7: "UPDATE t"}, 25: {7: "UPDATE t"}, 40: {8: "SELECT 1"}}
    found = listed(lists)
    frame = found.frame("session")
    assert frame is not None
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=3)
    row = {"query": "UPDATE t", "command": "Query", "time_s": 9.0, "user": "app"}
    context: Any = given(evidence=given(frame=always(shuffled)), host=None)
    with instead(turning_points, _logged=always("")):
        return turning_points._left(
            Actor("session:7", session_id=7, session=row), context, Span(T0, T0 + 33 * S)
        )


def _edges(*waited: float) -> list[Any]:
    return [given(source=f"a{n}", waited_s=w, locators=[]) for n, w in enumerate(waited)]


def largest_resource() -> object:
    """The longest wait decides between equals, then the id."""
    waits = {"few": _edges(9.0), "short": _edges(1.0, 1.0), "long": _edges(5.0, 1.0),
             "even": _edges(1.0, 5.0)}  # fmt: skip
    resources: Any = [given(id=name, label=name) for name in ("few", "long", "short", "even")]
    graph: Any = given(counted=frozenset(), waiting=frozenset, uncounted=frozenset(), touching={})
    with instead(
        worst_moment, _counted=always(1), _holder=always((None, 0.0)), _root=always((None, 0.0)),
        _onward=always(None), _statements=always(()), threads_behind=always(0),
    ):  # fmt: skip
        return worst_moment._queue("latch", resources, waits, {}, graph).label


def usual_statements_of_waiters() -> object:
    texts = {"a0": "few", "a1": "most", "a2": "some", "a3": "most", "a4": "most", "a5": "some"}
    graph: Any = given(actors={name: given(query=text) for name, text in texts.items()})
    edges: Any = [given(source=name) for name in texts]
    return worst_moment._statements(graph, edges)


def surest_holder() -> object:
    actors = {name: name for name in ("weak", "sure", "also")}
    edges = [
        given(source="r", kind="held_by", target=name, confidence=sure)
        for name, sure in (("weak", 0.4), ("also", 0.9), ("sure", 0.9))
    ]
    graph: Any = given(touching={"r": edges}, actors=actors)
    return worst_moment._holder(graph, "r")


# ---- reasoning ---------------------------------------------------------------------------------


def pair_that_leads() -> object:
    ranks = {"c": None, "b": 3, "d": 1, "a": 2}
    matrix: Any = given(scores={name: given(rank=rank) for name, rank in ranks.items()})
    return discriminate.leading_pair(matrix, [Column(name) for name in ranks])


def evidence_that_separates_best() -> object:
    named: Any = {name: given(label=name) for name in "ab"}
    scores = {name: given(rank=1, inconsistency=0.0) for name in "ab"}
    points = {(row, name): 1.0 for row in "xyz" for name in "ab"}
    matrix: Any = given(scores=scores, points=points)
    apart = {"x": 1.0, "y": 9.0, "z": 5.0}
    rows: Any = [given(id=row) for row in apart]
    with instead(discriminate, separation=lambda _, row, __: apart[row.id], nearest=always("C")):
        return discriminate._compare_scores(matrix, rows, ("a", "b"), named, {r: r for r in "xyz"})


def most_promising_row() -> object:
    named: Any = {name: given(label=name) for name in "ab"}
    points = {("x", "a"): 1.0, ("y", "a"): -2.0, ("z", "b"): 1.0}
    matrix: Any = given(points=points)
    rows: Any = [given(id=row, weight=1.0) for row in "xyz"]
    with instead(discriminate, nearest=always("C")):
        (step,) = discriminate._unrated(matrix, rows, ("a", "b"), named, {r: r for r in "xyz"})
    return step.text if hasattr(step, "text") else step


def times_of_appliers() -> object:
    """Sessions in any order of their times, of which some bear out that of an applier."""
    order = "Waiting for preceding transaction to commit"
    rows = [
        ("system user", "Connect", order, 505.0), ("app", "Query", "updating", 900.0),
        ("system user", "Connect", order, 12.0), ("app", "Query", "updating", 10.0),
        ("system user", "Connect", order, 300.0), ("app", "Query", "updating", 500.0),
    ]  # fmt: skip
    frame = pl.DataFrame(rows, schema=["user", "command", "state", "time_s"], orient="row")
    moment = (pl.lit("a").alias("artifact"), pl.lit(1).alias("snapshot"), pl.lit(T0).alias("time"))
    return listed_times.of_waits(frame.with_columns(*moment))["time_s"].to_list()


def threads_in_lists() -> object:
    """Lists of two files and two threads, the later ones first; one thread is listed twice."""
    rows = [
        (artifact, at * S, thread, f"{artifact}{thread}" if at < 6 else "other")
        for at in (6, 2, 4, 0, 2)
        for thread in (8, 7)
        for artifact in ("b", "a")
    ]
    schema = ["artifact", "time", "session_id", "state"]
    frame = pl.DataFrame(rows, schema=schema, orient="row").with_columns(time_s=pl.lit(0.0))
    return listed_times.stood(frame, frame).to_list()


ORDERED: dict[str, Any] = {
    "stalls.detection _deadlock_times": deadlocks_by_host,
    "stalls.detection _logged": log_lines_by_host,
    "stalls.lags lag_stops": lag_in_time,
    "stalls.silences _ends": collectors_that_end,
    "deadlocks.prints by_deadlock": fullest_print,
    "evidence.listed_times of_waits": times_of_appliers,
    "evidence.listed_times stood": threads_in_lists,
    "deadlocks.cycle Member.signature": signature_of_a_member,
    "deadlocks.cycle _wait": nearest_holder,
    "deadlocks.explain _names": words_of_a_deadlock,
    "deadlocks.explain _rows": rows_of_a_lock,
    "deadlocks.patterns patterns": lambda: _folded("b", "d", "c", "a", "c", "d", "c"),
    "deadlocks.patterns pattern_id": pattern_of_any_order,
    "deadlocks.patterns _begin": beginning_of_a_pattern,
    "findings.cascade endings": latches_at_which_time_ends,
    "findings.cascade passes_on": root_of_a_finding,
    "findings.catalogue artifacts": files_by_path,
    "findings.catalogue series": series_by_id,
    "findings.catalogue events": events_in_time,
    "findings.catalogue _distinct_deadlocks": deadlocks_in_time,
    "findings.catalogue _relation": tables_of_a_deadlock,
    "findings.event_load _seen": most_loaded_event,
    "findings.latch_counts counted": (most_counted_latch, names_of_counted_latches),
    "findings.limits check": fullest_limits,
    "findings.limits _undated": undated_gauges,
    "findings.machine_checks _busy_of_cores": busiest_core,
    "findings.machine_checks strangers": busiest_processes,
    "findings.machine_checks of_server": server_that_takes_most,
    "findings.rules.concurrency quota": most_throttled,
    "findings.machine_checks count_by_kind": faults_by_kind,
    "findings.matching _best": best_alternative,
    "findings.matching _counter": largest_counter,
    "findings.next_evidence to_settle": class_of_most_time,
    "findings.observed Observed.dominant_latch": latch_of_most_waits,
    "findings.observed Observed.stack": largest_stack,
    "findings.observed Observed.profile": largest_of_a_profile,
    "findings.observed Observed.threads": stack_of_threads,
    "findings.observed Observed._by_stack": stack_of_waits,
    "findings.observed _named": functions_of_stacks,
    "findings.observed _peak": moment_of_most_rows,
    "findings.particulars _oldest": oldest_statement,
    "findings.particulars _most_connected": most_connected,
    "findings.ranking by_mechanism": leader_of_a_mechanism,
    "findings.ranking in_order": findings_in_order,
    "findings.remedies _end_oldest": oldest_transaction,
    "findings.rules.commit _large_at_commit": large_at_commit,
    "findings.rules.commit _slow_flushes": most_pending,
    "findings.rules.latches ahi_in_list": digest_of_most_calls,
    "findings.rules.locks _by_processlist": table_of_most_changes,
    "findings.rules.locks _commits": oldest_change,
    "findings.rules.locks _by_counter": counter_of_most,
    "findings.rules.statements _of_log": slowest_shape,
    "findings.rules.statements _of_digests": digest_of_most_time,
    "findings.slow_queries at_once": statements_at_once,
    "findings.signatures _queue": queue_of_a_latch,
    "findings.slow_queries _shapes": texts_of_most_time,
    "findings.slow_queries _classes": kinds_of_statements,
    "findings.stall_records StallRecords.levels_named": series_by_name,
    "findings.storms deadlocks": deadlocks_that_are_most,
    "findings.storms _rate_of_latest": latest_deadlocks,
    "findings.rules.statements _of_plans": plan_of_most_rows,
    "findings.storms _most_in_a_minute": minute_of_most,
    "findings.storms _usual_statements": usual_statements,
    "findings.storms trend": (growth_in_time, longest_growth),
    "findings.storms _middle": middle_value,
    "findings.summary _of_deadlock": last_deadlock,
    "findings.triage _collateral": usual_query,
    "findings.triage _shared_storage": slowest_storage,
    "findings.triage _few_waits": largest_queue,
    "findings.worst_moment _queue": largest_resource,
    "findings.worst_moment _statements": usual_statements_of_waiters,
    "findings.worst_moment _holder": surest_holder,
    "reasoning.discriminate leading_pair": pair_that_leads,
    "reasoning.discriminate _compare_scores": evidence_that_separates_best,
    "reasoning.discriminate _unrated": most_promising_row,
}

ALSO: dict[str, Any] = {"findings.turning_points _left": list_after_the_last}
"""It chooses among values that come in any order."""
