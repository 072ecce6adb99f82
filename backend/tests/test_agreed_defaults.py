"""Defaults of arguments, fields and columns, and the numbers of modules, are the agreed ones.

Few tests leave out the very argument whose default they hold. ``agreed_defaults.txt`` has a line
for each; ``pytest --bless`` on this file adds new ones and
writes changed ones, and the review of a changed line asks who relied on the value before.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from pydantic import BaseModel
from sqlalchemy import Column, Table
from sqlalchemy import inspect as inspected

import pileup
from pileup.records import KINDS
from pileup.records.frames import frame_schema
from pileup.storage.models.base import Base

AGREED = Path(__file__).parent / "agreed_defaults.txt"
_LONGEST = 160
_Simple = bool | int | float | str | None


def _modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(pileup.__path__, "pileup."):
        if "migrations" not in found.name and "__main__" not in found.name:
            yield import_module(found.name)


def _is_plain(value: Any) -> bool:
    """Return whether a value is a number, a text or nothing, or holds those alone."""
    if isinstance(value, Mapping):
        return all(_is_plain(key) and _is_plain(each) for key, each in value.items())
    if isinstance(value, tuple | list | frozenset | set):
        return all(map(_is_plain, value))
    return isinstance(value, _Simple)


def _has_number(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_number, value)) or any(map(_has_number, value.values()))
    if isinstance(value, tuple | list | frozenset | set):
        return any(map(_has_number, value))
    return isinstance(value, bool | int | float)


def _ordered(value: Any) -> Any:
    """Return a value with its sets as lists in the order of their texts."""
    if isinstance(value, Mapping):
        return {key: _ordered(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [_ordered(each) for each in value]
    if isinstance(value, frozenset | set):
        return sorted(map(repr, map(_ordered, value)))
    return value


def _text(value: Any) -> str:
    """Write a value in a line; of a long one a hash."""
    text = repr(_ordered(value))
    if len(text) <= _LONGEST:
        return text
    return f"{text[:40]}… {hashlib.sha256(text.encode()).hexdigest()[:10]}"


def _defaults_of(function: Any) -> dict[str, str]:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
    return {
        name: _text(each.default)
        for name, each in parameters.items()
        if each.default is not each.empty and _is_plain(each.default)
    }


def _fields_of(kind: type) -> dict[str, str]:
    """Return the defaults of a class's fields, and its plain attributes."""
    found = {
        name: _text(value)
        for name, value in vars(kind).items()
        if not name.startswith("__") and _is_plain(value) and not name.startswith("_abc")
    }
    if dataclasses.is_dataclass(kind):
        for each in dataclasses.fields(kind):
            if each.default is not dataclasses.MISSING and _is_plain(each.default):
                found[each.name] = _text(each.default)
    elif issubclass(kind, msgspec.Struct):
        for field in msgspec.structs.fields(kind):
            if field.default is not msgspec.NODEFAULT and _is_plain(field.default):
                found[field.name] = _text(field.default)
    elif issubclass(kind, BaseModel):
        for name, info in kind.model_fields.items():
            if not info.is_required() and _is_plain(info.default):
                found[name] = _text(info.default)
    if issubclass(kind, tuple):  # a named one
        found.pop("_fields", None)
        found.pop("_field_defaults", None)
        plain = getattr(kind, "_field_defaults", {}).items()
        found |= {name: _text(value) for name, value in plain if _is_plain(value)}
    return found


def _of_class(kind: type) -> Iterator[tuple[str, dict[str, str]]]:
    yield kind.__qualname__, _fields_of(kind)
    for name, value in vars(kind).items():
        function = getattr(value, "__func__", getattr(value, "fget", value))
        if inspect.isfunction(function) and not name.startswith("__"):
            yield f"{kind.__qualname__}.{name}", _defaults_of(function)


def _assigned(module: ModuleType) -> set[str]:
    """Return the names to which a module itself gives a value."""
    names: set[str] = set()
    for node in ast.parse(inspect.getsource(module)).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names |= {
            inner.id
            for target in targets
            if target is not None
            for inner in ast.walk(target)
            if isinstance(inner, ast.Name)
        }
    return {name for name in names if name.strip("_").isupper()}


def _of_module(module: ModuleType) -> Iterator[tuple[str, dict[str, str]]]:
    numbers: dict[str, str] = {}
    own = _assigned(module)
    for name, value in vars(module).items():
        if inspect.isclass(value) and value.__module__ == module.__name__:
            yield from _of_class(value)
        elif callable(value) and getattr(value, "__module__", None) == module.__name__:
            yield name, _defaults_of(value)
        elif name in own and _is_plain(value) and _has_number(value):
            numbers[name] = _text(value)
    yield "", numbers


def _of_column(column: Column[Any]) -> str:
    default = column.default.arg if column.default is not None else None  # type: ignore[union-attr]
    marks = {
        "default": default if _is_plain(default) else "made",
        "in the database": getattr(getattr(column.server_default, "arg", None), "text", None),
        "changes": column.onupdate is not None,
        "keys": sorted(f"{key.target_fullname} {key.ondelete}" for key in column.foreign_keys),
        "info": sorted(column.info),
    }
    is_set = {"null": column.nullable, "primary": column.primary_key, "index": column.index,
              "unique": column.unique}  # fmt: skip
    shown = [name for name, value in is_set.items() if value]
    return " ".join([str(column.type), *shown, *(f"{k}={v}" for k, v in marks.items() if v)])


def _tables() -> Iterator[tuple[str, dict[str, str]]]:
    for mapper in sorted(Base.registry.mappers, key=lambda each: each.class_.__name__):
        table = mapper.local_table
        assert isinstance(table, Table)
        found = {column.name: _of_column(column) for column in table.columns}
        related = inspected(mapper.class_).relationships
        found |= {
            each.key: f"{each.lazy} {each.cascade!r} {each.order_by} {each.uselist}"
            for each in related
        }
        found["constraints"] = str(
            sorted(
                f"{type(each).__name__} {each.name} {getattr(each, 'sqltext', '')}"
                for each in table.constraints
            )
        )
        found["indexes"] = str(
            sorted(
                f"{each.name} {each.unique} {[str(part) for part in each.expressions]} "
                f"{each.dialect_options['postgresql']['where']}"
                for each in table.indexes
            )
        )
        yield f"table {table.name}", found


def _now() -> dict[str, str]:
    found: dict[str, str] = {}
    for module in _modules():
        for name, values in _of_module(module):
            place = f"{module.__name__.removeprefix('pileup.')} {name}".rstrip()
            found |= {f"{place} {each}": value for each, value in values.items()}
    for name, values in _tables():
        found |= {f"{name} {each}": value for each, value in values.items()}
    for kind in (*KINDS, "sample"):
        found |= {f"frame {kind} {name}": str(of) for name, of in frame_schema(kind).items()}
    return dict(sorted(found.items()))


def test_defaults_are_the_agreed_ones(request: pytest.FixtureRequest) -> None:
    now = _now()
    if request.config.getoption("--bless"):
        text = "".join(f"{name} -> {value}\n" for name, value in now.items())
        AGREED.write_text(text, encoding="utf-8")
    lines = AGREED.read_text(encoding="utf-8").splitlines()
    agreed = dict(line.split(" -> ", 1) for line in lines)
    assert len(agreed) > 2000
    changed = {name: now[name] for name, value in agreed.items() if now.get(name, value) != value}
    assert changed == {}, "if this is meant: pytest --bless"
