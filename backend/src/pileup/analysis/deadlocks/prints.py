"""Prints of one deadlock: later status dumps repeat it, and an error log may print it too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_NO_NUMBER = frozenset({"unknown", "0"})
"""What is printed of a transaction without a number of its own."""


def by_deadlock(rows: Iterable[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Group records of deadlocks by what they print; the fullest print of each comes first.

    rows: in time order, which the groups keep. A transaction dies or goes on once, so its number
    names the deadlock; without numbers, the printed time and the statements do.
    """
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(_key(row), []).append(row)
    for prints in groups.values():
        prints.sort(key=lambda row: (row["original"] is None, row["truncated"]))
    return list(groups.values())


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    numbers = [each["trx_id"] for each in row["transactions"]]
    if _NO_NUMBER.isdisjoint(numbers) and len(numbers) > 1:
        return (row["host"], *numbers)
    # The printed time is the server's own: the same in every dump, however each file was placed.
    when = row["original"] or row["wall_us"] or row["time"]
    texts = tuple((each["trx_id"], each["query"]) for each in row["transactions"])
    return (row["host"], when, texts)


__all__ = ["by_deadlock"]
