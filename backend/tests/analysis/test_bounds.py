"""Small decisions of the engine with a value exactly on the bound, and one beside it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from pileup.analysis.captures import case
from pileup.analysis.compare import overlay
from pileup.analysis.compare.time_classes import SideTime, active_of
from pileup.analysis.evidence.actors import Actor
from pileup.analysis.evidence.context import Span
from pileup.analysis.findings import chains, observed, triage
from pileup.analysis.findings.rules import Match
from pileup.analysis.stalls import detection
from pileup.analysis.stalls.stall import Stall
from pileup.analysis.waits import by_free_pages, moments
from tests.analysis.frames import T0, S
from tests.analysis.waits.test_waits import evidence as by_text
from tests.analysis.waits.test_waits import sessions


@pytest.mark.parametrize(
    ("name", "value", "suspect"),
    [
        ("innodb_sync_spin_loops", 30, False),
        ("innodb_sync_spin_loops", 31, True),
        ("innodb_spin_wait_delay", 6, False),
        ("innodb_spin_wait_delay", 7, True),
        ("innodb_adaptive_hash_index_parts", 1, True),
        ("innodb_adaptive_hash_index_parts", 2, False),
    ],
)
def test_a_setting_is_suspect_only_beyond_its_default(
    name: str, value: float, suspect: bool
) -> None:
    def with_running(inside: float) -> str:
        known = {name: float(value), "innodb_adaptive_hash_index": 1.0}
        context = SimpleNamespace(settings=known, number=known.get, setting=known.get)
        running = SimpleNamespace(inside=inside, before=1)
        levels = SimpleNamespace(first=lambda *names: running if "threads" in names[0] else None)
        observed: Any = SimpleNamespace(
            context=context, levels=levels, setting=lambda *_: None, lines=None
        )
        doc = triage._configuration(observed, ())
        assert (name in doc.why) == (doc.verdict == "suspect")
        return doc.verdict

    assert with_running(100) == ("suspect" if suspect else "ok")
    if name.endswith("parts"):
        assert with_running(99) == "ok"  # few run: one latch is enough


@pytest.mark.parametrize(
    ("free", "writes", "modified", "starved"),
    [
        (2, 1, 0, True),  # exactly a fiftieth of the pages with data
        (3, 1, 0, False),
        (0, 0, 50, True),  # exactly half of them are modified
        (0, 0, 49, False),
    ],
)
def test_a_dump_shows_that_no_page_is_free(
    free: float, writes: float, modified: float, starved: bool
) -> None:
    values = {
        "innodb.pool_free_pages": free,
        "innodb.pool_database_pages": 100.0,
        "innodb.pool_modified_pages": modified,
        "innodb.pool_pending_lru_writes": writes,
    }
    rows = pl.DataFrame(
        {"series": list(values), "value": [float(each) for each in values.values()]}
    ).with_columns(line_first=pl.lit(7))
    draft: Any = SimpleNamespace(dump_samples=lambda _: rows)
    shown = by_free_pages._starved_by_dump(draft)
    assert (shown is not None) == starved
    if shown is not None:
        pages = "no free page" if not free else "2 free pages of 102"
        doing = "1 page writes" if writes else "50 modified ones"
        assert shown[0] == f"the dump counts {pages} and {doing}"


@pytest.mark.parametrize(
    ("snapshot", "artifact", "name"),
    [
        (1, "log", "in one status dump"),
        (None, "log", "in the error log"),
        (None, "x", "in one list"),
    ],
)
def test_what_lists_the_waits_of_a_moment_is_named(
    snapshot: int | None, artifact: str, name: str
) -> None:
    given: Any = SimpleNamespace(_logs={"log"})
    moment = {"snapshot": snapshot, "artifact": artifact}
    assert observed.Observed._listed_in(given, moment) == name


def test_the_next_step_is_empty_only_where_the_cause_and_the_holder_are_sure() -> None:
    issue: Any = SimpleNamespace(collect="collect this")
    holder = object()

    def step(score: float, sure: float | None) -> str:
        queue: Any = None if sure is None else SimpleNamespace(holder=holder, sure=sure)
        unread: Any = None
        return chains.next_step(issue, Match("x", score, "", ()), queue, "latch", unread)

    known = {(0.7, None): "", (0.7, 0.9): "", (0.7, 0.89): "collect this"}
    known |= {(0.69, None): "collect this", (0.69, 0.9): "collect this"}
    assert {given: step(*given) for given in known} == known


@pytest.mark.parametrize(
    ("command", "query", "trx", "idle"),
    [
        ("Sleep", None, {}, True),
        ("Query", None, {}, False),
        (None, None, {}, True),
        ("Sleep", "SELECT 1", {}, False),
        ("Sleep", None, None, False),
    ],
)
def test_a_session_is_idle_in_a_transaction_that_runs_nothing(
    command: str | None, query: str | None, trx: dict[str, Any] | None, idle: bool
) -> None:
    session = None if command is None else {"command": command, "query": query}
    started = None if trx is None else {"trx_id": "1", "query": None}
    assert Actor("session:1", session=session, trx=started).is_idle == idle


def test_several_runs_of_a_side_have_their_mean_and_their_range() -> None:
    def run(average: float) -> SideTime:
        return SideTime(average, average - 1, average + 1, "processlist", "stacks")

    one, several = active_of([None, run(4.0)]), active_of([run(4.0), None, run(10.0)])
    assert one is not None
    assert several is not None
    assert (one.average, one.low, one.high) == (4.0, 3.0, 5.0)
    assert (several.average, several.low, several.high) == (7.0, 4.0, 10.0)
    assert active_of([None]) is None


def test_a_line_has_a_point_for_each_sample_up_to_the_most() -> None:
    def points(count: int) -> list[tuple[float, float, float, float]]:
        rows = pl.DataFrame(
            {"time": [T0 + n for n in range(count)], "value": [float(n) for n in range(count)]}
        )
        return overlay._points(rows, T0)

    most = overlay.POINTS
    assert len(points(most)) == most
    assert points(most)[1] == (0.0, 1.0, 1.0, 1.0)
    assert len(points(most + 1)) == most // 2 + 1
    assert points(most + 1)[0] == (0.0, 0.5, 0.0, 1.0)
    assert len(points(1)) == 1


def stall(onset: int, end: int | None, signal: Any = None, **more: Any) -> Stall:
    baseline = Span(T0 + (onset - 30) * S, T0 + onset * S)
    given: dict[str, Any] = {"kind": "stall"} | more
    kind = given.pop("kind")
    until = None if end is None else T0 + end * S
    last = T0 + (onset + 20 if end is None else end) * S
    return Stall(kind, None, T0 + onset * S, until, last, baseline, signal, **given)


def test_the_size_of_a_stall_is_its_session_seconds_where_sessions_are_counted() -> None:
    times = [T0 + at * S for at in (0, 10, 20, 30)]
    signal: Any = SimpleNamespace(role="concurrency", times=times, values=[900, 4, 8, 900])
    assert case._size(stall(10, 20, signal)) == 10 * 6
    assert case._size(stall(10, 20)) == 10
    other: Any = SimpleNamespace(role="latency", times=times, values=[900, 4, 8, 900])
    assert case._size(stall(10, 20, other)) == 10
    assert case._size(stall(12, 12)) == 1


def test_shapes_that_touch_are_one_stall_that_ends_when_its_queue_drains() -> None:
    piled, stopped = stall(10, 40), stall(5, 60, shape="stopped")
    (united,) = detection._united([stopped, piled])
    assert (united.onset, united.end, united.shape) == (T0 + 5 * S, T0 + 60 * S, "piled_up")
    assert united.also == ("stopped",)
    burst = stall(40, 45, kind="recovery_burst")
    drained, same_burst = detection._united([stopped, burst, piled])
    assert (drained.onset, drained.end) == (T0 + 5 * S, T0 + 40 * S)
    assert same_burst is burst


def test_only_sessions_in_a_known_state_of_waiting_count_as_waiting() -> None:
    """A state that nobody has heard of is no wait, and neither is none."""
    lock, unknown = "Waiting for table metadata lock", "Reticulating splines"
    found = by_text(
        sessions(
            *((n, "Query", n, lock, "SELECT 1") for n in (1, 2, 3)),
            *((n, "Query", n, unknown, "SELECT 1") for n in (11, 12)),
            (21, "Query", 99, None, "SELECT 1"),
            (22, "Sleep", 99, None, "NULL"),
        )
    )
    (moment,) = moments._processlists(found)
    assert (moment.waiters, moment.lock_waits, moment.max_waited_s) == (3, 0, 3.0)
