"""Waiters by position and long transactions over time, for the timeline.

Heat rows count per snapshot the threads that wait at one position of the server's source, the
transactions that wait for one table's locks, or the sessions in one state. A snapshot without such
waiters is a zero; nothing is known between snapshots. Spans are long transactions as dumps list
them: from their beginning (dump time minus age) to the last dump that lists them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.waits.moment_graph import semaphores

KINDS = ("snapshot", "semaphore_wait", "transaction", "session", "stack")
"""Kinds of frames that this module reads."""

_MOST_ROWS = {"latch": 10, "lock": 6, "state": 8}
_MOST_CELLS = 2000
"""Most cells of a row; longer rows keep the worst cell of each stretch."""
_MOST_SPANS = 60
_SILENT_S = 900.0
"""Longest time between dumps that one span may cover, in seconds."""
_LONG_S = 10.0
_IDLE_COMMANDS = ("Sleep", "Daemon", "Binlog Dump", "Binlog Dump GTID")

Kind = Literal["latch", "lock", "state"]


@dataclass(frozen=True, slots=True)
class HeatRow:
    kind: Kind
    label: str
    """'btr0sea.cc:649', 'ads.clicks PRIMARY', 'statistics', or 'others'."""
    detail: str
    """The latch at that position; empty if there is none."""
    host: str | None
    cells: list[tuple[int, int]]
    """(UTC µs, waiters), one per snapshot, zeros included."""
    peak: int


@dataclass(frozen=True, slots=True)
class TransactionSpan:
    trx_id: str
    host: str | None
    session_id: int | None
    start: int
    """UTC µs."""
    end: int
    """UTC µs of the last dump that lists it."""
    state: str
    """As last printed."""
    waited: bool
    """Whether it waited for a lock in any dump."""
    query: str | None
    artifact: str
    line_first: int


def heat(evidence: Evidence) -> list[HeatRow]:
    """Return waiters by position over time: latches, locks, then states, most waiters first."""
    rows: list[HeatRow] = []
    dumps = _moments(evidence, "innodb_status")
    waits = semaphores(evidence, None)
    if waits is not None:
        at = pl.format("{}:{}", "file", "line").alias("label")
        frame = waits.select("artifact", "snapshot", at, pl.col("label").alias("detail"))
        rows += _rows("latch", frame, dumps)
    transactions = evidence.frame("transaction")
    if transactions is not None:
        waiting = transactions.filter(pl.col("lock_wait") & pl.col("waits_table").is_not_null())
        label = pl.concat_str(
            [pl.col("waits_table"), pl.col("waits_index")], separator=" ", ignore_nulls=True
        )
        frame = waiting.select(
            "artifact",
            "snapshot",
            label.alias("label"),
            pl.lit("row or table lock").alias("detail"),
        )
        rows += _rows("lock", frame, dumps)
    sessions = evidence.frame("session")
    if sessions is not None:
        active = sessions.filter(
            ~pl.col("command").is_in(_IDLE_COMMANDS).fill_null(value=False)
            & (pl.col("state").fill_null("") != "")
        )
        frame = active.select(
            "artifact",
            "snapshot",
            pl.col("state").str.slice(0, 80).alias("label"),
            pl.lit("").alias("detail"),
        )
        rows += _rows("state", frame, _moments(evidence, "processlist"))
    return rows


def transaction_spans(evidence: Evidence) -> list[TransactionSpan]:
    """Return the longest transactions of ten seconds or more, in time order.

    A transaction that two captures show is two spans: no span covers time that nobody observed.
    """
    frame = evidence.frame("transaction")
    if frame is None:
        return []
    began = pl.col("time") - (pl.col("active_s") * 1e6).cast(pl.Int64)
    table = (
        frame.filter(pl.col("active_s").is_not_null() & pl.col("time").is_not_null())
        .sort("host", "time", "trx_id", "artifact", "line_first")
        .with_columns(
            (pl.col("time").diff().over("host") > _SILENT_S * 1e6)
            .fill_null(False)
            .cum_sum()
            .over("host")
            .alias("_stretch")
        )
        .with_columns(pl.col("time").min().over("host", "_stretch").alias("_first"))
        .group_by("host", "trx_id", "_stretch")
        .agg(
            # its age may reach back beyond the first dump, never into an earlier capture
            pl.max_horizontal(
                began.min(),
                pl.when(pl.col("_stretch").first() > 0).then(pl.col("_first").first()),
            ).alias("start"),
            pl.col("time").max().alias("end"),
            pl.col("session_id", "state", "artifact", "line_first").last(),
            pl.col("lock_wait").any().alias("waited"),
            pl.col("query").drop_nulls().last(),
        )
        .filter(pl.col("end") - pl.col("start") >= _LONG_S * 1e6)
        .sort(
            pl.col("end") - pl.col("start"),
            "trx_id",
            "host",
            "start",
            descending=[True, False, False, False],
        )
        .head(_MOST_SPANS)
        .sort("start", "trx_id", "host")
    )
    return [
        TransactionSpan(
            trx_id=row["trx_id"],
            host=row["host"],
            session_id=row["session_id"],
            start=row["start"],
            end=row["end"],
            state=row["state"],
            waited=row["waited"],
            query=row["query"][:200] if row["query"] else None,
            artifact=row["artifact"],
            line_first=row["line_first"],
        )
        for row in table.iter_rows(named=True)
    ]


def thread_counts(evidence: Evidence) -> dict[tuple[str, int], int]:
    """Return the number of threads in each stack sample, by artifact and snapshot index."""
    frame = evidence.frame("stack")
    if frame is None:
        return {}
    each = pl.col("count") // pl.max_horizontal("samples", 1)
    counted = frame.group_by("artifact", "snapshot").agg(each.sum())
    return {(sha, at or 0): int(count) for sha, at, count in counted.iter_rows()}


def _moments(evidence: Evidence, kind: str) -> pl.DataFrame:
    """Return artifact, snapshot, host and time (UTC µs) of the snapshots of a kind with a time."""
    frame = evidence.frame("snapshot")
    columns = ["artifact", "snapshot", "host", "time"]
    if frame is None:
        return pl.DataFrame(
            schema={
                "artifact": pl.String,
                "snapshot": pl.Int64,
                "host": pl.String,
                "time": pl.Int64,
            }
        )
    return frame.filter((pl.col("kind") == kind) & pl.col("time").is_not_null()).select(columns)


def _rows(kind: Kind, frame: pl.DataFrame, moments: pl.DataFrame) -> list[HeatRow]:
    """Build rows per host and label; labels beyond the limit merge into one row 'others'."""
    if frame.is_empty() or moments.is_empty():
        return []
    known = frame.join(moments, on=["artifact", "snapshot"])
    totals = known.group_by("host", "label").len()
    totals = totals.sort("len", "label", "host", descending=[True, False, False])
    frame = totals.head(_MOST_ROWS[kind]).select("host", "label", pl.lit(True).alias("ranked"))
    named = known.join(frame, on=["host", "label"], how="left", nulls_equal=True).with_columns(
        pl.when("ranked").then("label").otherwise(pl.lit("others")).alias("label"),
        pl.when("ranked").then("detail").otherwise(pl.lit("")).alias("detail"),
    )
    # two dumps of one printed second are one moment: keep the larger count
    counts = (
        named.group_by("host", "label", "artifact", "snapshot", "time", maintain_order=True)
        .agg(pl.len().alias("n"), pl.col("detail").mode().sort().first())
        .group_by("host", "label", "time")
        .agg(pl.col("n").max(), pl.col("detail").first())
    )
    rows: list[HeatRow] = []
    order = counts.group_by("host", "label").agg(
        pl.col("n").max().alias("peak"),
        pl.col("n").sum().alias("all"),
        pl.col("detail").mode().sort().first(),
        (pl.col("label").first() == "others").alias("last"),
    )
    order = order.sort("last", "all", "label", "host", descending=[False, True, False, False])
    times = moments.group_by("host").agg(pl.col("time").unique().sort())
    times_of = dict(times.iter_rows())
    for row in order.iter_rows(named=True):
        mine = counts.filter(
            (pl.col("label") == row["label"]) & pl.col("host").eq_missing(pl.lit(row["host"]))
        )
        counts_by_time = dict(mine.select("time", "n").iter_rows())
        cells = [(time, counts_by_time.get(time, 0)) for time in times_of[row["host"]]]
        rows.append(
            HeatRow(kind, row["label"], row["detail"], row["host"], _thinned(cells), row["peak"])
        )
    return rows


def _thinned(cells: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Reduce cells to _MOST_CELLS, keeping the peak of each stretch."""
    stretch = -(-len(cells) // _MOST_CELLS)
    if stretch <= 1:
        return cells
    return [
        max(cells[at : at + stretch], key=lambda cell: cell[1])
        for at in range(0, len(cells), stretch)
    ]


__all__ = ["KINDS", "HeatRow", "TransactionSpan", "heat", "thread_counts", "transaction_spans"]
