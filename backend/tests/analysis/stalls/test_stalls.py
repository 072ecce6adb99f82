"""Stalls by construction: the answer is known by thought."""

from __future__ import annotations

from pileup.analysis import analyse
from pileup.analysis.evidence import series
from pileup.analysis.stalls import detection
from pileup.records import Record, Session, Snapshot
from tests.analysis.frames import T0, S, evidence, gauge, moment


def found_in(running, qps=None, **more):  # type: ignore[no-untyped-def]
    items = [gauge("metric.threads_running", running)]
    if qps is not None:
        items.append(gauge("metric.qps", qps, kind="rate"))
    gathered = evidence({"metrics.csv": items, **more})
    return detection.find(gathered, series.values(gathered.frame("sample")))


def test_a_quiet_capture_has_no_stall() -> None:
    assert found_in([2.0, 3.0, 1.0, 4.0] * 30) == []


def test_onset_end_and_baseline() -> None:
    (stall,) = found_in([2.0] * 40 + [90.0] * 30 + [2.0] * 20)
    assert (stall.kind, stall.onset, stall.end) == ("stall", T0 + 40 * S, T0 + 70 * S)
    assert stall.baseline is not None
    assert stall.baseline.end < stall.onset


def test_most_of_the_capture_may_be_stalled() -> None:
    (stall,) = found_in([2.0] * 8 + [90.0] * 150 + [2.0] * 8)
    assert (stall.onset, stall.end) == (T0 + 8 * S, T0 + 158 * S)


def test_a_capture_that_starts_inside_has_no_baseline() -> None:
    (stall,) = found_in([90.0] * 40 + [2.0] * 40)
    assert stall.baseline is None
    assert "no baseline" in stall.note


def test_a_capture_wholly_inside_says_so() -> None:
    (stall,) = found_in([97.0, 96.0, 98.0] * 10)
    assert stall.end is None
    assert "no baseline" in stall.note


def test_as_busy_from_first_to_last_and_prompt_is_a_load() -> None:
    """Forty sessions that do 5,000 statements per second carry their load, unless some wait."""
    running, qps = [41.0, 38.0, 40.0] * 10, [5000.0, 5100.0, 4900.0] * 10
    assert found_in(running, qps) == []
    assert len(found_in(running, [3.0, 2.0, 4.0] * 10)) == 1
    (stall,) = found_in(running, qps, list=_sessions(30, "Waiting for table metadata lock"))
    assert stall.baseline is None
    assert found_in(running, qps, list=_sessions(30, "executing")) == []
    assert found_in(running, [3.0, 2.0, 4.0] * 10, list=_sessions(30, "executing")) == []


def _sessions(many: int, state: str) -> list[Record]:
    time = {"line_first": 1, "line_last": 1, "snapshot": 0, "wall_us": T0 + 5 * S, "clock": "utc"}
    rows = (
        Session(session_id=n, command="Query", state=state, query="SELECT 1", **time)
        for n in range(many)
    )
    return [Snapshot(kind="processlist", **time), *rows]


def test_a_short_pileup_is_a_false_positive() -> None:
    kinds = [item.kind for item in found_in([2.0] * 40 + [90.0] * 3 + [2.0] * 40)]
    assert kinds == ["false_positive"]


def test_few_sessions_that_come_and_go_are_no_pileup() -> None:
    """Sixteen sessions on a noisy host: 1 to 17 within seconds, runs of high samples among them."""
    calm = [1.0, 4.0, 3.0, 2.0, 16.0, 3.0, 4.0, 9.0, 2.0, 17.0] * 3
    busy = [16.0, 13.0, 15.0, 17.0, 12.0, 14.0, 13.0, 17.0, 16.0, 14.0, 15.0, 16.0]
    assert found_in(calm + busy + calm) == []


def test_a_debugger_s_stop_is_its_own_doing() -> None:
    """A lone spike while stacks were taken names the observer, and is not joined to a stall."""
    stack = {"2026_11_20_22_00_30-gdb.txt": [moment()]}
    running = [2.0] * 31 + [90.0] + [2.0] * 6 + [90.0] * 40 + [2.0] * 20
    spike, stall = found_in(running, **stack)
    assert spike.kind == "false_positive"
    assert "debugger" in spike.note
    assert stall.onset == T0 + 38 * S


def test_a_debugger_s_stop_inside_a_stall_does_not_divide_it() -> None:
    """Waits that come and go: a few seconds between them, and stacks taken in the middle."""
    stack = {"2026_11_20_22_00_57-gdb.txt": [moment()]}
    waits = [0.0] * 30 + [60.0] * 24 + [0.0] * 3 + [40.0] * 3 + [2.0] * 3 + [60.0] * 24 + [0.0] * 20
    (stall,) = found_in(waits, **stack)
    assert (stall.kind, stall.onset, stall.end) == ("stall", T0 + 30 * S, T0 + 87 * S)


def test_queued_work_that_drains_is_not_the_stall() -> None:
    qps = [1000.0] * 40 + [100.0] * 40 + [5000.0] * 8 + [1000.0] * 20
    running = [2.0] * 40 + [90.0] * 48 + [2.0] * 20
    stall, burst = found_in(running, qps)
    assert (stall.end, burst.onset, burst.kind) == (T0 + 80 * S, T0 + 80 * S, "recovery_burst")


def test_a_load_that_comes_and_goes_is_no_fall_in_throughput() -> None:
    gathered = evidence({"q": [gauge("metric.qps", [400.0] * 40 + [4e3] * 60 + [400.0] * 40)]})
    assert detection.find(gathered, series.values(gathered.frame("sample"))) == []


def test_throughput_alone_tells_a_collapse() -> None:
    """An earlier, smaller fall is not the onset."""
    qps = [27_000.0] * 18 + [8_000.0] * 27 + [400.0] * 60 + [8_000.0] * 30
    gathered = evidence({"q": [gauge("metric.qps", qps, kind="rate")]})
    (first,) = detection.find(gathered, series.values(gathered.frame("sample")))
    assert first.onset == T0 + 45 * S


def test_nothing_at_all_is_not_enough_data() -> None:
    assert analyse(evidence({})).headline.verdict == "not_enough_data"


def test_a_quiet_headline_says_no_stall() -> None:
    gathered = evidence({"m": [gauge("metric.threads_running", [2.0, 3.0] * 30)]})
    assert analyse(gathered).headline.verdict == "no_stall"
