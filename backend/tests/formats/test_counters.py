"""Counters and metrics: status tables, variables, vmstat, CSV, logs of one value per second."""

from __future__ import annotations

import json

import pytest

from pileup.formats import metric_csv, qps_log, status, variables, vmstat
from pileup.formats.stamps import read_stamp
from pileup.records import Samples, Setting
from tests.conftest import REPOSITORY
from tests.formats.checks import SAMPLES, samples

FORMATS = ("metric-csv", "qps-log", "status", "variables", "vmstat")
EVERY = [(name, path) for name in FORMATS for path in samples(name)]


@pytest.mark.parametrize(("name", "path"), EVERY, ids=lambda one: getattr(one, "stem", one))
def test_sample(name, path, check_sample):
    check_sample(path)


def series(module, text: str) -> dict[str, Samples]:
    found = [i for i in module.parse(text.split("\n")) if isinstance(i, Samples)]
    return {one.series: one for one in found}


def test_csv_of_a_german_dashboard() -> None:
    """Semicolons, decimal commas, percent signs, a gap: numbers as meant, gaps as gaps."""
    text = (SAMPLES / "metric-csv" / "grafana-semicolon-decimal-comma.csv").read_text()
    found = series(metric_csv, text)
    assert list(found["metric.Threads running"].values) == [2.5, None, 1234.5, 3.0]
    assert list(found["metric.CPU"].values) == [45, 46, None, 47]
    assert found["metric.CPU"].unit == "%"
    assert found["metric.CPU"].clock == "local"


def test_long_csv_keeps_hosts_apart() -> None:
    text = (
        "time,host,metric,value\n2026-11-20T22:19:10Z,a,qps,1\n2026-11-20T22:19:10Z,b,qps,2\n"
        "2026-11-20T22:19:11Z,a,qps,3\n"
    )
    found = [i for i in metric_csv.parse(text.split("\n")) if isinstance(i, Samples)]
    assert {(one.host, tuple(one.values)) for one in found} == {("a", (1.0, 3.0)), ("b", (2.0,))}
    assert found[0].clock == "utc"


def test_phase_means_of_a_capture() -> None:
    """The mean of threads_running during the stall, as counted by whoever made the capture."""
    folder = REPOSITORY / "samples" / "hot-row"
    truth = json.loads((folder / "ground-truth.json").read_text())
    text = (folder / "artifacts" / "metrics-wide.csv").read_text()
    one = series(metric_csv, text)["metric.threads_running"]
    begin, end = (read_stamp(truth[key]) for key in ("onset", "recovery"))
    assert begin is not None
    assert end is not None
    inside = [
        value
        for wall, value in zip(one.wall_us, one.values, strict=True)
        if wall is not None and value is not None and begin[0] < wall < end[0]
    ]
    mean, most, _ = truth["phases"]["during"]["threads_running"]
    assert max(inside) == most
    assert abs(sum(inside) / len(inside) - mean) < 0.02 * mean  # they leave out the edges


def test_status_uses_uptime_as_its_clock() -> None:
    """A stalled server delays samples: two samples three seconds apart are so in the series."""
    table = (
        "+---+---+\n| Variable_name | Value |\n+---+---+\n| Aborted_clients | 0 |\n"
        "| Questions | {q} |\n| Threads_running | {t} |\n| Uptime | {u} |\n+---+---+\n\n"
    )
    text = "".join(table.format(q=q, t=t, u=u) for q, t, u in ((10, 1, 100), (30, 5, 103)))
    found = series(status, text)
    assert list(found["mysql.Questions"].wall_us) == [0, 3_000_000]
    assert found["mysql.Questions"].kind == "counter"
    assert found["mysql.Threads_running"].kind == "gauge"


def test_relative_status_gives_rates_and_no_false_levels() -> None:
    """mysqladmin -r: the first sample is absolute, the others are differences."""
    row = (
        "| Aborted_clients | 0 |\n| Questions | {q} |\n"
        "| Threads_running | {t} |\n| Uptime | {u} |\n"
    )
    text = "| Variable_name | Value |\n".join(
        ["", *(row.format(q=q, t=t, u=u) for q, t, u in ((900, 7, 5000), (30, -6, 1), (20, 2, 1)))]
    )
    found = series(status, text)
    assert found["mysql.Questions"].kind == "rate"
    assert list(found["mysql.Questions"].values) == [30, 20]
    assert "mysql.Threads_running" not in found


def test_variables_hide_passwords_and_keep_empty_values() -> None:
    text = "Variable_name\tValue\nadmin_address\t\nmaster_password\tgeheim\nmax_connections\t151\n"
    found = [i for i in variables.parse(text.split("\n")) if isinstance(i, Setting)]
    assert [(s.name, s.value) for s in found] == [
        ("admin_address", ""),
        ("master_password", "(hidden)"),
        ("max_connections", "151"),
    ]


def test_vmstat_leaves_out_the_line_since_boot() -> None:
    text = (SAMPLES / "vmstat" / "procps-t-pst.txt").read_text()
    found = series(vmstat, text)
    numbers = [line for line in text.split("\n") if line[:3].strip().isdigit()]
    assert len(found["vmstat.us"].values) == len(numbers) - 1
    assert found["vmstat.us"].clock == "local"


def test_value_log() -> None:
    text = "Wed Oct 24 22:27:19 UTC 2012: 18660\nWed Oct 24 22:27:20 UTC 2012: 70713\n"
    one = series(qps_log, text)["metric.qps"]
    assert list(one.values) == [18660, 70713]
    assert (one.clock, one.wall_us[0]) == ("utc", 1351117639000000)


@pytest.mark.parametrize(
    ("text", "stamp"),
    [
        ("2026-11-20T22:19:10Z", (1795213150000000, "utc")),
        ("2026-11-21T00:19:10+02:00", (1795213150000000, "utc")),
        ("2026-11-20 22:19:10", (1795213150000000, "local")),
        ("1795213150", (1795213150000000, "utc")),
        ("1795213150000", (1795213150000000, "utc")),
        ("1795213150000000000", (1795213150000000, "utc")),
        ("42", None),
        ("2026-13-45 00:00:00", None),
        ("²²²²²²²²²²", None),
    ],
)
def test_printed_times(text: str, stamp: tuple[int, str] | None) -> None:
    assert read_stamp(text) == stamp
