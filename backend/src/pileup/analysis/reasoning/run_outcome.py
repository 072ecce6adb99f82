"""Evaluate a run of an experiment: the predicted number, and whether it failed the same way.

The number is the median (or another statistic) of the predicted series over the run or its first
``window_s`` seconds. A prediction that holds for it is a match. With a number that falsifies it, a
run that reaches that number is a miss and one in between partial; without, a prediction that holds
for a quarter of the samples is partial. The symptoms are the incident's own features
(``similar.signature``) and those that people wrote (``predicates``), evaluated in the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.series import values
from pileup.analysis.reasoning.predicates import Answer, Predicate, Prose, evaluate
from pileup.analysis.reasoning.similar import likeness
from pileup.knowledge.series_titles import typed_title
from pileup.numerals import number

Verdict = Literal["match", "partial", "miss", "not_measurable"]
Statistic = Literal["median", "mean", "p95", "max", "min"]
_ABOUT = 0.1
"""'~' holds within a tenth of the predicted value; less than a tenth neither falls nor rises."""
_PARTLY = 0.25
_SAME, _OTHER = 0.6, 0.25
"""Likeness of two runs, from which on they failed alike, and below which they did not."""
_LEAST = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """The predicted number as measured in the artifacts of the run."""

    verdict: Verdict
    value: float | None
    """The chosen statistic, by default the median."""
    p95: float | None
    """Nearest rank."""
    points: int
    holding: float | None
    """Share of the samples for which the prediction holds."""
    text: str


@dataclass(frozen=True, slots=True)
class Symptoms:
    """Comparison of the run's features with the incident's."""

    reproduced: tuple[str, ...]
    missing: tuple[str, ...]
    new: tuple[str, ...]
    """Features of the run that the incident did not have."""
    unknown: tuple[str, ...]
    """People's own symptoms that the run has no data for; not counted."""
    same_way: Literal["yes", "no", "unclear", "not_failed"]
    text: str


@dataclass(frozen=True, slots=True)
class Level:
    """Level of one series in a window: median, median absolute deviation, range, sample count."""

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
    """Measure the predicted number of a run and compare it with the prediction.

    metric: a series id of the incident; its host is ignored, as a run may be on another host.
    op: a comparison sign before ``value``; or 'falls' or 'rises', relative to the same statistic of
        ``before``, the incident's stall.
    """
    name = typed_title(metric.partition("@")[0])
    rows = _rows(run, metric, window_s)
    if rows.height < _LEAST:
        why = f"The run has {rows.height} samples of {name}: attach an artifact that has them."
        return Measured("not_measurable", None, None, rows.height, None, why)
    numbers = rows["value"]
    seen, high = _statistic(numbers, statistic), numbers.quantile(0.95, "nearest")
    text = f"{name}: {statistic} {number(seen)}"
    if high is not None and statistic != "p95":
        text += f", p95 {number(high)}"
    text += f" over {rows.height} samples"
    condition = {"~": "about"}.get(op, op)
    if op in ("falls", "rises"):
        past = _rows(before, metric, None)["value"] if before else pl.Series([], dtype=pl.Float64)
        if len(past) < _LEAST:
            why = f"{text}; the incident has {len(past)} samples of it, too few to compare with."
            return Measured("not_measurable", seen, high, rows.height, None, why)
        was = _statistic(past, statistic)
        condition = f"that it {op} from the incident's {number(was)} by more than a tenth:"
        margin = _ABOUT * abs(was)
        op, value = ("<", was - margin) if op == "falls" else (">", was + margin)
        condition += f" {op}"
    assert value is not None
    holding = sum(_holds(item, op, value) for item in numbers) / len(numbers)
    verdict = _verdict(seen, op, value, holding, falsifier)
    text += f"; predicted {condition} {number(value)}, which holds for {holding:.0%} of them"
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
    """Measure the level and the variation of a series; None without a sample."""
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


def statistic_of(
    evidence: Evidence, metric: str, statistic: Statistic, window_s: float | None = None
) -> tuple[float, int] | None:
    """Compute a statistic of a series on any host, with its samples; None without a sample."""
    numbers = _rows(evidence, metric, window_s)["value"].drop_nulls()
    return None if numbers.is_empty() else (_statistic(numbers, statistic), len(numbers))


def _rows(evidence: Evidence, metric: str, window_s: float | None) -> pl.DataFrame:
    """Select the samples of a series on any host: in its first ``window_s`` seconds, or all."""
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
    """Compute a statistic of at least one number; p95 by nearest rank."""
    result = {
        "median": numbers.median,
        "mean": numbers.mean,
        "p95": lambda: numbers.quantile(0.95, "nearest"),
        "max": numbers.max,
        "min": numbers.min,
    }[statistic]()
    assert isinstance(result, int | float)
    return float(result)


def symptoms(
    incident: Mapping[str, str],
    run: Mapping[str, str],
    unknown: Sequence[str] = (),
    undecided: Mapping[str, str] | None = None,
) -> Symptoms:
    """Decide whether the run failed in the same way as the incident.

    Takes two ``similar.signature``, each with people's own symptoms that hold (``own``), the words
    of those that the run has no data for, and the ``similar.undecided`` of the run: not seen where
    nobody looked is not missing.
    """
    unseen = {name: text for name, text in (undecided or {}).items() if name not in run}
    no_data = (*unknown, *likeness(unseen, {}).only_here)
    had = bool(incident)
    incident = {name: text for name, text in incident.items() if name not in unseen}
    alike = likeness(incident, run)
    total = len(alike.shared) + len(alike.only_here)
    if had and not incident:
        text = f"The run has no data for any of the incident's {len(unseen)} symptoms."
        return Symptoms((), (), alike.only_there, no_data, "unclear", text)
    if not incident:
        text = "The incident has no symptoms to compare with: it has no stall."
        return Symptoms((), (), alike.only_there, no_data, "unclear", text)
    if not run:
        text = f"The run shows no stall: none of the incident's {total} symptoms."
        return Symptoms((), alike.only_here, (), no_data, "no", text)
    text = f"The run reproduces {len(alike.shared)} of {total} symptoms"
    if alike.only_here:
        text += f"; it lacks {'; '.join(alike.only_here[:3])}"
    if alike.only_there:
        text += f"; it failed differently in {'; '.join(alike.only_there[:3])}"
    if no_data:
        text += f"; it has no data for {'; '.join(no_data[:3])}"
    same: Literal["yes", "no", "unclear"] = "unclear"
    if alike.score >= _SAME:
        same = "yes"
    elif alike.score < _OTHER:
        same = "no"
    return Symptoms(alike.shared, alike.only_here, alike.only_there, no_data, same, f"{text}.")


@dataclass(frozen=True, slots=True)
class EvaluatedSymptom:
    """One of people's own symptoms with its answers for the run and the incident."""

    predicate: Predicate
    run: Answer
    incident: Answer | None
    """None without evidence of an incident."""


@dataclass(frozen=True, slots=True)
class OwnSymptoms:
    """People's own symptoms as features that extend a signature."""

    incident: dict[str, str]
    run: dict[str, str]
    unknown: tuple[str, ...]
    evaluated: tuple[EvaluatedSymptom, ...]


def own_symptoms(
    predicates: Mapping[str, Predicate],
    incident: Evidence | None,
    run: Evidence,
    answered: Mapping[str, Answer] | None = None,
) -> OwnSymptoms:
    """Evaluate people's own symptoms in the incident and the run; unknown ones count for neither.

    A symptom counts if both the incident and the run can tell.

    Takes predicates by id, and what people answered for this run about those in prose. The incident
    has a symptom in prose, since people describe what they noticed in it.
    """
    here: dict[str, str] = {}
    there: dict[str, str] = {}
    unknown: list[str] = []
    evaluated: list[EvaluatedSymptom] = []
    for key, predicate in predicates.items():
        before: Answer | None
        if isinstance(predicate, Prose):
            nobody = Answer(None, "nobody has answered this for the run")
            answer = (answered or {}).get(key, nobody)
            before = Answer(True, "described by people")
        else:
            answer = evaluate(predicate, run)
            before = None if incident is None else evaluate(predicate, incident)
        evaluated.append(EvaluatedSymptom(predicate, answer, before))
        if answer.holds is None:
            unknown.append(predicate.words)
            continue
        if before is None or before.holds is None:
            continue  # not seen in the incident is not absent there: the run shows nothing new
        if answer.holds:
            there[f"own:{key}"] = predicate.words
        if before.holds:
            here[f"own:{key}"] = predicate.words
    return OwnSymptoms(here, there, tuple(unknown), tuple(evaluated))


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
    "EvaluatedSymptom",
    "Level",
    "Measured",
    "OwnSymptoms",
    "Symptoms",
    "level",
    "measure",
    "own_symptoms",
    "statistic_of",
    "symptoms",
]
