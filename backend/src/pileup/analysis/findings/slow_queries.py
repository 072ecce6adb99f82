"""Rank the slow log's statements that ran in the stall, grouped by shape.

A logged query ends at its timestamp and began its query time earlier; it counts when that interval
overlaps the stall. Each shape also has its calls per second in the baseline. Counts and sums of a
sampled log are by weight.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from pileup.analysis.contract import Locator, SlowQueryDoc
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.times import iso
from pileup.sql_tokens import shapes

MOST = 20
_MOST_TEXTS = 20_000
"""Only this many distinct statements get a shape: those that took most of the time."""
_SHOWN = 400


def slow_queries(
    evidence: Evidence, span: Span | None, baseline: Span | None
) -> list[SlowQueryDoc]:
    """Rank statement shapes by total time inside ``span``; over the whole log when it is None."""
    frame = evidence.frame("query")
    if frame is None:
        return []
    frame = frame.filter(
        pl.col("query").is_not_null() & ~pl.col("administrator") & pl.col("time").is_not_null()
    ).with_columns(
        pl.col("query").str.slice(0, 1000).alias("_text"),
    )
    inside = frame if span is None else frame.filter(overlaps(span))
    if inside.is_empty():
        return []
    ran = _shapes(inside)
    whole = float(inside.select(_sum("query_time_s")).item() or 0.0)
    classes = _classes(inside.join(ran, on="_text", how="inner"))
    before = _before(frame, ran, baseline)
    return [
        _document(evidence, row, span, baseline, before, whole)
        for row in classes.iter_rows(named=True)
    ]


def _began() -> pl.Expr:
    """When a logged statement began, in microseconds: its time is when it ended."""
    return pl.col("time") - (pl.col("query_time_s").fill_null(0.0) * 1e6).cast(pl.Int64)


def at_once(frame: pl.DataFrame) -> int:
    """Return how many logged statements, all with a time, ran at the same moment at most."""
    ends, begins = frame["time"], frame.select(_began()).to_series()
    steps = pl.DataFrame(
        {"at": pl.concat([begins, ends]), "step": [1] * begins.len() + [-1] * ends.len()}
    )
    running = steps.sort("at", "step").select(pl.col("step").cum_sum())  # one that ends goes first
    return int(running["step"].max() or 0)  # type: ignore[arg-type]  # a count


_WEIGHT = pl.col("weight").fill_null(1)
"""Statements that one of a sampled log represents."""


def _sum(name: str) -> pl.Expr:
    return (pl.col(name) * _WEIGHT).sum()


def _shapes(inside: pl.DataFrame) -> pl.DataFrame:
    """Map the distinct statements that took most of the time (``_text``) to their ``shape``."""
    texts = (
        inside.group_by("_text", maintain_order=True)
        .agg(_sum("query_time_s"))
        .sort("query_time_s", "_text", descending=[True, False], maintain_order=True)["_text"]
        .head(_MOST_TEXTS)
    )
    return texts.to_frame().with_columns(shapes(pl.col("_text")).alias("shape"))


def _classes(shaped: pl.DataFrame) -> pl.DataFrame:
    """Aggregate to one row per shape: sums and slowest statement, most time first."""
    return (
        shaped.sort(
            "query_time_s",
            "time",
            "artifact",
            "line_first",
            descending=[True, False, False, False],
            nulls_last=True,
        )
        .group_by("shape", maintain_order=True)
        .agg(
            _WEIGHT.sum().alias("calls"),
            _sum("query_time_s").alias("total_s"),
            pl.col("query_time_s").max().alias("max_s"),
            _sum("lock_time_s").alias("lock_s"),
            _sum("innodb_rec_lock_wait_s").alias("row_lock_wait_s"),
            pl.col("innodb_rec_lock_wait_s").count().alias("_row_locks"),
            _sum("rows_examined").alias("rows_examined"),
            pl.col("session_id").n_unique().alias("sessions"),
            pl.col("artifact", "line_first", "line_last", "time").first(),
        )
        .sort("total_s", "shape", descending=[True, False])
        .head(MOST)
    )


def overlaps(span: Span) -> pl.Expr:
    """Whether a logged statement ran in a span."""
    return (_began() <= span.end) & (pl.col("time") >= span.start)


def _before(frame: pl.DataFrame, ran: pl.DataFrame, baseline: Span | None) -> dict[str, int]:
    """Count the baseline calls of each shape that ran in the stall."""
    if baseline is None:
        return {}
    known = set(ran["shape"])
    counted = frame.filter(overlaps(baseline)).group_by("_text").agg(_WEIGHT.sum().alias("calls"))
    texts = counted.sort("calls", "_text", descending=[True, False]).head(_MOST_TEXTS)
    numbers: dict[str, int] = {}
    for shape, calls in texts.select(shapes(pl.col("_text")), "calls").iter_rows():
        if shape in known:
            numbers[shape] = numbers.get(shape, 0) + calls
    return numbers


def _document(
    evidence: Evidence,
    row: dict[str, Any],
    span: Span | None,
    baseline: Span | None,
    before: dict[str, int],
    whole: float,
) -> SlowQueryDoc:
    lasted = span.seconds if span else None
    quiet = baseline.seconds if baseline else None
    return SlowQueryDoc(
        shape=row["shape"][:_SHOWN],
        calls=row["calls"],
        total_s=row["total_s"],
        max_s=row["max_s"],
        lock_s=row["lock_s"],
        row_lock_wait_s=row["row_lock_wait_s"] if row["_row_locks"] else None,
        rows_examined=row["rows_examined"],
        sessions=row["sessions"],
        share=row["total_s"] / whole if whole else 0.0,
        per_second=row["calls"] / lasted if lasted else None,
        baseline_per_second=before.get(row["shape"], 0) / quiet if quiet else None,
        example=Locator(
            kind="lines",
            artifact=row["artifact"],
            path=evidence.path(row["artifact"]),
            line_first=row["line_first"],
            line_last=row["line_last"],
            at=iso(row["time"]),
            text=f"took {row['max_s'] or 0:.3g} s: {row['shape'][:160]}",
        ),
    )
