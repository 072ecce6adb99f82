"""Detect a server that stops answering: its collectors fall silent together, for a known reason.

A server that is full (no thread of its pool is left, no connection) lets the collectors wait like
everybody, while those of the machine go on. A collector that was only to run for less time looks
the same; what tells them apart is that sessions rose before, or that the server's log complains,
which also shows that the server lives where no collector of the machine goes on.
"""

from __future__ import annotations

import itertools
import statistics
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from pileup.analysis.evidence.series import OF_MACHINE
from pileup.analysis.stalls.indicators import LEAST, Signal
from pileup.analysis.stalls.stall import Stall, baseline_before, of_range

_OF_SERVER = ("mysql", "processlist", "innodb")
_LEAST_S, _LEAST_STEPS = 10.0, 5.0
"""A silence: so many seconds, and so many steps of the slower of two collectors."""
_FACTOR, _MORE = 3.0, 5.0
"""Sessions before it: so many times the usual, and so many more."""
_LATE_S = 60.0
"""A thread pool complains after half a minute: up to so long after the last answer it is of this
silence, whether or not the collectors of the machine went on."""
_TOGETHER, _NEAR_STEPS = 2, 3.0
"""Collectors that fall silent at once, each within so many of its steps."""


def silences(
    values: pl.DataFrame,
    sessions: Signal,
    complaints: Sequence[int] = (),
    blocked: Sequence[int] = (),
) -> list[Stall]:
    """Detect the silence at the end of a capture, and those inside of it that the log explains.

    values: ``time`` (UTC µs), ``id`` (series with its collector's prefix) and ``host`` of samples.
    complaints: UTC µs of log lines by which the server takes no more statements. blocked: of those
    that come only some time after it took the last.
    """
    rows = values.filter(pl.col("host").eq_missing(pl.lit(sessions.host, dtype=pl.String)))
    rows = rows.select(
        pl.col("id").cast(pl.String).str.extract(r"^([a-z_]+)\.").alias("by"), "time"
    ).unique()
    server = rows.filter(pl.col("by").is_in(_OF_SERVER))
    machine = rows.filter(pl.col("by").is_in(OF_MACHINE))["time"]
    if machine.is_empty() and not blocked:
        return []
    inside = _inside(server, machine, sessions, complaints)
    return inside + _at_end(_ends(server), machine, sessions, complaints, blocked)


def _inside(
    server: pl.DataFrame, machine: pl.Series, sessions: Signal, complaints: Sequence[int]
) -> list[Stall]:
    """Return the silences after which the server answers again; one answer may lie between two."""
    ends = _ends(server)
    if len(ends) < _TOGETHER:
        return []
    least = max(_LEAST_S * 1e6, _LEAST_STEPS * max(step for _, step in ends))
    times = server["time"].unique().sort().to_list()
    holes = [
        (before, after)
        for before, after in itertools.pairwise(times)
        if after - before >= least
        and machine.filter((machine > before) & (machine < after)).n_unique() >= _LEAST_STEPS
    ]
    stalls: list[Stall] = []
    for start, end in _joined(holes, least / 2):
        if any(start - least <= time <= end for time in complaints):
            at = max(0, bisect_right(sessions.times, start) - 1)
            mask = [False] * len(sessions.values)
            baseline = baseline_before(sessions, mask, at, 0)
            note = "No collector got an answer of the server meanwhile; those of the machine did."
            stall = of_range(sessions, at, at, "stall", baseline, note, "stopped")
            stalls.append(replace(stall, onset=start, end=end, last=end))
    return stalls


def _joined(holes: Sequence[tuple[int, int]], gap: float) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in holes:
        if joined and start - joined[-1][1] <= gap:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return joined


def _at_end(
    server: list[tuple[int, float]],
    machine: pl.Series,
    sessions: Signal,
    complaints: Sequence[int],
    blocked: Sequence[int],
) -> list[Stall]:
    last = max((end for end, _ in server), default=0)
    server = [(end, step) for end, step in server if last - end <= _NEAR_STEPS * step]
    if len(server) < _TOGETHER:
        return []
    step = max(step for _, step in server)
    until = max(machine.to_list(), default=last)
    least = max(_LEAST_S * 1e6, _LEAST_STEPS * step)
    goes_on = until - last >= least and machine.filter(machine > last).n_unique() >= _LEAST_STEPS
    late = [time for time in blocked if least <= time - last <= _LATE_S * 1e6]
    if not goes_on and not late:
        return []
    complains = any(last - _NEAR_STEPS * step <= time <= until for time in complaints)
    if not late and not complains and not _rose(sessions.values):
        return []
    at = len(sessions.values) - 1
    mask = [False] * len(sessions.values)
    first = at - 1 if at and sessions.values[at - 1] >= sessions.values[at] / 2 else at
    until = max(until, *late) if late else until
    others = "those of the machine went on" if goes_on else "its log complains of it later"
    note = f"No collector got an answer of the server from here on, while {others}."
    baseline = baseline_before(sessions, mask, first, 0)
    stall = of_range(sessions, first, at, "stall", baseline, note, "stopped")
    return [replace(stall, end=None, last=until)]


def _ends(rows: pl.DataFrame) -> list[tuple[int, float]]:
    """Return the last time and the usual step (µs) of each collector with enough samples."""
    found = []
    for (_,), frame in rows.group_by("by", maintain_order=True):
        times = frame["time"].sort().to_list()
        if len(times) >= _LEAST_STEPS:
            steps = [after - before for before, after in itertools.pairwise(times)]
            found.append((times[-1], statistics.median(steps)))
    return found


def _rose(counts: Sequence[float]) -> bool:
    """Return whether the last samples of the sessions are far above those before."""
    if len(counts) < LEAST:
        return False
    usual, last = statistics.median(counts[:-2]), max(counts[-2:])
    return last >= max(_FACTOR * usual, usual + _MORE)


__all__ = ["silences"]
