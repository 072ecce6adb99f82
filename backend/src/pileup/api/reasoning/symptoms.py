"""Routes for symptoms that people write, answered from the incident and from every run."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, status
from pydantic import StringConstraints

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, RevisionDep, ServicesDep, UnitDep
from pileup.api.reasoning.happened import happened
from pileup.api.schema import In
from pileup.api.versioned import by_version
from pileup.storage.happened import Precision
from pileup.storage.reasoning.experiments import Experiments
from pileup.storage.reasoning.symptoms import Symptoms
from pileup.views.reasoning import symptoms as views
from pileup.views.reasoning.symptoms import Symptom, SymptomAnswer, answered_symptoms

router = APIRouter(tags=["symptoms"])


class NewSymptom(In):
    predicate: views.Predicate
    happened_at: datetime | None = None
    """When it was noticed; null: now."""
    happened_precision: Precision | None = None
    """Null: exact."""


class NewAnswer(In):
    holds: bool | None
    """Whether the run showed it; null removes the answer."""
    note: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000)] | None = None


@router.get("/incidents/{incident_id}/symptoms")
@by_version()
def list_symptoms(incident: IncidentDep, services: ServicesDep, unit: UnitDep) -> list[Symptom]:
    """List the symptoms, each with its answer on the incident."""
    return answered_symptoms(services.placed, incident.id, Symptoms(unit).of_incident(incident.id))


@router.post("/incidents/{incident_id}/symptoms", status_code=status.HTTP_201_CREATED)
def add_symptom(
    incident: IncidentDep, body: NewSymptom, services: ServicesDep, unit: UnitDep, caller: Caller
) -> Symptom:
    """Add a symptom; the runs of all experiments answer it too."""
    made = Symptoms(unit).create(
        incident.id, body.predicate.model_dump(), by=caller.actor, happened=happened(body)
    )
    return answered_symptoms(services.placed, incident.id, [made])[0]


@router.patch("/symptoms/{symptom_id}")
def change_symptom(
    symptom_id: str,
    body: NewSymptom,
    services: ServicesDep,
    unit: UnitDep,
    caller: Caller,
    revision: RevisionDep,
) -> Symptom:
    """Change a symptom; finished runs keep the words that they answered."""
    given = happened(body) if "happened_at" in body.model_fields_set else None
    changed = Symptoms(unit).edit(
        symptom_id,
        body.predicate.model_dump(),
        revision=revision,
        by=caller.actor,
        happened=given,
    )
    return answered_symptoms(services.placed, changed.incident_id, [changed])[0]


@router.delete("/symptoms/{symptom_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_symptom(symptom_id: str, unit: UnitDep, caller: Caller) -> None:
    """Move a symptom to the bin."""
    Symptoms(unit).delete(symptom_id, by=caller.actor)


@router.get("/experiments/{experiment_id}/symptoms")
def symptoms_of_run(
    experiment_id: str, services: ServicesDep, unit: UnitDep
) -> list[SymptomAnswer]:
    """Answer the symptoms from the run's own artifacts, and those in prose from people.

    A run without a parsed artifact has only the answers of people.
    """
    experiment = Experiments(unit).get(experiment_id)
    return views.symptoms_of_run(unit, services.frames, experiment)


@router.put(
    "/experiments/{experiment_id}/symptoms/{symptom_id}", status_code=status.HTTP_204_NO_CONTENT
)
def answer_symptom(
    experiment_id: str, symptom_id: str, body: NewAnswer, unit: UnitDep, caller: Caller
) -> None:
    """Answer whether the run showed a symptom that is written as prose."""
    Symptoms(unit).answer(symptom_id, experiment_id, body.holds, body.note or "", by=caller.actor)


__all__ = ["router"]
