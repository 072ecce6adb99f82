"""A file's place says what it is: a module directly in a family package is a format.

Helpers of one family lie in its ``parts/`` (those of tables in ``layouts/`` and ``meanings/``),
helpers of several in ``reading/`` and ``unwrapping/``.
"""

from __future__ import annotations

import ast
import importlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from pileup import formats

FOLDER = Path(formats.__file__).parent
HELPERS = ("layouts", "meanings", "parts", "reading", "unwrapping")
CONSTANTS = ("NAME", "TITLE", "GIVES", "PRINTED_BY", "VERSION", "HINTS")


def modules(*, helpers: bool) -> Iterator[ModuleType]:
    """The modules of the packages below ``formats``: those of helpers, or those of families."""
    for path in sorted(FOLDER.glob("*/**/*.py")):
        folders = path.relative_to(FOLDER).parts[:-1]
        if path.name != "__init__.py" and helpers == bool(set(folders) & set(HELPERS)):
            yield importlib.import_module(".".join(("pileup.formats", *folders, path.stem)))


def test_a_module_directly_in_a_family_is_a_format() -> None:
    """It is listed in FORMATS and has the constants of a format."""
    found = list(modules(helpers=False))
    assert {module.__name__ for module in found} == {known.__name__ for known in formats.FORMATS}  # type: ignore[attr-defined]  # formats are modules
    for module in found:
        missing = [name for name in CONSTANTS if not hasattr(module, name)]
        assert not missing, f"{module.__name__} lacks {', '.join(missing)}"


def test_a_helper_is_no_format() -> None:
    """Nothing in ``parts/``, ``reading/`` and ``unwrapping/`` has a NAME or claims a file."""
    for module in modules(helpers=True):
        own = [name for name in ("NAME", "sniff") if hasattr(module, name)]
        assert not own, f"{module.__name__} has {', '.join(own)}: move it up, or rename"


@pytest.mark.parametrize("name", ["NAME", "sniff"])
def test_formats_have_names_of_their_own(name: str) -> None:
    """No two formats share a name or a function that tells them."""
    values = [getattr(known, name) for known in formats.FORMATS]
    assert len(set(values)) == len(values)


def test_no_generator_is_called_for_its_side_effects() -> None:
    """A call of a generator as a statement does nothing: 'yield from' was forgotten.

    A method is known by its class where it is called on ``self``, else by its name where every
    function of that name in ``formats`` is a generator.
    """
    trees = {path: ast.parse(path.read_text()) for path in sorted(FOLDER.rglob("*.py"))}
    kinds: defaultdict[str, set[bool]] = defaultdict(set)
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                kinds[node.name].add(_is_generator(node))
    always = {name for name, answers in kinds.items() if answers == {True}}
    lost = [
        f"{path.relative_to(FOLDER)}:{line}"
        for path, tree in trees.items()
        for line in _calls_without_a_reader(tree, always)
    ]
    assert not lost, f"a generator is called and not read: {', '.join(lost)}"


def test_the_check_of_generators_finds_one() -> None:
    """Both ways in which it knows a generator."""
    tree = ast.parse(
        "class A:\n"
        "    def row(self):\n        yield 1\n"
        "    def line(self):\n        self.row()\n        other.flush()\n        yield 2\n"
        "class B:\n"
        "    def row(self):\n        self.row()\n"
    )
    assert list(_calls_without_a_reader(tree, {"flush"})) == [5, 6]


def _calls_without_a_reader(tree: ast.Module, always: set[str]) -> Iterator[int]:
    for part in tree.body:
        functions = part.body if isinstance(part, ast.ClassDef) else [part]
        own = {
            node.name: _is_generator(node)
            for node in functions
            if isinstance(node, ast.FunctionDef)
        }
        for node in ast.walk(part):
            if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
                continue
            match node.value.func:
                case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in own:
                    lost = own[name]
                case ast.Attribute(attr=name) | ast.Name(id=name):
                    lost = name in always
                case _:
                    lost = False
            if lost:
                yield node.lineno


def _is_generator(function: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _own_nodes(function.body))


def _own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes below, without those of functions inside."""
    for node in nodes:
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.GeneratorExp):
            yield node
            yield from _own_nodes(ast.iter_child_nodes(node))
