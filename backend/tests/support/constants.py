"""The constants of the source: limits of lists and texts, and thresholds of values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pileup

SOURCE = Path(pileup.__file__).parent
_CUTTERS = ("head", "tail", "limit")
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_UNITS = ("_S",)
"""Microseconds in a second: no threshold."""
_COMPARERS = ("lt", "le", "gt", "ge", "is_between")


class Place(NamedTuple):
    """A constant in the function that uses it: ``stalls.pileups _NOISE_S pileups``."""

    module: str
    """Within the package, such as ``stalls.pileups``."""
    name: str
    function: str
    """The outermost function, with its class: ``Roots.documents``; of the module itself: empty."""

    @property
    def constant(self) -> str:
        return f"{self.module} {self.name}"


@cache
def limits_of(package: str) -> frozenset[Place]:
    """Return each constant at which a package cuts: ``[:MOST]`` and ``.head(MOST)``."""
    return frozenset(_places(package, _cut))


@cache
def thresholds_of(package: str) -> frozenset[Place]:
    """Return each constant that a package compares something with, by order."""
    return frozenset(place for place in _places(package, compared) if place.name not in _UNITS)


def _cut(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Subscript(slice=ast.Slice(upper=ast.expr() as upper)):
            yield upper
        case ast.Call(func=ast.Attribute(attr=name), args=args) if name in _CUTTERS:
            yield from args


def compared(node: ast.AST) -> Iterator[ast.expr]:
    """Yield both sides of a comparison by order, or what a frame's method compares with."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=others):
            if any(isinstance(op, _ORDERS) for op in ops):
                yield from (left, *others)
        case ast.Call(func=ast.Attribute(attr=name), args=args) if name in _COMPARERS:
            yield from args


def names_in(node: ast.AST) -> Iterator[str]:
    """Yield the names of constants within an expression."""
    match node:
        case ast.Name(id=name) if name.isupper() and len(name) > 1:
            yield name
        case ast.Call(func=ast.Name(id="len")):
            pass  # as long as a table of the source is no limit of its own
        case _:
            for inner in ast.iter_child_nodes(node):
                yield from names_in(inner)


def _places(package: str, used: Callable[[ast.AST], Iterator[ast.expr]]) -> Iterator[Place]:
    folder = SOURCE / package
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        module = ".".join(parts).removesuffix(".__init__")
        for function, node in _with_function(ast.parse(path.read_bytes()), ()):
            for expression in used(node):
                for name in names_in(expression):
                    yield Place(module, name, function)


def functions_of(folder: Path, words: Sequence[str] = ("",)) -> Iterator[tuple[str, str, ast.AST]]:
    """Yield module, name and tree of each outermost function of a package, and of its classes.

    words: only those functions that have one of them in their source.
    """
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        module = ".".join(parts).removesuffix(".__init__")
        text = path.read_text(encoding="utf-8")
        if not any(word in text for word in words):
            continue
        lines = text.split("\n")
        for name, node in _outermost(ast.parse(text), ()):
            within = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            if any(word in within for word in words):
                yield module, name, node


def _outermost(
    node: ast.AST, inside: tuple[str, ...]
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.ClassDef(name=name):
                yield from _outermost(child, (*inside, name))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield ".".join((*inside, name)), child


def _with_function(
    node: ast.AST, inside: tuple[str, ...], *, deep: bool = False
) -> Iterator[tuple[str, ast.AST]]:
    for child in ast.iter_child_nodes(node):
        yield ".".join(inside) if deep else "", child
        match child:
            case ast.ClassDef(name=name) if not deep:
                yield from _with_function(child, (*inside, name))
            case ast.FunctionDef(name=name) if not deep:
                yield from _with_function(child, (*inside, name), deep=True)
            case _:
                yield from _with_function(child, inside, deep=deep)
