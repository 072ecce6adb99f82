"""Means of a window of the timeline: over time, however unevenly somebody sampled."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pileup.views.evidence.moved import _mean

SECOND = 1_000_000


def buckets(*samples: tuple[float, float], gaps: tuple[float, ...] = ()) -> pl.DataFrame:
    rows = sorted((round(at * SECOND), value, 1, at in gaps) for at, value in samples)
    columns = {"time": pl.Int64, "mean": pl.Float64, "n": pl.Int64, "gap": pl.Boolean}
    return pl.DataFrame(rows, columns, orient="row")


def test_a_burst_of_samples_counts_as_long_as_it_lasted() -> None:
    """A tool that looks once a second for ten seconds, in a minute looked at every ten."""
    calm = [(float(at), 2.0) for at in (0, 10, 20, 40, 50)]
    burst = [(30.0 + at, 200.0) for at in range(10)]
    assert _mean(buckets(*calm, (30, 200.0))) == pytest.approx(35.0)
    # the last sample counts as long as is usual, here one second
    assert _mean(buckets(*calm, *burst)) == pytest.approx((2000 + 2 * 41) / 51)


def test_a_hole_counts_for_nothing() -> None:
    samples = [(0.0, 2.0), (1.0, 2.0), (2.0, 2.0), (600.0, 8.0), (601.0, 8.0), (602.0, 8.0)]
    assert _mean(buckets(*samples, gaps=(600.0,))) == pytest.approx(5.0)


def test_no_sample_has_no_mean_and_one_is_its_value() -> None:
    assert _mean(buckets()) is None
    assert _mean(buckets((5, 7.0))) == 7.0
    assert _mean(buckets((5, 7.0), (5, 9.0))) == 8.0


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50))
def test_of_even_samples_it_is_the_usual_mean(values: list[float]) -> None:
    even = _mean(buckets(*enumerate(values)))
    assert even == pytest.approx(sum(values) / len(values))
