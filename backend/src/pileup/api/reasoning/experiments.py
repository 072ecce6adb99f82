"""Routes for the experiment log: change, locked prediction, observation, verdict."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, status
from pydantic import Field, StringConstraints

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, RevisionDep, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.reasoning.hypotheses import Percent
from pileup.api.reasoning.pins import Pin
from pileup.api.schema import In, Out
from pileup.storage.reasoning.experiments import AttachedArtifact, ExperimentRecord, Experiments
from pileup.storage.reasoning.hypotheses import Hypotheses
from pileup.views.reasoning.experiment_outcome import (
    Computed,
    Long,
    Observed,
    Prediction,
    SameWay,
    Verdict,
    compute,
    observe,
    stored_form,
)

router = APIRouter(tags=["experiments"])

Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Sweep = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]
_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]
_Value = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Parameters = Annotated[dict[_Name, _Value], Field(max_length=10)]


class Observation(Out):
    text: Long = ""
    value: float | None = None


class NewExperiment(In):
    title: Title
    hypothesis_id: str | None = None
    change: Long = ""
    prediction: Prediction = Prediction()
    risk: Long = ""
    sweep: Sweep = ""
    parameters: Parameters = Field(default_factory=dict)


class ExperimentChange(In):
    title: Title | None = None
    hypothesis_id: str | None = None
    change: Long | None = None
    prediction: Prediction | None = None
    risk: Long | None = None
    conclusion: Long | None = None
    sweep: Sweep | None = None
    parameters: Parameters | None = None


class Finish(In):
    observation: Observation
    verdict: Verdict | None = None
    """None takes the computed one."""
    overruled_because: Long = ""
    """Why the verdict is another than the computed one."""
    failed_same_way: SameWay | None = None
    conclusion: Long = ""
    confidence: Percent | None = None
    """The confidence in the hypothesis after this experiment."""


class Attachments(In):
    artifact_ids: list[str] = Field(max_length=1000)


class AttachedPin(In):
    pin_id: str


class Experiment(Out):
    id: str
    incident_id: str
    number: int
    title: str
    hypothesis_id: str | None
    change: str
    prediction: Prediction
    state: Literal["planned", "started", "finished"]
    locked_at: datetime | None
    observation: Observation | None
    failed_same_way: SameWay | None
    verdict: Verdict | None
    conclusion: str
    risk: str
    sweep: str
    """The runs of one sweep share this name."""
    parameters: dict[str, str]
    computed: Computed | None
    """What the artifacts showed at the finish; None when there was nothing to compute from."""
    overruled_because: str
    artifacts: list[AttachedArtifact]
    pins: list[Pin]
    started_at: datetime | None
    finished_at: datetime | None
    by: str | None
    revision: int


@router.get("/incidents/{incident_id}/experiments")
def list_experiments(incident: IncidentDep, unit: UnitDep) -> list[Experiment]:
    return [_out(e) for e in Experiments(unit).of_incident(incident.id)]


@router.post("/incidents/{incident_id}/experiments", status_code=status.HTTP_201_CREATED)
def create_experiment(
    incident: IncidentDep, body: NewExperiment, unit: UnitDep, caller: Caller
) -> Experiment:
    return _out(Experiments(unit).create(incident.id, body.model_dump(), by=caller.actor))


@router.get("/experiments/{experiment_id}")
def get_experiment(experiment_id: str, unit: UnitDep) -> Experiment:
    return _out(Experiments(unit).get(experiment_id))


@router.patch("/experiments/{experiment_id}")
def change_experiment(
    experiment_id: str, body: ExperimentChange, unit: UnitDep, caller: Caller, revision: RevisionDep
) -> Experiment:
    """Change the fields that are sent; after the start, change and prediction are locked."""
    changes: dict[str, Any] = body.model_dump(exclude_unset=True)
    return _out(Experiments(unit).edit(experiment_id, changes, revision=revision, by=caller.actor))


@router.delete("/experiments/{experiment_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_experiment(experiment_id: str, unit: UnitDep, caller: Caller) -> None:
    """Move an experiment to the bin; its number stays taken."""
    Experiments(unit).delete(experiment_id, by=caller.actor)


@router.post("/experiments/{experiment_id}/start")
def start_experiment(experiment_id: str, unit: UnitDep, caller: Caller) -> Experiment:
    """Start an experiment and lock its prediction."""
    return _out(Experiments(unit).start(experiment_id, by=caller.actor))


@router.post("/experiments/{experiment_id}/finish")
def finish_experiment(
    experiment_id: str, body: Finish, services: ServicesDep, unit: UnitDep, caller: Caller
) -> Experiment:
    """Record an observation next to the artifacts' values; compute the verdict if possible.

    Another verdict than the computed one needs a reason. A given confidence becomes a step of the
    hypothesis' ledger.
    """
    store = Experiments(unit)
    computed = compute(unit, services.placed, services.frames, store.get(experiment_id))
    verdict, why = _judged(body, computed)
    done = store.finish(
        experiment_id,
        observation=body.observation.model_dump(),
        verdict=verdict,
        failed_same_way=body.failed_same_way,
        conclusion=body.conclusion,
        by=caller.actor,
        computed=stored_form(computed) if computed else None,
        overruled_because=why,
    )
    if body.confidence is not None and done.hypothesis_id is not None:
        Hypotheses(unit).set_confidence(
            done.hypothesis_id,
            confidence=body.confidence,
            reason=f"experiment {done.number}: {done.title} ({verdict})",
            pin_id=None,
            by=caller.actor,
        )
    return _out(done)


@router.get("/experiments/{experiment_id}/observed")
def observed(experiment_id: str, services: ServicesDep, unit: UnitDep) -> Observed:
    """Return what the run's own artifacts show: the number, the symptoms, better or worse."""
    experiment = Experiments(unit).get(experiment_id)
    return observe(unit, services.placed, services.frames, experiment)


@router.put("/experiments/{experiment_id}/artifacts")
def attach_artifacts(
    experiment_id: str, body: Attachments, unit: UnitDep, caller: Caller
) -> Experiment:
    return _out(
        Experiments(unit).attach_artifacts(experiment_id, body.artifact_ids, by=caller.actor)
    )


@router.post("/experiments/{experiment_id}/pins")
def attach_pin(experiment_id: str, body: AttachedPin, unit: UnitDep, caller: Caller) -> Experiment:
    return _out(Experiments(unit).attach_pin(experiment_id, body.pin_id, by=caller.actor))


def _judged(body: Finish, computed: Computed | None) -> tuple[Verdict, str]:
    """Choose the verdict, and the reason when it is not the computed one."""
    measured = computed.measured if computed else None
    if measured is None:
        if body.verdict is None:
            raise ApiError(
                422,
                "No verdict",
                "the prediction names no number to compute one from: choose a verdict",
            )
        return body.verdict, ""
    if body.verdict is None or body.verdict == measured.verdict:
        return measured.verdict, ""
    if not body.overruled_because.strip():
        computed_word = measured.verdict.replace("_", " ")
        raise ApiError(
            422,
            "Give a reason",
            f"the artifacts say {computed_word}: {measured.text} "
            "Give a reason for another verdict; both are shown.",
        )
    return body.verdict, body.overruled_because.strip()


def _out(record: ExperimentRecord) -> Experiment:
    return Experiment.model_validate(record, from_attributes=True)
