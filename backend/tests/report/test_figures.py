"""Figures: what they say of what they draw."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from pileup.knowledge.wait_classes import time_classes
from pileup.report.case import ReportExperiment, ReportMeasure
from pileup.report.document import (
    ClassBand,
    DeadlockDrawing,
    DeadlockTransaction,
    Drawing,
    Figure,
    GraphDrawing,
    GraphNode,
    Lane,
    LanesDrawing,
    MatrixColumn,
    MatrixDrawing,
    MatrixRow,
    Section,
    SessionsDrawing,
    SessionsMark,
    plain,
)
from pileup.report.render.figures import DENSE, LANDSCAPE, PORTRAIT, SCREEN, draw, page_width
from pileup.report.render.html import render_html
from pileup.report.render.sessions_figure import CLASS_COLOURS
from pileup.report.text.sweeps import sweeps
from tests.report.case import CASE, document


def test_a_matrix_names_hypotheses_by_their_number_not_their_place() -> None:
    """The least contradicted stands first, and is still H3."""
    columns = [
        MatrixColumn(hypothesis="the latch", label="H3"),
        MatrixColumn(hypothesis="the disk", label="H1"),
    ]
    rows = [MatrixRow(evidence="E4 stacks", kind="observation", ratings=["CC", "I"])]
    drawing = MatrixDrawing(columns=columns, rows=rows)
    svg = draw(drawing, "matrix")
    assert svg.index(">H3<") < svg.index(">H1<")
    assert "H2" not in svg


def test_a_graph_of_many_columns_stays_upright_and_a_chain_keeps_its_names() -> None:
    """A page on its side would leave the page before it half empty."""
    name = "exclusive metadata lock app.accounts"
    chain = [GraphNode(id=f"n{n}", label=name, kind="lock", depth=n) for n in range(6)]
    graph = GraphDrawing(at="", headline="", nodes=chain[:5], edges=[])
    assert page_width(graph) == PORTRAIT
    assert ">app.accounts<" in draw(graph, "graph", width=PORTRAIT)
    many = [structs.replace(chain[4], id=f"m{n}") for n in range(3)]
    assert page_width(structs.replace(graph, nodes=[*chain[:5], *many])) == DENSE
    assert page_width(structs.replace(graph, nodes=chain)) == DENSE


def _graph(*per_column: int) -> GraphDrawing:
    nodes = [
        GraphNode(id=f"{depth}-{n}", label="n", kind="lock", depth=depth)
        for depth, many in enumerate(per_column)
        for n in range(many)
    ]
    return GraphDrawing(at="", headline="", nodes=nodes, edges=[])


def _deadlock(many: int) -> DeadlockDrawing:
    transaction = DeadlockTransaction(name="t", statement="s", steps=[])
    return DeadlockDrawing(transactions=[transaction] * many, waits=[])


def _matrix(many: int) -> MatrixDrawing:
    columns = [MatrixColumn(hypothesis="h", label=f"H{n}") for n in range(many)]
    return MatrixDrawing(columns=columns, rows=[])


@pytest.mark.parametrize(
    ("drawing", "width"),
    [
        (_graph(3, 3, 3, 3), PORTRAIT),
        (_graph(2, 2, 2, 2, 2), PORTRAIT),
        (_graph(2, 2, 2, 2, 3), DENSE),
        (_graph(1, 1, 1, 1, 1, 1), DENSE),
        (_deadlock(2), PORTRAIT),
        (_deadlock(3), LANDSCAPE),
        (_matrix(4), PORTRAIT),
        (_matrix(5), LANDSCAPE),
    ],
)
def test_what_is_too_wide_for_an_upright_page(drawing: Drawing, width: int) -> None:
    assert page_width(drawing) == width


def test_the_viewer_gets_no_timeline_that_leaves_days_out() -> None:
    """It has no such axis: captures days apart keep the static picture."""
    points: list[tuple[float, float | None]] = [(0, 1), (1000, 5), (2000, None), (3000, 2)]
    later = [(at + 1e8, value) for at, value in points]
    for drawn, shown in ((points, True), ([*points, (4000, None), *later], False)):
        lane = Lane(title="threads", unit="n", points=drawn)
        figure = Figure(drawing=LanesDrawing([lane], []), caption=[], alt="timeline", number=7)
        section = Section("timeline", "Timeline", "", [figure])
        whole = structs.replace(document(CASE), sections=[section])
        data = render_html(whole, viewer="").partition('id="pileup-figures"')[2]
        data = data.partition(">")[2].partition("</script>")[0]
        assert ("7" in json.loads(data)["figures"]) == shown


def test_captures_days_apart_are_wide_enough_to_read() -> None:
    """In proportion a capture of five minutes in ten days would be less than a pixel."""
    day, minute = 86_400_000.0, 60_000.0
    points: list[tuple[float, float | None]] = []
    for begin in (0.0, 4 * day, 10 * day):
        points += [(begin + at * minute, float(at)) for at in range(6)]
        points.append((begin + 5 * minute, None))
    drawing = LanesDrawing([Lane("Threads running", "", points)], [(4 * day, 4 * day + minute)])
    svg = draw(drawing, "lanes")
    (path,) = re.findall(r'<path d="([^"]+)"', svg)
    places = [
        [float(x) for x in re.findall(r"([\d.]+),", line)] for line in path.split("M") if line
    ]
    assert [len(each) for each in places] == [6, 6, 6]
    assert all(each[-1] - each[0] > 150 for each in places)
    assert all(date in svg for date in (">01-01 00:00<", ">01-05 00:00<", ">01-11 00:00<"))
    (band,) = re.findall(r'<rect x="([\d.]+)" y="24" width="([\d.]+)"', svg)
    assert float(band[0]) == places[1][0]
    assert float(band[1]) > 30


def _runs(loads: dict[str, str], **more: object) -> list[ReportExperiment]:
    """One run per load, of a sweep without a prediction, and how it failed."""
    run = replace(CASE.experiments[0], sweep="machines", verdict=None, measures=())
    return [
        replace(run, number=n, parameters={"machines": load}, failed_same_way=failed, **more)
        for n, (load, failed) in enumerate(loads.items(), start=1)
    ]


def test_outcomes_without_values_show_the_threshold() -> None:
    figure, table = sweeps(_runs({"22": "failed", "21": "not_failed"}))
    assert isinstance(figure, Figure)
    said = "The threshold lies between 21 and 22 machines"
    assert said in plain(figure.caption)
    assert said not in plain(table.caption), "once is enough"
    svg = draw(figure.drawing, figure.alt)
    assert svg.count("<circle") == 2
    assert svg.count('fill="#fdf3dd"') == 1
    assert ">did not fail<" in svg


def test_runs_without_a_number_or_an_outcome_have_no_figure() -> None:
    (table,) = sweeps(_runs({"few": "failed", "many": "not_failed"}))
    assert "Sweep" in plain(table.caption)
    assert len(sweeps(_runs({"1": "unclear", "2": "unclear"}))) == 1


@settings(max_examples=40, deadline=None)
@given(
    values=st.lists(
        st.tuples(st.integers(-(10**9), 10**12), st.floats(allow_nan=False, allow_infinity=False)),
        min_size=2,
        max_size=8,
        unique_by=lambda pair: pair[0],
    ),
    width=st.sampled_from([420, 640, 960]),
)
def test_any_values_make_a_picture_within_its_frame(
    values: list[tuple[int, float]], width: int
) -> None:
    runs = [
        replace(run, measures=(ReportMeasure("rate", value, "1/s", "typed"),), sweep='<a> & "b"')
        for run, (_, value) in zip(
            _runs({str(load): "unclear" for load, _ in values}), values, strict=True
        )
    ]
    figure = sweeps(runs)[0]
    assert isinstance(figure, Figure)
    svg = ElementTree.fromstring(draw(figure.drawing, figure.alt, width=width))
    points = [node for node in svg.iter() if node.tag.endswith("circle")]
    assert len(points) == sum(abs(value) <= 1e300 for _, value in values)
    tall = float(svg.attrib["viewBox"].split()[3])
    for point in points:
        assert 0 <= float(point.attrib["cx"]) <= width
        assert 0 <= float(point.attrib["cy"]) <= tall


def test_classes_of_time_have_the_colours_of_the_screens() -> None:
    source = Path(__file__).parents[3] / "frontend" / "src"
    names = (source / "charts" / "classColour.ts").read_text("utf-8")
    tokens = (source / "ui" / "styles" / "tokens.css").read_text("utf-8")

    def colours(token: str) -> tuple[str, str]:
        light, dark, _ = re.findall(rf"--{token}: (#\w{{6}});", tokens)
        return light, dark

    of_class = dict(re.findall(r"(\w+): 'var\(--(cat-\d+)\)'", names))
    assert {
        each.id: colours(of_class.get(each.id, "cat-other")) for each in time_classes()
    } == CLASS_COLOURS


def test_no_line_of_a_mark_runs_through_the_label_of_another() -> None:
    second = 1000.0
    marks = [
        SessionsMark(0, "← SELECT of session 7 begins"),
        SessionsMark(30 * second, "ALTER TABLE of session 9 asks"),
        SessionsMark(31 * second, "onset"),
        SessionsMark(58 * second, "session 7 ended"),
    ]
    band = ClassBand("latch", "Latch", 1.0, [1.0, 9.0])
    drawing = SessionsDrawing([0, 60 * second], [band], [(31 * second, None)], marks=marks)
    for width in (PORTRAIT, SCREEN):
        svg = draw(drawing, "sessions", width=width)
        lines = [
            (float(x), float(y))
            for x, y in re.findall(r'<line x1="([\d.]+)" x2="\1" y1="([\d.]+)"[^>]*dasharray', svg)
        ]
        labels = re.findall(
            r'<text x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)"[^>]*>([^<]+)', svg
        )
        shown = [row for row in labels if row[3] in {mark.text for mark in marks}]
        assert len(lines) == len(shown) == len(marks)
        for x, y, anchor, words in shown:
            far = float(x) + len(words) * 5.5 * (-1 if anchor == "end" else 1)
            low, high = sorted((float(x), far))
            assert not [at for at, top in lines if top < float(y) and low < at < high], words


def test_a_burst_after_the_stall_does_not_flatten_the_fall_during_it() -> None:
    band = ClassBand("latch", "Latch", 1.0, [1.0] * 4)
    drawing = SessionsDrawing(
        [0, 1000, 2000, 3000], [band], [(1000, 2000)],
        work=[900.0, 5.0, 47_000.0, None], work_title="statements",
    )  # fmt: skip
    svg = draw(drawing, "sessions")
    assert ">990<" in svg
    assert "▲ higher than drawn" in svg
    calm = structs.replace(drawing, work=[900.0, 5.0, 950.0, 900.0])
    assert "higher than drawn" not in draw(calm, "sessions")


def test_a_lane_shows_the_fall_beside_the_burst_that_follows_it() -> None:
    values = [1900.0, 1850.0, 5.0, 4.0, 47_900.0, 1900.0]
    points: list[tuple[float, float | None]] = [(at * 1000.0, v) for at, v in enumerate(values)]
    lane = Lane(title="Queries", unit="/s", points=points)
    svg = draw(LanesDrawing([lane], [(2000, 4000)]), "lanes")
    assert ">2.09k<" in svg
    assert ">▲ 47.9k<" in svg
    assert svg.count("m-3,-3l3,-5l3,5z") == 1
    # A stall whose end was not captured may itself be the highest.
    assert "▲" not in draw(LanesDrawing([lane], [(2000, None)]), "lanes")
    rises = Lane(title="Threads", unit="", points=[(at, 1900 - (v or 0)) for at, v in points[:4]])
    assert "▲" not in draw(LanesDrawing([rises], [(2000, 4000)]), "lanes")
