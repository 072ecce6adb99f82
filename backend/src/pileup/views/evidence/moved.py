"""Compare a window of the timeline with the window of the same length before it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import msgspec
import polars as pl

from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.series import values as values_of
from pileup.analysis.stalls.shifts import shifts
from pileup.storage.errors import Refused
from pileup.views.documents import ShiftJson
from pileup.views.evidence.lanes import StoredSeries, buckets_of
from pileup.views.window import instant_of, moment_at

MOST_MOVED = 60
_ENOUGH_BUCKETS = 60


@dataclass(frozen=True, slots=True)
class WindowLane:
    id: str
    before: float | None
    """Mean over time in the window of the same length before; None without samples."""
    now: float | None
    min: float | None
    max: float | None
    samples: int


@dataclass(frozen=True, slots=True)
class WindowOut:
    start: datetime
    end: datetime
    before: datetime
    """Where the window before begins; it ends where this one starts."""
    lanes: list[WindowLane]


@dataclass(frozen=True, slots=True)
class Moved:
    start: datetime
    end: datetime
    before: datetime
    moved: list[ShiftJson]
    """Strongest and earliest first."""
    looked_at: int
    """Series with samples in both windows or one of them."""


def window_lanes(
    stored: StoredSeries, ids: Iterable[str], start: datetime, end: datetime
) -> WindowOut:
    """Compare each lane in a window with the one before it; raises Refused when it is empty."""
    now, before = _two_windows(start, end)
    wanted = stored.of(ids)
    step = max(1, (now.end - now.start) // 600)
    buckets = buckets_of(stored, wanted, Span(before.start, now.end), step)
    return WindowOut(
        start=moment_at(now.start),
        end=moment_at(now.end),
        before=moment_at(before.start),
        lanes=[
            _window_lane(series.id, buckets[series.id], now, before)
            for series in wanted
            if series.id in buckets
        ],
    )


def moved_in(stored: StoredSeries, start: datetime, end: datetime) -> Moved:
    """Rank all series by how much they moved in a window against the one before it.

    Raises Refused when the window is empty.
    """
    now, before = _two_windows(start, end)
    values = _values(stored, before, now)
    ranked = shifts(values, now, before)
    return Moved(
        start=moment_at(now.start),
        end=moment_at(now.end),
        before=moment_at(before.start),
        moved=[msgspec.to_builtins(shift) for shift in ranked[:MOST_MOVED]],
        looked_at=values["id"].n_unique(),
    )


def _two_windows(start: datetime, end: datetime) -> tuple[Span, Span]:
    now = Span(instant_of(start), instant_of(end))
    if now.end <= now.start:
        raise Refused("the window ends before it begins")
    return now, Span(now.start - (now.end - now.start), now.start - 1)


def _values(stored: StoredSeries, before: Span, now: Span) -> pl.DataFrame:
    """Return every series over two adjoining windows.

    Its columns are those of ``analysis.evidence.series.values``. Of a long series the means of its
    buckets, where there are enough of them to know a level.
    """
    about = pl.DataFrame(
        [
            (each.id, each.name, each.labels, each.host, each.kind, each.unit)
            for each in stored.catalogue.values()
        ],
        schema=dict.fromkeys(("id", "series", "labels", "host", "kind", "unit"), pl.String),
        orient="row",
    )
    both = Span(before.start, now.end)
    long = stored.placed.long_series(stored.incident_id, about["id"].to_list()).filter(both.holds())
    enough = long.group_by("id").len().filter(pl.col("len") >= _ENOUGH_BUCKETS)["id"]
    fine = about.filter(~pl.col("id").is_in(enough.implode()))["id"].to_list()
    # the minute before gives the first rate its predecessor
    rows = stored.placed.samples(stored.incident_id, fine, both.start - 60_000_000, both.end)
    means = long.filter(pl.col("id").is_in(enough.implode())).select(
        "id", pl.lit("").alias("artifact"), "time", pl.col("mean").alias("value")
    )
    return pl.concat(
        [
            values_of(rows.join(about, on="id")),
            values_of(means.join(about.with_columns(pl.lit("gauge").alias("kind")), on="id")),
        ]
    )


def _window_lane(series_id: str, buckets: pl.DataFrame, now: Span, before: Span) -> WindowLane:
    inside = buckets.filter(now.holds())
    return WindowLane(
        id=series_id,
        before=_mean(buckets.filter(before.holds())),
        now=_mean(inside),
        min=_number(inside["min"].min()),
        max=_number(inside["max"].max()),
        samples=int(inside["n"].sum()),
    )


def _mean(buckets: pl.DataFrame) -> float | None:
    """Compute the mean over time; None without a sample.

    Samples that a trigger took ten times as often do not count ten times: each bucket counts until
    the next one, and before a hole, which nobody measured, as long as is usual.
    """
    known = buckets.filter(pl.col("n") > 0)
    if known.is_empty():
        return None
    until_hole = known["gap"].shift(-1, fill_value=False)
    lasting = known["time"].diff().shift(-1).set(until_hole, None)
    usual = lasting.median()
    if not isinstance(usual, float) or usual <= 0:
        return _number(known["mean"].mean())
    weights = lasting.fill_null(round(usual))
    return float((known["mean"] * weights).sum()) / float(weights.sum())


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
