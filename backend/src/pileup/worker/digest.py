"""Numbers of an analysis that the incident list shows, and its sparkline."""

from __future__ import annotations

from typing import Any

import polars as pl

from pileup.analysis.contract import ActiveSessionsDoc, Analysis, StallDoc
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.servers import server_title
from pileup.analysis.evidence.times import parse
from pileup.analysis.reasoning.similar import signature
from pileup.analysis.stalls.documents import main_stall

SPARK_POINTS = 48


def compute_digest(document: Analysis, evidence: Evidence) -> dict[str, Any]:
    """Return the JSON for the column ``incidents.digest``."""
    server = document.server
    stall = main_stall(document.stalls)
    finding = document.findings[0] if document.findings else None
    return {
        "verdict": document.headline.verdict,
        "engine": server_title(server.get("family"), server.get("version")) or None,
        "onset": stall.onset if stall else None,
        "duration_s": stall.duration_s if stall else None,
        "peak_waiters": stall.peak_waiters if stall else None,
        "finding": finding and {"id": finding.id, "title": finding.title, "score": finding.score},
        "story": document.headline.story or None,
        "signature": signature(document),
        "spark": _spark(document, stall, evidence),
        "spark_classes": _spark_classes(document, stall),
    }


def _window(document: Analysis, stall: StallDoc | None) -> Span | None:
    """Return the capture of the stall: a sparkline does not cross the time between captures."""
    for capture in document.captures:
        if stall and capture.id == stall.capture and capture.first and capture.last:
            return Span(parse(capture.first), parse(capture.last) + 999_999)
    return None


def _spark(
    document: Analysis, stall: StallDoc | None, evidence: Evidence
) -> list[float | None] | None:
    """Return maxima per bucket of the active sessions; without them, of what shows the stall.

    That is the series that shows the stall best, else the waiters of the snapshots.
    """
    samples = evidence.frames.get("sample")
    active = _active(document, stall)
    if active is not None and len(active.times) > 1:
        points = _points(active.times, active.level)
    elif stall and stall.evidence and samples is not None and "id" in samples.columns:
        of_series = samples.filter(pl.col("id") == stall.evidence[0].series)
        points = of_series.select("time", "value").drop_nulls()
    else:
        waiting = [(s.time, s.waiters) for s in document.snapshots]
        known = [(time, count) for time, count in waiting if time and count is not None]
        points = _points([time for time, _ in known], [float(count) for _, count in known])
    buckets = _buckets(points, _window(document, stall))
    if buckets is None:
        return None
    values: dict[int, float] = dict(buckets.select("bucket", "value").iter_rows())
    return [values.get(bucket) for bucket in range(max(values) + 1)]


def _spark_classes(document: Analysis, stall: StallDoc | None) -> list[dict[str, Any]] | None:
    """Return the classes of the active sessions at the maximum of each bucket, the lowest first.

    None where the sparkline is not of active sessions.
    """
    active = _active(document, stall)
    if active is None or len(active.times) < 2:
        return None
    points = _points(active.times, active.level).with_row_index("at")
    buckets = _buckets(points, _window(document, stall))
    if buckets is None:
        return None
    places: dict[int, int] = dict(buckets.select("bucket", "at").iter_rows())
    drawn = []
    for each in active.classes:
        values = [
            round(each.values[places[bucket]], 1) if bucket in places else None
            for bucket in range(max(places) + 1)
        ]
        if any(values):
            drawn.append({"id": each.id, "title": each.title, "values": values})
    return drawn


def _buckets(points: pl.DataFrame, window: Span | None) -> pl.DataFrame | None:
    """Return the row of the maximum in each bucket of time; None for fewer than two points.

    points: time and value, and what else belongs to them. The answer has ``bucket`` beside these.
    """
    points = points.drop_nulls()
    if window is not None:
        points = points.filter(window.holds())
    if points.height < 2:
        return None
    first, last = points["time"].min(), points["time"].max()
    assert isinstance(first, int)
    assert isinstance(last, int)
    count = min(SPARK_POINTS, max(2, points.height // 2))  # more would leave buckets empty
    width = max(1, -(-(last - first + 1) // count))
    return (
        points.with_columns(((pl.col("time") - first) // width).alias("bucket"))
        .sort("bucket", "value", "time", descending=[False, True, False])
        .unique("bucket", keep="first", maintain_order=True)
    )


def _active(document: Analysis, stall: StallDoc | None) -> ActiveSessionsDoc | None:
    """Return the active sessions of the capture with the stall; None if nothing shows them."""
    for capture in document.captures:
        if stall is not None and capture.id == stall.capture:
            return capture.active_sessions
    return None


def _points(times: list[str], values: list[float]) -> pl.DataFrame:
    frame = pl.DataFrame(
        {"time": times, "value": values}, schema={"time": pl.String, "value": pl.Float64}
    )
    return frame.with_columns(
        pl.col("time").str.to_datetime(time_zone="UTC", strict=False).dt.epoch("us")
    )
