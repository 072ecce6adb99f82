"""Views on little evidence and without a database, for the tests of their limits: three of each."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from unittest import mock

import polars as pl
from msgspec import structs

from pileup.analysis.evidence import series
from pileup.analysis.evidence.table_diff import CellChange, RowChange
from pileup.views import overview, search_entries
from pileup.views.artifacts import artifact_records, excerpts, mapping_preview, pasted, record_text
from pileup.views.evidence import capture_tables, moved, queries, timeline
from pileup.views.evidence.deadlocks import deadlocks
from pileup.views.evidence.first_lanes import first_lanes
from pileup.views.reasoning import similar
from pileup.views.reasoning.result_table import Cells, Column, runs_of
from pileup.views.reports import case, case_evidence, export
from pileup.views.source import EvidenceSource
from pileup.views.window import Window
from tests.analysis.frames import T0, S, evidence, gauge
from tests.api.test_table_tabs import CNF, a_deadlock, trx, variable
from tests.views.evidence import test_first_lanes


def records_of_lines() -> object:
    """Records of two kinds at the same lines, three of each."""
    frame = pl.DataFrame({"line_first": [1, 1, 1], "line_last": [3, 4, 5]}).lazy()
    artifact: Any = SimpleNamespace(records={"event": 3, "setting": 3})
    with mock.patch.object(artifact_records, "_scan", return_value=frame):
        return artifact_records.records_at(mock.Mock(), artifact, 1, 9)


def records_of_kind() -> object:
    frame = pl.DataFrame({"line_first": [1, 1, 1], "line_last": [3, 4, 5]}).lazy()
    return artifact_records._at(frame, "event", 1, 9)


def excerpt() -> object:
    reader = mock.Mock()
    reader.excerpt.return_value = ["line one", "line two"]
    with mock.patch.object(excerpts.Excerpts, "_reader", return_value=reader):
        return excerpts.Excerpts(mock.Mock(), mock.Mock(), ()).read("a", 1, 2)


def excerpt_of_ranges() -> object:
    with mock.patch.object(excerpts.Excerpts, "read", return_value="line one\nline two"):
        return excerpts.Excerpts(mock.Mock(), mock.Mock(), ()).read_ranges("a", [(1, 2), (4, 5)])


def mapped_table() -> object:
    row = SimpleNamespace(line=1, cells=["one", "two", "three"], time=None, problems=())
    problem = SimpleNamespace(line=2, column=None, message="no number", found="three")
    seen: Any = SimpleNamespace(
        rows=[row], rows_read=1, rows_timed=0, problems=[problem], problem_count=1,
        series=[gauge(name, [1.0]) for name in ("a", "b", "c")],
    )  # fmt: skip
    return mapping_preview._seen(seen)


def cells_of_mapped_table() -> object:
    seen: Any = mapped_table()
    return [cell for row in seen["rows"] for cell in row.cells]


def cell_errors() -> object:
    seen: Any = mapped_table()
    return [error.found for error in seen["cell_errors"]]


def series_of_mapped_table() -> object:
    seen: Any = mapped_table()
    return seen["series"]


def problems_of_paste() -> object:
    found: Any = pasted.parse_with_fallback

    def with_problems(parse_as: Any) -> Any:
        parsed = found(parse_as)
        problems = [SimpleNamespace(line=n, message=f"problem {n}") for n in (1, 2, 3)]
        return replace(parsed, problems=problems)

    with mock.patch.object(pasted, "parse_with_fallback", with_problems):
        return pasted.understand("a = 1\n").problems


def frames_of_record() -> object:
    frames = [{"function": "fsync_of_a_log", "file": None, "library": None, "line": None}]
    return record_text._render_value("stack", "frames", frames)


def items_of_record() -> object:
    return record_text._render_value("deadlock", "transactions", ["one", "two"])


def value_of_record() -> object:
    return record_text._render_value("query", "query", "SELECT 1")


def record_in_a_line() -> object:
    return record_text.in_one_line("query", {"query": "SELECT a FROM t"})


def blanks_before_a_word() -> object:
    """A line is read to four times its length: what stands behind so many blanks is not seen."""
    return record_text._short("a" + " " * 7 + "b")


def compared_settings() -> object:
    """The number of settings tables that are compared, as the one call says."""
    source = EvidenceSource(
        evidence(
            {
                "variables": [variable("port", "3306")],
                **{f"{n}.cnf": [variable("port", str(n), **CNF)] for n in range(4)},
            }
        )
    )
    page: Any = SimpleNamespace(source=source, _different=lambda _: None, _known=lambda _: None)
    made = mock.Mock(wraps=capture_tables.setting_table)
    with mock.patch.object(capture_tables, "setting_table", made):
        capture_tables._Page.settings(page, mock.Mock(findings=[]))
    return [call.args[2] for call in made.call_args_list if call.args[2] is not None]


def cell_of_capture() -> object:
    return capture_tables._cut("a text of words")


def deadlock_of_three() -> object:
    parts = [trx(n, None, f"record app.t{n} PRIMARY X", f"UPDATE t{n} SET a=1") for n in (1, 2, 3)]
    source = EvidenceSource(evidence({"status": [a_deadlock(1, *parts, line=1)]}))
    found = deadlocks(source, Window(), lambda _: (), {})
    return [deadlock.transactions for deadlock in found.items]


def shape_of_digest() -> object:
    table = {"artifact": "a", "line_first": 1, "line_last": 1, "columns": ["query"]}
    return queries._digest_row(table, ["SELECT a FROM t"]).shape


def key_of_entry() -> object:
    return search_entries._entry("session", "a key", "").key


def title_of_entry() -> object:
    return search_entries._entry("session", "", "a title").title


def hint_of_entry() -> object:
    return search_entries._entry("session", "", "", hint="a hint").hint


def lanes() -> object:
    return first_lanes(test_first_lanes.ALL, test_first_lanes.parts())


def moved_series() -> object:
    quiet, loud = [10.0, 11.0] * 30, [200.0] * 60
    found = evidence({"m": [gauge(f"metric.{name}", [*quiet, *loud]) for name in "abc"]})
    values = series.values(found.frame("sample"))
    start = datetime.fromtimestamp(T0 / S, UTC) + timedelta(seconds=60)
    with mock.patch.object(moved, "_values", return_value=values):
        return moved.moved_in(mock.Mock(), start, start + timedelta(seconds=60))


def blocking() -> object:
    at = "2026-11-20T22:00:00Z"
    blockers = [
        {
            "id": str(n), "holder": "h", "first": at, "last": at,
            "blocks_total": 1000, "inferred": False,
        }
        for n in range(3)
    ]  # fmt: skip
    return timeline.strips(None, blockers).blocking


def events_of_timeline() -> object:
    return timeline._shortened(
        [{"time": f"22:0{n}", "severity": None, "message": "a message"} for n in range(3)]
    )


def _runs() -> Any:
    head = ["a long name", "rate", "result"]
    columns = [
        Column("a long name", "parameter", ""),
        Column("rate of all", "value", ""),
        Column("result", "outcome", ""),
    ]
    (run,), _ = runs_of(Cells(head, [["a long value", "5", "fine"]], [2], []), columns, ())
    return run


def names_of_values() -> object:
    return [value.name for value in _runs().values]


def names_of_parameters() -> object:
    return list(_runs().parameters)


def values_of_parameters() -> object:
    return list(_runs().parameters.values())


class _Known:
    """Four incidents alike, as storage would tell of them."""

    def __init__(self, _: object) -> None:
        self._features = {f"finding:{n}": f"finding {n}" for n in range(3)}
        self._mine = self._features | {f"check:{n}": f"check {n}" for n in range(3)}
        self._other = self._features | {f"latch:{n}": f"latch {n}" for n in range(3)}

    def symptoms(self, ids: list[str]) -> dict[str, Any]:
        def of(name: str) -> Any:
            features = self._mine if name == "mine" else self._other
            return SimpleNamespace(id=name, title=name, onset=None, features=features, cause=None)

        return {name: of(name) for name in ids}

    def similar(self, _: object, most: int) -> list[str]:
        return [f"other {n}" for n in range(4)][:most]

    def of_incident(self, _: str) -> list[Any]:
        return []


def _similar() -> list[similar.SimilarIncident]:
    with (
        mock.patch.object(similar, "Incidents", _Known),
        mock.patch.object(similar, "Hypotheses", _Known),
    ):
        return similar.similar_incidents(mock.Mock(), "mine")


def similar_incidents() -> object:
    return [each.id for each in _similar()]


def features_shared() -> object:
    return _similar()[0].shared


def features_only_here() -> object:
    return _similar()[0].only_here


def features_only_there() -> object:
    return _similar()[0].only_there


def lanes_of_report() -> object:
    """The series that are drawn: those of the plans."""
    names = ("a", "b", "c")
    analysis: Any = SimpleNamespace(
        series=[
            SimpleNamespace(
                id=name, kind="gauge", unit=None, name=name, labels="", host=None,
                first="2026-11-20T22:00:00Z", last="2026-11-20T22:01:00Z",
            )
            for name in names
        ],
        stalls=[], captures=[],
    )  # fmt: skip
    drawn = mock.Mock(return_value=())
    with ExitStack() as patches:
        for name, instead in (
            ("_drawn_lanes", drawn),
            ("lane_title", lambda each: each.id),
            ("_captured", lambda _: ()),
            ("main_stall", lambda _: None),
        ):
            patches.enter_context(mock.patch.object(case, name, instead))
        case._lanes(mock.Mock(), "incident", analysis, names)
    return list(drawn.call_args.args[3])


def query_of_node() -> object:
    names = structs.fields(case.contract.WaitNode)
    node: Any = SimpleNamespace(**{each.name: None for each in names})
    node.locators, node.stack, node.query = [], [], "SELECT 1"
    return dict(case._detail(node))


def whole_row() -> object:
    cells = tuple(CellChange(None, str(n), None, None) for n in (1, 2, 3))
    return case_evidence._whole_row(RowChange("added", ("k",), cells), ("a", "b", "c"))


def replaced_values() -> object:
    values = [
        SimpleNamespace(kind="hosts", value=f"db-{n}", token=f"host-{n}", occurrences=n)
        for n in (3, 2, 1)
    ]
    redactor = mock.Mock(replaced=lambda: values)
    with ExitStack() as patches:
        for name, instead in (
            ("redaction_kinds", lambda *_: ["hosts"]),
            ("_chosen", lambda *_: None),
            ("only", lambda *_: None),
            ("_redacted", lambda *_: (None, redactor)),
        ):
            patches.enter_context(mock.patch.object(export, name, instead))
        choices = export.ExportChoices(redact="hosts")
        return export.redaction_counts(mock.Mock(), mock.Mock(), mock.Mock(), choices)


def overview_with(parts: dict[str, Any], *artifacts: Any, stall: str | None = None) -> Any:
    """The overview of an analysis with these parts, and of these files."""
    incident: Any = SimpleNamespace(id="i")
    state = SimpleNamespace(state="done", started_at=None, finished_at=None, error=None)
    answers = {
        "Analyses": SimpleNamespace(parts=lambda *_: parts),
        "Jobs": SimpleNamespace(analysis_state=lambda _: state),
        "Artifacts": SimpleNamespace(of_incident=lambda _: list(artifacts)),
        "Pins": SimpleNamespace(unanswered=lambda _: 7),
    }
    with ExitStack() as stack:
        for name, answer in answers.items():
            stack.enter_context(mock.patch.object(overview, name, lambda _, answer=answer: answer))
        return overview.build_overview(mock.Mock(), incident, stall)


_LISTS = ("findings", "shifts", "hot_waits", "hot_latches", "hot_stacks", "deadlock_patterns")


def overview_of_three() -> object:
    parts: dict[str, Any] = {name: [{"id": n} for n in range(3)] for name in _LISTS}
    blocker = {"holder": "h", "blocks_total": 3}
    parts |= {"limits": [{"verdict": "near"}] * 3, "blockers": [blocker] * 3}
    made = overview_with(parts)
    return {name: getattr(made, name) for name in (*_LISTS, "limits", "blockers")}


def _list_of_overview(name: str) -> object:
    made: Any = overview_of_three()
    return {name: made[name]}


def hot_waits() -> object:
    return _list_of_overview("hot_waits")


def hot_latches() -> object:
    return _list_of_overview("hot_latches")


def hot_stacks() -> object:
    return _list_of_overview("hot_stacks")
