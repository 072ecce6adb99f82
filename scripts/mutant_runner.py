"""Run each mutant of mutants.py against the tests that reach it.

All mutants stand in one copy of the source, each behind a switch (``__mutants__[7]``), so the
source and the tests are imported once: by this process, which then forks. One child for each mutant
turns its switch on and runs tests until one fails. Such a test must pass in another child without
the mutant; one that does not is left out from then on. A mutant that is read while its module is
imported gets a process of its own.

This process must not use Polars: its threads do not outlive a fork.

Usage: mutant_runner.py PLAN, which mutants.py writes
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import gc
import importlib
import itertools
import json
import os
import pkgutil
import resource
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

SWITCH = "PILEUP_MUTANT"
"""Environment: the mutant that is on."""
LEAST_S = 30
"""Seconds of processor time that tests may always take; else three times what they usually take."""
OFTEN = 3
"""A test file that so many mutants need first is imported once for all of them."""
GRACE_S = 60
"""So long tests that run when the time is over may go on."""
NOTICED, MISSED, UNSETTLED = "noticed", "missed", "unsettled"
"""What becomes of a mutant. Unsettled: there was no time for all tests, or they fail without it."""
_PASSED, _FAILED, _NOT_FOUND, _NO_TESTS = 0, 1, 4, (4, 5)


class Switches:
    """Answer for every mutant whether it is on, and note which are read during imports."""

    def __init__(self) -> None:
        self.on = int(os.environ.get(SWITCH, "-1"))
        self.read: set[int] = set()

    def __getitem__(self, number: int) -> bool:
        self.read.add(number)
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
    part: int = 0
    """Which of its tests these are; those before have not noticed it."""
    limit: float = 0.0
    """Seconds of processor time after which it ends."""


@dataclass(slots=True)
class _State:
    """The plan, and what became clear of it."""

    plan: dict[str, Any]
    folder: Path
    at_import: frozenset[int] = frozenset()
    """Mutants that are read while modules are imported."""
    fine: dict[str, bool] = field(default_factory=dict)
    """Whether a test passes without any mutant."""
    unnoticed: deque[tuple[int, int]] = field(default_factory=deque)
    """Mutants that no test has noticed yet, with the part of their tests that comes next."""

    def tests_of(self, mutant: int, part: int) -> dict[str, float]:
        """Return a part of the tests to run for a mutant, with their seconds."""
        tests = self.plan["mutants"][mutant][part]
        return {name: took for name, took in tests if self.fine.get(name, True)}

    def not_noticed(self, mutant: int, part: int) -> None:
        """Note that a part of its tests did not notice a mutant."""
        if part + 1 < len(self.plan["mutants"][mutant]):
            self.unnoticed.append((mutant, part + 1))
        else:
            self.survived(mutant, part + 1)

    def survived(self, mutant: int, parts: int) -> None:
        """Write that no test of the first parts noticed a mutant, and how many are left."""
        counts = [len(self.tests_of(mutant, at)) for at in range(len(self.plan["mutants"][mutant]))]
        tried, left = sum(counts[:parts]), sum(counts[parts:])
        if left:
            self.write(mutant=mutant, result=UNSETTLED, why=f"{tried} tests ran, {left} did not")
        else:
            why = f"{tried} tests reach it" if tried else "no test reaches it"
            self.write(mutant=mutant, result=MISSED, why=why)

    def write(self, **line: object) -> None:
        """Hand a result to mutants.py."""
        with (self.folder / "results").open("a") as file:
            file.write(json.dumps(line) + "\n")


class _Notes:
    """Pytest plugin that notes the test that fails."""

    def __init__(self, folder: Path, mutant: int) -> None:
        self._failed = folder / f"failed-{mutant}"

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self._failed.write_text(report.nodeid)


class _Only:
    """Pytest plugin that keeps the given tests, in their order; all of a file that is given."""

    def __init__(self, tests: Sequence[str]) -> None:
        self._places = {name: at for at, name in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        names = {item: (item.nodeid, item.nodeid.partition("::")[0]) for item in items}
        wanted = {
            item: min(self._places[name] for name in some if name in self._places)
            for item, some in names.items()
            if not self._places.keys().isdisjoint(some)
        }
        items[:] = sorted(wanted, key=wanted.__getitem__)


def main(plan: Path) -> None:
    """Run the mutants, and write one line of JSON for each."""
    state = _State(json.loads(plan.read_text()), plan.parent)
    os.chdir(state.plan["backend"])
    sys.path.insert(0, os.getcwd())
    import_source()
    state.at_import = frozenset(_switches().read)
    _import_tests(state)
    if state.plan["has_database"]:
        share_server()
    gc.freeze()
    _run_mutants(state)


def _run_mutants(state: _State) -> None:
    """Try each mutant with its first tests; then, in the time left, the unnoticed with others."""
    waiting = deque((mutant, 0) for mutant in range(len(state.plan["mutants"])))
    running: dict[int, _Child] = {}
    until = time.monotonic() + state.plan["seconds"]
    while True:
        in_time = time.monotonic() < until
        while len(running) < state.plan["processes"] and in_time and (waiting or state.unnoticed):
            mutant, part = (waiting or state.unnoticed).popleft()
            if tests := state.tests_of(mutant, part):
                running |= [_start(state, mutant, tests, part)]
            else:
                state.not_noticed(mutant, part)
        if not in_time:
            for child in running.values():
                child.until = min(child.until, until + GRACE_S)
        if not running:
            for mutant, part in [*state.unnoticed, *waiting]:
                state.survived(mutant, part)
            state.write(broken=sorted(test for test, is_fine in state.fine.items() if not is_fine))
            return
        for process, code in _ended(running):
            child = running.pop(process)
            if code is None and time.monotonic() > until + GRACE_S:
                state.survived(child.mutant, child.part)
            else:
                running |= _settle(state, child, code)


def _start(state: _State, mutant: int, tests: dict[str, float], part: int) -> tuple[int, _Child]:
    limit = max(LEAST_S, 3 * sum(tests.values()))
    # The limit is of processor time, for the machine may be busy; the clock ends what only waits.
    return _fork(lambda: _try(state, mutant, list(tests)), limit), _Child(
        mutant, list(tests), _clock_limit(limit), part=part, limit=limit
    )


def _clock_limit(seconds: float) -> float:
    """Return when so many seconds of processor time have surely passed, by the clock."""
    busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    return time.monotonic() + 10 * seconds * max(1.0, busy)


def _settle(state: _State, child: _Child, code: int | None) -> dict[int, _Child]:
    """Write the verdict, or start the check of a test that failed."""
    failed = state.folder / f"failed-{child.mutant}"
    mutant, why = child.mutant, failed.read_text() if failed.exists() else ""
    if child.is_check:
        (test,) = child.tests
        state.fine[test] = code == _PASSED
        failed.unlink(missing_ok=True)
        if code != _PASSED:
            tests = state.tests_of(mutant, child.part)
            if tests:
                return dict([_start(state, mutant, tests, child.part)])
            state.not_noticed(mutant, child.part)
            return {}
        why = test
    elif code == _FAILED and why and why not in state.fine:
        check = _fork(lambda: _pytest(state, mutant, [why]), 10 * LEAST_S)
        until = _clock_limit(10 * LEAST_S)
        return {check: _Child(mutant, [why], until, is_check=True, part=child.part)}
    elif code == _PASSED:
        state.not_noticed(mutant, child.part)
        return {}
    elif code in _NO_TESTS or code == -signal.SIGKILL:  # killed, and not by its own limit
        state.write(mutant=mutant, result=UNSETTLED, why=f"exit code {code}")
        return {}
    elif not why:
        why = "out of time" if code is None else f"exit code {code}"
    state.write(mutant=mutant, result=NOTICED, why=why)
    return {}


def _try(state: _State, mutant: int, tests: Sequence[str]) -> int:
    os.environ[SWITCH] = str(mutant)
    if mutant in state.at_import:
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

    options, notes = ["-q", "--no-header", "-x", "--every-turn"], _Notes(state.folder, mutant)
    code = int(pytest.main([*options, *tests], plugins=[notes]))
    if code == _NOT_FOUND:  # a case that was recorded is no more: of its file, those that are left
        files = dict.fromkeys(name.partition("::")[0] for name in tests)
        code = int(pytest.main([*options, *files], plugins=[notes, _Only(tests)]))
    return code


def import_source() -> None:
    """Import every module of the backend."""
    import pileup

    for module in pkgutil.walk_packages(pileup.__path__, "pileup."):
        if "migrations" not in module.name and "__main__" not in module.name:
            importlib.import_module(module.name)


def _import_tests(state: _State) -> None:
    """Import the test files that several mutants need first, but those that start threads.

    A fork would lose these; a child imports what is left itself.
    """
    firsts = [{name.partition("::")[0] for name, _ in parts[0]} for parts in state.plan["mutants"]]
    many = Counter(itertools.chain.from_iterable(firsts))
    files = [file for file, count in many.items() if count >= OFTEN]
    for file in [file for file in sorted(files) if _starts_no_thread(file)]:
        _import_test(file)


def _starts_no_thread(file: str) -> bool:
    """Return whether a test file can be imported before the forks; a process of its own tries."""
    if pid := os.fork():
        return os.waitpid(pid, 0)[1] == 0
    code, before = 1, _threads()  # of this child, which has none of its parent's
    try:
        _import_test(file)
        code = int(_threads() > before)
    finally:
        os._exit(code)


def _import_test(file: str) -> None:
    importlib.import_module(file.removesuffix(".py").replace("/", "."))


def _threads() -> int:
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.exists() else 0


def share_server() -> None:
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


def _fork(work: Callable[[], int], limit: float) -> int:
    sys.stdout.flush()
    if process := os.fork():
        return process
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 9))
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
            done, status, used = os.wait4(process, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
                is_over = code < 0 and used.ru_utime + used.ru_stime > child.limit > 0
                ended.append((process, None if is_over else code))
            elif time.monotonic() > child.until:
                ended.append((process, None))
        for process, _ in ended:
            with contextlib.suppress(ProcessLookupError):  # what a test started may still run
                os.killpg(process, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process, 0)
        if ended:
            return ended
        time.sleep(0.05)


def _alone(path: Path) -> int:
    folder, mutant, tests = json.loads(path.read_text())
    import_source()  # where that fails, the program does not start: noticed
    return _pytest(_State({}, Path(folder)), mutant, tests)


if __name__ == "__main__":
    if sys.argv[1] == "--alone":
        sys.path.insert(0, os.getcwd())
        raise SystemExit(_alone(Path(sys.argv[2])))
    main(Path(sys.argv[1]))
