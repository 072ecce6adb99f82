"""Fail a run that leaves out a test for a reason nobody foresaw.

A skipped test protects nothing, and nobody reads a green run. So a test may be left out only for
want of a folder that is not part of the repository, or of something that a machine may lack.
"""

from __future__ import annotations

import pytest

FORESEEN = ("no folder of ", "no capture ", "this machine")
"""How the reason of a skip that is no failure begins."""


class Skips:
    """Plugin that collects the skips of a run, of all its processes."""

    def __init__(self) -> None:
        self.unforeseen: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        is_expected = hasattr(report, "wasxfail")  # to fail: then it protects nothing either
        if report.skipped or is_expected:
            why = "expected to fail" if is_expected else reason_of(report)
            if not why.startswith(FORESEEN):
                self.unforeseen.append(f"{report.nodeid}: {why}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.unforeseen and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.unforeseen:
            terminalreporter.section("left out for a reason nobody foresaw, which fails the run")
            for line in self.unforeseen:
                terminalreporter.write_line(f"FAILED {line}")


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Return why a test was skipped."""
    place_and_why = report.longrepr
    why = place_and_why[2] if isinstance(place_and_why, tuple) else str(place_and_why)
    return why.removeprefix("Skipped: ")
