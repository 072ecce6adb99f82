"""Shares of a profile: what a profiler counts are samples, or periods, and no threads."""

from __future__ import annotations

import polars as pl

_TIME = r"(?i)cycles|clock|cpu|^samples$|^time"
"""Events that count time; others (page faults, cache misses) do not tell where it went."""


def shares(frame: pl.DataFrame) -> list[float | None]:
    """Return for each stack its per cent of the profile; None for threads, 0 where no time counts.

    frame: records of stacks. What a report leaves out counts as much as what it shows.
    """
    everything = pl.max_horizontal(pl.col("count").sum(), pl.col("samples").max())
    share = pl.col("count") * 100.0 / everything.over("artifact", "snapshot", "event")
    of_time = pl.when(pl.col("event").str.contains(_TIME)).then(share).otherwise(0.0)
    found = frame.select(pl.when(pl.col("event").is_not_null()).then(of_time).alias("share"))
    return found["share"].to_list()


__all__ = ["shares"]
