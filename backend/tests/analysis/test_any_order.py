"""What polars promises no order of changes no analysis: groups, distinct rows, rows that tie."""

from __future__ import annotations

import pytest

from pileup.analysis import analyse
from pileup.analysis.contract import encode
from tests.analysis.cases import case
from tests.analysis.findings.test_signatures import FIRES
from tests.support.any_order import TURNED, any_order

STEP = 29
"""Every so many cases one: of each kind of evidence some."""


@pytest.mark.parametrize("at", range(0, len(FIRES), STEP))
@pytest.mark.dealt(2)
def test_an_analysis_is_the_same_in_any_order(at: int) -> None:
    example = FIRES[at][1]
    known = encode(analyse(case(example)))
    for seed in (TURNED, 2):
        with any_order(seed) as used:
            assert encode(analyse(case(example))) == known
        assert used() > 20
