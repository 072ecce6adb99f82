"""What small functions of the engine decide, directly: each branch, each bound, each word."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest

from pileup.analysis.captures import recurrence
from pileup.analysis.stalls import refusals
from pileup.analysis.stalls.indicators import Signal
from pileup.analysis.waits import by_locks, moment_graph
from tests.analysis.frames import T0, S
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
