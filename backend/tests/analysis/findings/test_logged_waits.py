"""Statements of a slow log that waited for locks: what they tell alone."""

from __future__ import annotations

import pytest

from pileup.analysis import analyse
from pileup.analysis.contract import Analysis, FindingDoc
from pileup.records import Query
from tests.analysis.frames import T0, S, evidence

CHANGE, READ = "UPDATE stock SET n = n - 1 WHERE id = 7", "SELECT n FROM stock WHERE id = 7"
LOCKING_READ = "SELECT n FROM stock WHERE id = 7 FOR UPDATE"


def logged(text: str, count: int, *, took: float = 20.0, locked: float = 19.9) -> list[Query]:
    return [
        Query(
            line_first=1 + 5 * n,
            line_last=5 + 5 * n,
            wall_us=T0 + n * S,
            clock="utc",
            query_time_s=took,
            lock_time_s=locked,
            session_id=n,
            query=text,
        )
        for n in range(count)
    ]


def of(*logs: list[Query]) -> Analysis:
    return analyse(evidence({f"slow{n}": log for n, log in enumerate(logs)}))


def found(analysis: Analysis) -> dict[str, FindingDoc]:
    return {finding.id: finding for finding in analysis.findings}


@pytest.mark.parametrize("text", [CHANGE, LOCKING_READ])
def test_changes_that_wait_are_behind_a_row_lock_most_likely(text: str) -> None:
    """Nothing else shows, so the finding stays below an even bet and says what it rests on."""
    analysis = of(logged(text, 4))
    assert analysis.findings[0].id == "hot-row"
    assert 0.4 <= analysis.findings[0].score < 0.5
    assert analysis.findings[0].why.startswith("4 statements of the slow log waited for locks")
    assert "for up to 19.9 s" in analysis.findings[0].why


def test_plain_reads_wait_for_no_row() -> None:
    """They wait for a metadata lock; for a table's lock where the engine has such."""
    both = found(of(logged(READ, 4)))
    assert set(both) == {"mdl-pileup", "myisam-lock"}
    assert 0.4 <= both["mdl-pileup"].score < 0.5
    assert both["myisam-lock"].score < both["mdl-pileup"].score


def test_reads_and_changes_together_wait_for_the_table() -> None:
    """A row lock would have let the reads pass."""
    both = found(of(logged(READ, 6), logged(CHANGE, 6)))
    assert both["mdl-pileup"].score > both["hot-row"].score
    (against,) = both["hot-row"].against
    assert against.startswith("Plain reads wait for no row: 6 statements of the slow log")


@pytest.mark.parametrize(
    ("took", "locked", "says"),
    [
        (20.0, 10.0, True),
        (20.0, 9.99, False),
        (1.0, 1.0, True),
        (1.0, 0.99, False),
    ],
)
def test_a_wait_tells_from_half_of_the_time_and_a_second_on(
    took: float, locked: float, says: bool
) -> None:
    assert bool(found(of(logged(CHANGE, 4, took=took, locked=locked)))) is says


def test_statements_that_never_ran_at_once_tell_less() -> None:
    """Four at once are a queue; four one after another are four slow moments."""
    apart = [
        Query(
            line_first=1 + 5 * n,
            line_last=5 + 5 * n,
            wall_us=T0 + n * 60 * S,
            clock="utc",
            query_time_s=2.0,
            lock_time_s=1.9,
            query=CHANGE,
        )
        for n in range(4)
    ]
    at_once = found(of(logged(CHANGE, 4, took=5.0, locked=4.9)))["hot-row"]
    assert found(of(apart))["hot-row"].score < 0.6 * at_once.score
