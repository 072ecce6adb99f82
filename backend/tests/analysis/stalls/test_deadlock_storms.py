"""Deadlocks that end as many statements as errors that count are a stall of their own kind."""

from __future__ import annotations

import random
from datetime import datetime

import pytest

from pileup.analysis import analyse
from pileup.analysis.contract import Analysis
from pileup.records import Deadlock, DeadlockTrx
from tests.analysis.frames import T0, S, evidence, gauge

QUIET_S, LASTS_S = 60, 24


def _analysis(per_s: float, statements_per_s: float, seed: int = 0) -> Analysis:
    """A server that works evenly, and deadlocks for a while in a log with times."""
    rng = random.Random(seed)
    count = round(per_s * LASTS_S)
    times = sorted(rng.uniform(0, LASTS_S) for _ in range(max(0, count - 2)))
    times = [0.0, *times, float(LASTS_S)][: max(count, 0)]
    deadlocks = [
        Deadlock(
            line_first=n, line_last=n, host="db1", clock="utc",
            wall_us=T0 + round((QUIET_S + time) * S),
            transactions=(
                DeadlockTrx(number=1, trx_id=str(2 * n), query="UPDATE stock SET n = 1 WHERE id=1"),
                DeadlockTrx(number=2, trx_id=str(2 * n + 1), query="UPDATE stock SET n = 2"),
            ),
        )
        for n, time in enumerate(times, start=1)
    ]  # fmt: skip
    series = [
        gauge("mysql.Threads_running", [3.0 + n % 2 for n in range(150)], host="db1"),
        gauge("mysql.Queries", [statements_per_s + n % 3 for n in range(150)], host="db1"),
    ]
    return analyse(evidence({"error.log": deadlocks, "series": series}))


@pytest.mark.parametrize("seed", range(3))
def test_many_are_a_stall_with_its_cause(seed: int) -> None:
    analysis = _analysis(15, 140, seed)
    (stall,) = [each for each in analysis.stalls if each.kind == "stall"]
    assert (stall.shape, stall.duration_s) == ("refused", LASTS_S)
    assert stall.note == f"{15 * LASTS_S} deadlocks ended statements."
    at = stall.onset[11:19]
    assert analysis.headline.story == (
        f"From {at} UTC for {LASTS_S} s, {15 * LASTS_S} deadlocks ended statements."
    )
    assert f"{15 * LASTS_S} deadlocks ended statements" in analysis.headline.text
    assert analysis.story.plain == (
        f"From {at[:5]} UTC for {LASTS_S} s, the database ended requests because they blocked "
        "each other."
    )
    assert analysis.findings[0].id == "deadlock-storm"


def test_each_undoes_the_statements_of_a_transaction() -> None:
    """So that few of the statements are many of the transactions."""
    (stall,) = [each for each in _analysis(8, 400).stalls if each.kind == "stall"]
    assert stall.shape == "refused"


@pytest.mark.parametrize(
    ("per_s", "statements_per_s"),
    [(0.5, 20), (4, 900)],
    ids=["fewer than one per second", "few of the statements"],
)
def test_some_are_none(per_s: float, statements_per_s: float) -> None:
    assert not [each for each in _analysis(per_s, statements_per_s).stalls if each.kind == "stall"]


def _counted(per_s: float) -> Analysis:
    """A server that works evenly, whose counter shows deadlocks from some second on."""
    during = [per_s] * LASTS_S
    series = [
        gauge("mysql.Threads_running", [3.0 + n % 2 for n in range(QUIET_S + LASTS_S)], host="db1"),
        gauge("mysql.Queries", [140.0 + n % 3 for n in range(QUIET_S + LASTS_S)], host="db1"),
        gauge("mysql.Innodb_deadlocks", [0.0] * QUIET_S + during, host="db1"),
    ]
    return analyse(evidence({"series": series}))


def test_a_counter_of_deadlocks_shows_from_when_on_they_end_statements() -> None:
    """Where no log prints them, and none waits for long enough to be seen."""
    analysis = _counted(40.0)
    (stall,) = [each for each in analysis.stalls if each.kind == "stall"]
    assert stall.shape == "refused"
    begins = datetime.fromisoformat(stall.onset).timestamp() - T0 / S
    assert abs(begins - QUIET_S) <= 2
    assert analysis.findings[0].id == "deadlock-storm"


def test_few_that_a_counter_shows_are_no_stall() -> None:
    """Fewer than one percent of the statements, as by a log."""
    assert not [each for each in _counted(1.2).stalls if each.kind == "stall"]


def test_a_counter_is_held_against_the_statements_as_a_log_is() -> None:
    (stall,) = [each for each in _counted(2.0).stalls if each.kind == "stall"]
    assert stall.shape == "refused"
