"""One series as a lane of the timeline: a window at a pixel width, extremes preserved.

A screen asks for exactly what it draws. Counters become rates; a reset or a gap breaks the line
instead of being bridged, because a stalled server leaves a hole exactly during the pileup.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

GAP_FACTOR = 3.5
"""A distance of more than this many median intervals is drawn as a gap."""

MIN_GAP_US = 5_000_000

_POINT = {"time": pl.Int64, "min": pl.Float64, "max": pl.Float64, "mean": pl.Float64}


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
    values = rates(samples) if kind == "counter" else _plain(samples)
    values = _window(values, start_us, end_us)
    if values.is_empty():
        return Lane([], 0, False, None, None)
    inside = values.filter(pl.col("time").is_between(start_us, end_us))
    if values.height <= 2 * pixels:
        points = values.select(
            "time", pl.col("value").alias("min"), pl.col("value").alias("max"), mean=pl.col("value")
        )
        decimated = False
    else:
        points = _decimate(values, start_us, end_us, pixels)
        decimated = True
    breaks = _breaks(values, narrowest_us=(end_us - start_us) // pixels)
    points = pl.concat([points.cast(_POINT), breaks]).sort("time")  # type: ignore[arg-type]
    return Lane(
        points=[(t, low, high, mean) for t, low, high, mean in points.iter_rows()],
        samples=inside.height,
        decimated=decimated,
        low=_number(points["min"].min()),
        high=_number(points["max"].max()),
    )


def rates(samples: pl.DataFrame) -> pl.DataFrame:
    """A counter's samples as rates per second at the later sample's time.

    Takes:  artifact, time, value. Two files of one server are differenced apart.
    Gives:  time, value; no row across a reset (the value fell) or between equal times.
    """
    ordered = samples.drop_nulls(["time", "value"]).sort("artifact", "time")
    step = pl.col("value").diff().over("artifact")
    seconds = pl.col("time").diff().over("artifact") / 1e6
    return (
        ordered.select(pl.col("time"), step.alias("step"), seconds.alias("seconds"))
        .filter((pl.col("step") >= 0) & (pl.col("seconds") > 0))
        .select("time", (pl.col("step") / pl.col("seconds")).alias("value"))
        .sort("time")
    )


def _plain(samples: pl.DataFrame) -> pl.DataFrame:
    return samples.select("time", "value").drop_nulls().sort("time")


def _window(values: pl.DataFrame, start_us: int, end_us: int) -> pl.DataFrame:
    """The window and one neighbour on each side, so that lines run to the edge."""
    before = values.filter(pl.col("time") < start_us).tail(1)
    after = values.filter(pl.col("time") > end_us).head(1)
    inside = values.filter(pl.col("time").is_between(start_us, end_us))
    return pl.concat([before, inside, after])


def _decimate(values: pl.DataFrame, start_us: int, end_us: int, pixels: int) -> pl.DataFrame:
    width = max(1, (end_us - start_us) // pixels)
    return (
        values.group_by((pl.col("time") - start_us) // width, maintain_order=True)
        .agg(
            pl.col("time").min().alias("at"),
            pl.col("value").min().alias("min"),
            pl.col("value").max().alias("max"),
            pl.col("value").mean().alias("mean"),
        )
        .select(pl.col("at").alias("time"), "min", "max", "mean")
    )


def _breaks(values: pl.DataFrame, *, narrowest_us: int) -> pl.DataFrame:
    """One empty point before each sample that follows a gap wider than a pixel."""
    median = values["time"].diff().drop_nulls().median()
    usual = GAP_FACTOR * float(median) if isinstance(median, int | float) else 0.0
    gap_us = max(usual, MIN_GAP_US, narrowest_us)
    times = values.filter(pl.col("time").diff() > gap_us)["time"] - 1
    return pl.DataFrame({"time": times}).select(
        pl.col("time").cast(pl.Int64),
        *(pl.lit(None, dtype=pl.Float64).alias(name) for name in ("min", "max", "mean")),
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
