"""Several sides and repeated runs: each number is known by thought."""

from __future__ import annotations

import pytest

from pileup.analysis.compare.differences import Side
from pileup.analysis.compare.overlay import overlay
from pileup.analysis.compare.sides import Group, Member, NotAlignedError
from pileup.analysis.compare.sides_comparison import compare_sides
from pileup.records import Table
from pileup.report.comparison import as_csv, as_markdown
from tests.analysis.frames import T0, S, evidence, gauge, setting


def run(
    label: str, level: float, *, start: int = T0, onset: int | None = None, ahi: str = "ON"
) -> Member:
    """A minute at a level, then half a minute at ten times it."""
    found = evidence(
        {
            "m": [
                gauge("mysql.Threads_running", [level] * 60 + [level * 10] * 30, start=start),
                gauge("m.steady", [7.0] * 90, start=start),
                setting("innodb_adaptive_hash_index", ahi),
            ]
        }
    )
    return Member(Side(label, found), start + 60 * S)


def group(label: str, *members: Member) -> Group:
    return Group(label, members)


def test_three_sides_have_a_column_each() -> None:
    """Ratios are over the first; what is steady is not clear; settings tell who differs."""
    document = compare_sides(
        [group("a", run("a", 2)), group("b", run("b", 40)), group("c", run("c", 2, ahi="OFF"))]
    )
    top = document.series[0]
    assert (top.series, top.clear) == ("mysql.Threads_running", True)
    assert [level.median for level in top.levels if level] == [2, 40, 2]
    assert [ratio and ratio.ratio for ratio in top.ratios] == [None, 20, 1]
    steady = next(each for each in document.series if each.series == "m.steady")
    assert steady.clear is False
    (changed,) = document.settings
    assert changed.values == ["ON", "ON", "OFF"]
    assert [side.label for side in document.sides] == ["a", "b", "c"]


def test_any_side_can_be_the_reference() -> None:
    """Ratios and tables are over the third; nothing else moves its column."""
    sides = [group("a", run("a", 2)), group("b", run("b", 40)), group("c", run("c", 4))]
    document = compare_sides(sides, reference=2)
    top = document.series[0]
    assert [level.median for level in top.levels if level] == [2, 40, 4]
    assert [ratio and ratio.ratio for ratio in top.ratios] == [0.5, 10, None]
    said = as_markdown(document)
    assert "A/C | B/C |" in said
    assert "- **C** c" in said
    assert "the reference" in said
    assert "40 (40 to 400; n 90)" in said
    assert as_csv(document).splitlines()[0].endswith("A/C,A/C low,A/C high,B/C,B/C low,B/C high")


def results(label: str, *qps: str) -> Member:
    """One run that printed a results table: a row per number of clients."""
    made = Table(
        line_first=1, line_last=9, name="results", columns=("clients", "qps"), wall_us=T0,
        rows=tuple((clients, rate) for clients, rate in zip(("8", "16"), qps, strict=True)),
        clock="utc",
    )  # fmt: skip
    return Member(Side(label, evidence({label: [made]})), None)


def test_results_of_several_runs_are_medians_with_their_spread() -> None:
    """3 runs before, 2 after: median, least, most, n; one run alone is as printed."""
    runs = [results("a1", "100", "7"), results("a2", "120", "7"), results("a3", "90", "7")]
    after = [results("b1", "210", "7"), results("b2", "190", "7")]
    document = compare_sides([group("after", *after), group("before", *runs)], "start", None, 1)
    (first,) = document.tables
    (cell,) = first.table.rows
    assert (first.side, cell.column, cell.a, cell.b) == (0, "qps", "100", "200")
    assert (cell.change, cell.ratio) == ("100", 2.0)
    assert cell.a_runs is not None
    assert cell.b_runs is not None
    assert (cell.a_runs.low, cell.a_runs.high, cell.a_runs.runs) == (90, 120, 3)
    assert (cell.b_runs.low, cell.b_runs.high, cell.b_runs.runs) == (190, 210, 2)
    assert "| 8 qps | 200 (190 to 210; 2 runs) | 100 (90 to 120; 3 runs) |" in as_markdown(document)
    alone = compare_sides([group("a", runs[0]), group("b", after[0])], "start").tables[0]
    assert (alone.table.rows[0].a, alone.table.rows[0].a_runs) == ("100", None)


def test_a_cell_changed_when_the_medians_differ() -> None:
    """Whatever the first runs print: they alone agree for 8 clients, and differ for 16."""
    before = [results(f"a{n}", *rates) for n, rates in enumerate((("100", "7"), ("20", "9")))]
    after = [results(f"b{n}", *rates) for n, rates in enumerate((("100", "9"), ("300", "7")))]
    (first,) = compare_sides([group("before", *before), group("after", *after)], "start").tables
    (cell,) = first.table.rows
    assert (cell.key, cell.a, cell.b, first.table.changed) == (["8"], "60", "200", 1)


def test_one_run_varies_by_its_samples() -> None:
    """Quartiles: a third of the samples lies at ten times the rest."""
    document = compare_sides([group("a", run("a", 2)), group("b", run("b", 40))])
    spread = document.series[0].levels[1]
    assert spread is not None
    assert (spread.low, spread.median, spread.high, spread.runs) == (40, 40, 400, 1)
    ratio = document.series[0].ratios[1]
    assert ratio is not None
    assert (ratio.low, ratio.ratio, ratio.high) == (2, 20, 200)


def test_where_files_overlap_every_second_counts_once() -> None:
    """A second file of the busier half hour moves no median: it is of the same seconds."""
    level = [float(10 + at % 7) for at in range(60)]
    both = {
        "a": [gauge("metric.qps", level)],
        "b": [gauge("metric.qps", [value - 0.5 for value in level[:20]])],
    }
    twice = Member(Side("both", evidence(both)), T0)
    once = Member(Side("one", evidence({"a": both["a"]})), T0)
    document = compare_sides([group("both", twice), group("one", once)])
    (series,) = [each for each in document.series if each.series == "metric.qps"]
    levels = [
        level and (level.median, level.low, level.high, level.points) for level in series.levels
    ]
    assert levels[0] == levels[1]


def test_several_runs_vary_from_run_to_run() -> None:
    """Median of the medians, least and most; clear only where every run differs clearly."""
    before = group("before", run("b1", 100), run("b2", 110), run("b3", 130))
    after = group("after", run("a1", 10), run("a2", 11), run("a3", 13))
    document = compare_sides([before, after])
    top = document.series[0]
    spread = top.levels[1]
    assert spread is not None
    assert (spread.low, spread.median, spread.high, spread.runs, spread.points) == (
        10, 11, 13, 3, 270,
    )  # fmt: skip
    ratio = top.ratios[1]
    assert ratio is not None
    assert ratio.ratio == pytest.approx(0.1)
    assert (ratio.low, ratio.high) == (pytest.approx(10 / 130), pytest.approx(13 / 100))
    assert top.clear
    once = compare_sides([before, group("after", run("a1", 10), run("a2", 100))])
    assert not once.series[0].clear


def test_a_window_around_the_onset_narrows_all() -> None:
    """Ten seconds after each one's own onset, however far apart the runs were."""
    later = T0 + 86_400 * S
    groups = [group("a", run("a", 2)), group("b", run("b", 3, start=later))]
    document = compare_sides(groups, "onset", (0.0, 10.0))
    found = next(each for each in document.series if each.series == "mysql.Threads_running")
    assert [level and (level.median, level.points) for level in found.levels] == [
        (20, 11),
        (30, 11),
    ]
    begin = compare_sides(groups, "start", (0.0, 10.0))
    found = next(each for each in begin.series if each.series == "mysql.Threads_running")
    assert [level and level.median for level in found.levels] == [2, 3]
    with pytest.raises(NotAlignedError, match="needs alignment"):
        compare_sides(groups, "clock", (0.0, 10.0))


def test_without_a_stall_there_is_no_onset() -> None:
    calm = Member(run("calm", 2).side, None)
    with pytest.raises(NotAlignedError, match="calm has no stall"):
        overlay([group("a", run("a", 2)), group("calm", calm)], "m.steady", "onset")


def test_an_overlay_has_one_axis() -> None:
    """Second 0 is each one's onset; by the clock it is the clock."""
    groups = [group("a", run("a", 2)), group("b", run("b", 3, start=T0 + 3600 * S))]
    lines = overlay(groups, "mysql.Threads_running", "onset").lines
    assert [(item.side, item.points[0][0], item.points[-1][0]) for item in lines] == [
        (0, -60, 29),
        (1, -60, 29),
    ]
    clock = overlay(groups, "mysql.Threads_running", "clock").lines
    assert clock[1].points[0][0] - clock[0].points[0][0] == 3600
    many = Member(Side("x", evidence({"m": [gauge("m.x", [1.0] * 5000)]})), None)
    (line,) = overlay([group("x", many)], "m.x", "start").lines
    assert len(line.points) <= 301
