"""Thresholds of the engine: a value exactly on each, and which side it belongs to.

``thresholds.txt`` names for each threshold, in each function that compares with it, a recorded call
that has a value exactly on it, and the two neighbouring thresholds between which the answer turns
(``tests/support/bounds.py``). ``pytest --bless`` looks for such calls; the review of a row that
changes asks whether the value should belong to the other side now.

A threshold without a row is listed in ``open_thresholds.txt``, which only gets shorter: a new one
needs a scene in ``recorded.py`` with a value exactly on it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.recorded import recorded
from tests.support.bounds import Bound, bless, read_bounds, turns
from tests.support.constants import Place, thresholds_of

AGREED = Path(__file__).parent / "thresholds.txt"
OPEN = Path(__file__).parent / "open_thresholds.txt"
BOUNDS = read_bounds(AGREED)

pytestmark = pytest.mark.xdist_group("recorded")


def test_every_threshold_has_a_row(request: pytest.FixtureRequest) -> None:
    """Or is one of those that had none from the beginning."""
    places = {place for place in thresholds_of("analysis") if place.function}
    if request.config.getoption("--bless"):
        bless(AGREED, recorded(), places)
    held = read_bounds(AGREED).keys()
    without = {Place(*line.split("\t")) for line in OPEN.read_text().splitlines()}
    new = sorted(places - held - without)
    assert not new, f"a value exactly on the threshold is in no scene: {new}"
    assert sorted(held - places) == [], "no longer in the source: bless"
    assert sorted(without - places) == [], "no longer in the source: take the line out"
    assert sorted(without & held) == [], "has a row now: take the line out"


@pytest.mark.parametrize("bound", BOUNDS.values(), ids=lambda bound: " ".join(bound.place))
def test_a_value_on_the_threshold_belongs_to_its_side(bound: Bound) -> None:
    assert turns(recorded(), bound)
