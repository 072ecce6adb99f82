"""A capture that starts inside its stall is compared with something else that is quiet."""

from __future__ import annotations

from pileup.analysis import analyse
from tests.analysis.frames import T0, S, evidence, gauge

BUSY, QUIET = [200.0] * 60, [2.0] * 60


def main(document):  # type: ignore[no-untyped-def]
    return next(stall for stall in document.stalls if stall.kind == "stall")


def running(values, **more):  # type: ignore[no-untyped-def]
    return gauge("mysql.Threads_running", values, **more)


def reads(values, **more):  # type: ignore[no-untyped-def]
    return gauge("mysql.reads", values, **more)


def test_the_half_minute_after_it() -> None:
    document = analyse(evidence({"a": [running(BUSY + QUIET), reads([9.0] * 60 + [1.0] * 60)]}))
    stall = main(document)
    assert stall.baseline is None
    assert "no baseline. Compared with the half minute after it." in stall.note
    assert {shift.name: shift.baseline for shift in document.shifts}["mysql.reads"] == 1.0


def test_another_capture_of_the_host_is_no_baseline() -> None:
    """Nothing is concluded across a gap: a quiet capture an hour before changes no finding."""
    before = T0 - 3600 * S
    busy = {"busy": [running(BUSY), reads([9.0] * 60)]}
    quiet = {"quiet": [running(QUIET, start=before), reads([1.0] * 60, start=before)]}
    alone, both = analyse(evidence(busy)), analyse(evidence(quiet | busy))
    assert both.episodes == alone.episodes
    assert both.shifts == alone.shifts == []


def test_another_host_over_the_same_seconds() -> None:
    document = analyse(
        evidence(
            {
                "db-1": [running(BUSY, host="db-1"), reads([9.0] * 60, host="db-1")],
                "db-2": [running(QUIET, host="db-2"), reads([1.0] * 60, host="db-2")],
            }
        )
    )
    assert "Compared with db-2 over the same seconds" in main(document).note
    shift = next(item for item in document.shifts if item.name == "mysql.reads")
    assert (shift.series, shift.baseline, shift.stall) == ("mysql.reads@db-1", 1.0, 9.0)
    assert shift.first_moved_s is None


def test_nothing_quiet_anywhere() -> None:
    document = analyse(evidence({"a": [running(BUSY)]}))
    assert "Compared" not in main(document).note
    assert document.shifts == []
