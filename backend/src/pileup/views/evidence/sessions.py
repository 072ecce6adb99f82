"""List the sessions of an incident: its processlists, and one of them grouped and by page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import polars as pl

from pileup.knowledge import knowledge
from pileup.records import LONGEST_SESSION_S
from pileup.sql_tokens import shapes
from pileup.storage.errors import NotFound
from pileup.views.source import Source
from pileup.views.window import moment_of

MOST_MOMENTS = 5000
MOST_GROUPS = 300
MOST_QUERY = 1000
"""Characters of a statement in a list; the raw lines have the rest."""
_MOST_KEY = 400

By = Literal["digest", "state", "user", "client", "db", "command"]
Order = Literal["session_id", "user", "client_host", "db", "time_s", "state", "query"]

_SHOWN = ("session_id", "user", "client_host", "db", "command", "time_s", "state", "artifact",
          "line_first", "line_last")  # fmt: skip

IDLE = ("Sleep", "Daemon", "Binlog Dump", "Binlog Dump GTID")
"""Commands of connections that do nothing for anybody now."""


@dataclass(frozen=True, slots=True)
class ProcesslistMoment:
    time: datetime | None
    artifact: str
    path: str
    snapshot: int
    sessions: int
    active: int
    """Not asleep, no daemon, no replica's dump."""


@dataclass(frozen=True, slots=True)
class ProcesslistMoments:
    items: list[ProcesslistMoment]
    total: int
    """More than ``items`` when there were too many: then each is the fullest of its stretch."""


@dataclass(frozen=True, slots=True)
class ProcesslistGroup:
    key: str | None
    count: int
    active: int
    max_time_s: float | None
    total_time_s: float | None
    meaning: str | None
    users: int


@dataclass(frozen=True, slots=True)
class ProcesslistRow:
    session_id: int | None
    """None where the listing has no ids."""
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


@dataclass(frozen=True, slots=True)
class Processlist:
    moment: ProcesslistMoment
    by: By
    groups: list[ProcesslistGroup]
    groups_total: int
    rows: list[ProcesslistRow]
    """A page of the sessions of the chosen group, or of all; longest first."""
    rows_total: int
    offset: int


@dataclass(frozen=True, slots=True)
class SessionFilter:
    """A processlist, and the filters and order of its sessions."""

    artifact: str
    snapshot: int = 0
    by: By = "digest"
    group: str | None = None
    """The key of the group whose rows are wanted."""
    none: bool = False
    """The group without a key."""
    idle: bool = False
    """Also sessions that sleep."""
    q: str = ""
    """Text in statement, state, user, client or schema."""
    sort: Order = "time_s"
    down: bool = True


def processlist_moments(source: Source) -> ProcesslistMoments:
    """List every processlist in time order, those of unknown time last."""
    paths = source.paths()
    moments = moments_frame(source)
    shown = fullest_of_stretches(moments, MOST_MOMENTS)
    return ProcesslistMoments(
        items=[_moment(row, paths) for row in shown.iter_rows(named=True)], total=moments.height
    )


def moments_frame(source: Source) -> pl.DataFrame:
    """Count the sessions of every processlist, in time order; those of unknown time are last.

    Columns: artifact (SHA-256), snapshot, time (µs), sessions, active (both counts). Without a
    processlist the frame is empty.
    """
    return (
        with_activity(source.scan("session"))
        .group_by("artifact", "snapshot")
        .agg(
            pl.col("time").min(),
            pl.len().alias("sessions"),
            pl.col("active").sum(),
        )
        .sort("time", "artifact", "snapshot", nulls_last=True)
        .collect()
    )


def fullest_of_stretches(moments: pl.DataFrame, most: int) -> pl.DataFrame:
    """Keep at most ``most`` processlists: the first of the fullest of as many equal stretches."""
    if moments.height <= most:
        return moments
    stretch = (pl.int_range(pl.len()) * most // pl.len()).alias("stretch")
    return (
        moments.with_columns(stretch)
        .filter(pl.col("active") == pl.col("active").max().over("stretch"))
        .unique("stretch", keep="first", maintain_order=True)
        .drop("stretch")
    )


def processlist(source: Source, wanted: SessionFilter, offset: int, limit: int) -> Processlist:
    """Return one processlist: its groups, and a page of the sessions of a group.

    Raises NotFound when the incident has no such processlist.
    """
    whole = _whole(source, wanted)
    head = {
        "artifact": wanted.artifact, "snapshot": wanted.snapshot, "time": whole["time"].min(),
        "sessions": whole.height, "active": int(whole["active"].sum()),
    }  # fmt: skip
    rows = _listed(whole, wanted)
    groups = _grouped(rows)
    page = _of_group(rows, wanted)
    return Processlist(
        moment=_moment(head, source.paths()),
        by=wanted.by,
        groups=[_group(row, wanted.by) for row in groups.head(MOST_GROUPS).iter_rows(named=True)],
        groups_total=groups.height,
        rows=[_row(row) for row in page.slice(offset, limit).iter_rows(named=True)],
        rows_total=page.height,
        offset=offset,
    )


def processlist_frame(source: Source, wanted: SessionFilter) -> pl.DataFrame:
    """Return every session of a processlist or of one group, with its whole statement.

    Raises NotFound when the incident has no such processlist.
    """
    rows = _of_group(_listed(_whole(source, wanted), wanted), wanted)
    return rows.select("time", *_SHOWN[:-3], "query", *_SHOWN[-3:])


def _whole(source: Source, wanted: SessionFilter) -> pl.DataFrame:
    """Return all rows of the processlist."""
    whole = (
        with_activity(source.scan("session"))
        .with_columns(printed_time())
        .filter((pl.col("artifact") == wanted.artifact) & (pl.col("snapshot") == wanted.snapshot))
        .collect()
    )
    if whole.is_empty():
        raise NotFound("this incident has no such processlist, or it was read again")
    return whole


def _listed(whole: pl.DataFrame, wanted: SessionFilter) -> pl.DataFrame:
    """Return the rows that pass the filters, with their group as ``key``."""
    return with_key(whole, wanted.by, idle=wanted.idle, q=wanted.q)


def with_key(rows: pl.DataFrame, by: By, *, idle: bool, q: str) -> pl.DataFrame:
    """Keep the sessions that pass the filters, and add their group as ``key``."""
    rows = rows if idle else rows.filter("active")
    if q:
        rows = rows.filter(_holds(q))
    return rows.with_columns(_key(by).alias("key"))


def _of_group(rows: pl.DataFrame, wanted: SessionFilter) -> pl.DataFrame:
    """Return the rows of the group, or all; longest first unless another order is set."""
    if wanted.none or wanted.group is not None:
        alike = pl.col("key").is_null() if wanted.none else pl.col("key") == wanted.group
        rows = rows.filter(alike)
    by = _state() if wanted.sort == "state" else pl.col(wanted.sort)
    return rows.sort(by, descending=wanted.down, nulls_last=True, maintain_order=True)


def with_activity(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Add ``active``, whether a session does something; an unnumbered snapshot becomes 0."""
    return frame.with_columns(
        pl.col("snapshot").fill_null(0),
        (~pl.col("command").is_in(IDLE)).fill_null(value=True).alias("active"),
    )


def _holds(q: str) -> pl.Expr:
    wanted = q.lower()
    return (pl.col("session_id").cast(pl.String) == wanted) | pl.any_horizontal(
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


def printed_time() -> pl.Expr:
    """Return the seconds in the state, null where they are no time.

    Some servers print 2^32 and the like for a session that has just changed its state.
    """
    time = pl.col("time_s")
    return pl.when(time.is_between(0, LONGEST_SESSION_S)).then(time).alias("time_s")


def _state() -> pl.Expr:
    """Name the state of a session: its command where it prints no state."""
    state = pl.when(pl.col("state") == "").then(None).otherwise(pl.col("state"))
    return pl.coalesce(state, pl.col("command"))


def _grouped(rows: pl.DataFrame) -> pl.DataFrame:
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


def _group(row: Mapping[str, Any], by: By) -> ProcesslistGroup:
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


def _row(row: Mapping[str, Any]) -> ProcesslistRow:
    query = row["query"]
    return ProcesslistRow(
        **{name: row[name] for name in _SHOWN},
        query=None if query is None else query[:MOST_QUERY],
        query_cut=query is not None and len(query) > MOST_QUERY,
    )  # fmt: skip


def _moment(row: Mapping[str, Any], paths: Mapping[str, str]) -> ProcesslistMoment:
    return ProcesslistMoment(
        time=moment_of(row["time"]),
        artifact=row["artifact"],
        path=paths.get(row["artifact"], ""),
        snapshot=row["snapshot"],
        sessions=row["sessions"],
        active=row["active"],
    )
