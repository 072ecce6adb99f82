"""A server that stops answering, a replica whose appliers stand still, and what looks like it."""

from __future__ import annotations

import pytest

from pileup.analysis import Evidence
from pileup.analysis.evidence import series
from pileup.analysis.stalls import detection
from pileup.analysis.stalls.stall import Stall
from pileup.records import Event
from tests.analysis.frames import T0, S, evidence, gauge

_CALM = 40
_COMPLAINT = "Threadpool could not create additional thread to handle queries"


def _stalls(gathered: Evidence) -> list[Stall]:
    found = detection.find(gathered, series.values(gathered.frame("sample")))
    return [stall for stall in found if stall.kind == "stall"]


def _capture(
    running: list[float], machine: int, *, statuses: int = _CALM, log: str = "", later_s: int = 0
) -> Evidence:
    files = {
        "list": [gauge("processlist.running", running)],
        "status": [gauge("mysql.Threads_connected", [40.0] * statuses)],
        "vmstat": [gauge("vmstat.us", [30.0] * machine)],
    }
    if log:
        at = T0 + (_CALM + later_s) * S
        event = Event(line_first=1, line_last=1, kind="log", message=log, wall_us=at, clock="utc")
        files["log"] = [event]
    return evidence(files)


def test_a_server_whose_sessions_rise_and_that_answers_no_more_has_stopped() -> None:
    running = [2.0] * (_CALM - 1) + [30.0]
    (stall,) = _stalls(_capture(running, _CALM + 60))
    assert stall.shape == "stopped"
    assert stall.end is None
    assert abs(stall.onset - (T0 + (_CALM - 1) * S)) <= S
    assert stall.last == T0 + (_CALM + 59) * S


def test_the_log_says_why_it_answers_no_more() -> None:
    (stall,) = _stalls(_capture([2.0] * _CALM, _CALM + 60, log=_COMPLAINT))
    assert stall.shape == "stopped"


def test_the_log_complains_after_every_collector_has_ended() -> None:
    """The pool tells only after half a minute that it is blocked; nobody else is heard then."""
    (stall,) = _stalls(_capture([2.0] * _CALM, _CALM, log=_COMPLAINT, later_s=30))
    assert (stall.shape, stall.end) == ("stopped", None)
    assert abs(stall.onset - (T0 + (_CALM - 1) * S)) <= S
    assert stall.last == T0 + (_CALM + 30) * S


@pytest.mark.parametrize(
    "capture",
    [
        _capture([2.0] * _CALM, _CALM, log=_COMPLAINT, later_s=3600),
        _capture([2.0] * _CALM, _CALM, log=_COMPLAINT, later_s=-20),
        _capture([2.0] * _CALM, _CALM, log="Too many connections", later_s=30),
        _capture([2.0] * _CALM, _CALM + 60),
        _capture([2.0] * _CALM, _CALM + 5, log=_COMPLAINT),
        _capture([2.0] * (_CALM - 1) + [30.0], _CALM + 5),
        _capture([2.0] * (_CALM - 1) + [30.0], _CALM + 60, statuses=_CALM + 60),
        _capture([2.0] * _CALM, _CALM + 60, log="Aborted connection 7 to db: 'a' user: 'b'"),
    ],
    ids=[
        "the log complains an hour after the capture",
        "the log complains while all collectors get answers",
        "clients are refused later, as a collector would be",
        "a collector that ran for less time",
        "all collectors end",
        "all end after a peak",
        "another collector of the server goes on",
        "the log speaks of something else",
    ],
)
def test_collectors_that_end_are_no_stall(capture: Evidence) -> None:
    assert _stalls(capture) == []


def _lagging(lags: list[float], step: int = 3) -> Evidence:
    return evidence({"status": [gauge("replication.seconds_behind", lags, step=step * S)]})


@pytest.mark.parametrize("usual", [0.0, 2.0, 600.0])
def test_a_lag_that_grows_as_time_passes_is_a_stall_since_nothing_was_applied(usual: float) -> None:
    calm = [usual] * 12
    lags = [*calm, *(usual + 1.0 + 3 * n for n in range(10)), *calm]
    (stall,) = _stalls(_lagging(lags))
    assert stall.shape == "stopped"
    assert abs(stall.onset - (T0 + 35 * S)) <= 3 * S
    assert stall.end is not None
    assert abs(stall.end - (T0 + 66 * S)) <= 3 * S


@pytest.mark.parametrize(
    "lags",
    [
        [0.0] * 30,
        [900.0] * 30,
        [0.0] * 10 + [0.4 * 3 * n for n in range(20)],
        [0.0] * 12 + [2.0, 5.0, 8.0, 0.0] + [0.0] * 12,
        [0.0] * 12 + [400.0, 0.0] + [0.0] * 12,
        [0.0, 3.0, 6.0],
    ],
    ids=["none", "a wanted delay", "slowly", "for a moment", "one print", "too few samples"],
)
def test_other_lags_are_no_stall(lags: list[float]) -> None:
    assert _stalls(_lagging(lags)) == []
