"""Every sort of the report: rivals in the wrong order, and a tie that a stated key breaks.

A direct call (``ordered.py``) of each function that sorts has the agreed answer (``ordered.json``,
``pytest --bless``). It is another one when the sort is left out, and when its last key is; and the
same one where polars promises no order (``any_order.py``).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.ordered import ORDERED
from tests.support.answers import Answers
from tests.support.any_order import any_order
from tests.support.orders import Sort, calls_of, sorts_of, unnoticed
from tests.support.replayed import Calls

CALLS = Calls("report", [])
AGREED = Answers(Path(__file__).parent / "ordered.json")


def test_every_function_that_sorts_has_a_call() -> None:
    assert {f"{sort.module} {sort.function}" for sort in sorts_of("report")} == ORDERED.keys()


@pytest.mark.parametrize("sort", sorts_of("report"), ids=lambda sort: sort.name)
def test_a_sort_that_is_left_out_is_noticed(sort: Sort) -> None:
    name = f"{sort.module} {sort.function}"
    assert unnoticed(CALLS, sort, calls_of(name, ORDERED[name])) == [], sort.what


@pytest.mark.parametrize("name", ORDERED)
def test_the_order_is_the_agreed_one(name: str, request: pytest.FixtureRequest) -> None:
    found = [call.afresh() for call in calls_of(name, ORDERED[name])]
    AGREED.check(name, found, bless=request.config.getoption("--bless"))


@pytest.mark.parametrize("name", ORDERED)
def test_what_has_no_order_changes_no_answer(name: str) -> None:
    for call in calls_of(name, ORDERED[name]):
        known = call.afresh()
        for seed in (1, 2):
            with any_order(seed):
                assert call.afresh() == known
