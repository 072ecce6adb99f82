"""The names of exporters and scripts mean the measures that the analysis looks for."""

from __future__ import annotations

import pytest

from pileup.analysis.evidence.series import short_name
from pileup.knowledge.series_names import canonical_name

NAMES = {
    "threads_running": (
        "Threads_running",
        "mysql_threads_running",  # Telegraf
        "mysql_global_status_threads_running",  # mysqld_exporter, PMM
        "mysql.performance.threads_running",  # Datadog
        "mysql.status[Threads_running]",  # Zabbix
    ),
    "threads_connected": ("DatabaseConnections", "mysql_threads_connected"),  # CloudWatch
    "qps": ("Queries_per_s", "queries per second", "mysql.performance.queries_per_second", "QPS"),
    "cpu_busy_pct": ("cpu_pct", "CPUUtilization", "cpu_usage_active"),
    "cpu_user_pct": ("system.cpu.user", "cpu_usage_user"),
    "innodb_history_list_length": (
        "RollbackSegmentHistoryListLength",
        "hll",
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_every_spelling_is_one_measure(name: str) -> None:
    assert {canonical_name(spelling) for spelling in NAMES[name]} == {name}
    assert {short_name(f"metric.{spelling}") for spelling in NAMES[name]} == {name}


@pytest.mark.parametrize("name", ["com_select", "orders_per_minute", "node_load1", "system_uptime"])
def test_what_is_not_listed_keeps_its_name(name: str) -> None:
    assert canonical_name(name) == name
    assert short_name(f"vmstat.{name}") == name
