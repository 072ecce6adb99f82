"""Analysis of competing hypotheses: score a matrix of ratings. Pure arithmetic.

A cell holds the ratings that people gave to one piece of evidence under one hypothesis. No score
means that a hypothesis is true: scores count what contradicts each, and which evidence is
diagnostic.

Sources:
- ratings and the rule to disconfirm: R. J. Heuer, Psychology of Intelligence Analysis (1999),
  chapter 8. CC +2, C +1, N 0, I -1, II -2; NA is left out; a blank was not rated.
- weights: PARC ACH 1.1 technical description: low 1/sqrt 2, medium 1, high sqrt 2, and
  credibility times relevance times the inconsistency. (N, C and CC count nothing there either.)
- consensus, diagnosticity, disagreement: Open Synthesis, openach/metrics.py. Its comment that a
  hypothesis with less applicable evidence looks better is why every score comes with coverage.
- calibration: G. W. Brier, Monthly Weather Review 78 (1950).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, pstdev
from typing import Literal, TypeAlias

Rating: TypeAlias = Literal["CC", "C", "N", "I", "II", "NA"]
Level: TypeAlias = Literal["low", "normal", "high"]

POINTS: dict[Rating, int] = {"CC": 2, "C": 1, "N": 0, "I": -1, "II": -2}
WEIGHTS: dict[str, float] = {"low": 1 / math.sqrt(2), "normal": 1.0, "high": math.sqrt(2)}
DISCRIMINATES = 0.5
"""A row is diagnostic from this value on: one C and one N give 0.5."""


@dataclass(frozen=True, slots=True)
class Row:
    """One piece of evidence."""

    id: str
    credibility: Level = "normal"
    relevance: Level = "normal"

    @property
    def weight(self) -> float:
        return WEIGHTS[self.credibility] * WEIGHTS[self.relevance]


@dataclass(frozen=True, slots=True)
class Column:
    """One hypothesis. A closed hypothesis (refuted, superseded) keeps its score but cannot lead."""

    id: str
    closed: bool = False


Cells: TypeAlias = Mapping[tuple[str, str], Sequence[Rating]]
"""(row, column) to people's ratings; no entry: not rated."""


@dataclass(frozen=True, slots=True)
class Score:
    """Score of one hypothesis over all rows."""

    inconsistency: float
    """Sum over rows of weight times contradicting points; 0: nothing contradicts it."""
    consistency: float
    coverage: float | None
    """Rated cells / all cells, NA counted as rated; None without any row."""
    rank: int | None
    """1 is the least contradicted; hypotheses with equal scores share a rank. None: not rated."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A row whose removal changes the leaders."""

    row: str
    leaders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    scores: dict[str, Score]
    leaders: tuple[str, ...]
    """The open hypotheses of the best rank; more than one when they tie; none before a rating."""
    points: dict[tuple[str, str], float | None]
    """Consensus of a cell: the mean of its points; None when NA or not rated."""
    diagnosticity: dict[str, float | None]
    """Per row; None with fewer than two rated cells."""
    disagreement: dict[tuple[str, str], float]
    """Per cell that two or more people rated."""
    turns: tuple[Turn, ...]
    coverage: float | None


def evaluate(rows: Sequence[Row], columns: Sequence[Column], cells: Cells) -> Matrix:
    """Score the whole matrix. O(rows x columns) cells, each read once."""
    points = {
        (row.id, column.id): consensus(cells.get((row.id, column.id), ()))
        for row in rows
        for column in columns
    }
    rated = {cell for cell, given in cells.items() if given}
    scores = _scores(rows, columns, points, rated)
    leaders = _leaders(columns, scores)
    total = len(rows) * len(columns)
    return Matrix(
        scores=scores,
        leaders=leaders,
        points=points,
        diagnosticity={row.id: diagnosticity(points, row, columns) for row in rows},
        disagreement={cell: disagreement(given) for cell, given in cells.items() if len(given) > 1},
        turns=_turns(rows, columns, points, scores, leaders),
        coverage=len(rated & points.keys()) / total if total else None,
    )


def consensus(given: Sequence[Rating]) -> float | None:
    """Return the mean of the points; None without a rating, or when most ratings are NA."""
    numbers = [POINTS[rating] for rating in given if rating != "NA"]
    if not numbers or len(given) - len(numbers) > len(numbers):
        return None
    return fmean(numbers)


def nearest(points: float) -> Rating:
    """Return the rating nearest to a mean; halfway between two, the one nearer to N."""
    toward = math.floor(points + 0.5) if points < 0 else math.ceil(points - 0.5)
    return next(name for name, value in POINTS.items() if value == toward)


def disagreement(given: Sequence[Rating]) -> float:
    """Measure disagreement: the larger of the spread of points and the spread of rated / NA.

    0 when all agree; 2 when half say CC and half II.
    """
    numbers = [POINTS[rating] for rating in given if rating != "NA"]
    apart = pstdev(numbers) if len(numbers) > 1 else 0.0
    applies = pstdev([0 if rating == "NA" else 1 for rating in given]) if len(given) > 1 else 0.0
    return max(apart, applies)


def diagnosticity(
    points: Mapping[tuple[str, str], float | None], row: Row, columns: Iterable[Column]
) -> float | None:
    """Return a row's population standard deviation over its ratings; None with fewer than two."""
    known = [value for column in columns if (value := points.get((row.id, column.id))) is not None]
    return pstdev(known) if len(known) > 1 else None


def brier(forecasts: Iterable[tuple[float, bool]]) -> float | None:
    """Return the mean squared error of probabilities (0..1): 0 is perfect, 0.25 a coin.

    None without any forecast.
    """
    squares = [(value - (1.0 if came else 0.0)) ** 2 for value, came in forecasts]
    return fmean(squares) if squares else None


def _scores(
    rows: Sequence[Row],
    columns: Sequence[Column],
    points: Mapping[tuple[str, str], float | None],
    rated: set[tuple[str, str]],
) -> dict[str, Score]:
    against = {column.id: 0.0 for column in columns}
    forth = dict(against)
    seen = {column.id: 0 for column in columns}
    judged = dict(seen)
    for row in rows:
        for column in columns:
            cell = (row.id, column.id)
            seen[column.id] += cell in rated
            value = points[cell]
            if value is None:
                continue
            judged[column.id] += 1
            against[column.id] += row.weight * max(0.0, -value)
            forth[column.id] += row.weight * max(0.0, value)
    order = sorted({_key(against[c.id], forth[c.id]) for c in columns if judged[c.id]})
    return {
        column.id: Score(
            inconsistency=against[column.id],
            consistency=forth[column.id],
            coverage=seen[column.id] / len(rows) if rows else None,
            rank=order.index(_key(against[column.id], forth[column.id])) + 1
            if judged[column.id]
            else None,
        )
        for column in columns
    }


def _key(against: float, forth: float) -> tuple[float, float]:
    """Sort key: lowest inconsistency first, then highest consistency.

    Rounded, as sums of roots that are equal on paper differ in the last bit.
    """
    return (round(against, 9), -round(forth, 9))


def _leaders(columns: Sequence[Column], scores: Mapping[str, Score]) -> tuple[str, ...]:
    ranks = {c.id: rank for c in columns if not c.closed and (rank := scores[c.id].rank)}
    best = min(ranks.values(), default=None)
    return tuple(name for name, rank in ranks.items() if rank == best)


def _turns(
    rows: Sequence[Row],
    columns: Sequence[Column],
    points: Mapping[tuple[str, str], float | None],
    scores: Mapping[str, Score],
    leaders: tuple[str, ...],
) -> tuple[Turn, ...]:
    """Find the rows whose removal changes the leaders, by subtracting one row at a time."""
    judged = {
        column.id: sum(points[row.id, column.id] is not None for row in rows) for column in columns
    }
    turns: list[Turn] = []
    for row in rows:
        without: dict[str, Score] = {}
        keys: dict[str, tuple[float, float]] = {}
        for column in columns:
            score, value = scores[column.id], points[row.id, column.id]
            rest = judged[column.id] - (value is not None)
            if score.rank is None or not rest:
                without[column.id] = replace(score, rank=None)
                continue
            keys[column.id] = _key(
                score.inconsistency - row.weight * max(0.0, -(value or 0.0)),
                score.consistency - row.weight * max(0.0, value or 0.0),
            )
            without[column.id] = score
        order = sorted(set(keys.values()))
        ranked = {
            name: replace(score, rank=order.index(keys[name]) + 1 if name in keys else None)
            for name, score in without.items()
        }
        others = _leaders(columns, ranked)
        if others and set(others) != set(leaders):
            turns.append(Turn(row.id, others))
    return tuple(turns)
