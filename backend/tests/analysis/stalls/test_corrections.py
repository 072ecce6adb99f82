"""A person's onset and end win over the computed ones, and everything is measured by them."""

from __future__ import annotations

import pytest

from pileup.analysis import StallCorrection, analyse
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.times import iso_of
from pileup.analysis.stalls import corrections
from pileup.analysis.stalls.stall import Stall
from tests.analysis.frames import T0, S, evidence, gauge

RUNNING = [2.0 + n % 2 for n in range(60)] + [90.0] * 60 + [2.0] * 60


def gathered() -> object:
    led = [10.0] * 50 + [500.0] * 70 + [10.0] * 60
    return evidence({"m": [gauge("metric.threads_running", RUNNING), gauge("metric.other", led)]})


def test_the_correction_moves_the_stall_and_what_is_measured_by_it() -> None:
    """Ten seconds earlier: 'other' no longer leads the onset, it moves with it."""
    before = analyse(gathered())  # type: ignore[arg-type]
    (stall,) = [item for item in before.stalls if item.kind == "stall"]
    assert stall.onset == iso_of(T0 + 60 * S)
    assert stall.corrected_by is None
    lead = {shift.name: shift.first_moved_s for shift in before.shifts}
    assert lead["metric.other"] == -10
    correction = StallCorrection(None, T0 + 60 * S, "Ada", onset=T0 + 50 * S, end=T0 + 130 * S)
    after = analyse(gathered(), [correction])  # type: ignore[arg-type]
    (stall,) = [item for item in after.stalls if item.kind == "stall"]
    assert (stall.onset, stall.end) == (iso_of(T0 + 50 * S), iso_of(T0 + 130 * S))
    assert stall.duration_s == 80
    assert stall.corrected_by == "Ada"
    assert stall.computed is not None
    assert stall.computed.onset == iso_of(T0 + 60 * S)
    assert stall.baseline is not None
    assert stall.baseline.end < stall.onset
    lead = {shift.name: shift.first_moved_s for shift in after.shifts}
    assert lead["metric.other"] == 0


def test_a_baseline_by_a_person_is_the_one_compared_with() -> None:
    chosen = Span(T0 + 10 * S, T0 + 30 * S)
    correction = StallCorrection(None, T0 + 60 * S, "Ada", baseline=chosen)
    (stall,) = [s for s in analyse(gathered(), [correction]).stalls if s.kind == "stall"]  # type: ignore[arg-type]
    assert stall.baseline is not None
    assert (stall.baseline.start, stall.baseline.end) == (
        iso_of(chosen.start),
        iso_of(chosen.end),
    )


def test_a_correction_whose_stall_is_gone_stands_alone() -> None:
    """Nothing computed within a quarter of an hour: the person's own stall, without computed."""
    far = T0 - 3600 * S
    correction = StallCorrection(None, far, "Ada", onset=far, end=far + 20 * S)
    stalls = [s for s in analyse(gathered(), [correction]).stalls if s.kind == "stall"]  # type: ignore[arg-type]
    assert [s.corrected_by for s in stalls] == ["Ada", None]
    assert stalls[0].computed is None


@pytest.mark.parametrize(("end", "kept"), [(-1, None), (0, None), (1, 1)])
def test_an_end_that_is_not_after_the_onset_is_none(end: int, kept: int | None) -> None:
    """Both for a computed stall and for the person's own."""
    onset = T0 + 60 * S
    expected = None if kept is None else onset + kept
    stall = Stall("stall", None, onset, onset + 9 * S, onset + 9 * S, None, None)
    correction = StallCorrection(None, onset, "Ada", onset=onset, end=onset + end)
    for stalls in ([stall], []):
        (found,) = corrections.corrected(stalls, [correction])
        assert found.end == expected
