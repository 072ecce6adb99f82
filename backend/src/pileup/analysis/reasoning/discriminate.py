"""Suggest the next steps that would separate the two leading hypotheses.

The steps are deterministic and come from the case: an unrated cell costs a keystroke, a planned or
suggested experiment costs a run, a falsifier names what to look for. The cheapest step that can
separate the two comes first; nothing is invented.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pileup.analysis.reasoning.matrix import Column, Matrix, Row, nearest

_APART = 1.0
"""A row separates two hypotheses from this many points on: N against I."""


@dataclass(frozen=True, slots=True)
class Try:
    """An experiment for a hypothesis that is not finished."""

    text: str
    """'Disable the adaptive hash index: expect ...; refuted if ...'."""
    experiment: str | None = None
    """Id of the planned or running experiment; None: not planned yet."""


@dataclass(frozen=True, slots=True)
class Named:
    """A hypothesis with its label ('H1'), falsifier and open experiments."""

    label: str
    falsifier: str = ""
    experiments: tuple[Try, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    text: str
    """One sentence that names the hypotheses."""
    why: str
    kind: str
    """rate, experiment, falsifier or collect."""
    pair: tuple[str, str]
    row: str | None = None
    about: str | None = None
    """The hypothesis of the pair that the experiment or falsifier is for."""
    experiment: str | None = None
    """Id of the experiment, if any."""


@dataclass(frozen=True, slots=True)
class Next:
    pair: tuple[str, str]
    standing: str
    """Comparison of the two scores, and the row that separates them best so far."""
    steps: tuple[Step, ...]


def next_steps(
    matrix: Matrix,
    rows: Sequence[Row],
    columns: Sequence[Column],
    named: Mapping[str, Named],
    labels: Mapping[str, str],
) -> Next | None:
    """List the steps that separate the two best open hypotheses; None with fewer than two.

    labels: row id to its name ('E7').
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
                f"Write down what would disprove {named[a].label} or {named[b].label}, "
                "then collect that.",
                "neither has a falsifier",
                "collect",
                pair,
            )
        ]
    return Next(pair, _compare_scores(matrix, rows, pair, named, labels), tuple(steps))


def leading_pair(matrix: Matrix, columns: Sequence[Column]) -> tuple[str, str] | None:
    """Return the two least contradicted open hypotheses, unrated ones last; None without two."""
    order = sorted(
        (column.id for column in columns if not column.closed),
        key=lambda name: (matrix.scores[name].rank is None, matrix.scores[name].rank or 0),
    )
    return (order[0], order[1]) if len(order) > 1 else None


def separation(matrix: Matrix, row: Row, pair: tuple[str, str]) -> float | None:
    """Return the weighted points by which a row separates the pair; None unless both are rated."""
    first, second = (matrix.points.get((row.id, name)) for name in pair)
    if first is None or second is None:
        return None
    return row.weight * abs(first - second)


def _compare_scores(
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
        comparison = f"{a} and {b} tie with inconsistency {against[0]}."
    elif against[0] == against[1]:  # equally contradicted: support decides the rank
        comparison = (
            f"{a} and {b} are equally contradicted ({against[0]}); {a} has more support: "
            f"consistency {first.consistency:.1f} against {second.consistency:.1f}."
        )
    else:
        comparison = f"{a} leads {b} by inconsistency {against[0]} against {against[1]}."
    known = [(value, row) for row in rows if (value := separation(matrix, row, pair)) is not None]
    best = max(known, key=lambda row: row[0], default=None)
    if best is None or best[0] < _APART / 2:
        return f"{comparison} No evidence separates them yet."
    row = best[1]
    letters = [nearest(matrix.points[row.id, name] or 0.0) for name in pair]
    ratings = f"{letters[0]} for {a}, {letters[1]} for {b}"
    return f"{comparison} {labels[row.id]} separates them best: {ratings}."


def _unrated(
    matrix: Matrix,
    rows: Sequence[Row],
    pair: tuple[str, str],
    named: Mapping[str, Named],
    labels: Mapping[str, str],
) -> list[Step]:
    """Suggest the most promising half-rated row: contradicting or heavily weighted first."""
    candidates: list[tuple[float, Row, str, str]] = []
    for row in rows:
        for mine, other in (pair, pair[::-1]):
            there = matrix.points.get((row.id, other))
            if matrix.points.get((row.id, mine)) is None and there is not None and there != 0:
                candidates.append((row.weight * (2 + abs(there)), row, mine, other))
    if not candidates:
        return []
    _, row, mine, other = max(candidates, key=lambda row: row[0])
    letter = nearest(matrix.points[row.id, other] or 0.0)
    return [
        Step(
            f"Rate {labels[row.id]} for {named[mine].label}: it is {letter} for "
            f"{named[other].label}.",
            "it is rated for only one of the two",
            "rate",
            pair,
            row.id,
        )
    ]


def _experiments(pair: tuple[str, str], named: Mapping[str, Named]) -> list[Step]:
    return [
        Step(
            f"Try for {named[name].label}: {tried.text}",
            f"its outcome supports or contradicts {named[name].label} "
            f"and does not affect {named[other].label}",
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
            f"if found, {named[other].label} remains; if not, record the absence",
            "falsifier",
            pair,
            about=name,
        )
        for name, other in (pair, pair[::-1])
        if named[name].falsifier and not named[name].experiments
    ]
