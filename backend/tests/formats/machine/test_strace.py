"""strace: calls, futexes, files and slow calls, exact from known text."""

from __future__ import annotations

import re

import pytest

from pileup.formats.machine import strace
from pileup.records import Event, Item, Problem, Samples, Table
from tests.formats.checks import SAMPLES, parse_bytes, samples


@pytest.mark.parametrize("path", samples("strace"), ids=lambda path: path.stem)
def test_sample(path, check_sample):
    check_sample(path, shared=("lsof",) if path.stem.startswith("lsof") else ())


def read(name: str) -> list[Item]:
    return list(strace.parse((SAMPLES / "strace" / name).read_text().split("\n")))


def tables(items: list[Item]) -> dict[str, Table]:
    return {item.name: item for item in items if isinstance(item, Table)}


def test_a_call_in_two_lines_is_one_call() -> None:
    items = read("lsof-in-front-epoch-and-damage.txt")
    calls = {row[0]: row for row in tables(items)["system calls"].rows}
    assert calls["fsync"] == ("fsync", "1", "0", "1.400000", "1.400000", "1")
    assert calls["read"][2] == "1"  # EAGAIN
    assert calls["exit"][3] is None  # it never returns, so it has no duration
    assert [i.line for i in items if isinstance(i, Problem)] == [16, 17]
    assert calls["poll"] == ("poll", "1", "0", "9.000000", "9.000000", "1")  # begun earlier


def test_files_are_named_by_lsof_and_by_y() -> None:
    files = {
        row[0]: row for row in tables(read("lsof-in-front-epoch-and-damage.txt"))["files"].rows
    }
    assert files["/data/ib_logfile0"][3] == "1.400000"
    assert files["/data/ibdata1"][2] == "16384"
    assert files["/data/app/c.ibd"][1] == "1"


def test_futexes_say_how_many_wait_for_one_lock() -> None:
    found = tables(read("lsof-in-front-epoch-and-damage.txt"))
    assert found["futexes"].rows == (("0x134bcc8", "1", "1", "1.400000", "1.400000", "0"),)
    assert found["waiting at the end"].rows == (("futex", "0x134bcc8", "1", "2.999700"),)


def test_slow_calls_are_events_and_waits_for_a_futex_are_not() -> None:
    (slow,) = [i for i in read("lsof-in-front-epoch-and-damage.txt") if isinstance(i, Event)]
    assert slow.message == "fsync(11</data/ib_logfile0>) took 1.400 s in thread 21248"
    assert (slow.severity, slow.clock, slow.wall_us) == ("warning", "utc", 1795213198_000100)


def test_seconds_stand_at_the_second_in_which_a_call_ended() -> None:
    found = {
        (i.series, i.labels[0][1]): i
        for i in read("lsof-in-front-epoch-and-damage.txt")
        if isinstance(i, Samples)
    }
    assert list(found["strace.seconds", "fsync"].values) == [0.0, 1.4, 0.0, 0.0]
    assert list(found["strace.calls", "pwrite64"].values) == [1.0, 0.0, 0.0, 0.0]


def test_without_T_only_interrupted_calls_have_a_duration() -> None:
    items = read("relative-and-no-times.txt")
    assert all(row[3] is None for row in tables(items)["system calls"].rows)
    calls = [i for i in items if isinstance(i, Samples) and i.series == "strace.calls"]
    assert {i.clock for i in calls} == {"relative"}


def test_a_plain_count_agrees() -> None:
    name = "5.6-f-T-tt-collapse.txt"
    text = (SAMPLES / "strace" / name).read_text()
    whole = re.findall(r"^\d+ +[\d:.]+ \w+\((?!.*<unfinished \.\.\.>$)", text, re.MULTILINE)
    ended = text.count(" resumed>")
    rows = tables(read(name))["system calls"].rows
    assert sum(int(row[1] or 0) for row in rows) == len(whole) + ended


def test_the_summary_of_c() -> None:
    rows = tables(read("5.6-c-collapse.txt"))["system calls"].rows
    assert rows[0] == ("futex", "2357", "288", "7.379150", "3130", "56.22")
    assert rows[1][2] == "0"
    comma = tables(read("summary-decimal-comma-of-a-locale.txt"))["system calls"].rows
    assert comma[0] == ("futex", "2530", "812", "3.123456", "1234", "97.30")
    assert len(comma) == 2  # a third one is damaged


def test_a_damaged_time_does_not_fill_a_day_with_zeros() -> None:
    calls = [f"1 00:00:{at % 60:02}.000000 call{at}() = 0 <0.000001>" for at in range(60)]
    text = "\n".join([*calls, "1 23:59:59.000000 call0() = 0 <0.000001>", ""])
    found = parse_bytes(text.encode(), format_name="strace").receipt.records
    assert found["sample"] < 1000
