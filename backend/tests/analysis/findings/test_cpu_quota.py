"""A quota of CPU that no control group tells of: use stays even, while more and more want it."""

from __future__ import annotations

import pytest

from pileup.analysis import analyse
from pileup.analysis.contract import FindingDoc
from tests.analysis.frames import evidence, gauge

CALM, LONG = 60, 40


def _finding(
    used: list[float], *, running: float = 48.0, user: float = 24.0, command: str = "mysqld"
) -> FindingDoc | None:
    """The server's use of CPU since the onset; running threads, and percent of all CPUs."""
    series = [
        gauge("mysql.Threads_running", [3.0] * CALM + [running] * LONG, host="db1"),
        gauge("mysql.Queries", [900.0] * CALM + [210.0] * LONG, host="db1"),
        gauge("vmstat.us", [30.0] * CALM + [user] * LONG, host="db1"),
        gauge("vmstat.sy", [4.0] * (CALM + LONG), host="db1"),
        gauge("top.process_cpu", [240.0] * CALM + used, host="db1", labels=_of(command)),
    ]
    findings = analyse(evidence({"series": series})).findings
    return next((each for each in findings if each.id == "cpu-quota"), None)


def _of(command: str) -> tuple[tuple[str, str], ...]:
    return ("command", command), ("pid", "7")


EVEN = [200.0 + n % 3 for n in range(LONG)]


def test_an_even_use_that_a_crowd_wants_more_of_has_a_limit() -> None:
    finding = _finding(EVEN)
    assert finding is not None
    assert finding.verdict == "found"
    assert finding.score <= 0.5
    assert "something limits it" in finding.why


@pytest.mark.parametrize(
    "finding",
    [
        _finding([120.0 + 40 * (n % 5) for n in range(LONG)]),
        _finding(EVEN, running=7.0),
        _finding(EVEN, user=94.0),
        _finding(EVEN, command="ffmpeg"),
        _finding([4.0] * LONG),
    ],
    ids=[
        "it varies as work does",
        "as many run as it serves",
        "the machine has no CPU to spare",
        "another program's",
        "next to nothing is used: they wait",
    ],
)
def test_a_use_that_nothing_limits_is_no_quota(finding: FindingDoc | None) -> None:
    assert finding is None
