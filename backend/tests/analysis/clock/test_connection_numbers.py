"""Lists without times are placed by the numbers of their connections, or by their own Uptime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pileup.records import Event, Samples, Session, Snapshot
from tests.analysis.frames import T0, S, evidence, gauge


def _lists(numbers: Sequence[int]) -> list[Snapshot | Session]:
    items: list[Snapshot | Session] = []
    for at, number in enumerate(numbers):
        where = {"line_first": at + 1, "line_last": at + 1, "snapshot": at, "host": "db1"}
        when = {"wall_us": at * S, "clock": "relative"}
        items.append(Snapshot(kind="processlist", **where, **when))  # type: ignore[arg-type]
        items += [
            Session(session_id=each, command="Query", **where, **when)  # type: ignore[arg-type]
            for each in (7, number)
        ]
    return items


def _times(numbers: Sequence[int], counted: Sequence[float], step: int = S) -> list[int | None]:
    counter = gauge("mysql.Connections", list(counted), step=step, host="db1")
    found = evidence({"list.txt": _lists(numbers), "counters.txt": [counter]})
    assert found.frames["snapshot"]["time"].to_list() == (
        found.frames["session"].filter(found.frames["session"]["session_id"] != 7)["time"].to_list()
    )
    return found.frames["snapshot"]["time"].to_list()


def test_a_list_was_taken_when_its_newest_connection_was_numbered() -> None:
    """Also where rounds took longer than their nominal second: the server stalled."""
    assert _times([12, 13, 20], [10, 12, 13, 13, 18, 20, 21]) == [T0 + s * S for s in (1, 2, 5)]


def test_between_two_moments_far_apart_it_lies_by_its_number() -> None:
    assert _times([12, 13, 15], [10, 20, 30], step=10 * S) == [T0 + s * S for s in (2, 3, 5)]


@pytest.mark.parametrize(
    ("numbers", "counted", "why"),
    [
        ([12, 12, 12], [10, 11, 12, 13], "one connection lists again and again"),
        ([12, 11, 13], [10, 11, 12, 13], "the numbers fall: not in order"),
        ([52, 53, 54], [10, 11, 12, 13], "numbers of another time"),
        ([12, 13, 14], [10, 90, 1, 14], "the server was restarted"),
        ([12, 13], [10, 11, 12, 13], "too few lists"),
    ],
)
def test_nothing_is_invented(numbers: list[int], counted: list[float], why: str) -> None:
    assert set(_times(numbers, counted, step=5 * S)) == {None}, why


def _timed_lists(numbers: Sequence[int], every: int) -> list[Snapshot | Session]:
    return [
        replace(item, wall_us=T0 + (item.wall_us or 0) * every, clock="utc")
        for item in _lists(numbers)
    ]


@given(
    late=st.integers(0, 20),
    every=st.integers(1, 4),
    per_list=st.integers(1, 30),
    astray=st.booleans(),
)
def test_counters_without_times_lie_where_their_connections_came(
    late: int, every: int, per_list: int, *, astray: bool
) -> None:
    """Whatever the pace of the lists; one may come late, as of a server that stood still."""
    numbers = [100 + at * per_list for at in range(40)]
    items = _timed_lists(numbers, every)
    if astray:
        items = [
            replace(item, wall_us=(item.wall_us or 0) - every * S * 9 // 10)
            if item.snapshot == 17
            else item
            for item in items
        ]
    counts = [float(100 + (late + at) // every * per_list) for at in range(every * 15)]
    counter = gauge("mysql.Connections", counts, start=0, clock="relative", host="db1")
    found = evidence({"list.txt": items, "ext.txt": [counter]})
    first = found.frames["sample"]["time"].min()
    assert isinstance(first, int)
    assert abs(first - (T0 + late * S)) <= every * S, (first - T0) / S


@pytest.mark.parametrize(
    ("counts", "why"),
    [
        ([900.0, 901.0, 902.0, 903.0], "connections of another time"),
        ([105.0, 104.0, 102.0, 101.0], "they fall, so that no moment fits all"),
        ([102.0, 103.0], "too few"),
        ([102.0, 119.0, 102.0, 119.0], "they go back and forth"),
    ],
)
def test_no_place_is_invented_for_counters(counts: list[float], why: str) -> None:
    lists = _timed_lists(range(100, 120), 5)
    counter = gauge("mysql.Connections", counts, start=0, clock="relative", host="db1")
    found = evidence({"list.txt": lists, "ext.txt": [counter]})
    assert found.frames["sample"]["time"].is_null().all(), why


_STARTS = (
    ("restart", "/usr/sbin/mysqld (mysqld 8.0.42) starting as process 4197"),
    (
        "log",
        "Starting MariaDB 10.11.2-MariaDB source revision 5843d server_uid fX= as process 7",
    ),
)


def _log(*seconds: int, start: tuple[str, str] = _STARTS[0]) -> list[Event]:
    kind, message = start
    return [
        Event(
            line_first=at, line_last=at, kind=kind, wall_us=T0 + second * S, clock="utc",
            message=message,
        )
        for at, second in enumerate(seconds, start=1)
    ]  # fmt: skip


def _uptime(first: int) -> tuple[Samples, Samples]:
    values = [float(first + at) for at in range(9)]
    counters = gauge("mysql.Uptime", values, start=0, clock="relative")
    return counters, gauge("mysql.Threads_running", values, start=0, clock="relative")


@pytest.mark.parametrize("start", _STARTS)
def test_counters_without_times_count_from_the_start_of_the_server(start: tuple[str, str]) -> None:
    found = evidence({"error.log": _log(0, start=start), "ext.txt": _uptime(100)})
    assert found.frames["sample"]["time"].min() == T0 + 100 * S


def test_a_start_is_that_of_the_counters_if_no_other_can_be() -> None:
    # a second start ends the first: nine samples from 100 s on fit the second alone
    found = evidence({"error.log": _log(0, 90), "ext.txt": _uptime(100)})
    assert found.frames["sample"]["time"].min() == T0 + 190 * S
    # either may be meant
    found = evidence({"error.log": _log(0, 900), "ext.txt": _uptime(100)})
    assert found.frames["sample"]["time"].is_null().all()
