"""Read captures and samples for tests, each once per process.

Reading a capture takes seconds, so a test process keeps what it read, and ``of_captures`` and
``of_samples`` give the tests of one capture to one process. The process keeps them in memory only:
no run reads what an earlier run left.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from pathlib import Path
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
_TRUTH = ("GROUND_TRUTH.md", "ground-truth.json", "sample.yaml", "README.md")

on_samples = pytest.mark.xdist_group("samples")
"""Marks a test of several samples: the process that reads the samples runs it."""


def of_samples(names: Iterable[str] = SAMPLES) -> pytest.MarkDecorator:
    """Run a test once for each of these samples, passed as its argument ``name``."""
    return pytest.mark.parametrize("name", [pytest.param(n, marks=on_samples) for n in names])


def of_captures(names: Iterable[str]) -> pytest.MarkDecorator:
    """Run a test once for each of these captures, in the process that has read it."""
    return pytest.mark.parametrize("name", [pytest.param(n, marks=on_capture(n)) for n in names])


def on_capture(name: str) -> pytest.MarkDecorator:
    """Mark a test of one capture, to run in the process that reads this capture."""
    return pytest.mark.xdist_group(f"capture-{name.replace('/', '-')}")


def sample(name: str) -> Path:
    """Return the folder of a sample of the repository."""
    return REPOSITORY / "samples" / name


def analysis_of(folder: Path) -> Analysis:
    """Return the engine's analysis of a capture or sample, without its experiments."""
    return _analysis(_artifacts_folder(folder))


def evidence_of(folder: Path) -> Evidence:
    """Return the evidence of a sample, placed on one clock."""
    return _evidence(_artifacts_folder(folder))


def parsed(folder: Path) -> list[tuple[EvidenceArtifact, dict[str, pl.DataFrame]]]:
    """Parse the files of a capture or sample as the command line does, without experiments.

    In this process: the run has one per core already, and to start more costs CPU time.
    """
    root = _artifacts_folder(folder)
    captures = Captures()
    children = sorted(path for path in root.iterdir() if path.name not in _TRUTH)
    with mock.patch.object(cli_captures, "_PROCESSES", 1):
        captures.read([path for path in children if not path.name.startswith("experiment")])
    return captures.artifacts


_FEW = re.compile(
    r"metrics|my.cnf|error.log|variables|pt-pmp|-innodbstatus|-processlist|opentables"
)


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
    # A sample's evidence stays in memory for the tests that want it; a capture's is too large.
    in_repository = root.is_relative_to(REPOSITORY)
    return analyse(_evidence(root) if in_repository else gather(parsed(root)))
