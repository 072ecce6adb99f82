"""Lists without times are placed by the numbers of their connections, or by their own Uptime."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

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


def _log(*seconds: int) -> list[Event]:
    return [
        Event(
            line_first=at, line_last=at, kind="restart", wall_us=T0 + second * S, clock="utc",
            message="/usr/sbin/mysqld (mysqld 8.0.42) starting as process 4197",
        )
        for at, second in enumerate(seconds, start=1)
    ]  # fmt: skip


def _uptime(first: int) -> tuple[Samples, Samples]:
    values = [float(first + at) for at in range(9)]
    counters = gauge("mysql.Uptime", values, start=0, clock="relative")
    return counters, gauge("mysql.Threads_running", values, start=0, clock="relative")


def test_counters_without_times_count_from_the_start_in_the_server_s_log() -> None:
    found = evidence({"error.log": _log(0), "ext.txt": _uptime(100)})
    assert found.frames["sample"]["time"].min() == T0 + 100 * S
    # a second start ends the first: nine samples from 100 s on fit the second alone
    found = evidence({"error.log": _log(0, 90), "ext.txt": _uptime(100)})
    assert found.frames["sample"]["time"].min() == T0 + 190 * S
    # either may be meant
    found = evidence({"error.log": _log(0, 900), "ext.txt": _uptime(100)})
    assert found.frames["sample"]["time"].is_null().all()
