"""Processlists: the moments there are, and one of them grouped and by page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

import polars as pl
from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from pileup.analysis.evidence.statement_shapes import shapes
from pileup.api.csv_rows import csv_frame
from pileup.api.deps import IncidentDep, Services, ServicesDep
from pileup.api.schema import Out
from pileup.api.windows import moment_of
from pileup.knowledge import knowledge
from pileup.storage.errors import NotFound

router = APIRouter(tags=["tables"])

MOST_MOMENTS = 5000
MOST_GROUPS = 300
MOST_QUERY = 1000
"""Characters of a statement in a list; the raw lines have the rest."""
_MOST_KEY = 400

By = Literal["digest", "state", "user", "client", "db", "command"]
Order = Literal["session_id", "user", "client_host", "db", "time_s", "state", "query"]
Sha = Annotated[str, Query(min_length=64, max_length=64)]

_SHOWN = ("session_id", "user", "client_host", "db", "command", "time_s", "state", "artifact",
          "line_first", "line_last")  # fmt: skip

IDLE = ("Sleep", "Daemon", "Binlog Dump", "Binlog Dump GTID")
"""Commands of connections that do nothing for anybody now."""


class ProcesslistMoment(Out):
    time: datetime | None
    artifact: str
    path: str
    snapshot: int
    sessions: int
    active: int
    """Not asleep, no daemon, no replica's dump."""


class ProcesslistMoments(Out):
    items: list[ProcesslistMoment]
    total: int
    """More than ``items`` when there were too many: then each is the fullest of its stretch."""


class ProcesslistGroup(Out):
    key: str | None
    count: int
    active: int
    max_time_s: float | None
    total_time_s: float | None
    meaning: str | None
    users: int


class ProcesslistRow(Out):
    session_id: int
    user: str | None
    client_host: str | None
    db: str | None
    command: str | None
    time_s: float | None
    state: str | None
    query: str | None
    query_cut: bool
    artifact: str
    line_first: int
    line_last: int


class Processlist(Out):
    moment: ProcesslistMoment
    by: By
    groups: list[ProcesslistGroup]
    groups_total: int
    rows: list[ProcesslistRow]
    """A page of the sessions of the chosen group, or of all; longest first."""
    rows_total: int
    offset: int


@router.get("/incidents/{incident_id}/processlists")
def processlists(incident: IncidentDep, services: ServicesDep) -> ProcesslistMoments:
    """Every processlist in time order, those of unknown time last."""
    index = services.placed.index(incident.id)
    if index is None:
        return ProcesslistMoments(items=[], total=0)
    paths = {one.sha256: one.path for one in index.artifacts}
    moments = (
        _sessions(services.placed.scan(incident.id, "session"))
        .group_by("artifact", "snapshot")
        .agg(
            pl.col("time").min(),
            pl.len().alias("sessions"),
            pl.col("active").sum(),
        )
        .sort("time", "artifact", "snapshot", nulls_last=True)
        .collect()
    )
    total = moments.height
    if total > MOST_MOMENTS:
        stretch = pl.int_range(pl.len()) * MOST_MOMENTS // total
        moments = moments.filter(
            pl.col("active") == pl.col("active").max().over(stretch)
        ).unique("time", keep="first", maintain_order=True).head(MOST_MOMENTS)  # fmt: skip
    return ProcesslistMoments(
        items=[_moment(row, paths) for row in moments.iter_rows(named=True)], total=total
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """One processlist, and what of it is wanted."""

    artifact: Sha
    snapshot: Annotated[int, Query(ge=0)] = 0
    by: By = "digest"
    group: Annotated[str | None, Query(max_length=2000)] = None
    """The key of the group whose rows are wanted."""
    none: bool = False
    """The group without a key."""
    idle: bool = False
    """Also sessions that sleep."""
    q: Annotated[str, Query(max_length=200)] = ""
    """Text in statement, state, user, client or schema."""
    sort: Order = "time_s"
    down: bool = True

    def whole(self, services: Services, incident_id: str) -> pl.DataFrame:
        """All rows of the list; it is not there: NotFound."""
        whole = (
            _sessions(services.placed.scan(incident_id, "session"))
            .filter((pl.col("artifact") == self.artifact) & (pl.col("snapshot") == self.snapshot))
            .collect()
        )
        if whole.is_empty():
            raise NotFound("this incident has no such processlist, or it was read again")
        return whole

    def listed(self, whole: pl.DataFrame) -> pl.DataFrame:
        """What the filters let through, with its group as ``key``."""
        rows = whole if self.idle else whole.filter("active")
        if self.q:
            rows = rows.filter(_holds(self.q))
        return rows.with_columns(_key(self.by).alias("key"))

    def of_group(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Those of the group, or all; longest first unless another order is asked for."""
        if self.none or self.group is not None:
            alike = pl.col("key").is_null() if self.none else pl.col("key") == self.group
            rows = rows.filter(alike)
        by = _state() if self.sort == "state" else pl.col(self.sort)
        return rows.sort(by, descending=self.down, nulls_last=True, maintain_order=True)


AskedDep = Annotated[_Asked, Depends()]


@router.get("/incidents/{incident_id}/processlist")
def processlist(
    incident: IncidentDep,
    services: ServicesDep,
    asked: AskedDep,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
) -> Processlist:
    """One processlist: its sessions by group, and a page of those of a group."""
    whole = asked.whole(services, incident.id)
    head = {
        "artifact": asked.artifact, "snapshot": asked.snapshot, "time": whole["time"].min(),
        "sessions": whole.height, "active": int(whole["active"].sum()),
    }  # fmt: skip
    rows = asked.listed(whole)
    groups = _groups(rows)
    page = asked.of_group(rows)
    return Processlist(
        moment=_moment(head, _paths(services, incident.id)),
        by=asked.by,
        groups=[_group(row, asked.by) for row in groups.head(MOST_GROUPS).iter_rows(named=True)],
        groups_total=groups.height,
        rows=[_row(row) for row in page.slice(offset, limit).iter_rows(named=True)],
        rows_total=page.height,
        offset=offset,
    )


@router.get("/incidents/{incident_id}/processlist.csv", response_class=StreamingResponse)
def processlist_csv(
    incident: IncidentDep, services: ServicesDep, asked: AskedDep
) -> StreamingResponse:
    """Every session of a processlist, or of one group, its statement whole."""
    rows = asked.of_group(asked.listed(asked.whole(services, incident.id)))
    frame = rows.select("time", *_SHOWN[:-3], "query", *_SHOWN[-3:])
    return csv_frame("sessions", frame, _paths(services, incident.id))


def _paths(services: Services, incident_id: str) -> dict[str, str]:
    index = services.placed.index(incident_id)
    return {one.sha256: one.path for one in index.artifacts} if index else {}


def _sessions(frame: pl.LazyFrame) -> pl.LazyFrame:
    return frame.with_columns(
        pl.col("snapshot").fill_null(0),
        (~pl.col("command").is_in(IDLE)).fill_null(value=True).alias("active"),
    )


def _holds(q: str) -> pl.Expr:
    wanted = q.lower()
    return pl.any_horizontal(
        pl.col(name).str.to_lowercase().str.contains(wanted, literal=True).fill_null(value=False)
        for name in ("query", "state", "user", "client_host", "db")
    )


def _key(by: By) -> pl.Expr:
    if by == "digest":
        return shapes(pl.col("query")).str.slice(0, _MOST_KEY)
    if by == "client":
        return pl.col("client_host").str.replace(r":\d+$", "")
    if by == "state":
        return _state().str.slice(0, _MOST_KEY)
    return pl.col(by).str.slice(0, _MOST_KEY)


def _state() -> pl.Expr:
    """What is shown as the state: the command where none is printed."""
    state = pl.when(pl.col("state") == "").then(None).otherwise(pl.col("state"))
    return pl.coalesce(state, pl.col("command"))


def _groups(rows: pl.DataFrame) -> pl.DataFrame:
    return (
        rows.group_by("key", maintain_order=True)
        .agg(
            pl.len().alias("count"),
            pl.col("active").sum(),
            pl.col("time_s").max().alias("max_time_s"),
            pl.when(pl.col("time_s").count() > 0)
            .then(pl.col("time_s").sum())
            .otherwise(None)
            .alias("total_time_s"),
            pl.col("user").n_unique().alias("users"),
            pl.col("command").first(),
            pl.col("state").first(),
        )
        .sort("count", "max_time_s", descending=True, nulls_last=True, maintain_order=True)
    )


def _group(row: dict[str, Any], by: By) -> ProcesslistGroup:
    meaning = knowledge().state_for(row["command"], row["state"]) if by == "state" else None
    return ProcesslistGroup(
        key=row["key"],
        count=row["count"],
        active=row["active"],
        max_time_s=row["max_time_s"],
        total_time_s=row["total_time_s"],
        meaning=meaning.meaning if meaning else None,
        users=row["users"],
    )


def _row(row: dict[str, Any]) -> ProcesslistRow:
    query = row["query"]
    return ProcesslistRow(
        **{name: row[name] for name in _SHOWN},
        query=None if query is None else query[:MOST_QUERY],
        query_cut=query is not None and len(query) > MOST_QUERY,
    )  # fmt: skip


def _moment(row: dict[str, Any], paths: dict[str, str]) -> ProcesslistMoment:
    return ProcesslistMoment(
        time=moment_of(row["time"]),
        artifact=row["artifact"],
        path=paths.get(row["artifact"], ""),
        snapshot=row["snapshot"],
        sessions=row["sessions"],
        active=row["active"],
    )
