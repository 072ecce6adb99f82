"""Run each mutant of mutants.py against the tests that reach it.

All mutants stand in one copy of the source, each behind a switch (``__mutants__[7]``), so the
source is imported once: by this process, which then forks. A first child runs the tests near the
mutants and notes which test reaches which switch. Then one child for each mutant turns its switch
on and runs what reached it until a test fails. Such a test must pass in another child without the
mutant. A mutant that is read while its module is imported gets a process of its own.

This process must not use Polars: its threads do not outlive a fork.

Usage: mutant_runner.py PLAN, which mutants.py writes
"""

from __future__ import annotations

import atexit
import builtins
import gc
import importlib
import itertools
import json
import os
import pkgutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

SWITCH, REACHED = "PILEUP_MUTANT", "PILEUP_MUTANTS_REACHED"
"""Environment: the mutant that is on, and the file of what is reached."""
MOST_S = 60
"""So many seconds of tests are run for one mutant."""
MUTANT_S = 90
"""Least seconds that they may take; else three times what they took without the mutant."""
_PASSED, _FAILED = 0, 1


class Switches:
    """Answer for every mutant whether it is on, and note the first reach by each test."""

    def __init__(self) -> None:
        self.on = int(os.environ.get(SWITCH, "-1"))
        self.reached = os.environ.get(REACHED)
        self.test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        self._noted: set[int] = set()

    def start(self, test: str) -> None:
        """Note what is reached from now on as reached by this test."""
        self.test = test
        self._noted.clear()

    def __getitem__(self, number: int) -> bool:
        if self.reached is not None and number not in self._noted:
            self._noted.add(number)
            with Path(self.reached).open("a") as file:
                file.write(json.dumps([number, self.test]) + "\n")
        return number == self.on


def install() -> None:
    """Make the switches known to all modules of this process; a site of Python calls it."""
    builtins.__mutants__ = Switches()  # type: ignore[attr-defined]


def _switches() -> Switches:
    return builtins.__mutants__  # type: ignore[attr-defined, no-any-return]


@dataclass(slots=True)
class _Child:
    """A forked process that runs tests, with a mutant or as a check without it."""

    mutant: int
    tests: Sequence[str]
    until: float
    is_check: bool = False


@dataclass(slots=True)
class _State:
    """The plan, how long each test takes, and what reaches each mutant."""

    plan: dict[str, Any]
    folder: Path
    seconds: dict[str, float] = field(default_factory=dict)
    reached: dict[int, set[str]] = field(default_factory=dict)
    is_cut: bool = False
    """Not all tests were recorded in time: what no test reaches may be reached by another."""

    def file_of(self, mutant: int) -> dict[str, Any]:
        """Return the mutants of the same file, and the test files nearest to it."""
        files = self.plan["files"]
        return next(file for file in files if mutant in file["mutants"])

    def tests_of(self, mutant: int) -> list[str]:
        """Return what reaches a mutant and passes without it, the nearest files first."""
        return self._in_order(self.reached.get(mutant, set()), mutant)

    def tests_of_file(self, mutant: int) -> list[str]:
        """Return what reaches anything of a mutant's file, or the tests of the nearest files."""
        file = self.file_of(mutant)
        names = set().union(*(self.reached.get(other, set()) for other in file["mutants"]))
        near = {name for name in self.seconds if name.partition("::")[0] in file["nearest"]}
        return self._in_order(names - {""} or near, mutant)

    def write(self, **line: object) -> None:
        """Hand a result to mutants.py."""
        with (self.folder / "results").open("a") as file:
            file.write(json.dumps(line) + "\n")

    def _in_order(self, names: set[str], mutant: int) -> list[str]:
        nearest = self.file_of(mutant)["nearest"]

        def order(name: str) -> tuple[bool, float, str]:
            return name.partition("::")[0] not in nearest, self.seconds[name], name

        ordered = sorted((name for name in names if name in self.seconds), key=order)
        totals = itertools.accumulate(self.seconds[name] for name in ordered)
        return [name for name, total in zip(ordered, totals, strict=True) if total <= MOST_S]


class _Notes:
    """Pytest plugin that notes the tests that pass, with their seconds, and the one that fails."""

    def __init__(self, folder: Path, mutant: int) -> None:
        self._passed, self._failed = folder / "passed", folder / f"failed-{mutant}"
        self._records = _switches().reached is not None
        self._seconds: dict[str, float] = {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if self._records:
            _switches().start(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self._failed.write_text(report.nodeid)
            self._seconds[report.nodeid] = float("inf")
        before = self._seconds.get(report.nodeid, 0.0)
        self._seconds[report.nodeid] = before + report.duration
        if self._records and report.when == "teardown" and before < float("inf"):
            with self._passed.open("a") as file:
                file.write(json.dumps([report.nodeid, before + report.duration]) + "\n")


def main(plan: Path) -> None:
    """Record, then run the mutants, and write one line of JSON for each."""
    state = _State(json.loads(plan.read_text()), plan.parent)
    os.chdir(state.plan["backend"])
    sys.path.insert(0, os.getcwd())
    _import_everything()
    if state.plan["has_database"]:
        _share_server()
    gc.freeze()
    began = time.monotonic()
    _record(state)
    state.write(tests=len(state.seconds), recorded_s=round(time.monotonic() - began))
    _run_mutants(state)


def _record(state: _State) -> None:
    running, until = {}, time.monotonic() + state.plan["record_s"]
    for first in range(state.plan["processes"]):
        tests = state.plan["tests"][first :: state.plan["processes"]]
        if tests:
            running[_fork(lambda tests=tests: _pytest(state, -1, tests))] = _Child(-1, tests, until)  # type: ignore[misc]
    while running:
        for process, code in _ended(running):
            state.is_cut |= code is None
            del running[process]
    for line in _lines(state.folder / "passed"):
        state.seconds[line[0]] = line[1]
    for number, test in _lines(Path(os.environ.pop(REACHED))):
        state.reached.setdefault(number, set()).add(test)
    _switches().reached = None


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _run_mutants(state: _State) -> None:
    waiting = _with_tests(state)
    running: dict[int, _Child] = {}
    until = time.monotonic() + state.plan["seconds"]
    while True:
        while len(running) < state.plan["processes"] and time.monotonic() < until:
            if (following := next(waiting, None)) is None:
                break
            running |= [_start(state, *following)]
        if not running:
            return
        for process, code in _ended(running):
            running |= _settle(state, running.pop(process), code)


def _with_tests(state: _State) -> Iterator[tuple[int, list[str]]]:
    """Yield the mutants that tests reach, and write the others down."""
    for mutant in state.plan["mutants"]:
        imports = "" in state.reached.get(mutant, ())
        tests = state.tests_of_file(mutant) if imports else state.tests_of(mutant)
        if tests:
            yield mutant, tests
        else:
            noticed = None if state.is_cut else False
            state.write(mutant=mutant, noticed=noticed, why="no recorded test reaches it")


def _start(state: _State, mutant: int, tests: Sequence[str]) -> tuple[int, _Child]:
    limit = max(MUTANT_S, 3 * sum(state.seconds[name] for name in tests))
    return _fork(lambda: _try(state, mutant, tests)), _Child(
        mutant, tests, time.monotonic() + limit
    )


def _settle(state: _State, child: _Child, code: int | None) -> dict[int, _Child]:
    """Write the verdict, or start the check of a test that failed."""
    failed = state.folder / f"failed-{child.mutant}"
    mutant, why = child.mutant, failed.read_text() if failed.exists() else ""
    if child.is_check:
        state.write(mutant=mutant, noticed=True if code == _PASSED else None, why=why)
    elif code == _FAILED and why:
        until = time.monotonic() + 3 * MUTANT_S
        check = _fork(lambda: _pytest(state, -1, [why]))
        return {check: _Child(mutant, [why], until, is_check=True)}
    elif code == _PASSED:
        state.write(mutant=mutant, noticed=False, why=f"{len(child.tests)} tests reach it")
    else:
        ends = "out of time" if code is None else f"exit code {code}"
        state.write(mutant=mutant, noticed=True, why=ends)
    return {}


def _try(state: _State, mutant: int, tests: Sequence[str]) -> int:
    os.environ[SWITCH] = str(mutant)
    if "" in state.reached.get(mutant, ()):
        _execute(state, mutant, tests)
    _switches().on = mutant
    return _pytest(state, mutant, tests)


def _execute(state: _State, mutant: int, tests: Sequence[str]) -> NoReturn:
    """Import everything again, with the mutant on."""
    alone = state.folder / f"alone-{mutant}"
    alone.write_text(json.dumps([str(state.folder), mutant, list(tests)]))
    os.execv(sys.executable, [sys.executable, __file__, "--alone", str(alone)])


def _pytest(state: _State, mutant: int, tests: Sequence[str]) -> int:
    import pytest

    options = ["-q", "--no-header", *(["-x"] if len(tests) and REACHED not in os.environ else [])]
    return int(pytest.main([*options, *tests], plugins=[_Notes(state.folder, mutant)]))


def _import_everything() -> None:
    import pytest  # noqa: F401

    import pileup

    for module in pkgutil.walk_packages(pileup.__path__, "pileup."):
        if "migrations" not in module.name and "__main__" not in module.name:
            importlib.import_module(module.name)


def _share_server() -> None:
    """Start PostgreSQL once; each child counts its databases from another number."""
    from tests.support import postgres

    server = postgres.PostgresForTests()
    server.drop(server.migrated_database())  # makes the template
    parent, close = os.getpid(), server.close

    def shared() -> postgres.PostgresForTests:
        server._numbers = itertools.count(os.getpid() * 1000)
        server.close = lambda: None  # type: ignore[method-assign]
        return server

    postgres.PostgresForTests = shared  # type: ignore[misc, assignment]
    atexit.register(lambda: close() if os.getpid() == parent else None)


def _fork(work: Callable[[], int]) -> int:
    sys.stdout.flush()
    if process := os.fork():
        return process
    os.setpgid(0, 0)
    code = 3
    try:
        code = work()
    finally:
        sys.stdout.flush()
        os._exit(code)


def _ended(running: dict[int, _Child]) -> list[tuple[int, int | None]]:
    """Wait until a child ends or is out of time; return those, with their exit codes."""
    while True:
        ended: list[tuple[int, int | None]] = []
        for process, child in running.items():
            done, status = os.waitpid(process, os.WNOHANG)
            if done:
                ended.append((process, os.waitstatus_to_exitcode(status)))
            elif time.monotonic() > child.until:
                os.killpg(process, signal.SIGKILL)
                os.waitpid(process, 0)
                ended.append((process, None))
        if ended:
            return ended
        time.sleep(0.05)


def _alone(path: Path) -> int:
    folder, mutant, tests = json.loads(path.read_text())
    return _pytest(_State({}, Path(folder)), mutant, tests)


if __name__ == "__main__":
    if sys.argv[1] == "--alone":
        sys.path.insert(0, os.getcwd())
        raise SystemExit(_alone(Path(sys.argv[2])))
    main(Path(sys.argv[1]))
