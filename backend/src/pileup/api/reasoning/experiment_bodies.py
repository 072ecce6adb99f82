"""What the routes of the experiment log accept: a plan, its changes, a start, a result."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from pileup.api.reasoning.hypotheses import Percent
from pileup.api.schema import In, Out
from pileup.storage.happened import Precision
from pileup.views.reasoning.experiment_outcome import Long, Prediction, SameWay, Verdict

Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Sweep = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]
_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]
_Value = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=300)]
Parameters = Annotated[dict[_Name, _Value], Field(max_length=10)]


class Observation(Out):
    text: Long = ""
    value: float | None = None


class RunFields(In):
    """When and where a run really ran, as a person gives it."""

    ran_from: datetime | None = None
    """When the run really began; null: when its start is recorded."""
    ran_to: datetime | None = None
    ran_precision: Precision | None = None
    """Null: exact."""
    host: Line | None = None
    build: Line | None = None
    cores: Line | None = None
    dataset: Line | None = None


class NewExperiment(RunFields):
    title: Title
    hypothesis_id: str | None = None
    change: Long = ""
    prediction: Prediction = Prediction()
    risk: Long = ""
    sweep: Sweep = ""
    parameters: Parameters = Field(default_factory=dict)


class ExperimentChange(RunFields):
    title: Title | None = None
    hypothesis_id: str | None = None
    change: Long | None = None
    prediction: Prediction | None = None
    risk: Long | None = None
    conclusion: Long | None = None
    sweep: Sweep | None = None
    parameters: Parameters | None = None
    failed_same_way: SameWay | None = None
    """Whether and how the run failed; also after its finish."""


class Start(In):
    happened_at: datetime | None = None
    """When the run really began; null: now. A run that began before needs no prediction."""
    happened_precision: Precision | None = None


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
    ran_to: datetime | None = None
    """When the run really ended; null: now."""


class Attachments(In):
    artifact_ids: list[str] = Field(max_length=1000)


class AttachedPin(In):
    pin_id: str
