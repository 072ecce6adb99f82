"""The ways out of the views' functions that no larger test takes: nothing placed, gone, too old."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from pileup.report.case import ReportTable
from pileup.report.redaction.redactor import KINDS, Redactor
from pileup.storage.errors import NotFound
from pileup.views import search_entries
from pileup.views.evidence import compare, waits
from pileup.views.reasoning import proposed, symptoms
from pileup.views.reports import bundle, case, case_evidence, export, known, page
from pileup.views.source import NotAnalysed
from tests.analysis.frames import evidence, gauge
from tests.analysis.turning.tools import always, given, instead
from tests.report.case import ANALYSIS
from tests.report.test_golden import _rich

NOWHERE: Any = None


def test_a_hypothesis_is_proposed_for_the_finding_that_is_asked_for() -> None:
    """What leads says so: only the first of the analysis does."""
    (known, *_) = msgspec.to_builtins(_rich().analysis)["findings"]
    findings = [{**known, "id": name} for name in "ab"]
    parts = {"findings": findings, "stalls": None, "roots": None}
    said = []
    with instead(
        proposed,
        Analyses=always(given(parts=always(parts))),
        statement=lambda found, stalls, roots, *, leads: f"{found.id} {stalls} {roots} {leads}",
        falsifier=lambda found, stalls, roots, *, leads: f"not {found.id} {leads}",
    ):
        for name in ("a", "b"):
            made = proposed.proposed_hypothesis(NOWHERE, "i", name)
            said.append([made.statement, made.falsifier])
        with pytest.raises(NotFound, match="has no finding 'c'"):
            proposed.proposed_hypothesis(NOWHERE, "i", "c")
    assert said == [
        ["a [] [] True", "not a True"],
        ["b [] [] False", "not b False"],
    ]


def test_the_stall_of_a_run_of_its_own() -> None:
    busy = gauge("metric.threads_running", [2.0] * 40 + [90.0] * 30 + [2.0] * 30)
    found = compare._detected(evidence({"m.csv": [busy]}))
    assert found is not None
    assert found.span.end - found.span.start >= 20_000_000
    assert found.baseline is not None
    assert found.baseline.end <= found.span.start
    assert compare._detected(evidence({"m.csv": [gauge("metric.x", [2.0] * 100)]})) is None


@pytest.mark.parametrize(("part", "label"), [("whole", ""), ("stall", "stall of ")])
def test_a_run_is_named_with_its_part(part: str, label: str) -> None:
    experiment = given(incident_id="i", number=3, title="two cores")
    stall = given(span=given(start=7), baseline=None)
    asked: Any = given(unit=None, frames=None, incident_id="i")
    side: Any = given(part=part, host="db-1", name="b", window=None)
    with instead(
        compare,
        Experiments=always(given(get=always(experiment))),
        run_evidence=always("evidence"),
        _detected=always(stall),
    ):
        member = compare.StoredSides._run(asked, side, "x")
        asked.incident_id = "other"
        with pytest.raises(compare.NoSuchRun):
            compare.StoredSides._run(asked, side, "x")
    assert member.side.label == f"{label}experiment 3: two cores"
    assert (member.side.evidence, member.side.host) == ("evidence", "db-1")
    assert member.side.span == (None if part == "whole" else stall.span)


@pytest.fixture
def fresh() -> Iterator[None]:
    for cached in (waits._evidence, waits._whole):
        cached.cache_clear()
    yield
    for cached in (waits._evidence, waits._whole):
        cached.cache_clear()


@pytest.mark.usefixtures("fresh")
def test_a_graph_needs_an_analysis_that_is_placed() -> None:
    with pytest.raises(NotAnalysed):
        waits._whole(_Placed(None), "i", "r", 1, None, b"[]")


class _Placed:
    """Placed evidence that counts how often it is loaded."""

    def __init__(self, held: object) -> None:
        self._held = held
        self.loads = 0

    def waits(self, incident: str, run: str) -> Any:
        self.loads += 1
        return self._held

    def load(self, incident: str, kinds: object, run: str) -> Any:
        return self.waits(incident, run)

    def run(self, incident: str) -> str | None:
        return None


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(("most", "loads"), [(31, 2), (32, 1), (33, 1)])
def test_large_evidence_is_not_kept(most: int, loads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    frames = {"a": pl.DataFrame({"n": [1, 2]}), "b": pl.DataFrame({"n": [1, 2]})}
    placed: Any = _Placed(given(frames=frames))
    monkeypatch.setattr(waits, "_MOST_KEPT", most)
    with instead(waits, whole_graph=lambda held, at, roots: (at, roots)):
        for at in (1, 2):
            assert waits._whole(placed, "i", "r", at, None, b"[]") == (at, [])
    assert placed.loads == loads


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    ("against", "worst", "other"),
    [(5, 9, 5), (None, 9, 9), (None, None, 0), (None, "nothing", 0)],
)
def test_a_graph_is_held_against_the_worst_moment(
    against: int | None, worst: object, other: int
) -> None:
    placed: Any = _Placed(given(frames={}))
    moment = None if worst == "nothing" else given(time=worst)
    with instead(
        waits, worst=always(moment), whole_diff=lambda held, at, other, roots: (at, other)
    ):
        assert waits._whole(placed, "i", "r", 1, (against,), b"[]") == (1, other)


def test_nothing_is_placed() -> None:
    """Neither a graph nor lanes nor an answer, whatever was asked."""
    placed: Any = _Placed(None)
    assert case._drawn(placed, "i", "r", None, b"[]") is None
    assert symptoms._of_incident(placed, "i", "r", ()) is None


def test_without_symptoms_nothing_is_answered() -> None:
    experiment: Any = given(incident_id="i")
    with instead(symptoms, Symptoms=always(given(of_incident=always([])))):
        assert symptoms.symptoms_of_run(NOWHERE, NOWHERE, experiment) == []
    asked: Any = given(unit=None, incident_id="i")
    with instead(case_evidence, Symptoms=always(given(of_incident=always([])))):
        assert case_evidence.CaseEvidence.symptoms(asked) == ()


@pytest.mark.parametrize(
    ("artifact", "name", "found"),
    [("a", None, "first"), ("a", "first", "first"), ("a", "second", "second"), ("a", "x", None)],
)
def test_a_table_is_found_by_its_name(artifact: str, name: str | None, found: str | None) -> None:
    tables = [
        given(
            ref=given(name=each, line_first=line, line_last=line + 2),
            data=case_evidence.TableData(["k", "n"], [["a", "1"]]),
        )
        for line, each in ((1, "first"), (7, "second"))
    ]
    asked: Any = given(
        frames=None, _artifacts_named=always([given(sha256="ab", path="digests.tsv")])
    )
    with instead(case_evidence, stored_tables=always(tables)):
        table = case_evidence.CaseEvidence.find_table(asked, artifact, name)
    assert (table and table.name) == found
    if table is not None:
        first = 1 if found == "first" else 7
        assert (table.artifact, table.path) == ("ab", "digests.tsv")
        assert (table.line_first, table.line_last) == (first, first + 2)
        assert (table.columns, table.rows) == (("k", "n"), [["a", "1"]])
        assert table.numeric == (False, True)


def test_tables_without_a_common_key_are_not_compared() -> None:
    def table(*columns: str) -> ReportTable:
        rows: list[list[str | None]] = [["1" for _ in columns]]
        return ReportTable("ab", "a.tsv", "a", columns, rows, (True,) * len(columns), 1, 2)

    with pytest.raises(ValueError, match=r"\w"):
        case_evidence.compare_tables(table("a"), table("b"))


# ---- reports -------------------------------------------------------------------------------------


def test_the_script_of_the_figures_is_that_of_the_ui_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / export.VIEWER
    assert export._viewer_script(None) is None
    assert export._viewer_script(tmp_path) is None
    path.parent.mkdir(parents=True, exist_ok=True)
    for at, text in enumerate(("draw('é')", "draw(2)")):
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(at, at))
        assert export._viewer_script(tmp_path) == text


def test_the_oldest_tables_of_known_values_leave() -> None:
    recent = known._Recent(2)
    tables: list[Any] = [given(), given(), given()]
    keys = [("i", ("sql",), f"run {number}") for number in range(3)]
    for key, table in zip(keys, tables, strict=True):
        recent.put(key, table)
    assert [recent.get(key) for key in keys] == [None, *tables[1:]]
    assert recent.get(("i", ("sql",), None)) is None
    assert recent.get(("i", ("hosts",), "run 2")) is None


def test_an_analysis_of_an_earlier_version_is_left_out_where_its_fields_must_be_known() -> None:
    old = {"schema": "0", "password": "Zq81xx"}
    assert bundle._analysis(old, Redactor(KINDS, b"k")) is None
    kept = bundle._analysis(old, Redactor([], b"k"))
    assert kept is not None
    assert b'"schema": "0"' in kept
    whole = bundle._analysis(msgspec.to_builtins(ANALYSIS), Redactor(KINDS, b"k"))
    assert whole is not None
    assert b'"Stalled for 55 s."' in whole


@pytest.mark.parametrize(
    ("view", "target"),
    [("/incidents/i/raw?a=1&b=2", ' href="/incidents/i/raw?a=1&amp;b=2"'), (None, "")],
)
def test_a_source_in_the_editor_has_its_words_and_its_place(view: str | None, target: str) -> None:
    """In the report it leads to the list of sources, which the editor does not have."""
    notes = [
        given(number=number, label=f"L{number}", text='dump.txt "line"', view=view, stale=True)
        for number in (6, 7)
    ]
    shown = given(first=1, last=2, blocks=[])
    section: Any = given(key="k", text="[L7]", passages=[shown], notes=notes)
    with instead(page, render_blocks=always('<a href="#source-7">7</a>')):
        made = page._section(section)
    (block,) = made.blocks
    assert (block.first, block.last) == (1, 2)
    assert block.html == f'<a title="dump.txt &#34;line&#34;"{target}>7</a>'
    assert [note.number for note in made.notes] == [6, 7]


def test_a_part_of_a_search_that_fails_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def entry(kind: str, key: str, text: str = "") -> Any:
        return given(kind=kind, key=key, text=text)

    for name, part in list(vars(search_entries).items()):
        if inspect.isgeneratorfunction(part):
            monkeypatch.setattr(search_entries, name, always([]))
    monkeypatch.setattr(search_entries, "log", given(error=always(None)))
    first, again = entry("node", "1", "first"), entry("node", "1", "again")
    monkeypatch.setattr(search_entries, "_nodes", always([first, entry("node", "2")]))
    monkeypatch.setattr(search_entries, "_stacks", always([again, entry("stack", "1")]))
    for error in (ValueError, TypeError, KeyError, pl.exceptions.ComputeError):

        def fails(*_: object, error: type[Exception] = error) -> object:
            raise error("no")

        monkeypatch.setattr(search_entries, "_findings", fails)
        found = search_entries.search_entries(NOWHERE, evidence({}))
        assert [(each.kind, each.key) for each in found] == [
            ("node", "1"),
            ("node", "2"),
            ("stack", "1"),
        ]
        assert found[0] is first
