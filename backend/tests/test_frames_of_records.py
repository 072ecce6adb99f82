"""Each record survives its frame, whatever of it is given, alone and among others."""

from __future__ import annotations

import dataclasses
import itertools
import typing
from typing import Any

import polars as pl
import pytest

from pileup import records
from pileup.records import KINDS, Samples, bulk, columns, frames
from pileup.records.base import Record

_COUNT = itertools.count(1)


def _value(name: str, hint: Any) -> Any:
    """Return another value of a field's type each time."""
    hint = columns._without_none(hint)
    number = next(_COUNT)
    if typing.get_origin(hint) is tuple:
        inner = typing.get_args(hint)[0]
        return tuple(_value(name, inner) for _ in range(number % 3))
    if typing.get_origin(hint) is typing.Literal:
        choices = typing.get_args(hint)
        return choices[number % len(choices)]
    if dataclasses.is_dataclass(hint):
        return _filled(typing.cast(type[Any], hint))
    if hint is bool:
        return bool(number % 2)
    if hint is int:
        return 2**64 - number if name in columns.UINT64_FIELDS else -number
    return number / 4 if hint is float else f"text {number}"


def _filled(kind: type[Any]) -> Any:
    hints = columns.field_types(kind)
    return kind(**{name: _value(name, hints[name]) for name in columns.field_names(kind)})


def _least(kind: type[Any]) -> Any:
    """Return an instance with nothing but what it needs."""
    hints = columns.field_types(kind)
    needed = [
        each.name
        for each in dataclasses.fields(kind)
        if each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING
    ]
    return kind(**{name: _value(name, hints[name]) for name in needed})


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_is_the_same_after_its_frame(kind: str) -> None:
    some: list[Record] = [_filled(KINDS[kind]), _least(KINDS[kind]), _filled(KINDS[kind])]
    for chosen in (some, some[:1], some[1:2], [some[0]] * 5, some * 50):
        frame = frames.records_frame(kind, chosen)
        assert dict(frame.schema) == frames.frame_schema(kind)
        assert frame.height == len(chosen)
        rows = [frame.row(at, named=True) for at in range(len(chosen))]
        assert [frames.record_from_row(kind, row) for row in rows] == chosen
    assert frames.records_frame(kind, []).schema == frames.records_frame(kind, some).schema


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_of_columns_is_that_of_records(kind: str) -> None:
    least = _least(KINDS[kind])
    needed = {
        each.name: [getattr(least, each.name)]
        for each in dataclasses.fields(KINDS[kind])
        if each.default is dataclasses.MISSING
    }
    plain = {name: value for name, value in needed.items() if name != "line_last"}
    expected = frames.records_frame(kind, [dataclasses.replace(least, line_last=least.line_first)])
    simple = not any(isinstance(value[0], tuple) for value in plain.values())
    if simple:
        made = frames.build_frame(kind, plain)
        assert made.equals(expected)
        first = pl.Series("x", plain["line_first"])
        assert frames.build_frame(kind, plain | {"line_first": first}).equals(expected)
        one = {name: value[0] for name, value in plain.items() if name != "line_first"}
        assert frames.build_frame(kind, one | {"line_first": first}).equals(expected)
    for name in plain.keys() - {"line_first"}:
        rest = {other: value for other, value in plain.items() if other != name}
        with pytest.raises(TypeError, match=f"a frame of {kind} needs the column {name}"):
            frames.build_frame(kind, rest)


def test_what_an_older_parser_did_not_know_is_nothing() -> None:
    whole = frames.records_frame("session", [_filled(KINDS["session"])])
    older = whole.drop("state", "query")
    assert frames.with_all_columns("session", whole) is whole
    made = frames.with_all_columns("session", older)
    assert sorted(made.columns) == sorted(whole.columns)
    assert made.row(0, named=True) == whole.row(0, named=True) | {"state": None, "query": None}
    assert made.schema["state"] == pl.String


def test_samples_are_rows() -> None:
    chunks = [
        Samples("a.x", "gauge", "s", "utc", [1, None], [1, 2.5], [7, 8], (("b", "2"), ("a", "1"))),
        Samples("a.y", "counter", None, "local", [3], [None], [9], host="db-1"),
        Samples("a.z", "rate", None, "utc", [], [], []),
        Samples("a.w", "gauge", None, "utc", [4], [10**40], [1]),
    ]
    rows = [
        ("a.x", "a=1,b=2", "gauge", "s", None, "utc", 1, 1.0, 7),
        ("a.x", "a=1,b=2", "gauge", "s", None, "utc", None, 2.5, 8),
        ("a.y", "", "counter", None, "db-1", "local", 3, None, 9),
        ("a.w", "", "gauge", None, None, "utc", 4, 1e40, 1),
    ]
    names = ("series", "labels", "kind", "unit", "host", "clock", "wall_us", "value", "line_first")
    made = records.samples_frame(chunks)
    assert dict(made.schema) == frames.frame_schema("sample")
    assert made.select(names).rows() == rows
    many = records.samples_frame(chunks * (bulk.FEW // 4 + 1))
    assert many.select(names).rows() == rows * (bulk.FEW // 4 + 1)
    assert many.schema == made.schema


def test_a_sample_has_no_labels_where_none_are_given() -> None:
    made = frames.build_frame("sample", {"series": ["a", "b"], "line_first": [1, 2], "value": 3.0,
                                         "kind": "gauge", "clock": "utc"})  # fmt: skip
    assert made["labels"].to_list() == ["", ""]
    assert (
        made["unit"].to_list() == made["host"].to_list() == made["wall_us"].to_list() == [None] * 2
    )
    assert made["value"].to_list() == [3.0, 3.0]
