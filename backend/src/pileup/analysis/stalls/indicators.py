"""Choose the series that best show the sessions inside a server, and its work."""

from __future__ import annotations

import itertools
import statistics
from dataclasses import dataclass

import polars as pl

from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.series import short_name, whole

_S = 1_000_000
_GROWN = 30.0
"""A dump's count below this level gets less weight."""
_ROWS_READ = "innodb.rows_read"
"""Measure of work without counted statements: rows read in status dumps."""
_OF_DUMPS = 0.6
"""Trust below which a count comes from status dumps."""


@dataclass(frozen=True, slots=True)
class Signal:
    """The series that shows the stalls of one host."""

    id: str
    series: str
    host: str | None
    role: str
    """concurrency, latency or throughput."""
    times: list[int]
    values: list[float]

    @property
    def interval_us(self) -> int:
        steps = [b - a for a, b in itertools.pairwise(self.times) if b > a]
        return round(statistics.median(steps)) if steps else _S


def signals(values: pl.DataFrame) -> list[Signal]:
    """Choose per host the series that best shows the sessions inside the server."""
    if values.is_empty():
        return []
    candidates = _with_role(values)
    undivided = set(whole(candidates))
    table = (
        values.filter(pl.col("id").is_in(candidates["id"].to_list()))
        .group_by("id", "series", "host", "labels")
        .agg(
            pl.len().alias("n"),
            pl.col("time").min().alias("a"),
            pl.col("time").max().alias("b"),
            pl.col("value").quantile(0.9).alias("high"),
        )
        .filter(pl.col("n") >= 8)
    )
    best: dict[str | None, tuple[float, str, str, str]] = {}
    for id_, series, host, labels, count, first, last, high in table.sort("id").iter_rows():
        role, weight = _role(series, labels)
        if role == "throughput" and id_ not in undivided:
            continue
        if role == "concurrency" and weight < _OF_DUMPS:
            weight *= min(1.0, max(0.05, high / _GROWN))  # of a dump's counts, one that grows
        fullness = min(count, 10_000) ** 0.25
        score = weight * (last - first) / _S * fullness
        if score > best.get(host, (0.0, "", "", ""))[0]:
            best[host] = (score, id_, series, role)
    chosen = []
    hosts = [host for host in best if host is not None]
    for host, (_, id_, series, role) in best.items():
        if host is None and hosts:  # a series that names no host never outvotes one that does
            continue
        rows = values.filter(pl.col("id") == id_).group_by("time").agg(pl.col("value").max())
        rows = rows.sort("time")
        chosen.append(
            Signal(id_, series, host, role, rows["time"].to_list(), rows["value"].to_list())
        )
    return sorted(chosen, key=lambda signal: signal.host or "")


def throughput(values: pl.DataFrame, host: str | None, span: Span) -> Signal | None:
    """Return statements (else rows read) per second of a host, from the fullest series."""
    rows = values.filter(span.holds())
    if host is not None:
        rows = rows.filter(pl.col("host").is_null() | (pl.col("host") == host))
    named = _with_role(rows, "throughput")
    if named.is_empty():
        named = rows.filter((pl.col("series") == _ROWS_READ) & (pl.col("labels") == ""))
    ids = whole(named)
    sizes = rows.filter(pl.col("id").is_in(ids)).group_by("id", "series", "labels").len()
    if sizes.is_empty():
        return None
    ranked = sorted(sizes.iter_rows(), key=lambda r: (-r[3], -_role(r[1], r[2])[1], r[0]))
    best = ranked[0]
    chosen = values.filter(pl.col("id") == best[0]).group_by("time").agg(pl.col("value").mean())
    chosen = chosen.sort("time")
    times, numbers = chosen["time"].to_list(), chosen["value"].to_list()
    return Signal(best[0], best[1], host, "throughput", times, numbers)


def shows_load(series: str, labels: str = "") -> bool:
    """Return whether a series shows sessions inside a server, its work or its latency."""
    return bool(_role(series, labels)[0])


def _with_role(values: pl.DataFrame, role: str | None = None) -> pl.DataFrame:
    """Return id, series, host and labels of the series with a role, or with this one."""
    named = values.select("id", "series", "host", "labels").unique(maintain_order=True)
    roles = [_role(row[0], row[1] or "")[0] for row in named.select("series", "labels").iter_rows()]
    wanted = [bool(each) and role in (None, each) for each in roles]
    return named.filter(pl.Series(wanted, dtype=pl.Boolean))


def _role(series: str, labels: str = "") -> tuple[str, float]:
    """Return the role ('concurrency', 'latency', 'throughput' or '') and its trust, 0..1."""
    name = short_name(series, labels)
    if name in ("threads_running", "threads_running_avg"):
        return "concurrency", 1.0
    if series == "processlist.running":
        return "concurrency", 0.8
    if name in ("active_connections", "active_sessions", "running_threads", "concurrency"):
        return "concurrency", 0.7
    if series == "innodb.active_transactions":
        return "concurrency", 0.5
    if series in ("innodb.lock_wait_transactions", "innodb.semaphore_waits"):
        return "concurrency", 0.45
    if name in ("qps", "questions", "queries", "tps", "queries_per_second", "qps_total"):
        return "throughput", 0.4
    if any(word in name for word in ("latency", "response_time", "p95", "p99")):
        return "latency", 0.3
    return "", 0.0


__all__ = ["Signal", "shows_load", "signals", "throughput"]
