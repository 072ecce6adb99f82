"""Thresholds of the engine: a value exactly on each, and which side it belongs to.

``thresholds.txt`` names for each threshold, in each function that compares with it, a call that has
a value exactly on it, and the two neighbouring thresholds between which the answer turns
(``tests/support/bounds.py``). ``direct`` calls are in ``turning``, with their answers in
``turning.json``; the others are those that cases of other tests make (``recorded.py``). ``pytest
--bless`` looks for such calls; the review of a row that changes asks whether the value should
belong to the other side now.

A new threshold without a row fails: it needs a direct call with a value exactly on it. A function
that compares with one several times has a row for each; ``open_comparisons.txt``, which only gets
shorter, has those that none notices.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.recorded import recorded
from tests.analysis.turning import SCENES
from tests.support.answers import Answers
from tests.support.bounds import Bound, bless, read_bounds, turns, unnoticed
from tests.support.constants import Place, thresholds_of
from tests.support.replayed import Call

AGREED = Path(__file__).parent / "thresholds.txt"
BOUNDS = read_bounds(AGREED)
OPEN = (Path(__file__).parent / "open_comparisons.txt").read_text(encoding="utf-8").splitlines()
"""Comparisons that no call notices: of functions that compare with a threshold several times."""
ANSWERS = Answers(Path(__file__).parent / "turning.json")

pytestmark = pytest.mark.xdist_group("recorded")
_BY_RECORDED_CALLS = pytest.mark.on_turn(1, 2)
"""Recording takes as long as two hundred of the others."""


def test_every_threshold_has_a_row(request: pytest.FixtureRequest) -> None:
    places = {place for place in thresholds_of("analysis") if place.function}
    if request.config.getoption("--bless"):
        bless(AGREED, recorded(), places)
    held = read_bounds(AGREED).keys()
    new = sorted(places - held)
    assert not new, f"no call has a value exactly on the threshold: {new}"
    assert sorted(held - places) == [], "no longer in the source: bless"


@_BY_RECORDED_CALLS
@pytest.mark.parametrize(
    "bound",
    [bound for bounds in BOUNDS.values() for bound in bounds],
    ids=lambda bound: " ".join(bound.place),
)
def test_a_value_on_the_threshold_belongs_to_its_side(bound: Bound) -> None:
    assert turns(recorded(), bound)


@_BY_RECORDED_CALLS
@pytest.mark.parametrize("place", BOUNDS, ids=" ".join)
def test_each_comparison_with_the_threshold_is_noticed(place: Place) -> None:
    """Taken to its other side, its answer turns elsewhere, or a direct call has another one."""
    found = [f"{' '.join(place)}\t{each}" for each in unnoticed(recorded(), place, BOUNDS[place])]
    left = [line for line in OPEN if line.startswith(f"{' '.join(place)}\t")]
    assert found == left, "a new one needs a second direct call; one less: take its line out"


@pytest.mark.parametrize("place", SCENES)
def test_a_direct_call_has_the_agreed_answer(place: str, request: pytest.FixtureRequest) -> None:
    answer = Call(place, 0, SCENES[place], (), {}).afresh()
    ANSWERS.check(place, answer, bless=request.config.getoption("--bless"))
