"""Real incidents with a known truth: what Pileup measures against what was done.

The three samples of the repository always run. The full captures, with every experiment, run
where PILEUP_CAPTURES names a folder of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pileup.analysis.contract import Analysis, StallDoc
from pileup.analysis.evidence.times import parse
from tests.support.captures import SAMPLES, analysis_of, of_captures, of_samples, on_samples, sample

ONSET_S, END_S = 3.0, 6.0
FULL = (*SAMPLES, "concurrency-collapse", "fts-sync-stall")
STALLED_EXPERIMENTS = (
    "ahi-pileup/experiment-ahi-off",
    "concurrency-collapse/experiment-thread-concurrency-32",
)
WELL_EXPERIMENTS = (
    "commit-pileup/experiment-relaxed-durability",
    "fts-sync-stall/experiment-binlog-order-commits-off",
)


def truth_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "ground-truth.json").read_text())  # type: ignore[no-any-return]


def longest(analysis: Analysis) -> StallDoc:
    return max(
        (stall for stall in analysis.stalls if stall.kind == "stall"),
        key=lambda item: item.duration_s or 0,
    )


def check_times(folder: Path) -> None:
    truth, analysis = truth_of(folder), analysis_of(folder)
    stall = longest(analysis)
    assert abs(parse(stall.onset) - parse(truth["onset"])) <= ONSET_S * 1e6, stall.onset
    assert stall.end is not None
    assert abs(parse(stall.end) - parse(truth["recovery"])) <= END_S * 1e6, stall.end
    assert stall.baseline is not None
    assert analysis.headline.verdict == "stall"
    check_clocks(analysis, truth)


def check_clocks(analysis: Analysis, truth: dict[str, Any]) -> None:
    """Every placed file lies inside the capture (some variables files are taken just after)."""
    start, end = parse(truth["capture_start"]), parse(truth["end"])
    for artifact in analysis.artifacts:
        if artifact.first is None or artifact.last is None or artifact.format == "error-log":
            continue
        assert parse(artifact.last) >= start - 30e6, (artifact.path, artifact.last)
        assert parse(artifact.first) <= end + 30e6, (artifact.path, artifact.first)


@of_samples()
def test_a_sample_s_stall(name: str) -> None:
    check_times(sample(name))


@pytest.mark.slow
@of_captures([*FULL, *STALLED_EXPERIMENTS])
def test_a_capture_s_stall(captures: Path, name: str) -> None:
    check_times(captures / name)


@pytest.mark.slow
@of_captures(WELL_EXPERIMENTS)
def test_a_remedy_that_held_shows_no_stall(captures: Path, name: str) -> None:
    assert analysis_of(captures / name).headline.verdict == "no_stall"


@pytest.mark.slow
@of_captures(FULL)
def test_every_file_with_times_is_placed(captures: Path, name: str) -> None:
    """Files that print no time at all are placed too: by their name or by their counters.

    But for a load generator's own lines: several of them drive one server, so none of them alone
    moves as the server's counters do, and a guess would be made up.
    """
    assert unplaced(analysis_of(captures / name)) == []


@of_samples()
def test_every_file_of_a_sample_with_times_is_placed(name: str) -> None:
    assert unplaced(analysis_of(sample(name))) == []


def unplaced(analysis: Analysis) -> list[str]:
    return [
        artifact.path
        for artifact in analysis.artifacts
        if artifact.clock is not None
        and artifact.clock.quality == "unknown"
        and artifact.format != "sysbench"
    ]


def test_a_remedy_that_held_in_a_sample_shows_no_stall() -> None:
    name = "commit-pileup/experiment-relaxed-durability"
    assert analysis_of(sample(name)).headline.verdict == "no_stall"


@on_samples
def test_commit_pileup_is_not_blamed_on_arrivals() -> None:
    """Reads and writes fall together while sessions pile up: less was done, not more asked."""
    analysis = analysis_of(sample("commit-pileup"))
    assert "Less work was done" in analysis.headline.arrival
    moved = {shift.name: shift.direction for shift in analysis.shifts}
    assert moved["metric.log_fsyncs"] == "down"


@on_samples
def test_commit_pileup_s_files_are_in_vancouver_and_its_csv_in_utc() -> None:
    analysis = analysis_of(sample("commit-pileup"))
    zones = {
        artifact.path.rpartition("/")[2]: artifact.clock.zone
        for artifact in analysis.artifacts
        if artifact.clock
    }
    assert zones["innodb-status.txt"] == "-08:00"
    assert zones["metrics-wide.csv"] is None


@on_samples
def test_the_old_deadlock_of_hot_row_is_told_apart() -> None:
    """27 s before the onset, on another table: a red herring."""
    (first,) = analysis_of(sample("hot-row")).deadlocks
    assert "before the onset" in first.relation
    assert "not part of this stall" in first.relation


@on_samples
def test_the_drain_after_hot_row_is_its_own_entry() -> None:
    kinds = {stall.kind for stall in analysis_of(sample("hot-row")).stalls}
    assert "recovery_burst" in kinds


@of_samples()
def test_seven_checks_are_always_answered(name: str) -> None:
    assert len(analysis_of(sample(name)).triage) == 7
