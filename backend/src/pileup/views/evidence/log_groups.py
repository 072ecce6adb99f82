"""Return log events by page, and repeated messages grouped with their counts over time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

import polars as pl

from pileup.views.csv_rows import Row
from pileup.views.source import Source
from pileup.views.window import Window, moment_of

MOST_GROUPS = 300
BUCKETS = 60
_MOST_MESSAGE = 1000
_MOST_SHAPE = 300
NO_SEVERITY = "none"
"""Of events that print none."""

EventOrder = Literal["time", "severity", "kind", "subsystem", "message", "host"]
GroupOrder = Literal["count", "severity", "shape", "first", "last"]

_COLUMN_OF = {"first": "first_at", "last": "last_at"}
_EVENT = ("time", "kind", "subsystem", "code", "message", "host", "artifact", "line_first",
          "line_last")  # fmt: skip

# What differs between two of the same message: quoted things, addresses, numbers.
_QUOTED = r"'[^']{0,200}'|`[^`]{0,200}`|\"[^\"]{0,200}\""
_ADDRESS = r"\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{12,}\b"
_NUMBER = r"\d+(?:[.,:]\d+)*"


@dataclass(frozen=True, slots=True)
class LogEvent:
    time: datetime | None
    kind: str
    severity: str | None
    subsystem: str | None
    code: str | None
    message: str
    message_cut: bool
    host: str | None
    artifact: str
    path: str
    line_first: int
    line_last: int


@dataclass(frozen=True, slots=True)
class LogPage:
    items: list[LogEvent]
    total: int
    offset: int
    severities: dict[str, int]
    """Events of each severity in the window, whatever severity is wanted."""
    kinds: dict[str, int]
    everything: int
    """Events of the incident, in and out of the window."""


@dataclass(frozen=True, slots=True)
class LogGroup:
    id: str
    shape: str
    """The message with what differs as *."""
    severity: str | None
    count: int
    first: datetime | None
    last: datetime | None
    buckets: list[int]
    """Counts over the window, in equal parts."""
    example: LogEvent


@dataclass(frozen=True, slots=True)
class LogGroups:
    items: list[LogGroup]
    groups: int
    total: int
    start: datetime | None
    end: datetime | None
    """What the buckets cover."""


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Filters on log events; an empty one passes everything."""

    window: Window = field(default_factory=Window)
    severity: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    q: str = ""
    """Text in the message, whatever its case."""
    artifact: str | None = None
    group: str | None = None
    """``LogGroup.id``."""


def log_page(
    source: Source, wanted: LogFilter, sort: EventOrder, down: bool, offset: int, limit: int
) -> LogPage:
    """Return a page of events in time order or sorted by a column; unknown values come last."""
    within = _within(source, wanted)
    chosen = _sorted(_chosen(within, wanted), sort, down)
    whole = _events(source)
    counted = within.group_by("severity", "kind").len().collect()
    page, total, everything = pl.collect_all(
        [chosen.slice(offset, limit), chosen.select(pl.len()), whole.select(pl.len())]
    )
    paths = source.paths()
    return LogPage(
        items=[_event(row, paths) for row in page.iter_rows(named=True)],
        total=total.item(),
        offset=offset,
        severities=_counts(counted, "severity"),
        kinds=_counts(counted, "kind"),
        everything=everything.item(),
    )


def log_frame(source: Source, wanted: LogFilter, sort: EventOrder, down: bool) -> pl.DataFrame:
    """Return every event that passes the filter, with its whole message."""
    chosen = _sorted(_chosen(_within(source, wanted), wanted), sort, down)
    return chosen.select("severity", *_EVENT).collect().select("time", pl.exclude("time"))


def log_groups(
    source: Source,
    wanted: LogFilter | None = None,
    sort: GroupOrder = "count",
    down: bool = True,
) -> LogGroups:
    """Group repeated messages, the most frequent first, with counts over the window."""
    groups = _grouped(source, wanted or LogFilter(), sort, down)
    paths = source.paths()
    return LogGroups(
        items=[_group(row, paths) for row in groups.groups.head(MOST_GROUPS).iter_rows(named=True)],
        groups=groups.groups.height,
        total=groups.events,
        start=moment_of(groups.start),
        end=moment_of(groups.end),
    )


def log_group_rows(
    source: Source, wanted: LogFilter, sort: GroupOrder, down: bool
) -> tuple[tuple[str, ...], Iterable[Row]]:
    """Return column names and rows of every group, including those that are not listed."""
    rows = (
        (row["count"], row["severity"], row["shape"], moment_of(row["first_at"]),
         moment_of(row["last_at"]))
        for row in _grouped(source, wanted, sort, down).groups.iter_rows(named=True)
    )  # fmt: skip
    return ("count", "severity", "shape", "first", "last"), rows


class _Grouped(NamedTuple):
    groups: pl.DataFrame
    events: int
    """Events in all groups."""
    start: int | None
    end: int | None
    """What the buckets cover, in µs."""


def _grouped(source: Source, wanted: LogFilter, sort: GroupOrder, down: bool) -> _Grouped:
    chosen = _chosen(_within(source, wanted), wanted).collect()
    times = chosen["time"].drop_nulls()
    start = wanted.window.start if wanted.window.start is not None else times.min()
    end = wanted.window.end if wanted.window.end is not None else times.max()
    begins, ends = (int(each) if isinstance(each, int) else None for each in (start, end))
    width = max(1, -(-((ends or 0) - (begins or 0) + 1) // BUCKETS))
    groups = (
        chosen.sort("time", "line_first", nulls_last=True, maintain_order=True)
        .with_columns(((pl.col("time") - (begins or 0)) // width).alias("bucket"))
        .group_by("shape", "severity", maintain_order=True)
        .agg(
            pl.len().alias("count"),
            pl.col("time").min().alias("first_at"),
            pl.col("time").max().alias("last_at"),
            pl.col("bucket").drop_nulls().value_counts().alias("buckets"),
            pl.col(*_EVENT).first(),
        )
        .sort(_COLUMN_OF.get(sort, sort), descending=down, nulls_last=True, maintain_order=True)
    )
    return _Grouped(groups, chosen.height, begins, ends)


def _within(source: Source, wanted: LogFilter) -> pl.LazyFrame:
    """Select events of the window and the artifact; add the columns ``shape`` and ``severity``."""
    frame = _events(source).filter(wanted.window.holds())
    if wanted.artifact is not None:
        frame = frame.filter(pl.col("artifact") == wanted.artifact)
    return frame.with_columns(
        pl.col("severity").fill_null(NO_SEVERITY), _shape(pl.col("message")).alias("shape")
    )


def _chosen(frame: pl.LazyFrame, wanted: LogFilter) -> pl.LazyFrame:
    """Apply the other filters to events within the window."""
    if wanted.severity:
        frame = frame.filter(pl.col("severity").is_in(wanted.severity))
    if wanted.kind:
        frame = frame.filter(pl.col("kind").is_in(wanted.kind))
    if wanted.q:
        text = wanted.q.lower()
        frame = frame.filter(pl.col("message").str.to_lowercase().str.contains(text, literal=True))
    if wanted.group is not None:
        shapes = frame.select("shape", "severity").unique().collect()
        for shape, severity in shapes.iter_rows():
            if _id(shape, severity) == wanted.group:
                same = (pl.col("shape") == shape) & (pl.col("severity") == severity)
                return frame.filter(same)
        return frame.head(0)
    return frame


def _sorted(frame: pl.LazyFrame, sort: EventOrder, down: bool) -> pl.LazyFrame:
    """Sort by a column, then in the order of the log."""
    return frame.sort(
        sort, "time", "line_first", descending=[down, False, False], nulls_last=True,
        maintain_order=True,
    )  # fmt: skip


def _events(source: Source) -> pl.LazyFrame:
    """Drop the timestamps that collectors write for the clock; they are not events."""
    return source.scan("event").filter(pl.col("kind") != "clock")


def _shape(message: pl.Expr) -> pl.Expr:
    return (
        message.str.slice(0, _MOST_SHAPE)
        .str.replace_all(_QUOTED, "*")
        .str.replace_all(_ADDRESS, "*")
        .str.replace_all(_NUMBER, "*")
    )


def _group(row: Mapping[str, Any], paths: Mapping[str, str]) -> LogGroup:
    buckets = [0] * BUCKETS
    for counted in row["buckets"]:
        buckets[min(max(counted["bucket"], 0), BUCKETS - 1)] += counted["count"]
    return LogGroup(
        id=_id(row["shape"], row["severity"]),
        shape=row["shape"],
        severity=_known(row["severity"]),
        count=row["count"],
        first=moment_of(row["first_at"]),
        last=moment_of(row["last_at"]),
        buckets=buckets,
        example=_event(row, paths),
    )


def _event(row: Mapping[str, Any], paths: Mapping[str, str]) -> LogEvent:
    message = row["message"]
    return LogEvent(
        time=moment_of(row["time"]),
        kind=row["kind"],
        severity=_known(row["severity"]),
        subsystem=row["subsystem"],
        code=row["code"],
        message=message[:_MOST_MESSAGE],
        message_cut=len(message) > _MOST_MESSAGE,
        host=row["host"],
        artifact=row["artifact"],
        path=paths.get(row["artifact"], ""),
        line_first=row["line_first"],
        line_last=row["line_last"],
    )


def _counts(counted: pl.DataFrame, name: str) -> dict[str, int]:
    sums = counted.group_by(name).agg(pl.col("len").sum())
    sums = sums.sort("len", name, descending=[True, False])
    return {str(key): int(count) for key, count in sums.iter_rows()}


def _id(shape: str, severity: str) -> str:
    return hashlib.sha256(f"{severity}\n{shape}".encode("utf-8", "replace")).hexdigest()[:16]


def _known(severity: str) -> str | None:
    return None if severity == NO_SEVERITY else severity
