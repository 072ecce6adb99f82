"""Sources whose counts of sessions disagree widely are named, and no others."""

from __future__ import annotations

import pytest

from pileup.analysis.blocked_time import disagreements
from tests.analysis.story.test_sentence import active, stall


@pytest.mark.parametrize(
    ("waiting", "running", "source", "disagree"),
    [
        (1512, 760.0, "metric.Threads_running", True),
        (100, 76.0, "metric.Threads_running", False),
        (100, 74.0, "metric.Threads_running", True),
        (4, 2.0, "metric.Threads_running", False),  # two come and go
        (100, 760.0, "metric.Threads_running", False),  # more run than wait
        (1512, 760.0, "moments", False),  # the level is of the moments that list the waits
        (None, 760.0, "metric.Threads_running", False),
    ],
)
def test_more_wait_than_run(
    waiting: int | None, running: float, source: str, disagree: bool
) -> None:
    of = stall(peak_waiters=waiting, peak_at="2026-11-20T22:25:50Z")
    notes = disagreements.waiting_and_running(of, active(peak=running, level_from=source))
    assert bool(notes) is disagree
    assert ["Threads running counts at most" in note for note in notes[:1]] == [True] * disagree


@pytest.mark.parametrize(("listed", "threads", "disagree"), [(259, 227, True), (259, 240, False)])
def test_lists_and_stacks(listed: int, threads: int, disagree: bool) -> None:
    assert bool(disagreements.listed_and_stacks(listed, threads)) is disagree
    assert bool(disagreements.active_and_connected(listed, threads)) is disagree
