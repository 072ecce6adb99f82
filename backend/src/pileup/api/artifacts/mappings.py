"""Routes for column mappings: preview one, save it per header, and forget it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
from fastapi import APIRouter, Response
from pydantic import Field

from pileup.api.auth import Caller, Principal
from pileup.api.deps import Services, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import In, Out
from pileup.formats.metrics import csv_table
from pileup.formats.metrics.parts import csv_mapping
from pileup.formats.metrics.parts.csv_cells import TimeFormat
from pileup.formats.metrics.parts.csv_mapping import Column, Guess, Kind, Mapping, Role
from pileup.formats.metrics.parts.csv_preview import preview
from pileup.formats.reading import archive
from pileup.formats.reading.text import LineReader
from pileup.storage.artifacts.artifacts import Artifact, Artifacts
from pileup.storage.artifacts.mappings import Mappings
from pileup.storage.database import Unit
from pileup.storage.errors import Refused
from pileup.views.artifacts.mapping_preview import MappingPreview, mapping_preview

router = APIRouter(tags=["artifacts"])

_AT_REST = ("done", "done_with_problems", "unknown_format", "failed")


class MappingColumn(In):
    name: str = Field(max_length=10_000)
    role: Role
    series: str | None = Field(default=None, max_length=300)
    kind: Kind = "gauge"
    unit: str | None = Field(default=None, max_length=40)


class MappingDraft(In):
    """A mapping whose missing values are guessed, as are columns that do not fit the separator."""

    delimiter: str | None = Field(default=None, min_length=1, max_length=1)
    decimal: str | None = Field(default=None, min_length=1, max_length=1)
    header_line: int | None = Field(default=None, ge=0, le=csv_mapping.HEAD_LINES)
    """1-based; 0: there is no header."""
    time_format: TimeFormat | None = None
    zone: str | None = Field(default=None, max_length=100)
    columns: list[MappingColumn] | None = Field(default=None, max_length=csv_mapping.MOST_COLUMNS)


class MappingSaved(Out):
    read_again: int
    """Artifacts that are parsed again, including this one."""


@router.get("/artifacts/{artifact_id}/mapping")
def mapping(artifact_id: str, services: ServicesDep, unit: UnitDep) -> MappingPreview:
    """Return the saved mapping of a table, else the likeliest guess, and preview its result."""
    artifact, lines, head = _table(services, unit, artifact_id)
    remembered = Mappings(unit).find(csv_mapping.keys_in(head, artifact.sha256))
    if remembered is None:
        return mapping_preview(unit, artifact, lines, csv_mapping.guess(lines), None)
    saved = msgspec.convert(remembered.mapping, Mapping)
    at = csv_mapping.find_header(lines, saved.header) if saved.header is not None else 0
    guess = Guess(saved, at, True, f"set by {remembered.by or 'a deleted user'}")
    return mapping_preview(unit, artifact, lines, guess, remembered)


@router.get("/artifacts/{artifact_id}/mapping/file", response_class=Response)
def mapping_file(artifact_id: str, services: ServicesDep, unit: UnitDep) -> Response:
    """Download the mapping saved for a header, as a file for ``pileup analyze --mapping``."""
    artifact, _, head = _table(services, unit, artifact_id)
    remembered = Mappings(unit).find(csv_mapping.keys_in(head, artifact.sha256))
    if remembered is None:
        raise ApiError(404, "No mapping", f"nobody has set what the columns of {artifact.path} are")
    saved = msgspec.convert(remembered.mapping, Mapping)
    return Response(
        msgspec.json.format(msgspec.json.encode(saved), indent=2),
        media_type="application/json",
        headers={"Content-Disposition": "attachment; filename=pileup-mapping.json"},
    )


@router.post("/artifacts/{artifact_id}/mapping/preview")
def preview_mapping(
    artifact_id: str, body: MappingDraft, services: ServicesDep, unit: UnitDep
) -> MappingPreview:
    """Preview the result of a mapping; nothing changes."""
    artifact, lines, _ = _table(services, unit, artifact_id)
    return mapping_preview(unit, artifact, lines, _completed(lines, body), None)


@router.put("/artifacts/{artifact_id}/mapping")
def remember_mapping(
    artifact_id: str, body: MappingDraft, caller: Caller, services: ServicesDep, unit: UnitDep
) -> MappingSaved:
    """Save a mapping for this header and parse every table with it again.

    Tables of incidents that the caller may only read stay as they are; whoever changes those
    incidents parses them again.
    """
    _of_all_incidents(caller)
    artifact, lines, _ = _table(services, unit, artifact_id)
    if artifact.state not in _AT_REST:
        raise ApiError(409, "Not read yet", f"{artifact.path} is still being read; try again")
    guess = _completed(lines, body)
    if rows := csv_mapping.find_problems(guess.mapping):
        field, message = rows[0]
        raise Refused(message, field)
    seen = preview(lines, guess.mapping, guess.header_line)
    if not seen.rows_timed:
        first = seen.problems[0] if seen.problems else None
        where = f"line {first.line}: {first.found!r}" if first else "there are no rows"
        raise Refused(
            f"no time could be read in the first {seen.rows_read} rows ({where}); choose another "
            "time format or time column",
            "time_format",
        )
    key = csv_mapping.mapping_key(guess.mapping.header, artifact.sha256)
    document = msgspec.to_builtins(guess.mapping)
    Mappings(unit).remember(caller.actor, key, guess.mapping.header, document, artifact.incident_id)
    if artifact.format_given not in (None, csv_table.NAME):
        Artifacts(unit).change(caller.actor, artifact_id, {"format_given": csv_table.NAME})
    return _read_again(unit, artifact, key)


@router.delete("/artifacts/{artifact_id}/mapping")
def forget_mapping(
    artifact_id: str, caller: Caller, services: ServicesDep, unit: UnitDep
) -> MappingSaved:
    """Delete the mapping of this header and parse its tables with a guess again."""
    _of_all_incidents(caller)
    artifact, _, head = _table(services, unit, artifact_id)
    remembered = Mappings(unit).find(csv_mapping.keys_in(head, artifact.sha256))
    if remembered is None:
        return MappingSaved(read_again=0)
    Mappings(unit).forget(caller.actor, remembered.key, artifact.incident_id)
    return _read_again(unit, artifact, remembered.key)


def _of_all_incidents(caller: Principal) -> None:
    if caller.incident_id:
        raise ApiError(
            403,
            "Only one incident",
            "a mapping counts for tables of every incident; this token opens one incident",
        )


def _read_again(unit: Unit, artifact: Artifact, key: str) -> MappingSaved:
    artifacts = Artifacts(unit)
    same = [
        item.id
        for item in artifacts.of_table(key, to_change=True)
        if item.id != artifact.id
        and item.state in _AT_REST
        and item.format_given in (None, csv_table.NAME)
    ]
    for artifact_id in (artifact.id, *same):
        artifacts.reparse(artifact_id)
    return MappingSaved(read_again=1 + len(same))


def _table(services: Services, unit: Unit, artifact_id: str) -> tuple[Artifact, list[str], str]:
    """Load an artifact, its first lines, and its head as the formats see it."""
    artifact = Artifacts(unit).get(artifact_id)
    if artifact.state == "expanded" or archive.detect_container(
        services.blobs.path(artifact.sha256)
    ):
        raise ApiError(409, "No table", f"{artifact.path} is an archive: open its members instead")
    with services.blobs.open(artifact.sha256) as blob:
        head = LineReader(blob).head
    lines = head.split("\n")[: csv_mapping.HEAD_LINES]
    if len(lines) > 2 and artifact.bytes > len(head.encode()) and len(lines) < 200:
        lines = lines[:-1]  # the head ends inside it
    return artifact, lines, head


def _completed(lines: Sequence[str], draft: MappingDraft) -> Guess:
    """Build a mapping from a draft and guess what the draft leaves out."""
    guess = csv_mapping.guess(
        lines,
        delimiter=draft.delimiter,
        decimal=draft.decimal,
        header_line=draft.header_line,
        time_format=draft.time_format,
    )
    mapping = replace(guess.mapping, zone=(draft.zone or "").strip() or None)
    if draft.columns is not None and len(draft.columns) == len(mapping.columns):
        columns = tuple(
            Column(
                name=known.name,
                role=column.role,
                series=(column.series or "").strip() or None,
                kind=column.kind,
                unit=(column.unit or "").strip() or None,
            )
            for known, column in zip(mapping.columns, draft.columns, strict=True)
        )
        mapping = replace(mapping, columns=columns)
    return replace(guess, mapping=mapping)
