"""Did a change help? Two runs under the same load, compared at their worst: better, same or worse.

The measure is the time that a statement spends inside the server, by Little's law: sessions running
over statements per second. Throughput alone would call a run worse that was offered less, sessions
alone one that did more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import polars as pl

from pileup.analysis.context import Context, Span
from pileup.analysis.levels import Levels
from pileup.analysis.shifts import number

_S = 1_000_000
_BETTER, _WORSE = 1 / 1.5, 1.5
"""Ratios nearer to 1 than these are the same: two runs of one load differ by a third anyway."""
_RATES = ("questions", "qps", "queries", "tps")


@dataclass(frozen=True, slots=True)
class Trial:
    """The verdict on one change, with what it rests on."""

    verdict: Literal["better", "same", "worse", "unknown"]
    why: str
    before_s: float | None = None
    """Seconds inside the server per statement, in the run without the change."""
    after_s: float | None = None
    changed: tuple[tuple[str, str | None, str | None], ...] = ()
    """Settings that differ between the runs: name, before, after."""


def compare(before: Context, after: Context) -> Trial:
    """The run with a change (``after``) against the one without, each at its worst."""
    changed = _changed(before, after)
    stall = before.stall or _worst(before, None)
    length = stall.seconds if stall else None
    first, second = _inside(before, stall), _inside(after, after.stall or _worst(after, length))
    if first is None or second is None:
        run = "first" if first is None else "second"
        why = f"The {run} run has no series of sessions running and statements done."
        return Trial("unknown", why, changed=changed)
    ratio = second.seconds / first.seconds
    verdict: Literal["better", "same", "worse"] = "same"
    if ratio <= _BETTER:
        verdict = "better"
    elif ratio >= _WORSE:
        verdict = "worse"
    why = (
        f"A statement took {_ms(first.seconds)} inside the server at the worst, then "
        f"{_ms(second.seconds)} ({number(first.running)} sessions and {number(first.rate)} "
        f"statements/s, then {number(second.running)} and {number(second.rate)})."
    )
    return Trial(verdict, why, first.seconds, second.seconds, changed)


@dataclass(frozen=True, slots=True)
class _Inside:
    running: float
    rate: float

    @property
    def seconds(self) -> float:
        return self.running / max(self.rate, 0.1)


def _inside(context: Context, span: Span | None) -> _Inside | None:
    ids = _series(context)
    if span is None or ids is None:
        return None
    running, rate = (_mean(context, one, span) for one in ids)
    if running is None or rate is None or running <= 0:
        return None
    return _Inside(running, rate)


def _series(context: Context) -> tuple[str, str] | None:
    """Ids of the series of sessions running and of statements per second, the fullest ones."""
    levels = Levels.of(context)
    running = levels.first("threads_running") or levels.first(
        "running", collectors=("processlist",)
    )
    rate = levels.first(*_RATES)
    return (running.id, rate.id) if running and rate else None


def _mean(context: Context, series: str, span: Span) -> float | None:
    rows = context.values.filter((pl.col("id") == series) & span.holds())["value"]
    mean = rows.mean()
    return float(mean) if isinstance(mean, int | float) else None


def _worst(context: Context, seconds: float | None) -> Span | None:
    """The stretch of that length with the most sessions running; all of it when it is shorter."""
    ids = _series(context)
    if ids is None:
        return None
    rows = context.values.filter(pl.col("id") == ids[0]).select("time", "value").sort("time")
    times = rows["time"].to_list()
    if not times:
        return None
    if seconds is None or (times[-1] - times[0]) / _S <= seconds:
        return Span(times[0], times[-1])
    width = round(seconds * _S)
    sums = rows.with_columns(pl.col("time").cast(pl.Datetime("us"))).rolling(
        "time", period=f"{width}us"
    )
    means = sums.agg(pl.col("value").mean())["value"]
    full = [i for i, at in enumerate(times) if at - times[0] >= width]
    end = max(full, key=lambda i: means[i], default=len(times) - 1)
    return Span(times[end] - width, times[end])


def _changed(before: Context, after: Context) -> tuple[tuple[str, str | None, str | None], ...]:
    def of(context: Context) -> Mapping[str, str | None]:
        return {name: one.value for name, one in context.settings.items()}

    old, new = of(before), of(after)
    return tuple(
        (name, old[name], new[name])
        for name in sorted(old.keys() & new.keys())
        if old[name] != new[name] and name not in _OF_THE_RUN
    )


_OF_THE_RUN = frozenset(
    {"timestamp", "server_uuid", "pseudo_thread_id", "rand_seed1", "rand_seed2", "gtid_executed",
     "pid_file", "socket", "port", "datadir", "tmpdir", "log_error", "insert_id", "last_insert_id"}
)  # fmt: skip
"""Variables that differ between any two starts of one server."""


def _ms(seconds: float) -> str:
    return f"{number(seconds * 1000)} ms" if seconds < 10 else f"{number(seconds)} s"


__all__ = ["Trial", "compare"]
