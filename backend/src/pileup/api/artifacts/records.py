"""What was read of an artifact, record by record, and which record a line became."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl
from fastapi import APIRouter, Query

from pileup.api.deps import Services, ServicesDep, UnitDep
from pileup.api.schema import Out
from pileup.storage.artifacts.artifacts import Artifact, Artifacts
from pileup.storage.errors import NotFound
from pileup.storage.files.frames import FrameKey
from pileup.views.record_text import in_one_line, named_values

router = APIRouter(tags=["artifacts"])

MOST_AT = 50
"""Records that are told for some lines."""
_LINES = 2000
"""Lines that are asked for at most at once."""


class RecordRow(Out):
    kind: str
    index: int
    """Place among the records of its kind, from 0: in file order."""
    line_first: int
    line_last: int
    text: str


class RecordPage(Out):
    kind: str
    total: int
    offset: int
    items: list[RecordRow]


class RecordsAt(Out):
    items: list[RecordRow]
    """The narrowest first."""


class RecordField(Out):
    name: str
    value: str


class RecordOut(RecordRow):
    fields: list[RecordField]


@router.get("/artifacts/{artifact_id}/records")
def records(
    artifact_id: str,
    services: ServicesDep,
    unit: UnitDep,
    kind: str = Query(max_length=40),
    offset: int = Query(default=0, ge=0),
    limit: int = Query(default=200, ge=1, le=500),
) -> RecordPage:
    """A page of the records of one kind, in file order."""
    artifact = Artifacts(unit).get(artifact_id)
    frame = _scan(services, artifact, kind)
    page = frame.slice(offset, limit).collect()
    return RecordPage(
        kind=kind,
        total=artifact.records.get(kind, 0),
        offset=offset,
        items=list(_rows(kind, page.with_row_index("at", offset))),
    )


@router.get("/artifacts/{artifact_id}/records/at")
def records_at(
    artifact_id: str,
    services: ServicesDep,
    unit: UnitDep,
    line: int = Query(ge=1),
    to: int | None = Query(default=None, ge=1),
) -> RecordsAt:
    """The records that these lines became, of every kind: the narrowest first."""
    artifact = Artifacts(unit).get(artifact_id)
    last = min(max(line, to or line), line + _LINES)
    found: list[RecordRow] = []
    for kind, count in artifact.records.items():
        if count:
            found += _at(_scan(services, artifact, kind), kind, line, last)
    found.sort(key=lambda one: (one.line_last - one.line_first, one.line_first, one.kind))
    return RecordsAt(items=found[:MOST_AT])


@router.get("/artifacts/{artifact_id}/record")
def record(
    artifact_id: str,
    services: ServicesDep,
    unit: UnitDep,
    kind: str = Query(max_length=40),
    index: int = Query(ge=0),
) -> RecordOut:
    """One record with everything that was read."""
    artifact = Artifacts(unit).get(artifact_id)
    page = _scan(services, artifact, kind).slice(index, 1).collect()
    for row in page.with_row_index("at", index).iter_rows(named=True):
        fields = [RecordField(name=name, value=value) for name, value in named_values(kind, row)]
        return RecordOut(**dict(_row(kind, row)), fields=fields)
    raise NotFound(f"{artifact.path} holds no {kind.replace('_', ' ')} number {index}")


def _scan(services: Services, artifact: Artifact, kind: str) -> pl.LazyFrame:
    if artifact.format is not None and artifact.parser_version is not None:
        key = FrameKey(artifact.sha256, artifact.format, artifact.parser_version)
        if kind in artifact.records and (frame := services.frames.scan_kind(key, kind)) is not None:
            return frame if kind != "sample" else _with_last(frame)
    raise NotFound(f"{artifact.path} holds no records of the kind {kind[:40]!r}")


def _with_last(frame: pl.LazyFrame) -> pl.LazyFrame:
    return frame.with_columns(pl.col("line_first").alias("line_last"))


def _at(frame: pl.LazyFrame, kind: str, first: int, last: int) -> list[RecordRow]:
    numbered = frame.with_row_index("at")
    places = (
        numbered.select("at", "line_first", "line_last")
        .filter((pl.col("line_first") <= last) & (pl.col("line_last") >= first))
        .sort(pl.col("line_last") - pl.col("line_first"), "at")
        .head(MOST_AT)
        .collect()["at"]
    )
    if places.is_empty():
        return []
    # From the first of them to the last stand few rows, so that only those are read as a whole.
    begin, end = int(places.min()), int(places.max())  # type: ignore[arg-type]
    if end - begin > 5000:
        places = places.head(1)
        begin = end = int(places[0])
    rows = frame.slice(begin, end - begin + 1).collect().with_row_index("at", begin)
    return list(_rows(kind, rows.filter(pl.col("at").is_in(places.to_list()))))


def _rows(kind: str, frame: pl.DataFrame) -> Iterator[RecordRow]:
    for row in frame.iter_rows(named=True):
        yield _row(kind, row)


def _row(kind: str, row: dict[str, Any]) -> RecordRow:
    return RecordRow(
        kind=kind,
        index=row["at"],
        line_first=row["line_first"],
        line_last=row["line_last"],
        text=in_one_line(kind, row),
    )
