"""Deadlocks without times are placed by the numbers of their transactions."""

from __future__ import annotations

import random

import polars as pl
import pytest

from pileup.analysis.clock.transaction_numbers import _APART_US, with_times
from pileup.records import Deadlock, DeadlockTrx
from tests.analysis.frames import T0, S, evidence, gauge

COUNTER = "innodb.trx_id_counter"


def _deadlock(*numbers: int | str, at: int | None = None) -> Deadlock:
    when = {} if at is None else {"wall_us": at, "clock": "utc"}
    return Deadlock(
        line_first=1,
        line_last=9,
        host="db1",
        transactions=tuple(
            DeadlockTrx(number=n, trx_id=str(number)) for n, number in enumerate(numbers, start=1)
        ),
        **when,  # type: ignore[arg-type]
    )


def _times(deadlocks: list[Deadlock], counters: list[float], step_s: int = 10) -> list[int | None]:
    found = evidence(
        {
            "error.log": deadlocks,
            "status": [gauge(COUNTER, counters, step=step_s * S, host="db1")],
        }
    )
    return found.frames["deadlock"]["time"].to_list()


def test_it_lies_between_the_dumps_whose_numbers_are_around_its_own() -> None:
    times = _times(
        [_deadlock(101, 105), _deadlock(150, 110), _deadlock(210, "199")], [100, 200, 300]
    )
    assert times == [T0 + S // 2, T0 + 5 * S, T0 + 11 * S]


@pytest.mark.parametrize(
    ("deadlock", "why"),
    [
        (_deadlock(90, 99), "before the first dump"),
        (_deadlock(300, 310), "after the last dump"),
        (_deadlock("1A2B", "0 4711"), "no decimal numbers"),
    ],
)
def test_nothing_is_invented(deadlock: Deadlock, why: str) -> None:
    assert _times([deadlock], [100, 200, 300]) == [None], why


def test_a_printed_time_stays() -> None:
    assert _times([_deadlock(150, at=T0 - 99 * S)], [100, 200]) == [T0 - 99 * S]


def test_dumps_far_apart_and_other_servers_show_no_time() -> None:
    apart = _APART_US // S
    assert _times([_deadlock(150)], [100, 200], step_s=apart) == [T0 + apart // 2 * S]
    assert _times([_deadlock(150)], [100, 200], step_s=apart + 1) == [None]
    other = evidence(
        {
            "error.log": [_deadlock(150)],
            "status": [gauge(COUNTER, [100, 200], host="db2")],
        }
    )
    assert other.frames["deadlock"]["time"].to_list() == [None]


@pytest.mark.parametrize("seed", range(5))
def test_later_numbers_have_later_times_in_any_order(seed: int) -> None:
    rng = random.Random(seed)
    counters = [float(n) for n in sorted(rng.sample(range(1, 5000), 20))]
    numbers = sorted(rng.sample(range(int(counters[0]), int(counters[-1])), 30))
    shuffled = rng.sample(numbers, len(numbers))
    times = dict(zip(shuffled, _times([_deadlock(n) for n in shuffled], counters), strict=True))
    assert None not in times.values()
    placed = [times[n] or 0 for n in numbers]
    assert placed == sorted(placed)
    assert with_times({}) == {}
    assert isinstance(placed[0], int)
    assert pl.Series(placed).is_between(T0, T0 + 190 * S).all()
