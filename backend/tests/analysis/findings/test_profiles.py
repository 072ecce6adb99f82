"""Shares of a CPU profile: per cent, and never threads."""

from __future__ import annotations

import polars as pl
import pytest

from pileup.analysis import analyse
from pileup.analysis.stacks.profiles import shares
from pileup.knowledge.signature import Example
from tests.analysis.cases import case


def test_shares_are_of_all_samples_and_of_time_only() -> None:
    """What a report leaves out counts; page faults tell no time; threads have no share."""
    frame = pl.DataFrame(
        {
            "artifact": ["a"] * 5,
            "snapshot": [0, 0, 1, 2, 2],
            "event": ["cycles", "cycles", "page-faults", None, None],
            "count": [3000, 1000, 5, 7, 8],
            "samples": [10_000, 10_000, 5, 1, 1],
        }
    )
    assert shares(frame) == [30.0, 10.0, 0.0, None, None]


@pytest.mark.parametrize(
    ("profile", "found"),
    [
        (["4 compact_zone", "60 MYSQLparse"], False),
        (["30 compact_zone", "60 MYSQLparse"], True),
    ],
)
def test_a_function_that_any_server_shows_is_no_sign(profile: list[str], found: bool) -> None:
    document = analyse(case(Example(says="", profile=profile), alone=True))
    assert ("thp" in {finding.id for finding in document.findings}) == found
    verdict = next(check.verdict for check in document.triage if check.check == "locking")
    assert verdict == "no_data"  # a profile shows who works, and not who waits
