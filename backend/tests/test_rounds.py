"""A usual run loses no case of a law: it deals them over the samples of a format."""

from __future__ import annotations

import pytest

from tests.support.rounds import Rounds


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
