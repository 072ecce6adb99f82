"""Run `pileup analyze` in a child process with limits; if it dies, find the file and do without it.

The child is the same command with ``--without``, a file that maps SHA-256 to the reason why a file
is left out. What the command itself does belongs to ``analyze``.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from pileup import process_limits

OPTION = "--without"
"""Marks the child; people never write it."""


def analyze(arguments: Sequence[str], paths: Sequence[Path]) -> int:
    """Run ``pileup analyze`` with these arguments, guarded; return its exit code."""
    with tempfile.TemporaryDirectory(prefix="pileup-") as folder:
        child = _Child(arguments, Path(folder) / "without.json")
        code = child.run({})
        if not _died(code):
            return code
        memory_bytes, cpu_s = limits()
        click.echo(
            f"The analysis stopped: {process_limits.death_words(code, memory_bytes, cpu_s)}. "
            "Looking for the file that causes it; this takes several analyses.",
            err=True,
        )
        left_out = _find(child, paths)
        return child.run(left_out) if left_out else 1


def limits() -> tuple[int, int]:
    """Return the bounds of a job: memory in bytes and seconds of CPU time."""
    from pileup.settings import get_settings

    settings = get_settings()
    return process_limits.memory_bound(settings.job_memory_bytes), settings.job_cpu_s


def _find(child: _Child, paths: Sequence[Path]) -> dict[str, str]:
    """Find the files without which the analysis does not die: SHA-256 to a sentence."""
    from pileup.analysis.isolation import TooManyCulpritsError, culprits, left_out_sentence
    from pileup.cli.captures import Captures

    memory_bytes, cpu_s = limits()
    names = Captures().names(paths)

    def why(some: Sequence[str]) -> str | None:
        code = child.run({sha: "not in this trial" for sha in names if sha not in some}, quiet=True)
        return process_limits.death_words(code, memory_bytes, cpu_s) if _died(code) else None

    try:
        found = culprits(list(names), why)
    except TooManyCulpritsError as error:
        click.echo(f"No single file causes it: {error}.", err=True)
        return {}
    return {sha: left_out_sentence(reason) for sha, reason in found}


class _Child:
    """The same command in a process of its own."""

    def __init__(self, arguments: Sequence[str], without: Path) -> None:
        self._command = [
            sys.executable,
            "-m",
            "pileup",
            "analyze",
            *arguments,
            OPTION,
            str(without),
        ]
        self._without = without

    def run(self, without: Mapping[str, str], *, quiet: bool = False) -> int:
        self._without.write_text(json.dumps(dict(without)), encoding="utf-8")
        out = subprocess.DEVNULL if quiet else None
        return subprocess.run(self._command, stdout=out, stderr=out, check=False).returncode


def _died(code: int) -> bool:
    return code < 0 or code == process_limits.MEMORY_CODE


__all__ = ["OPTION", "analyze", "limits"]
