"""What a run of an experiment shows: the predicted number, and whether it failed the same way.

The number is the median (or another statistic) of the predicted series over the run or its first
``window_s`` seconds. A prediction that holds for it is a match. With a number that falsifies it, a
run that reaches that number is a miss and one in between partial; without, a prediction that holds
for a quarter of the samples is partial. The symptoms are the incident's own features
(``similar.signature``) and those that people wrote (``predicates``), sought in the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.series import values
from pileup.analysis.reasoning.predicates import Answer, Predicate, evaluate
from pileup.analysis.reasoning.similar import likeness
from pileup.numerals import number

Verdict = Literal["match", "partial", "miss", "not_measurable"]
Statistic = Literal["median", "mean", "p95", "max", "min"]
_ABOUT = 0.1
"""'~' holds within a tenth of the predicted value; less than a tenth neither falls nor rises."""
_PARTLY = 0.25
_LEAST = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """The predicted number, computed from the artifacts of the run."""

    verdict: Verdict
    value: float | None
    """The statistic: the median unless another was asked for."""
    p95: float | None
    """Nearest rank."""
    points: int
    holding: float | None
    """Share of the samples for which the prediction holds."""
    text: str


@dataclass(frozen=True, slots=True)
class Symptoms:
    """The incident's features in the run."""

    reproduced: tuple[str, ...]
    missing: tuple[str, ...]
    new: tuple[str, ...]
    """What the run shows and the incident did not."""
    unknown: tuple[str, ...]
    """People's own that nothing in the run can tell, left out of the count."""
    same_way: Literal["yes", "no", "unclear"]
    text: str


@dataclass(frozen=True, slots=True)
class Level:
    """One series over a stretch: median, median absolute deviation, range and sample count."""

    median: float
    mad: float
    least: float
    most: float
    points: int


def measure(
    run: Evidence,
    metric: str,
    op: str,
    value: float | None,
    window_s: float | None,
    *,
    statistic: Statistic = "median",
    falsifier: tuple[str, float] | None = None,
    before: Evidence | None = None,
) -> Measured:
    """The predicted number of a run, and what it says of the prediction.

    metric: a series id of the incident; its host does not matter, a run may be elsewhere.
    op: a sign before ``value``; or 'falls' or 'rises', held against the same statistic of
        ``before``, which is the incident's stall.
    """
    name = metric.partition("@")[0]
    rows = _rows(run, metric, window_s)
    if rows.height < _LEAST:
        why = f"The run has {rows.height} samples of {name}: attach an artifact that holds it."
        return Measured("not_measurable", None, None, rows.height, None, why)
    numbers = rows["value"]
    seen, high = _statistic(numbers, statistic), numbers.quantile(0.95, "nearest")
    text = f"{name}: {statistic} {number(seen)}"
    if high is not None and statistic != "p95":
        text += f", p95 {number(high)}"
    text += f" over {rows.height} samples"
    said = {"~": "about"}.get(op, op)
    if op in ("falls", "rises"):
        past = _rows(before, metric, None)["value"] if before else pl.Series([], dtype=pl.Float64)
        if len(past) < _LEAST:
            why = f"{text}; the incident has {len(past)} samples of it to hold that against."
            return Measured("not_measurable", seen, high, rows.height, None, why)
        was = _statistic(past, statistic)
        said = f"that it {op} from the incident's {number(was)}, beyond a tenth of it:"
        margin = _ABOUT * abs(was)
        op, value = ("<", was - margin) if op == "falls" else (">", was + margin)
        said += f" {op}"
    assert value is not None
    holding = sum(_holds(item, op, value) for item in numbers) / len(numbers)
    verdict = _verdict(seen, op, value, holding, falsifier)
    text += f"; predicted {said} {number(value)}, which holds for {holding:.0%} of them"
    if falsifier is not None:
        fell = "is falsified" if verdict == "miss" else "is not falsified"
        text += f"; it {fell} ({falsifier[0]} {number(falsifier[1])})"
    return Measured(verdict, seen, high, rows.height, holding, f"{text}.")


def _verdict(
    seen: float, op: str, value: float, holding: float, falsifier: tuple[str, float] | None
) -> Verdict:
    if _holds(seen, op, value):
        return "match"
    if falsifier is not None:
        return "miss" if _holds(seen, *falsifier) else "partial"
    return "partial" if holding >= _PARTLY else "miss"


def level(evidence: Evidence, metric: str, window_s: float | None = None) -> Level | None:
    """How high a series stands, and how much that varies; None without a sample."""
    numbers = _rows(evidence, metric, window_s)["value"]
    if numbers.is_empty():
        return None
    middle = _statistic(numbers, "median")
    return Level(
        median=middle,
        mad=_statistic((numbers - middle).abs(), "median"),
        least=_statistic(numbers, "min"),
        most=_statistic(numbers, "max"),
        points=len(numbers),
    )


def _rows(evidence: Evidence, metric: str, window_s: float | None) -> pl.DataFrame:
    """The samples of a series on any host, in its first seconds or all."""
    name = metric.partition("@")[0]
    rows = values(evidence.frame("sample"))
    ids = [item for item in rows["id"].unique().to_list() if item.partition("@")[0] == name]
    rows = rows.filter(pl.col("id").is_in(ids))
    if rows.is_empty() or window_s is None:
        return rows
    first = rows["time"].min()
    assert isinstance(first, int)
    return rows.filter(pl.col("time") <= first + round(window_s * 1e6))


def _statistic(numbers: pl.Series, statistic: Statistic) -> float:
    """Of at least one number; p95 by nearest rank."""
    found = {
        "median": numbers.median,
        "mean": numbers.mean,
        "p95": lambda: numbers.quantile(0.95, "nearest"),
        "max": numbers.max,
        "min": numbers.min,
    }[statistic]()
    assert isinstance(found, int | float)
    return float(found)


def symptoms(
    incident: Mapping[str, str], run: Mapping[str, str], unknown: Sequence[str] = ()
) -> Symptoms:
    """Whether the run failed as the incident did.

    Takes: two ``similar.signature``, each with people's own symptoms that hold (``own``), and the
    words of those that the run cannot tell.
    """
    alike = likeness(incident, run)
    total = len(alike.shared) + len(alike.only_here)
    untold = tuple(unknown)
    if not incident:
        text = "The incident has no symptoms to look for: no stall was found in it."
        return Symptoms((), (), alike.only_there, untold, "unclear", text)
    if not run:
        text = f"The run shows no stall: none of the incident's {total} symptoms."
        return Symptoms((), alike.only_here, (), untold, "no", text)
    text = f"The run reproduces {len(alike.shared)} of {total} symptoms"
    if alike.only_here:
        text += f"; it lacks {'; '.join(alike.only_here[:3])}"
    if alike.only_there:
        text += f"; it failed differently in {'; '.join(alike.only_there[:3])}"
    if untold:
        text += f"; nothing in it can tell {'; '.join(untold[:3])}"
    same: Literal["yes", "no", "unclear"] = "unclear"
    if alike.score >= 0.6:
        same = "yes"
    elif alike.score < 0.25:
        same = "no"
    return Symptoms(alike.shared, alike.only_here, alike.only_there, untold, same, f"{text}.")


@dataclass(frozen=True, slots=True)
class Asked:
    """One of people's own symptoms, and what the run and the incident answered."""

    predicate: Predicate
    run: Answer
    incident: Answer | None
    """None without an incident to ask."""


@dataclass(frozen=True, slots=True)
class OwnSymptoms:
    """People's own symptoms as features beside a signature."""

    incident: dict[str, str]
    run: dict[str, str]
    unknown: tuple[str, ...]
    asked: tuple[Asked, ...]


def own_symptoms(
    predicates: Mapping[str, Predicate], incident: Evidence | None, run: Evidence
) -> OwnSymptoms:
    """Each is looked for in both; one that the run cannot tell counts for neither.

    Takes: predicates by id.
    """
    here: dict[str, str] = {}
    there: dict[str, str] = {}
    unknown: list[str] = []
    askeds: list[Asked] = []
    for key, predicate in predicates.items():
        answer = evaluate(predicate, run)
        before = None if incident is None else evaluate(predicate, incident)
        askeds.append(Asked(predicate, answer, before))
        if answer.holds is None:
            unknown.append(predicate.words)
            continue
        if answer.holds:
            there[f"own:{key}"] = predicate.words
        if before is not None and before.holds:
            here[f"own:{key}"] = predicate.words
    return OwnSymptoms(here, there, tuple(unknown), tuple(askeds))


def _holds(measured: float, op: str, value: float) -> bool:
    if op == "~":
        return abs(measured - value) <= _ABOUT * max(abs(value), 1e-9)
    return {
        "<": measured < value,
        "<=": measured <= value,
        ">": measured > value,
        ">=": measured >= value,
    }[op]


__all__ = [
    "Asked",
    "Level",
    "Measured",
    "OwnSymptoms",
    "Symptoms",
    "level",
    "measure",
    "own_symptoms",
    "symptoms",
]
