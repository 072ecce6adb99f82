"""Every artifact stands where it was taken, and says how that is known."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import polars as pl
import pytest

from pileup.analysis import ClockOverride
from pileup.analysis.clock.printed_times import stamp_us
from pileup.analysis.findings import catalogue
from pileup.records import Event, Snapshot
from tests.analysis.frames import T0, S, evidence, gauge, moment, setting, sha, ts

LOCAL = T0 - 8 * 3600 * S  # what a clock in Vancouver printed at T0


def first_time(found, name):  # type: ignore[no-untyped-def]
    rows = found.frames["sample"]
    return rows.filter(rows["artifact"] == sha(name))["time"][0]


def test_ts_lines_place_the_local_files_of_the_host() -> None:
    """A file without any zone inherits the offset that another file of the host shows."""
    found = evidence(
        {
            "bundle": [ts(T0, "2026-11-20 14:00:00"), setting("hostname", "db-1")],
            "plain.txt": [gauge("innodb.x", [1.0], start=LOCAL, clock="local")],
        }
    )
    assert first_time(found, "plain.txt") == T0
    clock = found.clocks[sha("plain.txt")]
    assert clock.zone == "-08:00"
    assert clock.quality == "derived"
    assert "TS lines of db-1 give UTC-08:00" in clock.how


def test_the_server_s_own_zone_is_used_without_ts_lines() -> None:
    found = evidence(
        {
            "variables": [setting("system_time_zone", "PST"), setting("time_zone", "SYSTEM")],
            "plain.txt": [gauge("innodb.x", [1.0], start=LOCAL, clock="local")],
        }
    )
    assert first_time(found, "plain.txt") == T0
    assert "system_time_zone=PST" in found.clocks[sha("plain.txt")].how


def test_a_file_is_placed_where_it_meets_the_absolute_ones() -> None:
    found = evidence(
        {
            "utc.csv": [gauge("metric.x", [1.0] * 60)],
            "plain.txt": [gauge("innodb.x", [1.0] * 60, start=LOCAL, clock="local")],
        }
    )
    assert first_time(found, "plain.txt") == T0
    assert found.clocks[sha("plain.txt")].quality == "derived"


@pytest.mark.parametrize("minutes", [-570, -210, 330, 345, 525, 570, 765])
@pytest.mark.parametrize("late_s", [0, 20])
def test_it_may_be_in_a_zone_of_half_or_quarter_hours(minutes: int, late_s: int) -> None:
    start = T0 + late_s * S
    local = gauge("innodb.x", [1.0] * 60, start=start + minutes * 60 * S, clock="local")
    found = evidence({"utc.csv": [gauge("metric.x", [1.0] * 60)], "plain.txt": [local]})
    assert first_time(found, "plain.txt") == start
    assert found.clocks[sha("plain.txt")].quality == "derived"


def test_whole_hours_come_first() -> None:
    """What began 20 minutes late meets more in the zone that is half an hour behind its own."""
    start = T0 + 1200 * S
    local = gauge("innodb.x", [1.0] * 120, start=start + 9 * 3600 * S, step=30 * S, clock="local")
    utc = gauge("metric.x", [1.0] * 120, step=30 * S)
    found = evidence({"utc.csv": [utc], "plain.txt": [local]})
    assert first_time(found, "plain.txt") == start


def test_a_dump_that_a_longer_file_holds_too_keeps_its_time() -> None:
    """Its rows count once, in the longer file; its own line in the list says when it was taken."""

    def dump(second: int, number: int) -> Snapshot:
        start = T0 + second * S
        return Snapshot(
            line_first=number * 10 + 1, line_last=number * 10 + 9, kind="innodb_status",
            snapshot=number, wall_us=start, clock="utc", original=f"14:00:0{second}",
        )  # fmt: skip

    found = evidence({"all.txt": [dump(0, 0), dump(5, 1)], "one.txt": [dump(5, 0)]})
    assert found.frames["snapshot"]["artifact"].unique().to_list() == [sha("all.txt")]
    docs = {doc.path: (doc.first, doc.last) for doc in catalogue.artifacts(found)}
    start, later = "2026-11-20T22:00:00Z", "2026-11-20T22:00:05Z"
    assert docs == {"all.txt": (start, later), "one.txt": (later, later)}


def test_nothing_known_is_taken_as_utc_and_said() -> None:
    found = evidence({"plain.txt": [gauge("innodb.x", [1.0], start=LOCAL, clock="local")]})
    assert first_time(found, "plain.txt") == LOCAL
    assert found.clocks[sha("plain.txt")].quality == "assumed"


def test_a_person_wins_over_everything() -> None:
    """A zone for a host, and an offset for one artifact."""
    files = {
        "bundle": [ts(T0, "2026-11-20 15:00:00"), setting("hostname", "db-1")],
        "plain.txt": [gauge("innodb.x", [1.0], start=LOCAL, clock="local")],
    }
    zone = evidence(files, timezones={"db-1": "America/Vancouver"})
    assert first_time(zone, "plain.txt") == T0
    assert zone.clocks[sha("plain.txt")].quality == "given"
    override = ClockOverride(zone="-08:00", offset_s=2.5)
    moved = evidence(files, overrides={sha("plain.txt"): override})
    assert first_time(moved, "plain.txt") == T0 + 2_500_000


@pytest.mark.parametrize(
    ("printed", "utc"),
    [
        ("2026-07-01T12:00:00", "2026-07-01T10:00:00"),
        ("2026-12-01T12:00:00", "2026-12-01T11:00:00"),
    ],
)
def test_a_zone_follows_daylight_saving(printed: str, utc: str) -> None:
    start = int(datetime.fromisoformat(printed).replace(tzinfo=UTC).timestamp()) * S
    found = evidence(
        {"plain.txt": [gauge("innodb.x", [1.0], start=start, clock="local")]},
        timezones={"*": "Europe/Berlin"},
    )
    expected = int(datetime.fromisoformat(utc).replace(tzinfo=UTC).timestamp()) * S
    assert first_time(found, "plain.txt") == expected


def test_clocks_that_change_during_the_capture() -> None:
    """TS lines before and after the change: each local time takes the offset of its stretch."""
    change = int(datetime(2026, 11, 1, 9, 0, tzinfo=UTC).timestamp()) * S
    pairs = [
        ts(change - 3600 * S, "2026-11-01 01:00:00"),
        ts(change + 3600 * S, "2026-11-01 02:00:00"),
    ]
    local = int(datetime(2026, 11, 1, 3, 0, tzinfo=UTC).timestamp()) * S
    found = evidence({"log": [*pairs, gauge("x.y", [1.0], start=local, clock="local")]})
    assert first_time(found, "log") == change + 2 * 3600 * S


@pytest.mark.parametrize(
    ("name", "second"),
    [
        ("2026_11_20_22_17_34-gdb.txt", 34),
        ("iostat-20261120-221735.log", 35),
        ("a/top.2026-11-20T22:17:36", 36),
        ("20261120221737.txt", 37),
        ("9900112022173499-1.txt", None),
        ("mysqld-bin.20261320-221734", None),
        ("2026-11-20.log", None),
    ],
)
def test_a_time_in_a_name_is_read_in_any_of_its_usual_forms(name: str, second: int | None) -> None:
    start = 1_795_213_020  # 2026-11-20 22:17:00
    assert stamp_us(name) == (None if second is None else (start + second) * S)


def test_the_stamp_in_a_name_is_local_time() -> None:
    """A backtrace prints no time: its name does, in the zone of its host."""
    found = evidence(
        {
            "bundle": [ts(T0, "2026-11-20 14:00:00"), setting("hostname", "db-1")],
            "gdb/2026_11_20_14_00_05-incident1-gdb.txt": [moment()],
        }
    )
    assert found.frames["snapshot"]["time"].to_list() == [T0 + 5 * S]


def test_a_file_without_any_time_is_matched_by_its_counters() -> None:
    """The same counter with known time elsewhere: the one position where both move alike."""
    random.seed(7)
    rates = [random.randint(100, 900) for _ in range(120)]
    total, counter = 5_000, []
    for rate in rates:
        total += rate
        counter.append(float(total))
    found = evidence(
        {
            "metrics.csv": [gauge("metric.qps", [float(item) for item in rates], kind="rate")],
            "ext.txt": [
                gauge("mysql.Questions", counter[40:80], start=0, clock="relative", kind="counter")
            ],
        }
    )
    assert abs(first_time(found, "ext.txt") - (T0 + 40 * S)) <= S
    assert "follows “Queries” of metrics.csv" in found.clocks[sha("ext.txt")].how


@pytest.mark.parametrize(
    ("dated", "labels", "series"),
    [
        ("mpstat.sys", (("cpu", "all"),), "vmstat.sy"),
        ("sar.idle", (), "iostat.cpu_idle"),
        ("top.cpu_wa", (), "vmstat.wa"),
    ],
)
def test_collectors_of_one_machine_show_the_same_cpu(
    dated: str, labels: tuple[tuple[str, str], ...], series: str
) -> None:
    random.seed(7)
    values = [float(random.randint(5, 90)) for _ in range(90)]
    found = evidence(
        {
            "dated": [gauge(dated, values, labels=labels)],
            "undated": [gauge(series, values[20:60], start=0, clock="relative")],
        }
    )
    assert first_time(found, "undated") == T0 + 20 * S


def test_one_peak_is_no_match() -> None:
    """A counter that moved once lies on any other peak; nothing places the file."""
    quiet = [5.0] * 50
    once = [0.0] * 20 + [3.0] * 20
    found = evidence(
        {
            "log": [gauge("slow.Query_time", [*quiet, 900.0, *quiet], kind="rate")],
            "ext": [gauge("mysql.Query_time", once, start=0, clock="relative", kind="counter")],
        }
    )
    assert found.clocks[sha("ext")].quality == "unknown"


@pytest.mark.parametrize(("points", "quality"), [(150, "derived"), (30, "unknown")])
def test_many_points_need_to_move_less_alike_than_few(points: int, quality: str) -> None:
    """Two collectors saw the same seconds, each with noise of its own."""
    noise = random.Random(7)
    load = [noise.gauss(50, 10) for _ in range(points + 100)]
    seen = [value + noise.gauss(0, 8) for value in load[40 : 40 + points]]
    found = evidence(
        {
            "dated": [gauge("vmstat.us", load)],
            "undated": [gauge("vmstat.us", seen, start=0, clock="relative")],
        }
    )
    assert found.clocks[sha("undated")].quality == quality
    if quality != "unknown":
        assert first_time(found, "undated") == T0 + 40 * S


@pytest.mark.parametrize("folder", ["", "stalk/"])
@pytest.mark.parametrize("started", [40, 4_000_000])
def test_uptime_places_a_file_without_times(started: int, folder: str) -> None:
    """The start of the server is known from another file, so each sample of this one is, too."""
    found = evidence(
        {
            f"{folder}status": [gauge("mysql.Uptime", [started + 60.0, started + 61.0])],
            "ext": [
                gauge(
                    "mysql.Uptime",
                    [float(started + i) for i in range(30)],
                    start=0,
                    clock="relative",
                ),
                gauge("mysql.Threads_running", [1.0] * 30, start=0, clock="relative"),
                setting("hostname", "db-1"),
            ],
            f"{folder}variables": [setting("hostname", "db-1")],
        }
    )
    assert first_time(found, "ext") == T0 - 60 * S
    assert "placed by its Uptime" in found.clocks[sha("ext")].how


def test_uptime_of_another_start_places_nothing() -> None:
    """Two files disagree on the start, or the file would lie days beside all others."""
    ext = [gauge("mysql.Uptime", [float(i) for i in range(30)], start=0, clock="relative")]
    day = 86_400.0
    for status in (
        {"a": [gauge("mysql.Uptime", [60.0])], "b": [gauge("mysql.Uptime", [80.0])]},
        {"a": [gauge("mysql.Uptime", [day, day + 1])]},
    ):
        found = evidence({"ext": ext, **status})
        assert found.clocks[sha("ext")].quality == "unknown"


def test_what_cannot_be_placed_has_no_time() -> None:
    found = evidence({"vmstat": [gauge("vmstat.us", [5.0] * 30, start=0, clock="relative")]})
    assert found.frames["sample"]["time"].null_count() == 30
    assert found.clocks[sha("vmstat")].quality == "unknown"


def test_counts_of_load_alone_begin_at_zero() -> None:
    """With nothing that has a time, the seconds since the first sample still show a stall."""
    ext = [gauge("mysql.Threads_running", [2.0] * 30, start=0, clock="relative")]
    found = evidence({"ext": ext})
    assert found.frames["sample"]["time"].to_list() == [n * S for n in range(30)]
    assert "count from its first sample" in found.clocks[sha("ext")].how
    beside = evidence({"ext": ext, "qps": [gauge("metric.qps", [5.0] * 9)]})
    assert (
        beside.frames["sample"]
        .filter(pl.col("series") == "mysql.Threads_running")["time"]
        .null_count()
    )


def test_uptime_shows_samples_that_came_late() -> None:
    """mysqladmin -i1 of a server that did not answer for 8 s: the later samples move back."""
    uptime = [float(100 + i + (8 if i >= 10 else 0)) for i in range(20)]
    name = "2026_11_20_22_00_00-mysqladmin"
    found = evidence(
        {
            name: [
                gauge("mysql.Uptime", uptime, start=0, clock="relative"),
                gauge("mysql.Threads_running", [1.0] * 20, start=0, clock="relative"),
            ]
        }
    )
    rows = found.frames["sample"]
    times = rows.filter(rows["series"] == "mysql.Threads_running")["time"].to_list()
    assert times[10] - times[9] == 9 * S


def test_the_same_file_counts_once() -> None:
    from pileup.analysis import gather
    from tests.analysis.frames import artifact, frames

    first = (artifact("a"), frames(gauge("metric.x", [1.0])))
    assert gather([first, first]).frames["sample"].height == 1


def test_uptime_checks_the_placements() -> None:
    """Three files of one server agree on its start; a fourth, five minutes off, does not."""
    files = {
        f"{name}.txt": [
            gauge("mysql.Uptime", [100.0 + i + at for i in range(5)], start=T0 + at * S)
        ]
        for at, name in enumerate("abc")
    }
    files["d.txt"] = [gauge("mysql.Uptime", [100.0, 101.0], start=T0 + 300 * S)]
    alone = evidence(files)
    # a capture of the next day, after a restart, is none of theirs, and nor is another folder's
    files["e.txt"] = [gauge("mysql.Uptime", [50.0, 51.0], start=T0 + 86_400 * S)]
    files["other/f.txt"] = [gauge("mysql.Uptime", [50.0, 51.0], start=T0)]
    found = evidence(files)
    assert {name: found.clocks[name] for name in alone.clocks} == alone.clocks
    assert "Uptime" not in found.clocks[sha("e.txt")].how + found.clocks[sha("other/f.txt")].how
    assert "Uptime agrees with 3 other files" in found.clocks[sha("a.txt")].how
    assert "this clock is off" in found.clocks[sha("d.txt")].how


def test_a_time_of_day_gets_the_day_of_the_others() -> None:
    """strace -tt at 23:59:59 and half a minute later; the dump says which evening it was."""
    evening = T0 + 2 * 3600 * S - 10 * S
    since_midnight = evening % (86_400 * S)
    files = {
        "status.txt": [gauge("innodb.trx", [1.0] * 5, start=evening, clock="local")],
        "strace.txt": [
            gauge("strace.calls", [1.0] * 40, start=since_midnight, clock="dayless"),
        ],
    }
    found = evidence(files)
    times = found.frame("sample").filter(pl.col("series") == "strace.calls")["wall_us"]
    assert (times[0], times[-1]) == (evening, evening + 39 * S)


def night(*printed: str) -> list[Event]:
    """Lines of a log of the night in November in which the clocks of New York go back."""
    return [
        Event(
            line_first=line, line_last=line, kind="log", message="x", clock="local",
            wall_us=int(datetime.fromisoformat(f"2026-11-01 {at}+00:00").timestamp()) * S,
        )
        for line, at in enumerate(printed, start=1)
    ]  # fmt: skip


@pytest.mark.parametrize("zone", ["EDT", "America/New_York"])
def test_the_hour_that_is_printed_twice(zone: str) -> None:
    """system_time_zone stays EDT after the change; an IANA zone leaves the hour ambiguous."""
    lines = night("01:58:00", "01:59:30", "01:00:10", "01:30:00", "02:10:00")
    found = evidence({"log": [*lines, setting("system_time_zone", zone)]})
    frame = found.frame("event")
    assert frame is not None
    start = int(datetime(2026, 11, 1, 5, 58, tzinfo=UTC).timestamp())
    assert [(item - start * S) // S for item in frame["time"]] == [0, 90, 130, 1920, 4320]
    (said,) = found.clocks[sha("log")].jumps
    assert "went back by an hour" in said


@pytest.mark.parametrize(
    ("printed", "zone"),
    [
        (("01:58:00", "01:59:30", "01:00:10"), "UTC"),  # no summer time there
        (("01:28:00", "01:30:00", "00:30:10"), "EDT"),  # set back by a person, not on the hour
        (("01:59:00", "01:00:00", "01:59:30", "01:00:10"), "EDT"),  # two logs put together
    ],
)
def test_a_clock_that_was_set_back_is_no_such_hour(printed: tuple[str, ...], zone: str) -> None:
    found = evidence({"log": [*night(*printed), setting("system_time_zone", zone)]})
    said = found.clocks[sha("log")].jumps
    assert said
    assert not any("went back by an hour" in sentence for sentence in said)


def test_a_given_time_places_what_prints_none() -> None:
    """Every record of the file takes the moment, and the clock says who placed it and how well."""
    files = {
        "trace.txt": [moment()],
        "my.cnf": [setting("innodb_io_capacity", "200")],
        "utc.csv": [gauge("metric.x", [1.0] * 60)],
    }
    given = ClockOverride(at_us=T0 + 30 * S, within_s=60, host="db-7")
    found = evidence(files, overrides={sha("trace.txt"): given, sha("my.cnf"): given})
    snapshots = found.frames["snapshot"]
    assert snapshots["time"].to_list() == [T0 + 30 * S]
    assert snapshots["host"].to_list() == ["db-7"]
    assert found.frames["setting"]["time"].to_list() == [T0 + 30 * S]
    clock = found.clocks[sha("trace.txt")]
    assert (clock.quality, clock.dispersion_s) == ("given", 60)
    assert "a person placed it at 2026-11-20 22:00:30 UTC ± 60 s" in clock.how


def test_a_given_time_does_not_move_a_file_that_prints_its_own() -> None:
    given = ClockOverride(at_us=T0 + 3600 * S)
    files = {"utc.csv": [gauge("metric.x", [1.0] * 60)]}
    found = evidence(files, overrides={sha("utc.csv"): given})
    assert first_time(found, "utc.csv") == T0
    clock = found.clocks[sha("utc.csv")]
    assert clock.quality == "exact"
    assert "the time that a person gave is not used" in clock.how
