"""Preview the result of a column mapping: first rows, series, and unreadable cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from pileup.formats.metrics.parts import csv_mapping
from pileup.formats.metrics.parts.csv_cells import TimeFormat
from pileup.formats.metrics.parts.csv_mapping import Guess, Kind, Role
from pileup.formats.metrics.parts.csv_preview import Preview, preview
from pileup.records import Samples, labels_text
from pileup.storage.artifacts.artifacts import Artifact, Artifacts
from pileup.storage.artifacts.mappings import Remembered
from pileup.storage.database import Unit

_SHOWN_SERIES = 60
_SHOWN_CELLS = 200
_CUT_CELL = 200
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TableColumn:
    name: str
    role: Role
    series: str | None
    kind: Kind
    unit: str | None


@dataclass(frozen=True, slots=True)
class TableMapping:
    delimiter: str
    decimal: str
    header_line: int
    """0: there is no header."""
    time_format: TimeFormat
    zone: str | None
    columns: list[TableColumn]


@dataclass(frozen=True, slots=True)
class MappingProblem:
    field: str
    message: str


@dataclass(frozen=True, slots=True)
class CellError:
    line: int
    column: int | None
    """1-based; null: the whole row."""
    message: str
    found: str


@dataclass(frozen=True, slots=True)
class PreviewRow:
    line: int
    cells: list[str]
    time: str | None
    """ISO 8601; with Z where it is absolute. Seconds since the start for a relative clock."""
    bad: list[int]
    """Columns (0-based) that could not be read."""


@dataclass(frozen=True, slots=True)
class PreviewSeries:
    name: str
    labels: str
    host: str | None
    kind: Kind
    unit: str | None
    values: int
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class MappingPreview:
    mapping: TableMapping
    sure: bool
    why: str
    """Why the guess is as it is, or who decided it."""
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


def mapping_preview(
    unit: Unit,
    artifact: Artifact,
    lines: Sequence[str],
    guess: Guess,
    remembered: Remembered | None,
) -> MappingPreview:
    """Read the first lines of a table with a guess, or with a saved mapping (``remembered``)."""
    mapping = guess.mapping
    seen = preview(lines, mapping, guess.header_line)
    key = csv_mapping.mapping_key(mapping.header, artifact.sha256)
    others = [other for other in Artifacts(unit).of_table(key) if other.id != artifact.id]
    return MappingPreview(
        mapping=TableMapping(
            delimiter=mapping.delimiter,
            decimal=mapping.decimal,
            header_line=guess.header_line or 0,
            time_format=mapping.time_format,
            zone=mapping.zone,
            columns=[TableColumn(**asdict(column)) for column in mapping.columns],
        ),
        sure=guess.sure,
        why=guess.why,
        remembered=remembered is not None,
        remembered_by=remembered.by if remembered else None,
        remembered_at=remembered.at if remembered else None,
        problems=[
            MappingProblem(field=field, message=message)
            for field, message in csv_mapping.find_problems(mapping)
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
                bad=[problem.column for problem in row.problems if problem.column is not None],
            )
            for row in seen.rows
        ],
        "rows_read": seen.rows_read,
        "rows_timed": seen.rows_timed,
        "cell_errors": [
            CellError(
                line=problem.line,
                column=None if problem.column is None else problem.column + 1,
                message=problem.message,
                found=problem.found[:_CUT_CELL],
            )
            for problem in seen.problems
        ],
        "cell_errors_total": seen.problem_count,
        "series": [_series(samples) for samples in seen.series[:_SHOWN_SERIES]],
        "series_total": len(seen.series),
    }


def _series(samples: Samples) -> PreviewSeries:
    known = [value for value in samples.values if value is not None]
    return PreviewSeries(
        name=samples.series,
        labels=labels_text(samples.labels),
        host=samples.host,
        kind=samples.kind,
        unit=samples.unit,
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
