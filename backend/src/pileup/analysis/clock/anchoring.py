"""Find when a file without times was taken, by matching its series with one of known time.

`mysqladmin ext` and `vmstat` print no time. The same counters often stand in a metrics file or
another collector's output that has times; where both move alike, they are the same seconds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pileup.analysis.clock import uptimes
from pileup.analysis.evidence.series import WHOLE

_S = 1_000_000
_MIN_POINTS = 15
_LEAST_VARIATION = 0.02
"""Standard deviation over mean of a series that moves."""
_SAME_PLACE = 3
"""Seconds within which two positions are one."""
_MIN_R = 0.8
_MIN_LEAD = 0.07
"""How much better the best position must be than any other, in correlation."""
_MIN_LEAD_OF_WEAK = 0.25
"""The same of series that move alike less: where chance fits best, it fits elsewhere as well."""
_CHANCE = 7.0
"""Standard errors (of Fisher's transformed correlation) that chance reaches at no position."""
_MAX_LAGS = 20_000
_PAIRS = 4

# the same measurement under the names that collectors use
_SAME = {
    "questions": "questions", "queries": "questions", "qps": "questions",
    "cpu_user_pct": "us", "cpu_system_pct": "sy", "context_switches": "cs",
    "cpu_iowait_pct": "wa", "log_fsyncs": "innodb_os_log_fsyncs",
    "data_fsyncs": "innodb_data_fsyncs", "rows_read": "innodb_rows_read",
    "rows_inserted": "innodb_rows_inserted", "rows_updated": "innodb_rows_updated",
    "bp_pages_dirty": "innodb_buffer_pool_pages_dirty",
    "bp_pages_free": "innodb_buffer_pool_pages_free",
    "row_lock_waits": "innodb_row_lock_waits",
    "row_lock_current_waits": "innodb_row_lock_current_waits",
    "innodb_rows_reads": "innodb_rows_read",
    **{
        f"{collector}.{name}": of_vmstat
        for of_vmstat, names in {
            "us": ("usr", "user", "cpu_user", "cpu_us"),
            "sy": ("sys", "system", "cpu_system", "cpu_sy"),
            "id": ("idle", "idl", "cpu_idle", "cpu_id"),
            "wa": ("iowait", "wai", "cpu_iowait", "cpu_wa"),
        }.items()
        for name in names
        for collector in ("mpstat", "iostat", "sar", "dstat", "top")
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Match:
    series: str
    other: str
    artifact: str
    """SHA-256 of the artifact with known time."""
    base_us: int
    r: float
    held: float
    """The correlation without the one second in which both are highest, if that is lower.

    One peak lies on any other, and says nothing of the seconds around it.
    """
    second: float
    """The correlation at the next best position."""
    points: int

    @property
    def is_clear(self) -> bool:
        """Whether it is above what chance and every other position reach.

        Many points need to move less alike than few.
        """
        if self.held >= _MIN_R:
            return self.r - self.second >= _MIN_LEAD
        least = math.tanh(_CHANCE / math.sqrt(self.points))
        return self.held >= least and self.held - self.second >= _MIN_LEAD_OF_WEAK


@dataclass(frozen=True, slots=True)
class Reference:
    """Values per second of series with known time."""

    frame: pl.DataFrame
    """key, host, artifact, series, second, value."""

    @classmethod
    def of(cls, known: pl.DataFrame) -> Reference:
        return cls(_per_second(known, "time"))

    def of_artifacts(self, artifacts: Sequence[str]) -> Reference:
        """Return the series of these artifacts (SHA-256) only."""
        return Reference(self.frame.filter(pl.col("artifact").is_in(list(artifacts))))


def match(
    own: pl.DataFrame, reference: Reference, host: str | None, near: tuple[int, int] | None
) -> Match | None:
    """Find where an untimed file's series fit best; None: no clear fit.

    own:  its samples. near: (UTC µs, ± µs) to search, or None for everywhere.
    """
    named = _keys(own)
    keys = set(named.values()) & set(reference.frame["key"].unique())
    if not keys:  # before what takes time in a long file
        return None
    shared = [item for item, key in named.items() if key in keys]
    mine = _per_second(
        own.with_columns(_relative(own)).filter(pl.col("series").is_in(shared)), "_relative"
    )
    theirs = reference.frame.filter(pl.col("key").is_in(list(keys)))
    if host is not None:
        theirs = theirs.filter(pl.col("host").is_null() | (pl.col("host") == host))
    candidates = []
    for key in keys:
        left = mine.filter(pl.col("key") == key)
        spread = _variation(left["value"])
        if left.height >= _MIN_POINTS and spread > _LEAST_VARIATION:
            candidates.append((spread, key))
    clear: list[Match] = []
    for _, key in sorted(candidates, reverse=True)[:_PAIRS]:
        left = mine.filter(pl.col("key") == key)
        found = _best(left, theirs.filter(pl.col("key") == key), near)
        if found is not None and found.is_clear:
            clear.append(found)
    return max(clear, key=lambda vote: vote.r - max(vote.second, 0.0) / 4, default=None)


def _relative(own: pl.DataFrame) -> pl.Expr:
    """Return the relative time with its drift by Uptime; else the nominal one."""
    ruled = uptimes.rulers(own)
    if ruled.is_empty():
        return pl.col("wall_us").alias("_relative")
    table = dict(zip(ruled["wall_us"].to_list(), ruled["_ruled"].to_list(), strict=True))
    return pl.col("wall_us").replace_strict(table, default=pl.col("wall_us")).alias("_relative")


def _keys(samples: pl.DataFrame) -> dict[str, str]:
    """Return by series the name under which files of other formats have the same values."""
    lasts = {item: item.lower().rpartition(".")[2] for item in samples["series"].unique().to_list()}
    return {item: _SAME.get(item, _SAME.get(last, last)) for item, last in lasts.items()}


def _per_second(samples: pl.DataFrame, time: str) -> pl.DataFrame:
    """Return one value per whole second: gauges as printed, counters as rates."""
    key = pl.col("series").replace_strict(_keys(samples), return_dtype=pl.Categorical)
    order = ["artifact", "series", "labels"]
    value = (
        pl.when(pl.col("kind") == "counter")
        .then(pl.col("value").diff().over(order) / (pl.col(time).diff().over(order) / _S))
        .otherwise(pl.col("value"))
    )
    return (
        samples.filter(pl.col("labels").is_in(WHOLE) & pl.col(time).is_not_null())
        .sort("artifact", "series", "labels", time)
        .with_columns(value.alias("value"), key.alias("key"))
        .filter(
            pl.col("value").is_finite() & ((pl.col("value") >= 0) | (pl.col("kind") != "counter"))
        )
        .group_by(
            "key",
            "host",
            "artifact",
            "series",
            (pl.col(time) / _S).round().cast(pl.Int64).alias("second"),
            maintain_order=True,  # the same sums in the same order: ties break the same way
        )
        .agg(pl.col("value").mean())
    )


def _variation(values: pl.Series) -> float:
    mean, spread = values.mean(), values.std()
    if not isinstance(mean, float) or not isinstance(spread, float):
        return 0.0
    return spread / (abs(mean) + 1e-9)


def _without_one(mine: dict[int, float], theirs: dict[int, float], lag: int) -> float:
    """Return the correlation of two series without the one second in which they are highest."""
    both = [(mine[at], theirs[at + lag]) for at in mine if at + lag in theirs]
    both.remove(max(both))
    left, right = zip(*both, strict=True)
    r = pl.select(pl.corr(pl.Series(left), pl.Series(right))).item()
    return -1.0 if r is None or math.isnan(r) else float(r)


def _best(left: pl.DataFrame, right: pl.DataFrame, near: tuple[int, int] | None) -> Match | None:
    """Find the lag of highest correlation of one series with the fullest of the others."""
    if right.is_empty():
        return None
    sizes = (
        right.group_by("artifact", "series")
        .len()
        .sort("len", "artifact", "series", descending=True)
    )
    artifact, series = sizes.row(0)[:2]
    other = right.filter((pl.col("artifact") == artifact) & (pl.col("series") == series))
    mine = dict(zip(left["second"].to_list(), left["value"].to_list(), strict=True))
    theirs = dict(zip(other["second"].to_list(), other["value"].to_list(), strict=True))
    low = min(theirs) - max(mine) + _MIN_POINTS
    high = max(theirs) - min(mine) - _MIN_POINTS
    if near is not None:
        low = max(low, (near[0] - near[1]) // _S)
        high = min(high, (near[0] + near[1]) // _S)
    if high < low or high - low > _MAX_LAGS:
        return None
    grid = range(min(theirs), max(theirs) + 1)
    line = pl.Series([theirs.get(second) for second in grid], dtype=pl.Float64)
    probe_first, probe_last = min(mine), max(mine)
    probe = pl.Series(
        [mine.get(second) for second in range(probe_first, probe_last + 1)], dtype=pl.Float64
    )
    scores: list[tuple[float, int, int]] = []
    for lag in range(low, high + 1):
        start = probe_first + lag - grid.start
        a, b = max(start, 0), min(start + len(probe), len(line))
        both = pl.DataFrame({"a": probe[a - start : b - start], "b": line[a:b]}).drop_nulls()
        if both.height < max(_MIN_POINTS, len(mine) // 3):
            continue
        r = both.select(pl.corr("a", "b")).item()
        if r is not None and r == r:  # a constant stretch gives NaN
            scores.append((r, lag, both.height))
    if not scores:
        return None
    r, lag, points = max(scores)
    held = min(r, _without_one(mine, theirs, lag))
    second = max((score[0] for score in scores if abs(score[1] - lag) > _SAME_PLACE), default=0.0)
    name = left["series"].to_list()[0]
    return Match(name, series, artifact, lag * _S, r, held, second, points)
