"""Small decisions of the formats that no sample shows, with a value on each side."""

from __future__ import annotations

import pytest

from pileup.formats.config import sysctl
from pileup.formats.machine.parts import strace_calls
from pileup.formats.reading.text import _prefix_pattern
from pileup.formats.tables.layouts.reader import _looks_like_header
from pileup.formats.unwrapping.pasted_text import _in_front
from tests.formats.checks import parse_bytes


@pytest.mark.parametrize(
    ("prefixed", "others", "is_prefix"),
    [(4, 0, False), (5, 0, True), (9, 1, True), (8, 1, False), (45, 5, True), (44, 5, False)],
)
def test_a_container_name_is_before_nearly_every_line(
    prefixed: int, others: int, is_prefix: bool
) -> None:
    text = "db_1 | line\n" * prefixed + "\n" + "other\n" * others
    assert (_prefix_pattern(text) is not None) is is_prefix


@pytest.mark.parametrize(
    ("line", "is_header"),
    [
        ("Id\tUser", True),
        ("Id", False),
        (f"Id\t{'n' * 128}", True),
        (f"Id\t{'n' * 129}", False),
        ("Id\t", False),
        ("Id\tNULL", False),
        ("Id\t17", False),
        ("Id\tid", False),
        ("  Id\tUser", True),
        ("\tId\tUser", False),
        ("\t".join(f"n{n:06}" for n in range(2500)), True),
        ("\t".join(f"n{n:06}" for n in range(2501)), False),
    ],
)
def test_a_line_of_names_between_tabs(line: str, is_header: bool) -> None:
    assert len(line) <= 20_000 or not is_header
    assert _looks_like_header(line) is is_header


@pytest.mark.parametrize("partitions", [1, 2, 3])
def test_partitions_of_the_adaptive_hash_are_told_apart(partitions: int) -> None:
    """Only where there are several: one table needs no number."""
    tables = "".join(
        f"Hash table size 69257, node heap has {n + 2} buffer(s)\n" for n in range(partitions)
    )
    text = (
        "=====================================\n"
        "2026-11-20 22:20:00 0x7f INNODB MONITOR OUTPUT\n"
        "=====================================\n"
        "-------------------------------------\n"
        "INSERT BUFFER AND ADAPTIVE HASH INDEX\n"
        "-------------------------------------\n"
        f"Ibuf: size 1, free list len 0, seg size 2, 0 merges\n{tables}"
        "0.00 hash searches/s, 9.00 non-hash searches/s\n"
        "----------------------------\n"
        "END OF INNODB MONITOR OUTPUT\n"
        "============================\n"
    )
    frame = parse_bytes(text.encode(), format_name="innodb-status").frames["sample"]
    read = frame.filter(frame["series"].str.contains("heap_buffers"))
    assert dict(zip(read["labels"], read["value"], strict=True)) == (
        {"": 2.0} if partitions == 1 else {f"part={n}": n + 2.0 for n in range(partitions)}
    )


@pytest.mark.parametrize("mixed", ["  ", "\t", "    "])
def test_the_shortest_indent_is_taken_off(mixed: str) -> None:
    """What stands deeper keeps the rest of its indent."""
    lines = [f"{mixed}Thread 1 (LWP 7):", f"{mixed}#0 in a ()", f"{mixed}{mixed[:1]}at b.cc:1"]
    unwrap = _in_front(lines)
    assert unwrap is not None
    assert [unwrap(line) for line in lines] == [
        "Thread 1 (LWP 7):", "#0 in a ()", f"{mixed[:1]}at b.cc:1",
    ]  # fmt: skip


def test_messages_between_settings_of_the_kernel_are_no_settings() -> None:
    """Of sysctl itself, as it writes them for what it may not read."""
    settings = "vm.swappiness = 1\nvm.dirty_ratio = 20\n"
    messages = "sysctl: permission denied on key 'kernel.x'\n" * 9
    assert sysctl.sniff(messages + settings)
    assert not sysctl.sniff(messages.replace("sysctl: ", "") + settings)
    assert sysctl.sniff("vm.swappiness = 1\n" + messages) is False


def test_the_busiest_calls_have_series(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strace_calls, "_SERIES", 2)
    counts = {"read": 2, "futex": 5, "write": 3, "fsync": 1}
    lines = [
        f"7 12:00:0{n % 2} {name}(3) = 0 <0.000100>"
        for name, count in counts.items()
        for n in range(count)
    ]
    frame = parse_bytes("\n".join(lines).encode(), format_name="strace").frames["sample"]
    calls = frame.filter(frame["series"] == "strace.calls")
    assert list(dict.fromkeys(calls["labels"])) == ["call=futex", "call=write"]


_VMSTAT = """\
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 1  0      0 807804  40480 922852    0    0    31    41   98  201  1  0 98  0  0
"""
_OPEN = "Database\tTable\tIn_use\tName_locked\nshop\tt\t1\t0\nshop\tu\t0\t0\n"


@pytest.mark.parametrize(("name", "text"), [("vmstat", _VMSTAT), ("open-tables", _OPEN)])
def test_two_times_of_one_clock_are_one_event(name: str, text: str) -> None:
    stamps = [f"TS 17952120{n}0.001 2026-11-20 14:00:{n}0\n" for n in range(3)]
    parsed = parse_bytes("".join(stamp + text for stamp in stamps).encode(), "upload.bin")
    assert parsed.format == name
    events = parsed.frames["event"]
    assert events.select("kind", "original").rows() == [("clock", "2026-11-20 14:00:00")]


@pytest.mark.parametrize(
    ("head", "wall_us", "clock"),
    [("", 0, "relative"), ("TS 1795212000.001\n", 1_795_212_000_001_000, "utc")],
)
def test_counts_of_a_list_are_of_its_time(head: str, wall_us: int, clock: str) -> None:
    samples = parse_bytes(f"{head}{_OPEN}".encode(), "upload.bin").frames["sample"]
    assert samples["value"].to_list() == [2.0, 1.0, 1.0, 0.0]
    assert samples.select("wall_us", "clock").unique().rows() == [(wall_us, clock)]


def test_what_other_threads_write_into_a_dump_of_a_log_is_a_line_of_the_log() -> None:
    """Only where it has a severity: a dump has dated lines of its own."""
    dump = (
        "=====================================\n"
        "2026-11-20 22:20:00 0x7f INNODB MONITOR OUTPUT\n"
        "=====================================\n"
        "----------\n"
        "SEMAPHORES\n"
        "----------\n"
        "2026-11-20T22:20:01.000000Z 7 [Warning] Aborted connection 7 to db\n"
        "OS WAIT ARRAY INFO: reservation count 12\n"
        "2026-11-20 22:20:01 0x7f\n"
        "----------------------------\n"
        "END OF INNODB MONITOR OUTPUT\n"
        "============================\n"
    )
    before = "2026-11-20T22:19:59.000000Z 0 [Note] InnoDB: Using Linux native AIO\n"
    found = parse_bytes((before + dump).encode(), format_name="error-log")
    listed = found.frames["event"].sort("line_first").select("line_first", "severity", "message")
    assert listed.rows() == [
        (1, "note", "InnoDB: Using Linux native AIO"),
        (8, "warning", "Aborted connection 7 to db"),
    ]
    (snapshot,) = found.frames["snapshot"].to_dicts()
    assert snapshot["line_first"] == 3
