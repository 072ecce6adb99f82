"""The experiment log: change, locked prediction, observation, verdict."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, status
from pydantic import Field, StringConstraints

from pileup.analysis import analyse
from pileup.analysis.compare import changed_settings
from pileup.analysis.run_outcome import measure, symptoms
from pileup.analysis.series import values
from pileup.analysis.similar import signature
from pileup.analysis.trial import Run, trial
from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, RevisionDep, ServicesDep, UnitDep
from pileup.api.hypotheses import Percent
from pileup.api.pins import Pin
from pileup.api.runs import run_evidence
from pileup.api.schema import ComparedSettingJson, In, Out, TrialJson
from pileup.storage.experiments import ExperimentRecord, Experiments
from pileup.storage.hypotheses import Hypotheses
from pileup.storage.incidents import Incidents

router = APIRouter(tags=["experiments"])

Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Long = Annotated[str, StringConstraints(max_length=20_000)]
Verdict = Literal["match", "partial", "miss", "not_measurable"]
SameWay = Literal["yes", "no", "unclear"]


class Prediction(Out):
    text: Long = ""
    metric: str | None = None
    """A series id, such as 'mysql.Threads_running@db-1'."""
    op: Literal["<", "<=", ">", ">=", "~"] | None = None
    value: float | None = None
    window_s: float | None = None
    falsifier: Long = ""


class Observation(Out):
    text: Long = ""
    value: float | None = None


class NewExperiment(In):
    title: Title
    hypothesis_id: str | None = None
    change: Long = ""
    prediction: Prediction = Prediction()
    risk: Long = ""


class ExperimentChange(In):
    title: Title | None = None
    hypothesis_id: str | None = None
    change: Long | None = None
    prediction: Prediction | None = None
    risk: Long | None = None
    conclusion: Long | None = None


class Finish(In):
    observation: Observation
    verdict: Verdict
    failed_same_way: SameWay | None = None
    conclusion: Long = ""
    confidence: Percent | None = None
    """The confidence in the hypothesis after this experiment."""


class MeasuredOut(Out):
    """The predicted number, computed from the artifacts of the run."""

    verdict: Verdict
    value: float | None
    p95: float | None
    points: int
    holding: float | None
    """Share of the samples for which the prediction holds."""
    text: str


class SymptomsOut(Out):
    """The incident's symptoms, looked for in the run."""

    reproduced: list[str]
    missing: list[str]
    new: list[str]
    same_way: SameWay
    text: str


class Observed(Out):
    measured: MeasuredOut | None
    """None when the prediction names no series, sign and value."""
    symptoms: SymptomsOut
    trial: TrialJson
    """The run against the incident: better, same or worse."""
    settings: list[ComparedSettingJson]
    """Those that both print and that differ: a, in the incident; b, in the run."""


class Attachments(In):
    artifact_ids: list[str] = Field(max_length=1000)


class AttachedPin(In):
    pin_id: str


class AttachedArtifact(Out):
    id: str
    path: str


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
    """Change what was sent; after the start the change and its prediction are locked."""
    changes: dict[str, Any] = body.model_dump(exclude_unset=True)
    return _out(Experiments(unit).edit(experiment_id, changes, revision=revision, by=caller.actor))


@router.delete("/experiments/{experiment_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_experiment(experiment_id: str, unit: UnitDep, caller: Caller) -> None:
    """Put it into the bin; its number stays taken."""
    Experiments(unit).delete(experiment_id, by=caller.actor)


@router.post("/experiments/{experiment_id}/start")
def start_experiment(experiment_id: str, unit: UnitDep, caller: Caller) -> Experiment:
    """Lock the prediction."""
    return _out(Experiments(unit).start(experiment_id, by=caller.actor))


@router.post("/experiments/{experiment_id}/finish")
def finish_experiment(
    experiment_id: str, body: Finish, unit: UnitDep, caller: Caller
) -> Experiment:
    """Record what was seen; a given confidence becomes a step of the hypothesis' ledger."""
    done = Experiments(unit).finish(
        experiment_id,
        observation=body.observation.model_dump(),
        verdict=body.verdict,
        failed_same_way=body.failed_same_way,
        conclusion=body.conclusion,
        by=caller.actor,
    )
    if body.confidence is not None and done.hypothesis_id is not None:
        Hypotheses(unit).set_confidence(
            done.hypothesis_id,
            confidence=body.confidence,
            reason=f"experiment {done.number}: {done.title} ({body.verdict})",
            pin_id=None,
            by=caller.actor,
        )
    return _out(done)


@router.get("/experiments/{experiment_id}/observed")
def observed(experiment_id: str, services: ServicesDep, unit: UnitDep) -> Observed:
    """What the run's own artifacts show: the number, the symptoms, better or worse."""
    experiment = Experiments(unit).get(experiment_id)
    evidence = run_evidence(services, unit, experiment)
    known = Incidents(unit).signatures().get(experiment.incident_id)
    found = symptoms(known.features if known else {}, signature(analyse(evidence)))
    told = Prediction.model_validate(experiment.prediction)
    measured = None
    if told.metric and told.op and told.value is not None:
        measured = measure(evidence, told.metric, told.op, told.value, told.window_s)
    incident = services.placed.load(experiment.incident_id, ("sample", "setting"))
    before = Run("the incident", values(incident.frame("sample") if incident else None))
    changed = changed_settings(incident, evidence) if incident else []
    return Observed(
        measured=None if measured is None else MeasuredOut.model_validate(measured),
        symptoms=SymptomsOut.model_validate(found),
        trial=msgspec.to_builtins(trial(before, Run.of("the run", evidence))),
        settings=msgspec.to_builtins(changed),
    )


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


def _out(record: ExperimentRecord) -> Experiment:
    return Experiment.model_validate(record, from_attributes=True)
