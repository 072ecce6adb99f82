"""Sorts of the engine that the cases of other tests notice, when they are left out.

``sorts_in_cases.txt`` names for each sort a call that a case makes, whose answer is another one
without the sort, or without its last key. ``pytest --bless`` looks for another call where a case
makes that one no more; a sort that has none needs a direct call (``sorted_calls``).
"""

from __future__ import annotations

import pytest

from tests.analysis.recorded import SORTS, recorded
from tests.support.orders import (
    OTHERS,
    Noticed,
    Sort,
    changed,
    noticed_by,
    notices,
    read_noticed,
    sorts_of,
)

pytestmark = [pytest.mark.xdist_group("recorded"), pytest.mark.on_turn(1, 2)]
ROWS = read_noticed(SORTS)
BY_NAME = {sort.name: sort for sort in sorts_of("analysis")}
FUNCTIONS = {row.name.rpartition(" ")[0] for row in ROWS}


def _ways(sort: Sort) -> list[str]:
    function = recorded().function_named(sort.module, sort.function)
    return [way for way, (first, _) in OTHERS.items() if changed(function, sort.number, first)]


def test_each_sort_of_these_functions_has_its_rows(request: pytest.FixtureRequest) -> None:
    sorts = [sort for sort in BY_NAME.values() if sort.name.rpartition(" ")[0] in FUNCTIONS]
    wanted = {(sort.name, way) for sort in sorts for way in _ways(sort)}
    if request.config.getoption("--bless"):
        kept = [row for row in ROWS if (row.name, row.way) in wanted and _is_noticed(row)]
        new = sorted(wanted - {(row.name, row.way) for row in kept})
        kept += filter(None, (noticed_by(recorded(), BY_NAME[name], way) for name, way in new))
        lines = ("\t".join(map(str, row)) for row in sorted(kept))
        SORTS.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert {(row.name, row.way) for row in read_noticed(SORTS)} == wanted


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name} {row.way}")
def test_a_sort_that_is_left_out_is_noticed(row: Noticed) -> None:
    assert _is_noticed(row)


def _is_noticed(row: Noticed) -> bool:
    sort = BY_NAME[row.name]
    made = recorded().named(sort.module, sort.function)
    call = next((each for each in made if (each.scene, each.number) == (row.scene, row.call)), None)
    return call is not None and notices(recorded(), sort, row.way, call)
