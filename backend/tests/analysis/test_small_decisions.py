"""What small functions of the engine decide, directly: each branch, each bound, each word."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import polars as pl
import pytest

from pileup.analysis import contract
from pileup.analysis.captures import examine, recurrence
from pileup.analysis.clock import offsets
from pileup.analysis.clock.offsets import Offset
from pileup.analysis.compare import trial
from pileup.analysis.evidence.context import Span
from pileup.analysis.stalls import refusals
from pileup.analysis.stalls.indicators import Signal
from pileup.analysis.waits import by_latches, by_locks, moment_graph, moments
from pileup.records import Session
from tests.analysis.frames import T0, S, evidence
from tests.analysis.turning.tools import given

# ---- roots of a wait graph -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edges", "resource", "why"),
    [
        ([], None, "Not blocked itself."),
        ([], given(inferred=True, detail="By its age."), "By its age."),
        ([], given(inferred=False, detail="By its age."), "Holder unknown."),
        ([("root", "held_by", "holds it")], given(inferred=True, detail="x"), "Holds it."),
        ([("root", "held_by", "")], given(inferred=True, detail="x"), "x"),
        ([("root", "waits_for", "holds it")], None, "Not blocked itself."),
        ([("other", "held_by", "holds it")], None, "Not blocked itself."),
        ([("root", "held_by", "a"), ("root", "held_by", "b")], None, "A."),
    ],
)
def test_why_something_is_a_root(edges: list[Any], resource: Any, why: str) -> None:
    graph: Any = given(
        touching={"root": [given(target=t, kind=kind, note=note) for t, kind, note in edges]},
        resources={} if resource is None else {"root": resource},
    )
    assert moment_graph.why_root("root", graph) == why


# ---- locks of a list -------------------------------------------------------------------------


def held(listed_mode: str, *granted: str, own: bool = False) -> list[tuple[str, str]]:
    """Who holds a row for which somebody waits in this mode: mode and note of each."""
    waiter = given(name="waiter")
    holders: list[tuple[str, str]] = []

    def hold(_resource: Any, _holder: Any, *, mode: str, note: str, **_: Any) -> None:
        holders.append((mode, note))

    key = ("t", "i", "5")
    draft: Any = given(
        listed_waiters=Counter(),
        granted=defaultdict(
            list, {key: [{"mode": mode, "session_id": 1, "trx_id": "a"} for mode in granted]}
        ),
        find_actor=lambda *_: waiter if own else given(name="holder"),
        hold=hold,
    )
    row: Any = {"table": "t", "index": "i", "lock_data": "5", "mode": listed_mode}
    actor: Any = waiter
    resource: Any = given()
    by_locks._hold_by_list(draft, resource, actor, row)
    return holders


NOTE = "holds this row by data_locks"


@pytest.mark.parametrize(
    ("wanted", "granted", "holds"),
    [
        ("X,REC_NOT_GAP", "X,REC_NOT_GAP", True),
        ("X,REC_NOT_GAP", "S,REC_NOT_GAP", True),
        ("S,REC_NOT_GAP", "X,REC_NOT_GAP", True),
        ("S,REC_NOT_GAP", "S,REC_NOT_GAP", False),
        ("X,REC_NOT_GAP", "X,GAP", False),
        ("X,GAP,INSERT_INTENTION", "X,GAP", True),
        ("X,GAP,INSERT_INTENTION", "S,GAP", True),
        ("S,GAP,INSERT_INTENTION", "S,GAP", False),
        ("X", "X", True),
        ("X", "X,GAP", False),
    ],
)
def test_which_locks_keep_a_waiter_out(wanted: str, granted: str, holds: bool) -> None:
    assert held(wanted, granted) == ([(granted, NOTE)] if holds else [])
    assert held(wanted, granted, own=True) == []


def test_two_waiters_see_every_holder_and_no_more() -> None:
    draft: Any = given(listed_waiters=Counter(), granted=defaultdict(list))
    asked: list[Any] = []

    class Granted(defaultdict[Any, Any]):
        def __getitem__(self, key: Any) -> Any:
            asked.append(key)
            return []

    draft.granted = Granted(list)
    for mode in ("X", "X", "X", "S"):
        row: Any = {"table": "t", "index": "i", "lock_data": "5", "mode": mode}
        nothing: Any = given()
        by_locks._hold_by_list(draft, nothing, nothing, row)
    assert asked == [("t", "i", "5")] * 3


# ---- waits for latches -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("thread", "holder", "mode", "drawn"),
    [
        (5, None, "S", ["waits"]),
        (5, 9, "S", ["waits", "9 holds it (X)"]),
        (5, 9, "X wait_ex", ["waits", "9 holds it (X)"]),
        (5, 5, "S", ["waits"]),
        (5, 5, "X wait_ex", ["waits for readers"]),
        (None, None, "X wait_ex", ["waits"]),
        (None, 9, "X wait_ex", ["waits", "9 holds it (X)"]),
    ],
)
def test_what_is_drawn_of_a_wait_for_a_latch(
    monkeypatch: pytest.MonkeyPatch,
    thread: int | None,
    holder: int | None,
    mode: str,
    drawn: list[str],
) -> None:
    """Who reserved a latch waits for its readers, and not for itself."""
    found: list[str] = []
    draft: Any = given(
        lines=lambda _: None,
        thread=lambda number: number,
        wait=lambda *_, **__: found.append("waits"),
        hold=lambda _, who, **edge: found.append(f"{who} {edge['note']}"),
    )
    monkeypatch.setattr(by_latches, "_site", lambda *_: None)
    monkeypatch.setattr(
        by_latches, "_wait_for_readers", lambda *_: found.append("waits for readers")
    )
    row: Any = {
        "file": "a.cc", "line": 1, "thread_id": thread, "holder_thread": holder, "mode": mode,
        "waited_s": 1.0, "holder_mode": "X",
    }  # fmt: skip
    nothing: Any = given()
    by_latches._semaphore(draft, nothing, row, nothing)
    assert found == drawn


def test_sessions_in_a_state_that_nobody_knows_do_not_wait() -> None:
    """Nor does how long they have run count as the longest wait."""
    states = [
        ("Waiting for table metadata lock", 5.0),
        ("Waiting for table metadata lock", 3.0),
        ("a state of a fork", 99.0),
        (None, 98.0),
        ("", 97.0),
        ("executing", 96.0),
    ]
    listed = [
        Session(
            line_first=n, line_last=n, session_id=n, command="Query", state=state, time_s=time,
            snapshot=0, wall_us=T0, clock="utc",
        )
        for n, (state, time) in enumerate(states, start=1)
    ]  # fmt: skip
    (found,) = moments._processlists(evidence({"list": listed}))
    assert (found.waiters, found.lock_waits, found.max_waited_s) == (2, 0, 5.0)


# ---- trials ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "begins", "ends"),
    [
        ([float(min(n, 120 - n)) for n in range(100)], 44, 74),
        ([1.0] * 100, 0, 30),
        ([float(n) for n in range(100)], 69, 99),
        ([1.0] * 20, None, 19),
    ],
)
def test_the_worst_half_minute_of_a_trial(
    values: list[float], begins: int | None, ends: int
) -> None:
    """The fullest, and of equals the first; all of a trial that is shorter."""
    rows = pl.DataFrame({"time": [T0 + n * S for n in range(len(values))], "value": values})
    first = T0 if begins is None else T0 + begins * S + 1
    assert trial._worst(rows) == Span(first, T0 + ends * S)
    assert trial._worst(rows.clear()) is None


# ---- clocks ----------------------------------------------------------------------------------


def test_the_better_offset_is_that_with_the_smaller_spread_for_its_anchors() -> None:
    many = Offset(1.0, 10.0, 20, "Questions", "b")
    few = Offset(2.0, 9.0, 5, "Questions", "c")
    assert (offsets._better(many, few), offsets._better(few, many)) == (many, many)
    exact = Offset(3.0, 0.0, 5, "Questions", "d")
    assert (offsets._better(many, exact), offsets._better(exact, many)) == (exact, exact)
    assert (offsets._better(None, few), offsets._better(few, None)) == (few, few)
    assert offsets._better(None, None) is None


# ---- stalls that come back -------------------------------------------------------------------


def test_stalls_of_a_host_are_so_many_seconds_apart() -> None:
    episodes: list[Any] = [
        given(stall=given(host=host, onset=f"2026-11-20T22:{minute:02}:00Z"))
        for host, minute in (("a", 9), ("b", 30), ("a", 0), ("b", 10), ("a", 1), (None, 5))
    ]
    assert recurrence._apart(episodes) == [60.0, 480.0, 1200.0]
    assert recurrence._apart(episodes[:2]) == []


# ---- connections -----------------------------------------------------------------------------


def connected(*values: float) -> Signal:
    name = "status.threads_connected"
    times = [T0 + n * S for n in range(len(values))]
    return Signal(name, name, None, "concurrency", times, list(values))


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ([], False),
        ([10.0], True),
        ([99.0], False),
        ([10.0, 99.0, 10.0], True),
        ([10.0, 99.0, 99.0], False),
        ([0.0, 99.9], True),
        ([10.0] * 16 + [99.0] * 15, True),
        ([10.0] * 15 + [99.0] * 15, True),
        ([10.0] * 15 + [99.0] * 16, False),
    ],
)
def test_connections_rose_to_their_limit(before: list[float], found: bool) -> None:
    """From a median of the thirty samples before that is well below it."""
    signal = connected(*before, *[100.0] * 60)
    stalls = refusals.at_limit(signal, 100.0)
    assert bool(stalls) is found
    assert refusals.at_limit(signal, 100.1) == []


# ---- headlines -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdict", "story"),
    [("stall", "It held"), ("waits", "It held"), ("not_enough_data", "It held"), ("no_stall", "")],
)
def test_a_capture_without_a_stall_tells_no_story(verdict: Any, story: str) -> None:
    headline = contract.Headline(verdict=verdict, text="Words.")
    found = examine._with_story(headline, "It held")
    assert (found.story, found.text, found.verdict) == (story, "Words.", verdict)
