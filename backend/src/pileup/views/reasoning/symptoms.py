"""Answer the symptoms that people write, from an incident or from a run of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter

from pileup.analysis.reasoning import predicates
from pileup.analysis.reasoning.predicates import Answer, Prose, evaluate, kinds
from pileup.storage.database import Unit
from pileup.storage.files.frames import FrameStore
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.happened import Precision
from pileup.storage.reasoning.experiments import ExperimentRecord
from pileup.storage.reasoning.symptoms import SymptomRecord, Symptoms
from pileup.views.documents import LocatorJson
from pileup.views.reasoning.run_evidence import NothingToCompare, RunFiles, run_files

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


class Described(BaseModel):
    """A symptom in prose, which people answer for each run."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["prose"]
    text: _Text


Predicate = Annotated[SeriesStays | SeenAtLeast | Described, Field(discriminator="kind")]
"""A predicate as requests, responses and the database write it."""

_PREDICATE: TypeAdapter[SeriesStays | SeenAtLeast | Described] = TypeAdapter(Predicate)


@dataclass(frozen=True, slots=True)
class SymptomAnswer:
    symptom_id: str
    holds: bool | None
    """None: nothing was collected that could tell."""
    text: str
    locator: LocatorJson | None
    """Where it was seen."""
    by: str | None = None
    """Who answered it; None: the evidence did."""


@dataclass(frozen=True, slots=True)
class Symptom:
    """A symptom and its answer on the incident."""

    id: str
    words: str
    predicate: Predicate
    by: str
    recorded_at: datetime
    happened_at: datetime | None
    """When it was noticed, as a person gives it; None: when it was recorded."""
    happened_precision: Precision
    revision: int
    incident: SymptomAnswer | None
    """None before the first analysis."""


def written_predicate(stored: dict[str, Any]) -> SeriesStays | SeenAtLeast | Described:
    """Read a predicate from its stored form."""
    return _PREDICATE.validate_python(stored)


def answered_symptoms(
    placed: PlacedStore, incident_id: str, symptoms: Sequence[SymptomRecord]
) -> list[Symptom]:
    """Answer these symptoms from the incident's evidence."""
    if not symptoms:
        return []
    run = placed.run(incident_id)
    wanted = tuple(symptom.predicate for symptom in symptoms)
    answers = None if run is None else _of_incident(placed, incident_id, run, wanted)
    return [
        Symptom(
            id=symptom.id,
            words=symptom.predicate.words,
            predicate=written_predicate(symptom.stored),
            by=symptom.by,
            recorded_at=symptom.recorded_at,
            happened_at=symptom.happened_at,
            happened_precision=symptom.happened_precision,
            revision=symptom.revision,
            incident=_incident_answer(symptom, answers[at] if answers else None),
        )
        for at, symptom in enumerate(symptoms)
    ]


@lru_cache(maxsize=64)
def _of_incident(
    placed: PlacedStore, incident_id: str, run: str, wanted: tuple[predicates.Predicate, ...]
) -> tuple[Answer, ...] | None:
    """Evaluate once per analysis, as each change of a report shows the same answers."""
    evidence = placed.load(incident_id, tuple(kinds(wanted)), run)
    if evidence is None:
        return None
    return tuple(evaluate(predicate, evidence) for predicate in wanted)


@lru_cache(maxsize=64)
def _of_run(
    frames: FrameStore, files_json: bytes, wanted: tuple[predicates.Predicate, ...]
) -> tuple[tuple[Answer, ...], bool]:
    """Evaluate once per set of files; return also whether the records of all were there."""
    evidence, whole = msgspec.json.decode(files_json, type=RunFiles).gather(frames)
    return tuple(evaluate(predicate, evidence) for predicate in wanted), whole


def symptoms_of_run(
    unit: Unit, frames: FrameStore, experiment: ExperimentRecord
) -> list[SymptomAnswer]:
    """Answer the incident's symptoms: from the run's own artifacts, and in prose from people.

    While no artifact of the run is read, only what people answered is returned.
    """
    symptoms = Symptoms(unit).of_incident(experiment.incident_id)
    if not symptoms:
        return []
    people = answers_of_run(unit, experiment)
    answers = [people[symptom.id] for symptom in symptoms if symptom.id in people]
    checked = [symptom for symptom in symptoms if not isinstance(symptom.predicate, Prose)]
    if not checked:
        return answers
    try:
        files = run_files(unit, experiment)
    except NothingToCompare:
        return answers
    wanted = tuple(symptom.predicate for symptom in checked)
    found, whole = _of_run(frames, msgspec.json.encode(files), wanted)
    if not whole:  # the worker may be reading them
        _of_run.cache_clear()
    return [*answers, *(_answer(*each) for each in zip(checked, found, strict=True))]


def answers_of_run(unit: Unit, experiment: ExperimentRecord) -> dict[str, SymptomAnswer]:
    """Map a symptom in prose to what a person answered about it for this run."""
    return {
        answer.symptom_id: SymptomAnswer(
            symptom_id=answer.symptom_id,
            holds=answer.holds,
            text=answer.note or f"{'seen' if answer.holds else 'not seen'} by {answer.by}",
            locator=None,
            by=answer.by,
        )
        for answer in Symptoms(unit).answers(experiment.incident_id)
        if answer.experiment_id == experiment.id
    }


def _incident_answer(symptom: SymptomRecord, answer: Answer | None) -> SymptomAnswer | None:
    if isinstance(symptom.predicate, Prose):
        text = f"described by {symptom.by}"
        return SymptomAnswer(symptom.id, holds=True, text=text, locator=None, by=symptom.by)
    return _answer(symptom, answer) if answer else None


def _answer(symptom: SymptomRecord, answer: Answer) -> SymptomAnswer:
    locator = msgspec.to_builtins(answer.locator) if answer.locator else None
    return SymptomAnswer(
        symptom_id=symptom.id, holds=answer.holds, text=answer.text, locator=locator
    )
