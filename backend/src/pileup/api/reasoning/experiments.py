"""Routes for the experiment log: change, locked prediction, observation, verdict."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from typing import Any, Literal

from fastapi import APIRouter, status

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, RevisionDep, ServicesDep, UnitDep
from pileup.api.reasoning.experiment_bodies import (
    AttachedPin,
    Attachments,
    ExperimentChange,
    Finish,
    NewExperiment,
    Observation,
    RunFields,
    Start,
)
from pileup.api.reasoning.happened import happened
from pileup.api.reasoning.pins import Pin
from pileup.api.schema import Out
from pileup.api.versioned import by_version
from pileup.api.windows import times_in_utc, utc
from pileup.storage.happened import Happened, Precision, PredictionStanding
from pileup.storage.queue.jobs import Jobs
from pileup.storage.reasoning.experiments import AttachedArtifact, ExperimentRecord, Experiments
from pileup.storage.reasoning.hypotheses import Hypotheses
from pileup.views.reasoning.experiment_outcome import (
    Computed,
    Observed,
    Prediction,
    SameWay,
    Verdict,
    compute,
    judge,
    observe,
    stored_form,
)
from pileup.views.reasoning.measures import Measure, measures_of
from pileup.views.reasoning.predicted import predicted_number
from pileup.views.reasoning.run_analysis import RunAnalysis, stored_run

router = APIRouter(tags=["experiments"])


class Experiment(Out):
    id: str
    incident_id: str
    number: int
    title: str
    hypothesis_id: str | None
    change: str
    prediction: Prediction
    predicted: str
    """The number that the prediction names, in words; empty without one."""
    state: Literal["planned", "started", "finished"]
    prediction_standing: PredictionStanding
    """locked: recorded before the run; recorded_after: not, and it says so wherever it is shown."""
    predicted_at: datetime | None
    """When the prediction was last recorded."""
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
    measures: list[Measure]
    """Every value of the run: computed, typed or imported, and marked so."""
    artifacts: list[AttachedArtifact]
    pins: list[Pin]
    began: datetime | None
    """When the run began: as a person gives it, else when its start was recorded; null: neither."""
    ended: datetime | None
    started_at: datetime | None
    """When the start was recorded."""
    finished_at: datetime | None
    """When the result was recorded."""
    ran_from: datetime | None
    ran_to: datetime | None
    ran_precision: Precision
    host: str
    build: str
    cores: str
    dataset: str
    by: str | None
    revision: int


@router.get("/incidents/{incident_id}/experiments")
@by_version()
def list_experiments(incident: IncidentDep, unit: UnitDep) -> list[Experiment]:
    return [experiment_out(e) for e in Experiments(unit).of_incident(incident.id)]


@router.post("/incidents/{incident_id}/experiments", status_code=status.HTTP_201_CREATED)
def create_experiment(
    incident: IncidentDep, body: NewExperiment, unit: UnitDep, caller: Caller
) -> Experiment:
    fields = fields_of_run(body.model_dump())
    return experiment_out(Experiments(unit).create(incident.id, fields, by=caller.actor))


@router.get("/experiments/{experiment_id}")
def get_experiment(experiment_id: str, unit: UnitDep) -> Experiment:
    return experiment_out(Experiments(unit).get(experiment_id))


@router.patch("/experiments/{experiment_id}")
def change_experiment(
    experiment_id: str, body: ExperimentChange, unit: UnitDep, caller: Caller, revision: RevisionDep
) -> Experiment:
    """Change the fields that are sent; after the start, change and prediction are locked."""
    changes = fields_of_run(body.model_dump(exclude_unset=True))
    return experiment_out(
        Experiments(unit).edit(experiment_id, changes, revision=revision, by=caller.actor)
    )


@router.delete("/experiments/{experiment_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_experiment(
    experiment_id: str, services: ServicesDep, unit: UnitDep, caller: Caller
) -> None:
    """Move an experiment to the bin; its number stays taken, its artifacts are the incident's."""
    store = Experiments(unit)
    before = store.get(experiment_id)
    store.delete(experiment_id, by=caller.actor)
    if before.artifacts:
        Jobs(unit).request_analysis(before.incident_id, services.settings.analysis_debounce_s)


@router.post("/experiments/{experiment_id}/start")
def start_experiment(
    experiment_id: str, unit: UnitDep, caller: Caller, body: Start | None = None
) -> Experiment:
    """Start an experiment and lock its prediction, or record that it began before."""
    given = happened(body or Start())
    return experiment_out(Experiments(unit).start(experiment_id, by=caller.actor, happened=given))


@router.post("/experiments/{experiment_id}/finish")
def finish_experiment(
    experiment_id: str, body: Finish, services: ServicesDep, unit: UnitDep, caller: Caller
) -> Experiment:
    """Record an observation next to the artifacts' values; compute the verdict if possible.

    Another verdict than the computed one needs a reason. A given confidence becomes a step of the
    hypothesis' ledger.
    """
    store = Experiments(unit)
    run = store.get(experiment_id)
    computed = compute(unit, services.placed, services.frames, run)
    verdict, why = judge(run, computed, body.verdict, body.overruled_because)
    done = store.finish(
        experiment_id,
        observation=body.observation.model_dump(),
        verdict=verdict,
        failed_same_way=body.failed_same_way,
        conclusion=body.conclusion,
        by=caller.actor,
        computed=stored_form(computed) if computed else None,
        overruled_because=why,
        ran_to=utc(body.ran_to) if body.ran_to else None,
    )
    if body.confidence is not None and done.hypothesis_id is not None:
        Hypotheses(unit).set_confidence(
            done.hypothesis_id,
            confidence=body.confidence,
            reason=f"experiment {done.number}: {done.title} ({verdict or 'no verdict'})",
            pin_id=None,
            by=caller.actor,
            happened=Happened(done.ran_to, done.ran_precision),
        )
    return experiment_out(done)


@router.get("/experiments/{experiment_id}/observed")
def observed(experiment_id: str, services: ServicesDep, unit: UnitDep) -> Observed:
    """Return what the run's own artifacts show: the number, the symptoms, better or worse."""
    experiment = Experiments(unit).get(experiment_id)
    return observe(unit, services.placed, services.frames, experiment)


@router.put("/experiments/{experiment_id}/artifacts")
def attach_artifacts(
    experiment_id: str, body: Attachments, services: ServicesDep, unit: UnitDep, caller: Caller
) -> Experiment:
    """Replace the run's artifacts and analyse the incident again.

    An attached artifact belongs to the run and no longer to the incident: its clock, counts and
    stalls are the run's. One that is not in the list moves back.
    """
    done = Experiments(unit).attach_artifacts(experiment_id, body.artifact_ids, by=caller.actor)
    Jobs(unit).request_analysis(done.incident_id, services.settings.analysis_debounce_s)
    return experiment_out(done)


@router.get("/experiments/{experiment_id}/analysis")
def run_analysis(experiment_id: str, unit: UnitDep) -> RunAnalysis:
    """Return what the run's artifacts show by themselves: captures, stalls and findings.

    Of the last analysis of the run, which follows each change of its artifacts.
    """
    return stored_run(unit, Experiments(unit).get(experiment_id))


@router.post("/experiments/{experiment_id}/pins")
def attach_pin(experiment_id: str, body: AttachedPin, unit: UnitDep, caller: Caller) -> Experiment:
    return experiment_out(Experiments(unit).attach_pin(experiment_id, body.pin_id, by=caller.actor))


def fields_of_run(values: dict[str, Any]) -> dict[str, Any]:
    """Drop the fields that null leaves as they are, and bring times to UTC."""
    return {k: v for k, v in times_in_utc(values).items() if v is not None or k not in _NO_NULL}


def experiment_out(record: ExperimentRecord) -> Experiment:
    """Build the response from the record and what is derived from it."""
    values = {n: getattr(record, n) for n in ("began", "ended", "prediction_standing", *_STORED)}
    derived = {
        "measures": measures_of(record),
        "predicted": predicted_number(record.prediction),
    }
    return Experiment.model_validate(values | derived)


_NO_NULL = RunFields.model_fields.keys() - {"ran_from", "ran_to"}
_STORED = tuple(field.name for field in fields(ExperimentRecord) if field.name != "measurements")
