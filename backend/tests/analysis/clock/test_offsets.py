"""Clocks that are off, found by counters and messages that two sources saw; years; jumps."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest

from pileup.analysis import ClockOverride
from pileup.records import Event
from tests.analysis.frames import T0, S, evidence, gauge, setting, sha


def grown(step: float, count: int = 60) -> list[float | None]:
    """A counter that never grows evenly."""
    return [1000 + n * 100 + 40 * math.sin(n * step) for n in range(count)]


def questions(start: int, **more):  # type: ignore[no-untyped-def]
    return gauge("mysql.Questions", grown(0.7), start=start, kind="counter", **more)


def csv(start: int, **more):  # type: ignore[no-untyped-def]
    return gauge("metric.questions", grown(0.7), start=start, kind="counter", **more)


def log(message: str, at: int, line: int = 1, clock: str = "utc") -> Event:
    return Event(
        line_first=line, line_last=line, kind="log", message=message, wall_us=at, clock=clock
    )  # type: ignore[arg-type]


def test_a_counter_that_both_saw_tells_the_offset() -> None:
    """A monitoring export whose clock runs 41 s ahead: said, with its anchors, and not applied."""
    found = evidence({"status": [questions(T0)], "zabbix.csv": [csv(T0 + 41 * S)]})
    clock = found.clocks[sha("zabbix.csv")]
    assert clock.suggested_offset_s == pytest.approx(-41.0, abs=0.5)
    assert "41.0 s ahead of that of status: questions" in clock.suggested_how
    assert clock.moves == 60
    assert clock.outside == 0
    assert clock.offset_s == 0.0
    assert found.clocks[sha("status")].suggested_offset_s is None


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("seconds", "is_explained"),
    [(41, True), (3000, True), (7200, True), (20_700, True), (93_600 + 3600, False),
     (4 * 3600 + 450, False), (832_879, False)],
)  # fmt: skip
def test_what_neither_a_zone_nor_drift_explains_is_no_offset(
    seconds: int, is_explained: bool, sign: int
) -> None:
    """An hour of drift, a zone in quarters of an hour; both ways alike.

    A file that meets the other keeps its times, and one that meets none is moved.
    """
    off = sign * seconds
    found = evidence({"status": [questions(T0)], "zabbix.csv": [csv(T0 + off * S)]})
    clock = found.clocks[sha("zabbix.csv")]
    wanted = pytest.approx(-off, abs=0.5) if is_explained else None
    if seconds < 60:
        assert (clock.suggested_offset_s, clock.offset_s) == (wanted, 0.0)
    else:
        assert clock.suggested_offset_s is None
        assert (clock.offset_s or None) == wanted


def sessions(start: int, step: int = 1, peak: float = 160.0) -> list[float]:
    """Count running sessions of a pileup of 40 s after 50 s; seconds since T0."""
    return [
        peak + n % 3 if 50 <= start + n * step < 90 else 2.0 + n % 2 for n in range(140 // step)
    ]


@pytest.mark.parametrize(
    ("off", "peak", "is_moved"),
    [(10_800, 160, True), (-1900, 160, True), (10_800, 60, False), (11_250, 160, False)],
)  # fmt: skip
def test_a_list_far_from_all_others_is_placed_by_its_sessions(
    off: int, peak: float, is_moved: bool
) -> None:
    """A processlist has no counters; a pileup of another size is another pileup."""
    listed = gauge("processlist.running", sessions(0, 2), start=T0 + off * S, step=2 * S)
    metrics = [gauge("metric.threads_running", sessions(0, peak=peak)), questions(T0)]
    found = evidence({"m.csv": metrics, "status": [questions(T0)], "processlist.txt": [listed]})
    moved = found.clocks[sha("processlist.txt")].offset_s
    assert moved == (pytest.approx(-off, abs=2) if is_moved else 0.0)


def test_an_accepted_offset_is_suggested_no_more() -> None:
    files = {"status": [questions(T0)], "zabbix.csv": [csv(T0 + 41 * S)]}
    found = evidence(files, overrides={sha("zabbix.csv"): ClockOverride(offset_s=-41.0)})
    assert found.clocks[sha("zabbix.csv")].suggested_offset_s is None
    times = found.frames["sample"].filter(found.frames["sample"]["artifact"] == sha("zabbix.csv"))
    assert times["time"][0] == T0


def test_clocks_that_agree_say_nothing() -> None:
    found = evidence({"status": [questions(T0)], "zabbix.csv": [csv(T0)]})
    assert found.clocks[sha("zabbix.csv")].suggested_offset_s is None


def test_hosts_are_held_against_themselves_only() -> None:
    """Two servers may count alike."""
    found = evidence(
        {"a": [questions(T0, host="db-1")], "b": [questions(T0 + 60 * S, host="db-2")]}
    )
    assert all(clock.suggested_offset_s is None for clock in found.clocks.values())


def test_messages_that_two_logs_hold() -> None:
    """Each message once in each log; a message that repeats is no anchor."""
    texts = [f"InnoDB: something happened to page {n}" for n in range(8)]
    own = [log(text, T0 + n * 7 * S, n + 1) for n, text in enumerate(texts)]
    copy = [log(text, T0 + (n * 7 + 30) * S, n + 1) for n, text in enumerate(texts)]
    noise = [log("Aborted connection, got timeout", T0 + n * S, 20 + n) for n in range(5)]
    found = evidence({"error.log": [*own, *noise], "syslog": [*copy, *noise]})
    suggested = [clock for clock in found.clocks.values() if clock.suggested_offset_s is not None]
    assert len(suggested) == 1
    assert abs(suggested[0].suggested_offset_s or 0) == pytest.approx(30.0)
    assert "the same log messages" in suggested[0].suggested_how


def test_a_zone_that_nothing_tells_is_told_by_counters() -> None:
    """Local times that meet no absolute file by their range: the counters place them."""
    local = T0 + 2 * 3600 * S
    found = evidence(
        {
            "status": [questions(T0), gauge("mysql.Uptime", [5.0], start=T0 + 7200 * S)],
            "zabbix.csv": [csv(local, clock="local")],
        }
    )
    clock = found.clocks[sha("zabbix.csv")]
    assert clock.zone == "+02:00"
    assert clock.quality == "derived"


def test_a_file_without_a_clock_is_placed_by_its_counters() -> None:
    """The stamp in the name is seconds off; the counter is not."""
    untimed = gauge("mysql.Questions", grown(0.7), start=0, clock="relative", kind="counter")
    found = evidence(
        {
            "metrics": [questions(T0 + 5 * S)],
            "2026_11_20_22_00_00-mysqladmin": [untimed],
        }
    )
    name = "2026_11_20_22_00_00-mysqladmin"
    rows = found.frames["sample"].filter(found.frames["sample"]["artifact"] == sha(name))
    assert rows["time"][0] == pytest.approx(T0 + 5 * S, abs=S // 2)


def us(*date: int) -> int:
    return int(datetime(*date, tzinfo=UTC).timestamp()) * S  # type: ignore[misc,arg-type]


def test_a_log_without_a_year_takes_the_nearest() -> None:
    """Through New Year: December of the one, January of the next."""
    lines = [
        log("kernel: one", us(1972, 12, 31, 23, 59, 50), 1, "yearless"),
        log("kernel: two", us(1972, 1, 1, 0, 0, 10), 2, "yearless"),
    ]
    found = evidence({"syslog": lines, "m": [gauge("m.x", [1.0] * 9, start=us(2027, 1, 1, 0, 5))]})
    assert found.frames["event"]["time"].to_list() == [
        us(2026, 12, 31, 23, 59, 50),
        us(2027, 1, 1, 0, 0, 10),
    ]
    assert "no year: 2026 is nearest" in found.clocks[sha("syslog")].how


def test_a_year_comes_from_the_own_capture_and_host() -> None:
    """Another capture, of any year, changes nothing."""
    lines = [log("kernel: one", us(1972, 11, 20), 1, "yearless")]
    own = {"a/syslog": lines, "a/m": [gauge("m.x", [1.0], start=us(2024, 11, 21), host="db-1")]}
    others = {
        "b/m": [gauge("m.x", [1.0] * 9, start=us(2026, 11, 20))],
        "b/2021_11_20_00_00_00-mysqladmin": [gauge("m.y", [1.0], clock="relative", start=0)],
        "c/syslog": lines,
    }
    found = evidence(own | others)
    by_file = dict(found.frames["event"].select("artifact", "time").iter_rows())
    assert by_file == {sha("a/syslog"): us(2024, 11, 20), sha("c/syslog"): None}
    beside = {"a/other": [gauge("m.x", [1.0], start=us(2019, 11, 20), host="db-2")]}
    named = {"a/log": [gauge("m.z", [1.0], start=us(2024, 11, 20), host="db-1"), *lines]}
    found = evidence(own | beside | named)
    by_file = dict(found.frames["event"].select("artifact", "time").iter_rows())
    assert by_file[sha("a/log")] == us(2024, 11, 20)


def test_a_leap_day_without_a_year() -> None:
    lines = [log("kernel: leap", us(1972, 2, 29, 12), 1, "yearless")]
    found = evidence({"syslog": lines, "m": [gauge("m.x", [1.0], start=us(2028, 3, 1))]})
    assert found.frames["event"]["time"].to_list() == [us(2028, 2, 29, 12)]


def test_without_any_other_time_there_is_no_year() -> None:
    found = evidence({"syslog": [log("kernel: one", us(1972, 5, 1), 1, "yearless")]})
    assert found.frames["event"]["time"].to_list() == [None]
    assert "no other artifact tells one" in found.clocks[sha("syslog")].how


def test_a_clock_that_was_set_while_it_ran() -> None:
    """Uptime goes on by one, the time by forty."""
    uptime = [100.0 + n for n in range(20)]
    early = gauge("mysql.Uptime", uptime[:10])
    late = gauge("mysql.Uptime", uptime[10:], start=T0 + 50 * S)
    found = evidence({"status": [early, late]})
    (jump,) = found.clocks[sha("status")].jumps
    assert "its clock was set 40 s ahead" in jump


def test_a_restart_is_no_jump() -> None:
    found = evidence({"status": [gauge("mysql.Uptime", [900.0, 901.0, 1.0, 2.0])]})
    assert found.clocks[sha("status")].jumps == []


def test_a_log_that_goes_back_says_so() -> None:
    lines = [log("first line of the log", T0 + 60 * S, 1), log("second line", T0, 2)]
    found = evidence({"error.log": [*lines, setting("hostname", "db-1")]})
    (jump,) = found.clocks[sha("error.log")].jumps
    assert jump.startswith("Line 2 is stamped 60 s before")


def test_an_uptime_of_64_bits_rules_no_time() -> None:
    uptime = [100.0, 101.0, 18446744073709551615.0, 18446744073709551616.0]
    rows = gauge("mysql.Uptime", uptime, start=0, clock="relative")
    found = evidence({"ext.txt": [rows], "status": [gauge("mysql.Questions", [5.0, 6.0])]})
    assert found.frames["sample"].height == 6


@pytest.mark.parametrize(
    ("clock", "printed", "time"),
    [
        ("yearless", us(1972, 11, 20, 10, 11, 12), us(2024, 11, 20, 10, 11, 12)),
        ("yearless", us(1972, 1, 1, 0, 0, 5), us(2025, 1, 1, 0, 0, 5)),
        ("dayless", 10 * 3600 * S, us(2024, 11, 20, 10)),
    ],
)
def test_a_moment_that_a_person_gave_says_which_year_or_day(
    clock: str, printed: int, time: int
) -> None:
    """The rest of the time is printed: events of one file do not fall together."""
    lines = [log("kernel: one", printed, 1, clock), log("kernel: two", printed + 7 * S, 2, clock)]
    override = ClockOverride(at_us=us(2024, 11, 20, 18, 42))
    found = evidence({"a": lines}, overrides={sha("a"): override})
    assert found.frames["event"]["time"].to_list() == [time, time + 7 * S]
    assert "the moment that a person gave" in found.clocks[sha("a")].how
    assert "No time in the file" not in found.clocks[sha("a")].how
