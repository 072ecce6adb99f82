"""Tables with a time column: the guess, what a person says, and what comes out."""

from __future__ import annotations

import dataclasses
import io

import pytest

from pileup.formats.driver import parse_stream
from pileup.formats.metrics import csv_table, metric_csv
from pileup.formats.metrics.parts import csv_cells, csv_mapping
from pileup.formats.metrics.parts.csv_mapping import Column, Mapping
from pileup.formats.parsed import Parsed
from tests.formats.checks import SAMPLES, assert_sound, parse_bytes, samples


@pytest.mark.parametrize("path", samples("csv-table"), ids=lambda item: item.stem)
def test_sample(path, check_sample):
    check_sample(path, shared=("metric-csv",))


def parse_as(mapping: Mapping, text: str) -> Parsed:
    data = text.encode()
    parsed = parse_stream(io.BytesIO(data), chosen=csv_table.with_mapping(mapping))
    assert_sound(parsed, len(data))
    return parsed


def values(parsed: Parsed, series: str) -> list[float | None]:
    frame = parsed.frames["sample"]
    return frame.filter(frame["series"] == series)["value"].to_list()


@pytest.mark.parametrize(
    ("text", "decimal", "expected"),
    [
        ("1.234,5", ",", (1234.5, None)),
        ("1,234.5", ".", (1234.5, None)),
        ("1 234,5", ",", (1234.5, None)),
        ("1.234.567", ",", (1234567.0, None)),
        ("-0,5", ",", (-0.5, None)),
        ("1.5e3", ".", (1500.0, None)),
        ("1.2 K", ".", (1200.0, None)),
        ("1,2 Mil", ",", (1200000.0, None)),
        ("35 ms", ".", (0.035, "s")),
        ("980 µs", ".", (0.00098, "s")),
        ("2 min", ".", (120.0, "s")),
        ("12 %", ".", (12.0, "%")),
        ("45%", ".", (45.0, "%")),
        ("3.5 MiB", ".", (3.5 * 1024**2, "B")),
        ("3.5 MB/s", ".", (3.5e6, "B/s")),
        ("1.2 K ops/s", ".", (1200.0, "1/s")),
        ("7 widgets", ".", (7.0, "widgets")),
        ("1,2,3", ".", None),
        ("1.2.3", ".", None),
        ("12:30", ".", None),
        ("nan", ".", None),
        ("inf", ".", None),
        ("1_000", ".", None),
        ("", ".", None),
        ("9" * 100, ".", None),
        ("²", ".", None),
    ],
)
def test_numbers_as_they_are_printed(
    text: str, decimal: str, expected: tuple[float, str | None] | None
) -> None:
    found = csv_cells.read_number(text, decimal)
    assert found == (None if expected is None else (pytest.approx(expected[0]), expected[1]))


@pytest.mark.parametrize(
    ("text", "how", "expected"),
    [
        ("20.11.2026 22:19:10", "dmy", (1795213150000000, "local")),
        ("11/20/2026, 10:19:10 PM", "mdy", (1795213150000000, "local")),
        ("11/20/26 22:19", "mdy", (1795213140000000, "local")),
        ("20/11/2026 22:19:10", "mdy", None),
        ("1795213150.25", "epoch_s", (1795213150250000, "utc")),
        ("1795213150250", "epoch_ms", (1795213150250000, "utc")),
        ("1795213150250000000", "epoch_ns", (1795213150250000, "utc")),
        ("46346.92997685", "excel", (1795213150000000, "local")),
        ("12.5", "elapsed_s", (12500000, "relative")),
        ("1e400", "epoch_s", None),
        ("-1", "elapsed_s", None),
    ],
)
def test_times_as_they_are_printed(
    text: str, how: csv_cells.TimeFormat, expected: tuple[int, str] | None
) -> None:
    assert csv_cells.read_time(text, how) == expected


def test_days_and_months_that_may_be_either_are_not_guessed() -> None:
    """03/04/2026 is a day in March or in April: the rows decide, or a person."""
    either = ["Date,Threads", "03/04/2026 10:00:00,1", "03/04/2026 10:00:01,2"]
    assert not csv_mapping.guess(either).sure
    parsed = parse_bytes("\n".join(either).encode(), "x.csv")
    assert parsed.format == "result-set"  # a table, without a time or a series
    assert set(parsed.frames) == {"table"}
    chosen = parse_bytes("\n".join(either).encode(), format_name="csv-table")
    assert "more than one way" in chosen.problems[0].message
    guessed = csv_mapping.guess([*either, "25/04/2026 10:00:02,3"])
    assert guessed.sure
    assert guessed.mapping.time_format == "dmy"


_TIMES = "2026-11-20 22:00:0"
_GUESSES = [
    (
        ["Time,n", f"{_TIMES}0,1", f"{_TIMES}1,2"],
        True,
        "'Time' holds times, and 1 columns hold numbers",
    ),
    (["words", "more words"], False, "no separator gives more than one column"),
    (["a,b", "x,1", "y,2"], False, "no column holds times in nine of ten rows"),
    (["Time,n", f"{_TIMES}0,x", f"{_TIMES}1,y"], False, "no column holds numbers"),
    ([f"{_TIMES}0,1", f"{_TIMES}1,2"], False, "there is no header above the rows"),
    (["Time,n", f"{_TIMES}0,1"], False, "there is one row only"),
    (
        ["Date,n", "03/04/2026 10:00:00,1", "03/04/2026 10:00:01,2"],
        False,
        "the times in 'Date' can be read in more than one way",
    ),
]


@pytest.mark.parametrize(("lines", "sure", "why"), _GUESSES, ids=[why for *_, why in _GUESSES])
def test_a_guess_says_how_sure_it_is_and_why(lines: list[str], sure: bool, why: str) -> None:
    """What cannot be guessed is refused; what may be wrong is read and says so."""
    guess = csv_mapping.guess(lines)
    assert (guess.sure, guess.why) == (sure, why)
    parsed = parse_bytes("\n".join(lines).encode(), "x.csv", "csv-table")
    advice = f"{why}. Tell Pileup what the columns are."
    if why.startswith("no "):
        assert parsed.failed == f"This table cannot be read without help: {advice}"
        assert not parsed.frames
    else:
        assert parsed.failed is None
        assert [problem.message for problem in parsed.problems] == (
            [] if sure else [f"The columns were guessed and may be wrong: {advice}"]
        )
        assert [name for name, _ in sorted(parsed.frames.items())] == ["sample"]


@pytest.mark.parametrize("columns", [3, 4])
def test_a_table_of_too_many_columns_is_read_up_to_the_limit(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setattr(metric_csv, "MOST_COLUMNS", 3)
    names = ["Time", *"abc"][:columns]
    rows = [",".join([f"{_TIMES}{at}", *"123"][:columns]) for at in range(5)]
    parsed = parse_bytes("\n".join(["", ",".join(names), *rows]).encode(), "x.csv", "metric-csv")
    assert set(parsed.frames["sample"]["series"]) == {"metric.a", "metric.b"}
    assert [(problem.line, problem.message) for problem in parsed.problems] == (
        [] if columns == 3 else [(2, "Only the first 3 of 4 columns are read.")]
    )


def test_what_a_person_says_wins() -> None:
    """Columns, kind, unit, name, decimal sign and zone as given; another column is left out."""
    text = (
        "when;how many;ms;note\n03/04/2026 10:00:00;1,5;7;a\n03/04/2026 10:00:01;x;8;b\n"
        "never;2;9;c\n03/04/2026 10:00:02;;10;d\n"
    )
    mapping = Mapping(
        delimiter=";",
        decimal=",",
        header="when;how many;ms;note",
        time_format="mdy",
        zone="America/Vancouver",
        columns=(
            Column(name="when", role="time"),
            Column(name="how many", role="value", series="app.jobs", kind="counter", unit="jobs"),
            Column(name="ms", role="value"),
            Column(name="note", role="ignore"),
        ),
    )
    assert csv_mapping.find_problems(mapping) == []
    parsed = parse_as(mapping, text)
    assert parsed.format == "csv-table"
    assert values(parsed, "app.jobs") == [1.5, None, None]
    assert values(parsed, "metric.ms") == [7, 8, 10]
    frame = parsed.frames["sample"]
    assert set(frame["kind"]) == {"counter", "gauge"}
    assert set(frame["clock"]) == {"utc"}
    assert frame["wall_us"][0] == 1772647200000000  # 18:00 UTC: before summer time
    assert [(problem.line, problem.message) for problem in parsed.problems] == [
        (3, "Column 2 (how many): not a number."),
        (4, "Column 1 (when): no readable time; the row is left out."),
    ]


def test_a_long_table_keeps_metrics_hosts_and_labels_apart() -> None:
    lines = [
        "Server;Datum;Shard;Metric;Value",
        "db1;20.11.2026 22:19:10;7;qps;1,5",
        "db1;20.11.2026 22:19:10;8;qps;2,5",
        "db2;20.11.2026 22:19:10;7;qps;3,5",
    ]
    found = csv_mapping.guess(lines)
    assert [column.role for column in found.mapping.columns] == [
        "host",
        "time",
        "label",
        "metric",
        "value",
    ]
    frame = parse_as(found.mapping, "\n".join(lines)).frames["sample"]
    assert frame.select("series", "labels", "host", "value").rows() == [
        ("metric.qps", "Shard=7", "db1", 1.5),
        ("metric.qps", "Shard=8", "db1", 2.5),
        ("metric.qps", "Shard=7", "db2", 3.5),
    ]


def test_a_mapping_is_found_again_under_its_header() -> None:
    """Whatever stands above the header, and however it is quoted."""
    first = ["when;threads", "20.11.2026 22:19:10;1", "20.11.2026 22:19:11;2"]
    mapping = csv_mapping.guess(first).mapping
    key = csv_mapping.mapping_key(mapping.header, "0" * 64)
    again = 'Export of Friday\n\n"When" ; "Threads"\n20.11.2026 23:00:00;7\n'
    assert key in csv_mapping.keys_in(again, "1" * 64)
    assert values(parse_as(mapping, again), "metric.threads") == [7]
    other = parse_as(mapping, "who;threads\n20.11.2026 23:00:00;7\n")
    assert other.failed is not None
    assert "header" in other.failed


def test_a_table_without_a_header_is_remembered_for_that_file_only() -> None:
    lines = ["2026-11-20 22:19:10 5 7", "2026-11-20 22:19:11 6 8"]
    found = csv_mapping.guess(lines, header_line=0)
    assert found.mapping.header is None
    assert csv_mapping.mapping_key(None, "abc") == "file:abc"
    parsed = parse_as(found.mapping, "\n".join(lines))
    assert values(parsed, "metric.column 3") == [5, 6]


def test_an_unusable_mapping_says_what_is_missing() -> None:
    mapping = csv_mapping.guess(
        ["time;a", "20.11.2026 22:19:10;1", "20.11.2026 22:19:11;2"]
    ).mapping
    nothing = tuple(dataclasses.replace(column, role="ignore") for column in mapping.columns)
    bad = dataclasses.replace(mapping, columns=nothing, zone="Mars/Olympus", delimiter="x")
    assert {field for field, _ in csv_mapping.find_problems(bad)} == {
        "columns",
        "zone",
        "delimiter",
    }


def test_legends_of_prometheus_and_datadog_become_labels() -> None:
    frame = parse_bytes((SAMPLES / "csv-table" / "datadog-wide-12h.csv").read_bytes()).frames[
        "sample"
    ]
    assert set(frame.select("series", "labels", "host").rows()) == {
        ("metric.mysql.performance.threads_running", "by=avg", "db-orders-03"),
        ("metric.mysql.performance.queries", "by=avg", "db-orders-03"),
    }
    legends = "grafana-joined-by-time-legends.csv"
    frame = parse_bytes((SAMPLES / "csv-table" / legends).read_bytes()).frames["sample"]
    assert ("mysql.Threads_running", "", "db-orders-04") in frame.select(
        "series", "labels", "host"
    ).rows()


def test_a_remark_beside_the_numbers_does_not_split_the_series() -> None:
    """A text is a label where one moment has several rows; else it is left out."""
    lines = [
        "time,threads,note",
        *(f"2026-11-20T22:19:1{at}Z,{at},note {at % 2}" for at in range(5)),
    ]
    roles = [column.role for column in csv_mapping.guess(lines).mapping.columns]
    assert roles == ["time", "value", "ignore"]
    twice = [lines[0], *(f"2026-11-20T22:19:1{at // 2}Z,{at},db{at % 2}" for at in range(6))]
    roles = [column.role for column in csv_mapping.guess(twice).mapping.columns]
    assert roles == ["time", "value", "label"]


def test_rows_read_together_are_rows_read_alone() -> None:
    rows = [f"2026-11-20 12:{at // 60:02d}:{at % 60:02d},{at},{at / 4:g} ms\n" for at in range(200)]
    columns = tuple(
        Column(name=name, role=role)
        for name, role in (("t", "time"), ("a", "value"), ("b", "value"))
    )
    mapping = Mapping(delimiter=",", header="t,a,b", columns=columns)
    together = parse_as(mapping, "t,a,b\n" + "".join(rows))
    alone = parse_as(mapping, "t,a,b\n" + "".join(f'"{row[:19]}"{row[19:]}' for row in rows))
    assert together.frames["sample"].equals(alone.frames["sample"])
    rows[100] = "33,1,2\n"  # no minute stands before it
    rows[101] = rows[101].replace(",101,", ",ten,")
    odd = parse_as(mapping, "t,a,b\n" + "".join(rows))
    assert [problem.line for problem in odd.problems] == [102, 103]
    assert odd.frames["sample"].height == together.frames["sample"].height - 2


_EXPORTS = {
    "Grafana, units that change": (
        (
            '"Time","db1 p99"\n2026-11-20 22:19:10,12.3 ms\n2026-11-20 22:19:20,NaN\n'
            "2026-11-20 22:19:30,1.2 s\n"
        ),
        {"metric.db1 p99": [0.0123, None, 1.2]},
    ),
    "Grafana for Excel, thousands and percents": (
        (
            'sep=,\n"Time","QPS","CPU"\n"2026-11-20 22:19:10","1.2 K","45%"\n'
            '"2026-11-20 22:19:20","undefined","46.5%"\n'
        ),
        {"metric.QPS": [1200.0, None], "metric.CPU": [45.0, 46.5]},
    ),
    "Grafana, sizes": (
        '"Time","read"\n2026-11-20 22:19:10,1.50 MiB/s\n2026-11-20 22:19:20,350 kB/s\n',
        {"metric.read": [1.5 * 1024**2, 350_000.0]},
    ),
    "Grafana's old export, series as rows": (
        (
            "Series;Time;Value\nQPS;2026-11-20T22:19:10+01:00;1200.5\n"
            "QPS;2026-11-20T22:19:20+01:00;null\n"
        ),
        {"metric.QPS": [1200.5, None]},
    ),
    "Grafana, series joined by time, milliseconds": (
        (
            '"Time","mysql_up{instance=""db1:9104""}","mysql_up{instance=""db2:9104""}"\n'
            "1795213150000,1,1\n1795213160000,0,\n"
        ),
        {"metric.mysql_up": [1.0, 0.0, 1.0, None]},
    ),
    "Russian, decimal comma": (
        "Время;Запросы\n20.11.2026 22:19:10;12,5\n20.11.2026 22:19:20;13\n",
        {"metric.Запросы": [12.5, 13.0]},
    ),
    "German for Excel, quoted": (
        '\ufeff"Zeit","Wert"\n"2026-11-20 22:19:10","1,5"\n"2026-11-20 22:19:20","2,5"\n',
        {"metric.Wert": [1.5, 2.5]},
    ),
    "Japanese": (
        '"時刻","値"\n"2026-11-20 22:19:10",12\n"2026-11-20 22:19:20",13\n',
        {"metric.値": [12.0, 13.0]},
    ),
    "CloudWatch console": (
        (
            'Full label,"orders CPUUtilization"\nLabel,CPUUtilization\nStatistic,Average\n'
            "Period,300\nId,m1\n2026/11/20 22:15:00,45.3\n2026/11/20 22:20:00,\n"
        ),
        {"metric.orders CPUUtilization": [45.3, None]},
    ),
    "CloudWatch console, older": (
        (
            "FullLabel,,CPUUtilization\nLabel,,CPUUtilization\nStatistic,,Average\nPeriod,,60\n"
            "Timestamp,,\n2026/11/20 22:19:00,,45.3\n2026/11/20 22:20:00,,99.1\n"
        ),
        {"metric.CPUUtilization": [45.3, 99.1]},
    ),
    "Datadog, one column per group": (
        (
            '"date","host:db1","host:db2"\n"2026-11-20T22:19:10.000Z","2","3"\n'
            '"2026-11-20T22:19:20.000Z","391",""\n'
        ),
        {"metric.host:db1": [2.0, 391.0], "metric.host:db2": [3.0, None]},
    ),
    "Datadog, times as a browser says them": (
        'Time,cpu\n"Nov 20, 2026, 10:19:10 pm",2\n"Nov 20, 2026, 10:19:20 pm",391\n',
        {"metric.cpu": [2.0, 391.0]},
    ),
    "a spreadsheet's times without seconds": (
        "Time\tThreads\n11/20/2026 22:19\t4\n11/20/2026 22:20\t5\n",
        {"metric.Threads": [4.0, 5.0]},
    ),
    "several hosts in one table": (
        (
            "time,host,threads\n2026-11-20T22:19:10Z,db1,2\n2026-11-20T22:19:10Z,db2,3\n"
            "2026-11-20T22:19:20Z,db1,391\n2026-11-20T22:19:20Z,db2,\n"
        ),
        {"metric.threads": [2.0, 3.0, 391.0, None]},
    ),
}


@pytest.mark.parametrize("which", _EXPORTS)
def test_exports_of_two_rows_are_read_in_full(which: str) -> None:
    text, expected = _EXPORTS[which]
    for data in (text.encode(), text.replace("\ufeff", "").encode("utf-16")):
        parsed = parse_bytes(data, "upload")
        assert parsed.receipt.problems == parsed.receipt.bytes_skipped == 0
        assert {name: values(parsed, name) for name in parsed.frames["sample"]["series"]} == {
            name: pytest.approx(every, nan_ok=True) for name, every in expected.items()
        }
        assert parsed.frames["sample"]["wall_us"].null_count() == 0


def test_a_unit_that_changes_behind_the_head_changes_no_number() -> None:
    """Read row by row as a plain table: sizes and durations come out in their base units."""
    gaps = "".join(f"2026-11-20 22:{m:02}:00,5,\n" for m in range(60))
    text = f"Time,n,p99\n{gaps}2026-11-20 23:00:00,5,12 ms\n2026-11-20 23:01:00,oops,1.2 s\n"
    parsed = parse_bytes(text.encode(), "upload", "metric-csv")
    assert values(parsed, "metric.p99") == [0.012, 1.2]
    assert values(parsed, "metric.n")[-2:] == [5.0, None]
    (problem,) = parsed.problems
    assert (problem.line, problem.found) == (63, "oops")
