"""Findings, called directly where a threshold decides."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import polars as pl

from pileup.analysis.blocked_time.measure import Share
from pileup.analysis.contract import Locator
from pileup.analysis.evidence.actors import Actor
from pileup.analysis.evidence.answers import Answers
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.levels import Level, Levels
from pileup.analysis.findings import (
    cascade,
    catalogue,
    chains,
    excerpts,
    limits,
    logged_waits,
    machine_checks,
    matching,
    observed,
    ranking,
    signatures,
    storms,
    summary,
    triage,
    turning_points,
    worst_moment,
)
from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.rules import Match, statements
from pileup.knowledge.limits import limits as limits_of
from pileup.records import Event, Query
from tests.analysis.frames import T0, S, evidence, gauge, moment
from tests.analysis.test_rivals import finding
from tests.analysis.turning.tools import Scenes, always, given, instead, level, listed
from tests.api.test_table_tabs import session


def _passed_on(ends: Mapping[str, float], either: float = 9.0) -> object:
    """What of two findings flows to the root: ``b`` has eight of ``a``'s ten seconds."""
    selects: dict[str, Any] = {"a": object(), "b": object()}
    whole = {id(selects["a"]): 10.0, id(selects["b"]): 8.0}
    name_of = {id(select): name for name, select in selects.items()}
    with instead(
        cascade,
        ends_at=lambda _, select: ends[name_of[id(select)]],
        _through=lambda _, select: whole.get(id(select), either),
    ):
        blocked: Any = object()
        return cascade.passes_on(blocked, selects)


def _events() -> object:
    """Whether they stay in the order of the file, the least severe of one time first."""
    logged = [
        Event(
            kind="log", message=f"{n}", severity=severity, line_first=n, line_last=n, wall_us=T0,
            clock="utc",
        )
        for n, severity in enumerate(("note", "warning", "error"))
    ]  # fmt: skip
    return catalogue.events(evidence({"log": logged}))[0].message == "0"


def _disk_waits(before: float = 1.0) -> object:
    levels = Levels((level("b", 12.0, before=before, collector="vmstat"),))
    return len(machine_checks.queues(levels)[1])


def _to_accept() -> object:
    levels = Levels((level("backlog", 12.0, collector="netstat", labels="port=3306"),))
    return len(machine_checks.queues(levels)[1])


def _crowd(before: float | None = None) -> object:
    cores = [level("usr", 90.0, collector="mpstat", labels=f"cpu={n}") for n in range(2)]
    queue = level("r", 8.0, before=before, collector="vmstat")
    return machine_checks.crowd(Levels((queue, *cores)), grew=True)


def _waited_in_a_log(took: float, locked: float) -> object:
    logged = [
        Query(
            line_first=1, line_last=5, wall_us=T0, clock="utc", query="UPDATE t SET a = 1",
            query_time_s=took, lock_time_s=locked,
        )
    ]  # fmt: skip
    records: Any = given(
        context=given(evidence=evidence({"slow": logged}), stall=None), lines=always(None)
    )
    return logged_waits.waited(records, "changes").holds


def _small(moments: int, share: float) -> object:
    root: Any = given(of=moments, share=share)
    return summary._is_small(root)


def _rare() -> object:
    seen: Any = given(dumps=(1, 9), most=1)
    return matching._reduce_score(1.0, seen, given(than=always([])))


def _partly() -> object:
    sign: Any = given(kind="latch")
    needs: list[Any] = [
        given(seen=given(holds=True), sign=sign, score=0.75),
        given(seen=given(holds=False), sign=sign, score=0.0),
    ]
    with instead(
        matching, _weight=always(1.0), _clause=always("x"), _wanted=always("y"),
        _sentence=always("text"),
    ):  # fmt: skip
        return matching._partly(needs)


def _dominant(share: float = 0.9, addresses: int = 2) -> object:
    latch = given(share=share, latch="buf_block_lock", addresses=addresses)
    known = given(context=given(hot_latches=[latch]))
    method: Any = vars(Observed)["dominant_latch"]
    return getattr(method, "func", getattr(method, "fget", method))(known) is None


def _of_profile() -> object:
    group = given(
        site={"f"}, keys={"f"}, waiting=False, profiled=True, threads=9, names=("f",),
        per_sample={("a", 0): 9.0},
    )  # fmt: skip
    known: Any = given(stacks=[group], _no_stack="none", _stacks_seen=always("seen"))
    with instead(observed, _named=always("f")):
        return Observed.stack(known, ["f"], [], None)


def _even_bet() -> object:
    first = finding("a", 0.9, 0.3)
    return ranking._as_sure_as_alone(first, [first]) is first


def _lasts(score: float = 0.9, high: float = 0.1, seen: int = 1, moments: int = 10) -> object:
    """What a problem scores that takes so much of the time, in so many of the moments."""
    match = Match("a", score, "", ())
    share = Share(high / 2, 0.0, high, seen)
    found = ranking.as_sure_as_it_lasts(match, share, moments)
    return found.score, found.against


def _explained(follows: str, impact: float = 0.75) -> object:
    known = {"a": given(follows=[follows]), "b": given(follows=[], mechanism="m")}
    with instead(ranking, knowledge=always(given(issue=known.__getitem__))):
        a, b = finding("a", 0.5), finding("b", 0.5, impact)
        return ranking._cause(a, [b], {}, {}, {})


def _sure() -> object:
    """Which finding is sure enough to change the words of the others."""
    group: Any = [given(issue=given(id="x"), match=given(score=0.5))]
    with (
        instead(
            signatures,
            knowledge=always(given(signatures={"x": None})),
            _kind=always(None),
            _queue=always(None),
            _finding=lambda _, sure, *__: list(sure),
        ),
        instead(signatures.impacts, selected=always(None)),
        instead(signatures.cascade, passes_on=always({})),
        instead(signatures.ranking, in_order=lambda findings, *_, **__: findings),
    ):
        known: Any = given(blocked=None, context=given(stall=None))
        return signatures._findings([group], known)


def _found() -> object:
    match = Match("x", 0.5, "", ())
    known: Any = given(
        signatures={"x": given()}, issue=always(given(id="x", mechanism="m", follows=()))
    )
    outcome: Any = matching.Outcome(match, (), had_data=True)
    with (
        instead(
            signatures,
            knowledge=always(known),
            _evaluate=always(outcome),
            _absence=always(None),
            _findings=lambda groups, _: groups,
            _coverage=always(None),
            _has_series=always(False),
        ),
        instead(signatures.larger, waits=always(None)),
        instead(
            signatures.ranking,
            by_mechanism=lambda matched, _: matched,
            without_small=lambda findings: (findings, []),
        ),
    ):
        context = given(stall=None, evidence=given(artifacts=("a",)), server=None)
        given_: Any = given(context=context)
        return len(signatures.diagnose(given_, Answers()).findings)


def _grows() -> object:
    """A series that grows sixfold without a fall."""
    rows = pl.DataFrame(
        {
            "id": ["x"] * 60, "time": [T0 + n * S for n in range(60)],
            "value": [10.0 + n for n in range(60)],
        }
    )  # fmt: skip
    context = given(stall=None, baseline=None, baseline_is_before=False, values=rows)
    known: Any = given(
        context=context, levels_named=always([given(id="x", series="x", labels="")]),
        series=always(None),
    )  # fmt: skip
    return storms.trend(known, ["x"]).holds


def _rate_of_latest() -> object:
    times = [T0 + 9 * n * S for n in range(4)]
    frame = pl.DataFrame({"time": times, "host": [None] * 4, "kind": ["innodb_status"] * 4})
    with instead(storms, _near=lambda *_: frame):
        return storms._rate_of_latest(given())


def _recent() -> object:
    """A dump that was taken as long after a deadlock as it may be for its sake."""
    dumps = pl.DataFrame({"kind": ["innodb_status"], "time": [T0 + 600 * S]})
    return storms._is_recent(dumps, T0)


def _overfull() -> object:
    """A gauge above its ceiling, of which no other counter tells anything."""
    limit: Any = limits_of()["table-cache"]
    context: Any = given(stall=None, evidence=given(path=always("x")))
    known: Any = given(context=context, named=always([]))
    return limits._doc(limit, level("open_tables", 120.0), 100.0, known).verdict


def _plan() -> object:
    table = {"columns": ["table", "type", "rows"], "rows": [["t", "ALL", "100000"]]}
    frame = pl.DataFrame([table])
    known: Any = given(context=given(evidence=given(frame=always(frame))), lines=lambda *_: None)
    return statements._of_plans(known) is None


def _disk(inside: float = 95.0) -> object:
    return len(triage._disk(Levels((level("util", inside, before=1.0),)))[1])


def _configured(name: str, value: float, running: float = 0.0) -> object:
    numbers = {name: value, "innodb_adaptive_hash_index": 1.0}
    levels = Levels((level("threads_running", running),))
    known: Any = given(context=given(settings=[1], number=numbers.get), levels=levels)
    with instead(triage, _of_setting=always(Locator(kind="lines"))):
        return triage._configuration(known, ()).verdict


def _stored(*levels: Level) -> object:
    context = given(evidence=evidence({}))
    known: Any = given(context=context, levels=Levels(levels), series=always(Locator(kind="lines")))
    with instead(machine_checks, slow_calls=always(pl.DataFrame())):
        return triage._shared_storage(known).verdict


def _flushed(before: float, inside: float) -> object:
    return _stored(level("log_fsyncs", inside, before=before))


def _swap() -> object:
    return len(triage._swap(Levels((level("si", 200.0, before=1.0, collector="vmstat"),)))[1])


def _gone(last: int = 25, later: int = 35, over: int = 30) -> object:
    """A session that is listed up to one second, and no longer in the next list."""
    lists = {second: {7: "UPDATE t", 8: "SELECT 1"} for second in (5, last)}
    lists[later] = {8: "SELECT 1"}
    session = {"query": "UPDATE t", "command": "Query", "time_s": 9.0, "user": "app"}
    actor = Actor("session:7", session_id=7, session=session)
    context: Any = given(evidence=listed(lists), host=None)
    with instead(turning_points, _logged=always("")):
        return bool(turning_points._left(actor, context, Span(T0, T0 + over * S)))


def _many_locked(locks: int, changes: int) -> object:
    trx = {"trx_id": "9", "state": "ACTIVE", "query": None, "lock_wait": False}
    trx |= {"active_s": 5.0, "row_locks": locks, "undo_entries": changes}
    return worst_moment.describe_holder(Actor("trx:9", trx=trx))


def _picked_rows() -> object:
    rows = [session(number, "SELECT 1", wall_us=T0) for number in (1, 2)]
    return excerpts.is_part(evidence({"list": [moment("processlist", T0, "utc"), *rows]}))


def _picked_lines() -> object:
    lines = pl.DataFrame({"message": ["Aborting"] * 20})
    known: Any = given(frame=always(lines), frames={"event": lines})
    return excerpts.is_part(known)


def _held(sure: float = 0.0, root_sure: float = 0.0, *, onward: bool = False) -> object:
    queue: Any = given(
        holder=given(id="a"), root=given(id="b") if onward else None, onward=onward, label="l",
        sure=sure, root_sure=root_sure,
    )  # fmt: skip
    context: Any = given(stall=None)
    with (
        instead(chains, describe_holder=always("session 7"), _words=always("another")),
        instead(turning_points, left_early=always(False)),
    ):
        return chains._holder(queue, context)


def _sampled(loads: int, others: int) -> object:
    """Whether so many moments of a load, beside so many of something else, show a stall."""
    items = [gauge("metric.threads_running", [1.0] * loads), gauge("metric.x", [1.0] * others)]
    return signatures._has_series(evidence({"a": items}))


def _crowd_of_unknown_cpus() -> object:
    busy = (level(name, 47.5, collector="vmstat") for name in ("us", "sy"))
    queue = level("r", 24.0, before=8.0, collector="vmstat")
    return machine_checks.crowd(Levels((queue, *busy)))


SCENES: Scenes = {
    "findings.cascade _APART passes_on": lambda: _passed_on({"a": 1.0, "b": 8.0}),
    "findings.cascade _OWN passes_on": lambda: _passed_on({"a": 1.0, "b": 6.0}),
    "findings.cascade _PASSED_ON passes_on": lambda: _passed_on({"a": 2.5, "b": 8.0}),
    "findings.catalogue MOST_EVENTS events": _events,
    "findings.excerpts _FEW is_part": _picked_rows,
    "findings.excerpts _FEW_LINES _is_few_lines": _picked_lines,
    "findings.machine_checks _CROWDED crowd": _crowd,
    "findings.machine_checks _GREW crowd": _crowd_of_unknown_cpus,
    "findings.machine_checks _GREW crowd again": lambda: _crowd(4.0),
    "findings.machine_checks _LONG_QUEUE crowd": _crowd_of_unknown_cpus,
    "findings.machine_checks _NO_TIME_LEFT crowd": _crowd_of_unknown_cpus,
    "findings.machine_checks _MANY_IN_DISK_WAIT queues": _disk_waits,
    "findings.machine_checks _MANY_TO_ACCEPT queues": _to_accept,
    "findings.machine_checks _TIMES_IN_DISK_WAIT queues": lambda: _disk_waits(4.0),
    "findings.matching _FEW_DUMPS _reduce_score": _rare,
    "findings.matching _PARTLY _partly": _partly,
    "findings.observed _DOMINANT Observed.dominant_latch": _dominant,
    "findings.observed _LEAST_OF_PROFILE Observed.stack": _of_profile,
    "findings.observed _PAGES_OF_ONE Observed.dominant_latch": _dominant,
    "findings.ranking _EVEN_BET _as_sure_as_alone": _even_bet,
    "findings.ranking _EXPLAINS _cause": lambda: _explained("m"),
    "findings.ranking _EVEN_BET as_sure_as_it_lasts": _lasts,
    "findings.ranking _LEAST_MOMENTS as_sure_as_it_lasts": lambda: _lasts(moments=5),
    "findings.ranking _LITTLE as_sure_as_it_lasts": lambda: _lasts(high=0.25),
    "findings.ranking _MOMENTARY as_sure_as_it_lasts": lambda: _lasts(seen=2),
    "findings.ranking _MOST_TIME _cause": lambda: _explained(ranking.ANYTHING),
    "findings.signatures FOUND _findings": _sure,
    "findings.signatures LEAST diagnose": _found,
    "findings.summary _LEAST _is_small": partial(_small, 9, 0.1),
    "findings.summary _LEAST_AT_ONCE _is_small": partial(_small, 1, 0.3),
    "findings.logged_waits LEAST_S waited": partial(_waited_in_a_log, 1.5, 1.0),
    "findings.logged_waits MOSTLY waited": partial(_waited_in_a_log, 4.0, 2.0),
    "findings.limits _OVERFULL _doc": _overfull,
    "findings.rules.statements _MANY_ROWS _of_plans": _plan,
    "findings.storms _RECENT_US _is_recent": _recent,
    "findings.storms _LEAST_TO_RATE _rate_of_latest": _rate_of_latest,
    "findings.storms _GROWS trend": _grows,
    "findings.storms _LEAST_SPAN_US _rate": lambda: storms._rate([at * S for at in range(4)]),
    "findings.storms _LEAST_TO_RATE _rate": lambda: storms._rate([at * S for at in range(4)]),
    "findings.storms _MINUTE_US _most_in_a_minute": lambda: storms._most_in_a_minute(
        [T0, T0 + 30 * S]
    ),
    "findings.triage _AS_BEFORE _as_before": lambda: triage._as_before(level("x", 5.0, before=4.0)),
    "findings.triage _DISK_BUSY _disk": _disk,
    "findings.triage _CROWDED _configuration": lambda: _configured(
        "innodb_adaptive_hash_index_parts", 1.0, running=100.0
    ),
    "findings.triage _FELL _shared_storage": lambda: _flushed(100.0, 20.0),
    "findings.triage _FLUSHES _shared_storage": lambda: _flushed(20.0, 1.0),
    "findings.triage _SLOW_MS _shared_storage": lambda: _stored(
        level("await", 20.0, before=1.0, labels="device=sda")
    ),
    "findings.triage _SPIN_DELAY _configuration": lambda: _configured(
        "innodb_spin_wait_delay", 6.0
    ),
    "findings.triage _SPIN_LOOPS _configuration": lambda: _configured(
        "innodb_sync_spin_loops", 30.0
    ),
    "findings.triage _TIMES_SLOWER _shared_storage": lambda: _stored(
        level("await", 60.0, before=20.0, labels="device=sda")
    ),
    "findings.triage _SWAPPING _swap": _swap,
    "findings.turning_points _GAP_US _left": _gone,
    "findings.turning_points _NEAR_US _left": lambda: _gone(over=28, last=30, later=35),
    "findings.turning_points _NEAR_US _left again": lambda: _gone(over=37, last=30, later=35),
    "findings.chains _CERTAIN _holder": lambda: _held(root_sure=0.9, onward=True),
    "findings.chains _CERTAIN _holder again": lambda: _held(sure=0.9),
    "findings.signatures _LEAST_SAMPLES _has_series": lambda: _sampled(60, 60),
    "findings.signatures _LEAST_SAMPLES _has_series again": lambda: _sampled(60, 90),
    "findings.worst_moment _FAR_MORE describe_holder": lambda: _many_locked(5000, 500),
    "findings.worst_moment _MANY_ROW_LOCKS describe_holder": lambda: _many_locked(1000, 0),
}
