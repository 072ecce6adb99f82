"""Calls that small runs of the engine make, to make again with another limit or threshold.

A scene is a case of a test that exists. ``record`` runs scenes and keeps with which arguments they
call the functions that use a constant. Such a call, made again while the constant has another
value, shows what the constant decides there, in a millisecond and without a fixture of its own.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from importlib import import_module
from types import FrameType, FunctionType
from typing import Any, Protocol

import msgspec
import polars as pl
import pytest

from tests.support.constants import Place

_MOST_CALLS = 12
"""Calls of one function that a scene keeps: the first."""
_DEEPEST = 12
_HAS_REST = 4
"""Flag of code with ``*args``."""


class Scene(Protocol):
    def __call__(self) -> object: ...


def cases_of(test: Callable[..., None], *numbers: int) -> dict[str, Scene]:
    """Return these cases of a test that needs parameters and ``monkeypatch`` only, by name."""
    sets: list[dict[str, Any]] = [{}]
    for mark in getattr(test, "pytestmark", ()):
        if mark.name == "parametrize":
            names, values = mark.args
            keys = [key.strip() for key in names.split(",")] if isinstance(names, str) else names
            sets = [_arguments(keys, value) for value in values]
    module = test.__module__.rpartition(".")[2]
    return {
        f"{module} {test.__name__} {number}": functools.partial(_run, test, sets[number])
        for number in numbers
    }


def _arguments(keys: Iterable[str], value: Any) -> dict[str, Any]:
    keys = list(keys)
    values = getattr(value, "values", None)
    if isinstance(values, tuple):  # pytest.param
        return dict(zip(keys, values, strict=True))
    return dict(zip(keys, (value,) if len(keys) == 1 else value, strict=True))


def _run(test: Callable[..., None], arguments: dict[str, Any]) -> None:
    if "monkeypatch" in test.__code__.co_varnames[: test.__code__.co_argcount]:
        with pytest.MonkeyPatch.context() as patch:
            test(**arguments, monkeypatch=patch)
    else:
        test(**arguments)


@dataclasses.dataclass(frozen=True)
class Call:
    """One call of a function of the engine."""

    scene: str
    number: int
    """Counted within the scene and the function."""
    function: Callable[..., object]
    arguments: tuple[Any, ...]
    named: dict[str, Any]

    def again(self) -> Any:
        """Make the call, and return what it answers in plain lists, dicts and values."""
        return plain(self.function(*self.arguments, **self.named))

    def afresh(self) -> Any:
        """Make the call while the engine remembers nothing."""
        _forget()
        try:
            return self.again()
        finally:
            _forget()

    def with_value(self, module: str, name: str, value: object) -> Any:
        """Make the call while a constant of a module has another value."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(import_module(module), name, value)
            _forget()
            try:
                return self.again()
            finally:
                _forget()


class Calls:
    """The calls of scenes, by module and function."""

    def __init__(self, package: str, places: Iterable[Place]) -> None:
        self._package = package
        self._calls: dict[tuple[str, str], list[Call]] = {}
        self._watched: dict[Any, tuple[tuple[str, str], FunctionType]] = {}
        for place in places:
            if place.function:
                function = self.function(place)
                key = place.module, place.function
                self._watched[function.__code__] = key, function
                self._calls[key] = []
        self._direct: dict[Place, list[Call]] = {}
        self._scene = ""

    def of(self, place: Place) -> list[Call]:
        """Return the calls of the function of a place, its direct ones first."""
        return [*self.direct(place), *self.named(place.module, place.function)]

    def named(self, module: str, function: str) -> list[Call]:
        """Return the recorded calls of a function."""
        return self._calls.get((module, function), [])

    def direct(self, place: Place) -> list[Call]:
        """Return the calls that were made for a place."""
        return self._direct.get(place, [])

    def add(self, place: Place, scene: Scene) -> None:
        """Add a scene that makes the call of a place itself."""
        known = self._direct.setdefault(place, [])
        known.append(Call("direct", len(known), scene, (), {}))

    def module(self, place: Place) -> str:
        return f"pileup.{self._package}.{place.module}"

    def value(self, place: Place) -> Any:
        """Return the value that a constant has."""
        return getattr(import_module(self.module(place)), place.name)

    def function(self, place: Place) -> FunctionType:
        """Return a function as written, without what decorates it."""
        return self.function_named(place.module, place.function)

    def function_named(self, module: str, name: str) -> FunctionType:
        """Return a function as written, by its module and its name with its class."""
        found: Any = import_module(f"pileup.{self._package}.{module}")
        for part in name.split("."):
            found = vars(found)[part]
        for attribute in ("fget", "func", "__func__"):
            found = getattr(found, attribute, found)
        while hasattr(found, "__wrapped__"):
            found = found.__wrapped__
        assert isinstance(found, FunctionType)
        return found

    def record(self, name: str, scene: Scene) -> None:
        """Run a scene and keep its calls."""
        self._scene = name
        _forget()  # what is remembered is not computed, so it is not seen
        before = sys.getprofile()
        sys.setprofile(self._see)
        try:
            scene()
        finally:
            sys.setprofile(before)

    def _see(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code not in self._watched or frame.f_lasti >= _FIRST_INSTRUCTIONS:
            return
        key, function = self._watched[code]
        calls = self._calls[key]
        number = sum(call.scene == self._scene for call in calls)
        if number >= _MOST_CALLS:
            return
        seen = frame.f_locals
        most = code.co_argcount
        arguments = [_kept(seen[name]) for name in code.co_varnames[:most]]
        after = most + code.co_kwonlyargcount
        if code.co_flags & _HAS_REST:
            arguments += seen[code.co_varnames[after]]
        named = {name: _kept(seen[name]) for name in code.co_varnames[most:after]}
        calls.append(Call(self._scene, number, function, tuple(arguments), named))


_FIRST_INSTRUCTIONS = 6
"""A generator that goes on is no new call; it is further in its code."""


def _kept(value: Any) -> Any:
    """Return an argument as it is now, should the function change it."""
    return copy(value) if isinstance(value, list | dict | set) else value


def _forget() -> None:
    """Empty what functions of the engine remember: it depends on the constants."""
    for remembering in _remembering():
        remembering.cache_clear()


@functools.cache
def _remembering() -> tuple[Any, ...]:
    return tuple(
        value
        for name, module in sorted(sys.modules.items())
        if name.startswith(("pileup.analysis", "pileup.views"))
        for value in vars(module).values()
        if hasattr(value, "cache_clear") and not value.__module__.startswith("pileup.knowledge")
    )


def plain(value: Any, depth: int = 0) -> Any:
    """Return an answer in lists, dicts and values that can be compared and measured."""
    if value is None or isinstance(value, str | int | float | bytes):
        return value
    if depth > _DEEPEST:
        return repr(value)
    inner = functools.partial(plain, depth=depth + 1)
    if isinstance(value, pl.LazyFrame):
        value = value.collect()
    if isinstance(value, pl.DataFrame):
        return [inner(row) for row in value.rows()]
    if isinstance(value, set | frozenset):
        return sorted((inner(item) for item in value), key=repr)
    if isinstance(value, dict):
        return {repr(key): inner(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value):
        return {each.name: inner(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, msgspec.Struct):
        return {name: inner(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, list | tuple | pl.Series | Iterator):
        return [inner(item) for item in value]
    return type(value).__name__


def as_long_as(most: int, whole: Any, cut: Any) -> Iterator[Any]:
    """Yield each list and text that was longer and has the length of the limit now."""
    if isinstance(whole, dict) and isinstance(cut, dict):
        for key, value in whole.items():
            yield from as_long_as(most, value, cut.get(key))
    elif isinstance(whole, list | str) and isinstance(cut, list | str):
        if len(whole) > most == len(cut):
            yield cut
        if isinstance(whole, list):
            for one, other in zip(whole, cut, strict=False):
                yield from as_long_as(most, one, other)
