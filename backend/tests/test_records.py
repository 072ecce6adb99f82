"""Records by themselves: what is not given is not known, columns are rows, zones are offsets."""

from __future__ import annotations

import dataclasses
import inspect
from dataclasses import dataclass
from typing import Any

import polars as pl
import pytest

from pileup import records
from pileup.records import bulk, columns, zones
from pileup.records.bulk import Grid

OTHERWISE = {
    ("Problem", "severity"): "warning",
    ("Section", "level"): 0,
    ("Section", "understood"): True,
    ("Snapshot", "complete"): True,
    ("Snapshot", "time_quality"): "unknown",
    ("Stack", "samples"): 1,
}
"""Fields that are something where a parser does not give them."""


def test_a_field_that_is_not_given_is_nothing() -> None:
    """Not read is not zero, and no flag is set by itself."""
    defaults = {}
    for name, kind in inspect.getmembers(records, inspect.isclass):
        for field in dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ():
            default = field.default
            if field.default_factory is not dataclasses.MISSING:
                default = field.default_factory()
            if default is not dataclasses.MISSING:
                defaults[name, field.name] = default
    assert len(defaults) > 200
    something = {
        place: default
        for place, default in defaults.items()
        if default is not None and default is not False and default not in ((), "")
    }
    assert something == OTHERWISE


def test_the_largest_number_of_eight_bytes() -> None:
    """A printed thread id or address above it is no number of the server."""
    assert records.UINT64_MAX.to_bytes(8, "big") == b"\xff" * 8


def grid(width: int, moments: int) -> Grid:
    names = [f"s{at}" for at in range(width)]
    nothing = pl.lit(None, pl.String)
    series = pl.DataFrame({"series": names}).with_columns(
        labels=pl.lit(""), kind=pl.lit("gauge"), unit=nothing, host=nothing
    )
    return Grid(
        series,
        "utc",
        pl.Series([1_000_000 * at for at in range(moments)]),
        pl.Series([10 * at for at in range(moments)]),
        pl.Series(list(range(width))),
        pl.Series([float(at) for at in range(width * moments)]),
    )


@pytest.mark.parametrize(
    ("width", "rows", "heights"),
    [(1, 3, [3, 3, 1]), (1, 7, [7]), (1, 1, [1] * 7), (4, 2, [4] * 7), (2, 4, [4, 4, 4, 2])],
)
def test_a_grid_is_its_rows_in_frames_of_about_so_many(
    width: int, rows: int, heights: list[int]
) -> None:
    """At least one moment in each."""
    found = list(grid(width, 7).frames(rows))
    assert [frame.height for frame in found] == heights
    whole = pl.concat(found)
    assert whole["value"].to_list() == [float(at) for at in range(7 * width)]
    assert whole["line_first"].to_list() == [10 * at + of for at in range(7) for of in range(width)]
    assert whole["wall_us"].to_list() == [1_000_000 * at for at in range(7) for _ in range(width)]


def test_abbreviations_are_offsets_that_a_country_uses() -> None:
    """Quarters of an hour; summer time is an hour ahead."""
    known = zones._ABBREVIATIONS
    assert {name for name, minutes in known.items() if minutes % 15} == set()
    assert all(zones._WEST <= minutes <= zones._EAST for minutes in known.values())
    summer = [name for name in known if name.endswith("DT") and f"{name[:-2]}ST" in known]
    assert len(summer) > 5
    for name in summer:
        assert known[name] - known[f"{name[:-2]}ST"] == 60, name


@pytest.mark.parametrize(
    ("name", "minutes"),
    [
        ("+02", 120), ("+2", 120), ("-08:00", -480), ("-0830", -510), ("UTC+05:45", 345),
        ("GMT-3", -180), (" +01:00 ", 60), ("+00:59", 59), ("+00:60", None), ("+14:00", 840),
        ("+14:01", None), ("-12:00", -720), ("-12:01", None), ("pst", -480), ("Z", 0),
        ("02:00", None), ("", None), ("  ", None), ("Nowhere/City", None),
        ("x" * 65, None),
    ],
)  # fmt: skip
def test_a_zone_with_a_fixed_offset(name: str, minutes: int | None) -> None:
    found = zones.time_zone(name)
    expected = None if minutes is None else zones.TimeZone(name.strip(), minutes)
    assert found == expected


def test_zones_of_places_have_their_rules() -> None:
    assert zones.time_zone("Europe/Berlin") == zones.TimeZone("Europe/Berlin", None)
    assert [zones.fixed(minutes) for minutes in (-721, 841)] == [None, None]
    west, east = zones.fixed(-720), zones.fixed(840)
    assert (west, east) == (zones.TimeZone("-12:00", -720), zones.TimeZone("+14:00", 840))
    texts = {-480: "-08:00", 0: "+00:00", -0.4: "-00:00", 59.6: "+01:00", 345: "+05:45"}
    assert {minutes: zones.offset_text(minutes) for minutes in texts} == texts
    printed = {name: zones.printed_offset(name) for name in ("CET", "IST", "CST", "BST", "xyz")}
    assert printed == {"CET": 60, "IST": None, "CST": None, "BST": None, "xyz": None}


@pytest.mark.parametrize("few", [0, 5, 6, 7, 5000])
def test_groups_of_rows_are_the_same_with_few_and_with_many(
    monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(columns, "FEW", few)
    found = columns.group_of_rows([3, 1, 0, 2])
    assert (found.to_list(), found.dtype) == ([0, 0, 0, 1, 3, 3], pl.Int64())
    assert columns.group_of_rows([]).to_list() == []


@pytest.mark.parametrize("few", [0, 3, 4, 200])
def test_lists_are_cut_the_same_with_few_and_with_many(
    monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(columns, "_FEW_LISTS", few)
    items = pl.Series(["a", "b", "c"])
    assert columns.list_column(items, [2, 0, 1, 0]).to_list() == [["a", "b"], [], ["c"], []]
    assert columns.list_column(items, [1, 1, 1]).to_list() == [["a"], ["b"], ["c"]]
    assert columns.list_column(items.clear(), [0, 0]).to_list() == [[], []]
    assert columns.list_column(items, []).to_list() == []


@pytest.mark.parametrize("few", [0, 9])
@pytest.mark.parametrize("lengths", [[2, 1], [2, 0, 1], [0, 3], [3, 0], [1, 1, 1], [0, 0]])
def test_lists_are_complete_in_number_and_type(
    monkeypatch: pytest.MonkeyPatch, few: int, lengths: list[int]
) -> None:
    monkeypatch.setattr(columns, "_FEW_LISTS", few)
    items = pl.Series([1, 2, 3][: sum(lengths)], dtype=pl.UInt32)
    found = columns.list_column(items, lengths)
    assert found.dtype == pl.List(pl.UInt32)
    assert [len(each) for each in found.to_list()] == lengths
    assert [item for each in found.to_list() for item in each] == items.to_list()


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Whole:
    parts: tuple[Part, ...] | None
    words: tuple[str, ...] | None
    cells: tuple[tuple[str, ...], ...] | None
    thread_id: int | None = None
    count: int | None = None


@pytest.mark.parametrize("with_nothing", [False, True])
def test_a_list_may_be_missing_in_a_row(*, with_nothing: bool) -> None:
    """What is built cell by cell then is the same as what is built column by column."""
    parts = (Part("a", ("x", "y")), Part("b"))
    rows = [
        Whole(parts, ("u", "v"), (("1", "2"), ()), 2**64 - 1, -1),
        Whole((), (), ()),
        *([Whole(None, None, None)] if with_nothing else []),
        Whole(parts[:1], ("w",), (("3",),)),
    ]
    frame = pl.DataFrame(columns.record_columns(Whole, rows))
    assert frame.schema["thread_id"] == pl.UInt64
    assert frame.schema["count"] == pl.Int64
    hints = columns.field_types(Whole)
    again = [
        Whole(**{name: columns.revive(hints[name], value) for name, value in row.items()})
        for row in frame.iter_rows(named=True)
    ]
    assert again == rows


@pytest.mark.parametrize("distinct", [1, 2, 3, 4])
def test_records_that_repeat_are_converted_once(
    monkeypatch: pytest.MonkeyPatch, distinct: int
) -> None:
    """Where half of them or more are repeated; the column is the same."""
    known = [Part(f"p{number}") for number in range(distinct)]
    rows = [known[number % distinct] for number in range(4)]
    converted: list[int] = []
    original = columns.record_columns

    def counted(cls: type, some: Any) -> Any:
        converted.append(len(some))
        return original(cls, some)

    monkeypatch.setattr(columns, "record_columns", counted)
    found = columns.struct_column(Part, rows)
    assert [each["name"] for each in found.to_list()] == [row.name for row in rows]
    assert converted == [distinct if distinct <= 2 else 4]


def test_a_field_that_no_frame_can_hold_is_refused() -> None:
    with pytest.raises(TypeError, match="no frame type for field odd"):
        columns._dtype("odd", complex)
    assert columns._dtype("x", float | None) == pl.Float64


def test_an_integer_of_many_digits_is_a_float() -> None:
    found = bulk._floats("value", [10**40, None, 1])
    assert found.to_list() == [1e40, None, 1.0]
    assert (found.name, found.dtype) == ("value", pl.Float64)


def test_labels_are_in_the_order_of_their_names() -> None:
    assert bulk.labels_text([("device", "vda"), ("cpu", "0")]) == "cpu=0,device=vda"
    assert bulk.labels_text([]) == ""


@pytest.mark.parametrize("runs", [[[0], [1], [2]], [[0, 1], [2]], [[2, 1, 0], [1], [0]]])
def test_stacks_are_their_runs_of_frames(runs: list[list[int]]) -> None:
    table = pl.DataFrame({"function": ["f", "g", "h"]}).to_struct()
    rows = pl.DataFrame({"line_first": [1, 2], "line_last": [1, 2]})
    places = [0, 1, 1]
    made = bulk.Stacks(
        rows,
        pl.Series([1, 2], dtype=pl.UInt32),
        pl.Series(places, dtype=pl.UInt32),
        pl.Series(runs, dtype=pl.List(pl.UInt32)),
        table,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk, "build_frame", lambda kind, columns: (kind, columns))
        kind, found = made.frame()  # type: ignore[misc]
    names = "fgh"
    wanted = [[names[at] for at in runs[place]] for place in places]
    assert kind == "stack"
    assert found["line_first"].to_list() == [1, 2]
    assert [[each["function"] for each in row] for row in found["frames"].to_list()] == [
        wanted[0], wanted[1] + wanted[2]
    ]  # fmt: skip
