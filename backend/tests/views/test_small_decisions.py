"""Small decisions of the views with a value on each side."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from pydantic import TypeAdapter, ValidationError

from pileup.analysis.evidence.times import iso_of
from pileup.analysis.waits import over_time
from pileup.records import Samples
from pileup.storage.errors import NotFound
from pileup.views import overview, search_entries
from pileup.views.artifacts import artifact_records, mapping_preview
from pileup.views.artifacts.tables import stored_tables
from pileup.views.evidence import capture_tables, moved, nearest_sessions, timeline
from pileup.views.evidence.waits import Shape, StoredWaits
from pileup.views.reasoning import matrix, result_table
from pileup.views.reasoning.result_table import cells_of
from pileup.views.reports import case, page
from pileup.views.samples import record_case
from pileup.views.samples.case_file import Percent, read_time
from tests.analysis.frames import T0


@pytest.mark.parametrize(("block_type", "name"), page._KINDS)
def test_a_passage_is_of_the_kind_of_one_of_its_blocks(block_type: Any, name: str) -> None:
    types = block_type if isinstance(block_type, tuple) else (block_type,)
    for each in types:
        block = mock.Mock(spec=each)
        assert page._kind([mock.Mock(), block]) == name
    assert page._kind([mock.Mock()]) == "text"


@pytest.mark.parametrize(("format_", "version"), [(None, None), (None, 1), ("a", None)])
def test_what_no_parser_has_read_has_no_tables(format_: str | None, version: int | None) -> None:
    artifact: Any = SimpleNamespace(sha256="0", format=format_, parser_version=version)
    frames: Any = SimpleNamespace()  # is not looked at
    assert stored_tables(frames, artifact) == []


@pytest.mark.parametrize(
    ("values", "shown"),
    [([3.0, None, -1.0, 7.0], (3, -1, 7)), ([None, None], (0, None, None)), ([], (0, None, None))],
)
def test_a_previewed_series_counts_the_numbers_it_has(values: list[Any], shown: Any) -> None:
    times = list(range(len(values)))
    samples = Samples("metric.n", "gauge", "pages", "utc", times, values, times, (("a", "b"),), "h")
    series = mapping_preview._series(samples)
    assert (series.values, series.low, series.high) == shown
    assert (series.name, series.kind, series.unit, series.host) == (
        "metric.n",
        "gauge",
        "pages",
        "h",
    )
    assert series.labels == "a=b"


def test_a_confidence_is_from_nothing_to_a_hundred() -> None:
    known = TypeAdapter(Percent)
    assert [known.validate_python(value) for value in (0, 100)] == [0, 100]
    for value in (-1, 101):
        with pytest.raises(ValidationError):
            known.validate_python(value)


def test_a_row_of_the_heat_lane_keeps_what_the_engine_found() -> None:
    row = over_time.HeatRow("latch", "a latch", "buf0buf.cc", "db-1", [(2_000_500, 3)], 9)
    shown = timeline._heat_row(row)
    assert (shown.kind, shown.label, shown.detail, shown.host, shown.peak, shown.cells) == (
        "latch", "a latch", "buf0buf.cc", "db-1", 9, [(2000.5, 3)]
    )  # fmt: skip


def test_what_the_knowledge_base_has_not_has_no_meaning() -> None:
    known, unknown = ("Query", "Waiting for table metadata lock"), ("Unheard of", "Unheard of")
    rows = [
        {"state": state, "query": "SELECT 1", "command": command, "time_s": 1.0}
        for command, state in (known, unknown)
    ]
    meanings = {group.state: group.meaning for group in nearest_sessions._groups(rows)}
    assert meanings[known[1]]
    assert meanings[unknown[1]] is None


def _us(minutes: float) -> int:
    return round((T0 / 60e6 + minutes) * 60e6)


def _iso(minutes: float) -> str:
    return iso_of(_us(minutes))


@pytest.mark.parametrize(
    ("stall", "capture", "chosen", "window"),
    [
        (None, None, {}, (0, 60)),
        # a minute on each side, and half of a longer stall
        ((30, 31, None), None, {}, (29, 32)),
        ((30, 32, None), None, {}, (29, 33)),
        ((30, 40, None), None, {}, (25, 45)),
        # without an end, as long as it is known to have lasted
        ((30, None, 600.0), None, {}, (25, 45)),
        ((30, None, None), None, {}, (29, 31)),
        # not beyond what is drawn, nor beyond the capture that holds the onset
        ((2, 58, None), None, {}, (0, 60)),
        ((30, 40, None), (28, 41), {}, (28, 41 + 0.999999 / 60)),
        ((30, 40, None), (31, 41), {}, (25, 45)),
        ((30, 40, None), None, {"start": _iso(1)}, (1, 45)),
        ((30, 40, None), None, {"end": _iso(59)}, (25, 59)),
    ],
)
def test_a_figure_shows_the_time_around_the_stall(
    stall: Any, capture: Any, chosen: Any, window: tuple[float, float]
) -> None:
    series = SimpleNamespace(
        id="a",
        kind="gauge",
        unit=None,
        name="a",
        labels="",
        host=None,
        first=_iso(0),
        last=_iso(60),
    )
    known = stall and SimpleNamespace(
        onset=_iso(stall[0]), end=stall[1] and _iso(stall[1]), duration_s=stall[2]
    )
    captures = [SimpleNamespace(first=_iso(capture[0]), last=_iso(capture[1]))] if capture else []
    analysis: Any = SimpleNamespace(series=[series], captures=captures)
    drawn = mock.Mock(return_value=())
    with (
        mock.patch.object(case, "_drawn_lanes", drawn),
        mock.patch.object(case, "_captured", return_value=()),
        mock.patch.object(case, "lane_title", lambda each: each.id),
        mock.patch.object(case, "main_stall", return_value=known),
    ):
        case._lanes(mock.Mock(), "incident", analysis, ("a",), **chosen)
    assert drawn.call_args.args[4] == tuple(map(_us, window))


@pytest.mark.parametrize(
    ("against", "shape", "at_us", "is_stored"),
    [
        (None, Shape(), 7, True),
        ("then", Shape(), 7, False),
        (None, Shape(fold="none"), 7, False),
        (None, Shape(opened=("a",)), 7, False),
        (None, Shape(find="a"), 7, False),
        (None, Shape(), 8, False),
    ],
)
def test_what_the_worker_stored_answers_the_first_graph_alone(
    against: Any, shape: Shape, at_us: int, is_stored: bool
) -> None:
    stored = SimpleNamespace(at_us=at_us)
    placed: Any = SimpleNamespace(ready=lambda *_: stored)
    graphs: Any = SimpleNamespace(placed=placed, incident_id="i", _instant=lambda _: 7)
    assert (StoredWaits._first(graphs, 7, against, shape) is stored) is is_stored
    graphs.placed = SimpleNamespace(ready=lambda *_: None)
    assert StoredWaits._first(graphs, 7, against, shape) is None


def test_a_row_of_results_may_have_empty_cells() -> None:
    """One with nothing but empty cells is none."""
    cells = cells_of("threads,qps,result\n8,900,ok\n,,\n16,,ok\n")
    assert cells.head == ["threads", "qps", "result"]
    assert cells.rows == [["8", "900", "ok"], ["16", "", "ok"]]
    assert cells.lines == [2, 4]


@pytest.mark.parametrize(
    ("written", "at", "precision"),
    [
        (datetime(2026, 11, 20, 22, 5), "2026-11-20T22:05:00+00:00", "exact"),  # noqa: DTZ001
        (datetime(2026, 11, 20, 22, 5, tzinfo=UTC), "2026-11-20T22:05:00+00:00", "exact"),
        (date(2026, 11, 20), "2026-11-20T00:00:00+00:00", "day"),
        (" 2026-11-20T22:05:00 ", "2026-11-20T22:05:00+00:00", "exact"),
        ("2026-11-20T22:05:00+02:00", "2026-11-20T22:05:00+02:00", "exact"),
        ("about 2026-11-20T22:05", "2026-11-20T22:05:00+00:00", "about"),
    ],
)
def test_a_time_of_a_story(written: Any, at: str, precision: str) -> None:
    found = read_time(written)
    assert found.at is not None
    assert (found.at.isoformat(), found.precision) == (at, precision)


# ---- what stands in the evidence -------------------------------------------------------------


@pytest.mark.parametrize(
    ("format_", "version", "kind", "found"),
    [
        ("gdb", 1, "event", True),
        ("gdb", 1, "stack", False),
        ("gdb", 1, "table", False),
        (None, 1, "event", False),
        ("gdb", None, "event", False),
    ],
)
def test_records_are_read_of_what_was_counted(
    format_: str | None, version: int | None, kind: str, found: bool
) -> None:
    """A kind that is not counted is not looked for, even where a frame of it is left over."""
    frames: Any = mock.Mock()
    frames.scan_kind.side_effect = lambda _, wanted: None if wanted == "table" else wanted
    artifact: Any = SimpleNamespace(
        sha256="0", path="a.txt", format=format_, parser_version=version,
        records={"event": 3, "table": 1},
    )  # fmt: skip
    if found:
        assert artifact_records._scan(frames, artifact, kind) == kind
    else:
        with pytest.raises(NotFound, match=f"a.txt holds no records of the kind {kind!r}"):
            artifact_records._scan(frames, artifact, kind)


def test_a_long_text_of_a_table_is_cut() -> None:
    most = capture_tables._TEXT
    assert capture_tables._cut(f"a \n\t {'x' * (most - 2)}") == f"a {'x' * (most - 2)}"
    assert capture_tables._cut("x" * (most + 1)) == "x" * (most - 1) + "…"


@pytest.mark.parametrize(
    ("known", "leading", "shown"),
    [
        (["a", "b", "c"], ["b"], "b"),
        (["a", "b", "c"], ["c", "b"], "b"),
        (["a", "b"], [], "a"),
        (["a", "b"], ["z"], "a"),
        ([], ["a"], None),
    ],
)
def test_the_capture_with_the_leading_stall_is_drawn(
    known: list[str], leading: list[str], shown: str | None
) -> None:
    parts = {
        "captures": [
            {"id": "bare", "active_sessions": None},
            *({"id": name, "active_sessions": {"x": 1}} for name in known),
        ],
        "episodes": [
            *({"capture": name, "leading": True} for name in leading),
            {"capture": "a", "leading": False},
            {"capture": "c"},
        ],
    }
    assert overview._shown_capture(parts).get("id") == shown


@pytest.mark.parametrize(
    ("seconds", "step"), [(1, 1666), (600, 1_000_000), (6000, 10_000_000), (0.0001, 1)]
)
def test_a_window_is_compared_in_so_many_steps(seconds: float, step: int) -> None:
    stored: Any = mock.Mock()
    stored.of.return_value = []
    start = datetime(2026, 11, 20, 22, 0, tzinfo=UTC)
    with (
        mock.patch.object(moved, "buckets_of", side_effect=LookupError) as buckets,
        pytest.raises(LookupError),
    ):
        moved.window_lanes(stored, (), start, start + timedelta(seconds=seconds))
    assert buckets.call_args.args[3] == step


def test_a_window_without_a_capture_inside_is_one_part() -> None:
    """One that only touches it has no part of its own."""
    whole = [(0, 100, case.FIGURE_PIXELS)]
    assert case._parts([(0, 0), (10, 10), (100, 200)], 0, 100) == whole
    assert case._parts([(0, 10), (100, 200)], 0, 100) == whole
    assert len(case._parts([(0, 10), (50, 60)], 0, 100)) > 1


def test_only_lines_with_bars_are_rows_of_a_table_with_bars() -> None:
    lines = [(1, "a | b"), (2, "---+---"), (3, "1 | 2"), (4, "two rows")]
    assert result_table._split(lines) == [(1, ["a", "b"]), (3, ["1", "2"])]
    bare = [(1, "a\tb"), (2, "1\t2"), (3, "x")]
    assert result_table._split(bare) == [(1, ["a", "b"]), (2, ["1", "2"]), (3, ["x"])]


def test_the_locks_between_holder_and_victims_are_found() -> None:
    """By name, with what they are behind; the sessions beside them have entries of their own."""
    links = [
        SimpleNamespace(role=role, title=title, detail="d")
        for role, title in (
            ("resource", "a latch"),
            ("trigger", "Session 2"),
            ("resource", "metadata lock app.t"),
            ("victims", "9 sessions"),
        )
    ]
    roots: list[Any] = [SimpleNamespace(time="2026-11-20T22:00:00Z")]
    document: Any = SimpleNamespace(story=SimpleNamespace(chain=links), roots=roots)
    assert [
        (entry.kind, entry.title, entry.hint, entry.at) for entry in search_entries._chain(document)
    ] == [
        ("wait", "a latch", "d", datetime(2026, 11, 20, 22, tzinfo=UTC)),
        ("wait", "metadata lock app.t", "behind Session 2", datetime(2026, 11, 20, 22, tzinfo=UTC)),
    ]
    roots.clear()
    assert [entry.at for entry in search_entries._chain(document)] == [None, None]
    document.story = None
    assert list(search_entries._chain(document)) == []


def test_what_is_searched_of_an_analysis() -> None:
    """A stack without a frame has no name; a finding is hinted at by why it was found."""
    document: Any = SimpleNamespace(
        hot_stacks=[
            SimpleNamespace(stack=[], meaning="x", signature=None, share=0.5, threads=1.0),
        ],
        findings=[
            SimpleNamespace(
                known_as=[], id=name, title=name, why=why, explanation="explained", category="c",
                role=role,
            )
            for name, why, role in (("a", "seen", "problem"), ("b", "", "symptom"))
        ],
    )  # fmt: skip
    assert list(search_entries._stacks(document)) == []
    found = list(search_entries._findings(document))
    assert [(each.hint, each.weight) for each in found] == [("seen", 1.0), ("explained", 0.5)]


@pytest.mark.parametrize(
    ("latch", "title"),
    [
        ("btr_search_latch", "adaptive hash latch (created btr0sea.cc:193)"),
        ("of no entry", "created btr0sea.cc:193"),
        (None, "created btr0sea.cc:193"),
    ],
)
def test_a_latch_is_found_by_its_name_in_words(latch: str | None, title: str) -> None:
    printed = "created btr0sea.cc:193"
    hot = SimpleNamespace(label=printed, latch=latch, meaning="m", max_at=None, share=0.5)
    document: Any = SimpleNamespace(roots=[], blockers=[], hot_latches=[hot], hot_waits=[])
    assert [(each.key, each.title) for each in search_entries._nodes(document)] == [
        (printed, title)
    ]


def test_a_time_of_a_report_is_a_time() -> None:
    assert case._us("2026-11-20T22:00:00Z") == 1795212000000000
    with pytest.raises(ValueError, match="'yesterday' is not a time"):
        case._us("yesterday")


@pytest.mark.parametrize(("count", "shown"), [(0, []), (1, [0]), (3, [0, 1, 2]), (4, [0, 2, 3])])
def test_of_many_moments_some_are_asked_about(
    monkeypatch: pytest.MonkeyPatch, count: int, shown: list[int]
) -> None:
    """The first, the last, and others evenly between."""
    monkeypatch.setattr(matrix, "_MOMENTS", 3)
    moments = [datetime(2026, 11, 20, 22, n, tzinfo=UTC) for n in range(count)]
    assert [each.minute for each in matrix._spread(moments)] == shown


def test_moments_of_waits_come_from_what_is_placed_first() -> None:
    """All waits are read only where the first answers are not there yet, and there is a run."""
    asked: list[str] = []

    def moments_of(ready: Any, run: Any, waits: Any) -> object:
        def read(what: str, answer: Any) -> Any:
            asked.append(what)
            return answer

        placed: Any = SimpleNamespace(
            ready=lambda *_: read("first", ready),
            run=lambda *_: read("run", run),
            waits=lambda *_: read("waits", waits),
        )
        asked.clear()
        found = StoredWaits(mock.Mock(), placed, "i").moments()
        return [moment.artifact for moment in found], "waits" in asked

    def listed(*times: int | None) -> Any:
        return [
            SimpleNamespace(
                time=time, artifact=f"a{time}", snapshot=0, kind="stack_sample", waiters=1,
                lock_waits=None, max_waited_s=None,
            )
            for time in times
        ]  # fmt: skip

    first: Any = SimpleNamespace(moments=listed(T0, None, T0 + 1))
    with mock.patch("pileup.views.evidence.waits.moments", lambda waits: waits):
        assert moments_of(first, "run", listed(T0 + 2)) == ([f"a{T0}", f"a{T0 + 1}"], False)
        assert moments_of(first, None, None) == ([f"a{T0}", f"a{T0 + 1}"], False)
        assert moments_of(None, "run", listed(T0 + 2, None)) == ([f"a{T0 + 2}"], True)
        assert moments_of(None, "run", None) == ([], True)
        assert moments_of(None, None, None) == ([], False)


def test_a_section_is_rendered_as_if_its_text_were_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass
    class Written:
        template: str
        sections: dict[str, str]

    def draft(case: Any) -> Any:
        return [SimpleNamespace(key=key, text=case.sections.get(key, "")) for key in "abc"]

    parts = [SimpleNamespace(key=key) for key in "abc"]
    monkeypatch.setattr(page, "template", lambda _: SimpleNamespace(parts=parts))
    monkeypatch.setattr(page, "draft", draft)
    monkeypatch.setattr(page, "draft_of_text", lambda _, text: SimpleNamespace(key="x", text=text))
    monkeypatch.setattr(page, "_section", lambda section: (section.key, section.text))
    case: Any = Written("t", {"a": "first", "b": "second"})
    assert page.section_page(case, "b", "new") == ("b", "new")
    assert page.section_page(case, "c", "new") == ("c", "new")
    assert page.section_page(case, "z", "new") == ("x", "new")


def test_a_note_of_a_case_ends_when_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    created: list[Any] = []
    at = datetime(2026, 11, 20, 22, tzinfo=UTC)
    notes = [
        SimpleNamespace(
            at=SimpleNamespace(at=at, precision="exact"), end=end, text="t", kind="note"
        )
        for end in (None, SimpleNamespace(at=at + timedelta(hours=1)))
    ]
    monkeypatch.setattr(
        record_case, "Annotations",
        lambda _: SimpleNamespace(create=lambda *some, **named: created.append(some)),
    )  # fmt: skip
    monkeypatch.setattr(record_case, "_moment", lambda moment: moment.at)
    work: Any = mock.MagicMock(incident_id="i")
    for note in notes:
        note_case: Any = mock.MagicMock(notes=[note], actions=[])
        recorder = next(
            value for value in vars(record_case).values()
            if isinstance(value, type) and hasattr(value, "_notes_and_actions")
        )  # fmt: skip
        recorder._notes_and_actions(work, note_case)
    assert [some[1:3] for some in created] == [(at, None), (at, at + timedelta(hours=1))]
