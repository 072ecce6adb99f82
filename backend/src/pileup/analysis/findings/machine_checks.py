"""What the operating system's artifacts say of a stall: queues, processes, faults, slow calls.

The collectors overlap (vmstat, mpstat, sar, dstat, top, pidstat); here one question has one answer,
whichever of them was running.
"""

from __future__ import annotations

import re
from collections import Counter

import polars as pl

from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.levels import Level, Levels
from pileup.numerals import number

_CPU_PAIRS = (
    ("vmstat", "us", "sy"),
    ("mpstat", "usr", "sys"),
    ("sar", "user", "system"),
    ("sar", "usr", "sys"),
    ("dstat", "usr", "sys"),
    ("top", "cpu_us", "cpu_sy"),
    ("iostat", "cpu_user", "cpu_system"),
    ("metric", "cpu_user_pct", "cpu_system_pct"),
)
"""Collector and its columns of user and system time, of one interval each."""
_STEAL = ("st", "steal", "stl", "cpu_st", "cpu_steal", "cpu_steal_pct")
_MACHINE = ("vmstat", "mpstat", "sar", "dstat", "top", "iostat", "metric", "csv")
_SERVERS = ("mysqld", "mariadbd")
_CROWDED = 4.0
"""Processes per CPU that want to run, from which on a queue is long."""
_MANY_IN_DISK_WAIT = 8.0
_BUSY_STRANGER = 50.0
_STEAL_PCT = 5.0
_HOUR_S = 3600.0

FAULTS = (
    "oom_kill", "hung_task", "lockup", "memory_error", "io_error", "filesystem_error", "disk_full",
    "kernel_fault", "page_allocation", "throttled", "raid_degraded",
)  # fmt: skip
"""Kinds of event (formats.kernel_faults) that mean that the machine itself is in trouble."""

Finding = tuple[str, Level]


def cpu_busy(levels: Levels) -> tuple[float, float | None, Level] | None:
    """Percent of the CPUs in use inside the stall and before it, by one collector.

    Where only the user time was collected, it is the least that they were in use.
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
    return None


def cpus(levels: Levels) -> int | None:
    """How many CPUs the collectors listed one by one; None when none did."""
    names = {
        match[1]
        for row in levels.rows
        if (match := re.search(r"(?:^|,)cpu=(\d+)(?:,|$)", row.labels))
    }
    return len(names) or None


def queues(levels: Levels) -> tuple[list[str], list[Finding]]:
    """What was looked at, and the queues that were long: for a CPU, a disk, to be accepted."""
    looked: list[str] = []
    findings: list[Finding] = []
    count = cpus(levels)
    run = levels.first("r", "runq-sz", "procs_run", "procs_running", collectors=_QUEUES)
    if run is not None and run.inside is not None and count:
        looked.append("run queue")
        if run.inside >= _CROWDED * count and run.inside >= 2 * (run.before or 0.0):
            findings.append((f"{number(run.inside)} processes wanted one of {count} CPUs", run))
    waits = [level for level in levels.named("threads_wait") if _is_server(level.labels)]
    for wait in waits:
        looked.append("threads that wait for a CPU")
        if (wait.inside or 0.0) >= 2.0 * (count or 2):
            text = f"{number(wait.inside or 0)} threads of the server at a time wait for a CPU"
            findings.append((text, wait))
    blocked = levels.first("b", "blocked", "procs_blk", "procs_blocked", collectors=_QUEUES)
    if blocked is not None and blocked.inside is not None:
        looked.append("processes in disk wait")
        if blocked.inside >= max(_MANY_IN_DISK_WAIT, 3 * (blocked.before or 0.0)):
            text = f"{number(blocked.inside)} processes at a time wait for a disk"
            findings.append((text, blocked))
    for level in levels.named("backlog", collectors=("netstat",)):
        looked.append("accept queue")
        if (level.inside or 0.0) >= 10:
            port = level.labels.removeprefix("port=")
            text = f"{number(level.inside or 0)} connections to port {port} wait to be accepted"
            findings.append((text, level))
    return list(dict.fromkeys(looked)), findings


_QUEUES = ("vmstat", "sar", "dstat", "procstat")


def steal(levels: Levels) -> tuple[Level | None, bool]:
    """The steal time, and whether it is more than a machine should lose."""
    level = levels.first(*_STEAL, collectors=_MACHINE)
    return level, level is not None and (level.inside or 0.0) >= _STEAL_PCT


def processes(levels: Levels) -> tuple[bool, list[Finding]]:
    """Whether processes were listed with what they used now, and those besides the server.

    Of pidstat and top; ps prints the share since each process started. Threads (top -H) have names
    of their own and are no other processes.
    """
    listed = [
        row
        for row in levels.rows
        if row.series in ("top.process_cpu", "pidstat.cpu") and row.inside is not None
    ]
    others = {
        level.labels: level
        for level in listed
        if not _is_server(level.labels) and (level.inside or 0.0) >= _BUSY_STRANGER
    }
    worst = sorted(others.values(), key=lambda level: -(level.inside or 0.0))[:3]
    return bool(listed), [
        (f"{_who(level)} took {number(level.inside or 0)} % CPU", level) for level in worst
    ]


def faults(events: pl.DataFrame, context: Context, pattern: str) -> tuple[pl.DataFrame, int]:
    """Log lines of a fault near the stall (from an hour before it on) or without a time; and how
    many there are at other times.
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


def told(faults_near: pl.DataFrame) -> str:
    """'2 oom kill, 1 io error', by kind; of lines that have no kind of their own just how many."""
    counts = Counter(kind for kind in faults_near["kind"] if kind in FAULTS)
    named = [f"{count} {kind.replace('_', ' ')}" for kind, count in counts.most_common()]
    rest = faults_near.height - counts.total()
    if rest:
        named.append(f"{rest} {'other' if named else 'line' if rest == 1 else 'lines'}")
    return ", ".join(named)


def slow_calls(events: pl.DataFrame | None, context: Context) -> pl.DataFrame:
    """The traced calls on storage of the stall that took long, slowest first."""
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
