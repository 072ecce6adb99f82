"""The threshold of a sweep lies between two loads that were run, whatever the order of the runs."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from pileup.analysis.reasoning.sweeps import SweepRun, lines_of, load_of, most_varied

LOADS = st.lists(st.integers(1, 5000), min_size=2, max_size=12, unique=True)


def runs(outcomes: dict[int, bool | None]) -> list[SweepRun]:
    return [
        SweepRun(number, {"machines": str(load)}, failed, None)
        for number, (load, failed) in enumerate(outcomes.items())
    ]


@settings(max_examples=60, deadline=None)
@given(loads=LOADS, cut=st.integers(0, 5000), unknown=st.sets(st.integers(0, 11)))
def test_all_below_agree_and_all_above_agree(loads: list[int], cut: int, unknown: set[int]) -> None:
    """Runs without an outcome widen it, and are never taken for one."""
    outcomes = {load: None if at in unknown else load > cut for at, load in enumerate(loads)}
    (line,) = lines_of(runs(outcomes))
    held = [load for load, failed in outcomes.items() if failed is False]
    failed = [load for load, failed in outcomes.items() if failed]
    if held and failed:
        assert line.threshold is not None
        assert (line.threshold.below, line.threshold.above) == (max(held), min(failed))
    else:
        assert line.threshold is None


@settings(max_examples=60, deadline=None)
@given(loads=LOADS, outcomes=st.lists(st.booleans(), min_size=12, max_size=12))
def test_runs_that_alternate_have_no_threshold(loads: list[int], outcomes: list[bool]) -> None:
    outcome_by_load = dict(zip(loads, outcomes, strict=False))
    (line,) = lines_of(runs(dict(outcome_by_load)))
    turns = [outcome_by_load[load] for load in sorted(outcome_by_load)]
    flips = sum(a != b for a, b in pairwise(turns))
    assert (line.threshold is not None) == (flips == 1)
    assert line.text.startswith("No single threshold") == (flips > 1)


def test_the_other_parameters_make_lines_of_their_own() -> None:
    table = [
        SweepRun(n, {"tables": load, "build": build}, None, None, {"inserts (1/s)": value})
        for n, (load, build, value) in enumerate(
            [("4", "a", 10.0), ("8", "a", 9.0), ("16", "a", 1.0), ("4", "b", 10.0), ("8", "b", 9.5)]
        )
    ]
    first, second = lines_of(table)
    assert (first.axis, first.fixed) == ("tables", {"build": "a"})
    assert first.text == "inserts (1/s) changes most between 8 and 16 tables: from 9 to 1."
    assert second.text == ""


def test_a_load_is_a_number() -> None:
    assert [load_of(text) for text in ("22 machines", "4k", "1.5M", "off", "")] == [
        22,
        4000,
        1.5e6,
        None,
        None,
    ]
    assert lines_of([SweepRun(1, {"build": "a"}, True, None)]) == []


def test_the_value_that_differs_most_is_the_one_to_draw() -> None:
    values = [{"inserts": 16.0, "queries": 10_000.0}, {"inserts": 16.0, "queries": 8.0}]
    sweep_runs = [SweepRun(n, {"tables": str(n)}, None, None, v) for n, v in enumerate(values)]
    assert most_varied(sweep_runs) == "queries"
    assert most_varied([]) == ""
