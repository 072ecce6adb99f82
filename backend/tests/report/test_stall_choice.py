"""Live blocks show one stall of one capture, name it, and draw nothing between captures."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from pileup.analysis import contract as c
from pileup.report.case import Case
from pileup.report.document import (
    Block,
    Figure,
    GraphDrawing,
    GraphNode,
    Lane,
    Table,
    Trouble,
    plain,
)
from pileup.report.text.live_blocks import expand
from pileup.report.text.markdown_blocks import Directive
from pileup.report.text.prefill import prefill
from pileup.report.text.stall_choice import containing
from pileup.views.reports.case import _apart, _captured, _parts
from tests.report.case import ANALYSIS, CASE

DAYS = ("2026-11-20", "2026-11-22")


def _capture(day: str) -> c.CaptureDoc:
    return c.CaptureDoc(
        id=f"db-1@{day}T22:19:00Z",
        host="db-1",
        first=f"{day}T22:19:00Z",
        last=f"{day}T22:22:00Z",
        verdict="stall",
        text="",
        artifacts=[],
        gaps=[],
        episodes=[f"db-1@{day}T22:19:49Z"],
    )


def _episode(day: str) -> c.EpisodeDoc:
    stall = msgspec.structs.replace(
        ANALYSIS.stalls[0],
        onset=f"{day}T22:19:49Z",
        end=f"{day}T22:20:44Z",
        peak_at=f"{day}T22:19:52Z",
    )
    return c.EpisodeDoc(
        id=f"db-1@{day}T22:19:49Z",
        capture=f"db-1@{day}T22:19:00Z",
        stall=stall,
        headline=ANALYSIS.headline,
        finding=None,
        findings=[],
        blockers=[],
        shifts=[],
        leading=day == DAYS[0],
    )


def _case() -> Case:
    analysis = msgspec.structs.replace(
        ANALYSIS,
        captures=[_capture(day) for day in DAYS],
        episodes=[_episode(day) for day in DAYS],
    )

    return replace(
        CASE,
        analysis=analysis,
        draw_lanes=lambda _, start, end: (Lane(f"{start} to {end}", "", [(0.0, 1.0)]),),
        draw_graph=lambda at: GraphDrawing(
            at=at, headline="One blocks 300.", nodes=[GraphNode("a", "a", "thread", 0)], edges=[]
        ),
    )


def _shown(name: str, **names: str) -> Block:
    (block,) = expand(_case(), Directive(name, names, 1), lambda _: 1)
    return block


@pytest.mark.parametrize("which", ["2", f"db-1@{DAYS[1]}T22:19:49Z", f"{DAYS[1]}T22:20:00Z"])
def test_a_stall_is_named_by_number_id_or_time(which: str) -> None:
    lane, waits = _shown("lane", stall=which, series="a"), _shown("waits", stall=which)
    assert isinstance(lane, Figure)
    assert isinstance(waits, Figure)
    where = "Stall 2 of 2, of 2026-11-22 22:19:49 UTC, in capture 2 of 2 of db-1."
    for figure in (lane, waits):
        assert plain(figure.caption).endswith(where)
    # the window is the stall's, and no second of it is outside the capture
    assert f"{DAYS[1]}T22:19:00+00:00 to {DAYS[1]}T22:21:44+00:00" in lane.alt


def test_without_arguments_the_leading_stall_is_named() -> None:
    figure = _shown("lane")
    assert isinstance(figure, Figure)
    assert "Stall 1 of 2" in plain(figure.caption)


def test_a_block_shows_a_stall_or_a_capture() -> None:
    trouble = _shown("lane", stall="1", capture="1")
    assert isinstance(trouble, Trouble)
    assert trouble.text.startswith("“::lane” shows a stall or a capture: give only one")


def test_a_capture_that_is_not_there_is_explained() -> None:
    for names in ({"stall": "3"}, {"capture": "2026-11-21T00:00:00Z"}, {"stall": "x"}):
        trouble = _shown("lane", **names)
        assert isinstance(trouble, Trouble)
        assert "the incident has 2" in trouble.text


@pytest.mark.parametrize(
    ("time", "capture", "stall"),
    [
        ("22:18:59", None, False),
        ("22:19:00", 1, False),
        ("22:19:48", 1, False),
        ("22:19:49", 1, True),
        ("22:20:44", 1, True),  # times are printed in whole seconds
        ("22:20:45", 1, False),
        ("22:22:00", 1, False),
        ("22:22:01", None, False),
    ],
)
def test_a_moment_belongs_to_its_capture_and_stall(
    time: str, capture: int | None, stall: bool
) -> None:
    shown = containing(_case(), f"{DAYS[1]}T{time}Z")
    expected = None if capture is None else (_capture(DAYS[capture]), stall)
    assert (shown and (shown.capture, shown.episode is not None)) == expected


def test_the_table_of_a_capture_holds_its_events_alone() -> None:
    table = _shown("timeline", capture="1")
    assert isinstance(table, Table)
    assert all(plain(row[0]).startswith(DAYS[0]) for row in table.rows)


def test_several_captures_are_listed_before_the_story_of_one_stall() -> None:
    """In the order of time, with those that have no stall."""
    case = _case()
    assert case.analysis is not None
    calm = msgspec.structs.replace(
        _capture("2026-11-21"), episodes=[], verdict="short", host="db-2"
    )
    captures = [*case.analysis.captures, calm]
    several = msgspec.structs.replace(case.analysis, captures=captures)
    (block,) = expand(replace(case, analysis=several), Directive("stalls", {}, 1), lambda _: 1)
    assert isinstance(block, Table)
    assert [plain(row[0])[:10] for row in block.rows] == [DAYS[0], "2026-11-21", DAYS[1]]
    assert plain(block.rows[1][2]) == "cleared within seconds"
    summary = prefill(case, "summary")
    assert summary.index("::stalls") < summary.index(ANALYSIS.headline.text)
    assert "::stalls" not in prefill(CASE, "summary")


def test_no_line_crosses_time_that_was_not_captured() -> None:
    """Not even one of a series with a single sample in each capture."""
    analysis = _case().analysis
    assert analysis is not None
    captured = _captured(analysis)
    assert len(captured) == len(DAYS)
    parts = _parts(captured, captured[0][0], captured[-1][1])
    assert tuple((first, last) for first, last, _ in parts)[::2] == captured, (
        "each at its own width"
    )
    ends = [last / 1000 for _, last in captured]
    points: list[tuple[float, float | None]] = [(ends[0] - 1, 1.0), (ends[1] - 1, 2.0)]
    assert _apart(points, ends) == [points[0], (points[0][0], None), points[1]]
