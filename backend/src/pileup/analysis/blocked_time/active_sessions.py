"""Active sessions by class over time, and their seconds.

The level comes from the densest series that counts running sessions, the classes from the nearest
moment that shows them. The seconds are trapezoids between samples; gaps are not bridged.
"""

from __future__ import annotations

import itertools
import math
import statistics
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from pileup.analysis.blocked_time import hidden_waits
from pileup.analysis.contract import ActiveSessionsDoc, TimeClassDoc
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.series import short_name
from pileup.analysis.evidence.times import iso, iso_of
from pileup.knowledge import wait_classes

MOST_POINTS = 200
MOMENTS = "moments"
"""Source of a level that no series gives."""
_LEVELS = ("threads_running", "threads_running_avg", "active_sessions", "running_threads")
_CONNECTED = ("threads_connected",)
_ROW_WAITS = ("innodb_row_lock_current_waits", "lock_row_lock_current_waits")
_LISTED, _STATES = "processlist.running", "processlist.state"
_GAP_S, _GAP_STEPS = 60.0, 5.0
"""A gap of more than both, in seconds and in usual steps, is not bridged."""
_MIX_NEAR_US = 120_000_000
"""How far the nearest moment that shows the classes may be."""


@dataclass(frozen=True, slots=True)
class Level:
    """How many sessions were active, over time (UTC µs)."""

    source: str
    times: list[int]
    values: list[float]

    def at(self, time: int | None) -> float | None:
        """Return the level at a time, between the samples next to it; None outside of them."""
        if time is None or not self.times:
            return None
        after = bisect_left(self.times, time)
        if after == len(self.times) or (after == 0 and self.times[0] != time):
            near = 0 if after == 0 else -1
            return self.values[near] if abs(self.times[near] - time) <= _GAP_S * 1e6 else None
        if self.times[after] == time:
            return self.values[after]
        begin, end = self.times[after - 1], self.times[after]
        part = (time - begin) / (end - begin)
        return self.values[after - 1] * (1 - part) + self.values[after] * part


@dataclass(frozen=True, slots=True)
class Mix:
    """The classes of one moment."""

    time: int | None
    sessions: Mapping[str, float]
    """Active sessions by class."""
    complete: bool
    """Whether every active session is among them; else what is missing is unknown."""
    notes: Sequence[str] = field(default=())

    def shares(self, level: float | None) -> dict[str, float]:
        """Return the share of each class at a level; the shares add up to 1."""
        shown = sum(self.sessions.values())
        whole = shown if self.complete or level is None else max(shown, level)
        if whole <= 0:
            return {wait_classes.WORKING: 1.0}
        shares = {name: count / whole for name, count in self.sessions.items()}
        if whole > shown:
            rest = (whole - shown) / whole
            shares[wait_classes.UNKNOWN] = shares.get(wait_classes.UNKNOWN, 0.0) + rest
        return shares


def level_of(values: pl.DataFrame, host: str | None, span: Span | None) -> Level | None:
    """Return the densest series of running sessions; None: no series counts them.

    values: see ``evidence.series.values``.
    """
    if values.is_empty():
        return None
    return _densest(values, _counting(values), host, span)


def hosts_of(values: pl.DataFrame) -> list[str]:
    """List the hosts of the series that count running sessions."""
    if values.is_empty():
        return []
    rows = values.filter(pl.col("series").is_in(_counting(values)))
    return sorted(rows["host"].drop_nulls().unique().to_list())


def _counting(values: pl.DataFrame) -> list[str]:
    names = values["series"].unique().to_list()
    return [name for name in names if name == _LISTED or short_name(name) in _LEVELS]


def connected_of(values: pl.DataFrame, host: str | None) -> Level | None:
    """Return the series of connected sessions; None: none counts them, or several hosts' do."""
    if values.is_empty() or (host is None and values["host"].drop_nulls().n_unique() > 1):
        return None
    names = values["series"].unique().to_list()
    return _densest(values, [n for n in names if short_name(n) in _CONNECTED], host, None)


def _densest(
    values: pl.DataFrame, counting: Sequence[str], host: str | None, span: Span | None
) -> Level | None:
    rows = values.filter(pl.col("series").is_in(counting))
    if host is not None:
        rows = rows.filter(pl.col("host").is_null() | (pl.col("host") == host))
    if span is not None:
        rows = rows.filter(span.holds())
    counts = rows.group_by("id", "series").agg(pl.len().alias("n"), pl.col("value").max())
    ranked = sorted(counts.iter_rows(), key=lambda row: (-row[2], row[1] == _LISTED, str(row[0])))
    if not ranked:
        return None
    chosen = rows.filter(pl.col("id") == ranked[0][0]).group_by("time")
    table = chosen.agg(pl.col("value").max()).sort("time")
    return Level(str(ranked[0][1]), table["time"].to_list(), table["value"].to_list())


def most_near(level: Level | None, time: int | None) -> float | None:
    """Return the larger of the samples next to a time; None if none is near."""
    if level is None or time is None:
        return None
    after = bisect_left(level.times, time)
    near = [
        level.values[at]
        for at in (after - 1, after)
        if 0 <= at < len(level.times) and abs(level.times[at] - time) <= _GAP_S * 1e6
    ]
    return max(near, default=None)


def listed_mixes(evidence: Evidence, host: str | None, span: Span | None) -> list[Mix]:
    """Return the classes of every processlist, by its States alone; also of one without ids."""
    counted = _counted_mixes(evidence, host, span)
    frame = evidence.frame("session")
    if frame is None:
        return counted
    frame = _within(frame.filter(pl.col("time").is_not_null()), host, span)
    pairs = frame.select("command", "state").unique()
    table = pl.DataFrame(
        [
            {"command": c, "state": s, "time_class": wait_classes.of_state(c, s)}
            for c, s in pairs.iter_rows()
        ],
        schema={"command": pl.String, "state": pl.String, "time_class": pl.String},
    )
    hidden = pl.col("hidden") & (pl.col("time_class") == wait_classes.WORKING)
    grouped = (
        frame.with_columns(hidden_waits.may_hide(frame).alias("hidden"))
        .join(table, on=["command", "state"], how="left", nulls_equal=True)
        .with_columns(
            pl.when(hidden)
            .then(pl.lit(wait_classes.UNKNOWN))
            .otherwise("time_class")
            .alias("time_class")
        )
        .group_by("time", "time_class")
        .len()
        .sort("time", "time_class")
    )
    mixes: dict[int, dict[str, float]] = {}
    for time, name, count in grouped.iter_rows():
        sessions = mixes.setdefault(time, {})
        if name != wait_classes.IDLE:
            sessions[name] = float(count)
    return [*counted, *(Mix(time, found, complete=True) for time, found in mixes.items())]


def waits_by_counter(values: pl.DataFrame, host: str | None, span: Span | None) -> list[Mix]:
    """Return how many wait for rows by the server's own gauge, where no record lists sessions."""
    if values.is_empty():
        return []
    names = [name for name in values["series"].unique().to_list() if short_name(name) in _ROW_WAITS]
    gauge = _densest(values, names, host, span)
    if gauge is None:
        return []
    return [
        Mix(time, {wait_classes.ROW_LOCK: waits}, complete=False)
        for time, waits in zip(gauge.times, gauge.values, strict=True)
    ]


def _within(frame: pl.DataFrame, host: str | None, span: Span | None) -> pl.DataFrame:
    if host is not None:
        frame = frame.filter(pl.col("host").fill_null(host) == host)
    return frame if span is None else frame.filter(span.holds())


def _counted_mixes(evidence: Evidence, host: str | None, span: Span | None) -> list[Mix]:
    """Return the classes of lists that only count sessions by State, and print no ids."""
    samples, listed = evidence.frame("sample"), evidence.frame("session")
    if samples is None:
        return []
    frame = samples.filter(pl.col("series") == _STATES)
    if listed is not None:
        with_ids = listed["artifact"].unique().to_list()
        frame = frame.filter(~pl.col("artifact").cast(pl.String).is_in(with_ids))
    frame = _within(frame, host, span)
    mixes: dict[int | None, dict[str, float]] = {}
    for time, labels, count in frame.select("time", "labels", "value").iter_rows():
        name = wait_classes.of_state(None, labels.removeprefix("state="))
        if name != wait_classes.IDLE and count is not None:
            sessions = mixes.setdefault(time, {})
            sessions[name] = sessions.get(name, 0.0) + count
    return [Mix(time, sessions, complete=False) for time, sessions in mixes.items()]


def active_sessions(
    level: Level | None, mixes: Sequence[Mix], mix_from: str
) -> ActiveSessionsDoc | None:
    """Draw the active sessions by class; None: nothing shows any."""
    timed = sorted((mix for mix in mixes if mix.time is not None), key=lambda mix: mix.time or 0)
    if level is None or not level.times:
        level = _level_of_moments(timed)
    if level is None:
        return _of_one_moment(mixes, mix_from)
    curves = _curves(level, timed)
    steps = _steps(level.times)
    seconds = _area(level.values, steps)
    error = 2 * math.sqrt(
        sum((b - a) ** 2 * s * s / 12 for a, b, s in _pieces(level.values, steps))
    )
    alone = len(level.times) < 2
    areas = {name: _area(curve, steps) for name, curve in curves.items()}
    whole = sum(level.values) if alone or seconds <= 0 else seconds
    shares = {
        name: (sum(curve) if alone or seconds <= 0 else areas[name]) / whole if whole else 0.0
        for name, curve in curves.items()
    }
    thin = _buckets(len(level.times))
    peak = max(range(len(level.values)), key=lambda i: (level.values[i], -i))
    return ActiveSessionsDoc(
        times=[iso_of(level.times[first]) for first, _ in thin],
        level=_thinned(level.values, thin),
        classes=[
            TimeClassDoc(
                id=each.id,
                title=each.title,
                waits=each.waits,
                seconds=None if alone else round(areas[each.id], 1),
                share=round(shares[each.id], 4),
                values=_thinned(curves[each.id], thin),
            )
            for each in wait_classes.time_classes()
            if any(curves.get(each.id, ()))
        ],
        seconds=None if alone else round(seconds, 1),
        low=None if alone else round(max(0.0, seconds - error), 1),
        high=None if alone else round(seconds + error, 1),
        covered_s=None if alone else round(sum(steps), 3),
        level_from=level.source,
        mix_from=mix_from if timed else "",
        peak=round(level.values[peak], 1),
        peak_at=iso(level.times[peak]),
        notes=list(dict.fromkeys(note for mix in mixes for note in mix.notes))[:5],
    )


def _level_of_moments(mixes: Sequence[Mix]) -> Level | None:
    by_time = {mix.time: sum(mix.sessions.values()) for mix in mixes if mix.time is not None}
    return Level(MOMENTS, list(by_time), list(by_time.values())) if by_time else None


def _of_one_moment(mixes: Sequence[Mix], mix_from: str) -> ActiveSessionsDoc | None:
    """Describe the fullest of moments whose time is unknown."""
    mix = max(mixes, key=lambda mix: sum(mix.sessions.values()), default=None)
    if mix is None or not mix.sessions:
        return None
    count = sum(mix.sessions.values())
    return ActiveSessionsDoc(
        times=[],
        level=[],
        classes=[
            TimeClassDoc(
                id=each.id, title=each.title, waits=each.waits, seconds=None,
                share=round(mix.sessions[each.id] / count, 4), values=[],
            )
            for each in wait_classes.time_classes()
            if mix.sessions.get(each.id)
        ],
        seconds=None,
        low=None,
        high=None,
        level_from=MOMENTS,
        mix_from=mix_from,
        peak=round(count, 1),
        peak_at=None,
        notes=list(mix.notes),
    )  # fmt: skip


def _curves(level: Level, mixes: Sequence[Mix]) -> dict[str, list[float]]:
    """Return the values of each class at the times of the level, which they add up to."""
    times = [mix.time or 0 for mix in mixes]
    shares = [mix.shares(level.at(mix.time)) for mix in mixes]
    curves: dict[str, list[float]] = {}
    for at, (time, value) in enumerate(zip(level.times, level.values, strict=True)):
        near = _nearest(times, time)
        mix = {wait_classes.UNKNOWN: 1.0} if near is None else shares[near]
        for name, share in mix.items():
            curves.setdefault(name, [0.0] * len(level.times))[at] = value * share
    return curves


def far_from(mixes: Sequence[Mix], others: Sequence[Mix]) -> list[Mix]:
    """Select the others that no mix is near enough to stand for."""
    times = sorted(mix.time for mix in mixes if mix.time is not None)
    return [other for other in others if _nearest(times, other.time or 0) is None]


def _nearest(times: Sequence[int], time: int) -> int | None:
    at = bisect_left(times, time)
    near = min(
        (i for i in (at - 1, at) if 0 <= i < len(times)),
        key=lambda i: abs(times[i] - time),
        default=None,
    )
    return None if near is None or abs(times[near] - time) > _MIX_NEAR_US else near


def _steps(times: Sequence[int]) -> list[float]:
    """Return the seconds between samples; 0 across a gap."""
    steps = [(b - a) / 1e6 for a, b in itertools.pairwise(times)]
    usual = statistics.median(steps) if steps else 0.0
    return [0.0 if step > max(_GAP_S, _GAP_STEPS * usual) else step for step in steps]


def _pieces(values: Sequence[float], steps: Sequence[float]) -> list[tuple[float, float, float]]:
    return list(zip(values, values[1:], steps, strict=False))


def _area(values: Sequence[float], steps: Sequence[float]) -> float:
    return sum((a + b) / 2 * step for a, b, step in _pieces(values, steps))


def _buckets(count: int) -> list[tuple[int, int]]:
    size = max(1, math.ceil(count / MOST_POINTS))
    return [(first, min(first + size, count)) for first in range(0, count, size)]


def _thinned(values: Sequence[float], buckets: Sequence[tuple[int, int]]) -> list[float]:
    return [round(sum(values[a:b]) / (b - a), 3) for a, b in buckets]


__all__ = [
    "MOST_POINTS",
    "Level",
    "Mix",
    "active_sessions",
    "connected_of",
    "far_from",
    "hosts_of",
    "level_of",
    "listed_mixes",
    "most_near",
    "waits_by_counter",
]
