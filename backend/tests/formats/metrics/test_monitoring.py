"""Load generators and monitoring: sysbench, mysqlslap, Prometheus, CloudWatch, JSON samples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pileup.formats.metrics import aws_output, json_series
from pileup.records import Samples
from tests.formats.checks import SAMPLES, parse_bytes, samples

FORMATS = (
    "sysbench",
    "mysqlslap",
    "bench-tables",
    "iibench",
    "mstat",
    "hammerdb",
    "prometheus-json",
    "openmetrics",
    "cloudwatch-json",
    "json-samples",
    "json-series",
    "line-protocol",
    "schema-changes",
)
EVERY = [(name, path) for name in FORMATS for path in samples(name)]


@pytest.mark.parametrize(("name", "path"), EVERY, ids=lambda item: getattr(item, "stem", item))
def test_sample(name, path, check_sample):
    check_sample(path)


def series(name: str, text: str | bytes) -> dict[tuple[str, str], list[tuple[object, ...]]]:
    """(series, labels) -> rows of wall_us, value, line_first."""
    data = text.encode() if isinstance(text, str) else text
    frame = parse_bytes(data, format_name=name).frames["sample"]
    found: dict[tuple[str, str], list[tuple[object, ...]]] = {}
    for row in frame.iter_rows(named=True):
        point = (row["wall_us"], row["value"], row["line_first"])
        found.setdefault((row["series"], row["labels"]), []).append(point)
    return found


def test_a_line_nested_too_deep_costs_no_other() -> None:
    sample = '{{"time": "2026-11-20T22:15:0{}Z", "running": {}}}'
    deep = sample.format(2, "[" * 20_000 + "]" * 20_000)
    found = series("json-samples", "\n".join([sample.format(1, 7), deep, sample.format(3, 8)]))
    assert [value for _, value, _ in found["metric.running", ""]] == [7.0, 8.0]


def test_a_latency_of_no_event_is_not_zero() -> None:
    """sysbench prints 0.00 ms beside 0 transactions: nothing was measured."""
    text = (
        "[ 1s ] thds: 8 tps: 10.00 lat (ms,99%): 2.50\n[ 2s ] thds: 8 tps: 0.00 lat (ms,99%): 0.00"
    )
    found = series("sysbench", text)
    assert found["sysbench.tps", ""] == [(1_000_000, 10.0, 1), (2_000_000, 0.0, 2)]
    assert found["sysbench.latency_p99", ""] == [(1_000_000, 2.5, 1), (2_000_000, None, 2)]


def test_with_a_rate_the_queue_is_read() -> None:
    """With --rate a second report follows each: events that wait for a thread, threads that run."""
    found = series("sysbench", (SAMPLES / "sysbench" / "1.0-rate-queue.txt").read_text())
    assert [value for _, value, _ in found["sysbench.queue_length", ""]][-3:] == [468, 631, 775]
    assert [value for _, value, _ in found["sysbench.concurrency", ""]][-5:] == [300] * 5
    assert len(found["sysbench.queue_length", ""]) == len(found["sysbench.tps", ""])


def test_a_second_run_follows_the_first() -> None:
    text = (SAMPLES / "sysbench" / "0.5-and-1.0-oltp-stall.txt").read_text()
    found = series("sysbench", text)
    assert found["sysbench.tps", "run=2"][0][0] == 20_002_100 + 1_000_000
    tables = parse_bytes(text.encode()).frames["table"]
    rows = [tuple(row) for row in tables.row(1, named=True)["rows"]]
    assert ("SQL statistics", "transactions", "1210", "403.30") in rows
    assert ("Latency (ms)", "95th percentile", "240.02", None) in rows
    assert ("Threads fairness", "events stddev", "0.52", None) in rows


def test_a_json_line_of_many_megabytes_is_read_whole() -> None:
    """Prometheus answers with one line; all of its points count, and all are of line 1."""
    points = ",".join(f'[{1795213000 + at},"{at}"]' for at in range(120_000))
    metric = '{"metric":{"__name__":"mysql_up","dc":"köln"},"values":[' + points + "]}"
    text = '{"status":"success","data":{"resultType":"matrix","result":[' + metric + "]}}\n\n"
    assert len(text) > 2 * 1024 * 1024
    parsed = parse_bytes(text.encode(), "range.json")
    assert parsed.format == "prometheus-json"
    assert not parsed.problems
    frame = parsed.frames["sample"]
    assert frame["value"].to_list() == [float(at) for at in range(120_000)]
    assert set(frame["line_first"]) == {1}
    assert parsed.receipt.lines == 2
    assert parsed.receipt.bytes_understood == len(text.encode())


def test_a_scraped_status_variable_is_the_one_that_show_status_prints() -> None:
    text = (
        'mysql_global_status_commands_total{command="update",instance="db1:9104"} 7 1795213154000\n'
        'mysql_global_status_wsrep_local_recv_queue{instance="127.0.0.1:9104"} 3 1795213154000\n'
        "mysql_info_schema_innodb_metrics_transaction_trx_rseg_history_len 120031\n"
    )
    found = series("openmetrics", text)
    at = 1795213154000000
    assert found == {
        ("mysql.Com_update", ""): [(at, 7.0, 1)],
        ("mysql.wsrep_local_recv_queue", "instance=127.0.0.1:9104"): [(at, 3.0, 2)],
        ("mysql.Innodb_history_list_length", ""): [(None, 120031.0, 3)],
    }


def test_cloudwatch_datapoints_are_put_in_order_and_keep_their_lines() -> None:
    path = SAMPLES / "cloudwatch-json" / "get-metric-statistics-unsorted.json"
    found = series("cloudwatch-json", path.read_bytes())
    points = found["cloudwatch.CPUUtilization", "stat=Average"]
    assert [(value, line) for _, value, line in points] == [(12.25, 10), (55.0, 16), (97.5, 4)]
    assert found["cloudwatch.DatabaseConnections", "stat=Sum"][0][1:] == (1830.0, 26)


def test_a_cut_answer_keeps_what_stands_above_the_cut() -> None:
    whole = (SAMPLES / "prometheus-json" / "prometheus-2.42-range.json").read_bytes()
    parsed = parse_bytes(whole[:-60], format_name="prometheus-json")
    assert parsed.frames["sample"].height == 6
    assert "ends before its last bracket" in parsed.problems[0].message


def test_a_run_of_points_is_its_points_one_by_one() -> None:
    points = [f'[{1795213154 + at},"{at}.5"]' for at in range(50)]
    head = (
        '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"a":"b"},"values":['
    )
    run = head + ",".join(points) + "]}]}}"
    apart = head + ", ".join(points) + "]}]}}"  # with blanks no run is seen
    assert series("prometheus-json", run) == series("prometheus-json", apart)
    odd = run.replace('"7.5"', '"NaN"').replace('"9.5"', '"1_0"')
    (values,) = series("prometheus-json", odd).values()
    assert [row[1] for row in values[6:11]] == [6.5, None, 8.5, None, 10.5]


def test_a_known_metric_is_read_as_the_first_time() -> None:
    text = "# TYPE a gauge\n" + "".join(f'a{{x="1"}} {value}\n' for value in ("1", "2.5", "1.2.3"))
    text += '# TYPE a counter\na{x="1"} 7 # {t="}"} 1\na{x="1"} +Inf\n'
    parsed = parse_bytes(text.encode(), "m.prom", "openmetrics")
    assert parsed.frames["sample"]["value"].to_list() == [1.0, 2.5, 7.0, None]
    assert parsed.frames["sample"]["kind"].to_list() == ["gauge", "gauge", "counter", "counter"]
    assert [problem.line for problem in parsed.problems] == [4]


def test_reports_and_points_of_the_corpus_are_all_counted(corpus: Path) -> None:
    """As many as a plain count of the text finds, and their sums agree."""
    assert sum(map(_agreed_reports, (corpus / "bench_output").glob("captured-*"))) > 100
    assert sum(map(_agreed_points, (corpus / "metrics_csv").glob("*.json"))) > 100


def test_reports_and_points_of_the_samples_are_all_counted() -> None:
    assert sum(map(_agreed_reports, samples("sysbench"))) >= 15
    ranges = [path for path in samples("prometheus-json") if path.name.startswith("prometheus-")]
    assert sum(map(_agreed_points, ranges)) == 17


def _agreed_reports(path: Path) -> int:
    """Compare the transactions of each line of a load generator; return how many there are."""
    lines = [line for line in path.read_text().split("\n") if line.startswith("[ ")]
    frame = parse_bytes(path.read_bytes()).frames.get("sample")
    tps = [] if frame is None else frame.filter(frame["series"] == "sysbench.tps")["value"]
    reports = [line.split(" tps: ")[1] for line in lines if " tps: " in line]
    assert [float(report.split()[0].rstrip(",")) for report in reports] == list(tps), path.name
    return len(reports)


def _agreed_points(path: Path) -> int:
    """Compare each point of an answer of Prometheus; return how many there are."""
    document = json.loads(path.read_text())["data"]["result"]
    points = [value for item in document for _, value in item["values"]]
    frame = parse_bytes(path.read_bytes()).frames.get("sample")
    read = [] if frame is None else frame["value"].to_list()
    assert read == [float(point) for point in points], path.name
    return len(points)


def test_a_long_line_of_json_comes_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """A piece may end inside of a string or a number; the next one goes on there."""
    points = [
        {"Timestamp": f"2024-05-14T09:{at // 60:02}:{at % 60:02}Z", "Value": 1000 + at}
        for at in range(40)
    ]
    text = json.dumps({"Metric": "db.load.avg", "DataPoints": points})
    monkeypatch.setattr(json_series, "_PIECE", 100)
    for size in (100, 101, 113, 150):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        (found,) = json_series.parse(pieces)
        assert isinstance(found, Samples)
        assert list(found.values) == [1000.0 + at for at in range(40)]


def test_times_that_are_not_found_again_keep_their_points() -> None:
    """Escapes hide them from the search for their lines, which gives up at some time."""
    points = ",\n".join(
        f'{{"timestamp": "2024-05-14T09:{at // 60:02}:{at % 60:02}\\u002e5Z", "value": {at}}}'
        for at in range(300)
    )
    text = f'{{"metric": "threads", "points": [\n{points}\n]}}'
    (rows,) = series("json-series", text).values()
    assert [value for _, value, _ in rows] == list(range(300))


@pytest.mark.parametrize("path", samples(aws_output.NAME), ids=lambda path: path.stem)
def test_what_aws_prints_for_people(path, check_sample):
    check_sample(path, shared=("qps-log", "result-set", "result-json"))


def test_the_nested_boxes_of_a_metric_are_series_per_statistic() -> None:
    box = (
        "|  Label |  CPUUtilization  |\n"
        "||  Average | Maximum |         Timestamp          |  Unit  ||\n"
        "||  12.25   |  31.0   |  2024-05-14T09:10:00+00:00 | Percent ||\n"
        "||  97.51   |  99.0   |  2024-05-14T09:11:00+00:00 | Percent ||\n"
    )
    found = {
        (item.series, item.labels, item.unit): item.values
        for item in aws_output.parse(box.split("\n"))
        if isinstance(item, Samples)
    }
    assert found == {
        ("cloudwatch.CPUUtilization", (("stat", "Average"),), "%"): [12.25, 97.51],
        ("cloudwatch.CPUUtilization", (("stat", "Maximum"),), "%"): [31.0, 99.0],
    }
