"""A whole capture: which files somebody collects, how densely, under which names."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.incidents import noise
from benchmarks.incidents.rendering.error_log import error_log
from benchmarks.incidents.rendering.printed import Printed
from benchmarks.incidents.rendering.process_list import process_list
from benchmarks.incidents.rendering.series import (
    iostat,
    long_csv,
    measured,
    mysqladmin,
    stamped,
    vmstat,
    wide_csv,
)
from benchmarks.incidents.rendering.stack_samples import gdb, pmp
from benchmarks.incidents.rendering.status_dump import status_dump
from benchmarks.incidents.simulation import Moment

Files = dict[str, tuple[str, str]]
"""Name to text and format."""


def capture_files(printed: Printed, moments: Sequence[Moment]) -> Files:
    """Print the files of a capture: series always, the rest by chance, with lost samples."""
    rng = printed.rng
    files: Files = {}
    rows = [row for row in measured(moments, rng) if rng.random() > 0.02]  # lost samples
    kind = rng.choice(("own", "own", "exporter", "telegraf", "long", "mysqladmin"))
    if kind == "mysqladmin":
        rows = measured(moments, rng)
    files |= _series(printed, rows, kind)
    files |= _listings(printed, moments)
    if rng.random() < 0.6:
        files |= _stacks(printed, moments)
    if rng.random() < 0.6 or "swap_kb" in printed.scenario.machine:
        files["vmstat.txt"] = (vmstat(printed, rows), "vmstat")
    if rng.random() < 0.4:
        files["iostat.txt"] = (iostat(printed, rows), "iostat")
    if rng.random() < 0.6 or printed.scenario.log:
        files["mysqld-error.log"] = (error_log(printed, moments[-1].time), "error-log")
    if rng.random() < 0.6:
        files["variables.txt"] = (_variables(printed), "variables")
    return files


def _series(printed: Printed, rows: list[tuple[float, dict[str, float]]], kind: str) -> Files:
    if kind == "long":
        return {"metrics-long.csv": (long_csv(printed, rows, "db-7"), "csv")}
    if kind == "mysqladmin":
        own = {"metrics.csv": (wide_csv(printed, rows, "telegraf"), "csv")}
        return own | {"mysqladmin.txt": (mysqladmin(rows), "status")}
    return {"metrics.csv": (wide_csv(printed, rows, kind), "csv")}


def _listings(printed: Printed, moments: Sequence[Moment]) -> Files:
    rng = printed.rng
    files: Files = {}
    every = rng.choice((2, 3, 5))
    if rng.random() < 0.85:
        layout = rng.choice(("box", "rows", "tabs"))
        seen = [moment for moment in moments[::every] if rng.random() > 0.05]
        text = stamped(
            printed, seen, lambda m: process_list(printed, m, layout), rng.choice(("ts", "date"))
        )
        files["processlist.txt"] = (noise.damage(text, rng), "processlist")
    if rng.random() < 0.85:
        seen = [moment for moment in moments[:: rng.choice((2, 4, 8))] if rng.random() > 0.05]
        text = stamped(printed, seen, lambda m: status_dump(printed, m), "ts")
        files["innodb-status.txt"] = (noise.damage(text, rng), "innodb-status")
    return files


def _stacks(printed: Printed, moments: Sequence[Moment]) -> Files:
    scenario, rng = printed.scenario, printed.rng
    files: Files = {}
    begin = scenario.onset + 4
    chosen = [m for m in moments if begin < m.time < min(scenario.end, begin + 20)]
    print_, format_ = rng.choice(((gdb, "gdb"), (pmp, "pmp")))
    stripped = rng.random() < 0.3
    for moment in rng.sample(chosen, k=min(2, len(chosen))):
        at = printed.local(moment.time)
        name = f"{at:%Y_%m_%d_%H_%M_%S}-stacktrace"
        files[name] = (print_(printed, moment, stripped=stripped), format_)
    return files


def _variables(printed: Printed) -> str:
    server = printed.server
    settings = {
        "version": server.version,
        "version_comment": server.comment,
        "innodb_buffer_pool_size": "8589934592",
        "innodb_flush_log_at_trx_commit": "1",
        "sync_binlog": "1",
        "max_connections": "500",
        "innodb_thread_concurrency": "0",
        "innodb_lock_wait_timeout": "50",
        "hostname": "db-7",
        "time_zone": "SYSTEM",
        "system_time_zone": "UTC",
    } | printed.scenario.settings
    return (
        "\n".join(["Variable_name\tValue", *(f"{k}\t{v}" for k, v in sorted(settings.items()))])
        + "\n"
    )
