"""One deadlock is one, however often and wherever it is printed."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pileup.analysis.deadlocks import by_deadlock


def _print(*numbers: str, original: str | None, line: int, host: str = "db1") -> dict[str, Any]:
    return {
        "host": host,
        "original": original,
        "wall_us": None,
        "time": None,
        "truncated": original is None,
        "line_first": line,
        "transactions": [{"trx_id": number, "query": f"UPDATE {number}"} for number in numbers],
    }


@pytest.mark.parametrize("seed", range(5))
def test_a_log_and_dumps_print_the_same_deadlocks(seed: int) -> None:
    rng = random.Random(seed)
    pairs = [(str(2 * n + 10), str(2 * n + 11)) for n in range(20)]
    rows = [_print(*pair, original=None, line=n) for n, pair in enumerate(pairs)]
    dumped = rng.sample(pairs, 5)
    rows += [
        _print(*pair, original=f"22:19:{n}", line=100 + 10 * n + again)
        for n, pair in enumerate(dumped)
        for again in range(rng.randint(1, 4))
    ]
    rng.shuffle(rows)
    groups = by_deadlock(rows)
    assert sorted(len(rows) for rows in groups) == sorted(
        1 + sum(row["line_first"] >= 100 and _ids(row) == pair for row in rows) for pair in pairs
    )
    for group in groups:
        assert len({_ids(row) for row in group}) == 1
        assert (group[0]["original"] is not None) == (_ids(group[0]) in dumped)


def _ids(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(each["trx_id"] for each in row["transactions"])


def test_numbers_of_two_servers_and_none_at_all_are_not_the_same() -> None:
    rows = [
        _print("7", "8", original="22:19:01", line=1),
        _print("7", "8", original="22:19:01", line=2, host="db2"),
        _print("unknown", "8", original="22:19:01", line=3),
        _print("unknown", "8", original="22:19:02", line=4),
        _print("0", "8", original="22:19:02", line=5),
        _print("0", "8", original=None, line=8),
        _print("0", "8", original=None, line=9),
        _print("7", original="22:19:02", line=6),
        _print("7", original="22:19:03", line=7),
    ]
    assert [[row["line_first"] for row in group] for group in by_deadlock(rows)] == [
        [n] for n in (1, 2, 3, 4, 5, 6, 7, 8, 9)
    ]
