"""Two sides beside each other, and the hosts of a fleet that stand out."""

from __future__ import annotations

import dataclasses
import random
from types import SimpleNamespace
from typing import Any

import pytest

from pileup.analysis.compare import compared_tables
from pileup.analysis.compare.differences import Side
from pileup.analysis.compare.fleet import fleet
from pileup.analysis.compare.sides import Group, Member
from pileup.analysis.compare.sides_comparison import compare_sides
from pileup.analysis.evidence.context import Span
from pileup.records import Frame, SemaphoreWait, Snapshot, Stack, Table
from pileup.report.comparison import text
from tests.analysis.frames import T0, S, evidence, gauge, setting, sha


def wait(line: int, *, at: int, snapshot: int) -> SemaphoreWait:
    return SemaphoreWait(
        line_first=1, line_last=1, thread_id=1, file="btr0sea.ic", line=line, waited_s=0.0,
        mode="S", wall_us=at, clock="utc", snapshot=snapshot,
    )  # fmt: skip


def dump(at: int, snapshot: int) -> Snapshot:
    return Snapshot(
        line_first=1, line_last=1, kind="innodb_status", snapshot=snapshot, wall_us=at, clock="utc"
    )


def compare(a: Side, b: Side) -> Any:
    """Two sides, with what stands on each as a and b."""
    whole = compare_sides([Group(item.label, (Member(item, None),)) for item in (a, b)], "start")

    def pair(row: Any, found: list[Any]) -> Any:
        fields = {name: getattr(row, name) for name in row.__struct_fields__}
        return SimpleNamespace(**fields | {"a": found[0], "b": found[1]})

    series = []
    for row in whole.series:
        first = pair(row, [level.median if level else None for level in row.levels])
        first.a_points, first.b_points = (level.points if level else 0 for level in row.levels)
        first.ratio = row.ratios[1].ratio if row.ratios[1] else None
        series.append(first)
    return SimpleNamespace(
        whole=whole,
        a=whole.sides[0],
        b=whole.sides[1],
        series=series,
        waits=[pair(row, row.counts) for row in whole.waits],
        stacks=[pair(row, row.counts) for row in whole.stacks],
        settings=[pair(row, row.values) for row in whole.settings],
        tables=[item.table for item in whole.tables],
        trial=whole.trials[0].trial if whole.trials else None,
        warnings=whole.warnings,
    )


def test_windows_of_one_capture() -> None:
    """Medians on both sides, the clearest difference first, what stayed is not clear."""
    found = evidence(
        {"m.csv": [gauge("m.steady", [7.0] * 60), gauge("m.jumps", [2.0] * 30 + [300.0] * 30)]}
    )
    a = Side("before", found, Span(T0, T0 + 29 * S))
    b = Side("after", found, Span(T0 + 30 * S, T0 + 59 * S))
    document = compare(a, b)
    assert [each.series for each in document.series] == ["m.jumps", "m.steady"]
    jumps, steady = document.series
    assert (jumps.a, jumps.b, jumps.ratio, jumps.clear) == (2.0, 300.0, 150.0, True)
    assert (steady.ratio, steady.clear) == (1.0, False)
    assert (jumps.a_points, jumps.b_points) == (30, 30)
    assert document.warnings == []


def test_what_one_side_lacks_is_not_zero() -> None:
    first = evidence({"a.csv": [gauge("m.x", [1.0] * 9)]})
    two = evidence({"b.csv": [gauge("m.y", [1.0] * 9)]})
    rows = {row.series: row for row in compare(Side("a", first), Side("b", two)).series}
    assert (rows["m.x"].a, rows["m.x"].b, rows["m.x"].ratio) == (1.0, None, None)
    assert (rows["m.y"].a, rows["m.y"].b, rows["m.y"].clear) == (None, 1.0, False)


def test_waits_are_per_dump() -> None:
    """Ten waits in ten dumps and one in one are the same."""
    items = [
        item
        for n in range(10)
        for item in (dump(T0 + n * S, n), wait(98, at=T0 + n * S, snapshot=n))
    ]
    later = [dump(T0 + 100 * S, 0), wait(98, at=T0 + 100 * S, snapshot=0),
             wait(136, at=T0 + 100 * S, snapshot=0)]  # fmt: skip
    document = compare(Side("a", evidence({"a": items})), Side("b", evidence({"b": later})))
    assert [(w.line, w.a, w.b) for w in document.waits] == [(136, 0.0, 1.0), (98, 1.0, 1.0)]


def test_stacks_per_sample_and_named() -> None:
    def sample(count: int) -> list[Stack | Snapshot]:
        return [
            Snapshot(line_first=1, line_last=9, kind="stacks", snapshot=0, wall_us=T0, clock="utc"),
            Stack(
                line_first=1, line_last=9, count=count, snapshot=0, wall_us=T0, clock="utc",
                frames=tuple(Frame(function=f) for f in ("rw_lock_x_lock_func", "row_ins")),
            ),
        ]  # fmt: skip

    document = compare(
        Side("a", evidence({"a": sample(4)})), Side("b", evidence({"b": sample(90)}))
    )
    (stack,) = document.stacks
    assert (stack.a, stack.b) == (4.0, 90.0)
    assert stack.stack == ["rw_lock_x_lock_func", "row_ins"]


def test_settings_that_differ_only() -> None:
    """ON and 1 are one value; a variable that only one side prints is no difference."""
    first = evidence({"a": [setting("x", "ON"), setting("y", "1"), setting("only", "1")]})
    two = evidence({"b": [setting("x", "1"), setting("y", "2")]})
    settings = compare(Side("a", first), Side("b", two)).settings
    assert [(s.name, s.a, s.b) for s in settings] == [("y", "1", "2")]


def test_what_the_kernel_counts_is_nobodys_setting() -> None:
    """`sysctl -a` prints counters among the settings: these differ between any two captures."""
    first = evidence({"a": [setting("fs.file-nr", "2552\t0\t9"), setting("fs.file-max", "9")]})
    two = evidence({"b": [setting("fs.file-nr", "2324\t0\t9"), setting("fs.file-max", "8")]})
    settings = compare(Side("a", first), Side("b", two)).settings
    assert [(s.name, s.a, s.b) for s in settings] == [("fs.file-max", "9", "8")]


def test_it_says_which_side_did_better() -> None:
    """Only where both tell how many sessions ran and what they got done."""
    found = evidence(
        {
            "m": [
                gauge("m.threads_running", [5.0] * 40 + [201.0] * 40),
                gauge("m.qps", [800.0] * 40 + [400.0] * 40, kind="rate"),
            ]
        }
    )
    calm = Side("calm", found, Span(T0, T0 + 39 * S))
    document = compare(calm, Side("stall", found, Span(T0 + 40 * S, T0 + 79 * S)))
    assert document.trial is not None
    assert document.trial.verdict == "worse"
    assert document.trial.text == (
        "B is worse than A: 502 ms inside the server per statement "
        "(201 sessions running, 400 statements/s), "
        "against 6.25 ms (5 sessions running, 800 statements/s). Sessions and rates are medians."
    )
    assert f"=  {document.trial.text}" in text(document.whole, 5).splitlines()
    silent = compare(calm, Side("settings", evidence({"a": [setting("x", "ON")]})))
    assert silent.trial is None
    assert "=  " not in text(silent.whole, 5)


def test_bundles_and_hosts_as_sides() -> None:
    found = evidence(
        {
            "a.csv": [gauge("m.x", [1.0] * 9, host="db-1"), gauge("m.x", [9.0] * 9, host="db-2")],
            "b.csv": [gauge("m.x", [5.0] * 9, host="db-1", start=T0 + 100 * S)],
        }
    )
    by_host = compare(Side("db-1", found, host="db-1"), Side("db-2", found, host="db-2"))
    assert by_host.series[0].b == 9.0
    assert "Different hosts: db-1 and db-2." in by_host.warnings
    a, b = (Side(n, found, artifacts=frozenset({sha(n)})) for n in ("a.csv", "b.csv"))
    assert compare(a, b).series[0].b == 5.0


def test_it_warns_of_what_cannot_be_compared() -> None:
    long = evidence({"a": [gauge("m.x", [1.0] * 400), setting("version", "8.0.15")]})
    short = evidence({"b": [gauge("m.x", [1.0] * 20), setting("version", "5.6.24"), dump(T0, 0)]})
    warnings = compare(Side("a", long), Side("b", short)).warnings
    assert any("8.0.15 and 5.6.24" in warning for warning in warnings)
    assert any("different length" in warning for warning in warnings)
    assert any("Only “b” has status dumps" in warning for warning in warnings)
    empty = dataclasses.replace(short, frames={})
    assert "is empty" in compare(Side("a", long), Side("none", empty)).warnings[0]


def test_the_host_of_a_fleet_that_differs() -> None:
    """One of twenty hosts reads five times the pages, and one has another setting."""
    random.seed(3)
    files = {
        f"h{n:02}": [
            gauge("m.reads", [(500.0 if n == 7 else 100.0) + random.random() * 4] * 30,
                  host=f"h{n:02}"),
            gauge("m.alike", [10.0] * 30, host=f"h{n:02}"),
            setting("hostname", f"h{n:02}"),
            setting("spin", "6" if n != 3 else "60"),
        ]
        for n in range(20)
    }  # fmt: skip
    document = fleet(evidence(files), None)
    assert len(document.hosts) == 20
    assert [item.host for item in document.differing] == ["h07", "h03"]
    assert [s.series for s in document.differing[0].series] == ["m.reads"]
    assert [(s.name, s.host_value, s.fleet_value) for s in document.differing[1].settings] == [
        ("spin", "60", "6")
    ]
    assert document.text == "2 of 20 hosts differ from the others: h07, h03."


def test_two_hosts_are_no_fleet() -> None:
    found = evidence({"a": [gauge("m.x", [1.0] * 9, host=h) for h in ("db-1", "db-2")]})
    assert fleet(found, None).differing == []


def table(*rows: tuple[str, ...], at: int = T0) -> Table:
    return Table(
        line_first=1, line_last=9, name="digest", columns=("query", "ms"), rows=rows,
        wall_us=at, clock="utc",
    )  # fmt: skip


def test_tables_tell_what_appeared_went_and_changed() -> None:
    """The last table of each side, the largest change first; what is equal is not shown."""
    first = evidence(
        {"a": [table(("q1", "999")), table(("q1", "5"), ("q2", "7"), ("q4", "1"), at=T0 + S)]}
    )
    two = evidence({"b": [table(("q1", "10"), ("q3", "7"), ("q4", "100"))]})
    (found,) = compare(Side("a", first), Side("b", two)).tables
    assert (found.appeared, found.gone, found.changed, found.keys) == (1, 1, 2, ["query"])
    assert [(row.state, row.key, row.a, row.b, row.ratio) for row in found.rows] == [
        ("changed", ["q4"], "1", "100", 100.0),
        ("changed", ["q1"], "5", "10", 2.0),
        ("appeared", ["q3"], None, None, None),
        ("gone", ["q2"], None, None, None),
    ]
    page = text(compare(Side("a", first), Side("b", two)).whole, 25)
    assert [line.split() for line in page.splitlines()[-5:]] == [
        ["digest", "A", "B"],
        ["q4", "ms", "1", "100"],
        ["q1", "ms", "5", "10"],
        ["q3", "-", "appeared"],
        ["q2", "-", "gone"],
    ]


def test_tables_that_say_nothing_are_left_out() -> None:
    """The same rows, and a table that one side alone has."""
    first = evidence({"a": [table(("q1", "5"))]})
    same = evidence({"b": [table(("q1", "5"))]})
    assert compare(Side("a", first), Side("b", same)).tables == []
    assert compare(Side("a", first), Side("b", evidence({}))).tables == []
    assert compare(Side("a", first), Side("a", first)).tables == []


def test_rows_that_share_a_key_are_not_counted() -> None:
    first = evidence({"a": [table(("q1", "5"), ("q1", "x"))]})
    two = evidence({"b": [table(("q1", "6"), ("q1", "x"), ("q1", "x"))]})
    (found,) = compare(Side("a", first), Side("b", two)).tables
    assert (found.appeared, found.changed, found.rows) == (None, None, [])
    assert found.note


def test_rows_shown_of_a_table_are_bounded() -> None:
    first = evidence({"a": [table(*((f"q{n}", "1") for n in range(3000)))]})
    two = evidence({"b": [table(*((f"q{n}", str(n + 2)) for n in range(3000)))]})
    (found,) = compare(Side("a", first), Side("b", two)).tables
    assert found.changed == 3000
    assert [row.key for row in found.rows[:2]] == [["q2999"], ["q2998"]]
    assert len(found.rows) == 10


def test_a_table_without_a_time_is_in_no_window_and_said() -> None:
    """Nothing tells whether it was taken in the window: it is left out, and named."""
    whole = evidence(
        {
            "m": [gauge("mysql.Questions", [1.0] * 60)],
            "digest.txt": [dataclasses.replace(table(("q1", "5")), wall_us=None, clock=None)],
        }
    )
    windows = [Side("A", whole, Span(T0, T0 + 9 * S)), Side("B", whole, Span(T0 + 20 * S, T0 + S))]
    (said,) = [warning for warning in compare(*windows).warnings if "no time" in warning]
    assert "digest.txt line 1" in said
    assert "Clock tab" in said
    assert not [
        warning
        for warning in compare(Side("A", whole), Side("B", whole)).warnings
        if "time" in warning
    ]


@pytest.mark.parametrize(
    ("a", "b", "is_same"),
    [
        ("x", "x", True),
        ("1.0", "1", True),
        (None, None, True),
        ("x", "y", False),
        ("1", None, False),
    ],
)
def test_a_cell_is_the_same_as_text_or_as_a_number(
    a: str | None, b: str | None, is_same: bool
) -> None:
    runs: Any = SimpleNamespace(spread=lambda *_: None)
    row: Any = SimpleNamespace(key="k")
    cell: Any = SimpleNamespace(before=a, after=b)
    assert (compared_tables._spread(row, "c", cell, (runs, runs)) is None) == is_same
