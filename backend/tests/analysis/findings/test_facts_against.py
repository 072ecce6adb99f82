"""What speaks against a cause is said, and lowers its score by as much as agreed."""

from __future__ import annotations

from typing import Any

import pytest

from pileup.analysis.evidence.levels import Levels
from pileup.analysis.findings.observed import Seen
from pileup.analysis.findings.rules import Match, commit
from tests.analysis.turning.rules import seen, stall
from tests.analysis.turning.tools import always, given, instead, level

_AGAINST_A_SLOW_DISK: dict[str, tuple[float, dict[str, Any], dict[str, Any]]] = {
    "The head of the queue writes the full-text cache: the disk is not the cause.": (
        0.45,
        {"fts_sync": always(Match("fts-sync-stall", 0.6, "", ()))},
        {},
    ),
    "More transactions (9) wait for a row lock than for the commit.": (
        0.4,
        {},
        {"lock_queue": given(waiters=seen(most=9), mode=None, of_active=1.0, table=None)},
    ),
    "More threads wait for latches than for the commit.": (0.4, {}, {"latch_waiters": 17}),
    "The head of the queue rotates or purges the binary log.": (
        0.5,
        {},
        {"query": always(seen())},
    ),
    "A statement that changed rows for long is among those at the commit.": (
        0.5,
        {"_large_at_commit": always(seen())},
        {},
    ),
    "60 processes competed for 2 CPUs: commits may wait for a CPU, and no stack shows a flush.": (
        0.7,
        {},
        {
            "levels": Levels(
                (
                    level("vmstat.r", 60.0),
                    level("mpstat.usr", 90.0, labels="cpu=0"),
                    level("mpstat.usr", 90.0, labels="cpu=1"),
                )
            )
        },
    ),
    "The server gave no answer meanwhile: lists show the first moment alone.": (
        0.5,
        {"pauses": given(is_silent=always(True))},
        {},
    ),
    "Some wait for {}: commits may queue behind them.": (
        0.5,
        {},
        {"queues": {next(iter(commit._EARLIER)): given()}},
    ),
}


def _slow_disk(functions: dict[str, Any], observed: dict[str, Any]) -> Match:
    usual: dict[str, Any] = {
        "commit_waiters": always(seen(most=8, share=0.4)),
        "fts_sync": always(None),
        "_large_at_commit": always(Seen(False)),
        "_acknowledged": always(False),
        "pauses": given(is_silent=always(False)),
    }
    with instead(commit, **usual | functions):
        match = commit.fsync_stall(stall(**observed))
    assert match is not None
    return match


@pytest.mark.parametrize("against", _AGAINST_A_SLOW_DISK)
def test_what_speaks_against_a_slow_disk(against: str) -> None:
    """Full-text sync, row locks, latches, rotation: then the slow disk is hardly the cause."""
    factor, functions, observed = _AGAINST_A_SLOW_DISK[against]
    alone, match = _slow_disk({}, {}), _slow_disk(functions, observed)
    assert alone.against == ()
    assert match.against == (against.format(*commit._EARLIER.values()),)
    assert match.score == pytest.approx(factor * alone.score, abs=1e-3)


@pytest.mark.parametrize(
    ("functions", "observed"),
    [
        ({"fts_sync": always(Match("fts-sync-stall", 0.599, "", ()))}, {}),
        ({}, {"lock_queue": given(waiters=seen(most=8), mode=None, of_active=1.0, table=None)}),
        ({}, {"latch_waiters": 16}),
    ],
)
def test_as_many_elsewhere_speak_against_nothing(functions: Any, observed: Any) -> None:
    assert _slow_disk(functions, observed) == _slow_disk({}, {})
