"""Convert printed local times to UTC. What is a zone at all: see ``records.zones``."""

from __future__ import annotations

import polars as pl

from pileup.records.zones import TimeZone


def to_utc(wall_us: pl.Expr, zone: TimeZone) -> pl.Expr:
    """Convert a printed wall clock (as if UTC, µs) in a zone to UTC µs.

    In the hour that repeats when clocks go back the earlier reading is taken; a time inside the
    hour that clocks skip does not exist and becomes null.
    """
    if zone.minutes is not None:
        return wall_us - zone.minutes * 60_000_000
    return (
        pl.from_epoch(wall_us, time_unit="us")
        .dt.replace_time_zone(zone.name, ambiguous="earliest", non_existent="null")
        .dt.convert_time_zone("UTC")
        .dt.epoch("us")
    )


def one_to_utc(wall_us: int, zone: TimeZone) -> int | None:
    """Convert one value like ``to_utc``; None for a local time that does not exist."""
    value = pl.select(to_utc(pl.lit(wall_us, dtype=pl.Int64), zone)).item()
    return int(value) if value is not None else None
