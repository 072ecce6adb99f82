"""dmesg, syslog, journalctl: times, programs and faults from known text."""

from __future__ import annotations

import polars as pl
import pytest

from pileup.analysis import EvidenceArtifact
from pileup.analysis.clock.years import with_years
from pileup.formats.logs import dated_lines, kernel_log, syslog
from pileup.formats.logs.parts.kernel_faults import fault
from pileup.records import Event, Skipped, records_frame
from tests.formats.checks import SAMPLES, parse_bytes, samples

EVERY = [(name, path) for name in ("kernel-log", "syslog", "dated-lines") for path in samples(name)]


@pytest.mark.parametrize(("name", "path"), EVERY, ids=lambda item: getattr(item, "stem", item))
def test_sample(name, path, check_sample):
    # the server's own line inside is of an error log as well
    shared = ("error-log",) if path.stem in ("rfc5424-iso-journal", "journalctl-o-json") else ()
    check_sample(path, shared=shared)


def events(module, folder: str, name: str) -> list[Event]:
    text = (SAMPLES / folder / name).read_text()
    return [item for item in module.parse(text.split("\n")) if isinstance(item, Event)]


def test_seconds_since_the_start_are_placed_where_the_kernel_said_the_clock() -> None:
    found = events(kernel_log, "kernel-log", "seconds-with-clock.txt")
    assert [(e.kind, e.severity) for e in found if e.kind != "log"] == [
        ("io_error", "error"),
        ("io_error", "error"),
        ("hung_task", "error"),
        ("oom_kill", "error"),
        ("oom_kill", "error"),
        ("lockup", "error"),
    ]
    killed = found[10]
    assert killed.message.startswith("Out of memory: Killed process 2159 (mysqld)")
    assert (killed.clock, killed.wall_us) == ("utc", 1795197600_000000 + 15_709_165_820)
    assert found[0].wall_us == 1795197600_000000 - 1_834_211  # what came before, too


def test_seconds_without_a_clock_have_no_time() -> None:
    text = "[   12.000001] a\n[   13.000001] Buffer I/O error on dev sda\n"
    _, second = kernel_log.parse(text.split("\n"))
    assert isinstance(second, Event)
    assert (second.wall_us, second.original, second.kind) == (None, "[   13.000001]", "io_error")


def test_dated_lines_and_levels() -> None:
    found = events(kernel_log, "kernel-log", "dated-levels-and-raw.txt")
    assert [e.kind for e in found] == [
        "log",
        "filesystem_error",
        "filesystem_error",
        "log",
        "network_error",
        "log",
        "throttled",
        "log",
    ]
    assert (found[1].clock, found[1].wall_us) == ("local", 1795213198_000000)
    assert found[3].subsystem == "daemon"
    assert found[5].wall_us is None
    assert found[7].severity == "note"


@pytest.mark.parametrize("margin", ["", "  ", " " * 8, "\t", "# "])
def test_dated_lines_are_read_behind_the_margin_of_a_note(margin: str) -> None:
    lines = [f"{margin}2026-11-20 21:15:0{second} ERROR lost the source" for second in range(3)]
    assert dated_lines.sniff("\n".join(lines))
    found = [item for item in dated_lines.parse(lines) if isinstance(item, Event)]
    assert [event.severity for event in found] == ["error"] * 3


def test_a_year_told_by_a_message_holds_for_the_lines_after_it() -> None:
    found = events(syslog, "syslog", "rfc3164-over-new-year.txt")
    assert [e.kind for e in found] == ["io_error", "log", "log", "log", "log", "crash", "restart"]
    assert [e.clock for e in found[:4]] == ["yearless", "yearless", "yearless", "local"]
    assert found[3].wall_us == 1798761602_000000
    assert found[0].message.startswith("blk_update_request")
    assert (found[1].subsystem, found[1].host) == ("CRON", "db1")
    assert found[3].severity == "error"
    text = (SAMPLES / "syslog" / "rfc3164-over-new-year.txt").read_text()
    assert [i.line_first for i in syslog.parse(text.split("\n")) if isinstance(i, Skipped)] == [9]


def test_the_clock_stage_finds_the_year() -> None:
    """Nearest to what the files beside it say: December before that January."""
    logged = events(syslog, "syslog", "rfc3164-over-new-year.txt")
    january = 1798761602_000000
    known = Event(
        line_first=1, line_last=1, wall_us=january, clock="local", kind="log", message="x"
    )
    frames = {"event": pl.concat([_frame("a" * 64, logged[:3]), _frame("b" * 64, [known])])}
    files = [EvidenceArtifact(name * 64, f"{name}.log", 1, None) for name in "ab"]
    filled, _ = with_years(files, frames, {})
    assert filled["event"]["clock"].to_list() == ["local"] * 4
    assert filled["event"]["wall_us"][0] == 1798761590_000000


def _frame(sha: str, some: list[Event]) -> pl.DataFrame:
    return records_frame("event", some).with_columns(pl.lit(sha).alias("artifact"))


def test_priorities_and_programs() -> None:
    found = events(syslog, "syslog", "rfc3164-without-any-year.txt")
    assert [(e.kind, e.severity, e.subsystem, e.host) for e in found] == [
        ("network_error", "warning", "kernel", "db1"),
        ("log", "note", "node_exporter", "db1"),
        ("log", "error", "haproxy", "db2.example.com"),
    ]


def test_absolute_times_of_rfc_5424_and_journalctl() -> None:
    found = events(syslog, "syslog", "rfc5424-iso-journal.txt")
    at = 1795213198_000000
    assert [(e.clock, e.wall_us - at) for e in found] == [
        ("utc", 0),  # of the server's line, not of the syslog's
        ("utc", 1_003_000 - 3_600_000_000),
        ("utc", 123_456),
        ("utc", 60_000_000),
        ("utc", 120_000_000),
        ("local", 122_000_000),
    ]
    assert [e.kind for e in found] == [
        *("semaphore_warning", "log", "oom_kill", "crash", "restart", "log")
    ]
    assert found[0].severity == "warning"  # of the server's line, not of its priority: local4.err


@pytest.mark.parametrize(
    "line",
    [
        "EXT4-fs (dm-0): mounted filesystem with ordered data mode",
        "ACPI Error: [_OSC] Namespace lookup failure",
        "perf: interrupt took too long (2506 > 2500), lowering",
        "x" * 1_000_000 + " I/O error",
    ],
)
def test_ordinary_lines_are_no_faults(line: str) -> None:
    assert fault(line) is None


def test_processlists_inside_a_log_are_sessions_at_the_log_s_time() -> None:
    """With tabs, in a box and vertical; what others say between stays an event."""
    path = SAMPLES / "syslog" / "rfc3164-processlists-of-a-watchdog.txt"
    parsed = parse_bytes(path.read_bytes(), "upload")
    sessions = parsed.frames["session"]
    assert sessions["snapshot"].to_list() == [0, 0, 1, 1, 2, 2]
    assert sessions["query"].to_list()[0] == "UPDATE t SET a=1\nWHERE id=3"
    assert sessions["query"].to_list()[4] == "INSERT INTO t\nVALUES (1)"
    assert sessions["line_first"].to_list() == [3, 5, 10, 11, 14, 24]
    second = 1_000_000
    at = sessions["wall_us"]
    assert [(item - at[0]) // second for item in at] == [0, 0, 5, 5, 10, 10]
    assert set(sessions["host"]) == {"db1"}
    messages = parsed.frames["event"]["message"].to_list()
    assert [message for message in messages if not message.startswith("+-")] == [
        "Started Watch the database.",
        "(root) CMD (true)",
        "load 12",
        "done",
        "done",
    ]
    zeros = parsed.frames["sample"].filter(pl.col("labels") == "state=init")
    assert zeros["value"].to_list() == [1.0, 0.0]


@pytest.mark.parametrize("layout", ["tab", "#011", "box", "vertical"])
def test_known_tables_inside_a_log_are_read_at_the_log_s_time(layout: str) -> None:
    """Locks and counters as a processlist is; a table without a known meaning stays messages."""
    head = "Nov 20 22:20:15 db1 w[3]: "
    locks = {"requesting_trx_id": "41", "requested_lock_id": "41:7:8:9", "blocking_trx_id": "40",
             "blocking_lock_id": "40:7:8:9"}  # fmt: skip
    counters = {"Variable_name": "Threads_running", "Value": "31"}
    other = {"flavour": "mint", "price": "3"}
    lines = [f"Nov 20 22:20:15 db1 CRON[{at}]: (root) CMD (run-parts)" for at in range(30)]
    for table in (locks, counters, other):
        lines += [head + line for line in (*_table(table, layout), "done")]
    parsed = parse_bytes(("\n".join(lines) + "\n").encode(), "syslog")
    waits = parsed.frames["lock_wait"]
    assert waits["blocking_trx"].to_list() == ["40"]
    times = {*waits["wall_us"], *parsed.frames["event"]["wall_us"]}
    if layout != "vertical":
        values = parsed.frames["sample"].filter(pl.col("series") == "mysql.Threads_running")
        assert values["value"].to_list() == [31.0]
        times |= {*values["wall_us"]}
    assert len(times) == 1
    assert any("mint" in message for message in parsed.frames["event"]["message"])


def _table(row: dict[str, str], layout: str) -> list[str]:
    if layout == "vertical":
        stars = "*" * 27
        return [f"{stars} 1. row {stars}", *(f"{key:>20}: {row[key]}" for key in row)]
    if layout == "box":
        wide = (
            [f" {key:<{len(row[key])}} |" for key in row],
            [f" {row[key]:<{len(key)}} |" for key in row],
        )
        rule = "+" + "".join("-" * (len(cell) - 1) + "+" for cell in wide[0])
        return [rule, "|" + "".join(wide[0]), rule, "|" + "".join(wide[1]), rule]
    return [("\t" if layout == "tab" else layout).join(cells) for cells in (row, row.values())]


def test_a_header_without_sessions_stays_in_the_log() -> None:
    lines = [
        "Nov 20 22:20:15 db1 w[3]: Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo",
        "Nov 20 22:20:16 db1 w[3]: the server did not answer",
        "Nov 20 22:20:17 db1 w[3]: *************************** 1. row ***************************",
        "Nov 20 22:20:17 db1 w[3]: Name: t1",
    ]
    found = [item for item in syslog.parse(lines) if isinstance(item, Event)]
    assert [item.line_first for item in found] == [1, 2, 3, 4]
