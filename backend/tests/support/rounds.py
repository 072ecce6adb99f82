"""Choose how many rounds the property tests make: few in a usual run, more with ``--rounds``.

A usual run deals the cases of a law over the samples of a format, so that each format meets each
case and none twice. What is too long for that is dealt over the days: ``turn`` is the number of
the day, and ``--turn N`` repeats another, with the same examples of Hypothesis. ``--rounds N``
(``make test-long``) gives every sample every case, N times, and leaves out no test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TypeVar

import pytest

_Case = TypeVar("_Case")

USES_ROUNDS = "rounds"
"""Marks the tests that ``--rounds`` changes; added to each that needs the fixture or ``seeds``."""

ON_TURN = "on_turn"
"""Marks the tests that run on some days only: ``on_turn(which, of)``."""
DEALT = "dealt"
"""Marks a test whose cases are dealt over so many days: ``dealt(of)``."""


@dataclass(frozen=True)
class Rounds:
    """The rounds of this run."""

    count: int
    long: bool
    """Whether ``--rounds`` was given."""
    turn: int = 0

    def deal(self, cases: Iterable[_Case], at: int, players: int) -> Iterator[_Case]:
        """Return the cases of player ``at`` of so many; all of them in a long run."""
        return iter(cases) if self.long else islice(cases, at, None, players)

    def in_turn(self, cases: Iterable[_Case], of: int, first: int = 0) -> Iterator[_Case]:
        """Return every so many-th case, other ones every day; all of them in a long run."""
        return self.deal(cases, (self.turn + first) % of, of)

    def times(self, usual: int, long: int) -> int:
        """Return how often to repeat something."""
        return long * self.count if self.long else usual


def rounds_of(config: pytest.Config) -> Rounds:
    """Return the rounds that the command line asks for."""
    given = config.getoption("--rounds")
    turn = int(config.getoption("--turn"))
    return Rounds(1, False, turn) if given is None else Rounds(int(given), True, turn)


def choose_turn(config: pytest.Config) -> None:
    """Set the turn to the day; xdist passes it to its processes, so all of them take the same.

    It is the seed of Hypothesis too: a turn draws the same examples whenever it is repeated. With
    ``--rounds`` each run draws others.
    """
    if config.getoption("--turn") is None:
        config.option.turn = datetime.now(UTC).toordinal()
    if config.getoption("hypothesis_seed") is None and config.getoption("--rounds") is None:
        config.option.hypothesis_seed = str(config.option.turn)


def drop_other_turns(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests marked ``on_turn`` whose turn it is not; a long run leaves out none.

    ``--every-turn`` leaves out none either, with the usual rounds of each.
    """
    if config.getoption("--bless") or config.getoption("--every-turn"):
        return
    rounds = rounds_of(config)
    seen: Counter[str] = Counter()
    kept, others = [], []
    for item in items:
        (kept if all(_turns(item, rounds, seen)) else others).append(item)
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = kept


def _turns(item: pytest.Item, rounds: Rounds, seen: Counter[str]) -> Iterator[bool]:
    """Yield for each mark whether it is the turn of the test.

    seen: the cases so far of each dealt test.
    """
    if mark := item.get_closest_marker(ON_TURN):
        which, of = mark.args
        yield which in rounds.in_turn(range(of), of)
    if mark := item.get_closest_marker(DEALT):
        (of,) = mark.args
        name = item.nodeid.partition("[")[0]
        seen[name] += 1
        yield seen[name] % of in rounds.in_turn(range(of), of, len(name))


def parametrize_seeds(metafunc: pytest.Metafunc) -> None:
    """Give a test marked ``seeds(usual, long)`` its argument ``seed``."""
    if mark := metafunc.definition.get_closest_marker("seeds"):
        metafunc.parametrize("seed", range(rounds_of(metafunc.config).times(*mark.args)))


def mark_users(items: Iterable[pytest.Item]) -> None:
    """Mark the tests that more rounds change, for ``-m rounds``."""
    for item in items:
        names = getattr(item, "fixturenames", ())
        if "rounds" in names or any(map(item.get_closest_marker, ("seeds", ON_TURN, DEALT))):
            item.add_marker(USES_ROUNDS)
