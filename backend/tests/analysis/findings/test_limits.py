"""Limits, storms and trends by construction."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pileup.analysis import analyse
from pileup.analysis.contract import Analysis
from pileup.knowledge.limits import limits
from pileup.records import Deadlock, Record, Samples, Setting, Snapshot, Transaction
from pileup.records.locks import DeadlockTrx
from tests.analysis.frames import T0, S, evidence, gauge, moment, setting

_CALM, _STALL = 40, 60
_MAX = {"max_connections": "151"}
RUNNING = gauge("metric.threads_running", [3.0] * _CALM + [90.0] * _STALL + [3.0] * 30)


def analysed(
    series: dict[str, tuple[float, float]], settings: dict[str, str], *more: Record | Samples
) -> Analysis:
    """Analyse a stall with series that have a value before it and one inside."""
    gauges = [
        gauge(name, [before] * _CALM + [inside] * _STALL + [before] * 30)
        for name, (before, inside) in series.items()
    ]
    variables: list[Setting] = [setting(name, value) for name, value in settings.items()]
    return analyse(evidence({"m": [RUNNING, *gauges, *more], "v": variables}))


@pytest.mark.parametrize(
    ("limit", "series", "settings", "verdict"),
    [
        ("connections", {"mysql.Threads_connected": (90, 151)}, _MAX, "reached"),
        ("connections", {"mysql.Threads_connected": (90, 140)}, _MAX, "near"),
        ("connections", {"mysql.Threads_connected": (90, 100)}, _MAX, "far"),
        ("connections", {"mysql.Threads_connected": (151, 151)}, _MAX, "near"),
        (
            "redo-log",
            {"innodb.checkpoint_age": (2e7, 8.4e7)},
            {"innodb_log_file_size": "52428800", "innodb_log_files_in_group": "2"},
            "reached",
        ),
        (
            "redo-log",
            {
                "mysql.Innodb_checkpoint_age": (2e7, 3e7),
                "mysql.Innodb_checkpoint_max_age": (8e7, 8e7),
            },
            {},
            "far",
        ),
        (  # a small log: what the server keeps free of it counts
            "redo-log",
            {"innodb.checkpoint_age": (4e5, 6.1e6)},
            {"innodb_log_file_size": "4194304", "innodb_log_files_in_group": "2"},
            "reached",
        ),
        (
            "pool-groups",
            {"mysql.Threads_connected": (90, 100)},
            {"thread_pool_size": "2", "thread_pool_oversubscribe": "3",
             "thread_handling": "pool-of-threads"},
            "near",
        ),
        (
            "table-cache",
            {"mysql.Open_tables": (400, 400), "mysql.Opened_tables": (0, 90)},
            {"table_open_cache": "400"},
            "reached",
        ),
        ("table-cache", {"mysql.Open_tables": (400, 400)}, {"table_open_cache": "400"}, "far"),
        ("disk", {"df.use": (97, 100)}, {}, "reached"),
        (
            "memory",
            {"meminfo.MemAvailable": (9e6, 1e5), "meminfo.MemTotal": (1.6e7, 1.6e7)},
            {},
            "reached",
        ),
    ],
)  # fmt: skip
def test_gauges_are_compared_with_their_ceilings(
    limit: str, series: dict[str, tuple[float, float]], settings: dict[str, str], verdict: str
) -> None:
    (doc,) = [doc for doc in analysed(series, settings).limits if doc.id == limit]
    assert doc.verdict == verdict
    assert doc.evidence


def test_groups_of_a_pool_that_is_off_have_no_limit() -> None:
    settings = {"thread_pool_size": "2", "thread_pool_oversubscribe": "3"}
    settings["thread_handling"] = "one-thread-per-connection"
    assert "pool-groups" not in {doc.id for doc in analysed({}, settings).limits}


def test_the_main_thread_that_waits_for_the_log_makes_a_full_one_surer() -> None:
    def score(state: str) -> float:
        dumps = [
            replace(moment("innodb_status", T0 + at * S, "utc"), snapshot=n, main_thread=state)
            for n, at in enumerate((45, 60, 75))
        ]
        age = {"innodb.checkpoint_age": (2e7, 8.4e7)}
        log = {"innodb_log_file_size": "52428800", "innodb_log_files_in_group": "2"}
        return next(f.score for f in analysed(age, log, *dumps).findings if f.id == "sync-flush")

    assert score("checking free log space") == pytest.approx(score("sleeping") + 0.1, abs=0.01)


def test_one_status_without_a_time_is_enough() -> None:
    samples = Samples(
        series="mysql.Threads_connected",
        kind="gauge",
        unit=None,
        clock=None,
        wall_us=[None],  # type: ignore[list-item]
        values=[151.0],
        lines=[1],
    )
    document = analyse(evidence({"s": [samples], "v": [setting("max_connections", "151")]}))
    assert [(doc.id, doc.verdict) for doc in document.limits] == [("connections", "reached")]
    assert document.findings[0].id == "too-many-connections"


def test_every_limit_has_a_clause_and_a_range() -> None:
    for limit in limits().values():
        assert 0 < limit.near <= limit.reached <= 1, limit.id
        assert not limit.means.endswith("."), limit.id


def _deadlock(number: int, at: float) -> Deadlock:
    return Deadlock(
        line_first=number,
        line_last=number,
        wall_us=T0 + round(at * S),
        clock="utc",
        transactions=tuple(
            DeadlockTrx(number=side, trx_id=f"{number}{side}", query=f"UPDATE t SET a = {number}")
            for side in (1, 2)
        ),
    )


def test_deadlocks_that_come_every_second_are_a_storm_of_one_pattern() -> None:
    storm = [_deadlock(at, _CALM + at) for at in range(50)]
    finding = analysed({}, {}, *storm).findings[0]
    assert finding.id == "deadlock-storm"
    assert "50 deadlocks in one minute" in finding.why
    assert "UPDATE t SET a = ?" in finding.why


def test_the_latest_deadlock_that_every_dump_repeats_is_one() -> None:
    repeated = [_deadlock(1, _CALM + 5)] * 50
    assert "deadlock-storm" not in [finding.id for finding in analysed({}, {}, *repeated).findings]


def test_a_latest_deadlock_that_is_new_in_each_dump_is_of_a_storm() -> None:
    dumps: list[Record] = []
    for number in range(6):
        at = T0 + round((_CALM + 5 * number) * S)
        taken = Snapshot(line_first=1, line_last=9, snapshot=number, kind="innodb_status")
        dumps.append(replace(taken, wall_us=at + S, clock="utc", time_quality="exact"))
        dumps.append(replace(_deadlock(number, _CALM + 5 * number), snapshot=number))
    assert analysed({}, {}, *dumps).findings[0].id == "deadlock-storm"


def test_a_history_that_grows_behind_an_old_view_needs_no_constant() -> None:
    growing = [127 + 290.0 * at for at in range(130)]
    old = Transaction(
        line_first=1, line_last=2, wall_us=T0 + 60 * S, clock="utc", snapshot=0, trx_id="7",
        state="ACTIVE", active_s=4000.0, lock_wait=False, session_id=9,
    )  # fmt: skip
    found = analysed({}, {}, gauge("innodb.history_list_length", growing), old).findings
    (finding,) = [finding for finding in found if finding.id == "purge-lag"]
    assert finding.score >= 0.5
    saw = [200.0 + 900 * (at % 20) for at in range(130)]
    found = analysed({}, {}, gauge("innodb.history_list_length", saw)).findings
    assert "purge-lag" not in [finding.id for finding in found]


def test_a_history_that_grew_long_before_the_baseline_is_a_trend() -> None:
    running = gauge("metric.threads_running", [3.0] * 120 + [40.0] * 60)
    history = [127.0] * 60 + [127 + 240.0 * at for at in range(120)]
    files = {"m": [running, gauge("innodb.history_list_length", history)]}
    assert [finding.id for finding in analyse(evidence(files)).findings] == ["purge-lag"]
