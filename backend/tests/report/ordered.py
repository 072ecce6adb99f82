"""Direct calls of the report's sorts: three rivals in the wrong order, and a tie."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from pileup.report import comparison, compose, ticket
from pileup.report.redaction import passwords, spans
from pileup.report.redaction.known_values import KnownValues
from pileup.report.redaction.redactor import ALL_KINDS, Redactor
from pileup.report.render import (
    column_widths,
    figure_tables,
    figures,
    markdown,
    scripts,
    sweep_figure,
    word_document,
)
from pileup.report.text import (
    active_time,
    cover,
    deadlock_block,
    event_table,
    evidence_blocks,
    executive,
    live_blocks,
    prefill,
    source_notes,
    stall_table,
    sweeps,
)

Scene = Callable[[], object]
_AT = datetime(2026, 11, 20, 22, 0, tzinfo=UTC)


def given(**fields: Any) -> Any:
    return SimpleNamespace(**fields)


def later(seconds: float) -> datetime:
    return _AT + timedelta(seconds=seconds)


# ---- sentences ---------------------------------------------------------------------------------


def stacks_of_sides() -> object:
    """By how far the sides are apart, then by name."""
    rows = [("c", [1.0, 2.0]), ("b", [1.0, 9.0]), ("d", [1.0, 99.0]), ("a", [1.0, 9.0])]
    document: Any = given(
        stacks=[given(set_aside=False, signature=name, counts=counts) for name, counts in rows]
    )
    return list(comparison._by_name(document))


def contributors() -> object:
    step = lambda at, by: given(at=later(at), by=by)  # noqa: E731
    note = lambda at, by: given(start=later(at), author=by)  # noqa: E731
    case: Any = given(
        hypotheses=[given(history=[step(9, "last"), step(5, "third")])], noticed=[note(1, "first")],
        annotations=[note(3, "second")], owner="owner",
    )  # fmt: skip
    return compose._contributors(case)


def _hypotheses(*confidences: int | None, status: str = "supported") -> list[Any]:
    return [
        given(
            label=f"H{n}", statement=f"statement {n}", confidence=sure, status=status,
            finding_id=f"f{n}", history=[given(confidence=sure or 0, at=later(0))],
        )
        for n, sure in enumerate(confidences, start=1)
    ]  # fmt: skip


def conclusion_on_the_cover() -> object:
    analysis = given(headline=given(story="", text=""), story=None, findings=[])
    case: Any = given(analysis=analysis, template="", hypotheses=_hypotheses(10, 90, 50))
    found = cover.cover(case)
    return found and found.story


def conclusion_for_readers() -> object:
    case: Any = given(hypotheses=_hypotheses(10, 90, 50))
    best = executive._best(case)
    return best and best.statement


def supported() -> object:
    case: Any = given(hypotheses=_hypotheses(10, None, 90, 50))
    return [each.label for each in prefill._supported(case)]


def leading() -> object:
    """A supported one before one that is surer."""
    listed = [*_hypotheses(95, status="active"), *_hypotheses(10, 80, 50)]
    found = prefill._leading(given(hypotheses=listed))
    return found and (found.status, found.confidence)


def leading_without_support() -> object:
    found = prefill._leading(given(hypotheses=_hypotheses(10, 80, 50, status="active")))
    return found and found.confidence


def disagreement() -> object:
    findings = [given(id=f"f{n}", score=0.5) for n in (9, 3, 1, 2)]
    case: Any = given(analysis=given(findings=findings), hypotheses=_hypotheses(10, 20, 30))
    with mock.patch.object(prefill, "_supported", return_value=case.hypotheses):
        return prefill._disagreement(case)


def more_artifacts() -> object:
    """Of those that are not listed: the number of each format, most first."""
    formats = ["x", "b", "a", "a", "c", "c", "c"]
    artifacts = [
        given(clock=None, path=f"{n}", format=name, first=None, problems=[], sha256="0" * 64)
        for n, name in enumerate(formats)
    ]
    case: Any = mock.MagicMock()
    case.analysis.artifacts = artifacts
    with mock.patch.object(prefill, "MOST_ARTIFACTS", 1):
        text = prefill._appendix(case)
    return text[text.index("6 more artifacts (") :].partition(")")[0]


def classes_of_time(*, rows: bool) -> object:
    classes = [
        given(title=name, share=share, seconds=None)
        for name, share in (("b", 0.2), ("a", 0.2), ("most", 0.5), ("least", 0.1))
    ]
    doc: Any = given(classes=classes, peak=3, peak_at=None, seconds=None)
    return active_time.class_rows(doc) if rows else active_time.time_sentence(doc)


def latest_deadlock() -> object:
    known = [
        given(time=time, kind_label=name, why="", artifact="a", line_first=1)
        for time, name in (("2026-02", "second"), (None, "untimed"), ("2026-01", "first"))
    ]
    with (
        mock.patch.object(deadlock_block, "drawing_of", return_value=given(transactions=[])),
        mock.patch.object(deadlock_block, "Figure", lambda _, caption, __: caption[0].text),
        mock.patch.object(deadlock_block, "at", return_value=""),
    ):
        case: Any = given(analysis=given(deadlocks=known))
        return [
            str(deadlock_block.deadlock(case, {"number": str(n)}, lambda _: 1)[0])[:14]
            for n in (1, 2, 3)
        ]


def events() -> object:
    listed = [given(at=later(at), text=name) for at, name in ((9, "c"), (1, "a"), (5, "b"))]
    with (
        mock.patch.object(event_table, "_captured", return_value=listed),
        mock.patch.object(event_table, "_done", return_value=[given(at=later(5), text="b")]),
        mock.patch.object(event_table, "_in_time", lambda event: event.at),
    ):
        return [event.text for event in event_table.timeline_events(given(analysis=object()))]


def _setting(name: str, host: str, value: str) -> Any:
    return given(name=name, host=host, value=value, artifact="a", line_first=1, source="")


def sides_of_settings() -> object:
    settings = [_setting(name, host, "1") for host in ("h2", "h1") for name in ("c", "a", "b")]
    sides = evidence_blocks._setting_sides(settings, given(analysis=None))
    return {host: list(names) for host, names in sides.items()}


def settings_that_differ() -> object:
    sides = {
        host: {name: _setting(name, host, host) for name in names}
        for host, names in {"h1": ("c", "a", "b"), "h2": ("b", "c", "a")}.items()
    }
    case: Any = given(analysis=given(settings=[]))
    with (
        mock.patch.object(evidence_blocks, "_setting_sides", return_value=sides),
        mock.patch.object(evidence_blocks, "table", lambda _, rows, *__: [r[0] for r in rows]),
    ):
        return [str(block) for block in evidence_blocks.settings_differences(case, {}, lambda _: 1)]


def run_with_most_symptoms() -> object:
    answers = [
        [(1, False), (2, True), (3, True), (4, None)], [(1, True), (2, True), (3, True), (4, True)]
    ]  # fmt: skip
    return evidence_blocks._symptoms_caption(answers)


def unknown_argument() -> object:
    directive: Any = given(
        name=next(iter(live_blocks.BLOCKS)), arguments={"z": "", "c": "", "d": ""}
    )
    (block,) = live_blocks.expand(given(), directive, lambda _: 1)
    return block


def lane_that_moved_first() -> object:
    shifts = [
        given(series=name, first_moved_s=moved, baseline=1.0, stall=2.0)
        for name, moved in (("b", 3.0), ("a", -5.0), ("c", 1.0), ("d", None))
    ]
    analysis = given(shifts=shifts, series=[given(id=name) for name in "abcd"])
    lanes: Any = tuple(given(title=name) for name in "abcd")
    with (
        mock.patch.object(live_blocks, "lane_title", lambda series: series.id),
        mock.patch.object(live_blocks, "stall_spans", return_value=[]),
    ):
        return live_blocks._lanes_caption(given(analysis=analysis), lanes, True, None)


def leading_line() -> object:
    """The leading hypothesis, and its steps in the order of recording."""
    hypotheses = _hypotheses(10, 90, 50, status="active")
    step = lambda at, sure: given(at=later(0), recorded_at=later(at), confidence=sure)  # noqa: E731
    hypotheses[1].history = [step(9, 20), step(1, 30), step(9, 10), step(5, 90)]
    with (
        mock.patch.object(live_blocks, "_step_time", lambda step, _: getattr(
            step, "recorded_at", step.at)),
        mock.patch.object(live_blocks, "recorded_afterwards", return_value=False),
    ):  # fmt: skip
        (figure,) = live_blocks._confidence(
            given(hypotheses=hypotheses), {"time": "recorded"}, lambda _: 1
        )
    return figure.caption[0].text, figure.drawing.lines[1].steps  # type: ignore[union-attr]


def least_contradicted() -> object:
    columns = [given(hypothesis=f"H{n}", inconsistency=of) for n, of in enumerate((3.0, 1.0, 2.0))]
    case: Any = given(matrix=given(rows=[1], columns=columns))
    with mock.patch.object(live_blocks, "Figure", lambda _, caption, __: caption[0].text):
        return str(live_blocks._matrix(case, {}, lambda _: 1)[0])


def longest_excerpt_first() -> object:
    """An excerpt that a longer one contains is left out, whichever note comes first."""
    notes = source_notes.Notes.__new__(source_notes.Notes)
    excerpts = {1: "b", 2: "a\nb\nc", 3: "b\nc"}
    made = {
        number: source_notes.Note(
            label=f"n{number}", number=number, text=f"note {number}", view="", stale=False,
            excerpt=excerpt, artifact="f",
        )
        for number, excerpt in excerpts.items()
    }  # fmt: skip
    notes._notes = made  # type: ignore[assignment]
    with mock.patch.object(source_notes.Notes, "_alike", return_value={}):
        listed = notes.listed(source_notes.Quotations())
    return [(note.number, note.text, note.excerpt) for note in listed]


def longest_quotation_first() -> object:
    quoted = source_notes.Quotations()
    for text in ("b\nc", "a\nb\nc\nd", "z"):
        quoted.add(text, "above", "f")
    return quoted.without_quoted("x\na\nb\nc\nd\nz", "f")


def stalls_in_time() -> object:
    episode = lambda onset: given(stall=given(onset=onset), capture="c")  # noqa: E731
    capture = given(id="x", first="2026-02", host="h", verdict="calm", episodes=[])
    analysis = given(
        captures=[capture], episodes=[episode("2026-03"), episode("2026-01")], recurrence=None
    )
    with (
        mock.patch.object(stall_table, "_stall", return_value=("", "", "")),
        mock.patch.object(stall_table, "when", lambda begins: begins),
        mock.patch.object(stall_table, "table", lambda _, rows, *__: [row[0] for row in rows]),
    ):
        return stall_table.stalls(given(analysis=analysis), {}, lambda _: 1)


def _runs(*parameters: dict[str, str]) -> list[Any]:
    return [
        given(number=n, sweep="s", parameters=each, verdict=None, measures=())
        for n, each in enumerate(parameters, start=1)
    ]


def _swept(runs: list[Any]) -> object:
    with (
        mock.patch.object(sweeps, "_word", return_value=""),
        mock.patch.object(sweeps, "_result", lambda same: "+".join(str(r.number) for r in same)),
        mock.patch.object(sweeps, "table", lambda head, rows, *_: (head, rows)),
    ):
        return sweeps._table(runs, "")


def rows_of_a_sweep() -> object:
    """In the order of their numbers, with the parameters by name."""
    return _swept(_runs(*({"c": v, "a": "1", "b": "2"} for v in ("16", "2", "128"))))


def pivot_of_a_sweep() -> object:
    """The parameter with more values goes down."""
    values = [("1", "16"), ("2", "2"), ("2", "128"), ("1", "128"), ("1", "2")]
    return _swept(_runs(*({"a": a, "b": b} for a, b in values)))


def shifts_of_a_ticket() -> object:
    shifts: Any = [
        given(same_as=None, first_moved_s=moved, score=1.0, text=f"{moved}")
        for moved in (9.0, -3.0, 1.0)
    ]
    block = ticket._shifts(shifts)
    return block and block.rows


def sources_of_a_ticket() -> object:
    files = {"z": None, "x": None, "y": None, "a": "one", "b": "two", "c": "two", "d": "three"}
    artifacts = [given(path=path, format=how, clock=given(how=how)) for path, how in files.items()]
    block = ticket._sources(given(artifacts=artifacts))  # type: ignore[arg-type]
    return block.text if hasattr(block, "text") else block.lines, block.rows


# ---- what is drawn and written -----------------------------------------------------------------


def shortest_columns() -> object:
    table: Any = given(head=["long", "x", "mid"], rows=[["a" * 24, "b" * 3, "c" * 20]])
    with mock.patch.object(column_widths, "_letters", len):
        return column_widths.column_letters(table, 34)


def values_of_a_lane() -> object:
    lane: Any = given(title="t", unit="", points=[(3000, 9.0), (1000, 1.0), (2000, 5.0), (0, 9.0)])
    return figure_tables._lane(lane, UTC)


def _node(name: str, blocks: int, *, root: bool = False, depth: int = 1) -> Any:
    return given(id=name, label=name, blocks_total=blocks, root=root, depth=depth)


_NODES = [
    _node("c", 1), _node("r2", 5, root=True, depth=0), _node("b", 3), _node("a", 3),
    _node("r1", 5, root=True, depth=0), _node("deep", 9, depth=2),
    _node("r3", 9, root=True, depth=0),
]  # fmt: skip


def tree_of_waits() -> object:
    edges = [(name, "r1", "") for name in ("c", "b", "a", "deep")]
    graph: Any = given(nodes=_NODES, edges=edges)
    return [(depth, node.id) for depth, node in figure_tables._tree(graph)]


def graph_of_waits() -> object:
    """Each column from the largest; the columns from the roots."""
    drawn: list[tuple[str, float]] = []

    def node(each: Any, start: float, top: float, _: float) -> tuple[str, float]:
        drawn.append((each.id, start))
        return "", 10.0

    graph: Any = given(nodes=_NODES, edges=[])
    with mock.patch.object(figures, "_node", node):
        figures._graph(graph, "", 900)
    return drawn


def lines_of_confidence() -> object:
    lines = [given(label=f"H{sure}", steps=[(0, 5), (9, sure)]) for sure in (10, 90, 50)]
    written: list[str] = []

    def text(_x: float, _y: float, words: str, **_: Any) -> str:
        written.append(words)
        return ""

    with mock.patch.object(figures, "text_at", text):
        figures._confidence(given(lines=lines), "", 900, UTC)
    return [words for words in written if "H" in words]


def edge_from_the_left() -> object:
    return figures._edge(("a", "b"), (300.0, 5.0), (10.0, 9.0), 90.0, "waits_for")


def marks_of_runs() -> object:
    """The mark that goes on for longer is the outer one."""
    run = lambda text, **marks: given(  # noqa: E731
        text=text, code=False, note=None, href=None, **{"strong": False, "emphasis": False} | marks
    )
    runs: Any = [run("a", strong=True, emphasis=True), run("b", emphasis=True)]
    marks = lambda each: [  # noqa: E731
        *(["**"] if each.strong else []),
        *(["*"] if each.emphasis else []),
    ]
    with (
        mock.patch.object(markdown, "_marks", marks),
        mock.patch.object(markdown, "_run", lambda each, **_: each.text),
    ):
        return markdown._runs(runs)


def letters_that_no_font_has() -> object:
    with mock.patch.object(scripts, "_have", return_value=frozenset()):
        return scripts.unseen(["ก", "אא", "ဗဗဗ"])


def fonts_that_are_read() -> object:
    read: list[str] = []
    folder = given(glob=lambda of: [Path(f"{name}{of[1:]}") for name in "cab"])
    with (
        mock.patch.object(scripts, "FONTS", folder),
        mock.patch.object(Path, "read_bytes", lambda path: read.append(path.name) or b""),
        mock.patch.object(scripts, "_cmap", return_value=set()),
    ):
        getattr(scripts._have, "__wrapped__", scripts._have)()
    return read


def labels_of_a_sweep() -> object:
    """From the top of the picture down."""
    series = [given(label=f"line {y}", points=[y]) for y in (90.0, 10.0, 50.0)]
    written: list[str] = []

    def text(_x: float, _y: float, words: str, **_: Any) -> str:
        written.append(words)
        return ""

    scales = given(y=lambda point: point, right=100.0)
    with (
        mock.patch.object(sweep_figure, "_scales", return_value=scales),
        mock.patch.object(sweep_figure, "_frame", return_value=[]),
        mock.patch.object(sweep_figure, "_series", return_value=""),
        mock.patch.object(sweep_figure, "_text", text),
    ):
        sweep_figure.draw_sweep(given(series=series), 900, ["a"], [""])
    return written


def scales_of_a_sweep() -> object:
    """Good outcomes before wrong ones, each by name."""
    wrong = sorted(sweep_figure.WRONG)[:1]
    points: Any = [
        given(value=None, outcome=outcome, load=load)
        for outcome, load in zip((*wrong, "z", "y"), (9.0, 1.0, 5.0), strict=True)
    ]
    drawing: Any = given(measure=None, series=[])
    scales = sweep_figure._scales(drawing, points, 900)
    return scales.loads, scales.outcomes


def members_of_a_document() -> object:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        for name in ("word/b", "word/a", "[Content_Types].xml", "_rels/x"):
            made.writestr(name, "")
    with zipfile.ZipFile(io.BytesIO(word_document._still(data.getvalue(), _AT))) as still:
        return still.namelist()


# ---- what is taken out -------------------------------------------------------------------------


def longest_known_value() -> object:
    known = KnownValues.__new__(KnownValues)
    values = {"ann": "user", "ann smith": "user", "ann smith jones": "user"}
    known._kinds = dict(values)  # type: ignore[assignment]
    known._lengths = {"ann": {3, 15, 9}}  # type: ignore[assignment]
    return [span.value for span in known._find("by ann smith jones today")]


def windows_of_passwords() -> object:
    """Found by several marks, which stand in no order."""
    text = "\n".join(("a", "password=x", "b" * 400, "identified by 'x'", "c" * 400, "u:p@h:3306"))
    return list(passwords._windows(text))


def unknown_kind() -> object:
    with pytest.raises(ValueError, match="no kind") as raised:
        Redactor({"z", "c", "d"}, b"")
    return str(raised.value)[:26]


def replaced_values() -> object:
    """Per kind, the most frequent first, equals by what they are."""
    redactor = Redactor(ALL_KINDS[1:3], b"key")
    first, second = ALL_KINDS[:2]
    counts = {(second, "x"): 9, (first, "b"): 2, (first, "c"): 5, (first, "a"): 2}
    redactor._seen.update(counts)
    return [(row.kind == first, row.value) for row in redactor.replaced()]


def spans_in_order() -> object:
    rows = [(5, 9, "d"), (0, 3, "a"), (2, 6, "b"), (0, 2, "c"), (20, 22, "e")]
    given_ = [spans.Span(start, end, kind, "v") for start, end, kind in rows]
    return [(span.start, span.end, span.kind) for span in spans.merged(given_)]


ORDERED: dict[str, Scene | tuple[Scene, ...]] = {
    "comparison _by_name": stacks_of_sides,
    "compose _contributors": contributors,
    "redaction.known_values KnownValues._longest": longest_known_value,
    "redaction.passwords _windows": windows_of_passwords,
    "redaction.redactor Redactor.__init__": unknown_kind,
    "redaction.redactor Redactor.replaced": replaced_values,
    "redaction.spans merged": spans_in_order,
    "render.column_widths column_letters": shortest_columns,
    "render.figure_tables _lane": values_of_a_lane,
    "render.figure_tables _tree": tree_of_waits,
    "render.figures _confidence": lines_of_confidence,
    "render.figures _edge": edge_from_the_left,
    "render.figures _graph": graph_of_waits,
    "render.markdown _runs": marks_of_runs,
    "render.scripts _have": fonts_that_are_read,
    "render.scripts unseen": letters_that_no_font_has,
    "render.sweep_figure _scales": scales_of_a_sweep,
    "render.sweep_figure draw_sweep": labels_of_a_sweep,
    "render.word_document _still": members_of_a_document,
    "text.active_time class_rows": lambda: classes_of_time(rows=True),
    "text.active_time time_sentence": lambda: classes_of_time(rows=False),
    "text.cover cover": conclusion_on_the_cover,
    "text.deadlock_block deadlock": latest_deadlock,
    "text.event_table timeline_events": events,
    "text.evidence_blocks _setting_sides": sides_of_settings,
    "text.evidence_blocks _symptoms_caption": run_with_most_symptoms,
    "text.evidence_blocks settings_differences": settings_that_differ,
    "text.executive _best": conclusion_for_readers,
    "text.live_blocks _confidence": leading_line,
    "text.live_blocks _lanes_caption": lane_that_moved_first,
    "text.live_blocks _matrix": least_contradicted,
    "text.live_blocks expand": unknown_argument,
    "text.prefill _appendix": more_artifacts,
    "text.prefill _disagreement": disagreement,
    "text.prefill _leading": (leading, leading_without_support),
    "text.prefill _supported": supported,
    "text.source_notes Notes.listed": longest_excerpt_first,
    "text.source_notes Quotations.without_quoted": longest_quotation_first,
    "text.stall_table stalls": stalls_in_time,
    "text.sweeps _pivot": pivot_of_a_sweep,
    "text.sweeps _table": (rows_of_a_sweep, pivot_of_a_sweep),
    "ticket _shifts": shifts_of_a_ticket,
    "ticket _sources": sources_of_a_ticket,
}
