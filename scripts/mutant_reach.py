"""Keep which test reaches which statements of the backend, for mutants.py.

The tests run on a copy of the source that marks what runs (mutant_marks.py). What a cache or a
fixture for several tests did counts for every test that uses it.

The map is a database in the user's cache folder. Its entries are by test file: one that has changed
is recorded again, the others stay. A block is known by its function and its first line of text, so
that changes elsewhere in the source move nothing.

Usage: mutant_reach.py [--seconds N] [--processes N] [--unreached] [TEST_FILE...]
Without files: every test file that is not recorded yet. --unreached lists what no test reaches.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import itertools
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import mutant_marks
import mutant_runner
import pytest
from mutant_marks import HOME, MARKS, block_lines

ROOT = Path(__file__).resolve().parents[1]
BACKEND = ROOT / "backend"
SOURCE = BACKEND / "src" / "pileup"
INSIDE = SOURCE.parent.relative_to(ROOT)
TESTS = BACKEND / "tests"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pileup-mutants"
_OURS = ("pileup", "tests", "benchmarks")
_PROCESS = f"{time.time():.3f} {os.getpid()}"
_cache = functools.cache  # which a recording process replaces


# ---- recording in this process ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Work:
    """What a computation or a test reached, and what it took."""

    lines: frozenset[int]
    seconds: float
    shared: Mapping[int, float] = field(default_factory=dict)
    """What it used of computations that others use too: their numbers, with their seconds."""
    paid: frozenset[int] = frozenset()
    """Those of them that it computed itself; their time is in its own."""
    number: int = field(default_factory=itertools.count(1).__next__)

    @property
    def unpaid(self) -> float:
        """The seconds of what it used and others had computed."""
        return sum(took for number, took in self.shared.items() if number not in self.paid)


class _Reached:
    """Collects what is reached, now and by the caches that are used now."""

    def __init__(self) -> None:
        self._before = _Work(frozenset(), 0)
        self._used: dict[int, _Work] = {}
        self._paid: set[int] = set()

    def take(self) -> _Work:
        """Return what was reached since the last call, and what it used of others."""
        before, used = self._before, self._used.values()
        work = _Work(
            mutant_marks.take().union(before.lines, *(work.lines for work in used)),
            0,
            {**before.shared, **{work.number: work.seconds for work in used}},
            before.paid | self._paid,
        )
        self._before, self._used, self._paid = _Work(frozenset(), 0), {}, set()
        return work

    def compute(self, function: Callable[[], Any]) -> tuple[Any, _Work]:
        """Call a function whose result others use later."""
        before, began = self.take(), seconds()
        try:
            result = function()
        finally:
            inside, took = self.take(), seconds() - began
            work = _Work(inside.lines, took + inside.unpaid)
            self._before = before
            self.use(work, paid=True)
        return result, work

    def use(self, work: _Work, *, paid: bool = False) -> None:
        """Count what a computation reached as reached now. paid: it was computed now."""
        self._used[work.number] = work
        if paid:
            self._paid.add(work.number)

    def cache(self, function: Callable[..., Any]) -> Any:
        """Return a function that keeps its results, in place of ``functools.cache``."""
        if (function.__module__ or "").partition(".")[0] not in _OURS:
            return _cache(function)

        @_cache
        def kept(*arguments: Any, **named: Any) -> tuple[Any, _Work]:
            return self.compute(lambda: function(*arguments, **named))

        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            result, work = kept(*arguments, **named)
            self.use(work)
            return result

        call.cache_clear, call.cache_info = kept.cache_clear, kept.cache_info  # type: ignore[attr-defined]
        return call


def seconds() -> float:
    """Return the processor time of this process and its children."""
    return sum(os.times()[:4])


class Recorder:
    """Pytest plugin that keeps what each passing test reaches, a file at a time."""

    def __init__(self, reached: _Reached) -> None:
        self._reached, self._keep = reached, Keep()
        self._fixtures: dict[int, _Work] = {}
        self._tests: list[tuple[str, _Work]] = []
        self._failed = False

    def pytest_collection_finish(self) -> None:
        self._reached.take()

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._failed |= not report.passed

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        if fixturedef.scope == "function":
            return (yield)
        before, began = self._reached.take(), seconds()
        try:
            return (yield)
        finally:
            inside = self._reached.take()
            work = _Work(inside.lines, seconds() - began + inside.unpaid)
            self._fixtures[id(fixturedef)] = work
            self._reached._before = before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> Iterator[None]:
        self._failed = False
        began, clock = seconds(), time.monotonic()
        earlier = set(self._fixtures)
        result = yield
        took = max(seconds() - began, (time.monotonic() - clock) / 10)
        for name in item.fixturenames:
            for fixture in item._fixtureinfo.name2fixturedefs.get(name, ()):
                if work := self._fixtures.get(id(fixture)):
                    self._reached.use(work, paid=id(fixture) not in earlier)
        work = self._reached.take()
        own = took - sum(work.shared.get(number, 0) for number in work.paid)
        if not self._failed:
            self._tests.append((item.nodeid, replace(work, seconds=max(own, 0.001))))
        if nextitem is None or nextitem.path != item.path:
            self._keep.write(item.path, self._tests)
            self._tests = []
        return result


def _run(files: list[str]) -> int:
    """Record tests in this process."""
    reached = _Reached()
    functools.cache = reached.cache  # type: ignore[assignment]
    os.chdir(BACKEND)
    sys.path.insert(0, str(BACKEND))
    mutant_runner.share_server()
    return int(
        pytest.main(
            ["-q", "--no-header", "--tb=no", "--every-turn", *files],
            plugins=[Recorder(reached)],
        )
    )


# ---- the map ---------------------------------------------------------------------------------


class Keep:
    """The database of what is reached."""

    def __init__(self) -> None:
        CACHE.mkdir(parents=True, exist_ok=True)
        self._base = sqlite3.connect(CACHE / "reach-2.sqlite", timeout=60)
        self._base.executescript(
            "pragma synchronous = off;"
            "create table if not exists block (id integer primary key, key text unique);"
            "create table if not exists file (name text primary key, digest text);"
            "create table if not exists test"
            " (file text, name text, seconds real, shared text, blocks blob,"
            " primary key (file, name));"
        )

    def is_current(self, path: Path) -> bool:
        """Return whether a test file is recorded as it is."""
        row = self._base.execute("select digest from file where name = ?", [_name(path)]).fetchone()
        return row is not None and row[0] == _digest(path)

    def write(self, path: Path, tests: Iterable[tuple[str, _Work]]) -> None:
        """Replace what is known of a test file."""
        rows = [
            (
                _name(path),
                name,
                work.seconds,
                json.dumps({f"{_PROCESS} {n}": took for n, took in work.shared.items()}),
                zlib.compress(self._bits(work.lines)),
            )
            for name, work in tests
        ]
        with self._base:
            self._base.execute("delete from test where file = ?", [_name(path)])
            self._base.executemany("insert or replace into test values (?, ?, ?, ?, ?)", rows)
            self._base.execute(
                "insert or replace into file values (?, ?)",
                [_name(path), _digest(path)],
            )

    def _bits(self, lines: Iterable[int]) -> bytes:
        bits = 0
        for line in lines:
            bits |= 1 << self._block_at(line)
        return bits.to_bytes((bits.bit_length() + 7) // 8, "little")

    @functools.cache  # noqa: B019  one instance per process
    def _block_at(self, slot: int) -> int:
        key = _keys_of_slots()[slot]
        self._base.execute("insert or ignore into block (key) values (?)", [key])
        return int(self._base.execute("select id from block where key = ?", [key]).fetchone()[0])

    def read(self) -> Reach:
        """Return the map of the test files that are recorded as they are."""
        current = {path: self.is_current(path) for path in test_files()}
        names = {_name(path) for path, is_current in current.items() if is_current}
        blocks = {key: number for number, key in self._base.execute("select id, key from block")}
        tests = [
            Test(name, took, json.loads(shared), int.from_bytes(zlib.decompress(data), "little"))
            for file, name, took, shared, data in self._base.execute("select * from test")
            if file in names
        ]
        return Reach(blocks, tests, len(names) / max(1, len(current)), frozenset(names))


@dataclass(frozen=True, slots=True)
class Test:
    """A test that passes, and the blocks that it reaches, as bits."""

    name: str
    seconds: float
    shared: dict[str, float]
    """What it uses of computations that one process makes once for several tests."""
    blocks: int

    @property
    def file(self) -> str:
        """The file that holds it, from the backend's folder on."""
        return self.name.partition("::")[0]


@dataclass(frozen=True, slots=True)
class Reach:
    """Which recorded tests reach a line."""

    _blocks: dict[str, int]
    _tests: list[Test]
    share: float
    """Share of the test files that are recorded."""
    files: frozenset[str]
    """Those test files, from the backend's folder on."""

    def tests_of(self, path: Path, line: int) -> list[Test]:
        """Return the tests that reach the block of a line; of the file where it is in no block."""
        keys = keys_of(path)
        wanted = 0
        for key in [keys[line]] if line in keys else set(keys.values()):
            if key in self._blocks:
                wanted |= 1 << self._blocks[key]
        return [test for test in self._tests if test.blocks & wanted]

    def tests_in(self, files: Collection[str]) -> list[Test]:
        """Return the recorded tests of these files, whatever they reach."""
        return [test for test in self._tests if test.file in files]

    def unreached(self, path: Path) -> Iterator[int]:
        """Yield the first line of each block that no test reaches."""
        seen = functools.reduce(lambda bits, test: bits | test.blocks, self._tests, 0)
        known = ""
        for line, key in sorted(keys_of(path).items()):
            number = self._blocks.get(key)
            if key != known and not (number is not None and seen >> number & 1):
                yield line
            known = key


@functools.cache
def keys_of(path: Path) -> dict[int, str]:
    """Return the key of the block of each line of a source file that is inside a function."""
    name = path.relative_to(SOURCE).as_posix()
    return {line: f"{name} {key}" for line, key in block_lines(path.read_bytes()).items()}


@functools.lru_cache(maxsize=1)
def _keys_of_slots() -> dict[int, str]:
    copy = Path(os.environ[HOME]) / "pileup"
    found = {}
    for place, before in mutant_marks.Loader.slots.items():
        path = Path(place)
        name = path.relative_to(copy).as_posix()
        for line, key in block_lines(path.read_bytes()).items():
            found[before + line] = f"{name} {key}"
    return found


def test_files() -> list[Path]:
    """Return every test file of the backend."""
    return sorted(TESTS.rglob("test_*.py"))


def _name(path: Path) -> str:
    return path.relative_to(BACKEND).as_posix()


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


# ---- recording -------------------------------------------------------------------------------


def record(paths: Sequence[Path], limit: float, processes: int) -> None:
    """Record those of the test files that are not recorded as they are, in the order given."""
    keep = Keep()
    names = [_name(path) for path in paths if not keep.is_current(path)]
    if not names:
        return
    home = _copy_of_source()
    running = []
    for number in range(processes):
        marks = home / f"marks-{os.getpid()}-{number}"
        marks.write_bytes(bytes(max(json.loads((home / "slots.json").read_text()).values()) + 9999))
        environment = os.environ | {
            "PYTHONPATH": str(home),
            HOME: str(home),
            MARKS: str(marks),
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if share := names[number::processes]:
            with (home / f"log-{os.getpid()}-{number}").open("wb") as log:
                command = [sys.executable, __file__, "--run", *share]
                running.append(
                    subprocess.Popen(
                        command,
                        env=environment,
                        stdout=log,
                        stderr=log,
                        start_new_session=True,
                    )
                )
    until = time.monotonic() + limit
    for process in running:
        try:
            process.wait(max(0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
    for path in home.glob(f"*-{os.getpid()}-*"):
        path.unlink()


def link_the_rest(home: Path) -> None:
    """Put all of the repository around a copy of the source: samples, documents, the built UI.

    Without them every test that looks for one fails, and counts for nothing.
    """
    here = ROOT
    for part in (*INSIDE.parts, ""):
        home.mkdir(parents=True, exist_ok=True)
        for path in here.iterdir():
            link = home / path.name
            if path.name not in (part, SOURCE.name) and not path.name.startswith("."):
                link.unlink(missing_ok=True)
                link.symlink_to(path)
        here, home = here / part, home / part


def _copy_of_source() -> Path:
    """Return the folder of the copy, brought up to date; its bytecode stays."""
    home = CACHE / hashlib.sha256(str(ROOT).encode()).hexdigest()[:12]
    link_the_rest(home)
    home /= INSIDE
    copy = home / "pileup"
    shutil.copytree(SOURCE, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    slots, before = {}, 0
    for path in sorted(copy.rglob("*.py")):
        if not (SOURCE / path.relative_to(copy)).exists():
            path.unlink()
            continue
        slots[str(path)] = before
        before += path.read_bytes().count(b"\n") + 2
    if not (home / "slots.json").exists() or json.loads((home / "slots.json").read_text()) != slots:
        for folder in list(copy.rglob("__pycache__")):  # the numbers of the marks have moved
            shutil.rmtree(folder)
        (home / "slots.json").write_text(json.dumps(slots))
    (home / "sitecustomize.py").write_text(
        f"import sys\nsys.path.append({str(ROOT / 'scripts')!r})\n"
        "import mutant_marks\nmutant_marks.install()\n"
    )
    return home


def main() -> int:
    """Record, or list what no test reaches."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--unreached", action="store_true")
    parser.add_argument("--run", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        return _run(options.run)
    if not options.unreached:
        files = [path.resolve() for path in options.files] or test_files()
        record(files, options.seconds, options.processes)
        return 0
    reach = Keep().read()
    sys.stdout.write(f"{reach.share:.0%} of the test files are recorded\n")
    by_file: dict[Path, list[int]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        by_file[path] = list(reach.unreached(path))
    for path, lines in by_file.items():
        if lines:
            sys.stdout.write(f"{path.relative_to(SOURCE)}: {' '.join(map(str, lines))}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
