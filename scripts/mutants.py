"""Break the backend in small ways and count how often the tests notice.

A mutant is one change of one expression or statement: a boundary, a sort order, a dropped clause,
a deleted call. Draw a sample by a seed, run the tests that reach each mutant, and print the score
of every package. A mutant is noticed when a test fails that passes without the change, or when
tests run out of time that finish without it (mutant_runner.py). Which test reaches what is recorded
once (mutant_reach.py): test files near the drawn mutants that are not recorded yet come first, and
may take half of the time.

For each mutant the tests of the nearest files run first, for half a minute at most. One that they
do not notice is tried with the others that reach it, and with the test files of its package that
are not recorded yet, a minute of them in turn for each, until all have run or the time is over: a
score is a lower bound. Each test file gets its share of the minutes, a larger one if it has the
words of the changed function. Mutants that change nothing that can be seen (equivalents) count as
survivors too: read the list.

The score is printed also where the draw is cut off, by its SECONDS, by Ctrl-C or by a signal.

Several packages in one run cost less than a run for each: what they share is imported once.

Usage: mutants.py [--package NAME | --changed BASE] [--kind NAME] [--seed N] [--count N]
                  [--seconds N]
"""

from __future__ import annotations

import argparse
import ast
import functools
import itertools
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mutant_reach
import mutant_runner
from mutant_reach import INSIDE, Reach, Test

ROOT = Path(__file__).resolve().parents[1]
BACKEND = ROOT / "backend"
SOURCE = BACKEND / "src" / "pileup"
TESTS = BACKEND / "tests"
PACKAGES = (
    *("records", "formats", "knowledge", "analysis", "storage", "report"),
    *("views", "api", "worker", "runtime", "cli"),
)
"""In the order that data flows: a test of a package can reach it and those before it."""
NEAR_FILES = 8
"""So many test files are recorded for a mutant, the nearest first."""
NEAREST = 3
"""The tests of so many files run before those of the others, even if they take longer."""
MOST_S, REST_S = 30, 60
"""So many seconds of tests run for a mutant, and so many at a time where they do not notice it."""
UNKNOWN_S = 20
"""Seconds that the tests of a file count as that is not recorded."""
OF_CONSTANTS = ("tests/test_agreed_defaults.py", "tests/api/test_documented_routes.py")
"""Tests that look at constants and defaults, so that no block shows what they reach."""
WITH_DATABASE = ("storage", "views", "api", "worker", "runtime", "security")
"""The folders of tests that need PostgreSQL."""
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
LEFT_OUT = {
    *("filter", "where", "head", "limit", "unique", "distinct", "drop_nulls"),
    *("sort", "order_by", "strip", "lower", "rstrip", "lstrip"),
}
"""Methods that can be left out of a chain of calls."""
LOCKS = re.compile(r"\w*(flock|advisory_\w+|AdvisoryLock\.\w+)\b")
"""What a statement that locks names."""
LOCKING = ("lock=True", "with_for_update=True", "with_for_update=lock")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: ``text`` instead of the bytes ``start`` to ``end`` of ``path``."""

    kind: str
    path: Path
    line: int
    start: int
    end: int
    column: int
    was: str
    text: str
    is_call: bool = False

    def touches(self, other: Mutant) -> bool:
        """Return whether two changes of a file share a line's start or overlap."""
        return self.line == other.line or (self.start < other.end and other.start < self.end)

    def behind(self, switch: str) -> str:
        """Return the text of the place with both, the change where the switch is on."""
        if self.text == "continue":
            return f"if {switch}: continue\n{' ' * self.column}{self.was}"
        if self.text == "pass" and not self.is_call:
            return f"if not {switch}: {self.was}"
        new = "None" if self.text == "pass" else self.text
        return f"({new} if {switch} else ({self.was}))"

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
    chance = random.Random(options.seed)  # noqa: S311  a sample, no secret
    drawn = list(itertools.islice(_draw(files, chance, options.kind), options.count))
    results: dict[Mutant, str] = {}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # as Ctrl-C: what is known is printed
    try:
        for mutant, result, why in _results(drawn, options):
            results[mutant] = result
            word = "MISSED" if result == mutant_runner.MISSED else result
            sys.stdout.write(f"{word:<9} {mutant}  ({why})\n")
            sys.stdout.flush()
    finally:
        _print_scores(drawn, results, options.seed)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--package", choices=PACKAGES)
    parser.add_argument("--changed", metavar="BASE", help="only files that differ from this commit")
    parser.add_argument("--kind", help="only changes of this kind, such as: lock, boundary, order")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--count", type=int, default=60, help="so many mutants")
    parser.add_argument(
        "--seconds",
        type=float,
        default=900,
        help="at most half of them to record tests",
    )
    parser.add_argument("--recorded", action="store_true", help="run recorded tests alone")
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def _sources(package: str | None, base: str | None) -> list[Path]:
    names = (package,) if package else PACKAGES
    paths = [path for name in names for path in sorted((SOURCE / name).rglob("*.py"))]
    paths = [path for path in paths if "migrations" not in path.parts]
    if base is None:
        return paths
    names = subprocess.run(
        ["git", "diff", "--name-only", base],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    changed = {ROOT / line for line in names.stdout.splitlines()}
    return [path for path in paths if path in changed]


# ---- which change --------------------------------------------------------------------------


def _draw(files: list[Path], chance: random.Random, only: str | None) -> Iterator[Mutant]:
    """Draw all in turn: of a package a file by its length, a kind, a change; none twice."""
    by_package: dict[str, list[Path]] = defaultdict(list)
    for path in files:
        by_package[path.relative_to(SOURCE).parts[0]].append(path)
    seen: list[Mutant] = []
    while by_package := {package: paths for package, paths in by_package.items() if paths}:
        for paths in by_package.values():
            path = chance.choices(paths, [each.stat().st_size for each in paths])[0]
            taken = [mutant for mutant in seen if mutant.path == path]
            mutants = [
                each
                for each in mutants_of(path)
                if only in (None, each.kind) and not any(map(each.touches, taken))
            ]
            if not mutants:
                paths.remove(path)
                continue
            kind = chance.choice(sorted({each.kind for each in mutants}))
            mutant = chance.choice([each for each in mutants if each.kind == kind])
            seen.append(mutant)
            yield mutant


@functools.cache
def mutants_of(path: Path) -> tuple[Mutant, ...]:
    """Return every change of a file that this runner knows."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for kind, node, replacement in _changes(ast.parse(source)):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        was = source[start:end].decode()
        is_call = isinstance(node, ast.Expr)
        found.append(
            Mutant(
                kind,
                path,
                node.lineno,
                start,
                end,
                node.col_offset,
                was,
                replacement,
                is_call,
            )
        )
    return tuple(found)


def _changes(tree: ast.Module) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
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
            for kind, text in _expressions(node):
                yield kind, node, f"({text})"
        elif isinstance(node, ast.stmt) and (instead := _statement(node)):
            is_lock = isinstance(node, ast.Expr) and LOCKS.search(ast.unparse(node))
            yield "lock" if is_lock else type(node).__name__, node, instead
        elif isinstance(node, ast.keyword) and ast.unparse(node) in LOCKING:
            yield "lock", node.value, "(False)"
        if isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], _EXITS):
            yield "early exit", node.test, "(False)"


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
        case ast.match_case():
            yield node.pattern  # no place for a switch
        case ast.keyword(arg="strict", value=ast.Constant(value=True)):
            yield node  # of zip: it fails only where other code is wrong
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            yield node
        case ast.Call(func=function) if ast.unparse(function).startswith(("log.", "cast")):
            yield node


def _expressions(node: ast.expr) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in OTHER_WAY:
            is_bound = isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE))
            other = ast.Compare(left, [OTHER_WAY[type(op)]()], [right])
            yield "boundary" if is_bound else "comparison", ast.unparse(other)
        case ast.BoolOp(op=op, values=values):
            other_op = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield "and-or", ast.unparse(ast.BoolOp(other_op, values))
            yield "clause", ast.unparse(values[0])
            yield "clause", ast.unparse(values[-1])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not", ast.unparse(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OTHER_SUM:
            if not _is_text(left) and not _is_text(right):
                yield (
                    "arithmetic",
                    ast.unparse(ast.BinOp(left, OTHER_SUM[type(op)](), right)),
                )
        case ast.Constant(value=bool() as value):
            yield "flag", repr(not value)
        case ast.Constant(value=int() as value):
            yield "number", repr(value + 1)
        case ast.IfExp(body=body, orelse=orelse):
            yield "choice", ast.unparse(body)
            yield "choice", ast.unparse(orelse)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in OTHER_CALL:
            if name == "sorted":
                yield "order", f"list({ast.unparse(args[0])})"
            else:
                yield (
                    "min-max",
                    ast.unparse(ast.Call(ast.Name(OTHER_CALL[name]), args, keywords)),
                )
        case ast.Call(func=ast.Attribute(value=value, attr="with_for_update")):
            yield "lock", ast.unparse(value)
        case ast.Call(func=ast.Name(id="try_lock")):
            yield "lock", "True"
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in LEFT_OUT:
            yield "left out", ast.unparse(value)
        case ast.Subscript(value=value, slice=ast.Slice(lower=lower, upper=upper)):
            if lower is None or upper is None:
                yield "cut", ast.unparse(value)
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
            yield from _without_filter(node)


def _without_filter(
    node: ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp,
) -> Iterator[tuple[str, str]]:
    first = node.generators[0]
    if first.ifs:
        bare = [ast.comprehension(first.target, first.iter, [], first.is_async)]
        bare += node.generators[1:]
        if isinstance(node, ast.DictComp):
            yield "filter", ast.unparse(ast.DictComp(node.key, node.value, bare))
        else:
            yield "filter", ast.unparse(type(node)(node.elt, bare))


_EXITS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def _statement(node: ast.stmt) -> str | None:
    """Return the replacement of a statement that is left out: a call, a raise, a loop's way out."""
    match node:
        case ast.Expr(value=ast.Call() | ast.Await() | ast.Yield()):
            return "pass"
        case ast.Raise() | ast.Continue() | ast.AugAssign():
            return "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
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
        if test.stem == f"test_{package.rpartition('.')[2]}":
            return 1, 0
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
    count = Counter(word for test in _imports() for word in _words_of(test))
    return {word: math.log(len(_imports()) / many) for word, many in count.items()}


@functools.cache
def _words_of(test: Path) -> frozenset[str]:
    return _words(_imports()[test])


def _likeness(words: frozenset[str], test: Path) -> float:
    theirs = _words_of(test)
    return sum(_rarity()[word] for word in words & theirs) / math.sqrt(len(theirs))


# ---- run -----------------------------------------------------------------------------------


def _results(drawn: list[Mutant], options: argparse.Namespace) -> Iterator[tuple[Mutant, str, str]]:
    """Yield what became of each mutant, and why."""
    began = time.monotonic()
    near = [_near(mutant.path) for mutant in drawn]
    nearest_first = itertools.chain.from_iterable(itertools.zip_longest(*near))
    wanted = list(dict.fromkeys(path for path in nearest_first if path))
    if not options.recorded:
        mutant_reach.record(wanted, options.seconds / 2, options.processes)
    reach = mutant_reach.Keep().read()
    tests = [_tests_of(mutant, reach) for mutant in drawn]
    took = time.monotonic() - began
    sys.stdout.write(f"{reach.share:.0%} of the test files are recorded, after {took:.0f} s\n")
    with tempfile.TemporaryDirectory(prefix="pileup-mutants-") as folder:
        home = Path(folder)
        mutant_reach.link_the_rest(home)
        _write_source(home / INSIDE, drawn)
        files = {name.split("/")[1] for parts in tests for part in parts for name, _ in part}
        plan = {
            "backend": str(BACKEND),
            "has_database": not files.isdisjoint(WITH_DATABASE),
            "mutants": tests,
            "seconds": options.seconds - took,
            "processes": options.processes,
        }
        (home / "plan").write_text(json.dumps(plan))
        (home / "results").touch()
        for line in _lines_of(home):
            if "broken" in line:
                for test in line["broken"]:
                    sys.stdout.write(f"counts for nothing, as it fails without a change: {test}\n")
                continue
            yield drawn[line["mutant"]], line["result"], line["why"]


Timed = list[tuple[str, float]]
"""Tests with their seconds."""


def _tests_of(mutant: Mutant, reach: Reach) -> list[Timed]:
    """Return what reaches a mutant in parts: the nearest files, then the others in turn."""
    nearest = {_name(path) for path in _near(mutant.path)[:NEAREST]} | {*OF_CONSTANTS}
    reaching = reach.tests_of(mutant.path, mutant.line) or reach.tests_in(nearest)
    if mutant.line not in mutant_reach.keys_of(mutant.path):
        reaching = [*reaching, *reach.tests_in(OF_CONSTANTS)]
    words = _words(_function_at(mutant.path, mutant.line))
    ordered = list(_in_turn(reaching, words))
    near_first = sorted(ordered, key=lambda test: test.file not in nearest)
    first = _within(_timed(near_first), MOST_S)
    chosen = {name for name, _ in first}
    mirror = (TESTS / mutant.package).rglob("test_*.py")
    unknown = [
        (_name(path), UNKNOWN_S) for path in sorted(mirror) if _name(path) not in reach.files
    ]
    rest = [*_timed(test for test in ordered if test.name not in chosen), *unknown]
    return [first, *_parts(rest, REST_S)]


def _in_turn(tests: Sequence[Test], words: frozenset[str]) -> Iterator[Test]:
    """Order tests so that each file has had its share of the time, by its likeness to words."""
    users = Counter(key for test in tests for key in test.shared)
    by_file = defaultdict(list)
    for test in tests:
        share = sum(took / users[key] for key, took in test.shared.items())
        by_file[test.file].append((test.seconds + share, test.name, test))
    places = []
    for file, timed in by_file.items():
        timed.sort(key=lambda each: each[:2])
        until = itertools.accumulate(took for took, _, _ in timed)
        weight = 1 + _likeness(words, BACKEND / file)
        places += [
            (at / weight, name, test) for at, (_, name, test) in zip(until, timed, strict=True)
        ]
    places.sort(key=lambda each: each[:2])
    return (test for _, _, test in places)


@functools.cache
def _function_at(path: Path, line: int) -> str:
    """Return the text of the innermost function or class around a line, else of the file."""
    text = path.read_text()
    outer = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return (ast.get_source_segment(text, outer[-1]) if outer else None) or text


def _parts(tests: Timed, seconds: float) -> Iterator[Timed]:
    """Cut tests into parts of so many seconds each; what takes longer is a part of its own."""
    part: Timed = []
    total = 0.0
    for test in tests:
        if part and total + test[1] > seconds:
            yield part
            part, total = [], 0.0
        part.append(test)
        total += test[1]
    if part:
        yield part


def _timed(tests: Iterable[Test]) -> Timed:
    """Return the tests with what each takes in a process that has run those before it."""
    found, seen = [], set[str]()
    for test in tests:
        fresh = sum(took for key, took in test.shared.items() if key not in seen)
        seen.update(test.shared)
        found.append((test.name, test.seconds + fresh))
    return found


def _within(tests: Timed, seconds: float) -> Timed:
    """Return the first of these tests, for so many seconds."""
    totals = itertools.accumulate(took for _, took in tests)
    return [test for test, total in zip(tests, totals, strict=True) if total <= seconds]


def _name(test: Path) -> str:
    return str(test.relative_to(BACKEND))


def _write_source(folder: Path, places: list[Mutant]) -> None:
    """Copy the source with every place behind its switch, and make Python install the switches."""
    copy = folder / "pileup"
    shutil.copytree(SOURCE, copy)  # with the bytecode of all that stays as it is
    edits: dict[Path, list[tuple[Mutant, str]]] = defaultdict(list)
    for number, place in enumerate(places):
        edits[place.path].append((place, place.behind(f"__mutants__[{number}]")))
    for path, changes in edits.items():
        text = path.read_bytes()
        for place, new in sorted(changes, key=lambda change: -change[0].start):
            text = text[: place.start] + new.encode() + text[place.end :]
        ast.parse(text, str(path))
        (copy / path.relative_to(SOURCE)).write_bytes(text)
    (folder / "sitecustomize.py").write_text(
        f"import sys\nsys.path.append({str(ROOT / 'scripts')!r})\n"
        "import mutant_runner\nmutant_runner.install()\n"
    )


def _lines_of(home: Path) -> Iterator[dict[str, Any]]:
    """Run the tests, and yield the lines that come of it."""
    environment = {**os.environ, "PYTHONPATH": str(home / INSIDE)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, mutant_runner.__file__, str(home / "plan")]
    with (
        (home / "log").open("wb") as log,
        (home / "results").open() as results,
        subprocess.Popen(command, cwd=BACKEND, env=environment, stdout=log, stderr=log) as process,
    ):
        while True:
            is_over = process.poll() is not None
            while line := results.readline():
                yield json.loads(line)
            if is_over:
                break
            time.sleep(0.2)
    if process.returncode:
        end = (home / "log").read_text(errors="replace")[-3000:]
        raise SystemExit(f"mutants: the tests do not run\n{end}")


# ---- what came of it -----------------------------------------------------------------------


def _print_scores(drawn: list[Mutant], results: dict[Mutant, str], seed: int) -> None:
    """Print what became of each package's mutants, also of those that nothing was tried for.

    The score counts those that are not settled as missed: it is at least this.
    """
    out = sys.stdout.write
    out(f"\nseed {seed}\n| package | drawn | noticed | missed | not settled | at least |\n")
    out("|---|--:|--:|--:|--:|--:|\n")
    for package in (*PACKAGES, "together"):
        of = [mutant for mutant in drawn if package in (mutant.package, "together")]
        count = Counter(results.get(mutant, mutant_runner.UNSETTLED) for mutant in of)
        noticed = count[mutant_runner.NOTICED]
        if of:
            missed, open_ = count[mutant_runner.MISSED], count[mutant_runner.UNSETTLED]
            share = f"{noticed / len(of):.0%}"
            out(f"| {package} | {len(of)} | {noticed} | {missed} | {open_} | {share} |\n")


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 70 else f"{flat[:67]}..."


if __name__ == "__main__":
    raise SystemExit(main())
