"""Choose how many rounds the property tests make: few in a usual run, more with ``--rounds``.

A usual run deals the cases of a law over the samples of a format, so that each format meets each
case and none twice. ``--rounds N`` (``make test-long``) gives every sample every case, N times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import pytest

_Case = TypeVar("_Case")

USES_ROUNDS = "rounds"
"""Marks the tests that ``--rounds`` changes; added to each that needs the fixture or ``seeds``."""


@dataclass(frozen=True)
class Rounds:
    """The rounds of this run."""

    count: int
    long: bool
    """Whether ``--rounds`` was given."""

    def deal(self, cases: Iterable[_Case], at: int, players: int) -> Iterator[_Case]:
        """Return the cases of player ``at`` of so many; all of them in a long run."""
        return iter(cases) if self.long else islice(cases, at, None, players)

    def times(self, usual: int, long: int) -> int:
        """Return how often to repeat something."""
        return long * self.count if self.long else usual


def rounds_of(config: pytest.Config) -> Rounds:
    """Return the rounds that the command line asks for."""
    given = config.getoption("--rounds")
    return Rounds(1, long=False) if given is None else Rounds(int(given), long=True)


def parametrize_seeds(metafunc: pytest.Metafunc) -> None:
    """Give a test marked ``seeds(usual, long)`` its argument ``seed``."""
    if mark := metafunc.definition.get_closest_marker("seeds"):
        metafunc.parametrize("seed", range(rounds_of(metafunc.config).times(*mark.args)))


def mark_users(items: Iterable[pytest.Item]) -> None:
    """Mark the tests that more rounds change, for ``-m rounds``."""
    for item in items:
        names = getattr(item, "fixturenames", ())
        if "rounds" in names or item.get_closest_marker("seeds"):
            item.add_marker(USES_ROUNDS)
