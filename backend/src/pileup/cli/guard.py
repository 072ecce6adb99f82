"""Run a command in a child process with limits; if it dies, find the file and do without it.

The child is the same command with ``--without``, a file that holds a ``Plan``: which files are
left out, and the folder where it marks each file while it reads it. A file that kills its reader is
known by its mark; one that kills the analysis is found by trials. What the command itself does
belongs to ``analyze`` and ``compare``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click
import msgspec

from pileup import process_limits
from pileup.cli.plan import Plan

OPTION = "--without"
"""Marks the child; people never write it."""
_MOST_DEATHS = 8
"""Readings that may die before the command gives up."""


def is_child(context: click.Context, without: Path | None) -> bool:
    """Return whether this process is the child, or has no command line to repeat."""
    name = context.info_name
    return without is not None or context.parent is None or sys.argv[1:2] != [name]


def plan_of(without: Path | None) -> Plan:
    """Read the child's plan and set its limits; without one everything is read."""
    if without is None:
        return Plan()
    process_limits.bound_process(*limits())
    return msgspec.json.decode(without.read_bytes(), type=Plan)


def run(command: str, paths: Sequence[Path]) -> int:
    """Run this command with the arguments of this process, guarded; return its exit code."""
    with tempfile.TemporaryDirectory(prefix="pileup-") as folder:
        child = _Child(command, Path(folder))
        left_out: dict[str, str] = {}
        processes: int | None = None
        code = child.run(Plan())
        for _ in range(_MOST_DEATHS):
            if not _died(code):
                return code
            reading = child.marked()
            _explain(code, is_reading=bool(reading))
            if not reading:
                break
            found = _deadly_to_read(child, reading)
            if not found and processes == 1:
                break
            left_out |= found
            processes = 1  # if no file dies alone, they did not fit in the memory side by side
            code = child.run(Plan(left_out, processes=processes))
        if not _died(code):
            return code
        found = _deadly_to_analyse(child, paths, left_out, code)
        return child.run(Plan(left_out | found, processes=processes)) if found else 1


def limits() -> tuple[int, int]:
    """Return the bounds of a job: memory in bytes and seconds of CPU time."""
    from pileup.settings import get_settings

    settings = get_settings()
    return process_limits.memory_bound(settings.job_memory_bytes), settings.job_cpu_s


def _explain(code: int, *, is_reading: bool) -> None:
    what, search = (
        ("reading", "Looking for the file that causes it.")
        if is_reading
        else ("analysis", "Looking for the file that causes it; this takes several analyses.")
    )
    words = process_limits.death_words(code, *limits())
    click.echo(f"The {what} stopped: {words}. {search}", err=True)


def _deadly_to_read(child: _Child, suspects: Iterable[str]) -> dict[str, str]:
    """Return the suspects that kill a process which reads nothing else: SHA-256 to a sentence."""
    from pileup.analysis.isolation import left_out_sentence

    found = {}
    for sha in suspects:
        code = child.run(Plan(only=[sha], reads_only=True, processes=1), quiet=True)
        if _died(code):
            found[sha] = left_out_sentence(process_limits.death_words(code, *limits()))
    return found


def _deadly_to_analyse(
    child: _Child, paths: Sequence[Path], left_out: Mapping[str, str], code: int
) -> dict[str, str]:
    """Find the files without which the analysis does not die: SHA-256 to a sentence.

    code: how the analysis of all of them ended.
    """
    from pileup.analysis.isolation import TooManyCulpritsError, culprits, left_out_sentence
    from pileup.cli.captures import Captures

    names = [sha for sha in Captures().names(paths) if sha not in left_out]
    known = [code]  # the first question is about all of them

    def why(some: Sequence[str]) -> str | None:
        ended = known.pop() if known else child.run(Plan(only=list(some)), quiet=True)
        return process_limits.death_words(ended, *limits()) if _died(ended) else None

    try:
        found = culprits(names, why)
    except TooManyCulpritsError as error:
        click.echo(f"No single file causes it: {error}.", err=True)
        return {}
    return {sha: left_out_sentence(reason) for sha, reason in found}


class _Child:
    """The same command in a process of its own."""

    def __init__(self, command: str, folder: Path) -> None:
        self._plan, self._marks = folder / "plan.json", folder / "marks"
        self._marks.mkdir()
        start = [sys.executable, "-m", "pileup", command]
        self._command = [*start, OPTION, str(self._plan), *sys.argv[2:]]

    def run(self, plan: Plan, *, quiet: bool = False) -> int:
        for mark in self._marks.iterdir():
            mark.unlink()
        plan = msgspec.structs.replace(plan, marks=str(self._marks))
        self._plan.write_bytes(msgspec.json.encode(plan))
        out = subprocess.DEVNULL if quiet else None
        return subprocess.run(self._command, stdout=out, stderr=out, check=False).returncode

    def marked(self) -> list[str]:
        """Return the files that were being read when the child ended."""
        return sorted(mark.name for mark in self._marks.iterdir())


def _died(code: int) -> bool:
    return code < 0 or code == process_limits.MEMORY_CODE


__all__ = ["OPTION", "is_child", "limits", "plan_of", "run"]
