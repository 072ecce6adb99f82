"""Convert between dataclass fields and polars columns."""

from __future__ import annotations

import dataclasses
import itertools
import types
import typing
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import polars as pl

_Value = TypeVar("_Value")


FEW = 5000
"""Up to so many rows, Python has repeated a value before polars has begun to."""
_FEW_LISTS = 200
"""Up to so many lists, the same holds for cutting a column into them."""


def group_of_rows(lengths: Sequence[int]) -> pl.Series:
    """Return the group of each row for groups of these sizes: 0, 0, 0, 1, 2, 2 for 3, 1, 2."""
    if sum(lengths) <= FEW:
        return pl.Series(repeated(range(len(lengths)), lengths), dtype=pl.Int64)
    numbers = pl.int_range(len(lengths), eager=True)
    return numbers.repeat_by(pl.Series(lengths, dtype=pl.Int64)).explode().drop_nulls()


def repeated(values: Iterable[_Value], lengths: Iterable[int]) -> list[_Value]:
    """Return each value as often as its length says."""
    return list(chain.from_iterable(map(itertools.repeat, values, lengths)))


def field_names(cls: type[Any]) -> tuple[str, ...]:
    return tuple(field_types(cls))


def field_types(cls: type[Any]) -> dict[str, Any]:
    """Map fields to types; cached, because ``get_type_hints`` reads source text."""
    if cls not in _HINTS:
        hints = get_type_hints(cls)
        _HINTS[cls] = {field.name: hints[field.name] for field in dataclasses.fields(cls)}
    return _HINTS[cls]


def dataclass_schema(cls: type[Any]) -> dict[str, pl.DataType]:
    if cls not in _SCHEMAS:
        _SCHEMAS[cls] = {name: _dtype(name, hint) for name, hint in field_types(cls).items()}
    return _SCHEMAS[cls]


_HINTS: dict[type[Any], dict[str, Any]] = {}


_SCHEMAS: dict[type[Any], dict[str, pl.DataType]] = {}


def record_columns(cls: type[Any], rows: Sequence[Any]) -> list[pl.Series]:
    """Build one series per field of the dataclass from its instances."""
    hints = field_types(cls)
    return [
        _column(name, hints[name], dtype, list(map(attrgetter(name), rows)))
        for name, dtype in dataclass_schema(cls).items()
    ]


def _column(name: str, hint: Any, dtype: pl.DataType, values: list[Any]) -> pl.Series:
    if not dtype.is_nested():
        return pl.Series(name, values, dtype=dtype, strict=True)
    (inner, *_) = get_args(_without_none(hint)) or (None,)
    if dataclasses.is_dataclass(inner) and None not in values:
        # Flat columns and then lists of them: per item 100 times cheaper than lists of dicts.
        items = list(chain.from_iterable(values))
        flat = struct_column(typing.cast(type[Any], inner), items)
        return list_column(flat, [len(item) for item in values]).alias(name)
    if inner is str and None not in values:
        strings = pl.Series(list(chain.from_iterable(values)), dtype=pl.String, strict=True)
        return list_column(strings, [len(item) for item in values]).alias(name)
    if get_origin(inner) is tuple and None not in values:
        rows = list(chain.from_iterable(values))
        cells = pl.Series(list(chain.from_iterable(rows)), dtype=pl.String, strict=True)
        lists = list_column(cells, [len(row) for row in rows])
        return list_column(lists, [len(value) for value in values]).alias(name)
    return pl.Series(name, [_plain(value) for value in values], dtype=dtype, strict=True)


def struct_column(cls: type[Any], rows: Sequence[Any]) -> pl.Series:
    """Build a struct series from dataclass instances, converting repeated ones once."""
    distinct = dict(zip(map(id, rows), rows, strict=True))
    if 2 * len(distinct) > len(rows):
        return pl.DataFrame(record_columns(cls, rows)).to_struct()
    place = dict(zip(distinct, range(len(distinct)), strict=True))
    table = pl.DataFrame(record_columns(cls, list(distinct.values()))).to_struct()
    return table.gather(pl.Series([place[id(row)] for row in rows], dtype=pl.UInt32))


def list_column(items: pl.Series, lengths: Sequence[int]) -> pl.Series:
    """Group the items into lists of these lengths, one per row."""
    dtype = pl.List(items.dtype)
    if not lengths or items.is_empty():
        return pl.Series([[]], dtype=dtype).new_from_index(0, len(lengths))
    if len(lengths) <= _FEW_LISTS:
        starts = itertools.accumulate(lengths, initial=0)
        return pl.Series("items", list(map(items.slice, starts, lengths)), dtype=dtype)
    # Sorted: the rows of a group are adjacent, which halves the cost.
    flat = pl.DataFrame([group_of_rows(lengths).set_sorted().alias("row"), items.alias("items")])
    lists = flat.group_by("row", maintain_order=True).agg("items")
    if lists.height != len(lengths):
        rows = pl.DataFrame([pl.int_range(len(lengths), eager=True).alias("row")])
        lists = rows.join(lists, on="row", how="left", maintain_order="left").with_columns(
            pl.when(pl.col("items").is_null())
            .then(pl.lit([], dtype=dtype))
            .otherwise("items")
            .alias("items")
        )
    return lists["items"]


UINT64_FIELDS = frozenset({"thread_id", "holder_thread", "os_thread", "pthread"})


def _dtype(name: str, hint: Any) -> pl.DataType:
    hint = _without_none(hint)
    if get_origin(hint) is tuple:
        return pl.List(_dtype(name, get_args(hint)[0]))
    if get_origin(hint) is Literal or hint is str:
        return pl.String()
    if dataclasses.is_dataclass(hint):
        return pl.Struct(dataclass_schema(typing.cast(type[Any], hint)))
    if hint is bool:
        return pl.Boolean()
    if hint is float:
        return pl.Float64()
    if hint is int:
        return pl.UInt64() if name in UINT64_FIELDS else pl.Int64()
    raise TypeError(f"no frame type for field {name}: {hint!r}")


def _without_none(hint: Any) -> Any:
    if get_origin(hint) in (typing.Union, types.UnionType):
        (hint,) = (arg for arg in get_args(hint) if arg is not type(None))
    return hint


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(getattr(value, name)) for name in field_names(type(value))}
    return value


def revive(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    hint = _without_none(hint)
    if get_origin(hint) is tuple:
        return tuple(revive(get_args(hint)[0], item) for item in value)
    if dataclasses.is_dataclass(hint):
        cls = typing.cast(type[Any], hint)
        hints = field_types(cls)
        return cls(**{name: revive(hints[name], value[name]) for name in field_names(cls)})
    return value
