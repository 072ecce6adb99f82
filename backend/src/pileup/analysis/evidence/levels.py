"""Medians of series before and during the stall, found by short name for any collector."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import polars as pl

from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.level import Level
from pileup.analysis.evidence.series import (
    averages_since_start,
    is_whole,
    short_name,
    untimed_levels,
)
from pileup.analysis.evidence.shares import shares


@dataclass(frozen=True, slots=True)
class Levels:
    rows: tuple[Level, ...]

    @classmethod
    def of(cls, context: Context) -> Levels:
        """Measure levels over the stall, or over the whole capture without one (``inside`` only).

        Only series of the stalled host and series without a host count. Gauges and printed
        rates without a time count where nothing stalled in time.
        """
        values, stall = values_of(context), context.stall
        if values.is_empty():
            untimed = _averages(context, set()) if stall is None else ()
            return cls((*untimed, *shares(context, ())))
        before, inside = _times(context)
        table = (
            values.group_by("id")
            .agg(
                pl.col("series", "labels", "artifact").first(),
                pl.col("value").filter(before).median().alias("before"),
                pl.col("value").filter(inside).median().alias("inside"),
                pl.col("value").filter(inside).max().alias("peak"),
                pl.col("value").filter(inside).min().alias("lowest"),
                inside.sum().alias("n") if stall else pl.len().alias("n"),
            )
            .sort("id")
        )
        rows = [
            Level(
                row["id"], row["series"], row["labels"], row["artifact"], row["before"],
                row["inside"], row["peak"] or 0.0, row["n"], lowest=row["lowest"],
            )
            for row in table.iter_rows(named=True)
        ]  # fmt: skip
        averages = _averages(context, {row.id for row in rows}) if not stall else ()
        return cls((*rows, *averages, *shares(context, rows)))

    def named(self, *names: str, collectors: Collection[str] = ()) -> list[Level]:
        """Return the levels inside the stall of series with one of these short names."""
        wanted = set(names)
        return [
            row
            for row in self.rows
            if row.inside is not None
            and short_name(row.series, row.labels) in wanted
            and (not collectors or row.series.partition(".")[0] in collectors)
        ]

    def first(self, *names: str, collectors: Collection[str] = ()) -> Level | None:
        """Return the level with most points among series of the whole server or machine.

        Those without labels, over all CPUs, or the only ones of their name: labels that divide
        nothing (an environment, a region) take nothing away.
        """
        named = self.named(*names, collectors=collectors)
        levels = [level for level in named if is_whole(level.labels)]
        if not levels:
            alone = Counter(level.series for level in named)
            levels = [level for level in named if alone[level.series] == 1]
        return max(levels, key=lambda level: level.points, default=None)


def values_of(context: Context) -> pl.DataFrame:
    """Return the values of the stalled host, with levels without a time where nothing stalled."""
    values = context.values
    if context.stall is None:
        untimed = untimed_levels(context.evidence.frame("sample"))
        values = pl.concat([frame for frame in (values, untimed) if frame.height] or [untimed])
    if context.host is not None:
        values = values.filter(pl.col("host").is_null() | (pl.col("host") == context.host))
    return values


def medians_of_sum(context: Context, rows: pl.DataFrame) -> tuple[float | None, float | None]:
    """Return the medians before and inside of what these series have in sum at each moment.

    rows: of ``values_of``. None: not measured then.
    """
    if rows.is_empty():
        return None, None
    before, inside = _times(context)
    sums = rows.group_by("artifact", "time").agg(pl.col("value").sum())
    middles = (sums.filter(when)["value"].median() for when in (before, inside))
    earlier, now = (float(m) if isinstance(m, int | float) else None for m in middles)
    return earlier, now


def _times(context: Context) -> tuple[pl.Expr, pl.Expr]:
    """Return what selects samples before the stall, and inside; all are inside without one."""
    stall, baseline = context.stall, context.baseline
    return (
        baseline.holds() if baseline else pl.lit(False),
        stall.holds() if stall else pl.lit(True),
    )


def _averages(context: Context, known: Collection[str]) -> tuple[Level, ...]:
    """Return averages since the start of counters of which nothing tells more."""
    frame = averages_since_start(context.evidence.frame("sample"))
    if context.host is not None:
        frame = frame.filter(pl.col("host").is_null() | (pl.col("host") == context.host))
    rows = frame.sort("id", "artifact").unique("id", keep="first", maintain_order=True)
    return tuple(
        Level(
            row["id"], row["series"], row["labels"], row["artifact"], None, row["value"],
            row["value"], 1, since_start=True,
        )
        for row in rows.iter_rows(named=True)
        if row["id"] not in known
    )  # fmt: skip


def total(levels: Collection[Level], attribute: str = "inside") -> float | None:
    """Sum the known values; None if none is known."""
    known = [v for level in levels if (v := getattr(level, attribute)) is not None]
    return float(sum(known)) if known else None


def middle(numbers: Collection[float]) -> float | None:
    return statistics.median(numbers) if numbers else None


__all__ = ["Level", "Levels", "medians_of_sum", "middle", "total", "values_of"]
