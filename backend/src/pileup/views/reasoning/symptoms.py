"""Answer the symptoms that people write, from an incident or from a run of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter

from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.reasoning.predicates import evaluate, kinds
from pileup.storage.database import Unit
from pileup.storage.files.frames import FrameStore
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.reasoning.experiments import ExperimentRecord
from pileup.storage.reasoning.symptoms import SymptomRecord, Symptoms
from pileup.views.documents import LocatorJson
from pileup.views.reasoning.run_evidence import run_evidence

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
_Number = Annotated[float, Field(allow_inf_nan=False)]


class SeriesStays(BaseModel):
    """Predicate: a series stays above or below a value for some time."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["series"]
    series: _Text
    """A series id or its name, on any host."""
    op: Literal[">", "<"]
    value: _Number
    for_s: Annotated[float, Field(ge=0, le=1e9)] = 0.0


class SeenAtLeast(BaseModel):
    """Predicate: a session state, stack function, semaphore place or log message is seen."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["state", "stack", "location", "log"]
    text: _Text
    """Matched literally, in any case; a place may be file:line."""
    at_least: Annotated[int, Field(ge=1, le=10_000_000)] = 1
    """Threads in one sample; lines in all of a log."""


Predicate = Annotated[SeriesStays | SeenAtLeast, Field(discriminator="kind")]
"""A predicate as requests, responses and the database write it."""

_PREDICATE: TypeAdapter[SeriesStays | SeenAtLeast] = TypeAdapter(Predicate)


@dataclass(frozen=True, slots=True)
class SymptomAnswer:
    symptom_id: str
    holds: bool | None
    """None: nothing was collected that could tell."""
    text: str
    locator: LocatorJson | None
    """Where it was seen."""


@dataclass(frozen=True, slots=True)
class Symptom:
    """A symptom and its answer on the incident."""

    id: str
    words: str
    predicate: Predicate
    by: str
    at: datetime
    revision: int
    incident: SymptomAnswer | None
    """None before the first analysis."""


def written_predicate(stored: dict[str, Any]) -> SeriesStays | SeenAtLeast:
    """Read a predicate from its stored form."""
    return _PREDICATE.validate_python(stored)


def answered_symptoms(
    placed: PlacedStore, incident_id: str, symptoms: Sequence[SymptomRecord]
) -> list[Symptom]:
    """Answer these symptoms from the incident's evidence."""
    if not symptoms:
        return []
    wanted = tuple(kinds(symptom.predicate for symptom in symptoms))
    evidence = placed.load(incident_id, wanted)
    return [
        Symptom(
            id=symptom.id,
            words=symptom.predicate.words,
            predicate=written_predicate(symptom.stored),
            by=symptom.by,
            at=symptom.at,
            revision=symptom.revision,
            incident=_answer(symptom, evidence) if evidence else None,
        )
        for symptom in symptoms
    ]


def symptoms_of_run(
    unit: Unit, frames: FrameStore, experiment: ExperimentRecord
) -> list[SymptomAnswer]:
    """Answer the incident's symptoms from the run's own artifacts.

    Raises NothingToCompare when none of them was read.
    """
    symptoms = Symptoms(unit).of_incident(experiment.incident_id)
    if not symptoms:
        return []
    evidence = run_evidence(unit, frames, experiment)
    return [_answer(symptom, evidence) for symptom in symptoms]


def _answer(symptom: SymptomRecord, evidence: Evidence) -> SymptomAnswer:
    answer = evaluate(symptom.predicate, evidence)
    locator = msgspec.to_builtins(answer.locator) if answer.locator else None
    return SymptomAnswer(
        symptom_id=symptom.id, holds=answer.holds, text=answer.text, locator=locator
    )
