"""Choose the series that best show the sessions inside a server, and its work."""

from __future__ import annotations

import itertools
import statistics
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

import polars as pl

from pileup.analysis.evidence.compact_samples import distinct
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.load_series import OF_LOAD, Role, role_of
from pileup.analysis.evidence.series import whole

_S = 1_000_000
_GROWN = 30.0
"""A dump's count below this level gets less weight."""
_ROWS_READ = "innodb.rows_read"
"""Measure of work without counted statements: rows read in status dumps."""
_OF_DUMPS = 0.6
"""Trust below which a count comes from status dumps."""
_LONG = 3
"""Sampling steps: a longer pause of a collector is no late sample."""
_HOLE_S = 900.0
"""Longest silence of a collector that is still one pause, in seconds."""
LEAST = 8
"""Fewest samples of a series that shows a stall."""


@dataclass(frozen=True, slots=True)
class Signal:
    """The series that shows the stalls of one host."""

    id: str
    series: str
    host: str | None
    role: Role
    times: list[int]
    values: list[float]
    score: float = 0.0
    """How fully the series shows its role, for a choice among several."""
    is_counted: bool = False
    """Whether each value is the rate of a counter since the sample before, however long ago."""

    interval_us: int = field(init=False)
    """Usual step between samples."""

    def __post_init__(self) -> None:
        """Measure the step once: detection needs it for every range."""
        steps = [b - a for a, b in itertools.pairwise(self.times) if b > a]
        interval = round(statistics.median(steps)) if steps else _S
        object.__setattr__(self, "interval_us", interval)

    def began(self, at: int) -> int:
        """Return the UTC µs from which on the value of a sample is."""
        if at and self.is_counted and self.times[at] - self.times[at - 1] <= _HOLE_S * _S:
            return self.times[at - 1]
        return self.times[at] - self.interval_us

    def is_long(self, at: int) -> bool:
        """Return whether the value of a sample is of several steps: others in between are missing.

        What counts goes on counting while a collector rests; where little was counted meanwhile,
        the server did as little as the collector.
        """
        return self.times[at] - self.began(at) > _LONG * self.interval_us

    def between(self, start: int, end: int) -> list[float]:
        """Return the values of a time range, both ends included."""
        return self.values[bisect_left(self.times, start) : bisect_right(self.times, end)]


def signals(values: pl.DataFrame) -> list[Signal]:
    """Choose per host the series that best shows sessions, work or latency.

    A series that names no host does not count where another names one.
    """
    by_host = signals_by_role(values)
    hosts: list[str | None] = [host for host in by_host if host is not None]
    hosts = hosts or list(by_host)
    loads = [[by_host[host][role] for role in OF_LOAD if role in by_host[host]] for host in hosts]
    chosen = [max(load, key=lambda signal: signal.score) for load in loads if load]
    return sorted(chosen, key=lambda signal: signal.host or "")


def signals_by_role(values: pl.DataFrame) -> dict[str | None, dict[Role, Signal]]:
    """Choose per host and role the fullest series; a series that names no host is of host None."""
    if values.is_empty():
        return {}
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
        .filter(pl.col("n") >= LEAST)
        .sort("id")
    )
    best: dict[tuple[str | None, Role], tuple[float, str, str]] = {}
    for id_, series, host, labels, count, first, last, high in table.iter_rows():
        role, weight = role_of(series, labels or "") or ("concurrency", 0.0)
        if role not in ("concurrency", "latency") and id_ not in undivided:
            continue
        if role == "concurrency" and weight < _OF_DUMPS:
            weight *= min(1.0, max(0.05, high / _GROWN))  # of a dump's counts, one that grows
        score = weight * (last - first) / _S * min(count, 10_000) ** 0.25
        if score > best.get((host, role), (0.0, "", ""))[0]:
            best[host, role] = (score, id_, series)
    chosen: dict[str | None, dict[Role, Signal]] = {}
    for (host, role), (score, id_, series) in best.items():
        rows = values.filter(pl.col("id") == id_)
        is_counted = bool((rows["kind"] == "counter").all())
        rows = rows.group_by("time").agg(pl.col("value").max()).sort("time")
        times, numbers = rows["time"].to_list(), rows["value"].to_list()
        signal = Signal(id_, series, host, role, times, numbers, score, is_counted)
        chosen.setdefault(host, {})[role] = signal
    return chosen


WORK_UNITS = {
    "questions": "statements",
    "queries": "statements",
    "qps": "statements",
    "queries_per_s": "statements",
    "tps": "transactions",
    "rows_read": "rows read",
    "row_updates_per_s": "rows updated",
    "row_inserts_per_s": "rows inserted",
    "row_deletes_per_s": "rows deleted",
}
"""What a series of throughput counts, by its short name in lower case."""


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
    ranked = sorted(sizes.iter_rows(), key=lambda r: (-r[3], -_trust(r[1], r[2]), r[0]))
    best = ranked[0]
    chosen = values.filter(pl.col("id") == best[0]).group_by("time").agg(pl.col("value").mean())
    chosen = chosen.sort("time")
    times, numbers = chosen["time"].to_list(), chosen["value"].to_list()
    return Signal(best[0], best[1], host, "throughput", times, numbers)


def _with_role(values: pl.DataFrame, role: Role | None = None) -> pl.DataFrame:
    """Return id, series, host and labels of the series with a role, or with this one."""
    named = distinct(values, "id", "series", "host", "labels")
    roles = [role_of(row[0], row[1] or "") for row in named.select("series", "labels").iter_rows()]
    wanted = [each is not None and role in (None, each[0]) for each in roles]
    return named.filter(pl.Series(wanted, dtype=pl.Boolean))


def _trust(series: str, labels: str | None) -> float:
    found = role_of(series, labels or "")
    return found[1] if found else 0.0


__all__ = ["LEAST", "WORK_UNITS", "Role", "Signal", "signals", "signals_by_role", "throughput"]
