"""What to do next: the evidence or the experiment that would tell the two leaders apart, in words.

Deterministic, from what the case already holds: an unrated cell costs a keystroke, an experiment
that somebody planned or that a finding suggests costs a run, a falsifier tells what to look for.
The cheapest that can separate the two comes first; nothing is invented.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pileup.analysis.reasoning.matrix import Column, Matrix, Row, nearest

_APART = 1.0
"""Points between two hypotheses from which a row separates them: N against I."""


@dataclass(frozen=True, slots=True)
class Try:
    """What could be tried for a hypothesis and is not finished."""

    text: str
    """'Disable the adaptive hash index: expect ...; refuted if ...'."""
    experiment: str | None = None
    """The one that is planned or runs; None: nobody planned it yet."""


@dataclass(frozen=True, slots=True)
class Named:
    """A hypothesis as people call it: 'H1', with what would show that it is false."""

    label: str
    falsifier: str = ""
    experiments: tuple[Try, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    text: str
    """One sentence with the two hypotheses in it."""
    why: str
    kind: str
    """rate, experiment, falsifier or collect."""
    pair: tuple[str, str]
    row: str | None = None
    about: str | None = None
    """The one of the pair that an experiment or a falsifier is for."""
    experiment: str | None = None
    """The experiment, where there is one."""


@dataclass(frozen=True, slots=True)
class Next:
    pair: tuple[str, str]
    standing: str
    """How the two stand, and which row separates them best so far."""
    steps: tuple[Step, ...]


def next_steps(
    matrix: Matrix,
    rows: Sequence[Row],
    columns: Sequence[Column],
    named: Mapping[str, Named],
    labels: Mapping[str, str],
) -> Next | None:
    """How to separate the two best open hypotheses; None when there are not two.

    labels: row to its name ('E7').
    """
    pair = leading_pair(matrix, columns)
    if pair is None:
        return None
    a, b = pair
    steps = [
        *_unrated(matrix, rows, pair, named, labels),
        *_experiments(pair, named),
        *_falsifiers(pair, named),
    ]
    if not steps:
        steps = [
            Step(
                f"Write down what would show that {named[a].label} or {named[b].label} is false, "
                "then collect that.",
                "neither says what would refute it",
                "collect",
                pair,
            )
        ]
    return Next(pair, _standing(matrix, rows, pair, named, labels), tuple(steps))


def leading_pair(matrix: Matrix, columns: Sequence[Column]) -> tuple[str, str] | None:
    """The two least contradicted open hypotheses; those not rated yet come last."""
    order = sorted(
        (column.id for column in columns if not column.closed),
        key=lambda name: (matrix.scores[name].rank is None, matrix.scores[name].rank or 0),
    )
    return (order[0], order[1]) if len(order) > 1 else None


def separation(matrix: Matrix, row: Row, pair: tuple[str, str]) -> float | None:
    """Weighted points by which a row sets the two apart; None unless both are rated."""
    first, second = (matrix.points.get((row.id, name)) for name in pair)
    if first is None or second is None:
        return None
    return row.weight * abs(first - second)


def _standing(
    matrix: Matrix,
    rows: Sequence[Row],
    pair: tuple[str, str],
    named: Mapping[str, Named],
    labels: Mapping[str, str],
) -> str:
    a, b = (named[name].label for name in pair)
    first, second = (matrix.scores[name] for name in pair)
    if first.rank is None:
        return f"{a} and {b} are not rated yet."
    if second.rank is None:
        return f"{b} is not rated yet."
    against = f"{first.inconsistency:.1f}", f"{second.inconsistency:.1f}"
    if first.rank == second.rank:
        stand = f"{a} and {b} tie with inconsistency {against[0]}."
    elif against[0] == against[1]:  # equally contradicted: what speaks for them ranks them
        stand = (
            f"{a} and {b} are contradicted alike ({against[0]}); more speaks for {a}: consistency "
            f"{first.consistency:.1f} against {second.consistency:.1f}."
        )
    else:
        stand = f"{a} leads {b} by inconsistency {against[0]} against {against[1]}."
    known = [(value, row) for row in rows if (value := separation(matrix, row, pair)) is not None]
    best = max(known, key=lambda row: row[0], default=None)
    if best is None or best[0] < _APART / 2:
        return f"{stand} No evidence tells them apart yet."
    row = best[1]
    letters = [nearest(matrix.points[row.id, name] or 0.0) for name in pair]
    return (
        f"{stand} {labels[row.id]} separates them best: {letters[0]} for {a}, {letters[1]} for {b}."
    )


def _unrated(
    matrix: Matrix,
    rows: Sequence[Row],
    pair: tuple[str, str],
    named: Mapping[str, Named],
    labels: Mapping[str, str],
) -> list[Step]:
    """The row with one of the two cells empty that promises most: contradicting or heavy first."""
    found: list[tuple[float, Row, str, str]] = []
    for row in rows:
        for mine, other in (pair, pair[::-1]):
            there = matrix.points.get((row.id, other))
            if matrix.points.get((row.id, mine)) is None and there is not None and there != 0:
                found.append((row.weight * (2 + abs(there)), row, mine, other))
    if not found:
        return []
    _, row, mine, other = max(found, key=lambda row: row[0])
    letter = nearest(matrix.points[row.id, other] or 0.0)
    return [
        Step(
            f"Rate {labels[row.id]} for {named[mine].label}: it is {letter} for "
            f"{named[other].label}.",
            "it is rated for one of the two only",
            "rate",
            pair,
            row.id,
        )
    ]


def _experiments(pair: tuple[str, str], named: Mapping[str, Named]) -> list[Step]:
    return [
        Step(
            f"Try for {named[name].label}: {tried.text}",
            f"its outcome speaks for or against {named[name].label} "
            f"and leaves {named[other].label}",
            "experiment",
            pair,
            about=name,
            experiment=tried.experiment,
        )
        for name, other in (pair, pair[::-1])
        for tried in named[name].experiments[:1]
    ]


def _falsifiers(pair: tuple[str, str], named: Mapping[str, Named]) -> list[Step]:
    return [
        Step(
            f"Look for what would refute {named[name].label}: {named[name].falsifier}",
            f"found, it leaves {named[other].label}; not found, record the absence",
            "falsifier",
            pair,
            about=name,
        )
        for name, other in (pair, pair[::-1])
        if named[name].falsifier and not named[name].experiments
    ]
