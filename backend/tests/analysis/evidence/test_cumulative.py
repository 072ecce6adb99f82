"""A CSV's column that is named after a counter and only grows is a count, not a level."""

from __future__ import annotations

import pytest

from pileup.analysis import analyse
from tests.analysis.frames import evidence, gauge


def kinds(*values: float | None, name: str = "metric.questions") -> set[str]:
    frame = evidence({"a.csv": [gauge(name, list(values))]}).frame("sample")
    assert frame is not None
    return set(frame["kind"].cast(str))


def test_a_count_that_only_grows_is_one() -> None:
    assert kinds(*range(1000, 60_000, 3000)) == {"counter"}
    assert kinds(*range(20), None, *range(20, 40)) == {"counter"}


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([3000.0, 3010.0, 2990.0] * 8, "metric.questions"),  # statements per second
        ([float(n) for n in range(6)], "metric.questions"),  # too few to tell
        ([5.0] * 30, "metric.questions"),  # a level that stands
        ([float(n) for n in range(30)], "metric.threads_running"),  # no counter
        ([float(n) for n in range(30)], "metric.checkout_latency"),  # nothing that is known
    ],
)
def test_a_rate_or_a_level_stays_one(values: list[float], name: str) -> None:
    assert kinds(*values, name=name) == {"gauge"}


def test_the_arrival_rate_is_read_from_counts_too() -> None:
    """3,000 statements a second fall to 100: the sums of a SHOW STATUS in a CSV must say so."""
    total, counts = 1e6, []
    for rate in [3000.0] * 60 + [100.0] * 60 + [3000.0] * 60:
        total += rate
        counts.append(total)
    running = [4.0, 5.0] * 30 + [90.0, 95.0] * 30 + [4.0, 5.0] * 30
    series = [gauge("metric.questions", counts), gauge("metric.threads_running", running)]
    found = analyse(evidence({"a.csv": series}))
    assert "Less work was done" in found.headline.arrival
