"""What a run shows is computed, not typed."""

from __future__ import annotations

import pytest

from pileup.analysis import analyse
from pileup.analysis.reasoning.run_outcome import level, measure, symptoms
from pileup.analysis.reasoning.similar import undecided
from tests.analysis.frames import evidence, gauge

RUN = evidence({"m": [gauge("m.waiters", [5.0] * 60 + [200.0] * 40, host="db-9")]})


@pytest.mark.parametrize(
    ("op", "value", "window", "verdict"),
    [
        ("<", 20.0, None, "match"),
        (">", 100.0, None, "partial"),
        (">", 300.0, None, "miss"),
        ("~", 5.2, None, "match"),
        (">", 100.0, 30.0, "miss"),
        ("<=", 5.0, 30.0, "match"),
    ],
)
def test_prediction(op: str, value: float, window: float | None, verdict: str) -> None:
    """The median decides; a quarter of the samples makes it partial. The host does not matter."""
    found = measure(RUN, "m.waiters@db-1", op, value, window)
    assert found.verdict == verdict
    assert found.points == (31 if window else 100)
    assert found.value == 5.0
    assert "predicted" in found.text


@pytest.mark.parametrize(
    ("value", "falsifier", "verdict"),
    [(300.0, 400.0, "match"), (100.0, 300.0, "partial"), (100.0, 150.0, "miss")],
)
def test_between_the_prediction_and_what_falsifies_it_lies_partial(
    value: float, falsifier: float, verdict: str
) -> None:
    """Of the statistic that was asked for: the 95th percentile of this run is 200."""
    found = measure(
        RUN, "m.waiters@db-1", "<", value, None, statistic="p95", falsifier=(">", falsifier)
    )
    assert (found.verdict, found.value) == (verdict, 200.0)


def test_a_direction_needs_the_incident() -> None:
    """Within a tenth of it is neither a fall nor a rise."""
    was = evidence({"m": [gauge("m.waiters", [5.2] * 30)]})
    for op in ("falls", "rises"):
        assert measure(RUN, "m.waiters@db-1", op, None, 30.0, before=was).verdict == "miss"
    alone = measure(RUN, "m.waiters@db-1", "falls", None, None)
    assert alone.verdict == "not_measurable"
    assert "too few to compare with" in alone.text


def test_level_tells_the_spread() -> None:
    found = level(RUN, "m.waiters@db-1")
    assert found is not None
    assert (found.median, found.mad, found.least, found.most) == (5.0, 0.0, 5.0, 200.0)
    assert level(RUN, "m.other") is None


def test_a_series_that_the_run_lacks_is_not_measurable() -> None:
    found = measure(RUN, "m.other", "<", 1.0, None)
    assert (found.verdict, found.value) == ("not_measurable", None)
    assert "attach an artifact" in found.text


def test_symptoms_of_the_incident_in_the_run() -> None:
    incident = {"finding:hot-row": "Hot row", "blocker:transaction": "transaction"}
    same = symptoms(incident, incident)
    assert (same.same_way, same.text) == ("yes", "The run reproduces 2 of 2 symptoms.")
    other = symptoms(incident, {"finding:fsync": "Slow fsync"})
    assert other.same_way == "no"
    assert "reproduces 0 of 2 symptoms; it lacks likely cause: Hot row" in other.text
    assert "failed differently in likely cause: Slow fsync" in other.text


def test_a_run_without_a_stall_does_not_fail_the_same_way() -> None:
    found = symptoms({"finding:hot-row": "Hot row"}, {})
    assert found.same_way == "no"
    assert "no stall" in found.text


def test_an_incident_without_symptoms_says_so() -> None:
    assert symptoms({}, {}).same_way == "unclear"


def test_what_the_run_cannot_show_is_not_missing() -> None:
    """The run has one series: of a latch, a stack and another series it says nothing."""
    incident = {
        "latch:btr_search": "adaptive hash latch",
        "stack:fsync": "fsync",
        "series:other:up": "other went up",
        "series:waiters:up": "waiters went up",
    }
    unknown = undecided(incident, analyse(RUN), RUN)
    assert unknown.keys() == incident.keys() - {"series:waiters:up"}
    found = symptoms(incident, {"own:a": "slow"}, (), unknown)
    assert found.missing == ("series: waiters went up",)
    assert len(found.unknown) == 3
    none = symptoms({"stack:fsync": "fsync"}, {}, (), {"stack:fsync": "fsync"})
    assert (none.same_way, none.missing) == ("unclear", ())
