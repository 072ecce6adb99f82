"""Symptoms that people write: asked of the incident, and of every run of an experiment."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, status
from pydantic import Field, StringConstraints

from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.reasoning.predicates import evaluate, kinds
from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, RevisionDep, Services, ServicesDep, UnitDep
from pileup.api.runs import run_evidence
from pileup.api.schema import In, LocatorJson, Out
from pileup.storage.reasoning.experiments import Experiments
from pileup.storage.reasoning.symptoms import SymptomRecord, Symptoms

router = APIRouter(tags=["symptoms"])

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
_Number = Annotated[float, Field(allow_inf_nan=False)]


class SeriesStays(In):
    """A series above or below a value for so long."""

    kind: Literal["series"]
    series: _Text
    """A series id or its name; it is looked for on any host."""
    op: Literal[">", "<"]
    value: _Number
    for_s: Annotated[float, Field(ge=0, le=1e9)] = 0.0


class SeenAtLeast(In):
    """A session state, a function on the stack, a place of semaphore waits, or a log message."""

    kind: Literal["state", "stack", "location", "log"]
    text: _Text
    """Sought as it is, in any case; a place may be file:line."""
    at_least: Annotated[int, Field(ge=1, le=10_000_000)] = 1
    """Threads in one sample; lines in all of a log."""


Predicate = Annotated[SeriesStays | SeenAtLeast, Field(discriminator="kind")]


class NewSymptom(In):
    predicate: Predicate


class SymptomAnswer(Out):
    symptom_id: str
    holds: bool | None
    """None: nothing was collected that could tell."""
    text: str
    locator: LocatorJson | None
    """Where it was seen."""


class Symptom(Out):
    id: str
    words: str
    predicate: Predicate
    by: str
    at: datetime
    revision: int
    incident: SymptomAnswer | None
    """None before the first analysis."""


@router.get("/incidents/{incident_id}/symptoms")
def list_symptoms(incident: IncidentDep, services: ServicesDep, unit: UnitDep) -> list[Symptom]:
    """Each with its answer on the incident."""
    return _with_answers(services, incident.id, Symptoms(unit).of_incident(incident.id))


@router.post("/incidents/{incident_id}/symptoms", status_code=status.HTTP_201_CREATED)
def add_symptom(
    incident: IncidentDep, body: NewSymptom, services: ServicesDep, unit: UnitDep, caller: Caller
) -> Symptom:
    """One more predicate; the runs of all experiments are asked too."""
    made = Symptoms(unit).create(incident.id, body.predicate.model_dump(), by=caller.actor)
    return _with_answers(services, incident.id, [made])[0]


@router.patch("/symptoms/{symptom_id}")
def change_symptom(
    symptom_id: str,
    body: NewSymptom,
    services: ServicesDep,
    unit: UnitDep,
    caller: Caller,
    revision: RevisionDep,
) -> Symptom:
    """Look for something else; what finished runs answered keeps the words that they were asked."""
    changed = Symptoms(unit).edit(
        symptom_id, body.predicate.model_dump(), revision=revision, by=caller.actor
    )
    return _with_answers(services, changed.incident_id, [changed])[0]


@router.delete("/symptoms/{symptom_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_symptom(symptom_id: str, unit: UnitDep, caller: Caller) -> None:
    """Into the bin; it can be restored."""
    Symptoms(unit).delete(symptom_id, by=caller.actor)


@router.get("/experiments/{experiment_id}/symptoms")
def symptoms_of_run(
    experiment_id: str, services: ServicesDep, unit: UnitDep
) -> list[SymptomAnswer]:
    """What the run's own artifacts answer; refused (409) when none of them was read."""
    experiment = Experiments(unit).get(experiment_id)
    wanted = Symptoms(unit).of_incident(experiment.incident_id)
    if not wanted:
        return []
    evidence = run_evidence(services, unit, experiment)
    return [_answer(one, evidence) for one in wanted]


def _with_answers(
    services: Services, incident_id: str, wanted: list[SymptomRecord]
) -> list[Symptom]:
    if not wanted:
        return []
    evidence = services.placed.load(incident_id, tuple(kinds(one.predicate for one in wanted)))
    return [
        Symptom(
            id=one.id,
            words=one.predicate.words,
            predicate=one.told,  # type: ignore[arg-type]  # pydantic reads it
            by=one.by,
            at=one.at,
            revision=one.revision,
            incident=_answer(one, evidence) if evidence else None,
        )
        for one in wanted
    ]


def _answer(symptom: SymptomRecord, evidence: Evidence) -> SymptomAnswer:
    found = evaluate(symptom.predicate, evidence)
    locator = msgspec.to_builtins(found.locator) if found.locator else None
    return SymptomAnswer(symptom_id=symptom.id, holds=found.holds, text=found.text, locator=locator)


__all__ = ["router"]
