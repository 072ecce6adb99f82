"""Calibration: confidences from the ledger against the outcomes of hypotheses."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from pileup.analysis.reasoning.matrix import brier
from pileup.storage.database import Unit
from pileup.storage.reasoning.hypotheses import Hypotheses, HypothesisRecord

_DECIDED = {"supported": True, "refuted": False}


@dataclass(frozen=True, slots=True)
class Forecast:
    """One person's last confidence in a hypothesis before it was decided."""

    hypothesis_id: str
    label: str
    by: str
    confidence: int
    came_true: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class PersonalScore:
    by: str
    forecasts: int
    brier: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Brier score of the confidences: 0 is perfect, 0.25 is a thrown coin."""

    brier: float | None
    """None: no hypothesis was supported or refuted after somebody gave a confidence."""
    forecasts: tuple[Forecast, ...]
    people: tuple[PersonalScore, ...]


def compute_calibration(unit: Unit, incident_id: str) -> Calibration:
    """Compute the calibration of each person's last confidence before the decision."""
    forecasts = [
        forecast
        for hypothesis in Hypotheses(unit).of_incident(incident_id)
        for forecast in _forecasts(hypothesis)
    ]
    by_person: defaultdict[str, list[tuple[float, bool]]] = defaultdict(list)
    for item in forecasts:
        by_person[item.by].append((item.confidence / 100, item.came_true))
    people = [
        PersonalScore(name, len(rows), score)
        for name, rows in by_person.items()
        if (score := brier(rows)) is not None
    ]
    return Calibration(
        brier(forecast for group in by_person.values() for forecast in group),
        tuple(forecasts),
        tuple(sorted(people, key=lambda person: (person.brier, person.by))),
    )


def _forecasts(hypothesis: HypothesisRecord) -> list[Forecast]:
    came_true = _DECIDED.get(hypothesis.status)
    if came_true is None:
        return []
    steps = sorted(hypothesis.history, key=lambda step: step.recorded_at)
    decided = None
    while steps and steps[-1].status == hypothesis.status:
        decided = steps.pop().time
    if decided is not None:  # what people record after the fact is no forecast
        steps = [step for step in steps if step.recorded_at < decided]
    last: dict[str, Forecast] = {}
    for before, step in zip([None, *steps], steps, strict=False):
        # a step that only changes the status repeats the confidence and is nobody's forecast
        moves = before is not None and before.status != step.status
        repeats = before is not None and before.confidence == step.confidence
        if step.confidence is not None and not (moves and repeats):
            last[step.by] = Forecast(
                hypothesis.id, hypothesis.label, step.by, step.confidence, came_true, step.time
            )
    return list(last.values())
