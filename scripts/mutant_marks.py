"""Mark what runs: each block of a copy of the source begins with a mark.

Marks lie in a file that is mapped into memory, so the processes that a test starts set them too,
even if they are killed.
"""

from __future__ import annotations

import ast
import builtins
import importlib.machinery
import json
import mmap
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOME, MARKS = "PILEUP_REACH", "PILEUP_REACH_MARKS"
"""Environment: the folder of the copy, and the file of this run's marks."""


# ---- blocks ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Block:
    """Statements of a function that run one after the other: ``body[first:last]``."""

    function: str
    body: list[ast.stmt]
    first: int
    last: int

    @property
    def line(self) -> int:
        """The line at which it begins."""
        return self.body[self.first].lineno


def blocks_of(tree: ast.AST, function: str = "", inside: bool = False) -> Iterator[Block]:
    """Yield the blocks of functions, the outer before the inner ones."""
    if inside and not isinstance(tree, ast.ClassDef):
        for name in ("body", "orelse", "finalbody"):
            if isinstance(body := getattr(tree, name, None), list) and body:
                yield from _blocks(function, body)
    for child in ast.iter_child_nodes(tree):
        is_function = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef))
        name = (
            f"{function}.{child.name}"
            if is_function or isinstance(child, ast.ClassDef)
            else function
        )  # type: ignore[attr-defined]
        yield from blocks_of(child, name, is_function or inside)


def _blocks(function: str, body: list[ast.stmt]) -> Iterator[Block]:
    first = 0
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        first = 1  # a docstring must stay the first statement
    for at in range(first, len(body)):
        if at + 1 == len(body) or hasattr(body[at], "body"):
            yield Block(function, body, first, at + 1)
            first = at + 1


def block_lines(text: bytes) -> dict[int, str]:
    """Return for each line inside a function the key of its block."""
    lines = text.decode().splitlines()
    numbers: Counter[str] = Counter()
    found: dict[int, str] = {}
    for block in blocks_of(ast.parse(text)):
        key = f"{block.function}: {lines[block.line - 1].strip()}"
        numbers[key] += 1
        for statement in block.body[block.first : block.last]:
            for line in range(statement.lineno, (statement.end_lineno or 0) + 1):
                found[line] = f"{key} {numbers[key]}"
    return found


# ---- marks -----------------------------------------------------------------------------------


class Loader(importlib.machinery.SourceFileLoader):
    """Import a file of the copy with a mark at the beginning of each block."""

    slots: dict[str, int]

    def source_to_code(self, data: Any, path: Any, *, _optimization: int = -1) -> Any:
        tree = ast.parse(data)
        before = self.slots[str(path)]
        for block in reversed(list(blocks_of(tree))):
            mark = ast.parse(f"__reach__[{before + block.line}] = 1").body[0]
            for node in ast.walk(mark):
                ast.copy_location(node, block.body[block.first])
            block.body.insert(block.first, mark)
        return compile(tree, path, "exec", dont_inherit=True, optimize=_optimization)


def install() -> None:
    """Set marks from now on; a site of Python calls it."""
    home = Path(os.environ[HOME])
    Loader.slots = json.loads((home / "slots.json").read_text())
    with Path(os.environ[MARKS]).open("r+b") as file:
        builtins.__reach__ = mmap.mmap(file.fileno(), 0)  # type: ignore[attr-defined]

    def hook(path: str) -> importlib.machinery.FileFinder:
        if not Path(path).is_relative_to(home):
            raise ImportError
        return importlib.machinery.FileFinder(path, (Loader, [".py"]))

    sys.path_hooks.insert(0, hook)
    sys.path_importer_cache.clear()


def take() -> frozenset[int]:
    """Return the marks that were set since the last call: a file's first number plus the line."""
    marks: mmap.mmap = builtins.__reach__  # type: ignore[attr-defined]
    data = marks[:]
    marks[:] = bytes(len(data))
    return frozenset(found.start() for found in re.finditer(b"\1", data))
