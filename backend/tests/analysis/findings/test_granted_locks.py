"""A change of a table meets others that use it, among locks that are all granted."""

from __future__ import annotations

import random

import polars as pl
import pytest

from pileup.analysis.findings.granted_locks import change_in_use
from tests.analysis.turning.tools import always, given

_MODES = ("SHARED_UPGRADABLE", "EXCLUSIVE", "SHARED_READ", "SHARED_WRITE", "INTENTION_EXCLUSIVE")


@pytest.mark.seeds(30, 400)
def test_a_change_meets_another_session_that_uses_its_table(seed: int) -> None:
    """As a look at each pair of locks finds it, whatever their order."""
    dice = random.Random(seed)
    locks = [
        (dice.choice(["shop.a", "shop.b", None]), dice.choice(_MODES), dice.randrange(4))
        for _ in range(dice.randrange(1, 9))
    ]
    expected = any(
        mine[0] is not None
        and mine[0] == theirs[0]
        and mine[1] in _MODES[:2]
        and theirs[1] in _MODES[2:4]
        and mine[2] != theirs[2]
        for mine in locks
        for theirs in locks
    )
    assert _found(locks) == expected, locks


def test_thousands_of_sessions_on_one_table_are_no_pairs() -> None:
    """Each pair of twenty thousand changes and as many uses would not fit in memory."""
    count = 20_000
    changes = [("shop.a", "SHARED_UPGRADABLE", number) for number in range(count)]
    assert _found(changes + [("shop.a", "SHARED_READ", number) for number in range(count)])


def _found(locks: list[tuple[str | None, str, int]]) -> bool:
    frame = pl.DataFrame(
        locks, {"object_name": pl.String, "mode": pl.String, "session_id": pl.Int64}, orient="row"
    ).with_columns(
        artifact=pl.lit("a"), line_first=pl.lit(1), line_last=pl.lit(1), time=pl.lit(None)
    )
    return bool(change_in_use(given(during=always(frame), lines=always(None))).holds)
