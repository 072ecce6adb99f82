"""What requests decode was resolved at import, by a single thread.

Two threads that resolve the same types at once, for the first two requests of a screen, end the
process (``pileup.json_values.resolve_types``).
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

import msgspec
import pytest

from pileup.json_values import resolve_types
from tests.support.refusals import SOURCE, tree_of

REQUESTS = ("analysis", "api", "report", "storage", "views", "formats/metrics/parts")
"""What the threads of an API decode; files are read in processes that have one thread."""
DECODES = ("decode", "convert", "ready")
"""Functions that decode as a type that they are given."""


def test_every_type_that_requests_decode_is_resolved_at_import() -> None:
    resolved = {each for kind in _types("resolve_types") for each in _within(kind)}
    decoded = {each for kind in _types(*DECODES) for each in _within(kind)}
    assert len(decoded) > 100, "the calls are found"
    assert sorted(each.__qualname__ for each in decoded - resolved) == []


def test_a_type_is_resolved_and_not_only_named() -> None:
    class Unknown(msgspec.Struct):
        field: NoSuchType  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(NameError, match="NoSuchType"):
        resolve_types(int, Unknown)


def _types(*functions: str) -> Iterator[Any]:
    """Yield each type that is an argument of a call of one of these functions."""
    for path in sorted(path for folder in REQUESTS for path in (SOURCE / folder).rglob("*.py")):
        if not any(f"{name}(" in path.read_text() for name in functions):
            continue
        module = _module(path)
        for node in ast.walk(tree_of(path)):
            if (
                isinstance(node, ast.Call)
                and ast.unparse(node.func).rpartition(".")[2] in functions
            ):
                for given in (*node.args, *(keyword.value for keyword in node.keywords)):
                    if (kind := _kind(given, module)) is not None:
                        yield kind


@cache
def _module(path: Path) -> ModuleType:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return importlib.import_module(".".join(parts).removesuffix(".__init__"))


def _kind(node: ast.expr, module: ModuleType) -> Any:
    """Return the type that an argument names; None for another argument."""
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return None
    try:
        found = eval(ast.unparse(node), vars(module))
    except (NameError, AttributeError, TypeError):
        return None  # a name of the function
    return found if isinstance(found, type) or get_args(found) else None


def _within(kind: Any) -> set[type]:
    """Return the structs and dataclasses of a type."""
    found: set[type] = set()
    waiting = [kind]
    while waiting:
        each = waiting.pop()
        waiting += get_args(each)
        if (
            isinstance(each, type)
            and each not in found
            and (issubclass(each, msgspec.Struct) or is_dataclass(each))
        ):
            found.add(each)
            waiting += get_type_hints(each).values()
    return found
