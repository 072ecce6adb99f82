"""Polars with another order wherever it promises none: of groups, of distinct rows, and of ties.

``group_by`` and ``unique`` without ``maintain_order`` give their rows in any order, and ``sort``
those that tie, which is mostly the same one by chance. Here it is another one for each seed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import polars as pl
import pytest
from polars.dataframe.group_by import GroupBy
from polars.lazyframe.group_by import LazyGroupBy

TURNED = 1
"""The seed that turns every order round; with others it is shuffled."""


@contextmanager
def any_order(seed: int) -> Iterator[Callable[[], int]]:
    """Give what has no order in the order of a seed; yield what counts how often that was."""
    numbers = itertools.count(seed * 1000)
    used = [0]

    def shuffled(frame: Any) -> Any:
        used[0] += 1
        if isinstance(frame, pl.LazyFrame):
            return frame.map_batches(shuffled)
        if seed == TURNED:
            return frame.reverse()
        if isinstance(frame, pl.DataFrame) and not frame.height:
            return frame
        return frame.sample(fraction=1, shuffle=True, seed=next(numbers))

    def turn(owner: Any, name: str) -> Callable[..., Any]:
        original = getattr(owner, name)

        def method(self: Any, *arguments: Any, **named: Any) -> Any:
            result = original(self, *arguments, **named | {"maintain_order": True})
            return result if named.get("maintain_order") else shuffled(result)

        return method

    def of_groups(owner: Any, name: str) -> Callable[..., Any]:
        original = getattr(owner, name)

        def method(self: Any, *arguments: Any, **named: Any) -> Any:
            result = original(self, *arguments, **named)
            return result if self in ordered else shuffled(result)

        return method

    def of_ties(owner: Any) -> Callable[..., Any]:
        original = owner.sort

        def method(self: Any, *arguments: Any, **named: Any) -> Any:
            frame = self if named.get("maintain_order") else shuffled(self)
            return original(frame, *arguments, **named | {"maintain_order": True})

        return method

    ordered = _Kept()
    with pytest.MonkeyPatch.context() as patch:
        for owner in (pl.DataFrame, pl.LazyFrame):
            patch.setattr(owner, "group_by", _noting(owner.group_by, ordered))
            patch.setattr(owner, "sort", of_ties(owner))
        patch.setattr(pl.LazyFrame, "rolling", _keeping(pl.LazyFrame.rolling, ordered))
        for owner in (pl.DataFrame, pl.LazyFrame, pl.Series):
            patch.setattr(owner, "unique", turn(owner, "unique"))
        for group in (GroupBy, LazyGroupBy):
            for name in ("agg", "len"):
                patch.setattr(group, name, of_groups(group, name))
        patch.setattr(GroupBy, "__iter__", _iterating(GroupBy.__iter__, ordered, numbers, used))
        yield lambda: used[0]


class _Kept:
    """The groups that keep their order."""

    def __init__(self) -> None:
        self._groups: list[Any] = []

    def add(self, group: Any) -> None:
        self._groups.append(group)

    def __contains__(self, group: Any) -> bool:
        return any(group is each for each in self._groups)


def _noting(original: Callable[..., Any], ordered: _Kept) -> Callable[..., Any]:
    def group_by(self: Any, *by: Any, maintain_order: bool = False, **named: Any) -> Any:
        # kept within: what comes first in a group is promised
        group = original(self, *by, maintain_order=True, **named)
        if maintain_order:
            ordered.add(group)
        return group

    return group_by


def _keeping(original: Callable[..., Any], ordered: _Kept) -> Callable[..., Any]:
    def rolling(self: Any, *arguments: Any, **named: Any) -> Any:
        ordered.add(windows := original(self, *arguments, **named))  # in order of their index
        return windows

    return rolling


def _iterating(
    original: Callable[..., Any], ordered: _Kept, numbers: Iterator[int], used: list[int]
) -> Callable[..., Any]:
    def iterate(self: Any) -> Iterator[Any]:
        groups = list(original(self))
        if self not in ordered:
            used[0] += 1
            next(numbers)
            groups.reverse()
        yield from groups

    return iterate
