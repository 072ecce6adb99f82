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
