"""Read case.yaml of a finished sample: the team's work on the incident, as data.

Pins, symptoms, hypotheses and experiments have keys, and refer to one another by them. A time is a
date (2020-11-12), a time in UTC (2020-11-10 18:42) or an approximate one (about 2020-11-10 18:42).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date, datetime
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from pileup.analysis.reasoning.run_outcome import Statistic
from pileup.storage.errors import Refused
from pileup.storage.happened import Happened
from pileup.storage.incidents.annotations import AnnotationKind
from pileup.storage.incidents.incidents import Status as IncidentStatus
from pileup.views.reasoning.experiment_outcome import Prediction, SameWay, Verdict
from pileup.views.reasoning.symptoms import Predicate

FILE = "case.yaml"

Percent = Annotated[int, Field(ge=0, le=100)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


def read_time(value: Any) -> Happened:
    """Read a time of the story; raises ValueError when it is none."""
    if isinstance(value, datetime):
        return Happened(value.replace(tzinfo=value.tzinfo or UTC))
    if isinstance(value, date):
        return Happened(datetime(value.year, value.month, value.day, tzinfo=UTC), "day")
    text = str(value).strip()
    about = text.startswith("about ")
    at = datetime.fromisoformat(text.removeprefix("about "))
    return Happened(at.replace(tzinfo=at.tzinfo or UTC), "about" if about else "exact")


Time = Annotated[Happened, BeforeValidator(read_time)]


class CasePin(_Part):
    """Lines of a file, a series over a window, or somebody's words."""

    key: str
    title: str
    file: str | None = None
    """Path in the incident."""
    lines: tuple[int, int] | None = None
    series: list[str] = []
    start: Time | None = None
    end: Time | None = None
    words: str | None = None
    """Testimony."""


class CaseSymptom(_Part):
    key: str
    predicate: Predicate
    at: Time


class CaseEvidence(_Part):
    pin: str
    side: Literal["for", "against", "neutral"]
    note: str = ""


class CaseStep(_Part):
    """A confidence, or a status with its reason."""

    at: Time
    why: str
    confidence: Percent | None = None
    status: Literal["supported", "refuted", "inconclusive"] | None = None
    pin: str | None = None


class CaseHypothesis(_Part):
    key: str
    statement: str
    falsifier: str
    proposed: Time
    mechanisms: list[str] = []
    finding: str | None = None
    """Id of the finding that says the same."""
    evidence: list[CaseEvidence] = []
    steps: list[CaseStep] = []


class CaseValue(_Part):
    name: str
    value: float
    unit: str = ""
    basis: str = ""


class CaseComputed(_Part):
    """A value that the server computes from the files of the run."""

    series: str
    statistic: Statistic = "median"
    window_s: float | None = None
    name: str = ""
    unit: str = ""


class CaseAnswer(_Part):
    symptom: str
    holds: bool
    note: str = ""


class CaseRun(_Part):
    """When and where an experiment ran; the server records when it was logged."""

    hypothesis: str | None = None
    change: str = ""
    sweep: str = ""
    ran_from: Time
    ran_to: Time | None = None
    host: str = ""
    build: str = ""
    cores: str = ""
    dataset: str = ""


class CaseExperiment(CaseRun):
    key: str
    title: str
    prediction: Prediction = Prediction()
    risk: str = ""
    parameters: dict[str, str] = {}
    files: str | None = None
    """Folder below ``runs/`` with the files of the run."""
    values: list[CaseValue] = []
    computed: list[CaseComputed] = []
    symptoms: list[CaseAnswer] = []
    observed: str
    value: float | None = None
    verdict: Verdict | None = None
    overruled_because: str = ""
    failed_same_way: SameWay
    conclusion: str = ""


class CaseTable(CaseRun):
    """A table of results; each row becomes a run."""

    title: str = ""
    table: str


class CaseNote(_Part):
    at: Time
    end: Time | None = None
    kind: AnnotationKind = "note"
    text: str


class CaseAction(_Part):
    text: str
    owner: str = ""
    due: date | None = None
    status: Literal["open", "started", "done", "dropped"] = "open"
    experiment: str | None = None
    ticket_tracker: str = ""
    ticket_number: str = ""
    ticket_url: str = ""
    ticket_state: str = ""
    ticket_fixed_in: str = ""
    check_what: str = ""
    check_due: date | None = None
    check_outcome: Literal["", "held", "not_held"] = ""
    check_result: str = ""
    checked_on: date | None = None


class CaseReport(_Part):
    template: str | None = None
    sections: dict[str, str] = {}
    """Markdown per section; ``[^pin-KEY]`` is a source note of the pin with this key."""


class CaseFile(_Part):
    """The work of a team on one incident."""

    by: str
    """Who records it."""
    status: IncidentStatus = "review"
    pins: list[CasePin] = []
    symptoms: list[CaseSymptom] = []
    hypotheses: list[CaseHypothesis] = []
    experiments: list[CaseExperiment | CaseTable] = []
    notes: list[CaseNote] = []
    actions: list[CaseAction] = []
    report: CaseReport = CaseReport()


def read_case(folder: Path) -> CaseFile | None:
    """Read the case of a sample folder; None when it has none.

    Raises:
        Refused: the file is damaged, or names a key that it does not define; the sentence says
            where.
    """
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        case = CaseFile.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (ValidationError, yaml.YAMLError, ValueError) as error:
        raise Refused(f"{path} is no description of a case: {error}") from error
    if problems := list(_problems(case)):
        raise Refused(f"{path} is no description of a case: {'; '.join(problems)}")
    return case


def _problems(case: CaseFile) -> Iterable[str]:
    experiments = [each for each in case.experiments if isinstance(each, CaseExperiment)]
    keyed = [
        [pin.key for pin in case.pins],
        [symptom.key for symptom in case.symptoms],
        [hypothesis.key for hypothesis in case.hypotheses],
        [experiment.key for experiment in experiments],
    ]
    for key, count in Counter(chain.from_iterable(keyed)).items():
        if count > 1:
            yield f"the key {key} is used {count} times"
    pins, symptoms, hypotheses, runs = map(set, keyed)
    for hypothesis in case.hypotheses:
        named = [evidence.pin for evidence in hypothesis.evidence]
        yield from _unknown(
            hypothesis.key, [*named, *(step.pin for step in hypothesis.steps)], pins
        )
    for run in case.experiments:
        yield from _unknown("an experiment", [run.hypothesis], hypotheses)
    for experiment in experiments:
        yield from _unknown(experiment.key, [a.symptom for a in experiment.symptoms], symptoms)
    for action in case.actions:
        yield from _unknown("an action", [action.experiment], runs)


def _unknown(where: str, named: Iterable[str | None], known: set[str]) -> Iterable[str]:
    for name in named:
        if name is not None and name not in known:
            yield f"{where} names {name}, which the file does not define"
