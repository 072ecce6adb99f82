"""Check the rows of a bundle as the API checks requests: by the same fields of the same models.

A column is checked by the first model here that has a field of its name, so that a limit of the API
is a limit of the import. What no request writes (recorded times, counts) is checked by its type in
``storage.lifecycle.bundle_rows``.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, TypeAdapter, ValidationError

from pileup.api.artifacts.artifacts import ArtifactChange, check_format, check_zone
from pileup.api.artifacts.given import GivenTime
from pileup.api.errors import ApiError
from pileup.api.evidence.findings import FINDING_ID, NewVerdict
from pileup.api.evidence.stacks import NewStackPile
from pileup.api.evidence.timeline import NewAnnotation, NewStallCorrection
from pileup.api.incidents.incidents import IncidentChange, NewIncident
from pileup.api.incidents.view_links import NewViewLink
from pileup.api.reasoning.comments import NewComment
from pileup.api.reasoning.experiment_bodies import ExperimentChange, Finish, NewExperiment
from pileup.api.reasoning.experiments import Experiment
from pileup.api.reasoning.hypotheses import (
    HypothesisChange,
    NewConfidence,
    NewEvidence,
    NewHypothesis,
)
from pileup.api.reasoning.matrix import NewRating, NewWeight
from pileup.api.reasoning.measurements import TypedValue
from pileup.api.reasoning.pins import NewPin, PinPlace
from pileup.api.reasoning.symptoms import NewAnswer, NewSymptom
from pileup.api.reports.actions import NewAction
from pileup.api.reports.releases import NewApproval, Release
from pileup.api.reports.releases import Note as ReleaseNote
from pileup.api.reports.reports import TemplateChoice
from pileup.api.reports.texts import VersionName
from pileup.storage.artifacts.artifacts import clean_path
from pileup.storage.errors import Refused
from pileup.storage.incidents.incidents import checked_title
from pileup.storage.incidents.view_links import check_view
from pileup.views.reasoning.pictures import clean_svg

_MODELS: dict[str, tuple[type[BaseModel], ...]] = {
    "action_items": (NewAction,),
    "annotations": (NewAnnotation,),
    "artifacts": (ArtifactChange, GivenTime),
    "comments": (NewComment,),
    "confidence_steps": (HypothesisChange, NewConfidence),
    "evidence": (NewEvidence,),
    "evidence_weights": (NewWeight,),
    "experiments": (NewExperiment, ExperimentChange, Finish, Experiment),
    "finding_verdicts": (NewVerdict,),
    "hypotheses": (NewHypothesis, HypothesisChange),
    "incidents": (NewIncident, IncidentChange),
    "live_text_versions": (VersionName,),
    "measurements": (TypedValue,),
    "pins": (NewPin,),
    "ratings": (NewRating,),
    "release_approvals": (NewApproval,),
    "releases": (Release,),
    "report_choices": (TemplateChoice,),
    "stack_verdicts": (NewStackPile,),
    "stall_corrections": (NewStallCorrection,),
    "symptom_answers": (NewAnswer,),
    "symptoms": (NewSymptom,),
    "view_links": (NewViewLink,),
}
"""Table -> the models of requests and answers that write and show its rows."""

_NAMES = {
    "artifacts": {
        "format_given": "format",
        "given_at": "at",
        "given_within_s": "within_s",
        "given_host": "host",
    }
}
"""Columns whose field has another name."""

_STORED = frozenset({"incident_id", "number", "signature", "bytes", "reason", "created_at"})
"""Columns that are stored in another form than a request or answer of the same name has."""


def _same(value: str, cleaned: str) -> str:
    if value != cleaned:
        raise ValueError(f"Pileup writes it as {cleaned[:80]!r}")
    return value


def _picture(drawing: str) -> str:
    if clean_svg(drawing) != drawing:
        raise ValueError("it is a drawing with something in it that Pileup takes out")
    return drawing


def _view(view: str) -> str:
    check_view(view)
    return view


_OWN: dict[tuple[str, str], Any] = {
    ("artifacts", "also_at"): list[Annotated[str, Field(max_length=5000)]],
    ("artifacts", "format_given"): Annotated[str, AfterValidator(check_format)],
    ("artifacts", "path"): Annotated[str, AfterValidator(lambda v: _same(v, clean_path(v)))],
    ("artifacts", "zone"): Annotated[
        str, AfterValidator(lambda v: _same(v, zone.name if (zone := check_zone(v)) else ""))
    ],
    ("audit", "action"): Annotated[str, Field(max_length=100, pattern=r"^[a-z_]+(\.[a-z_]+)+$")],
    ("audit", "detail"): dict[str, Any],
    ("audit", "target"): Annotated[str, Field(max_length=5000)],
    ("confidence_steps", "reason"): Annotated[str, Field(max_length=2000)],
    ("finding_verdicts", "finding_id"): FINDING_ID,
    ("finding_verdicts", "reason"): Annotated[str, Field(max_length=2000)],
    ("hypotheses", "finding_id"): FINDING_ID,
    ("incidents", "title"): Annotated[str, AfterValidator(lambda v: _same(v, checked_title(v)))],
    ("live_text_versions", "key"): Annotated[str, Field(max_length=120)],
    ("live_texts", "key"): Annotated[str, Field(max_length=120)],
    ("measurements", "basis"): Annotated[str, Field(max_length=2000)],
    ("pins", "locator"): PinPlace,
    ("pins", "excerpt"): Annotated[str, Field(max_length=200_000)],
    ("pins", "picture"): Annotated[str, AfterValidator(_picture)],
    ("release_approvals", "note"): ReleaseNote,
    ("releases", "note"): ReleaseNote,
    ("stack_verdicts", "stack_key"): Annotated[str, Field(max_length=200)],
    ("view_links", "view"): Annotated[str, AfterValidator(_view)],
}
"""Columns with a rule that no field of a model has, or which the server writes otherwise."""


def check_row(table: str, row: dict[str, Any]) -> tuple[str, str] | None:
    """Return the first field that the API would refuse, and why; None for a good row.

    Null is for the database to judge: what must not be null is a column that says so.
    """
    for column, value in row.items():
        adapter = None if value is None else _adapter(table, column)
        if adapter is None:
            continue
        try:
            adapter.validate_python(value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            inside = ".".join(str(part) for part in first["loc"])
            return (f"{column}.{inside}" if inside else column), first["msg"]
        except (Refused, ApiError) as error:
            return column, str(error)
    return None


@cache
def _adapter(table: str, column: str) -> TypeAdapter[Any] | None:
    if (table, column) in _OWN:
        return TypeAdapter(_OWN[table, column])
    name = _NAMES.get(table, {}).get(column, column)
    if name in _STORED or name.endswith("_id"):
        return None
    for model in _MODELS.get(table, ()):
        if (field := model.model_fields.get(name)) is not None:
            kind: Any = field.annotation
            return TypeAdapter(Annotated[kind, *field.metadata] if field.metadata else kind)
    return None
