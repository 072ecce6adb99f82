"""Top queries: statements by their shape, from slow logs, query digests and processlists."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple

import polars as pl
from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from pileup.analysis.evidence.statement_shapes import shapes
from pileup.api.csv_rows import csv_answer
from pileup.api.deps import IncidentDep, Services, ServicesDep, UnitDep
from pileup.api.evidence.processlists import IDLE
from pileup.api.schema import Out
from pileup.api.windows import Window, WindowDep, moment_of
from pileup.records import frame_schema
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Unit
from pileup.storage.files.frames import FrameKey

router = APIRouter(tags=["tables"])

MOST = 300
MOST_EXAMPLES = 50
_MOST_QUERY = 4000
_MOST_SHAPE = 600

QuerySource = Literal["slow_log", "query_digest", "processlist"]


Order = Literal["shape", "share", "calls", "total_s", "p95_s", "max_s", "lock_s",
                "rows_examined", "sessions"]  # fmt: skip


class TopQuery(Out):
    id: str
    shape: str
    calls: int | None
    """Statements of the log; of processlists: rows, each session in each list."""
    total_s: float | None
    share: float | None
    """Of the total time of all."""
    mean_s: float | None
    p95_s: float | None
    """Nearest rank."""
    max_s: float | None
    lock_s: float | None
    rows_examined: float | None
    rows_sent: float | None
    sessions: int | None
    users: int | None
    first: datetime | None
    last: datetime | None
    artifact: str
    line_first: int
    line_last: int


class TopQueries(Out):
    source: QuerySource
    items: list[TopQuery]
    shapes: int
    """All that there are in the window."""
    calls: int
    total_s: float | None
    counts: dict[str, int]
    """Records of each source in the whole incident: what there is to look at."""


_NONE = pl.lit([], dtype=frame_schema("query")["counts"])


class QueryField(Out):
    """A further number that this server prints of a statement, by its printed name."""

    name: str
    value: float


class QueryExample(Out):
    time: datetime | None
    duration_s: float | None
    lock_s: float | None
    rows_examined: int | None
    rows_sent: int | None
    session_id: int | None
    user: str | None
    client_host: str | None
    state: str | None
    counts: list[QueryField]
    query: str
    query_cut: bool
    artifact: str
    line_first: int
    line_last: int


class QueryExamples(Out):
    items: list[QueryExample]
    total: int


@dataclass(frozen=True, slots=True)
class _Asked:
    """Which statements, in which order."""

    window: WindowDep
    source: QuerySource = "slow_log"
    q: Annotated[str, Query(max_length=200)] = ""
    sort: Order = "total_s"
    down: bool = True

    def found(self, services: Services, unit: Unit, incident_id: str) -> _Found:
        """Every shape that is asked for, sorted; what is not known comes last."""
        if self.source == "query_digest":
            items = _of_digests(services, unit, incident_id)
        else:
            items = _of_statements(services, incident_id, self.source, self.window)
        whole = sum(one.total_s or 0.0 for one in items)
        calls = sum(one.calls or 0 for one in items)
        chosen = [one for one in items if self.q.lower() in one.shape.lower()]
        known = [one for one in chosen if getattr(one, self.sort) is not None]
        known.sort(key=lambda one: one.calls or 0, reverse=True)
        known.sort(key=lambda one: getattr(one, self.sort), reverse=self.down)
        rest = [one for one in chosen if getattr(one, self.sort) is None]
        for one in chosen:
            share = (one.total_s or 0.0) / whole if whole and one.total_s is not None else None
            one.share = share
        return _Found([*known, *rest], calls, whole if items else None)


AskedDep = Annotated[_Asked, Depends()]


class _Found(NamedTuple):
    items: list[TopQuery]
    calls: int
    total_s: float | None


@router.get("/incidents/{incident_id}/queries")
def top_queries(
    incident: IncidentDep, services: ServicesDep, unit: UnitDep, asked: AskedDep
) -> TopQueries:
    """Shapes of statements, most time first. A statement counts when it ran in the window."""
    found = asked.found(services, unit, incident.id)
    return TopQueries(
        source=asked.source,
        items=found.items[:MOST],
        shapes=len(found.items),
        calls=found.calls,
        total_s=found.total_s,
        counts=_counts(unit, incident.id),
    )


@router.get("/incidents/{incident_id}/queries.csv", response_class=StreamingResponse)
def top_queries_csv(
    incident: IncidentDep, services: ServicesDep, unit: UnitDep, asked: AskedDep
) -> StreamingResponse:
    """Every shape, also beyond those that are listed."""
    names = [name for name in TopQuery.model_fields if name not in ("id", "artifact")]
    rows = (
        [getattr(one, name) for name in names]
        for one in asked.found(services, unit, incident.id).items
    )
    return csv_answer("top-queries", names, rows)


@router.get("/incidents/{incident_id}/queries/examples")
def query_examples(
    incident: IncidentDep,
    services: ServicesDep,
    window: WindowDep,
    query: Annotated[str, Query(pattern=r"^[0-9a-f]{16}$")],
    source: Literal["slow_log", "processlist"] = "slow_log",
) -> QueryExamples:
    """The statements of one shape that took longest."""
    frame = _statements(services, incident.id, source, window)
    shaped = frame.with_columns(shapes(pl.col("query")).alias("shape"))
    distinct = shaped.select(pl.col("shape").unique()).collect()["shape"]
    shape = next((one for one in distinct if _id(one) == query), None)
    if shape is None:
        return QueryExamples(items=[], total=0)
    found = shaped.filter(pl.col("shape") == shape)
    rows = found.sort("duration_s", descending=True, nulls_last=True).head(MOST_EXAMPLES).collect()
    total = int(found.select(pl.len()).collect().item())
    return QueryExamples(
        items=[
            QueryExample(
                time=moment_of(row["time"]),
                query=row["query"][:_MOST_QUERY],
                query_cut=len(row["query"]) > _MOST_QUERY,
                **{
                    name: row[name]
                    for name in QueryExample.model_fields
                    if name not in ("time", "query", "query_cut")
                },
            )
            for row in rows.iter_rows(named=True)
        ],
        total=total,
    )


def _of_statements(
    services: Services, incident_id: str, source: QuerySource, window: Window
) -> list[TopQuery]:
    frame = _statements(services, incident_id, source, window)
    grouped = (
        frame.with_columns(shapes(pl.col("query")).alias("shape"))
        .sort("duration_s", descending=True, nulls_last=True, maintain_order=True)
        .group_by("shape", maintain_order=True)
        .agg(
            pl.len().alias("calls"),
            _sum("duration_s").alias("total_s"),
            pl.col("duration_s").mean().alias("mean_s"),
            pl.col("duration_s").quantile(0.95, "nearest").alias("p95_s"),
            pl.col("duration_s").max().alias("max_s"),
            _sum("lock_s").alias("lock_s"),
            _sum("rows_examined").alias("rows_examined"),
            _sum("rows_sent").alias("rows_sent"),
            pl.col("session_id").n_unique().alias("sessions"),
            pl.col("user").n_unique().alias("users"),
            pl.col("time").min().alias("first"),
            pl.col("time").max().alias("last"),
            pl.col("artifact", "line_first", "line_last").first(),
        )
        .collect()
    )
    return [_item(row) for row in grouped.iter_rows(named=True)]


def _statements(
    services: Services, incident_id: str, source: QuerySource, window: Window
) -> pl.LazyFrame:
    """One row per statement with the same columns whatever it was seen in."""
    shared = ("time", "session_id", "user", "client_host", "query", "artifact", "line_first",
              "line_last")  # fmt: skip
    if source == "slow_log":
        frame = services.placed.scan(incident_id, "query").filter(
            pl.col("query").is_not_null() & ~pl.col("administrator")
        )
        # It ended at its time and began its duration before: it ran in the window if they overlap.
        began = pl.col("time") - (pl.col("query_time_s").fill_null(0.0) * 1e6).cast(pl.Int64)
        if window.start is not None:
            frame = frame.filter(pl.col("time") >= window.start)
        if window.end is not None:
            frame = frame.filter(began < window.end)
        return frame.select(
            *shared,
            pl.col("query_time_s").alias("duration_s"),
            pl.col("lock_time_s").alias("lock_s"),
            "rows_examined",
            "rows_sent",
            pl.col("counts").fill_null(_NONE),
            pl.lit(None, dtype=pl.String).alias("state"),
        )
    frame = services.placed.scan(incident_id, "session").filter(
        (pl.col("query").str.len_bytes() > 0)
        & ~pl.col("command").is_in(IDLE).fill_null(value=False)
        & window.holds()
    )
    nothing = pl.lit(None, dtype=pl.Int64)
    return frame.select(
        *shared,
        # Some servers print 2^32 and the like for a session that has just changed its state.
        pl.when(pl.col("time_s").is_between(0, 10 * 365 * 86400))
        .then(pl.col("time_s"))
        .otherwise(None)
        .alias("duration_s"),
        pl.lit(None, dtype=pl.Float64).alias("lock_s"),
        nothing.alias("rows_examined"),
        nothing.alias("rows_sent"),
        _NONE.alias("counts"),
        "state",
    )


def _of_digests(services: Services, unit: Unit, incident_id: str) -> list[TopQuery]:
    items: list[TopQuery] = []
    for artifact in Artifacts(unit).of_incident(incident_id):
        if artifact.format != "query-digest" or artifact.parser_version is None:
            continue
        key = FrameKey(artifact.sha256, artifact.format, artifact.parser_version)
        frame = services.frames.load_kind(key, "table")
        if frame is None or artifact.excluded:
            continue
        for table in frame.iter_rows(named=True):
            if table["name"] == "query digest":
                items += [_digest_row(artifact.sha256, table, cells) for cells in table["rows"]]
    return items


def _digest_row(artifact: str, table: dict[str, Any], cells: list[str | None]) -> TopQuery:
    row = dict(zip(table["columns"], cells, strict=False))
    calls = _number(row.get("calls"))
    shape = row.get("query") or row.get("item") or row.get("query_id") or ""
    return TopQuery(
        id=_id(f"{artifact}{row.get('query_id') or shape}"),
        shape=shape[:_MOST_SHAPE],
        calls=None if calls is None else int(calls),
        total_s=_number(row.get("response_s")),
        share=None,
        mean_s=_number(row.get("response_per_call_s")),
        p95_s=_number(row.get("p95_s")),
        max_s=_number(row.get("max_s")),
        lock_s=_number(row.get("lock_s")),
        rows_examined=_number(row.get("rows_examined")),
        rows_sent=_number(row.get("rows_sent")),
        sessions=None,
        users=None,
        first=None,
        last=None,
        artifact=artifact,
        line_first=table["line_first"],
        line_last=table["line_last"],
    )


def _counts(unit: Unit, incident_id: str) -> dict[str, int]:
    counts = {"slow_log": 0, "query_digest": 0, "processlist": 0}
    for artifact in Artifacts(unit).of_incident(incident_id):
        if artifact.excluded:
            continue
        counts["slow_log"] += artifact.records.get("query", 0)
        counts["processlist"] += artifact.records.get("session", 0)
        if artifact.format == "query-digest":
            counts["query_digest"] += artifact.records.get("table", 0)
    return counts


def _item(row: dict[str, Any]) -> TopQuery:
    return TopQuery(
        **{
            name: row[name]
            for name in TopQuery.model_fields
            if name not in ("id", "shape", "share", "first", "last")
        },
        id=_id(row["shape"]),
        shape=row["shape"][:_MOST_SHAPE],
        share=None,
        first=moment_of(row["first"]),
        last=moment_of(row["last"]),
    )


def _id(shape: str) -> str:
    return hashlib.sha256(shape.encode("utf-8", "replace")).hexdigest()[:16]


def _sum(name: str) -> pl.Expr:
    """None where nothing was printed: a sum of nothing is not zero."""
    return pl.when(pl.col(name).count() > 0).then(pl.col(name).sum()).otherwise(None)


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
