"""Convert records to frames and back: one schema per record kind."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from pileup.records.base import Event, Record, Setting, Snapshot, Table
from pileup.records.columns import (
    dataclass_schema,
    field_names,
    field_types,
    record_columns,
    revive,
)
from pileup.records.latches import EventWait, LatchHold, SemaphoreWait
from pileup.records.locks import (
    Deadlock,
    ForeignKeyError,
    LockWait,
    MetadataLock,
    Transaction,
    TrxLock,
)
from pileup.records.sessions import Query, ServerThread, Session
from pileup.records.stacks import Stack

KINDS: dict[str, type[Record]] = {
    cls.KIND: cls
    for cls in (
        Snapshot,
        SemaphoreWait,
        Transaction,
        TrxLock,
        MetadataLock,
        LatchHold,
        EventWait,
        LockWait,
        Deadlock,
        ForeignKeyError,
        Session,
        ServerThread,
        Stack,
        Event,
        Setting,
        Query,
        Table,
    )
}
"""Record kind -> record type. Samples are the one kind without a record type."""


SAMPLE = "sample"


SAMPLE_SCHEMA: dict[str, pl.DataType] = {
    "series": pl.String(),
    "labels": pl.String(),
    "kind": pl.String(),
    "unit": pl.String(),
    "host": pl.String(),
    "wall_us": pl.Int64(),
    "clock": pl.String(),
    "value": pl.Float64(),
    "line_first": pl.Int64(),
}


def frame_schema(kind: str) -> dict[str, pl.DataType]:
    """Return the polars schema of a record kind's frame, before the driver adds ``artifact``."""
    if kind == SAMPLE:
        return dict(SAMPLE_SCHEMA)
    return dict(dataclass_schema(KINDS[kind]))


def build_frame(kind: str, columns: Mapping[str, Any]) -> pl.DataFrame:
    """Build a frame of ``frame_schema(kind)`` from columns, for ``Rows``.

    columns: by name, one value per row (a Series or a list) or one value for all rows. Columns
             left out have the record's default; ``line_last`` is then ``line_first``, and a
             sample's labels are empty. A list decides the height, so at least one is required.
             Types are cast strictly: a value that does not fit raises.
    """
    height = next(
        len(column) for column in columns.values() if isinstance(column, pl.Series | list)
    )
    return pl.DataFrame(
        [
            _full_column(name, dtype, _given(kind, name, columns), height)
            for name, dtype in frame_schema(kind).items()
        ]
    )


def _given(kind: str, name: str, columns: Mapping[str, Any]) -> Any:
    if name in columns:
        return columns[name]
    if name == "line_last":
        return columns["line_first"]
    if kind == SAMPLE:
        return "" if name == "labels" else None
    default = KINDS[kind].__dataclass_fields__[name].default
    if default is dataclasses.MISSING:
        raise TypeError(f"a frame of {kind} needs the column {name}")
    return default


def _full_column(name: str, dtype: pl.DataType, given: Any, height: int) -> pl.Series:
    if isinstance(given, pl.Series):
        return given.cast(dtype).alias(name)
    if isinstance(given, list):
        return pl.Series(name, given, dtype=dtype, strict=True)
    if isinstance(given, tuple):
        given = list(given)
    return pl.Series(name, [given], dtype=dtype, strict=True).new_from_index(0, height)


def records_frame(kind: str, records: Iterable[Record]) -> pl.DataFrame:
    """Build a frame of ``frame_schema(kind)`` from records of one kind, in the given order."""
    return pl.DataFrame(record_columns(KINDS[kind], list(records)))


def with_all_columns(kind: str, frame: pl.DataFrame) -> pl.DataFrame:
    """Add the columns that an older parser did not know to its frame, as nulls."""
    missing = {
        name: dtype for name, dtype in frame_schema(kind).items() if name not in frame.columns
    }
    if not missing:
        return frame
    return frame.with_columns(pl.lit(None, dtype=dtype).alias(n) for n, dtype in missing.items())


def record_from_row(kind: str, row: dict[str, Any]) -> Record:
    """Build the record of a frame's row (``frame.row(i, named=True)``)."""
    cls = KINDS[kind]
    hints = field_types(cls)
    return cls(**{name: revive(hints[name], row[name]) for name in field_names(cls)})
