"""Compare what the artifacts of an experiment show with its prediction and its incident."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import msgspec
from pydantic import ConfigDict, Field, StringConstraints, TypeAdapter

from pileup.analysis import analyse
from pileup.analysis.compare.differences import Side, changed_settings
from pileup.analysis.compare.trial import Run, trial
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.series import values
from pileup.analysis.reasoning import predicates
from pileup.analysis.reasoning.predicates import Answer
from pileup.analysis.reasoning.run_outcome import (
    Level,
    Measured,
    OwnSymptoms,
    level,
    measure,
    own_symptoms,
    symptoms,
)
from pileup.analysis.reasoning.run_outcome import Symptoms as Found
from pileup.analysis.reasoning.similar import signature, undecided
from pileup.storage.database import Unit
from pileup.storage.errors import Refused
from pileup.storage.files.frames import FrameStore
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.incidents.incidents import Incidents
from pileup.storage.reasoning.experiments import ExperimentRecord
from pileup.storage.reasoning.symptoms import Symptoms
from pileup.views.documents import ComparedSettingJson, TrialJson
from pileup.views.reasoning.run_evidence import NothingToCompare, run_evidence
from pileup.views.reasoning.stall import stored_stall
from pileup.views.reasoning.symptoms import Predicate, answers_of_run, written_predicate

Long = Annotated[str, StringConstraints(max_length=20_000)]
Verdict = Literal["match", "partial", "miss", "not_measurable"]
SameWay = Literal["yes", "no", "unclear", "failed", "not_failed"]
"""failed: it failed, and nobody says in which way; not_failed: it did not fail at all."""
Sign = Literal["<", "<=", ">", ">=", "~"]
SeriesId = Annotated[str, StringConstraints(max_length=500)]

_ANSWERED = ConfigDict(json_schema_serialization_defaults_required=True)
"""A response carries every field, also where an older stored document lacks it."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """Expectation of a run, as stored with the experiment."""

    __pydantic_config__ = _ANSWERED

    text: Long = ""
    metric: SeriesId | None = None
    """A series id, such as 'mysql.Threads_running@db-1'."""
    op: Literal["<", "<=", ">", ">=", "~", "falls", "rises"] | None = None
    """falls and rises compare with the incident's stall and take no value."""
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
    """Series to show together with the predicted one, without a prediction."""


@dataclass(frozen=True, slots=True)
class OwnSymptom:
    """Symptom that a person wrote, as it was at the time of the answer, with the answers."""

    words: str
    predicate: Predicate
    run: bool | None
    """None: nothing in the run can tell."""
    run_text: str
    incident: bool | None
    incident_text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSymptoms:
    """Symptoms of the incident that the run shows or lacks."""

    __pydantic_config__ = _ANSWERED

    reproduced: list[str]
    missing: list[str]
    new: list[str]
    unknown: list[str] = field(default_factory=list)
    """Symptoms that people wrote and that nothing in the run can tell."""
    own: list[OwnSymptom] | None = None
    """Those that people wrote, as they were then. None: the experiment finished before they were
    stored, so the exact questions are unknown."""
    same_way: SameWay
    text: str


@dataclass(frozen=True, slots=True)
class RunLevel:
    """Level of one series in the run and in the incident's stall (or in the whole incident)."""

    series: str
    run: Level | None
    incident: Level | None
    ratio: float | None
    """Median of the run over the incident's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """Outcome that the artifacts of a run show, stored when the experiment finished."""

    __pydantic_config__ = _ANSWERED

    measured: Measured | None
    """None when the prediction names no series."""
    symptoms: RunSymptoms | None
    """None without artifacts."""
    levels: list[RunLevel] = field(default_factory=list)
    trial: TrialJson | None
    """The run against the incident: better, same or worse."""


@dataclass(frozen=True, slots=True)
class Observed:
    measured: Measured | None
    """None when the prediction names no series and sign."""
    symptoms: RunSymptoms
    levels: list[RunLevel]
    trial: TrialJson
    """The run against the incident: better, same or worse."""
    settings: list[ComparedSettingJson]
    """Those that both print and that differ: a, in the incident; b, in the run."""


_PREDICTION = TypeAdapter(Prediction)
_SYMPTOMS = TypeAdapter(RunSymptoms)
_COMPUTED = TypeAdapter(Computed)


def observe(
    unit: Unit, placed: PlacedStore, frames: FrameStore, experiment: ExperimentRecord
) -> Observed:
    """Measure the attached artifacts; raises NothingToCompare when none of them was read.

    A finished experiment answers the symptoms as they were at its finish.
    """
    evidence = run_evidence(unit, frames, experiment)
    incident_id = experiment.incident_id
    known = Incidents(unit).symptoms([incident_id]).get(incident_id)
    finished = _finished_with(experiment)
    wanted = _predicates(unit, incident_id, finished)
    kinds = ("sample", "setting", *(predicates.kinds(wanted.values())))
    incident = placed.load(incident_id, kinds)
    own = own_symptoms(wanted, incident, evidence, _answered(unit, experiment, finished))
    shown = analyse(evidence)
    features = known.features if known else {}
    reproduced = symptoms(
        features | own.incident,
        signature(shown) | own.run,
        own.unknown,
        undecided(features, shown, evidence),
    )
    stalled = _stalled(unit, incident_id, incident)
    prediction = _PREDICTION.validate_python(experiment.prediction)
    before = Run("the incident", values(incident.frame("sample") if incident else None))
    changed = changed_settings(incident, evidence) if incident else []
    return Observed(
        measured=_measured(prediction, evidence, stalled),
        symptoms=_run_symptoms(reproduced, own, finished),
        levels=_levels(prediction, evidence, stalled),
        trial=msgspec.to_builtins(trial(before, Run.of("the run", evidence))),
        settings=msgspec.to_builtins(changed),
    )


def compute(
    unit: Unit, placed: PlacedStore, frames: FrameStore, experiment: ExperimentRecord
) -> Computed | None:
    """Compute the outcome that the finish stores; a number in no artifact is not measurable."""
    try:
        seen = observe(unit, placed, frames, experiment)
    except NothingToCompare:
        prediction = _PREDICTION.validate_python(experiment.prediction)
        if not prediction.metric:
            return None
        nothing = Measured(
            verdict="not_measurable",
            value=None,
            p95=None,
            points=0,
            holding=None,
            text=f"No artifact of the run was parsed, so {prediction.metric} is unknown.",
        )
        return Computed(measured=nothing, symptoms=None, trial=None)
    return Computed(
        measured=seen.measured, symptoms=seen.symptoms, levels=seen.levels, trial=seen.trial
    )


def judge(
    experiment: ExperimentRecord, computed: Computed | None, verdict: Verdict | None, why: str
) -> tuple[Verdict | None, str]:
    """Choose the verdict, and the reason when it is not the computed one.

    A run without a prediction may have no verdict.

    Raises:
        Refused: the choice of the person is missing, or its reason.
    """
    measured = computed.measured if computed else None
    if measured is None:
        if verdict is None and experiment.prediction_standing != "none":
            raise Refused(
                "The prediction names no number to compute a verdict from: choose one.", "verdict"
            )
        return verdict, ""
    if verdict is None or verdict == measured.verdict:
        return measured.verdict, ""
    if not why.strip():
        raise Refused(
            f"The artifacts say {measured.verdict.replace('_', ' ')}: {measured.text} Give a "
            "reason for another verdict; both are shown.",
            "overruled_because",
        )
    return verdict, why.strip()


def stored_form(computed: Computed) -> dict[str, Any]:
    """Write a computed outcome as the JSON document that the experiment stores."""
    document: dict[str, Any] = _COMPUTED.dump_python(computed, mode="json")
    return document


def _finished_with(experiment: ExperimentRecord) -> RunSymptoms | None:
    stored = (experiment.computed or {}).get("symptoms")
    return None if stored is None else _SYMPTOMS.validate_python(stored)


def _predicates(
    unit: Unit, incident_id: str, finished: RunSymptoms | None
) -> dict[str, predicates.Predicate]:
    """Map a name to each symptom that people wrote, as stored at the finish or as it is now."""
    if finished is not None:
        return {
            f"{n:03}": predicates.read(symptom.predicate.model_dump())
            for n, symptom in enumerate(finished.own or ())
        }
    known = Symptoms(unit).of_incident(incident_id)
    return {symptom.id: symptom.predicate for symptom in known}


def _answered(
    unit: Unit, experiment: ExperimentRecord, finished: RunSymptoms | None
) -> dict[str, Answer]:
    """Map the names of ``_predicates`` to people's answers, as stored at the finish or as now."""
    if finished is not None:
        return {
            f"{n:03}": Answer(symptom.run, symptom.run_text)
            for n, symptom in enumerate(finished.own or ())
            if symptom.predicate.kind == "prose"
        }
    answers = answers_of_run(unit, experiment)
    return {name: Answer(answer.holds, answer.text) for name, answer in answers.items()}


def _run_symptoms(compared: Found, own: OwnSymptoms, finished: RunSymptoms | None) -> RunSymptoms:
    answers = [
        OwnSymptom(
            words=symptom.predicate.words,
            predicate=written_predicate(predicates.written(symptom.predicate)),
            run=symptom.run.holds,
            run_text=symptom.run.text,
            incident=symptom.incident.holds if symptom.incident else None,
            incident_text=symptom.incident.text if symptom.incident else None,
        )
        for symptom in own.evaluated
    ]
    unknown_questions = finished is not None and finished.own is None
    return RunSymptoms(
        reproduced=list(compared.reproduced),
        missing=list(compared.missing),
        new=list(compared.new),
        unknown=list(compared.unknown),
        own=None if unknown_questions else answers,
        same_way=compared.same_way,
        text=compared.text,
    )


def _stalled(unit: Unit, incident_id: str, incident: Evidence | None) -> Evidence | None:
    stall = stored_stall(unit, incident_id)
    if incident is None or stall is None:
        return incident
    return Side("the stall", incident, stall.span).narrowed()


def _measured(prediction: Prediction, run: Evidence, incident: Evidence | None) -> Measured | None:
    if not prediction.metric or not prediction.op:
        return None
    if prediction.value is None and prediction.op not in ("falls", "rises"):
        return None
    falsifier = None
    if prediction.falsifier_op is not None and prediction.falsifier_value is not None:
        falsifier = (prediction.falsifier_op, prediction.falsifier_value)
    return measure(
        run,
        prediction.metric,
        prediction.op,
        prediction.value,
        prediction.window_s,
        statistic=prediction.statistic or "median",
        falsifier=falsifier,
        before=incident,
    )


def _levels(prediction: Prediction, run: Evidence, incident: Evidence | None) -> list[RunLevel]:
    levels = []
    wanted = [prediction.metric, *(prediction.also or [])]
    for metric in dict.fromkeys(name for name in wanted if name):
        after = level(run, metric, prediction.window_s)
        before = level(incident, metric) if incident else None
        ratio = after.median / before.median if after and before and before.median else None
        levels.append(RunLevel(series=metric, run=after, incident=before, ratio=ratio))
    return levels
