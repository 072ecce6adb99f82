"""Place deadlocks that print no time, by the numbers of their transactions.

InnoDB numbers transactions in the order in which they begin, and a status dump prints the next
number. A deadlock whose last transaction has a number between those of two dumps of the server
happened between them, or within moments after the second. An error log prints deadlocks without
times where notes are left out (MySQL 8.0 with log_error_verbosity=2).

Units: times in UTC µs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

_SERIES = "innodb.trx_id_counter"
_APART_US = 60_000_000
"""Two dumps further apart than this show no time."""


def with_times(frames: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return the placed frames, with times for deadlocks between two numbers that dumps print.

    Only dumps of the same host count: numbers of servers without a name may be of several.
    """
    placed = dict(frames)
    deadlocks, samples = frames.get("deadlock"), frames.get("sample")
    if deadlocks is None or samples is None or not deadlocks["time"].null_count():
        return placed
    counters = samples.filter(pl.col("series") == _SERIES).drop_nulls(["host", "time", "value"])
    printed: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for host, time, value in counters.select("host", "time", "value").iter_rows():
        printed[host].append((int(value), time))
    for numbers in printed.values():
        numbers.sort()
    times = [
        _between(printed.get(host, ()), _last_number(transactions)) if time is None else time
        for host, time, transactions in deadlocks.select("host", "time", "transactions").iter_rows()
    ]
    placed["deadlock"] = deadlocks.with_columns(pl.Series("time", times, pl.Int64))
    return placed


def _last_number(transactions: Sequence[Mapping[str, Any]]) -> int | None:
    """Return the highest number of a deadlock's transactions; old servers print none in decimal."""
    numbers = [str(each["trx_id"]) for each in transactions]
    return max((int(number) for number in numbers if number.isdecimal()), default=None)


def _between(printed: Sequence[tuple[int, int]], number: int | None) -> int | None:
    """Return the time at which a number was given, by those printed before and after; else None."""
    if number is None:
        return None
    at = bisect_right(printed, number, key=lambda item: item[0])
    if not 0 < at < len(printed):
        return None
    (low, before), (high, after) = printed[at - 1], printed[at]
    if not 0 <= after - before <= _APART_US:
        return None
    return before + round((after - before) * (number - low) / (high - low))


__all__ = ["with_times"]
