"""Events of logs: by page, and repeated messages as one with their counts over time."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Annotated, Any, Literal

import polars as pl
from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from pileup.api.csv_rows import csv_answer, csv_frame
from pileup.api.deps import IncidentDep, Services, ServicesDep
from pileup.api.schema import Out
from pileup.api.windows import Window, WindowDep, moment_of

router = APIRouter(tags=["tables"])

MOST_GROUPS = 300
BUCKETS = 60
_MOST_MESSAGE = 1000
_MOST_SHAPE = 300
NO_SEVERITY = "none"
"""Of events that print none."""

_EVENT = ("time", "kind", "subsystem", "code", "message", "host", "artifact", "line_first",
          "line_last")  # fmt: skip

# What differs between two of the same message: quoted things, addresses, numbers.
_QUOTED = r"'[^']{0,200}'|`[^`]{0,200}`|\"[^\"]{0,200}\""
_ADDRESS = r"\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{12,}\b"
_NUMBER = r"\d+(?:[.,:]\d+)*"


class LogEvent(Out):
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


class LogPage(Out):
    items: list[LogEvent]
    total: int
    offset: int
    severities: dict[str, int]
    """Events of each severity in the window, whatever the severity asked for."""
    kinds: dict[str, int]
    everything: int
    """Events of the incident, in and out of the window."""


class LogGroup(Out):
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


class LogGroups(Out):
    items: list[LogGroup]
    groups: int
    total: int
    start: datetime | None
    end: datetime | None
    """What the buckets cover."""


class _Asked:
    """What of the events is wanted."""

    def __init__(
        self,
        window: WindowDep,
        severity: Annotated[list[str] | None, Query(max_length=10)] = None,
        kind: Annotated[list[str] | None, Query(max_length=20)] = None,
        q: Annotated[str, Query(max_length=200)] = "",
        artifact: Annotated[str | None, Query(pattern=r"^[0-9a-f]{64}$")] = None,
        group: Annotated[str | None, Query(pattern=r"^[0-9a-f]{16}$")] = None,
    ) -> None:
        self.window: Window = window
        self.severity = severity or []
        self.kind = kind or []
        self.q = q.lower()
        self.artifact = artifact
        self.group = group

    def within(self, services: Services, incident_id: str) -> pl.LazyFrame:
        """Events of the window and the artifact, with the columns ``shape`` and ``severity``."""
        frame = _events(services, incident_id).filter(self.window.holds())
        if self.artifact is not None:
            frame = frame.filter(pl.col("artifact") == self.artifact)
        return frame.with_columns(
            pl.col("severity").fill_null(NO_SEVERITY), _shape(pl.col("message")).alias("shape")
        )

    def chosen(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """Of these, what the filters let through."""
        if self.severity:
            frame = frame.filter(pl.col("severity").is_in(self.severity))
        if self.kind:
            frame = frame.filter(pl.col("kind").is_in(self.kind))
        if self.q:
            held = pl.col("message").str.to_lowercase().str.contains(self.q, literal=True)
            frame = frame.filter(held)
        if self.group is not None:
            shapes = frame.select("shape", "severity").unique().collect()
            for shape, severity in shapes.iter_rows():
                if _id(shape, severity) == self.group:
                    same = (pl.col("shape") == shape) & (pl.col("severity") == severity)
                    return frame.filter(same)
            return frame.head(0)
        return frame


AskedDep = Annotated[_Asked, Depends()]
EventOrder = Literal["time", "severity", "kind", "subsystem", "message", "host"]
GroupOrder = Literal["count", "severity", "shape", "first", "last"]


@router.get("/incidents/{incident_id}/log")
def log_events(
    incident: IncidentDep,
    services: ServicesDep,
    asked: AskedDep,
    sort: EventOrder = "time",
    down: bool = False,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
) -> LogPage:
    """A page of events in time order, or sorted by a column; what is not known comes last."""
    within = asked.within(services, incident.id)
    chosen = _sorted(asked.chosen(within), sort, down)
    whole = _events(services, incident.id)
    counted = within.group_by("severity", "kind").len().collect()
    page, total, everything = pl.collect_all(
        [chosen.slice(offset, limit), chosen.select(pl.len()), whole.select(pl.len())]
    )
    paths = _paths(services, incident.id)
    return LogPage(
        items=[_event(row, paths) for row in page.iter_rows(named=True)],
        total=total.item(),
        offset=offset,
        severities=_counts(counted, "severity"),
        kinds=_counts(counted, "kind"),
        everything=everything.item(),
    )


@router.get("/incidents/{incident_id}/log.csv", response_class=StreamingResponse)
def log_csv(
    incident: IncidentDep,
    services: ServicesDep,
    asked: AskedDep,
    sort: EventOrder = "time",
    down: bool = False,
) -> StreamingResponse:
    """Every event that the filters let through, its message whole."""
    chosen = _sorted(asked.chosen(asked.within(services, incident.id)), sort, down)
    frame = chosen.select("severity", *_EVENT).collect()
    return csv_frame("log", frame.select("time", pl.exclude("time")), _paths(services, incident.id))


@router.get("/incidents/{incident_id}/log/groups")
def log_groups(
    incident: IncidentDep,
    services: ServicesDep,
    asked: AskedDep,
    sort: GroupOrder = "count",
    down: bool = True,
) -> LogGroups:
    """Repeated messages as one, the most frequent first, with their counts over the window."""
    groups, chosen, begins, ends = _grouped(services, incident.id, asked, sort, down)
    paths = _paths(services, incident.id)
    return LogGroups(
        items=[_group(row, paths) for row in groups.head(MOST_GROUPS).iter_rows(named=True)],
        groups=groups.height,
        total=chosen.height,
        start=moment_of(begins),
        end=moment_of(ends),
    )


@router.get("/incidents/{incident_id}/log/groups.csv", response_class=StreamingResponse)
def log_groups_csv(
    incident: IncidentDep,
    services: ServicesDep,
    asked: AskedDep,
    sort: GroupOrder = "count",
    down: bool = True,
) -> StreamingResponse:
    """Every repeated message as one, also beyond those that are listed."""
    groups, *_ = _grouped(services, incident.id, asked, sort, down)
    rows = (
        (one["count"], one["severity"], one["shape"], moment_of(one["first_at"]),
         moment_of(one["last_at"]))
        for one in groups.iter_rows(named=True)
    )  # fmt: skip
    return csv_answer("log-groups", ("count", "severity", "shape", "first", "last"), rows)


def _grouped(
    services: Services, incident_id: str, asked: _Asked, sort: GroupOrder, down: bool
) -> tuple[pl.DataFrame, pl.DataFrame, int | None, int | None]:
    """All groups, the events in them, and what the buckets cover."""
    chosen = asked.chosen(asked.within(services, incident_id)).collect()
    times = chosen["time"].drop_nulls()
    start = asked.window.start if asked.window.start is not None else times.min()
    end = asked.window.end if asked.window.end is not None else times.max()
    begins, ends = (int(one) if isinstance(one, int) else None for one in (start, end))
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
    return groups, chosen, begins, ends


_COLUMN_OF = {"first": "first_at", "last": "last_at"}


def _sorted(frame: pl.LazyFrame, sort: EventOrder, down: bool) -> pl.LazyFrame:
    """By a column, then as the log has them."""
    return frame.sort(
        sort, "time", "line_first", descending=[down, False, False], nulls_last=True,
        maintain_order=True,
    )  # fmt: skip


def _events(services: Services, incident_id: str) -> pl.LazyFrame:
    """Without the stamps that collectors write for the clock: nothing happened there."""
    return services.placed.scan(incident_id, "event").filter(pl.col("kind") != "clock")


def _shape(message: pl.Expr) -> pl.Expr:
    return (
        message.str.slice(0, _MOST_SHAPE)
        .str.replace_all(_QUOTED, "*")
        .str.replace_all(_ADDRESS, "*")
        .str.replace_all(_NUMBER, "*")
    )


def _group(row: dict[str, Any], paths: dict[str, str]) -> LogGroup:
    buckets = [0] * BUCKETS
    for one in row["buckets"]:
        buckets[min(max(one["bucket"], 0), BUCKETS - 1)] += one["count"]
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


def _event(row: dict[str, Any], paths: dict[str, str]) -> LogEvent:
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


def _paths(services: Services, incident_id: str) -> dict[str, str]:
    index = services.placed.index(incident_id)
    return {one.sha256: one.path for one in index.artifacts} if index else {}


def _counts(counted: pl.DataFrame, name: str) -> dict[str, int]:
    sums = counted.group_by(name).agg(pl.col("len").sum()).sort("len", descending=True)
    return {str(key): int(count) for key, count in sums.iter_rows()}


def _id(shape: str, severity: str) -> str:
    return hashlib.sha256(f"{severity}\n{shape}".encode("utf-8", "replace")).hexdigest()[:16]


def _known(severity: str) -> str | None:
    return None if severity == NO_SEVERITY else severity
