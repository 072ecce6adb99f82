"""What the views refuse: pasted tables, sides of a comparison, files of a finished sample."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pileup.analysis.compare.differences import Side
from pileup.analysis.compare.sides import Member, NotAlignedError, zero_time
from pileup.analysis.stalls.stall import Stall
from pileup.storage.audit import Actor
from pileup.storage.errors import NotFound, Refused
from pileup.views.evidence import lanes
from pileup.views.evidence.compare import NoBaseline, SideQuery, _span
from pileup.views.reasoning import measures, result_import
from pileup.views.reasoning.result_import import preview_table
from pileup.views.reasoning.result_table import MOST_COLUMNS, Column, cells_of, runs_of
from pileup.views.reports.screen import known_section
from pileup.views.samples.case_file import CasePin, read_case
from pileup.views.samples.record_case import _Recorder
from tests.analysis.frames import evidence

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
TABLE = "threads | tps\n1 | 10\n2 | 20\n"


def _column(role: Any) -> Column:
    return Column("x", role, "")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cells_of("\n".join([" | ".join("x" * (MOST_COLUMNS + 1))] * 2)), "Paste at most"),
        (lambda: cells_of("a | b\n1 | 2 | 3\n"), "Line 2 has 3 columns and the heading 2"),
        (lambda: cells_of("a | b\n | \n"), "The table has no rows."),
        (
            lambda: runs_of(cells_of(TABLE), [_column("value")], []),
            "The table has 2 columns, and 1 were described.",
        ),
        (
            lambda: runs_of(cells_of(TABLE), [_column("parameter")] * 2, []),
            "Choose at least one column as a value or as an outcome.",
        ),
    ],
)
def test_pasted_tables(call: Callable[[], object], words: str) -> None:
    with pytest.raises(Refused, match=re.escape(words)):
        call()


def test_pasted_tables_over_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_import, "_MOST_RUNS", 2)
    assert len(preview_table([], TABLE, None, None, "").runs) == 2
    monkeypatch.setattr(result_import, "_MOST_RUNS", 1)
    with pytest.raises(Refused, match="A table of at most 1 runs can be imported at once"):
        preview_table([], TABLE, None, None, "")
    wide = " | ".join(f"c{number}" for number in range(40))
    row = " | ".join("1" for _ in range(40))
    columns = [_column("parameter")] * 39 + [_column("value")]
    with pytest.raises(Refused, match="A run has at most 10 parameters"):
        runs_of(cells_of(f"{wide}\n{row}\n"), columns, [])


def test_sides_of_a_comparison() -> None:
    side = SideQuery("B", "baseline", None, None, None, ())
    stall = Stall("stall", None, 5, 9, 9, None, None)
    with pytest.raises(NoBaseline, match="side B starts inside its stall: choose a window"):
        _span(side, stall)
    empty = Member(Side("B", evidence({})), None)
    with pytest.raises(NotAlignedError, match="B has no records with a time"):
        zero_time(empty, "start")


def test_a_section_that_no_template_has() -> None:
    with pytest.raises(NotFound, match="The report has no section 'none'; it has: "):
        known_section("none")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("by: ann\nnonsense: 1\n", "nonsense"),
        ("[", "while parsing"),
        (
            "by: ann\nsymptoms:\n"
            + "- {key: s, at: 2026-11-20, predicate: {kind: prose, text: x}}\n" * 2
            + "hypotheses:\n- {key: h, statement: a, falsifier: b, proposed: 2026-11-20, evidence: "
            "[{pin: p, side: for}]}\n",
            "the key s is used 2 times; h names p, which the file does not define",
        ),
    ],
)
def test_a_damaged_case_file(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "case.yaml").write_text(text)
    with pytest.raises(Refused, match=re.escape(words)) as refused:
        read_case(tmp_path)
    assert str(refused.value).startswith(f"{tmp_path}/case.yaml is no description of a case: ")


def test_a_case_that_names_what_is_not_there() -> None:
    recorder = _Recorder(cast("Any", None), cast("Any", None), "incident", Actor(None, "ann"))
    pin = CasePin(key="p", title="x", file="dump.txt", lines=(3, 4))
    for lines in (None, 3):
        there = {"dump.txt": SimpleNamespace(lines=lines)}
        with pytest.raises(NotFound, match="The pin p names lines that dump"):
            recorder._pointer(pin, cast("Any", there))
    with pytest.raises(NotFound, match="The pin p names lines that dump"):
        recorder._pointer(pin, {})
    with pytest.raises(NotFound, match="The sample has no files in runs/smaller-pool"):
        recorder._attach("run", "smaller-pool", {})


def test_what_has_no_series(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: Any = SimpleNamespace(catalogue={}, number=3)
    monkeypatch.setattr(measures, "run_evidence", lambda *_: evidence({}))
    with pytest.raises(Refused, match="experiment 3 have no samples of threads_running"):
        measures.computed_measurement(
            *(nothing, nothing, nothing),
            series="threads_running@db1",
            statistic="median",
            window_s=None,
            named="",
            value_unit="",
        )
    monkeypatch.setattr(lanes, "captured_range", lambda _: (NOON, NOON))
    with pytest.raises(Refused, match="the window ends before it begins"):
        lanes.lanes(nothing, [], None, None, 100)
