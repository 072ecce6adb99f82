"""The sorts of the source, and whether a call notices that its rivals stand in the wrong order.

A sort is ``sorted``, ``.sort``, ``max`` and ``min`` with a key, and ``most_common``. A call notices
it when its answer is another one as soon as the sort is left out: so its input has rivals, and not
in the right order. It notices a tie when the answer is another one without the last key.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Literal, NamedTuple

from tests.support.any_order import TURNED, any_order
from tests.support.constants import SOURCE, functions_of
from tests.support.replayed import Call, Calls
from tests.support.time_limit import time_limit

Way = Literal["left out", "left out, turned", "tie", "tie, turned", "turned"]
OTHERS: dict[str, tuple[Way, Way]] = {
    "left out": ("left out", "left out, turned"),
    "tie": ("tie", "tie, turned"),
}
"""What a call has to notice, and the other orders that it could come to: of rivals as they come, or
from the last to the first. Rivals of a set come in any order, and one of the two is another one."""
_LONGEST_S = 60.0
"""A call without its sort may not end; on a busy machine the first one takes long."""
_SORTS = ("sort", "most_common")
_CHOOSES = ("max", "min")


class Sort(NamedTuple):
    """A sort of a function: ``findings.ranking in_order 2``, counted within the function."""

    module: str
    function: str
    number: int
    what: str
    """What tells it from others, such as ``sorted(found, key=lambda ...)``, for people."""

    @property
    def name(self) -> str:
        return f"{self.module} {self.function} {self.number}"


class Noticed(NamedTuple):
    """The call that notices that a sort is left out, or that its last key is."""

    name: str
    way: str
    scene: str
    call: int


@cache
def sorts_of(package: str) -> tuple[Sort, ...]:
    """Return each sort within a function of a package."""
    return tuple(
        Sort(module, name, number, ast.unparse(node)[:60])
        for module, name, function in functions_of(
            SOURCE / package, ("sort", "most_common", "max(", "min(")
        )
        for number, node in enumerate(_sorts_in(function))
    )


def _sorts_in(function: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and _is_sort(node):
            yield node


def _is_sort(node: ast.Call) -> bool:
    keyed = any(keyword.arg == "key" for keyword in node.keywords)
    match node.func:
        case ast.Name(id="sorted"):
            return True
        case ast.Name(id=name):
            return name in _CHOOSES and keyed
        case ast.Attribute(value=ast.Call(func=ast.Attribute(attr="mode" | "unique")), attr="sort"):
            return bool(node.args)  # else a choice among values that come in any order
        case ast.Attribute(attr=name):
            return name in _SORTS
    return False


# ---- a sort that is another one ----------------------------------------------------------------


def changed(function: FunctionType, number: int, way: Way) -> CodeType | None:
    """Return the code of a function with one of its sorts changed; None where that cannot be."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    nodes = list(_sorts_in(tree))
    if number >= len(nodes) or not _Change(nodes[number], way).apply(tree):
        return None
    (defined,) = tree.body
    assert isinstance(defined, ast.FunctionDef)
    defined.decorator_list = []
    compiled = compile(ast.fix_missing_locations(tree), "<another order>", "exec")
    code = next(each for each in compiled.co_consts if isinstance(each, CodeType))
    return code if code.co_freevars == function.__code__.co_freevars else None


class _Change(ast.NodeTransformer):
    """Puts another call in place of a sort."""

    def __init__(self, node: ast.Call, way: Way) -> None:
        self._node, self._way, self._done = node, way, False

    def apply(self, tree: ast.Module) -> bool:
        self.visit(tree)
        return self._done

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if node.value is self._node and isinstance(self._node.func, ast.Attribute):
            listed = self._node.func.value  # ``names.sort()``: as ``names[:] = sorted(names)``
            assigned = ast.Subscript(listed, ast.Slice(), ast.Store())
            sorts = ast.Call(ast.Name("sorted", ast.Load()), [listed], self._node.keywords)
            if (other := self._other(sorts)) is None:
                return node
            self._done = True
            return ast.Assign([assigned], other)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if node is self._node and (other := self._other(node)) is not None:
            self._done = True
            return other
        return self.generic_visit(node)

    def _other(self, node: ast.Call) -> ast.expr | None:
        match node.func:
            case ast.Name(id=name):
                return self._of_items(node, name)
            case ast.Attribute(value=value, attr="most_common"):
                items = _call("items_of", value)
                if not self._leaves_out:
                    return None
                return _call("first_of", _call(self._order, items), *node.args)
            case ast.Attribute(value=value):
                value = _reversed(value) if "turned" in self._way else value
                return value if self._leaves_out else _without_column(node, value, self._way)
        return None

    @property
    def _leaves_out(self) -> bool:
        return self._way.startswith("left out")

    @property
    def _order(self) -> str:
        return "turned" if "turned" in self._way else "in_this_order"

    def _of_items(self, node: ast.Call, name: str) -> ast.expr | None:
        named = {each.arg: each.value for each in node.keywords}
        if len(node.args) != 1 or None in named:
            return None
        items = _call(self._order, node.args[0])
        if self._leaves_out:
            if name in _CHOOSES:
                default = named.get("default")
                return ast.Call(
                    ast.Name("next", ast.Load()),
                    [_call("iter", items), *([default] if default else [])],
                    [],
                )
            return items
        key = named.get("key")
        if self._way == "turned":
            return ast.Call(node.func, [items], node.keywords)
        if not isinstance(key, ast.Lambda) or not isinstance(key.body, ast.Tuple):
            return None
        fewer = ast.Tuple(key.body.elts[:-1], ast.Load())
        named["key"] = ast.Lambda(key.args, fewer)
        rest = [ast.keyword(at, value) for at, value in named.items()]
        return ast.Call(node.func, [items], rest)


def _reversed(frame: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(frame, "reverse", ast.Load()), [], [])


def _without_column(node: ast.Call, frame: ast.expr, way: Way) -> ast.expr | None:
    if not way.startswith("tie") or len(node.args) < 2 or not isinstance(node.func, ast.Attribute):
        return None
    keywords = [each for each in node.keywords if each.arg != "maintain_order"]
    if any(isinstance(each.value, ast.List) for each in keywords):
        return None
    keywords.append(ast.keyword("maintain_order", ast.Constant(True)))
    method = ast.Attribute(frame, node.func.attr, ast.Load())
    return ast.Call(method, node.args[:-1], keywords)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    module = ast.Call(
        ast.Name("__import__", ast.Load()),
        [ast.Constant("tests.support.orders")],
        [ast.keyword("fromlist", ast.List([ast.Constant("x")], ast.Load()))],
    )
    if name == "iter":
        return ast.Call(ast.Name("iter", ast.Load()), list(arguments), [])
    return ast.Call(ast.Attribute(module, name, ast.Load()), list(arguments), [])


def in_this_order(items: Iterable[Any]) -> list[Any]:
    """Return items as they come; those of a set in the wrong order, which is the same each time."""
    if isinstance(items, set | frozenset):
        return sorted(items, key=repr, reverse=True)
    return list(items)


def turned(items: Iterable[Any]) -> list[Any]:
    """Return items from the last to the first: where keys tie, another one leads then."""
    return in_this_order(items)[::-1]


def items_of(counted: dict[Any, int]) -> list[tuple[Any, int]]:
    return list(counted.items())


def first_of(items: list[Any], most: int | None = None) -> list[Any]:
    return items[:most]


# ---- which call notices it ---------------------------------------------------------------------


def notices(calls: Calls, sort: Sort, way: str, call: Call) -> bool:
    """Return whether a call answers otherwise with another order."""
    function = calls.function_named(sort.module, sort.function)
    known = _answer(call)
    written = function.__code__
    for other in OTHERS.get(way, (way,)):
        code = changed(function, sort.number, other)
        if code is None:
            return False
        function.__code__ = code
        try:
            if _answer(call) != known:
                return True
        finally:
            function.__code__ = written
    return False


def _answer(call: Call) -> Any:
    """Return what a call answers; what has no order in polars comes in the same one each time."""
    try:
        with time_limit(_LONGEST_S), any_order(TURNED):
            return call.afresh()
    except Exception as error:  # noqa: BLE001 - an order that the call does not bear
        return f"{type(error).__name__}"


def unnoticed(calls: Calls, sort: Sort, scenes: Iterable[Call]) -> list[str]:
    """Return what of a sort none of these calls notices: that it is left out, or its last key."""
    function = calls.function_named(sort.module, sort.function)
    made = list(scenes)
    return [
        way
        for way, (plain, _) in OTHERS.items()
        if changed(function, sort.number, plain) is not None
        and not any(notices(calls, sort, way, call) for call in made)
    ]


def calls_of(name: str, scenes: Any) -> list[Call]:
    """Return the direct calls of a function: one scene, or several."""
    several = scenes if isinstance(scenes, tuple) else (scenes,)
    return [Call(name, number, scene, (), {}) for number, scene in enumerate(several)]


def noticed_by(calls: Calls, sort: Sort, way: str) -> Noticed | None:
    """Look for a recorded call that notices another order."""
    made = calls.named(sort.module, sort.function)
    call = next((each for each in made if notices(calls, sort, way, each)), None)
    return None if call is None else Noticed(sort.name, way, call.scene, call.number)


def read_noticed(path: Path) -> list[Noticed]:
    """Read the rows as agreed."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [Noticed(name, way, scene, int(call)) for name, way, scene, call in rows]


__all__ = [
    *("OTHERS", "Noticed", "Sort", "calls_of", "changed", "noticed_by", "notices", "read_noticed"),
    *("sorts_of", "unnoticed"),
]
