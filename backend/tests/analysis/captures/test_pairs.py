"""One capture of a pair shows what it shows alone (invariant 1), over samples and captures."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from pathlib import Path

import polars as pl
import pytest

from pileup.analysis import EvidenceArtifact, analyse, bundle_of, gather
from pileup.analysis.contract import Analysis
from tests.analysis.captures.test_partition import assert_same
from tests.support.captures import SAMPLES, on_samples, parsed, sample
from tests.support.rounds import Rounds

FEW = re.compile(
    r"metrics-wide|my.cnf|error.log|variables|pt-pmp|-innodbstatus|-processlist|vmstat|mysqladmin"
)
EVERY = re.compile("")
Parsed = list[tuple[EvidenceArtifact, dict[str, pl.DataFrame]]]


@on_samples
@pytest.mark.on_turn(0, 2)
def test_a_sample_beside_another() -> None:
    pair = ("commit-pileup", "hot-row")
    both = analyse(gather([*_few(pair[0]), *_few(pair[1])]))
    assert len(both.captures) == 2
    for name in pair:
        assert_same(_alone(name), both)


@on_samples
def test_a_sample_beside_noise() -> None:
    """A broken file, random bytes, and a log of another year."""
    noise = [
        (EvidenceArtifact(sha256=f"{at}" * 64, path=path, bytes=9, format=None), {})
        for at, path in enumerate(("broken.txt", "random.bin"))
    ]
    assert_same(_alone("hot-row"), analyse(gather([*_few("hot-row"), *noise])))


@pytest.mark.on_turn(1, 2)
def test_pairs_of_captures(captures: Path, rounds: Rounds) -> None:
    """All pairs in a long run; in a usual run a few files of a pair, another one every day."""
    folders = [
        *map(sample, SAMPLES),
        *(path for path in captures.iterdir() if path.is_dir() and path.name not in SAMPLES),
    ]
    pairs = list(itertools.combinations(sorted(folders), 2))
    files = _placed if rounds.long else _few_placed
    for first, second in rounds.in_turn(pairs, len(pairs)):
        both = analyse(gather([*files(first), *files(second)]))
        for folder in (first, second):
            assert_same(_whole(folder) if rounds.long else analyse(gather(files(folder))), both)


@functools.cache
def _few(name: str) -> Parsed:
    return [
        (artifact, frames)
        for artifact, frames in _placed(sample(name))
        if FEW.search(artifact.path)
    ]


@functools.cache
def _alone(name: str) -> Analysis:
    return analyse(gather(_few(name)))


@functools.cache
def _whole(folder: Path) -> Analysis:
    return analyse(gather(_placed(folder)))


def _few_placed(folder: Path) -> Parsed:
    return _placed(folder, FEW)


def _placed(folder: Path, names: re.Pattern[str] = EVERY) -> Parsed:
    """Return a recording's files below a folder of its name, as ``pileup analyze`` shows two."""
    found = []
    for artifact, frames in parsed(folder, names):
        path, *copies = (f"{folder.name}/{name}" for name in artifact.paths)
        moved = dataclasses.replace(
            artifact, path=path, copies=tuple(copies), bundle=bundle_of(path)
        )
        found.append((moved, frames))
    return found
