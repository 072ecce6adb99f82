"""An analysis in which each field has a value somewhere, so that the report says all it can."""

from __future__ import annotations

import itertools
import types
import typing
from collections import Counter
from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec import structs

from pileup.analysis.contract import Analysis

_TIMES = ("first", "last", "onset", "end", "at", "computed_onset", "begins", "ends")
_SUFFIXES = ("_at", "_first", "_last", "_printed")
_NOON = "2026-11-20T22:20:{:02}Z"
EMPTY: tuple[Any, ...] = (None, [], "", {}, ())


class _Filler:
    """Fills fields with values that nothing else has; the same ones each time."""

    def __init__(self) -> None:
        self._numbers = itertools.count(3)
        self._seen: Counter[type] = Counter()

    def fill(self, value: Any, *, in_list: bool = False) -> Any:
        """Return a value with its empty fields filled; those of every second item of lists."""
        if isinstance(value, list):
            return [self.fill(item, in_list=True) for item in value]
        if not isinstance(value, msgspec.Struct):
            return value
        kind = type(value)
        self._seen[kind] += 1
        hints = typing.get_type_hints(kind)
        changes = {}
        for field in structs.fields(kind):
            known = getattr(value, field.name)
            if known not in EMPTY:
                changes[field.name] = self.fill(known)
            elif self._seen[kind] % 2 == 0 or not in_list:
                changes[field.name] = self._new(hints[field.name], field.name, 0)
        return structs.replace(value, **changes)

    def _new(self, hint: Any, name: str, depth: int) -> Any:
        origin, arguments = get_origin(hint), get_args(hint)
        if origin in (typing.Union, types.UnionType):
            return self._new(next(a for a in arguments if a is not type(None)), name, depth)
        if origin is typing.Annotated:
            return self._new(arguments[0], name, depth)
        if origin is Literal:
            return arguments[next(self._numbers) % len(arguments)]
        if origin in (list, tuple):
            item = arguments[0]
            return origin(self._new(item, name, depth) for _ in range(2)) if depth < 3 else origin()
        if origin is dict:
            return {}
        if hint is bool:
            return True
        if hint in (int, float):
            return hint(next(self._numbers))
        if hint is str:
            return self._text(name)
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            hints = typing.get_type_hints(hint)
            return hint(
                **{
                    f.name: self._new(hints[f.name], f.name, depth + 1)
                    for f in structs.fields(hint)
                }
            )
        raise TypeError(f"no value for {name}: {hint}")

    def _text(self, name: str) -> str:
        number = next(self._numbers)
        if name in _TIMES or name.endswith(_SUFFIXES):
            return _NOON.format(number % 60)
        return f"{name.replace('_', ' ')} {number}"


def filled(analysis: Analysis | None) -> Analysis:
    """Return the analysis with its empty fields filled."""
    assert analysis is not None
    twice = structs.replace(
        analysis,
        **{
            field.name: [*value, value[0]]
            for field in structs.fields(Analysis)
            if isinstance(value := getattr(analysis, field.name), list) and len(value) == 1
        },
    )
    return _Filler().fill(twice)  # type: ignore[no-any-return]


def empty_fields(value: Any, found: dict[str, bool] | None = None) -> list[str]:
    """List the fields of the structs in a value that are empty wherever they are."""
    found = {} if found is None else found
    if isinstance(value, msgspec.Struct):
        for field in structs.fields(type(value)):
            inner, name = getattr(value, field.name), f"{type(value).__name__}.{field.name}"
            found[name] = found.get(name, True) and inner in EMPTY
            empty_fields(inner, found)
    elif isinstance(value, list | tuple):
        for item in value:
            empty_fields(item, found)
    return sorted(name for name, is_empty in found.items() if is_empty)
