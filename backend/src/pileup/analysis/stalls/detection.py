"""Detect stalls by the union of what shows them: sessions, work, refusals and latency.

A stall has a shape. Piled up: far more sessions inside the server than usual. Refused: clients get
errors. Stopped: next to no work is done, whatever the sessions do. Slow: far less is done, or
statements take far longer. Ranges of several shapes that overlap are one stall; a calm series never
removes what another one shows.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from pileup.analysis.deadlocks import by_deadlock
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.series import short_name
from pileup.analysis.evidence.servers import numeric_setting
from pileup.analysis.stalls import refusals, workloads
from pileup.analysis.stalls.indicators import Role, Signal, signals_by_role
from pileup.analysis.stalls.lags import lag_stops
from pileup.analysis.stalls.loads import is_carried, waiting_in
from pileup.analysis.stalls.pileups import ALWAYS_HIGH, pileups
from pileup.analysis.stalls.row_work import row_stops
from pileup.analysis.stalls.silences import silences
from pileup.analysis.stalls.slowdowns import slowdowns
from pileup.analysis.stalls.stall import SHAPES, Kind, Shape, Stall
from pileup.analysis.stalls.stops import stops
from pileup.records import CLIENT

_S = 1_000_000
_NEAR_S = 5.0
"""Ranges closer than this are one stall."""
_FEW_SAMPLES = 8
"""Fewer samples of a series are single moments: only their height counts."""
_FAILED = (
    r"(?i)too many connections|error 1040\b|MY-0?01040\b"
    r"|no space left on device|disk is full|\b(errno|errcode|error number)[ :]{1,3}28\b"
    r"|\bthe table '[^']*' is full|too many open files"
)
"""Log lines of connections and statements that fail for want of something that has run out."""

_REFUSED = ("1040", "1041", "1129", "1135", "1203", "1226")
"""Errors of a client that a server refuses which is there; one that restarts cannot be reached."""

_ERRORS: tuple[Role, ...] = ("errors", "deadlocks")
"""Roles of series that count what ends in an error."""

_BLOCKED = (
    r"(?i)thread ?pool (could not create|has been blocked|is blocked)"
    r"|number of allowed threads was reached"
)
"""Log lines of a thread pool that has had no thread left for some time."""
_COMPLAINS = rf"{_BLOCKED}|too many connections"
"""Log lines by which the server takes no more statements."""


def find(evidence: Evidence, values: pl.DataFrame) -> list[Stall]:
    """Detect every stall, false positive and recovery burst, in time order."""
    observed = _observer_times(evidence)
    log = _of_log(evidence)
    failures_logged, deadlocks = _failure_times(evidence), _deadlock_times(evidence)
    unconnected = _unconnected(evidence)
    by_host = signals_by_role(values)
    found: dict[str | None, list[Stall]] = {}
    lagging = lag_stops(values)
    for host in {*by_host, *failures_logged, *unconnected, *deadlocks, *lagging}:
        signals = by_host.get(host, {})
        each = _of_host(evidence, host, signals, values, observed, log)
        each += lagging.get(host, [])
        each += refusals.by_log(failures_logged.get(host, []), host)
        each += refusals.of_collectors(unconnected.get(host, []), _seen(signals), host)
        each += refusals.by_deadlocks(deadlocks.get(host, []), signals.get("throughput"), host)
        found[host] = _united(each)
    stalls = _with_hostless(found)
    if not any(stall.kind == "stall" for stall in stalls):
        sessions = [each["concurrency"] for each in by_host.values() if "concurrency" in each]
        stalls += _from_moments(values, sessions)
    return sorted(stalls, key=lambda stall: (stall.onset, stall.host or "", stall.kind))


def _of_host(
    evidence: Evidence,
    host: str | None,
    signals: dict[Role, Signal],
    values: pl.DataFrame,
    observed: Sequence[int],
    log: _OfLog,
) -> list[Stall]:
    sessions, work = signals.get("concurrency"), signals.get("throughput")
    connected, restarts = signals.get("connected"), log.restarts.get(host, [])
    stalls: list[Stall] = []
    if sessions is not None:
        stalls += [
            stall
            for stall in pileups(
                sessions, values, observed, lambda level: is_carried(evidence, values, work, level)
            )
            if stall.kind == "false_positive"
            or not workloads.is_done(stall, values, lambda span: waiting_in(evidence, span))
        ]
        complaints, blocked = log.complaints.get(host, []), log.blocked.get(host, [])
        stalls += silences(values, sessions, complaints, blocked)
    if work is not None:
        stalls += stops(work, connected, sessions, restarts)
    else:
        stalls += row_stops(values, host, restarts)
    refused = signals.get("refused")
    if refused is not None:
        stalls += refusals.refused(refused)
    elif connected is not None and (limit := numeric_setting(evidence, host, "max_connections")):
        stalls += refusals.at_limit(connected, limit)
    for role in (r for r in _ERRORS if r in signals):
        stalls += refusals.erring(signals[role], work, role)
    if "latency" in signals:
        stalls += slowdowns(signals["latency"])
    return stalls


# ---- one stall of several ranges ----------------------------------------------------------------


def _united(stalls: Sequence[Stall]) -> list[Stall]:
    """Merge stalls of different shapes that overlap; the first shape names them."""
    real = sorted(
        (stall for stall in stalls if stall.kind == "stall"),
        key=lambda stall: (SHAPES.index(stall.shape), stall.onset),
    )
    drained = {stall.onset for stall in stalls if stall.kind == "recovery_burst"}
    merged: list[Stall] = []  # in time order, none near another
    for stall in real:
        first, after = _near(merged, stall)
        if stall.shape == "slow" and first < after:  # it joins nothing that is apart
            merged[first:after] = [
                _merged(other, stall, drained=True) for other in merged[first:after]
            ]
            continue
        for other in merged[first:after]:
            stall = _merged(other, stall, drained=other.end in drained)
        merged[first:after] = [stall]
    others = [stall for stall in stalls if stall.kind != "stall"]
    return [*merged, *(other for other in others if not _is_part(other, merged))]


def _near(stalls: Sequence[Stall], stall: Stall) -> tuple[int, int]:
    """Return the range of stalls, which are in time order, that a stall touches."""
    wide = stall.span.widened(_NEAR_S)
    first = bisect_left(stalls, wide.start, key=lambda other: other.span.end)
    return first, max(first, bisect_right(stalls, wide.end, key=lambda other: other.onset))


def _touches(stalls: Sequence[Stall], stall: Stall) -> bool:
    first, after = _near(stalls, stall)
    return first < after


def _is_part(short: Stall, stalls: Sequence[Stall]) -> bool:
    """Return whether a false positive lies in a stall that another signal shows."""
    first, after = _near(stalls, short)
    return short.kind == "false_positive" and any(
        short.signal is not other.signal for other in stalls[first:after]
    )


def _merged(stall: Stall, other: Stall, *, drained: bool) -> Stall:
    """Return a stall with what another shape adds: an earlier onset, and a later end.

    drained: queued work drains at its end, which is therefore known.
    """
    shapes = tuple(
        shape
        for shape in SHAPES
        if shape in {*stall.also, other.shape, *other.also} and shape != stall.shape
    )
    stall = replace(stall, also=shapes)
    if other.shape == "slow":
        return stall
    if other.onset < stall.onset and other.baseline is not None:
        stall = replace(stall, onset=other.onset, baseline=other.baseline, note=other.note)
    if not drained and stall.end is not None:
        end = None if other.end is None else max(stall.end, other.end)
        stall = replace(stall, end=end, last=max(stall.last, other.last))
    return stall


def _with_hostless(found: dict[str | None, list[Stall]]) -> list[Stall]:
    """Return all stalls; those of series that name no host only where no host shows them.

    With a single host in the evidence, they are its own.
    """
    hosts = [host for host in found if host is not None]
    named = [stall for host in hosts for stall in found[host]]
    real = [[stall for stall in found[host] if stall.kind == "stall"] for host in hosts]
    more = found.get(None, [])
    if not hosts:
        return list(more)
    host = hosts[0] if len(hosts) == 1 else None
    more = [
        replace(stall, host=host)
        for stall in more
        if stall.kind == "stall" and not any(_touches(each, stall) for each in real)
    ]
    return [*named, *more]


# ---- few moments -------------------------------------------------------------------------------


def _from_moments(values: pl.DataFrame, sessions: Sequence[Signal]) -> list[Stall]:
    """Derive stalls from a few dumps or processlists with ten or more waiters.

    A crowd of one moment is none where a series of the sessions goes on around it, which shows no
    stall: a busy server has such moments.
    """
    enough = pl.when(pl.col("series") == "processlist.running").then(ALWAYS_HIGH).otherwise(10.0)
    names = ["innodb.semaphore_waits", "innodb.lock_wait_transactions", "processlist.running"]
    rows = values.filter(pl.col("series").is_in(names))
    if rows.is_empty():
        return []
    counts = rows.group_by("id").len()
    few = counts.filter(pl.col("len") < _FEW_SAMPLES)["id"].to_list()
    high = rows.filter(pl.col("id").is_in(few) & (pl.col("value") >= enough)).sort(
        "time", maintain_order=True
    )
    found = []
    for (host,), frame in high.group_by("host", maintain_order=True):
        first, last = int(frame["time"][0]), int(frame["time"][-1])
        note = (
            "Seen in single moments only: sessions already wait there. Onset and end "
            "are unknown without a series over time."
        )
        name = None if host is None else str(host)
        if last - first < _NEAR_S * _S and any(_goes_on(each, first, last) for each in sessions):
            continue
        found.append(Stall("stall", name, first, None, last, None, None, note))
    return found


def _goes_on(sessions: Signal, first: int, last: int) -> bool:
    """Return whether a series counts the sessions shortly before and shortly after a moment."""
    near = _NEAR_S * _S
    return all(
        sessions.between(round(start), round(end))
        for start, end in ((first - near, first), (last, last + near))
    )


# ---- times of other evidence -------------------------------------------------------------------


def _observer_times(evidence: Evidence) -> list[int]:
    """Return the times of stack samples: a debugger stops the server while it walks stacks."""
    snapshots = evidence.frame("snapshot")
    if snapshots is None:
        return []
    taken = snapshots.filter((pl.col("kind") == "stacks") & pl.col("time").is_not_null())
    return sorted(int(time) for time in taken["time"])


@dataclass(frozen=True, slots=True)
class _OfLog:
    """Per host when its log reports what stops work (UTC µs)."""

    restarts: dict[str | None, list[int]]
    complaints: dict[str | None, list[int]]
    """It takes no more statements."""
    blocked: dict[str | None, list[int]]
    """Those complaints that come only some time after it took the last."""


def _of_log(evidence: Evidence) -> _OfLog:
    return _OfLog(
        _restart_times(evidence),
        _logged(evidence, pl.col("message").str.contains(_COMPLAINS)),
        _logged(evidence, pl.col("message").str.contains(_BLOCKED)),
    )


def _failure_times(evidence: Evidence) -> dict[str | None, list[int]]:
    """Return per host the times of log lines by which clients get errors, sorted."""
    refused = pl.col("code").fill_null("") == "MY-001040"
    return _logged(evidence, pl.col("message").str.contains(_FAILED) | refused)


def _unconnected(evidence: Evidence) -> dict[str | None, list[int]]:
    """Return per host when collectors were refused; of one that crashed, also got no answer."""
    client = pl.col("subsystem") == CLIENT
    crashed = _logged(evidence, pl.col("kind") == "crash")
    refused = _logged(evidence, client & pl.col("code").is_in(_REFUSED))
    failed = _logged(evidence, client)
    return refused | {host: times for host, times in failed.items() if host in crashed}


def _seen(signals: Mapping[Role, Signal]) -> list[int]:
    """Return the times of the samples of a server, sorted."""
    return sorted({time for signal in signals.values() for time in signal.times})


def _logged(evidence: Evidence, which: pl.Expr) -> dict[str | None, list[int]]:
    """Return per host the times of these log lines, sorted."""
    events = evidence.frame("event")
    if events is None:
        return {}
    lines = events.filter(pl.col("time").is_not_null() & which)
    times: dict[str | None, list[int]] = {}
    for host, time in lines.sort("time", maintain_order=True).select("host", "time").iter_rows():
        times.setdefault(host, []).append(time)
    return times


def _deadlock_times(evidence: Evidence) -> dict[str | None, list[int]]:
    """Return per host the times of its deadlocks, each counted once, sorted."""
    frame = evidence.frame("deadlock")
    if frame is None:
        return {}
    rows = frame.drop_nulls("time").sort("time", maintain_order=True)
    times: dict[str | None, list[int]] = {}
    for prints in by_deadlock(rows.iter_rows(named=True)):
        times.setdefault(prints[0]["host"], []).append(prints[0]["time"])
    for of_host in times.values():
        of_host.sort()
    return times


def _restart_times(evidence: Evidence) -> dict[str | None, list[int]]:
    """Return per host when the server started: its uptime fell, or its log reports the start."""
    times: dict[str | None, list[int]] = {}
    events = evidence.frame("event")
    if events is not None:
        lines = events.filter(pl.col("time").is_not_null() & (pl.col("kind") == "restart"))
        for host, time in lines.select("host", "time").iter_rows():
            times.setdefault(host, []).append(time)
    samples = evidence.frame("sample")
    if samples is None:
        return times
    names = [name for name in samples["series"].unique().to_list() if short_name(name) == "uptime"]
    if not names:
        return times
    falls = (
        samples.filter(pl.col("series").is_in(names) & pl.col("time").is_not_null())
        .sort("artifact", "id", "time")
        .filter(pl.col("value").diff().over("artifact", "id") < 0)
    )
    for host, time in falls.select("host", "time").iter_rows():
        times.setdefault(host, []).append(time)
    return times


__all__ = ["Kind", "Shape", "Stall", "find"]
