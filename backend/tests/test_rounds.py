"""A usual run loses no case of a law: it deals them over the samples of a format."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import core

from tests.support.rounds import DEALT, ON_TURN, Rounds, choose_turn, drop_other_turns


@pytest.mark.parametrize("players", [1, 2, 3, 7, 60])
def test_every_case_is_dealt_once(players: int) -> None:
    cases = list(range(50))
    usual, long = Rounds(1, long=False), Rounds(3, long=True)
    dealt = [case for at in range(players) for case in usual.deal(cases, at, players)]
    assert sorted(dealt) == cases
    assert all(list(long.deal(cases, at, players)) == cases for at in range(players))
    assert (usual.times(5, 40), long.times(5, 40)) == (5, 120)


@pytest.mark.parametrize("of", [1, 3, 4])
def test_every_case_has_its_turn(of: int) -> None:
    cases = list(range(50))
    days = [Rounds(1, long=False, turn=turn) for turn in range(739_000, 739_000 + of)]
    assert sorted(case for day in days for case in day.in_turn(cases, of)) == cases
    assert list(Rounds(3, long=True, turn=5).in_turn(cases, of)) == cases


def _test(nodeid: str, **marks: tuple[int, ...]) -> pytest.Item:
    def closest(name: str) -> pytest.Mark | None:
        return getattr(pytest.mark, name)(*marks[name]).mark if name in marks else None

    return cast("pytest.Item", SimpleNamespace(nodeid=nodeid, get_closest_marker=closest))


def _kept(items: list[pytest.Item], **options: Any) -> list[str]:
    given = {"--bless": False, "--every-turn": False, "--rounds": None, "--turn": 0, **options}
    hook = SimpleNamespace(pytest_deselected=lambda items: None)
    kept = list(items)
    drop_other_turns(
        cast("pytest.Config", SimpleNamespace(getoption=given.__getitem__, hook=hook)), kept
    )
    return [item.nodeid for item in kept]


@pytest.mark.parametrize("of", [2, 3, 4, 6])
def test_each_day_has_its_share_of_a_dealt_test(of: int) -> None:
    """Also where the first case has another day's turn, and another dealt test stands between."""
    dealt = [_test(f"test_law[{case}]", **{DEALT: (of,)}) for case in range(24)]
    others = [_test(f"test_other_law[{case}]", **{DEALT: (2,)}) for case in range(24)]
    daily = _test("test_of_every_day")
    rare = _test("test_of_some_days", **{ON_TURN: (1, of)})
    mixed = [item for pair in zip(dealt, others, strict=True) for item in pair]
    days = [_kept([*mixed, daily, rare], **{"--turn": 739_000 + day}) for day in range(of)]
    for day in days:
        assert sum(name.startswith("test_law") for name in day) == 24 // of
        assert sum(name.startswith("test_other_law") for name in day) == 12
        assert daily.nodeid in day
    assert {name for day in days for name in day} >= {item.nodeid for item in dealt}
    assert [rare.nodeid in day for day in days].count(True) == 1
    for everything in ({"--every-turn": True}, {"--bless": True}, {"--rounds": 2}):
        assert len(_kept([*mixed, daily, rare], **everything)) == 50


@pytest.mark.parametrize(
    ("given", "rounds", "seed"), [(None, None, "739000"), ("7", None, "7"), (None, 2, None)]
)
def test_a_turn_draws_the_same_examples_again(
    given: str | None, rounds: int | None, seed: str | None
) -> None:
    option = SimpleNamespace(turn=739_000, hypothesis_seed=given)
    options = {"--turn": 739_000, "hypothesis_seed": given, "--rounds": rounds}
    choose_turn(
        cast("pytest.Config", SimpleNamespace(getoption=options.__getitem__, option=option))
    )
    assert option.hypothesis_seed == seed


def test_hypothesis_takes_the_seed(request: pytest.FixtureRequest) -> None:
    seed = request.config.getoption("hypothesis_seed")
    if request.config.getoption("--rounds") is None:
        assert str(core.global_force_seed) == seed
