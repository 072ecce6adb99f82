"""Runs with a known answer: did the change help?"""

from __future__ import annotations

from pileup.analysis.compare.trial import Run, trial
from pileup.analysis.evidence.context import Span
from tests.analysis.frames import T0, S, evidence, gauge


def run(running: float, qps: float, name: str = "it", rate: str = "metric.qps") -> Run:
    """Forty quiet seconds, sixty under load, forty quiet ones."""
    load = [2.0] * 40 + [running] * 60 + [2.0] * 40
    done = [400.0] * 40 + [qps] * 60 + [400.0] * 40
    items = [gauge("metric.threads_running", load), gauge(rate, done, kind="rate")]
    return Run.of(name, evidence({"m": items}))


def test_more_work_with_as_many_sessions_is_better() -> None:
    """512 sessions either way, five times the statements: each takes a fifth."""
    found = trial(run(461, 430.0, name="the incident"), run(501, 2270, name="the run"))
    assert found.verdict == "better"
    assert found.before_s == 461 / 430
    assert found.after_s == 501 / 2270
    assert found.text == (
        "The run is better than the incident: 221 ms inside the server per statement "
        "(501 sessions running, 2270 statements/s), against 1.07 s "
        "(461 sessions running, 430 statements/s). Sessions and rates are medians."
    )


def test_a_run_without_any_stall_is_better() -> None:
    assert trial(run(95, 1200), run(4, 2500)).verdict == "better"


def test_less_work_of_fewer_sessions_is_the_same() -> None:
    """Half the load, half the statements: nothing was gained."""
    assert trial(run(200, 4000), run(100, 2000)).verdict == "same"


def test_the_other_way_round_is_worse() -> None:
    assert trial(run(4, 2500), run(95, 1200)).verdict == "worse"


def test_two_quiet_runs_are_the_same() -> None:
    """Two sessions or three: their ratio says nothing."""
    assert trial(run(2, 400), run(3, 400)).verdict == "same"


def test_a_run_without_load_proves_nothing() -> None:
    """One session that asks the server for its status is no load."""
    idle = evidence(
        {"m": [gauge("m.threads_running", [1.0] * 60), gauge("m.qps", [2.0] * 60, kind="rate")]}
    )
    found = trial(run(200, 4000, name="the incident"), Run.of("the run", idle))
    assert found.verdict == "unknown"
    assert found.text.startswith("The load differs too much to compare the run with the incident")
    assert found.text.endswith("Repeat the run with more load.")
    part = Run.of("the baseline", idle, Span(T0, T0 + 60 * S))  # nobody can repeat it
    assert "Repeat" not in trial(run(200, 4000), part).text


def test_a_standstill_has_no_time_per_statement() -> None:
    found = trial(run(200, 4000), run(300, 0))
    assert (found.verdict, found.after_s) == ("worse", None)
    assert "no statements completed (300 sessions running, 0 statements/s)" in found.text
    assert trial(run(300, 0), run(300, 0)).verdict == "unknown"


def test_what_completes_beside_a_standstill_is_not_its_work() -> None:
    """The five statements a second are those of whoever looks: 33 s for each would be no time."""
    found = trial(run(3, 1874), run(163, 5))
    assert (found.verdict, found.after_s) == ("worse", None)
    assert "hardly any statements completed (163 sessions running, 5 statements/s)" in found.text
    assert "against 1.6 ms inside the server per statement (3 sessions running" in found.text
    for other in (trial(run(3, 1874), run(163, 19)), trial(run(163, 1874), run(3, 5))):
        assert "hardly any" not in other.text


def test_statements_and_transactions_do_not_trial() -> None:
    found = trial(run(95, 1200), run(95, 100, rate="metric.tps"))
    assert found.verdict == "unknown"
    assert "count statements in different ways" in found.text


def test_the_same_host_tells_both() -> None:
    """The sessions of one host over the statements of another would mean nothing."""
    items = [
        gauge("m.threads_running", [401.0] * 60, host="db-1"),
        gauge("m.qps", [100.0] * 60, kind="rate", host="db-1"),
        gauge("m.threads_running", [11.0] * 60, host="db-2"),
        gauge("m.qps", [5000.0] * 60, kind="rate", host="db-2"),
    ]
    fleet = Run.of("the fleet", evidence({"m": items}))
    assert trial(fleet, run(11, 100)).before_s == 4.01
    apart = Run.of("them", evidence({"m": [items[0], items[3]]}))
    assert trial(apart, apart).before_s == 401 / 5000  # one of each are taken together
    three = Run.of("them", evidence({"m": [items[0], items[3], gauge("m.qps", [1.0], host="c")]}))
    assert trial(three, three).verdict == "unknown"


def test_a_window_is_taken_as_it_is() -> None:
    first = run(200, 800)
    calm = Run("calm", first.values, Span(T0, T0 + 30 * S))
    stall = Run("stall", first.values, Span(T0 + 45 * S, T0 + 95 * S))
    assert trial(calm, stall).before_s == 2 / 400
    assert trial(calm, stall).verdict == "worse"


def test_without_series_nobody_can_say() -> None:
    empty = Run.of("the incident", evidence({}))
    found = trial(empty, empty)
    assert found.verdict == "unknown"
    assert found.text == ("The incident has no series of running sessions and of statements done.")
