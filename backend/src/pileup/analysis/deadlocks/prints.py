"""Prints of one deadlock: later status dumps repeat it, and an error log may print it too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_NO_NUMBER = frozenset({"unknown", "0"})
"""What is printed of a transaction without a number of its own."""


def by_deadlock(rows: Iterable[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Group records of deadlocks by what they print; the fullest print of each comes first.

    rows: in time order, which the groups keep. The printed time and the transactions name a
    deadlock; a print without a time belongs to the one of the same transactions, for one of them
    dies.
    """
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    by_numbers: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    timeless = []
    for row in rows:
        if (key := _key(row)) is None:
            timeless.append(row)
            continue
        prints = groups.setdefault(key, [])
        prints.append(row)
        by_numbers.setdefault(_numbers(row), prints)
    for row in timeless:
        numbers = _numbers(row)
        if not _NO_NUMBER.isdisjoint(numbers):
            groups["without numbers", id(row)] = [row]
        elif numbers in by_numbers:
            by_numbers[numbers].append(row)
        else:
            by_numbers[numbers] = groups[numbers] = [row]
    for prints in groups.values():
        prints.sort(key=lambda row: (row["original"] is None, row["truncated"]))
    return list(groups.values())


def _key(row: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """Return what names a deadlock whose print has a time; None without one."""
    # The printed time is the server's own: the same in every dump, however each file was placed.
    printed = row["original"] or row["wall_us"]
    if printed is None:
        return None
    return (
        row["host"],
        printed,
        *((each["trx_id"], each["query"]) for each in row["transactions"]),
    )


def _numbers(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (row["host"], *(each["trx_id"] for each in row["transactions"]))


__all__ = ["by_deadlock"]
