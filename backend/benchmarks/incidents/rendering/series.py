"""Series over time: CSV in the names of several collectors, mysqladmin, vmstat, iostat."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from benchmarks.incidents.rendering.printed import Printed, is_idle
from benchmarks.incidents.simulation import Moment

_OWN = {
    "running": "threads_running",
    "connected": "threads_connected",
    "qps": "qps",
    "select": "com_select",
    "insert": "com_insert",
    "update": "com_update",
    "commits": "com_commit",
    "fsyncs": "log_fsyncs",
    "row_waits": "row_lock_current_waits",
    "free_pages": "bp_pages_free",
}
_EXPORTER = {
    "running": "mysql_global_status_threads_running",
    "connected": "mysql_global_status_threads_connected",
    "qps": "rate(mysql_global_status_questions[1s])",
    "select": 'rate(mysql_global_status_commands_total{command="select"}[1s])',
    "insert": 'rate(mysql_global_status_commands_total{command="insert"}[1s])',
    "row_waits": "mysql_global_status_innodb_row_lock_current_waits",
    "free_pages": 'mysql_global_status_buffer_pool_pages{state="free"}',
}
_TELEGRAF = {
    "running": "mysql_threads_running",
    "connected": "mysql_threads_connected",
    "qps": "mysql_queries_per_second",
    "row_waits": "mysql_innodb_row_lock_current_waits",
}
_STATUS = {
    "running": "Threads_running",
    "connected": "Threads_connected",
    "questions": "Questions",
    "select_total": "Com_select",
    "insert_total": "Com_insert",
    "update_total": "Com_update",
    "commits_total": "Com_commit",
    "fsyncs_total": "Innodb_os_log_fsyncs",
    "row_waits": "Innodb_row_lock_current_waits",
    "free_pages": "Innodb_buffer_pool_pages_free",
}

Values = list[tuple[float, dict[str, float]]]


def measured(moments: Sequence[Moment], rng: random.Random) -> Values:
    """Return the values of every second: levels, rates, and totals since the server started."""
    start = rng.randrange(1_000_000, 900_000_000)
    rows: Values = []
    before: Moment | None = None
    for moment in moments:
        sessions = [s for s in moment.sessions if not s.background]
        total = moment.counters
        last = before.counters if before else total
        seconds = moment.time - before.time if before else 1.0

        def rate(name: str, now: dict[str, float] = total, then: dict[str, float] = last) -> float:
            return (now.get(name, 0) - then.get(name, 0)) / seconds  # noqa: B023

        row = {
            "running": sum(not is_idle(s) and not s.command for s in sessions) + 1.0,
            "connected": len(sessions) + 1.0,
            "qps": rate("questions"),
            "select": rate("com_select"),
            "insert": rate("com_insert"),
            "update": rate("com_update"),
            "commits": rate("commits"),
            "fsyncs": rate("fsyncs"),
            "row_waits": float(
                sum(s.wait is not None and s.wait.resource.kind == "row" for s in sessions)
            ),
            "free_pages": moment.gauges.get("free_pages", 1024.0),
        }
        for name in ("select", "insert", "update"):
            row[f"{name}_total"] = start / 5 + total.get(f"com_{name}", 0)
        row["questions"] = start + total.get("questions", 0)
        row["commits_total"] = start / 7 + total.get("commits", 0)
        row["fsyncs_total"] = start / 9 + total.get("fsyncs", 0)
        rows.append((moment.time, row))
        before = moment
    return rows


def wide_csv(printed: Printed, rows: Values, names: str) -> str:
    """Print a CSV with a column for each series; ``names``: own, exporter or telegraf."""
    columns = {"own": _OWN, "exporter": _EXPORTER, "telegraf": _TELEGRAF}[names]
    quoted = [
        '"' + name.replace('"', '""') + '"' if '"' in name else name for name in columns.values()
    ]
    lines = [",".join([{"own": "timestamp", "exporter": "Time"}.get(names, "time"), *quoted])]
    for time, row in rows:
        values = [f"{row[name]:.6g}" for name in columns]
        lines.append(",".join([_iso(printed.at(time), printed), *values]))
    return "\n".join(lines) + "\n"


def long_csv(printed: Printed, rows: Values, host: str) -> str:
    """Print a CSV with a row for each value."""
    lines = ["time,host,metric,value"]
    for time, row in rows:
        stamp = _iso(printed.at(time), printed)
        lines += [f"{stamp},{host},mysql.{name},{row[key]:.6g}" for key, name in _OWN.items()]
    return "\n".join(lines) + "\n"


def mysqladmin(rows: Values) -> str:
    """Print what `mysqladmin extended-status -i 1` prints: a table for each second."""
    parts = []
    for _, row in rows:
        cells = {name: str(int(row[key])) for key, name in _STATUS.items()}
        width = max(len(name) for name in cells)
        rule = "+" + "-" * (width + 2) + "+" + "-" * 14 + "+"
        body = [f"| {name:<{width}} | {value:<12} |" for name, value in sorted(cells.items())]
        parts.append(
            "\n".join([rule, f"| {'Variable_name':<{width}} | {'Value':<12} |", rule, *body, rule])
        )
    return "\n\n".join(parts) + "\n"


def vmstat(printed: Printed, rows: Values) -> str:
    """Print what `vmstat -t 1` prints, in the machine's zone."""
    scenario, rng = printed.scenario, printed.rng
    lines = [
        (
            "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- "
            "-----timestamp-----"
        ),
        (
            " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st "
            "                UTC"
        ),
    ]
    for time, row in rows:
        bad = scenario.machine if scenario.onset < time < scenario.end else {}
        user = int(bad.get("cpu_user", min(60, 4 + row["qps"] / 60)))
        system = int(bad.get("cpu_system", 3))
        wait = int(bad.get("iowait", rng.randrange(2)))
        idle = max(0, 100 - user - system - wait)
        swap = int(bad.get("swap_kb", 0))
        blocked = 6 if wait > 10 else 0
        lines.append(
            f"{rng.randrange(1, 4):2d} {blocked:2d} {swap * 90:6d} 812336  96520 5120448 "
            f"{swap:4d} {swap:4d} "
            f"{rng.randrange(90):5d} {rng.randrange(200, 900):5d} {rng.randrange(2000, 9000):4d} "
            f"{int(4000 + row['qps'] * 6):4d} {user:2d} {system:2d} {idle:2d} {wait:2d}  0 "
            f"{printed.local(time):%Y-%m-%d %H:%M:%S}"
        )
    return "\n".join(lines) + "\n"


def iostat(printed: Printed, rows: Values) -> str:
    """Print what `iostat -dxt 1` prints, in the machine's zone."""
    scenario, rng = printed.scenario, printed.rng
    first = printed.local(rows[0][0])
    parts = [f"Linux 4.18.0-348.el8.x86_64 (db-7) \t{first:%m/%d/%Y} \t_x86_64_\t(8 CPU)\n"]
    for time, row in rows:
        bad = scenario.machine if scenario.onset < time < scenario.end else {}
        await_ms = bad.get("io_await_ms", rng.uniform(0.3, 1.2))
        util = bad.get("io_util", rng.uniform(1, 9))
        writes = row["fsyncs"] + rng.uniform(5, 40)
        parts.append(
            f"{printed.local(time):%m/%d/%Y %I:%M:%S %p}\n"
            "Device            r/s     w/s     rkB/s     wkB/s   rrqm/s   wrqm/s  %rrqm  %wrqm "
            "r_await w_await aqu-sz rareq-sz wareq-sz  svctm  %util\n"
            f"sda             {rng.uniform(0, 9):5.2f}  {writes:6.2f}  {rng.uniform(0, 90):8.2f}  "
            f"{writes * 14:8.2f}     0.00     3.00   0.00   8.10  {await_ms:6.2f}  {await_ms:6.2f}"
            f"   {await_ms * writes / 1000:4.2f}    16.00    14.00   0.40  {util:5.2f}\n"
        )
    return "\n".join(parts)


def stamped(
    printed: Printed, moments: Sequence[Moment], body: Callable[[Moment], str], style: str
) -> str:
    """Print listings one after the other, each below its time as collectors write it."""
    parts = []
    for moment in moments:
        at = printed.local(moment.time)
        head = {
            "ts": f"TS {at.timestamp():.9f} {at:%Y-%m-%d %H:%M:%S}",
            "date": f"{at:%a %b %d %H:%M:%S UTC %Y}".replace(" 0", "  "),
            "iso": f"# {at:%Y-%m-%dT%H:%M:%S}",
        }[style]
        parts.append(f"{head}\n{body(moment)}")
    return "".join(parts)


def _iso(at: datetime, printed: Printed) -> str:
    return (at + timedelta(seconds=printed.skew_s)).strftime("%Y-%m-%dT%H:%M:%SZ")
