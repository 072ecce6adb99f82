"""Checks of the operating system during a stall: queues, processes, faults, slow calls.

The collectors overlap (vmstat, mpstat, sar, dstat, top, pidstat); each function here gives one
answer, whichever collector was running.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter

import polars as pl

from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.levels import Level, Levels, medians_of_sum, values_of
from pileup.numerals import number

_CPU_PAIRS = (
    ("vmstat", "us", "sy"),
    ("mpstat", "usr", "sys"),
    ("sar", "user", "system"),
    ("sar", "usr", "sys"),
    ("dstat", "usr", "sys"),
    ("top", "cpu_us", "cpu_sy"),
    ("iostat", "cpu_user", "cpu_system"),
    ("metric", "cpu_busy_pct", ""),
    ("metric", "cpu_user_pct", "cpu_system_pct"),
)
"""Collector and its columns of user and system time per interval."""
_STEAL = ("st", "steal", "stl", "cpu_st", "cpu_steal", "cpu_steal_pct")
_MACHINE = ("vmstat", "mpstat", "sar", "dstat", "top", "iostat", "metric", "csv")
_SERVERS = ("mysqld", "mariadbd")
_CROWDED = 4.0
"""A run queue is long from this many runnable processes per CPU."""
_NO_TIME_LEFT, _LONG_QUEUE, _GREW = 90.0, 16.0, 2.0
"""Percent of the CPUs, processes in the queue, and times as many as before."""
_MANY_IN_DISK_WAIT, _TIMES_IN_DISK_WAIT = 8.0, 3.0
"""Processes, and times as many as before."""
_MANY_TO_ACCEPT = 10.0
_BUSY_STRANGER = 50.0
_STEAL_PCT = 5.0
_HOUR_S = 3600.0

FAULTS = (
    "oom_kill", "hung_task", "lockup", "memory_error", "io_error", "filesystem_error", "disk_full",
    "kernel_fault", "page_allocation", "throttled", "raid_degraded",
)  # fmt: skip
"""Event kinds (formats.kernel_faults) that mean a fault of the machine itself."""

Finding = tuple[str, Level]


def cpu_busy(levels: Levels) -> tuple[float, float | None, Level] | None:
    """Return the CPU utilisation in percent inside the stall and before it, from one collector.

    Where only the user time was collected, the value is a lower bound. None without a collector.
    """
    for collector, user_name, system_name in _CPU_PAIRS:
        user = levels.first(user_name, collectors=(collector,))
        system = levels.first(system_name, collectors=(collector,))
        if user is None or user.inside is None:
            continue
        if system is None or system.inside is None:
            return user.inside, user.before, user
        before = None
        if user.before is not None and system.before is not None:
            before = user.before + system.before
        return user.inside + system.inside, before, user
    return _busy_of_cores(levels) or _busy_of_csv(levels)


def _busy_of_csv(levels: Levels) -> tuple[float, float | None, Level] | None:
    """Return the utilisation that a table of metrics by hand shows."""
    user, system = levels.first(*_USER), levels.first(*_SYSTEM)
    if user is None or user.inside is None:
        return None
    inside = user.inside + (system.inside or 0.0 if system else 0.0)
    if user.before is None:
        return inside, None, user
    return inside, user.before + (system.before or 0.0 if system else 0.0), user


_USER, _SYSTEM = ("us", "cpu_user_pct", "usr"), ("sy", "cpu_system_pct", "sys")


def _busy_of_cores(levels: Levels) -> tuple[float, float | None, Level] | None:
    """Return the mean over the cores of an exporter that lists only each core's share."""
    cores = levels.named("cpu_busy_pct")
    if not cores:
        return None
    before = [core.before for core in cores]
    known = [value for value in before if value is not None]
    return (
        statistics.fmean(core.inside or 0.0 for core in cores),
        statistics.fmean(known) if len(known) == len(before) else None,
        max(cores, key=lambda core: core.inside or 0.0),
    )


def cpus(levels: Levels) -> int | None:
    """Count the CPUs that a collector listed individually; None when no collector did."""
    names = {
        match[1]
        for row in levels.rows
        if (match := re.search(r"(?:^|,)cpu=(\d+)(?:,|$)", row.labels))
    }
    return len(names) or None


def queues(levels: Levels) -> tuple[list[str], list[Finding]]:
    """Return the names of the measured queues, and a finding for each long one.

    Queues: for a CPU, for a disk, and connections to be accepted.
    """
    checked: list[str] = []
    findings: list[Finding] = []
    count = cpus(levels)
    run = _run_queue(levels)
    if run is not None and run.inside is not None and count:
        checked.append("run queue")
        if (text := crowd(levels)) and run.inside >= 2 * (run.before or 0.0):
            findings.append((text, run))
    waits = [level for level in levels.named("threads_wait") if _is_server(level.labels)]
    for wait in waits:
        checked.append("threads waiting for a CPU")
        if (wait.inside or 0.0) >= 2.0 * (count or 2):
            text = f"{number(wait.inside or 0)} server threads wait for a CPU at once"
            findings.append((text, wait))
    blocked = levels.first("b", "blocked", "procs_blk", "procs_blocked", collectors=_QUEUES)
    if blocked is not None and blocked.inside is not None:
        checked.append("processes in disk wait")
        if blocked.inside >= max(_MANY_IN_DISK_WAIT, _TIMES_IN_DISK_WAIT * (blocked.before or 0.0)):
            text = f"{number(blocked.inside)} processes wait for a disk at once"
            findings.append((text, blocked))
    for level in levels.named("backlog", collectors=("netstat",)):
        checked.append("accept queue")
        if (level.inside or 0.0) >= _MANY_TO_ACCEPT:
            port = level.labels.removeprefix("port=")
            text = f"{number(level.inside or 0)} connections to port {port} wait to be accepted"
            findings.append((text, level))
    return list(dict.fromkeys(checked)), findings


def crowd(levels: Levels, *, grew: bool = False) -> str | None:
    """Describe a run queue that is long for the CPUs; None without one, or where it is unknown.

    grew: only one that was shorter before. Where no collector lists the CPUs, it is long if it
    grew and they have no time left.
    """
    count, run = cpus(levels), _run_queue(levels)
    if run is None or run.inside is None:
        return None
    if grew and run.before is not None and run.inside < _GREW * run.before:
        return None
    if count:
        long = run.inside >= _CROWDED * count
        return f"{number(run.inside)} processes competed for {count} CPUs" if long else None
    busy = cpu_busy(levels)
    if busy is None or busy[0] < _NO_TIME_LEFT or run.inside < _LONG_QUEUE:
        return None
    if run.before is not None and run.inside < _GREW * run.before:
        return None
    return f"{number(run.inside)} processes competed for the CPUs"


def _run_queue(levels: Levels) -> Level | None:
    return levels.first("r", "runq-sz", "procs_run", "procs_running", collectors=_QUEUES)


_QUEUES = ("vmstat", "sar", "dstat", "procstat")


def steal(levels: Levels) -> tuple[Level | None, bool]:
    """Return the steal time, and whether it exceeds ``_STEAL_PCT``."""
    level = levels.first(*_STEAL, collectors=_MACHINE)
    return level, level is not None and (level.inside or 0.0) >= _STEAL_PCT


def processes(levels: Levels) -> tuple[bool, list[Finding]]:
    """Return whether pidstat or top listed processes, and a finding per busy one but the server.

    ps is ignored: it prints the share since each process started. Threads (top -H) have names of
    their own and do not count as other processes.
    """
    worst = [each for each in strangers(levels) if (each[1].inside or 0.0) >= _BUSY_STRANGER]
    return bool(_listed(levels)), worst[:3]


def strangers(levels: Levels) -> list[Finding]:
    """Return what each process but the server took of a CPU, the busiest first."""
    others = {level.labels: level for level in _listed(levels) if not _is_server(level.labels)}
    worst = sorted(others.values(), key=lambda level: -(level.inside or 0.0))
    return [(f"{_who(level)} took {number(level.inside or 0)}% CPU", level) for level in worst]


def of_server(levels: Levels) -> Level | None:
    """Return what the server took of a CPU: the process that took most, of several; else None."""
    servers = [level for level in _listed(levels) if _is_server(level.labels)]
    return max(servers, key=lambda level: level.inside or 0.0, default=None)


def taken_by_strangers(context: Context) -> tuple[float | None, float | None]:
    """Return what all processes but the server took of a CPU at once, before the stall and inside.

    Processes come and go: what each took is no measure of what they took together.
    """
    values = values_of(context)
    if values.is_empty():
        return None, None
    server = pl.any_horizontal(
        pl.col("labels").cast(pl.String).str.contains(f"command={name}", literal=True)
        for name in _SERVERS
    )
    for series in _OF_PROCESSES:
        rows = values.filter((pl.col("series") == series) & ~server)
        before, inside = medians_of_sum(context, rows)
        if inside is not None:
            return before, inside
    return None, None


_OF_PROCESSES = ("top.process_cpu", "pidstat.cpu")


def _listed(levels: Levels) -> list[Level]:
    return [row for row in levels.rows if row.series in _OF_PROCESSES and row.inside is not None]


def faults(events: pl.DataFrame, context: Context, pattern: str) -> tuple[pl.DataFrame, int]:
    """Select fault lines near the stall, and count those at other times.

    Near: from an hour before the stall to its end, or without a time. All lines without a stall.
    """
    message = pl.col("message").str.contains(pattern)
    bad = events.filter(pl.col("kind").is_in(FAULTS) | message)
    if context.stall is None:
        return bad, 0
    start = context.stall.start - round(_HOUR_S * 1e6)
    near = bad.filter(
        pl.col("time").is_null() | pl.col("time").is_between(start, context.stall.end)
    )
    return near, bad.height - near.height


def count_by_kind(faults_near: pl.DataFrame) -> str:
    """Summarise fault lines by kind: '2 oom kill, 1 io error, 3 other'."""
    counts = Counter(kind for kind in faults_near["kind"] if kind in FAULTS)
    named = [f"{count} {kind.replace('_', ' ')}" for kind, count in counts.most_common()]
    rest = faults_near.height - counts.total()
    if rest:
        named.append(f"{rest} {'other' if named else 'line' if rest == 1 else 'lines'}")
    return ", ".join(named)


def slow_calls(events: pl.DataFrame | None, context: Context) -> pl.DataFrame:
    """Select the slow traced storage calls of the stall, in input order."""
    if events is None:
        return pl.DataFrame()
    slow = events.filter((pl.col("kind") == "slow_call") & (pl.col("severity") == "warning"))
    if context.stall is not None:
        slow = slow.filter(pl.col("time").is_null() | context.stall.holds())
    return slow


def _is_server(labels: str) -> bool:
    return any(f"command={name}" in labels for name in _SERVERS)


def _who(level: Level) -> str:
    labels = dict(part.partition("=")[::2] for part in level.labels.split(","))
    return f"{labels.get('command', level.labels)} (pid {labels.get('pid', 'unknown')})"
