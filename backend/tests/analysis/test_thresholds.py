"""Thresholds of the engine: a value exactly on each, and which side it belongs to.

``thresholds.txt`` names for each threshold, in each function that compares with it, a call that has
a value exactly on it, and the two neighbouring thresholds between which the answer turns
(``tests/support/bounds.py``). ``direct`` calls are in ``turning``, with their answers in
``turning.json``; the others are those that cases of other tests make (``recorded.py``). ``pytest
--bless`` looks for such calls; the review of a row that changes asks whether the value should
belong to the other side now.

A new threshold without a row fails: it needs a direct call with a value exactly on it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.recorded import recorded
from tests.analysis.turning import SCENES
from tests.support.answers import Answers
from tests.support.bounds import Bound, bless, read_bounds, turns
from tests.support.constants import thresholds_of
from tests.support.replayed import Call

AGREED = Path(__file__).parent / "thresholds.txt"
BOUNDS = read_bounds(AGREED)
ANSWERS = Answers(Path(__file__).parent / "turning.json")

pytestmark = pytest.mark.xdist_group("recorded")


def test_every_threshold_has_a_row(request: pytest.FixtureRequest) -> None:
    places = {place for place in thresholds_of("analysis") if place.function}
    if request.config.getoption("--bless"):
        bless(AGREED, recorded(), places)
    held = read_bounds(AGREED).keys()
    new = sorted(places - held)
    assert not new, f"no call has a value exactly on the threshold: {new}"
    assert sorted(held - places) == [], "no longer in the source: bless"


@pytest.mark.parametrize("bound", BOUNDS.values(), ids=lambda bound: " ".join(bound.place))
def test_a_value_on_the_threshold_belongs_to_its_side(bound: Bound) -> None:
    assert turns(recorded(), bound)


@pytest.mark.parametrize("place", SCENES)
def test_a_direct_call_has_the_agreed_answer(place: str, request: pytest.FixtureRequest) -> None:
    answer = Call(place, 0, SCENES[place], (), {}).afresh()
    ANSWERS.check(place, answer, bless=request.config.getoption("--bless"))
