"""Every exporter's file shows the same stall: names, units and layouts are one set of measures."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.series import short_name, values
from pileup.analysis.stalls.indicators import signals, throughput
from tests.analysis.waits.test_waits import evidence

T0 = 1_795_213_100
RUNNING = [4.0] * 40 + [180.0] * 30 + [4.0] * 20
RATE = [900.0] * 40 + [30.0] * 30 + [900.0] * 20
BUSY = [35.0] * 40 + [92.0] * 30 + [35.0] * 20


def total(rates: list[float]) -> list[float]:
    """A counter since the start that grows by these numbers."""
    count, counts = 5e6, []
    for rate in rates:
        count += rate
        counts.append(count)
    return counts


def csv(columns: dict[str, list[float]]) -> str:
    rows = zip(*columns.values(), strict=True)
    lines = [f"{T0 + at},{','.join(map(str, row))}" for at, row in enumerate(rows)]
    names = ",".join(f'"{name}"' for name in columns)
    return "\n".join([f"time,{names}", *lines]) + "\n"


def jsonl(columns: dict[str, list[float]]) -> str:
    """One object a second, with texts that divide nothing."""
    rows = zip(*columns.values(), strict=True)
    constant = {"env": "prod", "region": "eu-west-1"}
    return "".join(
        json.dumps({"ts": T0 + at, **constant, **dict(zip(columns, row, strict=True))}) + "\n"
        for at, row in enumerate(rows)
    )


def openmetrics(columns: dict[str, list[float]]) -> str:
    lines = []
    for name, numbers in columns.items():
        head = name if "{" in name else name + '{instance="shop-db:9104",job="mysql"}'
        lines += [f"{head} {number} {T0 + at}000" for at, number in enumerate(numbers)]
    return "\n".join(lines) + "\n"


FRACTION = [value / 100 for value in BUSY]
IDLE = [100 - value for value in BUSY]
CORES = {
    f'node_cpu_seconds_total{{cpu="{core}",mode="idle",instance="shop-db:9100"}}': total(
        [1 - busy for busy in FRACTION]
    )
    for core in range(4)
}
THREADS = 'netdata_mysql_threads_threads_average{{chart="mysql_local.threads",dimension="{}"}}'
EXPORTERS: dict[str, tuple[Callable[[dict[str, list[float]]], str], dict[str, list[float]]]] = {
    "script": (csv, {"running": RUNNING, "Queries_per_s": RATE, "cpu_pct": BUSY}),
    "script_plain": (csv, {"threads_running": RUNNING, "qps": RATE, "cpu": FRACTION}),
    "telegraf": (
        jsonl,
        {
            "mysql_threads_running": RUNNING,
            "mysql_queries": total(RATE),
            "cpu_usage_idle": IDLE,
        },
    ),
    "datadog": (
        csv,
        {
            "mysql.performance.threads_running": RUNNING,
            "mysql.performance.queries": RATE,
            "system.cpu.idle": IDLE,
        },
    ),
    "zabbix": (
        csv,
        {
            "mysql.status[Threads_running]": RUNNING,
            "mysql.status[Questions]": total(RATE),
            "system.cpu.util[,idle]": IDLE,
        },
    ),
    "performance_insights": (
        csv,
        {
            "db.Users.Threads_running.avg": RUNNING,
            "db.SQL.Queries.avg": RATE,
            "os.cpuUtilization.total.avg": BUSY,
        },
    ),
    "cloudwatch": (csv, {"DBLoad": RUNNING, "Queries": RATE, "CPUUtilization": BUSY}),
    "google": (
        jsonl,
        {
            "cloudsql.googleapis.com/database/mysql/threads_running": RUNNING,
            "cloudsql.googleapis.com/database/mysql/queries": total(RATE),
            "cloudsql.googleapis.com/database/cpu/utilization": FRACTION,
        },
    ),
    "azure": (csv, {"threads_running": RUNNING, "Queries": RATE, "cpu_percent": BUSY}),
    "collectd": (
        csv,
        {
            "collectd.db1.mysql-shop.threads-running": RUNNING,
            "collectd.db1.mysql-shop.mysql_qps": RATE,
            "cpu_percent_idle": IDLE,
        },
    ),
    "netdata": (
        openmetrics,
        {
            THREADS.format("running"): RUNNING,
            THREADS.format("connected"): [200.0] * 90,
            'netdata_mysql_queries_queries_persec_average{dimension="queries"}': RATE,
            'netdata_system_cpu_percentage_average{dimension="idle"}': IDLE,
        },
    ),
    "pmm_and_node_exporter": (
        openmetrics,
        {
            "mysql_global_status_threads_running": RUNNING,
            "mysql_global_status_questions": total(RATE),
            **CORES,
        },
    ),
    "grafana_legends": (
        csv,
        {
            "Peak Threads Running": RUNNING,
            "rate(mysql_global_status_questions[1m])": RATE,
            "CPU usage ratio": FRACTION,
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_every_exporter_shows_the_same_stall(exporter: str) -> None:
    """Sessions, work and CPU are found, in the same units, whoever wrote the file."""
    write, columns = EXPORTERS[exporter]
    table = values(evidence(write(columns)).frame("sample"))
    (signal,) = signals(table)
    assert signal.role == "concurrency"
    assert (min(signal.values), max(signal.values)) == (4.0, 180.0)
    work = throughput(table, signal.host, Span((T0 - 5) * 1_000_000, (T0 + 200) * 1_000_000))
    assert work is not None
    assert max(work.values) == pytest.approx(900.0)
    assert min(work.values) == pytest.approx(30.0)
    busy = [
        row
        for row in table.iter_rows(named=True)
        if short_name(row["series"], row["labels"]) == "cpu_busy_pct"
    ]
    assert max(row["value"] for row in busy) == pytest.approx(92.0)
    assert min(row["value"] for row in busy) == pytest.approx(35.0)
