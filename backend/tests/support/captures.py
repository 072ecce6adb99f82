"""Read captures and samples for tests, each once per process.

Reading a capture takes seconds, so a test process keeps what it read, and ``of_captures`` and
``of_samples`` give the tests of one capture to one process. The process keeps them in memory only:
no run reads what an earlier run left.

A usual run reads one of these captures, another every day (``Rounds.turn``), ``--rounds`` all.
The same laws hold the samples of the repository in every run.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar
from unittest import mock

import polars as pl
import pytest

from pileup.analysis import EvidenceArtifact, analyse, gather
from pileup.analysis.contract import Analysis
from pileup.analysis.evidence.evidence import Evidence
from pileup.cli import captures as cli_captures
from pileup.cli.captures import Captures
from tests.conftest import REPOSITORY

SAMPLES = ("ahi-pileup", "commit-pileup", "hot-row")
CAPTURES = (
    *("ahi-pileup", "commit-pileup", "concurrency-collapse", "fts-sync-stall", "hot-row"),
    "ahi-pileup/experiment-ahi-off",
    "commit-pileup/experiment-relaxed-durability",
    "concurrency-collapse/experiment-thread-concurrency-32",
    "fts-sync-stall/experiment-binlog-order-commits-off",
)
"""Captures and runs of experiments that tests read whole."""

_DEALT = (
    *CAPTURES,
    *("ahi-pileup-2", "free-page-starvation", "fts-sync-stall-2", "metadata-lock-pileup"),
)
"""Every capture that any test reads whole, dealt over the days in this order."""
_TURNS = len(_DEALT)
_EVERY = re.compile("")
_Test = TypeVar("_Test", bound=Callable[..., object])
_TRUTH = ("GROUND_TRUTH.md", "ground-truth.json", "sample.yaml", "README.md")

on_samples = pytest.mark.xdist_group("samples")
"""Marks a test of several samples: the process that reads the samples runs it."""


def of_samples(names: Iterable[str] = SAMPLES) -> pytest.MarkDecorator:
    """Run a test once for each of these samples, passed as its argument ``name``."""
    return pytest.mark.parametrize("name", [pytest.param(n, marks=on_samples) for n in names])


def of_captures(names: Iterable[str]) -> pytest.MarkDecorator:
    """Run a test once for each of these captures, in the process that has read it."""
    return pytest.mark.parametrize("name", [pytest.param(n, marks=_marks(n)) for n in names])


def on_capture(name: str) -> Callable[[_Test], _Test]:
    """Mark a test of one capture, to run in the process that reads this capture."""
    group, turn = _marks(name)
    return lambda test: group(turn(test))


def _marks(name: str) -> tuple[pytest.MarkDecorator, pytest.MarkDecorator]:
    group = pytest.mark.xdist_group(f"capture-{name.replace('/', '-')}")
    return group, pytest.mark.on_turn(_DEALT.index(name) % _TURNS, _TURNS)


def sample(name: str) -> Path:
    """Return the folder of a sample of the repository."""
    return REPOSITORY / "samples" / name


def analysis_of(folder: Path) -> Analysis:
    """Return the engine's analysis of a capture or sample, without its experiments."""
    return _analysis(_artifacts_folder(folder))


def evidence_of(folder: Path) -> Evidence:
    """Return the evidence of a sample, placed on one clock."""
    return _evidence(_artifacts_folder(folder))


def parsed(
    folder: Path, names: re.Pattern[str] = _EVERY
) -> list[tuple[EvidenceArtifact, dict[str, pl.DataFrame]]]:
    """Parse the files of a capture or sample as the command line does, without experiments.

    ``names`` chooses among the files and folders at its top. All in this process: the run has one
    per core already, and to start more costs CPU time.
    """
    root = _artifacts_folder(folder)
    # A sample's files stay in memory for the tests that want them; a capture's are too large.
    if names is _EVERY and root.is_relative_to(REPOSITORY):
        return list(_of_sample(root))
    return _parsed(root, names)


@functools.cache
def _of_sample(root: Path) -> tuple[tuple[EvidenceArtifact, dict[str, pl.DataFrame]], ...]:
    return tuple(_parsed(root, _EVERY))


def _parsed(
    root: Path, names: re.Pattern[str]
) -> list[tuple[EvidenceArtifact, dict[str, pl.DataFrame]]]:
    captures = Captures()
    children = sorted(
        path for path in root.iterdir() if path.name not in _TRUTH and names.search(path.name)
    )
    with mock.patch.object(cli_captures, "_PROCESSES", 1):
        captures.read([path for path in children if not path.name.startswith("experiment")])
    return captures.artifacts


_FEW = re.compile(
    r"metrics|my.cnf|error.log|variables|pt-pmp|-innodbstatus|-processlist|opentables"
)


def analysis_of_file(path: Path) -> Analysis:
    """Return the analysis of one file alone, as people paste it."""
    captures = Captures()
    with mock.patch.object(cli_captures, "_PROCESSES", 1):
        captures.read([path])
    return analyse(gather(captures.artifacts))


@functools.cache
def few_of(name: str) -> tuple[tuple[EvidenceArtifact, dict[str, pl.DataFrame]], ...]:
    """Return a few small parsed files of a sample, whose analysis takes less than a second."""
    return tuple(item for item in parsed(sample(name)) if _FEW.search(item[0].path))


@functools.cache
def analysis_of_few(name: str) -> Analysis:
    """Return the analysis of ``few_of`` a sample."""
    return analyse(gather(few_of(name)))


def _artifacts_folder(folder: Path) -> Path:
    artifacts = folder / "artifacts"
    return artifacts if artifacts.is_dir() else folder


@functools.cache
def _evidence(root: Path) -> Evidence:
    return gather(parsed(root))


@functools.cache
def _analysis(root: Path) -> Analysis:
    in_repository = root.is_relative_to(REPOSITORY)
    return analyse(_evidence(root) if in_repository else gather(parsed(root)))
