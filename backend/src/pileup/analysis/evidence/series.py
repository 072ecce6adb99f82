"""Convert samples to plain values: gauges as printed, counters as rates without resets and gaps.

Absent is not zero: nothing is filled in where a collector has no sample.
"""

from __future__ import annotations

import polars as pl

from pileup.analysis.evidence.compact_samples import by_series, compact
from pileup.knowledge.series_names import canonical_name

SCHEMA: dict[str, pl.DataType] = {
    "id": pl.Categorical(),
    "series": pl.Categorical(),
    "labels": pl.Categorical(),
    "host": pl.Categorical(),
    "kind": pl.Categorical(),
    "unit": pl.Categorical(),
    "artifact": pl.Categorical(),
    "time": pl.Int64(),
    "value": pl.Float64(),
}


def values(samples: pl.DataFrame | None) -> pl.DataFrame:
    """Convert placed samples to ``SCHEMA``, sorted by id and time; counters as rates per second.

    A rate belongs to the later of its two samples. Each artifact is differenced on its own,
    so overlapping collectors never make a false reset.
    """
    if samples is None or samples.is_empty():
        return pl.DataFrame(schema=SCHEMA)
    rows = (
        compact(samples)
        .lazy()
        .filter(
            pl.col("time").is_not_null()
            & pl.col("value").is_not_null()
            & pl.col("value").is_finite()
        )
        .select(list(SCHEMA))
        .collect()
    )
    # a few series at a time: sorting them all at once would hold everything three times
    pieces = [_plain(piece) for piece in by_series(rows)]
    return pl.concat(pieces) if pieces else rows


def _plain(samples: pl.DataFrame) -> pl.DataFrame:
    group = ["artifact", "id"]
    step = pl.col("value").diff().over(group)
    seconds = pl.col("time").diff().over(group) / 1e6
    rate = pl.when((step >= 0) & (seconds > 0)).then(step / seconds)
    value = pl.when(pl.col("kind") == "counter").then(rate).otherwise(pl.col("value"))
    return (
        samples.sort("artifact", "id", "time")
        .with_columns(value.alias("value"))
        .filter(pl.col("value").is_not_null())
        .sort("id", "time")
    )


def short_name(series: str) -> str:
    """Return 'threads_running' for 'mysql.Threads_running' and the names of exporters."""
    collector, _, name = series.partition(".")
    if collector == "metric":
        return canonical_name(name)
    return series.rpartition(".")[2].lower()
