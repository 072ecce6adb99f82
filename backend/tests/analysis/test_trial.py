"""Runs with a known answer: did the change help?"""

from __future__ import annotations

from pileup.analysis import Context, measure
from pileup.analysis.trial import compare
from tests.analysis.frames import evidence, gauge, setting


def run(running: float, qps: float, calm: float = 2.0, **settings: str) -> Context:
    """Forty quiet seconds, sixty under load, forty quiet ones."""
    load = [calm] * 40 + [running] * 60 + [calm] * 40
    rate = [400.0] * 40 + [qps] * 60 + [400.0] * 40
    items = [gauge("metric.threads_running", load), gauge("metric.qps", rate, kind="rate")]
    return measure(evidence({"m": items, "v": [setting(*one) for one in settings.items()]}))


def test_more_work_with_as_many_sessions_is_better() -> None:
    """512 sessions either way, five times the statements: each takes a fifth."""
    trial = compare(run(460, 430), run(500, 2270))
    assert trial.verdict == "better"
    assert trial.before_s is not None
    assert trial.after_s is not None
    assert trial.after_s < trial.before_s / 4


def test_a_run_without_any_stall_is_better() -> None:
    assert compare(run(95, 1200), run(4, 2500)).verdict == "better"


def test_less_work_of_fewer_sessions_is_the_same() -> None:
    """Half the load, half the statements: nothing was gained."""
    assert compare(run(200, 4000), run(100, 2000)).verdict == "same"


def test_the_other_way_round_is_worse() -> None:
    assert compare(run(4, 2500), run(95, 1200)).verdict == "worse"


def test_what_was_changed_is_said() -> None:
    one = run(95, 1200, sync_binlog="1", timestamp="5")
    trial = compare(one, run(4, 2500, sync_binlog="0", timestamp="6"))
    assert trial.changed == (("sync_binlog", "1", "0"),)


def test_without_series_nobody_can_say() -> None:
    empty = measure(evidence({}))
    assert compare(empty, empty).verdict == "unknown"
