"""Samples as plain values: gauges as printed, counters as rates, resets and gaps left out.

Absent is not zero: nothing is filled in where a collector has no sample.
"""

from __future__ import annotations

import polars as pl

SCHEMA: dict[str, pl.DataType] = {
    "id": pl.String(),
    "series": pl.String(),
    "labels": pl.String(),
    "host": pl.String(),
    "kind": pl.String(),
    "unit": pl.String(),
    "artifact": pl.String(),
    "time": pl.Int64(),
    "value": pl.Float64(),
}


def values(samples: pl.DataFrame | None) -> pl.DataFrame:
    """Placed samples as ``SCHEMA``, sorted by id and time; counters as rates per second.

    A rate belongs to the later of its two samples. Two files of one server are differenced apart,
    so overlapping collectors never make a false reset.
    """
    if samples is None or samples.is_empty():
        return pl.DataFrame(schema=SCHEMA)
    group = ["artifact", "id"]
    step = pl.col("value").diff().over(group)
    seconds = pl.col("time").diff().over(group) / 1e6
    rate = pl.when((step >= 0) & (seconds > 0)).then(step / seconds)
    value = pl.when(pl.col("kind") == "counter").then(rate).otherwise(pl.col("value"))
    return (
        samples.lazy()
        .filter(
            pl.col("time").is_not_null()
            & pl.col("value").is_not_null()
            & pl.col("value").is_finite()
        )
        .select(list(SCHEMA))
        .sort("artifact", "id", "time")
        .with_columns(value.alias("value"))
        .filter(pl.col("value").is_not_null())
        .sort("id", "time")
        .collect()
    )


def short_name(series: str) -> str:
    """'threads_running' of 'mysql.Threads_running' and 'mysql_global_status_threads_running'."""
    last = series.rpartition(".")[2].lower()
    return last.removeprefix("mysql_global_status_").removeprefix("mysql_info_schema_")
