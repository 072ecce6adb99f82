"""Build the list of artifacts, and one artifact with its receipt, sections and problems."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from typing import Any, Literal

from pileup import formats
from pileup.storage.artifacts.artifacts import Artifact as Stored
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Unit
from pileup.storage.files import outline
from pileup.views.documents import ClockJson
from pileup.views.records import from_values

State = Literal[
    "queued",
    "identifying",
    "parsing",
    "done",
    "done_with_problems",
    "unknown_format",
    "failed",
    "expanded",
    "excluded",
]
_AT_REST = ("done", "done_with_problems", "unknown_format", "failed")


@dataclass(frozen=True, slots=True)
class Artifact:
    id: str
    parent_id: str | None
    path: str
    also_at: list[str]
    """Other paths at which the same bytes came."""
    name: str
    sha256: str
    bytes: int
    bundle: str | None
    format: str | None
    format_title: str | None
    format_given: bool
    confidence: float | None
    why: str | None
    candidates: list[str]
    state: State
    excluded: bool
    run_id: str | None
    """The experiment that it belongs to: no part of the incident's analysis."""
    progress: float | None
    host: str | None
    first: datetime | None
    last: datetime | None
    clock: ClockJson | None
    zone: str | None
    offset_s: float | None
    given_at: datetime | None
    given_within_s: float | None
    given_host: str | None
    coverage: float | None
    records: dict[str, int]
    problems: int
    error: str | None
    parser_version: int | None
    uploaded_by: str | None
    uploaded_at: datetime


@dataclass(frozen=True, slots=True)
class SkippedRange:
    line_first: int
    line_last: int
    why: str


@dataclass(frozen=True, slots=True)
class ReceiptOut:
    bytes_read: int
    lines: int
    bytes_understood: int
    bytes_skipped: int
    skipped: list[SkippedRange]
    records: dict[str, int]


@dataclass(frozen=True, slots=True)
class SectionOut:
    title: str
    line_first: int
    line_last: int
    level: int
    understood: bool


@dataclass(frozen=True, slots=True)
class ArtifactProblem:
    artifact: str
    path: str
    line: int | None
    message: str
    expected: str | None
    found: str | None
    severity: str


@dataclass(frozen=True, slots=True)
class ArtifactDetail(Artifact):
    receipt: ReceiptOut | None
    sections: list[SectionOut]
    """Over the whole file, at most some thousand: see sections_in_all."""
    sections_in_all: int
    """More than ``sections`` holds: request those of a range of lines by themselves."""
    problems_list: list[ArtifactProblem]


def shape(artifact: Stored) -> Artifact:
    """Build the list entry of an artifact."""
    return Artifact(**_values(artifact))


def detail(unit: Unit, artifact_id: str) -> ArtifactDetail:
    """Return one artifact with its parse receipt, sections and problems; raises NotFound."""
    artifacts = Artifacts(unit)
    artifact = artifacts.get(artifact_id)
    more = artifacts.detail(artifact_id)
    return ArtifactDetail(
        **_values(artifact),
        receipt=_receipt(more.receipt) if more.receipt else None,
        sections=[
            from_values(SectionOut, section)
            for section in outline.thin_out(more.sections, outline.MOST_SENT)
        ],
        sections_in_all=len(more.sections),
        problems_list=[
            ArtifactProblem(
                artifact=artifact.sha256,
                path=artifact.path,
                line=problem.line,
                message=problem.message,
                expected=problem.expected,
                found=problem.found,
                severity=problem.severity,
            )
            for problem in more.problems
        ],
    )


def sections_in(unit: Unit, artifact_id: str, first: int, last: int) -> list[SectionOut]:
    """List the sections that begin in a range of lines; raises NotFound."""
    artifacts = Artifacts(unit)
    artifacts.get(artifact_id)
    inside = outline.sections_in(artifacts.sections(artifact_id), first, last)
    return [from_values(SectionOut, section) for section in inside]


def _receipt(receipt: dict[str, Any]) -> ReceiptOut:
    skipped = [from_values(SkippedRange, each) for each in receipt["skipped"]]
    return from_values(ReceiptOut, receipt | {"skipped": skipped})


def _values(artifact: Stored) -> dict[str, Any]:
    names = {each.name for each in fields(Artifact)}
    names -= {"format_title", "format_given", "state", "name"}
    values = {name: getattr(artifact, name) for name in names}
    excluded = not artifact.is_analysed and artifact.state in _AT_REST
    return values | {
        "name": artifact.name,
        "also_at": list(artifact.also_at),
        "candidates": list(artifact.candidates),
        "format_title": _titles().get(artifact.format or ""),
        "format_given": artifact.format_given is not None,
        "state": "excluded" if excluded else artifact.state,
        "clock": _without_suggestion(artifact.clock) if artifact.run_id else artifact.clock,
    }


def _without_suggestion(clock: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a clock without a correction towards the incident: a run has its own clock."""
    if clock is None:
        return None
    return clock | {"suggested_offset_s": None, "suggested_how": "", "moves": 0, "outside": 0}


@cache
def _titles() -> dict[str, str]:
    return {each.NAME: each.TITLE for each in formats.FORMATS} | {"archive": "Archive"}
