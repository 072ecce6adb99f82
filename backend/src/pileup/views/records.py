"""Build a view's dataclass from a record that has the same fields and more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

T = TypeVar("T")


def with_fields_of(kind: type[T], record: object) -> T:
    """Build a ``kind`` (a dataclass) from the attributes with the names of its fields."""
    values = {each.name: getattr(record, each.name) for each in fields(kind)}  # type: ignore[arg-type]
    result: Any = kind(**values)
    return result  # type: ignore[no-any-return]


def from_values(kind: type[T], values: Mapping[str, Any]) -> T:
    """Build a ``kind`` (a dataclass) from stored JSON, which may hold more values than fields."""
    chosen = {each.name: values[each.name] for each in fields(kind)}  # type: ignore[arg-type]
    result: Any = kind(**chosen)
    return result  # type: ignore[no-any-return]
