"""What the columns of a table are: seen before it is said, said once, and remembered per header."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from fastapi import APIRouter, Response
from pydantic import Field

from pileup.api.auth import Caller
from pileup.api.deps import Services, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import In, Out
from pileup.formats.metrics import csv_table
from pileup.formats.metrics.parts import csv_mapping
from pileup.formats.metrics.parts.csv_cells import TimeFormat
from pileup.formats.metrics.parts.csv_mapping import Column, Guess, Kind, Mapping, Role
from pileup.formats.metrics.parts.csv_preview import Preview, preview
from pileup.formats.reading import archive
from pileup.formats.reading.text import LineReader
from pileup.records import Samples, labels_text
from pileup.storage.artifacts.artifacts import Artifact, Artifacts
from pileup.storage.artifacts.mappings import Mappings, Remembered
from pileup.storage.database import Unit
from pileup.storage.errors import Refused

router = APIRouter(tags=["artifacts"])

_SHOWN_SERIES = 60
_SHOWN_CELLS = 200
_CUT_CELL = 200
_AT_REST = ("done", "done_with_problems", "unknown_format", "failed")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class MappingColumn(In):
    name: str = Field(max_length=10_000)
    role: Role
    series: str | None = Field(default=None, max_length=300)
    kind: Kind = "gauge"
    unit: str | None = Field(default=None, max_length=40)


class MappingDraft(In):
    """What is left out is guessed; columns that do not fit the separator are guessed anew."""

    delimiter: str | None = Field(default=None, min_length=1, max_length=1)
    decimal: str | None = Field(default=None, min_length=1, max_length=1)
    header_line: int | None = Field(default=None, ge=0, le=csv_mapping.HEAD_LINES)
    """1-based; 0: there is no header."""
    time_format: TimeFormat | None = None
    zone: str | None = Field(default=None, max_length=100)
    columns: list[MappingColumn] | None = Field(default=None, max_length=csv_mapping.MOST_COLUMNS)


class TableColumn(Out):
    name: str
    role: Role
    series: str | None
    kind: Kind
    unit: str | None


class TableMapping(Out):
    delimiter: str
    decimal: str
    header_line: int
    """0: there is no header."""
    time_format: TimeFormat
    zone: str | None
    columns: list[TableColumn]


class MappingProblem(Out):
    field: str
    message: str


class CellError(Out):
    line: int
    column: int | None
    """1-based; null: the whole row."""
    message: str
    found: str


class PreviewRow(Out):
    line: int
    cells: list[str]
    time: str | None
    """ISO 8601; with Z where it is absolute. Seconds since the start for a relative clock."""
    bad: list[int]
    """Columns (0-based) that could not be read."""


class PreviewSeries(Out):
    name: str
    labels: str
    host: str | None
    kind: Kind
    unit: str | None
    values: int
    low: float | None
    high: float | None


class MappingPreview(Out):
    mapping: TableMapping
    sure: bool
    why: str
    """Why the guess is as it is, or who said it."""
    remembered: bool
    remembered_by: str | None
    remembered_at: datetime | None
    problems: list[MappingProblem]
    """What keeps this mapping from being used."""
    head: list[str]
    """The first lines as they are, for choosing the header."""
    rows: list[PreviewRow]
    rows_read: int
    rows_timed: int
    cell_errors: list[CellError]
    cell_errors_total: int
    series: list[PreviewSeries]
    series_total: int
    same_header: int
    """Other artifacts with this header: they are read again too."""


class MappingSaved(Out):
    read_again: int
    """Artifacts that are read again, this one among them."""


@router.get("/artifacts/{artifact_id}/mapping")
def mapping(artifact_id: str, services: ServicesDep, unit: UnitDep) -> MappingPreview:
    """What a person said of its columns, else the likeliest guess, and what comes of it."""
    artifact, lines, head = _table(services, unit, artifact_id)
    remembered = Mappings(unit).find(csv_mapping.keys_in(head, artifact.sha256))
    if remembered is None:
        return _shown(unit, artifact, lines, csv_mapping.guess(lines), None)
    said = msgspec.convert(remembered.mapping, Mapping)
    at = csv_mapping.find_header(lines, said.header) if said.header is not None else 0
    guess = Guess(said, at, True, f"said by {remembered.by or 'somebody who left'}")
    return _shown(unit, artifact, lines, guess, remembered)


@router.get("/artifacts/{artifact_id}/mapping/file", response_class=Response)
def mapping_file(artifact_id: str, services: ServicesDep, unit: UnitDep) -> Response:
    """What is remembered for its header, as a file for ``pileup analyze --mapping``."""
    artifact, _, head = _table(services, unit, artifact_id)
    remembered = Mappings(unit).find(csv_mapping.keys_in(head, artifact.sha256))
    if remembered is None:
        raise ApiError(404, "No mapping", f"nobody said what the columns of {artifact.path} are")
    said = msgspec.convert(remembered.mapping, Mapping)
    return Response(
        msgspec.json.format(msgspec.json.encode(said), indent=2),
        media_type="application/json",
        headers={"Content-Disposition": "attachment; filename=pileup-mapping.json"},
    )


@router.post("/artifacts/{artifact_id}/mapping/preview")
def preview_mapping(
    artifact_id: str, body: MappingDraft, services: ServicesDep, unit: UnitDep
) -> MappingPreview:
    """What would come of this mapping; nothing is changed."""
    artifact, lines, _ = _table(services, unit, artifact_id)
    return _shown(unit, artifact, lines, _completed(lines, body), None)


@router.put("/artifacts/{artifact_id}/mapping")
def remember_mapping(
    artifact_id: str, body: MappingDraft, caller: Caller, services: ServicesDep, unit: UnitDep
) -> MappingSaved:
    """Say what the columns are: remembered for this header, and every such table is read again."""
    artifact, lines, _ = _table(services, unit, artifact_id)
    if artifact.state not in _AT_REST:
        raise ApiError(409, "Not read yet", f"{artifact.path} is still being read; try again")
    guess = _completed(lines, body)
    if found := csv_mapping.problems_of(guess.mapping):
        field, message = found[0]
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
    key = csv_mapping.key_of(guess.mapping.header, artifact.sha256)
    told = msgspec.to_builtins(guess.mapping)
    Mappings(unit).remember(caller.actor, key, guess.mapping.header, told, artifact.incident_id)
    if artifact.format_given not in (None, csv_table.NAME):
        Artifacts(unit).change(caller.actor, artifact_id, {"format_given": csv_table.NAME})
    return _read_again(services, unit, artifact, key)


@router.delete("/artifacts/{artifact_id}/mapping")
def forget_mapping(
    artifact_id: str, caller: Caller, services: ServicesDep, unit: UnitDep
) -> MappingSaved:
    """Forget what was said of tables with this header; they are read by a guess again."""
    artifact, _, head = _table(services, unit, artifact_id)
    remembered = Mappings(unit).find(csv_mapping.keys_in(head, artifact.sha256))
    if remembered is None:
        return MappingSaved(read_again=0)
    Mappings(unit).forget(caller.actor, remembered.key, artifact.incident_id)
    return _read_again(services, unit, artifact, remembered.key)


def _read_again(services: Services, unit: Unit, artifact: Artifact, key: str) -> MappingSaved:
    artifacts = Artifacts(unit)
    same = [
        one.id
        for one in artifacts.of_table(key)
        if one.id != artifact.id
        and one.state in _AT_REST
        and one.format_given in (None, csv_table.NAME)
    ]
    for artifact_id in (artifact.id, *same):
        services.send_after_commit(unit, artifacts.reparse(artifact_id))
    return MappingSaved(read_again=1 + len(same))


def _table(services: Services, unit: Unit, artifact_id: str) -> tuple[Artifact, list[str], str]:
    """The artifact, its first lines, and its head as the formats see it."""
    artifact = Artifacts(unit).get(artifact_id)
    if artifact.state == "expanded" or archive.kind_of(services.blobs.path(artifact.sha256)):
        raise ApiError(409, "No table", f"{artifact.path} is an archive: open its members instead")
    with services.blobs.open(artifact.sha256) as blob:
        head = LineReader(blob).head
    lines = head.split("\n")[: csv_mapping.HEAD_LINES]
    if len(lines) > 2 and artifact.bytes > len(head.encode()) and len(lines) < 200:
        lines = lines[:-1]  # the head ends inside it
    return artifact, lines, head


def _completed(lines: Sequence[str], draft: MappingDraft) -> Guess:
    """The draft with what it leaves out guessed."""
    guess = csv_mapping.guess(
        lines,
        delimiter=draft.delimiter,
        decimal=draft.decimal,
        header_line=draft.header_line,
        time_format=draft.time_format,
    )
    said = replace(guess.mapping, zone=(draft.zone or "").strip() or None)
    if draft.columns is not None and len(draft.columns) == len(said.columns):
        columns = tuple(
            Column(
                name=known.name,
                role=one.role,
                series=(one.series or "").strip() or None,
                kind=one.kind,
                unit=(one.unit or "").strip() or None,
            )
            for known, one in zip(said.columns, draft.columns, strict=True)
        )
        said = replace(said, columns=columns)
    return replace(guess, mapping=said)


def _shown(
    unit: Unit,
    artifact: Artifact,
    lines: Sequence[str],
    guess: Guess,
    remembered: Remembered | None,
) -> MappingPreview:
    said = guess.mapping
    seen = preview(lines, said, guess.header_line)
    key = csv_mapping.key_of(said.header, artifact.sha256)
    others = [one for one in Artifacts(unit).of_table(key) if one.id != artifact.id]
    return MappingPreview(
        mapping=TableMapping(
            delimiter=said.delimiter,
            decimal=said.decimal,
            header_line=guess.header_line or 0,
            time_format=said.time_format,
            zone=said.zone,
            columns=[TableColumn(**asdict(column)) for column in said.columns],
        ),
        sure=guess.sure,
        why=guess.why,
        remembered=remembered is not None,
        remembered_by=remembered.by if remembered else None,
        remembered_at=remembered.at if remembered else None,
        problems=[
            MappingProblem(field=field, message=message)
            for field, message in csv_mapping.problems_of(said)
        ],
        head=[line[:500] for line in lines[:12]],
        same_header=len(others),
        **_seen(seen),
    )


def _seen(seen: Preview) -> dict[str, Any]:
    return {
        "rows": [
            PreviewRow(
                line=row.line,
                cells=[cell[:_CUT_CELL] for cell in row.cells[:_SHOWN_CELLS]],
                time=_time_text(row.time),
                bad=[one.column for one in row.problems if one.column is not None],
            )
            for row in seen.rows
        ],
        "rows_read": seen.rows_read,
        "rows_timed": seen.rows_timed,
        "cell_errors": [
            CellError(
                line=one.line,
                column=None if one.column is None else one.column + 1,
                message=one.message,
                found=one.found[:_CUT_CELL],
            )
            for one in seen.problems
        ],
        "cell_errors_total": seen.problem_count,
        "series": [_series(one) for one in seen.series[:_SHOWN_SERIES]],
        "series_total": len(seen.series),
    }


def _series(one: Samples) -> PreviewSeries:
    known = [value for value in one.values if value is not None]
    return PreviewSeries(
        name=one.series,
        labels=labels_text(one.labels),
        host=one.host,
        kind=one.kind,
        unit=one.unit,
        values=len(known),
        low=min(known, default=None),
        high=max(known, default=None),
    )


def _time_text(time: tuple[int, str] | None) -> str | None:
    if time is None:
        return None
    micros, clock = time
    if clock == "relative":
        return f"{micros / 1e6:g} s"
    text = (_EPOCH + timedelta(microseconds=micros)).strftime("%Y-%m-%d %H:%M:%S.%f")
    text = text.removesuffix("000").removesuffix(".000")
    return text + "Z" if clock == "utc" else text
