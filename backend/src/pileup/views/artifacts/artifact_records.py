"""List what was parsed from an artifact, record by record, and the records of given lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from pileup.storage.artifacts.artifacts import Artifact
from pileup.storage.errors import NotFound
from pileup.storage.files.frames import FrameKey, FrameStore
from pileup.views.artifacts.record_text import in_one_line, named_values

MOST_AT = 50
"""Records that are listed for some lines."""
_LINES = 2000
"""Lines of one question at most."""


@dataclass(frozen=True, slots=True)
class RecordRow:
    kind: str
    index: int
    """Place among the records of its kind, from 0: in file order."""
    line_first: int
    line_last: int
    text: str


@dataclass(frozen=True, slots=True)
class RecordPage:
    kind: str
    total: int
    offset: int
    items: list[RecordRow]


@dataclass(frozen=True, slots=True)
class RecordsAt:
    items: list[RecordRow]
    """The narrowest first."""


@dataclass(frozen=True, slots=True)
class RecordField:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class RecordOut(RecordRow):
    fields: list[RecordField]


def record_page(
    frames: FrameStore, artifact: Artifact, kind: str, offset: int, limit: int
) -> RecordPage:
    """Return a page of the records of one kind, in file order; NotFound without such records."""
    page = _scan(frames, artifact, kind).slice(offset, limit).collect()
    return RecordPage(
        kind=kind,
        total=artifact.records.get(kind, 0),
        offset=offset,
        items=list(_rows(kind, page.with_row_index("at", offset))),
    )


def records_at(frames: FrameStore, artifact: Artifact, first: int, last: int) -> RecordsAt:
    """List the records of every kind that these lines became, the narrowest first."""
    last = min(last, first + _LINES)
    rows: list[RecordRow] = []
    for kind, count in artifact.records.items():
        if count:
            rows += _at(_scan(frames, artifact, kind), kind, first, last)
    rows.sort(key=lambda row: (row.line_last - row.line_first, row.line_first, row.kind))
    return RecordsAt(items=rows[:MOST_AT])


def record(frames: FrameStore, artifact: Artifact, kind: str, index: int) -> RecordOut:
    """Return one record with all its values; raises NotFound."""
    page = _scan(frames, artifact, kind).slice(index, 1).collect()
    for row in page.with_row_index("at", index).iter_rows(named=True):
        return RecordOut(
            kind=kind,
            index=row["at"],
            line_first=row["line_first"],
            line_last=row["line_last"],
            text=in_one_line(kind, row),
            fields=[RecordField(name=name, value=value) for name, value in named_values(kind, row)],
        )
    raise NotFound(f"{artifact.path} holds no {kind.replace('_', ' ')} number {index}")


def _scan(frames: FrameStore, artifact: Artifact, kind: str) -> pl.LazyFrame:
    if artifact.format is not None and artifact.parser_version is not None:
        key = FrameKey(artifact.sha256, artifact.format, artifact.parser_version)
        if kind in artifact.records and (frame := frames.scan_kind(key, kind)) is not None:
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
