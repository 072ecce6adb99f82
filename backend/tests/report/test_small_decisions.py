"""Small decisions of the report with a value on each side: what is missing or refused."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest

from pileup.report import document as d
from pileup.report import release
from pileup.report.case import Case, ReportAction, ReportTableChanges
from pileup.report.redaction import known_values
from pileup.report.render import figure_tables, figures, markdown, sessions_figure
from pileup.report.text import executive, prefill
from pileup.report.text.evidence_blocks import _symptoms_caption
from pileup.report.text.wording import lane_unit
from tests.report.case import ANALYSIS, CASE, NOW
from tests.report.test_evidence_blocks import (
    WITH_TABLES,
    case,
    setting,
    shown,
    stack,
    trouble,
    wait,
)

_ROWS = [
    ("places", "", case(hot_waits=[wait("a.cc", 1, 60), wait("b.cc", 2, 40)])),
    ("stacks", "", case(hot_stacks=[stack("a", 60), stack("b", 40)])),
    (
        "settings-differences",
        "",
        case(settings=[setting(n, f"{n}{host}", host) for n in "xy" for host in ("h1", "h2")]),
    ),
    ("table", 'artifact="digests.tsv" ', WITH_TABLES),
    ("table-changes", 'before="digests.tsv" after="digests.tsv" ', WITH_TABLES),
]


@pytest.mark.parametrize("rows", ["0", "-1", "many", "1.5", "1001"])
@pytest.mark.parametrize(("block", "of", "known"), _ROWS)
def test_a_number_of_rows_is_a_number(block: str, of: str, known: Case, rows: str) -> None:
    said = trouble(known, f'::{block}{{{of}rows="{rows}"}}')
    assert said == f'“::{block}” rows="{rows}" is not a number from 1 to 1000.'


@pytest.mark.parametrize(("block", "of", "known"), _ROWS)
def test_rows_are_cut_to_the_number(block: str, of: str, known: Case) -> None:
    assert len(shown(known, f'::{block}{{{of}rows="1"}}')[0]) == 1
    assert len(shown(known, f'::{block}{{{of}rows="1000"}}')[0]) == (
        1 if block == "table-changes" else 2
    )


def test_runs_without_artifacts_show_no_symptom() -> None:
    assert _symptoms_caption([[]]) == "1 symptom; no run has artifacts that could show them."
    assert _symptoms_caption([[], []]) == "2 symptoms; no run has artifacts that could show them."
    assert _symptoms_caption([[(3, None), (4, True)]]) == "Run 4 shows 1 of 1 symptom."


# ---- for readers without technical words -----------------------------------------------------


def _action(text: str, status: str, owner: str = "") -> ReportAction:
    return ReportAction(text, owner, None, status, None, None)


@pytest.mark.parametrize(
    ("actions", "said", "line"),
    [
        ([], "No action is agreed yet, so it can happen again.", ""),
        ([("a", "dropped")], "No action is agreed yet, so it can happen again.", ""),
        ([("a", "done")], "All agreed actions are done.", ""),
        ([("Buy it", "open")], "One agreed action is still open: Buy it.", "Buy it (unassigned)"),
        (
            [("Done it", "done"), ("Buy it", "started"), ("Sell it", "open")],
            "2 agreed actions are still open, the first: Buy it.",
            "Buy it (unassigned)",
        ),
    ],
)
def test_what_is_left_to_do(actions: list[tuple[str, str]], said: str, line: str) -> None:
    known = replace(CASE, actions=tuple(_action(*each) for each in actions))
    assert executive.risk(known) == said
    assert executive.line_next(known) == line
    bare = replace(known, analysis=msgspec.structs.replace(ANALYSIS, stalls=[]))
    assert executive.risk(bare) == ""


def test_a_technical_action_is_not_quoted() -> None:
    technical = "Set innodb_adaptive_hash_index=OFF on db-1"
    assert not executive.is_plain(technical)
    known = replace(CASE, actions=(_action(technical, "open", "ann"),))
    assert executive.risk(known) == "One agreed action is still open."
    assert executive.line_next(known) == f"{executive.TECHNICAL_ACTION} (ann)"
    several = replace(CASE, actions=(_action(technical, "open"), _action("b", "open")))
    assert executive.risk(several) == "2 agreed actions are still open."


def test_without_an_analysis_there_is_nothing_in_plain_words() -> None:
    assert executive._in_plain_words(None) == ""
    assert executive._in_plain_words(msgspec.structs.replace(ANALYSIS, stalls=[])) == ""
    assert executive._in_plain_words(ANALYSIS) == executive._UNKNOWN


def test_a_bug_report_begins_with_the_analysis() -> None:
    without = replace(CASE, analysis=None)
    assert prefill._bug_summary(without) == ""
    assert prefill._bug_environment(without) == ""
    assert "8.0.15" in prefill._bug_environment(CASE)
    assert prefill._bug_summary(CASE) != ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(None, ""), (0.0, "0 s"), (0.4, "0 s"), (-0.4, "0 s"), (1.6, "+2 s"), (-3.0, "-3 s")],
)
def test_how_long_a_series_moved_before_the_onset(seconds: float | None, words: str) -> None:
    assert prefill._moved(seconds) == words


@pytest.mark.parametrize(("share", "matter"), [(None, True), (0.0, False), (0.9, True)])
def test_latches_matter_where_sessions_spend_time_on_them(
    share: float | None, matter: bool
) -> None:
    doc = None
    if share is not None:
        doc = _Fields(classes=[_Fields(id="row_lock", share=1.0), _Fields(id="latch", share=share)])
    assert prefill.latches_matter(_Fields(active_sessions=doc)) is matter  # type: ignore[arg-type]


class _Fields:
    def __init__(self, **fields: Any) -> None:
        vars(self).update(fields)


# ---- sources that a version cites ------------------------------------------------------------


def _note(number: int) -> d.Runs:
    return [d.Run("text"), d.Run(note=number)]


def test_every_kind_of_block_cites_its_sources() -> None:
    drawing = d.LanesDrawing([], [])
    blocks: list[d.Block] = [
        d.Paragraph(_note(1)),
        d.Heading(3, _note(2)),
        d.Quote([d.Paragraph(_note(3)), d.Bullets([[d.Paragraph(_note(4))]])]),
        d.Bullets([[d.Paragraph(_note(5))], [d.Quote([d.Paragraph(_note(6))])]]),
        d.Figure(drawing, _note(7), "a picture", 1),
        d.Table([_note(9)], [[_note(10)], [_note(11)]], ["left"], _note(8), 1),
        d.Code("12"),
        d.Rule(),
    ]
    assert list(release._cited(blocks)) == list(range(1, 12))


# ---- figures without anything to draw --------------------------------------------------------


def test_a_figure_of_nothing_is_empty() -> None:
    zone = ZoneInfo("UTC")
    nothing = d.LanesDrawing([d.Lane("a", "ms", [])], [])
    bare = d.GraphDrawing("2026-11-20T22:19:52Z", "", [], [])
    lines = d.ConfidenceDrawing([d.ConfidenceLine("H1", [])])
    assert figures._lanes(nothing, "x", 960, zone) == ""
    assert figures._graph(bare, "x", 960) == ""
    assert figures._confidence(lines, "x", 960, zone) == ""
    row = figure_tables._lane(d.Lane("a", "ms", [(NOW.timestamp() * 1000, None)]), zone)
    assert row == ["a", "ms", "", "", "", ""]


def test_a_fence_is_longer_than_those_it_holds() -> None:
    def fence(text: str) -> str:
        return markdown._block(d.Code(text)).splitlines()[0]

    assert [fence(text) for text in ("a", "``", "```", "a ````\n```")] == [
        "```", "```", "````", "`````"
    ]  # fmt: skip


def test_a_case_of_which_nothing_is_compared_has_no_changes() -> None:
    assert CASE.compare_tables(None, None) == ReportTableChanges((), 0, 0, 0, ())  # type: ignore[arg-type]


def test_a_short_name_of_a_host_is_no_part_of_a_name_with_dashes() -> None:
    """However far behind in the text it stands; a long one with a digit is."""
    least = known_values._LEAST_IN_NAMES
    for name, whole in (("d" * (least - 2) + "7", False), ("d" * (least - 1) + "7", True)):
        text = f"{'a ' * 20}{name}-x"
        start = text.index(name)
        assert known_values._is_whole(text, start, start + len(name), "hosts") is whole


@pytest.mark.parametrize(
    ("kind", "unit", "shown"),
    [
        ("gauge", "threads", "threads"),
        ("counter", "threads", "threads/s"),
        ("gauge", "1/s", "/s"),
        ("counter", "1/s", "/s"),
        ("gauge", None, ""),
        ("counter", None, "/s"),
    ],
)
def test_a_counter_is_drawn_per_second(kind: str, unit: str | None, shown: str) -> None:
    series: Any = SimpleNamespace(name="other.series", labels="", kind=kind, unit=unit)
    assert lane_unit(series) == shown


@pytest.mark.parametrize(
    ("x", "far", "turned"),
    [
        *((50.0, 90.0, 10.0), (50.0, 91.0, None)),  # at the left end, and beyond it
        *((50.0, 10.0, 90.0), (50.0, 9.0, None)),
        *((30.0, 40.0, 20.0), (30.0, 20.0, 40.0)),
    ],
)
def test_a_label_goes_to_the_other_side_where_it_has_room(
    x: float, far: float, turned: float | None
) -> None:
    label = sessions_figure._Label(x, "words", far < x, far)
    other = sessions_figure._Label(1.0, "other", False, 2.0)
    found = sessions_figure._turned([other, label], label, 10.0, 90.0)
    if turned is None:
        assert found == [other, label]
    else:
        assert found == [other, replace(label, is_left=far >= x, far=turned)]
