"""Detect counters among gauges: a CSV does not mark its column 'questions' as a counter.

Exports of dashboards hold rates, dumps of SHOW STATUS into a CSV hold counts since the start. A
column named after a counter of the server that never falls, and grows nearly always, is a count.
"""

from __future__ import annotations

import polars as pl

from pileup.analysis.evidence.series import measure
from pileup.knowledge import knowledge

_LEAST = 10
"""Samples: fewer may rise by chance."""
_RISES = 0.8


def with_counters(samples: pl.DataFrame) -> pl.DataFrame:
    """Mark the series of one artifact that only grow as counters."""
    names = _only_grow(samples, _candidates(samples))
    if not names:
        return samples
    counter = pl.lit("counter").cast(samples.schema["kind"])
    kind = pl.when(pl.col("series").is_in(names)).then(counter).otherwise(pl.col("kind"))
    return samples.with_columns(kind.alias("kind"))


def _candidates(samples: pl.DataFrame) -> list[str]:
    known = knowledge()
    names = samples.filter(pl.col("kind") == "gauge")["series"].unique().cast(pl.String).to_list()
    return [
        name
        for name in names
        if (named := measure(name)) is not None
        and not named.is_rate
        and (counter := known.counter(named.name)) is not None
        and counter.kind == "counter"
    ]


def _only_grow(samples: pl.DataFrame, names: list[str]) -> list[str]:
    if not names:
        return []
    keys = ["series", "labels", "host"]
    frame = (
        samples.lazy()
        .filter(pl.col("series").is_in(names) & pl.col("value").is_finite())
        .select(*keys, "wall_us", "value")
        .sort("wall_us", maintain_order=True)
        .with_columns(pl.col("value").diff().over(keys).alias("step"))
        .drop_nulls("step")
        .group_by("series")
        .agg(pl.len(), pl.col("step").min(), (pl.col("step") > 0).mean().alias("rises"))
        .filter((pl.col("len") >= _LEAST) & (pl.col("step") >= 0) & (pl.col("rises") >= _RISES))
        .collect()
    )
    return sorted(frame["series"].cast(pl.String).to_list())


__all__ = ["with_counters"]
