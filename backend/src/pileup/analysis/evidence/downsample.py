"""Downsample one series to a lane of the timeline: a window at a pixel width, extremes preserved.

Counters become rates; a reset or a gap breaks the line instead of being bridged, because a stalled
server leaves a hole exactly during the pileup.

A series has two shapes: *values* (time, value), one row per sample, and *buckets* (``BUCKETS``),
one row per several samples with their extremes. A long series is aggregated into buckets once, when
it is placed, so that a view of all of it reads a sixty-fourth.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

GAP_FACTOR = 3.5
"""A distance of more than this many median intervals is drawn as a gap."""

MIN_GAP_US = 5_000_000

LONG = 8192
"""Number of samples above which a series is aggregated when it is placed."""

PER_BUCKET = 64

BUCKETS = {
    "time": pl.Int64,
    "last": pl.Int64,
    "min": pl.Float64,
    "max": pl.Float64,
    "mean": pl.Float64,
    "n": pl.Int64,
    "gap": pl.Boolean,
}
"""Times of the first and last sample (UTC µs), extremes, mean, count; gap: preceded by a hole."""


@dataclass(frozen=True, slots=True)
class Lane:
    """Points are (time in UTC µs, min, max, mean); three nulls mark a gap."""

    points: list[tuple[int, float | None, float | None, float | None]]
    samples: int
    """Samples in the window, before decimation."""
    decimated: bool
    low: float | None
    high: float | None


def lane(samples: pl.DataFrame, *, kind: str, start_us: int, end_us: int, pixels: int) -> Lane:
    """Draw one series between two instants.

    Takes:  rows of one series: artifact (str), time (Int64 UTC µs), value (f64); any order.
            kind counter becomes a rate per second, per artifact, absent across resets.
    Gives:  at most two points per pixel plus one neighbour beyond each end, in time order.
    """
    return draw(
        buckets_of(values_of(samples, kind)), start_us=start_us, end_us=end_us, pixels=pixels
    )


def draw(buckets: pl.DataFrame, *, start_us: int, end_us: int, pixels: int) -> Lane:
    """Draw a series in buckets, which must extend beyond the window on both sides."""
    inside = window(buckets, start_us, end_us)
    step = max(1, (end_us - start_us) // pixels)
    decimated = inside.height > 2 * pixels or bool((inside["n"] > 1).any())
    points = with_breaks(grid(inside, start_us, step) if decimated else inside, step)
    counted = inside.filter((pl.col("last") >= start_us) & (pl.col("time") <= end_us))
    return Lane(
        points=list(points.select("time", "min", "max", "mean").iter_rows()),
        samples=int(counted["n"].sum()),
        decimated=decimated,
        low=_number(points["min"].min()),
        high=_number(points["max"].max()),
    )


def values_of(samples: pl.DataFrame, kind: str) -> pl.DataFrame:
    """Return time and value of one series in time order; counters become rates."""
    if kind == "counter":
        return rates(samples)
    return samples.select("time", "value").drop_nulls().sort("time", maintain_order=True)


def rates(samples: pl.DataFrame) -> pl.DataFrame:
    """Convert a counter's samples to rates per second at the later sample's time.

    Takes:  artifact, time, value. Each artifact is differenced on its own.
    Gives:  time, value; no row across a reset (the value fell) or between equal times.
    """
    ordered = samples.drop_nulls(["time", "value"]).sort("artifact", "time", maintain_order=True)
    step = pl.col("value").diff().over("artifact")
    seconds = pl.col("time").diff().over("artifact") / 1e6
    return (
        ordered.select(pl.col("time"), step.alias("step"), seconds.alias("seconds"))
        .filter((pl.col("step") >= 0) & (pl.col("seconds") > 0))
        .select("time", (pl.col("step") / pl.col("seconds")).alias("value"))
        .sort("time", maintain_order=True)
    )


def buckets_of(values: pl.DataFrame) -> pl.DataFrame:
    """Convert each value to a bucket of its own."""
    value = pl.col("value")
    return values.select(
        "time",
        pl.col("time").alias("last"),
        value.alias("min"),
        value.alias("max"),
        value.alias("mean"),
        pl.lit(1, dtype=pl.Int64).alias("n"),
        (pl.col("time").diff() > _gap_us(values)).fill_null(False).alias("gap"),
    ).cast(BUCKETS)  # type: ignore[arg-type]


def sum_up(values: pl.DataFrame) -> pl.DataFrame:
    """Aggregate values into buckets of ``PER_BUCKET`` values; none spans a gap."""
    marked = values.with_columns(
        (pl.col("time").diff() > _gap_us(values)).fill_null(False).alias("gap")
    ).with_columns(pl.col("gap").cum_sum().alias("run"))
    place = pl.int_range(pl.len()).over("run") // PER_BUCKET
    return (
        marked.with_columns(place.alias("place"))
        .group_by("run", "place", maintain_order=True)
        .agg(
            pl.col("time").first(),
            pl.col("time").last().alias("last"),
            pl.col("value").min().alias("min"),
            pl.col("value").max().alias("max"),
            pl.col("value").mean().alias("mean"),
            pl.len().alias("n"),
            pl.col("gap").first(),
        )
        .select(list(BUCKETS))
        .cast(BUCKETS)  # type: ignore[arg-type]
    )


def window(buckets: pl.DataFrame, start_us: int, end_us: int) -> pl.DataFrame:
    """Select buckets in the window and one neighbour on each side, so lines reach the edges."""
    first = int((buckets["last"] < start_us).sum())
    beyond = int((buckets["time"] > end_us).sum())
    begin = max(0, first - 1)
    return buckets.slice(begin, min(buckets.height - beyond + 1, buckets.height) - begin)


def grid(buckets: pl.DataFrame, start_us: int, step_us: int) -> pl.DataFrame:
    """Merge buckets per time step from ``start_us`` on, keeping extremes."""
    weight = pl.col("n").sum()
    return (
        buckets.group_by((pl.col("time") - start_us) // step_us, maintain_order=True)
        .agg(
            pl.col("time").min().alias("at"),
            pl.col("last").max(),
            pl.col("min").min(),
            pl.col("max").max(),
            ((pl.col("mean") * pl.col("n")).sum() / weight).alias("mean"),
            weight.alias("n"),
            pl.col("gap").first(),
        )
        .select(pl.col("at").alias("time"), "last", "min", "max", "mean", "n", "gap")
    )


def with_breaks(buckets: pl.DataFrame, step_us: int) -> pl.DataFrame:
    """Insert an empty row before each bucket that follows a gap wider than a step."""
    wide = pl.col("gap") & (pl.col("time") - pl.col("last").shift(1) > step_us)
    breaks = buckets.filter(wide).select(
        (pl.col("time") - 1).alias("time"),
        (pl.col("time") - 1).alias("last"),
        *(pl.lit(None, dtype=pl.Float64).alias(name) for name in ("min", "max", "mean")),
        pl.lit(0, dtype=pl.Int64).alias("n"),
        pl.lit(True).alias("gap"),
    )
    if breaks.is_empty():
        return buckets
    return pl.concat([buckets, breaks]).sort("time", maintain_order=True)


def _gap_us(values: pl.DataFrame) -> float:
    median = values["time"].diff().drop_nulls().median()
    usual = GAP_FACTOR * float(median) if isinstance(median, int | float) else 0.0
    return max(usual, MIN_GAP_US)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
