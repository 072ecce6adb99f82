"""The overview of an incident: how much of each list it shows, and what it says of one stall."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from pileup.views import overview
from pileup.views.overview import ArtifactCounts, PlacedClock, RootBlocker
from tests.views.scenes import overview_with

LENGTHS = {
    "findings": 5,
    "blockers": 5,
    "shifts": 12,
    "hot_waits": 10,
    "hot_latches": 10,
    "hot_stacks": 10,
    "deadlock_patterns": 5,
    "limits": 10,
}
WHOLE = ("absences", "triage", "deadlocks", "roots", "unanswered")
"""Lists that are not cut."""


def rows(name: str, count: int) -> list[dict[str, Any]]:
    more = {"blockers": {"holder": "h", "blocks_total": 3}, "limits": {"verdict": "near"}}
    return [{"id": n} | more.get(name, {}) for n in range(count)]


@pytest.mark.parametrize("name", LENGTHS)
def test_the_first_of_each_list_are_shown(name: str) -> None:
    for count in (LENGTHS[name] - 1, LENGTHS[name], LENGTHS[name] + 1, 30):
        found = getattr(overview_with({name: rows(name, count)}), name)
        assert found == rows(name, min(count, LENGTHS[name]))


@pytest.mark.parametrize("name", WHOLE)
def test_other_lists_are_whole(name: str) -> None:
    assert getattr(overview_with({name: rows(name, 30)}), name) == rows(name, 30)


def test_an_incident_without_an_analysis_has_an_overview() -> None:
    found = overview_with({})
    assert [getattr(found, name) for name in (*LENGTHS, *WHOLE)] == [[]] * (8 + len(WHOLE))
    assert (found.stalls, found.captures, found.clocks, found.gaps) == ([], [], [], [])
    assert (found.active_sessions, found.active_gaps) == (None, [])
    assert (found.shown_stall, found.stale_pins, found.looked_at) == (None, 7, None)
    assert found.server == {"title": None}
    assert found.artifacts == ArtifactCounts(0, 0, 0, 0, 0, 0)
    numbers = found.numbers
    assert (numbers.onset, numbers.root_blocker, numbers.coverage) == (None, None, None)
    assert numbers.peak_counts == "waiting"


def test_what_is_the_same_or_far_takes_no_place() -> None:
    shifts = [{"id": n, "same_as": "other" if n % 2 else None} for n in range(30)]
    limits = [{"id": n, "verdict": ("far", "near", "reached")[n % 3]} for n in range(30)]
    found = overview_with({"shifts": shifts, "limits": limits})
    assert [shift["id"] for shift in found.shifts] == list(range(0, 24, 2))
    assert [each["id"] for each in found.limits] == [1, 2, 4, 5, 7, 8, 10, 11, 13, 14]


def artifact(state: str, **more: Any) -> Any:
    values = {"sha256": "s", "path": "p", "host": "h", "clock": None, "is_analysed": True}
    values |= {"records": {}, "bytes": 0, "coverage": None}
    return SimpleNamespace(state=state, **(values | more))


def test_files_are_counted_by_their_state() -> None:
    states = ("done", "done", "done_with_problems", "failed", "failed", "failed")
    states += ("unknown_format", "queued", "identifying", "parsing", "expanded")
    found = overview_with({}, *map(artifact, states))
    assert found.artifacts == ArtifactCounts(10, 2, 1, 3, 1, 3)


def test_the_coverage_is_by_bytes() -> None:
    files = [
        artifact("done", bytes=300, coverage=1.0),
        artifact("done", bytes=100, coverage=0.0),
        artifact("done", bytes=900),
    ]
    assert overview_with({}, *files).numbers.coverage == 0.75
    assert overview_with({}, artifact("done", coverage=1.0)).numbers.coverage is None


def test_clocks_are_those_of_files_that_count() -> None:
    files = [
        artifact("done", clock={"zone": 1}),
        artifact("done", clock={"zone": 2}, is_analysed=False),
        artifact("done"),
    ]
    found = overview_with({}, *files).clocks
    assert found == [PlacedClock(artifact="s", path="p", host="h", clock={"zone": 1})]  # type: ignore[arg-type]


# ---- one of several stalls -------------------------------------------------------------------


def stall(onset: int, duration_s: float | None, host: str = "db") -> dict[str, Any]:
    return {
        "onset": f"2026-11-20T22:{onset:02}:00Z",
        "recovery": None,
        "duration_s": duration_s,
        "host": host,
        "leading": False,
        "peak_waiters": onset,
        "peak_counts": "running",
        "peak_at": None,
    }


def episode(key: str, capture: str, shown: dict[str, Any], *, leading: bool = False) -> Any:
    names = ("headline", "findings", "blockers", "shifts", "roots")
    of_own: dict[str, Any] = {name: [{"id": f"{name} of {key}"}] for name in names}
    of_own["blockers"] = [{"holder": key, "blocks_total": 9, "root": f"root {key}", "share": 0.5}]
    of_own["roots"] = [{"key": f"root {key}", "behind": 4}]
    return (
        {"id": key, "capture": capture, "stall": shown, "leading": leading}
        | of_own
        | {"active_sessions": f"sessions of {key}"}
    )


FIRST, SECOND, THIRD = stall(10, 60), stall(20, None), stall(30, 90)
PARTS: dict[str, Any] = {
    "episodes": [
        episode("a", "one", FIRST, leading=True),
        episode("b", "two", SECOND),
        episode("c", "two", THIRD),
    ],
    "stalls": [FIRST | {"leading": True}, SECOND, THIRD, stall(30, 90, "other")],
    "captures": [
        {"id": "one", "active_sessions": "of one", "gaps": ["gap"]},
        {"id": "two", "active_sessions": "of two"},
        {"id": "none", "active_sessions": None},
    ],
    "headline": "the leading one",
    "story": "its story",
    "looked_at": "its look",
    "hot_waits": [{"id": 1}],
    "limits": [{"verdict": "near"}],
    "active_sessions": "of all",
}


@pytest.fixture(autouse=True)
def plain_stalls(monkeypatch: pytest.MonkeyPatch) -> None:
    """The leading of some stalls, without the rest of their documents."""

    def main(stalls: list[Any]) -> Any:
        leading = [each for each in stalls if each["leading"]]
        return SimpleNamespace(**leading[0]) if leading else None

    monkeypatch.setattr(overview.msgspec, "convert", lambda value, _: value)
    monkeypatch.setattr(overview, "main_stall", main)


@pytest.mark.parametrize("wanted", [None, "a", "one", "nothing"])
def test_the_leading_stall_is_shown_unless_another_is_chosen(wanted: str | None) -> None:
    found = overview_with(PARTS, stall=wanted)
    assert (found.shown_stall, found.headline, found.story) == (
        *(None, "the leading one", "its story"),
    )
    assert (found.active_sessions, found.active_gaps) == ("of one", ["gap"])
    assert (found.looked_at, len(found.hot_waits), len(found.limits)) == ("its look", 1, 1)
    assert found.numbers.onset == datetime(2026, 11, 20, 22, 10, tzinfo=UTC)
    assert [each["active_sessions"] for each in found.captures] == [None] * 3


@pytest.mark.parametrize(("wanted", "key"), [("b", "b"), ("c", "c"), ("two", "c")])
def test_another_stall_is_shown_as_if_it_led(wanted: str, key: str) -> None:
    """Named by its id, or by its capture, of which the longest counts."""
    found = overview_with(PARTS, stall=wanted)
    shown = SECOND if key == "b" else THIRD
    assert found.shown_stall == key
    assert found.headline == [{"id": f"headline of {key}"}]
    assert found.findings == [{"id": f"findings of {key}"}]
    assert found.shifts == [{"id": f"shifts of {key}"}]
    assert (found.story, found.looked_at, found.hot_waits, found.limits) == (None, None, [], [])
    leading = [(each["onset"], each["host"]) for each in found.stalls if each["leading"]]
    assert leading == [(shown["onset"], "db")]
    assert found.active_sessions == "of two"
    numbers = found.numbers
    assert (numbers.duration_s, numbers.peak_waiters) == (
        shown["duration_s"],
        shown["peak_waiters"],
    )
    assert (numbers.peak_counts, numbers.peak_at) == ("running", None)
    assert numbers.root_blocker == RootBlocker(
        label=key, blocks_total=4, share=0.5, is_one_of_several=False
    )


def test_who_blocks_is_counted_as_in_the_chain() -> None:
    """By sessions behind its root; by its own count where no root is known."""
    blocker = {"holder": "h", "blocks_total": 9, "root": "k"}
    for roots, count in (
        ([{"key": "k", "behind": 4}], 4),
        ([{"key": "other", "behind": 4}], 9),
        ([{"key": "k", "behind": 0}], 9),
        (None, 9),
    ):
        found = overview_with({"blockers": [blocker], "roots": roots}).numbers.root_blocker
        assert found == RootBlocker(
            label="h", blocks_total=count, share=None, is_one_of_several=False
        )


@pytest.mark.parametrize(
    ("share", "others", "is_one"), [(0.59, 1, True), (0.6, 1, False), (0.5, 0, False)]
)
def test_a_root_with_less_than_most_of_the_time_is_one_of_several(
    share: float, others: int, is_one: bool
) -> None:
    root = {"holder": "h", "blocks_total": 9, "share": share}
    blocker = overview_with({"blockers": [root] * (1 + others)}).numbers.root_blocker
    assert blocker is not None
    assert blocker.is_one_of_several is is_one


def test_sessions_of_the_first_capture_that_has_some() -> None:
    captures = [
        {"id": "x"},
        {"id": "y", "active_sessions": "of y"},
        {"id": "z", "active_sessions": "z"},
    ]
    assert overview_with({"captures": captures}).active_sessions == "of y"
    only = {"captures": captures[:1], "active_sessions": "of all"}
    assert overview_with(only).active_sessions == "of all"
