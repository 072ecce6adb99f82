"""Detect stops of the work that status dumps count: rows changed, where nothing counts statements.

Statements that wait for a metadata, table or global lock appear in no dump as waiters. What a dump
shows of them is that the rows they change change no more.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import polars as pl

from pileup.analysis.stalls.indicators import LEAST, Signal
from pileup.analysis.stalls.stall import Stall
from pileup.analysis.stalls.stops import levels_around, stops

_CHANGED = ("innodb.row_updates_per_s", "innodb.row_inserts_per_s", "innodb.row_deletes_per_s")
_READ = "innodb.row_reads_per_s"
_READS_LEFT = 0.5
"""Share of the usual reads up to which the whole server does less, and not one job alone."""


def row_stops(values: pl.DataFrame, host: str | None, restarts: Sequence[int]) -> list[Stall]:
    """Detect where rows change no more, and fewer are read, until both come back.

    A stop that lasts to the end of the evidence is left out: the load may have ended.
    """
    changes = max(
        (signal for name in _CHANGED if (signal := _signal(values, name, host))),
        key=lambda signal: statistics.median(signal.values),
        default=None,
    )
    if changes is None:
        return []
    reads = _signal(values, _READ, host)
    return [
        stall
        for stall in stops(changes, None, None, restarts)
        if stall.kind == "false_positive"
        or (stall.shape == "stopped" and stall.end is not None and _reads_fell(reads, stall))
    ]


def _reads_fell(reads: Signal | None, stall: Stall) -> bool:
    before, during = levels_around(reads, stall.span)
    return before is not None and during is not None and during <= _READS_LEFT * before


def _signal(values: pl.DataFrame, series: str, host: str | None) -> Signal | None:
    rows = values.filter((pl.col("series") == series) & (pl.col("labels") == ""))
    rows = rows.filter(pl.col("host").is_null() if host is None else pl.col("host") == host)
    if rows.height < LEAST:
        return None
    merged = rows.group_by("time").agg(pl.col("value").mean()).sort("time")
    identity = str(rows["id"][0])
    return Signal(
        identity, series, host, "throughput", merged["time"].to_list(), merged["value"].to_list()
    )


__all__ = ["row_stops"]
