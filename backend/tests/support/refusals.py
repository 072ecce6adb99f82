"""Which test reaches which refusal: every ``raise`` of Pileup's own errors and of a command's.

``pytest --record-refusals FOLDER`` notes the first test that reaches each, in a file per process.
``python -m tests.support.refusals FOLDER`` joins them into ``tests/refusals.txt``; that is what
``make refusals`` does. ``test_refusals.py`` then holds that file against the source. After a run of
some tests only, ``--keep`` leaves the tests of the refusals that these did not reach.

A refusal in a process that a test starts is not seen.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import pkgutil
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType

import click
import pytest

import pileup

SOURCE = Path(pileup.__file__).parent
AGREED = Path(__file__).resolve().parents[1] / "refusals.txt"
NO_TEST = "-"
_OF_COMMANDS = ("ClickException", "UsageError", "BadParameter")
"""What commands refuse with; not defined by the source."""
_FRAMES = 6
"""A refusal is often made by a function that others raise the result of."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A ``raise`` in the source."""

    name: str
    """'api/auth.py guard Refused 2': the second such in that function."""
    first: int
    last: int


@cache
def refusals_of(path: Path) -> tuple[Refusal, ...]:
    """Return the refusals of a source file: ``raise`` with a call of a name that can be ours."""
    found: list[Refusal] = []
    numbers: Counter[str] = Counter()

    def walk(node: ast.AST, inside: str) -> None:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                continue
            name = inside
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                name = f"{inside}.{child.name}" if inside else child.name
            elif isinstance(child, ast.Raise) and isinstance(child.exc, ast.Call):
                what = ast.unparse(child.exc.func).rpartition(".")[2]
                if what in _ours() or what in _OF_COMMANDS or what.startswith("_"):
                    where = f"{path.relative_to(SOURCE).as_posix()} {inside or 'module'} {what}"
                    numbers[where] += 1
                    last = child.end_lineno or child.lineno
                    found.append(Refusal(f"{where} {numbers[where]}", child.lineno, last))
            walk(child, name)

    walk(tree_of(path), "")
    return tuple(found)


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax of a file."""
    return ast.parse(path.read_bytes())


def every_refusal() -> Iterator[str]:
    """Yield the name of each refusal of the source."""
    for path in sorted(SOURCE.rglob("*.py")):
        if "migrations" not in path.parts:
            yield from (refusal.name for refusal in refusals_of(path))


@cache
def _ours() -> frozenset[str]:
    """Return the names of the errors that the source defines."""
    bases = {
        node.name: [ast.unparse(base).rpartition(".")[2] for base in node.bases]
        for path in SOURCE.rglob("*.py")
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef)
    }
    found: set[str] = set()
    while True:
        more = {
            name
            for name, above in bases.items()
            if name not in found
            and any(base in found or base in ("Exception", "ValueError") for base in above)
        }
        if not more:
            return frozenset(found)
        found |= more


def agreed() -> dict[str, str]:
    """Return the test of each refusal, as written down."""
    lines = AGREED.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines if line and not line.startswith("#"))


class Recorder:
    """Plugin that notes the first test that makes each refusal."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: dict[str, str] = {}

    def pytest_collection_finish(self) -> None:
        for module in pkgutil.walk_packages(pileup.__path__, "pileup."):
            if "migrations" not in module.name and not module.name.endswith("__main__"):
                importlib.import_module(module.name)
        for kind in (*_roots(), click.ClickException):
            kind.__init__ = self._noting(kind.__init__)  # type: ignore[misc]

    def pytest_sessionfinish(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        lines = [f"{name}\t{test}\n" for name, test in sorted(self._seen.items())]
        (self._folder / f"{os.getpid()}.txt").write_text("".join(lines), encoding="utf-8")

    def _noting(self, make: Callable[..., None]) -> Callable[..., None]:
        def noting(error: Exception, *arguments: object, **named: object) -> None:
            test = os.environ.get("PYTEST_CURRENT_TEST", "").partition("[")[0].partition(" (")[0]
            frame: FrameType | None = sys._getframe(1)
            for _ in range(_FRAMES):
                if frame is None:
                    break
                path = Path(frame.f_code.co_filename)
                if test and path.is_relative_to(SOURCE):
                    for refusal in refusals_of(path):
                        if refusal.first <= frame.f_lineno <= refusal.last:
                            self._seen.setdefault(refusal.name, test)
                frame = frame.f_back
            make(error, *arguments, **named)

        return noting


def _roots() -> Iterator[type[Exception]]:
    """Yield the errors of Pileup whose ``__init__`` is not that of another error of Pileup."""
    waiting: list[type[Exception]] = [Exception]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            ours = kind.__module__.startswith("pileup.")
            if ours and not any(up.__module__.startswith("pileup.") for up in kind.__mro__[1:]):
                yield kind
            else:
                waiting.append(kind)


def register(config: pytest.Config) -> None:
    """Record when the command line wants it."""
    if folder := config.getoption("--record-refusals"):
        config.pluginmanager.register(Recorder(Path(folder)))


def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    reached: dict[str, str] = {}
    for file in sorted(options.folder.glob("*.txt")):
        for line in file.read_text(encoding="utf-8").splitlines():
            name, test = line.split("\t")
            reached[name] = min(test, reached.get(name, test))
    before = {name: test for name, test in agreed().items() if test != NO_TEST}
    tests = defaultdict(lambda: NO_TEST, reached | before if options.keep else reached)
    names = sorted(every_refusal())
    head = "# Each refusal of the source, and a test that reaches it. Written by `make refusals`.\n"
    AGREED.write_text(head + "".join(f"{name}\t{tests[name]}\n" for name in names), "utf-8")
    without = sum(tests[name] == NO_TEST for name in names)
    sys.stdout.write(f"{len(names)} refusals, {without} of them without a test\n")


if __name__ == "__main__":
    _main()
