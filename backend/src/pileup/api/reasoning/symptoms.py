"""Routes for symptoms that people write, answered from the incident and from every run."""

from __future__ import annotations

from fastapi import APIRouter, status

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, RevisionDep, ServicesDep, UnitDep
from pileup.api.schema import In
from pileup.storage.reasoning.experiments import Experiments
from pileup.storage.reasoning.symptoms import Symptoms
from pileup.views.reasoning import symptoms as views
from pileup.views.reasoning.symptoms import Symptom, SymptomAnswer, answered_symptoms

router = APIRouter(tags=["symptoms"])


class NewSymptom(In):
    predicate: views.Predicate


@router.get("/incidents/{incident_id}/symptoms")
def list_symptoms(incident: IncidentDep, services: ServicesDep, unit: UnitDep) -> list[Symptom]:
    """List the symptoms, each with its answer on the incident."""
    return answered_symptoms(services.placed, incident.id, Symptoms(unit).of_incident(incident.id))


@router.post("/incidents/{incident_id}/symptoms", status_code=status.HTTP_201_CREATED)
def add_symptom(
    incident: IncidentDep, body: NewSymptom, services: ServicesDep, unit: UnitDep, caller: Caller
) -> Symptom:
    """Add a symptom; the runs of all experiments answer it too."""
    made = Symptoms(unit).create(incident.id, body.predicate.model_dump(), by=caller.actor)
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
    changed = Symptoms(unit).edit(
        symptom_id, body.predicate.model_dump(), revision=revision, by=caller.actor
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
    """Answer the symptoms from the run's own artifacts; 409 when none of them was parsed."""
    experiment = Experiments(unit).get(experiment_id)
    return views.symptoms_of_run(unit, services.frames, experiment)


__all__ = ["router"]
