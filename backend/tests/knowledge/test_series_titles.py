"""Series have readable names and units, whoever measured them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pileup.knowledge.series_titles import series_title


@pytest.mark.parametrize(
    ("name", "labels", "title", "unit"),
    [
        ("innodb.semaphore_waits", "", "Threads waiting for a latch", "threads"),
        ("mysql.Threads_running", "", "Threads running", "threads"),
        ("mysql.Com_select", "", "SELECT statements", "statements"),
        ("metric.com_update_multi", "", "UPDATE MULTI statements", "statements"),
        ("metric.com_", "", "Com", None),
        ("metric.cpu_pct", "", "CPU busy", "%"),
        ("metric.innodb_spin_rounds_per_s", "", "InnoDB spin rounds", "1/s"),
        ("metric.Aborted_clients_per_s", "", "Aborted clients", "1/s"),
        ("metric.queue_wait_ms", "", "Queue wait", "ms"),
        ("metric.bp_pages_dirty", "", "Buffer pool pages dirty", "pages"),
        ("meminfo.AnonHugePages", "", "AnonHugePages", "KiB"),
        (
            "processlist.state",
            "state=Waiting for table metadata lock",
            "Waiting for table metadata lock",
            "sessions",
        ),
    ],
)
def test_title_and_unit(name: str, labels: str, title: str, unit: str) -> None:
    named = series_title(name, labels)
    assert (named.title, named.unit) == (title, unit)


def test_the_printed_unit_counts_first() -> None:
    assert series_title("iostat.await", "", "us").unit == "us"
    assert series_title("iostat.await", "", "/s").unit == "1/s"
    assert series_title("iostat.await", "", "1/s").unit == "1/s"


def test_one_quantity_of_several_collectors() -> None:
    names = ("mysql.Threads_running", "metric.threads_running", "cloudwatch.threads_running.avg")
    assert len({series_title(name).quantity for name in names}) == 1
    assert len({series_title("vmstat.r", labels).quantity for labels in ("", "cpu=1")}) == 2


@pytest.mark.parametrize(
    ("name", "unit", "is_idleness"),
    [
        ("innodb.master_idle", "loops", True),
        ("vmstat.id", "%", True),
        ("mpstat.idle", None, True),
        ("metric.cpu_idle_pct", None, False),  # turned into CPU busy
        ("innodb.master_active", "loops", False),
        ("mysql.Threadpool_idle_threads", None, False),
        ("metric.idle_connections", None, False),
    ],
)
def test_idleness_is_time_that_nothing_used(
    name: str, unit: str | None, *, is_idleness: bool
) -> None:
    assert series_title(name, unit=unit).is_idleness is is_idleness


@given(st.text(max_size=40), st.text(max_size=30))
def test_any_name_has_a_title(name: str, labels: str) -> None:
    assert series_title(name, labels).title
