"""Where the answer of a recorded call turns when a threshold moves: a value exactly on it.

A row says which call of which scene has a value on the bound, and the two neighbouring thresholds
between which its answer turns: ``slow >= 5`` with 12 slow statements turns between 12 and 13, and
``slow > 5`` between 11 and 12. So a comparison that takes the bound to the other side fails.
``pytest --bless`` looks for calls that tell the two apart.
"""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from tests.support.constants import Place, compared, names_in
from tests.support.replayed import Call, Calls
from tests.support.time_limit import time_limit

_OTHER_SIDE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt
}  # fmt: skip
_OTHER_METHOD = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt"}
_LONGEST_S = 1.0
"""A threshold that is far off can make a loop endless."""
_STEPS = 130


Value = float | list[float]
"""A threshold: a number, or the fields of several in one value."""


@dataclass(frozen=True)
class Bound:
    """Two neighbouring values of a threshold, and the call whose answer turns between them."""

    place: Place
    scene: str
    number: int
    near: Value
    """The answer is that of the threshold as it is."""
    far: Value

    def line(self) -> str:
        words = (*self.place, self.scene, str(self.number), repr(self.near), repr(self.far))
        return "\t".join(words)


def read_bounds(path: Path) -> dict[Place, list[Bound]]:
    """Read the rows as agreed: several of a place that compares with its threshold twice."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else ()
    bounds: dict[Place, list[Bound]] = {}
    for line in lines:
        module, name, function, scene, number, near, far = line.split("\t")
        place = Place(module, name, function)
        bound = Bound(place, scene, int(number), json.loads(near), json.loads(far))
        bounds.setdefault(place, []).append(bound)
    return bounds


def turns(calls: Calls, bound: Bound) -> bool:
    """Return whether the answer of the call still turns between the two values."""
    found = (call for call in calls.of(bound.place) if call.number == bound.number)
    call = next((call for call in found if call.scene == bound.scene), None)
    assert call is not None, f"its scene makes no such call any more, bless: {bound.line()}"
    near, far = (_answer(calls, bound.place, call, value) for value in (bound.near, bound.far))
    return near != far


def unnoticed(calls: Calls, place: Place, bounds: list[Bound]) -> list[str]:
    """Return the comparisons with a threshold whose other side none of these calls notices."""
    return [
        written
        for written, code in _other_sides(calls, place)
        if all(_on_other_side(calls, bound, code) for bound in bounds)
        and not _answers_otherwise(calls, place, code)
    ]


def _answers_otherwise(calls: Calls, place: Place, code: CodeType) -> bool:
    """Return whether a direct call has another answer then: it is agreed (``turning.json``)."""
    function = calls.function(place)
    written = function.__code__
    for call in calls.direct(place):
        known = call.afresh()
        function.__code__ = code
        try:
            if call.afresh() != known:
                return True
        finally:
            function.__code__ = written
    return False


def find_bounds(calls: Calls, place: Place, kept: list[Bound]) -> list[Bound]:
    """Return calls with a value exactly on a threshold, until each comparison is noticed.

    kept: those that are known.
    """
    found = list(kept)
    missed = [
        code
        for _, code in _other_sides(calls, place)
        if all(_on_other_side(calls, bound, code) for bound in found)
        and not (found and _answers_otherwise(calls, place, code))
    ]
    for bound in _bounds(calls, place) if missed else ():
        left = [code for code in missed if _on_other_side(calls, bound, code)]
        if len(left) < len(missed):
            found.append(bound)
            missed = left
        if not missed:
            break
    return found


def _bounds(calls: Calls, place: Place) -> Iterator[Bound]:
    for call in calls.of(place):
        for usual, value_of in _numbers(calls.value(place)):
            for near, far in _turning_points(calls, place, call, usual, value_of):
                bound = Bound(place, call.scene, call.number, value_of(near), value_of(far))
                if _holds(calls, bound):
                    yield bound


def _numbers(usual: Any) -> Iterator[tuple[float, Callable[[float], Value]]]:
    """Yield each number of a threshold, and what makes the threshold with another one."""
    if isinstance(usual, int | float) and not isinstance(usual, bool):
        yield usual, lambda number: number
    elif is_dataclass(usual):
        of_fields = [getattr(usual, each.name) for each in fields(usual)]
        for at, number in enumerate(of_fields):
            yield number, lambda other, at=at: [*of_fields[:at], other, *of_fields[at + 1 :]]


def _answer(calls: Calls, place: Place, call: Call, value: Value) -> Any:
    made = type(calls.value(place))(*value) if isinstance(value, list) else value
    return call.with_value(calls.module(place), place.name, made)


def _turning_points(
    calls: Calls, place: Place, call: Call, usual: float, value_of: Callable[[float], Value]
) -> Iterator[tuple[float, float]]:
    """Yield neighbouring values between which the answer of a call turns, below and above."""

    def answer(value: float) -> Any:
        try:
            with time_limit(_LONGEST_S):
                return _answer(calls, place, call, value_of(value))
        except Exception as error:  # noqa: BLE001 - such a threshold is impossible here
            return repr(error)

    known = answer(usual)
    whole = isinstance(usual, int)
    for end in (-1, usual * 50 + 1000) if whole else (-1.0, usual * 1000.0 + 1000.0):
        if answer(end) == known:
            continue
        near, far = usual, end
        for _ in range(_STEPS):
            middle = (near + far) // 2 if whole else (near + far) / 2
            if middle in (near, far) and (not whole or abs(near - far) <= 1):
                break
            if middle in (near, far):
                middle = max(near, far) - 1
            if answer(middle) == known:
                near = middle
            else:
                far = middle
        yield near, far


def _on_other_side(calls: Calls, bound: Bound, code: CodeType) -> bool:
    function = calls.function(bound.place)
    written = function.__code__
    function.__code__ = code
    try:
        return _holds(calls, bound)
    finally:
        function.__code__ = written


def _other_sides(calls: Calls, place: Place) -> Iterator[tuple[str, CodeType]]:
    """Yield each comparison with the threshold, and the function with its other side."""
    return other_sides(calls.function(place), lambda node: _uses(node, place.name))


def other_sides(
    function: FunctionType, wanted: Callable[[ast.AST], bool]
) -> Iterator[tuple[str, CodeType]]:
    """Yield each wanted comparison of a function by order, and the function with its other side."""
    source = textwrap.dedent(inspect.getsource(function))
    for at in [at for at, node in enumerate(ast.walk(ast.parse(source))) if wanted(node)]:
        tree = ast.parse(source)
        node = list(ast.walk(tree))[at]
        written = ast.unparse(node)
        match node:
            case ast.Compare():
                node.ops = [_OTHER_SIDE.get(type(op), type(op))() for op in node.ops]
            case ast.Call(func=ast.Attribute(attr=name) as method) if name in _OTHER_METHOD:
                method.attr = _OTHER_METHOD[name]
            case ast.Call(func=ast.Attribute(attr="is_between")) if not node.keywords:
                node.keywords = [ast.keyword("closed", ast.Constant("none"))]
            case _:
                continue
        (defined,) = tree.body
        assert isinstance(defined, ast.FunctionDef | ast.AsyncFunctionDef)
        defined.decorator_list = []
        compiled = compile(ast.fix_missing_locations(tree), "<other side>", "exec")
        code = next(each for each in compiled.co_consts if isinstance(each, CodeType))
        if code.co_freevars == function.__code__.co_freevars:
            yield written, code


def is_order(node: ast.AST) -> bool:
    """Return whether a node compares by order."""
    return any(True for _ in compared(node))


def _uses(node: ast.AST, name: str) -> bool:
    return any(name in names_in(side) for side in compared(node))


def bless(path: Path, calls: Calls, places: Iterable[Place]) -> None:
    """Write the rows of each place that has some; rows that still hold stay as they are."""
    kept = read_bounds(path)
    rows = []
    for place in sorted(places):
        bounds = [bound for bound in kept.get(place, ()) if _holds(calls, bound)]
        rows += [bound.line() for bound in find_bounds(calls, place, bounds)]
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


def _holds(calls: Calls, bound: Bound) -> bool:
    try:
        with time_limit(_LONGEST_S):
            return turns(calls, bound)
    except Exception:  # noqa: BLE001 - no such call any more, or no such threshold there
        return False
