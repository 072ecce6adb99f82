"""Symptoms as people write them: each answer is known by thought."""

from __future__ import annotations

from typing import Any

import pytest

from pileup.analysis.reasoning.predicates import SeenAtLeast, SeriesStays, evaluate
from pileup.records import Event, Frame, SemaphoreWait, Session, Stack
from tests.analysis.frames import T0, S, evidence, gauge, moment

RUNNING = [2.0] * 10 + [150.0] * 5 + [2.0] * 3 + [400.0] * 8 + [2.0] * 10


def stays(value: float, for_s: float, op: Any = ">", values: Any = RUNNING) -> Any:
    series = gauge("mysql.Threads_running", values, host="db-1")
    return evaluate(
        SeriesStays("mysql.Threads_running@db-9", op, value, for_s), evidence({"m": [series]})
    )


@pytest.mark.parametrize(
    ("value", "for_s", "holds", "words"),
    [
        (100, 8, True, "8 s, up to 400"),
        (100, 9, False, "at most 8 s"),
        (100, 0, True, "8 s"),
        (500, 1, False, "never: the highest is 400 over 36 samples"),
    ],
)
def test_a_series_stays_above(value: float, for_s: float, holds: bool, words: str) -> None:
    """The longest stretch counts, on whichever host; a dip ends it."""
    answer = stays(value, for_s)
    assert answer.holds is holds
    assert answer.text.startswith(words)


def test_below_and_the_hole_in_the_samples() -> None:
    """Samples that are missing prove nothing."""
    assert stays(3, 10, "<").holds is True
    holey = gauge("m.x", [200.0] * 5), gauge("m.x", [200.0] * 5, start=T0 + 60 * S)
    found = evaluate(SeriesStays("m.x", ">", 100, 30), evidence({"m": list(holey)}))
    assert found.holds is False
    assert evaluate(SeriesStays("m.y", ">", 1, 1), evidence({"m": [holey[0]]})).holds is None


def session(state: str, snapshot: int) -> Session:
    return Session(line_first=1, line_last=1, snapshot=snapshot, session_id=1, state=state)


def test_threads_are_counted_at_once() -> None:
    """Three in one processlist and two in another are three, not five."""
    lists = evidence(
        {"p": [session("query end", 0)] * 3 + [session("query end", 1)] * 2 + [session("init", 1)]}
    )
    three = evaluate(SeenAtLeast("state", "QUERY", 3), lists)
    assert (three.holds, three.text[:22]) == (True, "3 at once, in 2 of the")
    assert evaluate(SeenAtLeast("state", "query end", 4), lists).holds is False
    assert evaluate(SeenAtLeast("state", "Sending", 1), lists).text == "in no processlist"
    assert evaluate(SeenAtLeast("stack", "x", 1), lists).holds is None


def test_stacks_places_and_logs() -> None:
    """A stack counts its threads; a place may name its line; a message counts over the log."""
    stack = Stack(
        line_first=1, line_last=3, snapshot=0, count=31, samples=1,
        frames=(Frame(function="pthread_mutex_lock"), Frame(function="innobase_xa_prepare")),
    )  # fmt: skip
    waits = [
        SemaphoreWait(line_first=1, line_last=1, snapshot=0, thread_id=n, file="btr0sea.ic",
                      line=98, waited_s=0.0, mode="X")
        for n in range(12)
    ]  # fmt: skip
    log = [
        Event(
            line_first=n, line_last=n, kind="log", message="InnoDB: Difficult to find free blocks"
        )
        for n in (1, 2)
    ]
    found = evidence({"s": [moment(), stack], "w": waits, "l": log})

    def holds(place: Any, text: str, at_least: int) -> bool | None:
        return evaluate(SeenAtLeast(place, text, at_least), found).holds

    assert holds("stack", "xa_prepare", 31) is True
    assert holds("stack", "xa_prepare", 32) is False
    assert holds("location", "btr0sea.ic:98", 12) is True
    assert holds("location", "btr0sea.ic:99", 1) is False
    assert holds("location", "btr0sea", 12) is True
    assert holds("log", "free blocks", 2) is True
    assert holds("log", "(free|blocks)+", 1) is False


def test_a_dump_without_waiters_says_no() -> None:
    calm = evidence({"d": [moment("innodb_status", T0, "utc")]})
    assert evaluate(SeenAtLeast("location", "btr0sea", 1), calm).holds is False
    assert evaluate(SeenAtLeast("location", "btr0sea", 1), evidence({})).holds is None


def test_words() -> None:
    assert SeriesStays("m.x", ">", 100, 30).words == "m.x above 100 for 30 s"
    assert SeenAtLeast("state", "query end", 1).words == "at least 1 thread in state 'query end'"
