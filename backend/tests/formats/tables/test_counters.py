"""Counters and metrics: status tables, variables, vmstat, CSV, logs of one value per second."""

from __future__ import annotations

import json
from collections.abc import Iterable

import polars as pl
import pytest

from pileup.formats.machine import vmstat
from pileup.formats.metrics import metric_csv, qps_log
from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables import mysqladmin_status, status, variables
from pileup.formats.tables.meanings import server_variables
from pileup.records import Grid, Item, Problem, Rows, Samples, Setting, Skipped
from tests.conftest import REPOSITORY
from tests.formats.checks import SAMPLES, parse_bytes, samples

FORMATS = ("metric-csv", "mysqladmin-status", "pt-mext", "qps-log", "status", "variables", "vmstat")
EVERY = [(name, path) for name in FORMATS for path in samples(name)]


@pytest.mark.parametrize(("name", "path"), EVERY, ids=lambda item: getattr(item, "stem", item))
def test_sample(name, path, check_sample):
    check_sample(path)


def series(module, text: str) -> dict[str, Samples]:
    return series_of(module.parse(text.split("\n")))


def series_of(items: Iterable[Item]) -> dict[str, Samples]:
    """Samples by series, whether they came one series at a time or as rows."""
    found: dict[str, Samples] = {}
    for item in items:
        if isinstance(item, Samples):
            found[item.series] = item
        elif isinstance(item, Rows | Grid):
            frame = item.frame if isinstance(item, Rows) else pl.concat(item.frames())
            for row in frame.iter_rows(named=True):
                name = row["series"]
                first = Samples(name, row["kind"], row["unit"], row["clock"], [], [], [])
                first = found.setdefault(name, first)
                first.wall_us.append(row["wall_us"])
                first.values.append(row["value"])
                first.lines.append(row["line_first"])
    return found


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
    frame = parse_bytes(text.encode()).frames["sample"]
    rows = set(frame.select("host", "value", "line_first", "clock").iter_rows())
    assert rows == {("a", 1.0, 2, "utc"), ("b", 2.0, 3, "utc"), ("a", 3.0, 4, "utc")}


def test_phase_means_of_a_capture() -> None:
    """The mean of threads_running during the stall, as counted by whoever made the capture."""
    folder = REPOSITORY / "samples" / "hot-row"
    truth = json.loads((folder / "ground-truth.json").read_text())
    text = (folder / "artifacts" / "metrics-wide.csv").read_text()
    first = series(metric_csv, text)["metric.threads_running"]
    begin, end = (read_stamp(truth[key]) for key in ("onset", "recovery"))
    assert begin is not None
    assert end is not None
    inside = [
        value
        for wall, value in zip(first.wall_us, first.values, strict=True)
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


def test_samples_within_one_second_of_uptime_do_not_coincide() -> None:
    """Uptime 100, 100, 101, 105: a second apart as asked for, but inside what Uptime tells."""
    row = "| Aborted_clients | 0 |\n| Uptime | {} |\n"
    text = "".join(row.format(uptime) for uptime in (100, 100, 101, 105))
    walls = list(series(status, text)["mysql.Uptime"].wall_us)
    assert walls == [0, 999_999, 1_999_999, 5_000_000]


def test_relative_status_is_the_same_series_as_absolute() -> None:
    """mysqladmin -r prints differences, of gauges too: first value plus their sum is the value."""
    found = series(status, (SAMPLES / "status" / "5.6-mysqladmin-ext-relative.txt").read_text())
    assert found["mysql.Questions"].kind == "counter"
    assert list(found["mysql.Questions"].values) == [11418, 14909, 18164, 20855]
    assert found["mysql.Threads_running"].kind == "gauge"
    assert list(found["mysql.Threads_running"].values) == [147, 141, 152, 149]
    assert list(found["mysql.Threads_running"].wall_us) == [0, 1_000_000, 4_000_000, 5_000_000]
    assert list(found["mysql.Innodb_page_size"].values) == [16384] * 4
    assert "mysql.Compression" not in found  # it was text


@pytest.mark.parametrize(
    "name", ["8.0.15-mysqladmin-ext-absolute.txt", "5.6-mysqladmin-ext-relative.txt"]
)
def test_a_number_that_is_damaged_is_a_problem_and_no_setting(name: str) -> None:
    text = (SAMPLES / "status" / name).read_text()
    line = [at for at, item in enumerate(text.split("\n"), 1) if "| Threads_running " in item][1]
    lines = text.split("\n")
    lines[line - 1] = "| Threads_running                               | 7x          |"
    every = list(status.parse(lines))
    (problem,) = [each for each in every if isinstance(each, Problem)]
    assert (problem.line, problem.found) == (line, "7x")
    assert "Threads_running" in problem.message
    assert not [each for each in every if isinstance(each, Setting) and "running" in each.name]
    assert line not in series_of(every)["mysql.Threads_running"].lines


def test_a_restart_is_no_difference_and_a_key_is_no_row() -> None:
    name = "8.0-box-multi-line-value-then-restart.txt"
    every = list(status.parse((SAMPLES / "status" / name).read_text().split("\n")))
    found = series_of(every)
    assert list(found["mysql.Aborted_clients"].values) == [4, 0]
    assert list(found["mysql.Uptime"].wall_us) == [0, 1_000_000]
    assert found["mysql.option_tracker_usage:Binary Log"].values[0] == 1
    assert "mysql.Ssl_verify_depth" not in found  # (size_t)-1: not set
    assert not [each for each in every if isinstance(each, Problem | Skipped)]


def test_variables_behind_status_are_settings() -> None:
    name = "5.7-tab-with-variables-behind.txt"
    every = list(status.parse((SAMPLES / "status" / name).read_text().split("\n")))
    settings = {each.name: (each.value, each.source) for each in every if isinstance(each, Setting)}
    assert settings["version"] == ("5.7.44-log", "SHOW VARIABLES")
    assert settings["status.rsa_public_key"] == ("", "SHOW STATUS")
    found = series_of(every)
    assert list(found["mysql.wsrep_local_recv_queue"].values) == [31]
    assert "mysql.max_join_size" not in found


@pytest.mark.parametrize(
    ("name", "kind", "unit"),
    [
        ("Threads_running", "gauge", "threads"),
        ("Threads_created", "counter", "threads"),
        ("Innodb_buffer_pool_wait_free", "counter", "waits"),
        ("Innodb_buffer_pool_pages_free", "gauge", "pages"),
        ("Innodb_buffer_pool_pages_flushed", "counter", "pages"),
        ("Innodb_adaptive_hash_hash_searches", "counter", "searches"),
        ("Innodb_data_pending_fsyncs", "gauge", "operations"),
        ("Innodb_checkpoint_max_age", "gauge", "bytes"),
        ("Innodb_mem_adaptive_hash", "gauge", "bytes"),
        ("Innodb_row_lock_time", "counter", "ms"),
        ("Innodb_row_lock_time_avg", "gauge", "ms"),
        ("Open_tables", "gauge", "tables"),
        ("Opened_tables", "counter", "tables"),
        ("Com_load_master_data", "counter", "statements"),
        ("Slave_retried_transactions", "counter", None),
        ("Ssl_accepts", "counter", None),
        ("Ssl_session_cache_size", "gauge", None),
        ("wsrep_local_recv_queue", "gauge", None),
        ("wsrep_local_commits", "counter", None),
        ("Uptime", "gauge", "s"),
    ],
)
def test_kinds_of_status_variables(name: str, kind: str, unit: str | None) -> None:
    """A gauge that is differentiated and a counter that is not both mislead."""
    assert (server_variables.variable_kind(name), server_variables.variable_unit(name)) == (
        kind,
        unit,
    )


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


def test_vmstat_with_the_time_in_front_and_in_german() -> None:
    found = series(vmstat, (SAMPLES / "vmstat" / "time-in-front-by-ts.txt").read_text())
    assert list(found["vmstat.r"].values) == [2, 3]
    assert list(found["vmstat.r"].wall_us) == [1_000_000, 2_000_000]  # over midnight, of no year
    for stamp in ("Fri Nov 20 22:12:43 UTC 2026: ", "1795212763.25 ", "[2026-11-20T22:12:43Z] "):
        text = (SAMPLES / "vmstat" / "time-in-front-by-ts.txt").read_text()
        lines = [stamp + line[16:] for line in text.splitlines()]
        first = series(vmstat, "\n".join(lines))["vmstat.cache"]
        assert (first.clock, first.wall_us[0] // 1_000_000) == ("utc", 1795212763)
    german = series(vmstat, (SAMPLES / "vmstat" / "german-heading.txt").read_text())
    assert [german[f"vmstat.{name}"].values[0] for name in ("free", "buff", "cache", "so")] == [
        123456, 1234, 456789, 0,
    ]  # fmt: skip


def test_value_log() -> None:
    text = "Wed Oct 24 22:27:19 UTC 2012: 18660\nWed Oct 24 22:27:20 UTC 2012: 70713\n"
    first = series(qps_log, text)["metric.qps"]
    assert list(first.values) == [18660, 70713]
    assert (first.clock, first.wall_us[0]) == ("utc", 1351117639000000)


@pytest.mark.parametrize(
    "date",
    [
        "Wed Oct 24 10:27:19 PM UTC 2012",
        "Wed 24 Oct 2012 10:27:19 PM UTC",
        "2012-10-24T22:27:19+02:00",
    ],
)
def test_a_value_log_of_any_date(date: str) -> None:
    assert list(series(qps_log, f"{date}: 12\n{date}: 13\n")["metric.qps"].values) == [12, 13]


def test_mysqladmin_status_is_placed_by_uptime_and_survives_a_restart() -> None:
    text = (SAMPLES / "mysqladmin-status" / "8.0-i-5-restart.txt").read_text()
    found = series(mysqladmin_status, text)
    threads = found["mysql.Threads_connected"]
    assert list(threads.wall_us) == [0, 5_000_000, 11_000_000, 12_000_000]
    assert list(threads.values) == [3, 260, 301, 4]
    assert list(found["mysql.Questions"].values) == [200, 2950, None, 12]
    assert (threads.kind, found["mysql.Questions"].kind) == ("gauge", "counter")


def test_status_of_a_few_names_is_series_at_its_ts() -> None:
    path = SAMPLES / "result-set" / "8.0-status-like-under-ts.txt"
    frames = parse_bytes(path.read_bytes()).frames
    waits = frames["sample"].filter(pl.col("series") == "mysql.Innodb_row_lock_current_waits")
    assert waits["value"].to_list() == [3, 299]
    assert waits["wall_us"].to_list() == [1795213432_682627, 1795213433_683627]
    assert frames["sample"]["series"].n_unique() == 3
    assert frames["table"]["rows"].list.len().to_list() == [3, 3, 1]
    torn = parse_bytes(path.read_bytes().replace(b"| 299 ", b"| 2x9 "))
    (problem,) = torn.problems
    assert (problem.found, torn.frames["table"].height) == ("2x9", 3)


@pytest.mark.parametrize(
    ("text", "stamp"),
    [
        ("2026-11-20T22:19:10Z", (1795213150000000, "utc")),
        ("2026-11-21T00:19:10+02:00", (1795213150000000, "utc")),
        ("2026-11-20 22:19:10", (1795213150000000, "local")),
        ("Fri Nov 20 10:19:10 PM UTC 2026", (1795213150000000, "utc")),
        ("Fri 20 Nov 2026 10:19:10 PM UTC", (1795213150000000, "utc")),
        ("Fri 20 Nov 2026 22:19:10 PST", (1795241950000000, "utc")),
        ("Fri 20 Nov 2026 22:19:10 CST", (1795213150000000, "local")),
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


_CLIENT_STATUS = """\
--------------
mysql  Ver 8.0.15 for Linux on x86_64 (MySQL Community Server - GPL)

Connection id:\t\t8
Current database:\t
Current user:\t\troot@localhost
SSL:\t\t\tNot in use
Current pager:\t\tstdout
Using outfile:\t\t''
Using delimiter:\t;
Server version:\t\t8.0.15 MySQL Community Server - GPL
Protocol version:\t10
Connection:\t\tLocalhost via UNIX socket
Server characterset:\tutf8mb4
Db     characterset:\tutf8mb4
Client characterset:\tutf8mb4
Conn.  characterset:\tutf8mb4
UNIX socket:\t\t/var/lib/mysql/mysql.sock
Uptime:\t\t\t1 day 2 hours 1 min 20 sec

Threads: 2  Questions: 5  Slow queries: 1  Opens: 115  Flush tables: 2  Open tables: 91  \
Queries per second avg: 0.062
--------------
"""


def test_status_of_the_client_tells_the_numbers_the_uptime_and_the_version() -> None:
    parsed = parse_bytes(_CLIENT_STATUS.encode(), "status.txt")
    assert (parsed.format, parsed.failed) == ("mysqladmin-status", None)
    assert (parsed.problems, parsed.receipt.bytes_skipped) == ([], 0)
    values = dict(parsed.frames["sample"].select("series", "value").iter_rows())
    assert values["mysql.Uptime"] == 86_400 + 2 * 3_600 + 80
    assert (values["mysql.Threads_connected"], values["mysql.Slow_queries"]) == (2, 1)
    (setting,) = parsed.frames["setting"].iter_rows(named=True)
    assert (setting["name"], setting["value"], setting["line_first"]) == ("version", "8.0.15", 11)


def test_pt_mext_gives_the_series_of_status() -> None:
    """Differences (Uptime falls) are summed up again, levels stay; Uptime is the clock."""
    folder = SAMPLES / "pt-mext"
    for name, running, seconds in (
        ("relative-r.txt", [2, 391, 388, 8], [0, 1, 5, 6]),
        ("absolute-torn-row.txt", [2, 391, 388], [0, 1, 4]),
    ):
        frame = parse_bytes((folder / name).read_bytes(), "upload").frames["sample"]
        rows = frame.filter(pl.col("series") == "mysql.Threads_running")
        assert rows["value"].to_list() == running
        assert (rows["wall_us"] / 1_000_000).to_list() == seconds
    torn = parse_bytes((folder / "absolute-torn-row.txt").read_bytes(), "upload")
    assert [(problem.line, problem.found) for problem in torn.problems] == [(5, "17 18")]
    assert [item.line_first for item in torn.receipt.skipped] == [11]
    assert torn.frames["setting"]["name"].to_list() == ["status.compression"]
