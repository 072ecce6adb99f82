"""Rank queries by statement shape, from slow logs, query digests and processlists."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple, Protocol

import polars as pl

from pileup.records import frame_schema
from pileup.sql_tokens import shapes
from pileup.views.csv_rows import Row
from pileup.views.evidence.sessions import IDLE, printed_time
from pileup.views.source import Source
from pileup.views.window import Window, moment_of

MOST = 300
MOST_EXAMPLES = 50
_MOST_QUERY = 4000
_MOST_SHAPE = 600
_DIGEST = "query-digest"
_NO_COUNTS = pl.lit([], dtype=frame_schema("query")["counts"])

QuerySource = Literal["slow_log", "query_digest", "processlist"]
Order = Literal["shape", "share", "calls", "total_s", "p95_s", "max_s", "lock_s",
                "rows_examined", "sessions"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class TopQuery:
    id: str
    shape: str
    calls: int | None
    """Statements of the log; of processlists: rows, each session in each list."""
    logged: int | None
    """Statements that a sampled log holds: ``calls`` and the sums count each by its weight. None
    when every statement was written."""
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


@dataclass(frozen=True, slots=True)
class TopQueries:
    source: QuerySource
    items: list[TopQuery]
    shapes: int
    """Shapes in the window, also those beyond ``items``."""
    calls: int
    total_s: float | None
    counts: dict[str, int]
    """Records of each source in the whole incident: what can be shown."""


@dataclass(frozen=True, slots=True)
class QueryField:
    """Another field that this server prints for a statement, under its printed name."""

    name: str
    value: float | None
    text: str | None
    """What is printed where that is no number."""


@dataclass(frozen=True, slots=True)
class QueryExample:
    time: datetime | None
    duration_s: float | None
    lock_s: float | None
    rows_examined: int | None
    rows_sent: int | None
    session_id: int | None
    user: str | None
    client_host: str | None
    client_ip: str | None
    trx_id: str | None
    weight: int | None
    """How many statements it represents in a sampled log."""
    state: str | None
    counts: list[QueryField]
    query: str
    query_cut: bool
    artifact: str
    line_first: int
    line_last: int


@dataclass(frozen=True, slots=True)
class QueryExamples:
    items: list[QueryExample]
    total: int


@dataclass(frozen=True, slots=True)
class QueryFilter:
    """Filters and order of statements."""

    window: Window = field(default_factory=Window)
    source: QuerySource = "slow_log"
    q: str = ""
    """Text in the shape, whatever its case."""
    sort: Order = "total_s"
    down: bool = True


class Counted(Protocol):
    """Artifact with its number of records of each kind."""

    @property
    def format(self) -> str | None: ...
    @property
    def records(self) -> dict[str, int]: ...


def top_queries(source: Source, wanted: QueryFilter, artifacts: Iterable[Counted]) -> TopQueries:
    """Rank statement shapes by time; a statement counts when it ran in the window.

    artifacts: all that count in the incident, whose records are counted per source.
    """
    ranked = _ranked(source, wanted)
    return TopQueries(
        source=wanted.source,
        items=ranked.items[:MOST],
        shapes=len(ranked.items),
        calls=ranked.calls,
        total_s=ranked.total_s,
        counts=_counts(artifacts),
    )


def top_query_rows(source: Source, wanted: QueryFilter) -> tuple[list[str], Iterable[Row]]:
    """Return column names and rows of every shape, including those that are not listed."""
    names = [each.name for each in fields(TopQuery) if each.name not in ("id", "artifact")]
    items = _ranked(source, wanted).items
    return names, ([getattr(item, name) for name in names] for item in items)


def query_examples(
    source: Source, window: Window, query: str, seen_in: QuerySource
) -> QueryExamples:
    """List the slowest statements of one shape (``TopQuery.id``); empty for an unknown id."""
    frame = _statements(source, seen_in, window)
    shaped = frame.with_columns(shapes(pl.col("query")).alias("shape"))
    distinct = shaped.select(pl.col("shape").unique()).collect()["shape"]
    shape = next((each for each in distinct if _id(each) == query), None)
    if shape is None:
        return QueryExamples(items=[], total=0)
    alike = shaped.filter(pl.col("shape") == shape)
    slowest = alike.sort("duration_s", descending=True, nulls_last=True, maintain_order=True)
    rows = slowest.head(MOST_EXAMPLES).collect()
    total = int(alike.select(pl.len()).collect().item())
    return QueryExamples(items=[_example(row) for row in rows.iter_rows(named=True)], total=total)


class _Ranked(NamedTuple):
    items: list[TopQuery]
    calls: int
    total_s: float | None


def _ranked(source: Source, wanted: QueryFilter) -> _Ranked:
    """Sort every shape that passes the filter; unknown values come last."""
    if wanted.source == "query_digest":
        items = _of_digests(source)
    else:
        items = _of_statements(source, wanted.source, wanted.window)
    whole = sum(item.total_s or 0.0 for item in items)
    calls = sum(item.calls or 0 for item in items)
    chosen = [
        replace(item, share=item.total_s / whole) if whole and item.total_s is not None else item
        for item in items
        if wanted.q.lower() in item.shape.lower()
    ]
    # the share orders like the time, which is known before shares are
    key = "total_s" if wanted.sort == "share" else wanted.sort
    known = [item for item in chosen if getattr(item, key) is not None]
    known.sort(key=lambda item: item.calls or 0, reverse=True)
    known.sort(key=lambda item: getattr(item, key), reverse=wanted.down)
    rest = [item for item in chosen if getattr(item, key) is None]
    return _Ranked([*known, *rest], calls, whole if items else None)


def _of_statements(source: Source, seen_in: QuerySource, window: Window) -> list[TopQuery]:
    grouped = (
        _statements(source, seen_in, window)
        .with_columns(shapes(pl.col("query")).alias("shape"))
        .sort("duration_s", descending=True, nulls_last=True, maintain_order=True)
        .group_by("shape", maintain_order=True)
        .agg(
            _WEIGHT.sum().alias("calls"),
            pl.when(pl.col("weight").count() > 0).then(pl.len()).alias("logged"),
            _sum("duration_s").alias("total_s"),
            (_sum("duration_s") / _WEIGHT.filter(pl.col("duration_s").is_not_null()).sum()).alias(
                "mean_s"
            ),
            _p95("duration_s").alias("p95_s"),
            pl.col("duration_s").max().alias("max_s"),
            _sum("lock_s").alias("lock_s"),
            _sum("rows_examined").cast(pl.Float64).alias("rows_examined"),
            _sum("rows_sent").cast(pl.Float64).alias("rows_sent"),
            pl.col("session_id").n_unique().alias("sessions"),
            pl.col("user").n_unique().alias("users"),
            pl.col("time").min().alias("first"),
            pl.col("time").max().alias("last"),
            pl.col("artifact", "line_first", "line_last").first(),
        )
        .collect()
    )
    return [_query(row) for row in grouped.iter_rows(named=True)]


def _statements(source: Source, seen_in: QuerySource, window: Window) -> pl.LazyFrame:
    """Build one row per statement, with the same columns for every source."""
    shared = ("time", "session_id", "user", "client_host", "query", "artifact", "line_first",
              "line_last")  # fmt: skip
    if seen_in == "slow_log":
        frame = source.scan("query").filter(
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
            pl.col("counts").fill_null(_NO_COUNTS),
            "client_ip",
            "trx_id",
            "weight",
            pl.lit(None, dtype=pl.String).alias("state"),
        )
    frame = source.scan("session").filter(
        (pl.col("query").str.len_bytes() > 0)
        & ~pl.col("command").is_in(IDLE).fill_null(value=False)
        & window.holds()
    )
    nothing = pl.lit(None, dtype=pl.Int64)
    return frame.select(
        *shared,
        printed_time().alias("duration_s"),
        pl.lit(None, dtype=pl.Float64).alias("lock_s"),
        nothing.alias("rows_examined"),
        nothing.alias("rows_sent"),
        _NO_COUNTS.alias("counts"),
        pl.lit(None, dtype=pl.String).alias("client_ip"),
        pl.lit(None, dtype=pl.String).alias("trx_id"),
        nothing.alias("weight"),
        "state",
    )


def _of_digests(source: Source) -> list[TopQuery]:
    """Collect the rows of every query digest, a table with the name its reader gives it."""
    tables = source.scan("table").filter(pl.col("name") == "query digest").collect()
    return [
        _digest_row(table, cells)
        for table in tables.iter_rows(named=True)
        for cells in table["rows"]
    ]


def _digest_row(table: Mapping[str, Any], cells: Sequence[str | None]) -> TopQuery:
    row = dict(zip(table["columns"], cells, strict=False))
    calls = _number(row.get("calls"))
    shape = row.get("query") or row.get("item") or row.get("query_id") or ""
    return TopQuery(
        id=_id(f"{table['artifact']}{row.get('query_id') or shape}"),
        shape=shape[:_MOST_SHAPE],
        calls=None if calls is None else int(calls),
        logged=None,
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
        artifact=table["artifact"],
        line_first=table["line_first"],
        line_last=table["line_last"],
    )


def _counts(artifacts: Iterable[Counted]) -> dict[str, int]:
    counts = {"slow_log": 0, "query_digest": 0, "processlist": 0}
    for artifact in artifacts:
        counts["slow_log"] += artifact.records.get("query", 0)
        counts["processlist"] += artifact.records.get("session", 0)
        if artifact.format == _DIGEST:
            counts["query_digest"] += artifact.records.get("table", 0)
    return counts


def _query(row: Mapping[str, Any]) -> TopQuery:
    same = {
        each.name: row[each.name]
        for each in fields(TopQuery)
        if each.name not in ("id", "shape", "share", "first", "last")
    }
    return TopQuery(
        **same,
        id=_id(row["shape"]),
        shape=row["shape"][:_MOST_SHAPE],
        share=None,
        first=moment_of(row["first"]),
        last=moment_of(row["last"]),
    )


def _example(row: Mapping[str, Any]) -> QueryExample:
    same = {
        each.name: row[each.name]
        for each in fields(QueryExample)
        if each.name not in ("time", "counts", "query", "query_cut")
    }
    return QueryExample(
        **same,
        time=moment_of(row["time"]),
        counts=[QueryField(**count) for count in row["counts"]],
        query=row["query"][:_MOST_QUERY],
        query_cut=len(row["query"]) > _MOST_QUERY,
    )


def _id(shape: str) -> str:
    return hashlib.sha256(shape.encode("utf-8", "replace")).hexdigest()[:16]


_WEIGHT = pl.col("weight").fill_null(1)


def _sum(name: str) -> pl.Expr:
    """Sum a column by weight; None where nothing was printed, which is not zero."""
    return pl.when(pl.col(name).count() > 0).then((pl.col(name) * _WEIGHT).sum()).otherwise(None)


def _p95(name: str) -> pl.Expr:
    """Return the 95th percentile by weight, nearest rank; rows are sorted, the greatest first."""
    known = pl.col(name).is_not_null()
    above = _WEIGHT.filter(known).cum_sum()
    weighted = pl.col(name).filter(known).filter(above > 0.05 * above.last()).first()
    plain = pl.col(name).quantile(0.95, "nearest")
    return pl.when(pl.col("weight").count() > 0).then(weighted).otherwise(plain)


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
