"""What a run of an experiment shows: the predicted number, and whether it failed the same way.

The number is the median of the predicted series over the run (or its first ``window_s`` seconds);
a prediction that holds for the median is a match, one that holds for a quarter of the samples is
partial. The symptoms are the incident's own features (``similar.signature``), sought in the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import polars as pl

from pileup.analysis.evidence import Evidence
from pileup.analysis.series import values
from pileup.analysis.shifts import number
from pileup.analysis.similar import likeness

Verdict = Literal["match", "partial", "miss", "not_measurable"]
_ABOUT = 0.1
"""'~' holds within a tenth of the predicted value."""
_PARTLY = 0.25
_LEAST = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """The predicted number, computed from the artifacts of the run."""

    verdict: Verdict
    value: float | None
    """Median."""
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
    same_way: Literal["yes", "no", "unclear"]
    text: str


def measure(run: Evidence, metric: str, op: str, value: float, window_s: float | None) -> Measured:
    """metric: a series id of the incident; its host does not matter, a run may be elsewhere."""
    name = metric.partition("@")[0]
    rows = values(run.frame("sample"))
    ids = [one for one in rows["id"].unique().to_list() if one.partition("@")[0] == name]
    rows = rows.filter(pl.col("id").is_in(ids))
    if rows.height and window_s is not None:
        first = rows["time"].min()
        assert isinstance(first, int)
        rows = rows.filter(pl.col("time") <= first + round(window_s * 1e6))
    if rows.height < _LEAST:
        why = f"The run has {rows.height} samples of {name}: attach an artifact that holds it."
        return Measured("not_measurable", None, None, rows.height, None, why)
    numbers = rows["value"]
    middle, high = numbers.median(), numbers.quantile(0.95, "nearest")
    assert isinstance(middle, float)
    holding = sum(_holds(one, op, value) for one in numbers) / len(numbers)
    verdict: Verdict = "miss"
    if _holds(middle, op, value):
        verdict = "match"
    elif holding >= _PARTLY:
        verdict = "partial"
    said = {"~": "about"}.get(op, op)
    text = (
        f"{name}: median {number(middle)}"
        + (f", p95 {number(high)}" if high is not None else "")
        + f" over {rows.height} samples; predicted {said} {number(value)}, "
        f"which holds for {holding:.0%} of them"
    )
    return Measured(verdict, middle, high, rows.height, holding, f"{text}.")


def symptoms(incident: Mapping[str, str], run: Mapping[str, str]) -> Symptoms:
    """Whether the run failed as the incident did. Takes: two ``similar.signature``."""
    alike = likeness(incident, run)
    total = len(alike.shared) + len(alike.only_here)
    if not incident:
        text = "The incident has no symptoms to look for: no stall was found in it."
        return Symptoms((), (), alike.only_there, "unclear", text)
    if not run:
        text = f"The run shows no stall: none of the incident's {total} symptoms."
        return Symptoms((), alike.only_here, (), "no", text)
    text = f"The run reproduces {len(alike.shared)} of {total} symptoms"
    if alike.only_here:
        text += f"; it lacks {'; '.join(alike.only_here[:3])}"
    if alike.only_there:
        text += f"; it failed differently in {'; '.join(alike.only_there[:3])}"
    same: Literal["yes", "no", "unclear"] = "unclear"
    if alike.score >= 0.6:
        same = "yes"
    elif alike.score < 0.25:
        same = "no"
    return Symptoms(alike.shared, alike.only_here, alike.only_there, same, f"{text}.")


def _holds(measured: float, op: str, value: float) -> bool:
    if op == "~":
        return abs(measured - value) <= _ABOUT * max(abs(value), 1e-9)
    return {
        "<": measured < value,
        "<=": measured <= value,
        ">": measured > value,
        ">=": measured >= value,
    }[op]


__all__ = ["Measured", "Symptoms", "measure", "symptoms"]
