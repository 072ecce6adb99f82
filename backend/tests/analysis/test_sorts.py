"""Sorts of the engine: rivals in the wrong order, and a tie that a stated key breaks.

A direct call (``sorted_calls``) of a function that sorts has the agreed answer (``sorted.json``,
``pytest --bless``). It is another one when the sort is left out, and when its last key is; and the
same one where polars promises no order (``any_order.py``).

Others are noticed in cases of other tests (``test_sorts_in_cases.py``). Functions without any such
call are listed in ``open_sorts.txt``, which only gets shorter.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.recorded import SORTS as IN_CASES
from tests.analysis.sorted_calls import ALSO, ORDERED
from tests.support.answers import Answers
from tests.support.any_order import any_order
from tests.support.orders import Sort, calls_of, read_noticed, sorts_of, unnoticed
from tests.support.replayed import Calls

CALLS = Calls("analysis", [])
AGREED = Answers(Path(__file__).parent / "sorted.json")
OPEN = Path(__file__).parent / "open_sorts.txt"
EVERY = ORDERED | ALSO
SORTS = [sort for sort in sorts_of("analysis") if f"{sort.module} {sort.function}" in ORDERED]


def test_every_function_that_sorts_has_a_call() -> None:
    """Or is one of those that had none from the beginning."""
    functions = {f"{sort.module} {sort.function}" for sort in sorts_of("analysis")}
    without = set(OPEN.read_text(encoding="utf-8").splitlines())
    in_cases = {row.name.rpartition(" ")[0] for row in read_noticed(IN_CASES)}
    assert not in_cases & (without | ORDERED.keys())
    assert functions - ORDERED.keys() - without - in_cases == set(), "it needs a direct call"
    assert ORDERED.keys() - functions == set(), "it sorts no more"
    assert without - functions == set(), "it sorts no more: take the line out"
    assert without & ORDERED.keys() == set(), "it has a call now: take the line out"


@pytest.mark.parametrize("sort", SORTS, ids=lambda sort: sort.name)
def test_a_sort_that_is_left_out_is_noticed(sort: Sort) -> None:
    name = f"{sort.module} {sort.function}"
    assert unnoticed(CALLS, sort, calls_of(name, ORDERED[name])) == [], sort.what


@pytest.mark.parametrize("name", EVERY)
def test_the_order_is_the_agreed_one(name: str, request: pytest.FixtureRequest) -> None:
    found = [call.afresh() for call in calls_of(name, EVERY[name])]
    AGREED.check(name, found, bless=request.config.getoption("--bless"))


@pytest.mark.parametrize("name", EVERY)
def test_what_has_no_order_changes_no_answer(name: str) -> None:
    for call in calls_of(name, EVERY[name]):
        known = call.afresh()
        for seed in (1, 2):
            with any_order(seed):
                assert call.afresh() == known
