"""What the artifacts of an experiment show, held against its prediction and its incident."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from pydantic import Field, StringConstraints

from pileup.analysis import analyse
from pileup.analysis.compare.differences import Side, changed_settings
from pileup.analysis.compare.trial import Run, trial
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.series import values
from pileup.analysis.reasoning.predicates import Predicate, read, written
from pileup.analysis.reasoning.predicates import kinds as predicate_kinds
from pileup.analysis.reasoning.run_outcome import (
    OwnSymptoms,
    level,
    measure,
    own_symptoms,
    symptoms,
)
from pileup.analysis.reasoning.run_outcome import Symptoms as Found
from pileup.analysis.reasoning.similar import signature
from pileup.api.deps import Services
from pileup.api.errors import ApiError
from pileup.api.evidence.compare import stored_stall
from pileup.api.reasoning.symptoms import Predicate as AskedPredicate
from pileup.api.runs import run_evidence
from pileup.api.schema import ComparedSettingJson, Out, TrialJson
from pileup.storage.database import Unit
from pileup.storage.incidents.incidents import Incidents
from pileup.storage.reasoning.experiments import ExperimentRecord
from pileup.storage.reasoning.symptoms import Symptoms

Long = Annotated[str, StringConstraints(max_length=20_000)]
Verdict = Literal["match", "partial", "miss", "not_measurable"]
SameWay = Literal["yes", "no", "unclear"]
Sign = Literal["<", "<=", ">", ">=", "~"]
SeriesId = Annotated[str, StringConstraints(max_length=500)]


class Prediction(Out):
    text: Long = ""
    metric: SeriesId | None = None
    """A series id, such as 'mysql.Threads_running@db-1'."""
    op: Literal["<", "<=", ">", ">=", "~", "falls", "rises"] | None = None
    """falls and rises are told against the incident's stall and take no value."""
    value: float | None = None
    statistic: Literal["median", "mean", "p95", "max", "min"] | None = None
    """Of the samples; None: the median."""
    window_s: Annotated[float, Field(gt=0)] | None = None
    """The first seconds of the run; None: all of it."""
    falsifier: Long = ""
    falsifier_op: Sign | None = None
    falsifier_value: float | None = None
    """Of the same statistic: reaching this is a miss."""
    also: Annotated[list[SeriesId], Field(max_length=8)] | None = None
    """Series to show beside the predicted one, without a prediction."""


class MeasuredOut(Out):
    """The predicted number, computed from the artifacts of the run."""

    verdict: Verdict
    value: float | None
    p95: float | None
    points: int
    holding: float | None
    """Share of the samples for which the prediction holds."""
    text: str


class OwnSymptomOut(Out):
    """One of people's own symptoms as it was asked, and the answers."""

    words: str
    predicate: AskedPredicate
    run: bool | None
    """None: nothing in the run can tell."""
    run_text: str
    incident: bool | None
    incident_text: str | None


class SymptomsOut(Out):
    """The incident's symptoms, looked for in the run."""

    reproduced: list[str]
    missing: list[str]
    new: list[str]
    unknown: list[str] = Field(default_factory=list)
    """People's own that nothing in the run can tell."""
    own: list[OwnSymptomOut] | None = None
    """People's own, as they were asked. None: of an experiment that finished before they were
    kept, so that nobody can say what exactly was asked."""
    same_way: SameWay
    text: str


class LevelOut(Out):
    """A series over a stretch of time."""

    median: float
    mad: float
    """Median absolute deviation."""
    least: float
    most: float
    points: int


class LevelsOut(Out):
    """One series in the run and in the incident's stall (all of the incident without one)."""

    series: str
    run: LevelOut | None
    incident: LevelOut | None
    ratio: float | None
    """Median of the run over the incident's."""


class Computed(Out):
    """What the artifacts of a run show; kept as it was when the experiment was finished."""

    measured: MeasuredOut | None
    """None when the prediction names no series."""
    symptoms: SymptomsOut | None
    """None without artifacts."""
    levels: list[LevelsOut] = Field(default_factory=list)
    trial: TrialJson | None
    """The run against the incident: better, same or worse."""


class Observed(Out):
    measured: MeasuredOut | None
    """None when the prediction names no series and sign."""
    symptoms: SymptomsOut
    levels: list[LevelsOut]
    trial: TrialJson
    """The run against the incident: better, same or worse."""
    settings: list[ComparedSettingJson]
    """Those that both print and that differ: a, in the incident; b, in the run."""


def observe(services: Services, unit: Unit, experiment: ExperimentRecord) -> Observed:
    """Measured from the attached artifacts; refused (409) when none of them was read.

    A finished experiment is asked what it was asked at its finish.
    """
    evidence = run_evidence(services, unit, experiment)
    incident_id = experiment.incident_id
    known = Incidents(unit).signatures().get(experiment.incident_id)
    kept = _finished_with(experiment)
    predicates = _asked(unit, incident_id, kept)
    kinds = ("sample", "setting", *(predicate_kinds(predicates.values())))
    incident = services.placed.load(incident_id, kinds)
    own = own_symptoms(predicates, incident, evidence)
    found = symptoms(
        (known.features if known else {}) | own.incident,
        signature(analyse(evidence)) | own.run,
        own.unknown,
    )
    stalled = _stalled(unit, incident_id, incident)
    told = Prediction.model_validate(experiment.prediction)
    before = Run("the incident", values(incident.frame("sample") if incident else None))
    changed = changed_settings(incident, evidence) if incident else []
    return Observed(
        measured=_measured(told, evidence, stalled),
        symptoms=_with_own(found, own, kept),
        levels=_levels(told, evidence, stalled),
        trial=msgspec.to_builtins(trial(before, Run.of("the run", evidence))),
        settings=msgspec.to_builtins(changed),
    )


def compute(services: Services, unit: Unit, experiment: ExperimentRecord) -> Computed | None:
    """The same to be kept at the finish. A number that no artifact tells is not measurable."""
    try:
        seen = observe(services, unit, experiment)
    except ApiError as problem:
        if problem.status != 409:
            raise
        told = Prediction.model_validate(experiment.prediction)
        if not told.metric:
            return None
        nothing = MeasuredOut(
            verdict="not_measurable",
            value=None,
            p95=None,
            points=0,
            holding=None,
            text=f"No artifact of the run was read, so {told.metric} is not known.",
        )
        return Computed(measured=nothing, symptoms=None, trial=None)
    return Computed.model_validate(seen.model_dump(exclude={"settings"}))


def _finished_with(experiment: ExperimentRecord) -> SymptomsOut | None:
    kept = (experiment.computed or {}).get("symptoms")
    return None if kept is None else SymptomsOut.model_validate(kept)


def _asked(unit: Unit, incident_id: str, kept: SymptomsOut | None) -> dict[str, Predicate]:
    """People's own symptoms by a name each: as kept at the finish, else as they are now."""
    if kept is not None:
        return {f"{n:03}": read(one.predicate.model_dump()) for n, one in enumerate(kept.own or ())}
    known = Symptoms(unit).of_incident(incident_id)
    return {one.id: one.predicate for one in known}


def _with_own(found: Found, own: OwnSymptoms, kept: SymptomsOut | None) -> SymptomsOut:
    out = SymptomsOut.model_validate(found)
    if kept is not None and kept.own is None:
        return out
    out.own = [
        OwnSymptomOut(
            words=one.predicate.words,
            predicate=written(one.predicate),  # type: ignore[arg-type]  # pydantic reads it
            run=one.run.holds,
            run_text=one.run.text,
            incident=one.incident.holds if one.incident else None,
            incident_text=one.incident.text if one.incident else None,
        )
        for one in own.asked
    ]
    return out


def _stalled(unit: Unit, incident_id: str, incident: Evidence | None) -> Evidence | None:
    stall = stored_stall(unit, incident_id)
    if incident is None or stall is None:
        return incident
    return Side("the stall", incident, stall.span).narrowed()


def _measured(told: Prediction, run: Evidence, incident: Evidence | None) -> MeasuredOut | None:
    if not told.metric or not told.op:
        return None
    if told.value is None and told.op not in ("falls", "rises"):
        return None
    falsifier = None
    if told.falsifier_op is not None and told.falsifier_value is not None:
        falsifier = (told.falsifier_op, told.falsifier_value)
    found = measure(
        run,
        told.metric,
        told.op,
        told.value,
        told.window_s,
        statistic=told.statistic or "median",
        falsifier=falsifier,
        before=incident,
    )
    return MeasuredOut.model_validate(found)


def _levels(told: Prediction, run: Evidence, incident: Evidence | None) -> list[LevelsOut]:
    found = []
    wanted = [told.metric, *(told.also or [])]
    for metric in dict.fromkeys(one for one in wanted if one):
        after = level(run, metric, told.window_s)
        before = level(incident, metric) if incident else None
        ratio = after.median / before.median if after and before and before.median else None
        found.append(
            LevelsOut(
                series=metric,
                run=LevelOut.model_validate(after) if after else None,
                incident=LevelOut.model_validate(before) if before else None,
                ratio=ratio,
            )
        )
    return found


__all__ = ["Computed", "Observed", "Prediction", "compute", "observe"]
