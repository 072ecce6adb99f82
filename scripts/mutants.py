"""Break the backend in small ways and count how often the tests notice.

A mutant is one change of one expression or statement: a boundary, a sort order, a dropped clause,
a deleted call. Draw a sample by a seed, run the tests near the changed file for each mutant, and
print the score of every package. A mutant that makes the tests too slow counts as noticed when the
same tests finish in time without the change.

A score says nothing about the tests further away, so it is a lower bound. Mutants that change
nothing that can be seen (equivalents) count as survivors too: read the list.

Usage: mutants.py [--package NAME | --changed BASE] [--seed N] [--seconds N] [--processes N]
"""

from __future__ import annotations

import argparse
import ast
import concurrent.futures
import functools
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BACKEND = ROOT / "backend"
SOURCE = BACKEND / "src" / "pileup"
TESTS = BACKEND / "tests"
PACKAGES = (
    *("formats", "knowledge", "analysis", "storage", "report"),
    *("views", "api", "worker", "runtime", "cli"),
)
"""In the order that data flows: a test of a package can reach it and those before it."""
NEAR_FILES = 12
"""So many test files are run for a mutant, the nearest first."""
TEST_S = 150
OTHER_WAY: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OTHER_SUM: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
}
OTHER_CALL = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: ``text`` instead of the bytes ``start`` to ``end`` of ``path``."""

    path: Path
    line: int
    start: int
    end: int
    was: str
    text: str

    @property
    def package(self) -> str:
        """The package of the first level that the file belongs to."""
        return self.path.relative_to(SOURCE).parts[0]

    def __str__(self) -> str:
        where = self.path.relative_to(SOURCE)
        return f"{where}:{self.line}  {_short(self.was)}  →  {_short(self.text)}"


def main() -> int:
    """Run a sample; return 2 when there is nothing to change."""
    options = _options()
    files = [path for path in _sources(options.package, options.changed) if _near(path)]
    if not files:
        sys.stderr.write("mutants: no source file to change, or no test near one\n")
        return 2
    drawn = _draw(files, random.Random(options.seed))  # noqa: S311  a sample, no secret
    until = time.monotonic() + options.seconds
    killed: dict[str, int] = defaultdict(int)
    survivors: dict[str, list[Mutant]] = defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(options.processes) as pool:
        running: set[concurrent.futures.Future[tuple[Mutant, bool | None]]] = set()
        while True:
            while len(running) < options.processes and time.monotonic() < until:
                if (mutant := next(drawn, None)) is None:
                    break
                running.add(pool.submit(_tried, mutant))
            if not running:
                break
            done, running = concurrent.futures.wait(
                running, return_when=concurrent.futures.FIRST_COMPLETED
            )
            for mutant, noticed in (each.result() for each in done):
                word = {True: "noticed ", False: "SURVIVED", None: "no tests"}[noticed]
                sys.stdout.write(f"{word} {mutant}\n")
                sys.stdout.flush()
                if noticed:
                    killed[mutant.package] += 1
                elif noticed is False:
                    survivors[mutant.package].append(mutant)
    _print_scores(killed, survivors, options.seed)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--package", choices=PACKAGES)
    parser.add_argument("--changed", metavar="BASE", help="only files that differ from this commit")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def _sources(package: str | None, base: str | None) -> list[Path]:
    names = (package,) if package else PACKAGES
    paths = [path for name in names for path in sorted((SOURCE / name).rglob("*.py"))]
    paths = [path for path in paths if "migrations" not in path.parts]
    if base is None:
        return paths
    names = subprocess.run(
        ["git", "diff", "--name-only", base], cwd=ROOT, capture_output=True, text=True, check=True
    )
    changed = {ROOT / line for line in names.stdout.splitlines()}
    return [path for path in paths if path in changed]


# ---- which change --------------------------------------------------------------------------


def _draw(files: list[Path], chance: random.Random) -> Iterator[Mutant]:
    """Draw without end: a package in turn, a file by its length, a change of it; none twice."""
    by_package: dict[str, list[Path]] = defaultdict(list)
    for path in files:
        by_package[path.relative_to(SOURCE).parts[0]].append(path)
    seen: set[tuple[Path, int]] = set()
    misses = 0
    while misses < 50:
        for paths in by_package.values():
            path = chance.choices(paths, [each.stat().st_size for each in paths])[0]
            mutants = [each for each in mutants_of(path) if (path, each.line) not in seen]
            if not mutants:
                misses += 1
                continue
            mutant = chance.choice(mutants)
            seen.add((path, mutant.line))
            yield mutant


@functools.cache
def mutants_of(path: Path) -> tuple[Mutant, ...]:
    """Return every change of a file that this runner knows."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node, replacement in _changes(ast.parse(source)):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        was = source[start:end].decode()
        found.append(Mutant(path, node.lineno, start, end, was, replacement))
    return tuple(found)


def _changes(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Yield each place with the text that goes there instead. Annotations are left alone."""
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        for outer in _without_effect(node)
        for inner in ast.walk(outer)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.expr):
            for text in _expressions(node):
                yield node, f"({text})"
        elif isinstance(node, ast.stmt) and (instead := _statement(node)):
            yield node, instead


def _without_effect(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that no test can notice: types, decorators, messages."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from node.decorator_list
            yield from [node.returns] if node.returns else []
        case ast.ClassDef():
            yield from (*node.decorator_list, *node.keywords)
        case ast.arg() | ast.AnnAssign() if node.annotation:
            yield node.annotation
        case ast.Assert() | ast.JoinedStr():
            yield node
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            yield node
        case ast.Call(func=function) if ast.unparse(function).startswith(("log.", "cast")):
            yield node


def _expressions(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in OTHER_WAY:
            yield ast.unparse(ast.Compare(left, [OTHER_WAY[type(op)]()], [right]))
        case ast.BoolOp(op=op, values=values):
            yield ast.unparse(
                ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            )
            yield ast.unparse(values[0])
            yield ast.unparse(values[-1])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield ast.unparse(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OTHER_SUM:
            if not _is_text(left) and not _is_text(right):
                yield ast.unparse(ast.BinOp(left, OTHER_SUM[type(op)](), right))
        case ast.Constant(value=bool() as value):
            yield repr(not value)
        case ast.Constant(value=int() as value):
            yield repr(value + 1)
        case ast.IfExp(body=body, orelse=orelse):
            yield ast.unparse(body)
            yield ast.unparse(orelse)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in OTHER_CALL:
            if name == "sorted":
                yield f"list({ast.unparse(args[0])})"
            else:
                yield ast.unparse(ast.Call(ast.Name(OTHER_CALL[name]), args, keywords))
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp():
            if node.generators[0].ifs:
                first = node.generators[0]
                bare = ast.comprehension(first.target, first.iter, [], first.is_async)
                yield ast.unparse(type(node)(node.elt, [bare, *node.generators[1:]]))


def _statement(node: ast.stmt) -> str | None:
    """Return the replacement of a statement that is left out: a call, a raise, a loop's way out."""
    match node:
        case ast.Expr(value=ast.Call()) | ast.Raise() | ast.Continue() | ast.AugAssign():
            return "pass"
        case ast.Expr(value=ast.Await()):
            return "pass"
        case ast.Break():
            return "continue"
    return None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
    )


# ---- which tests ---------------------------------------------------------------------------


@functools.cache
def _imports() -> dict[Path, str]:
    return {path: path.read_text() for path in sorted(TESTS.rglob("test_*.py"))}


@functools.cache
def _near(path: Path) -> tuple[Path, ...]:
    """Return the test files near a source file: its own, those that import it, those alike.

    A view is tested through the routes that answer with it: such a test imports nothing of it, and
    has its words, such as the path of the route and the names of the fields.
    """
    module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
    module = module.removesuffix(".__init__")
    package, _, name = module.rpartition(".")
    mirror = TESTS.joinpath(*path.relative_to(SOURCE).parent.parts)
    words = _words(path.read_text())

    def rank(test: Path) -> tuple[int, float]:
        text = _imports()[test]
        if test.parent == mirror and test.stem == f"test_{name}":
            return 0, 0
        if module in text or f"from {package} import {name}" in text:
            return 1, test.stat().st_size
        return 2 if _reaches(test, path) else 3, -_likeness(words, test)

    return tuple(sorted(_imports(), key=rank)[:NEAR_FILES])


def _reaches(test: Path, path: Path) -> bool:
    """Return whether data flows from the source to what the test's package may import."""
    of_test = test.relative_to(TESTS).parts[0]
    of_path = path.relative_to(SOURCE).parts[0]
    return (
        of_test in PACKAGES
        and of_path in PACKAGES
        and PACKAGES.index(of_path) <= PACKAGES.index(of_test)
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[A-Za-z_]{4,}", text))


@functools.cache
def _rarity() -> dict[str, float]:
    """Return the weight of each word of the tests: the fewer have it, the more it says."""
    count = Counter(word for text in _imports().values() for word in _words(text))
    return {word: math.log(len(_imports()) / many) for word, many in count.items()}


def _likeness(words: frozenset[str], test: Path) -> float:
    theirs = _words(_imports()[test])
    return sum(_rarity()[word] for word in words & theirs) / math.sqrt(len(theirs))


def _tried(mutant: Mutant) -> tuple[Mutant, bool | None]:
    """Run the tests near a mutant; None when there are none that pass without the change."""
    with tempfile.TemporaryDirectory(prefix="pileup-mutant-") as folder:
        copy = Path(folder) / "src" / "pileup"
        shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        source = mutant.path.read_bytes()
        changed = source[: mutant.start] + mutant.text.encode() + source[mutant.end :]
        (copy / mutant.path.relative_to(SOURCE)).write_bytes(changed)
        status = _run_tests(copy.parent, _near(mutant.path))
        if status == "failed" or (
            status == "too slow" and _run_tests(SOURCE.parent, _near(mutant.path)) == "passed"
        ):
            return mutant, True
        return mutant, (False if status == "passed" else None)


def _run_tests(source: Path, tests: tuple[Path, ...]) -> str:
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", *map(str, tests)]
    with subprocess.Popen(
        command,
        cwd=BACKEND,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            return "passed" if process.wait(TEST_S) == 0 else "failed"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 15)
            return "too slow"


# ---- what came of it -----------------------------------------------------------------------


def _print_scores(killed: dict[str, int], survivors: dict[str, list[Mutant]], seed: int) -> None:
    out = sys.stdout.write
    out(f"\nseed {seed}\n| package | mutants | noticed | score |\n|---|---|---|---|\n")
    noticed = total = 0
    for package in PACKAGES:
        both = killed[package] + len(survivors[package])
        noticed, total = noticed + killed[package], total + both
        if both:
            out(f"| {package} | {both} | {killed[package]} | {killed[package] / both:.0%} |\n")
    if total:
        out(f"| together | {total} | {noticed} | {noticed / total:.0%} |\n")


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 70 else f"{flat[:67]}..."


if __name__ == "__main__":
    raise SystemExit(main())
