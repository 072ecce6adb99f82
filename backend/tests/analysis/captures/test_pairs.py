"""One capture of a pair shows what it shows alone (invariant 1), over samples and captures.

Either way round: the episodes, and the findings of what has no episode.
"""

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
from pileup.records import Frame, Session, Stack
from tests.analysis.captures.test_beside import Print, file
from tests.analysis.captures.test_partition import CALM, HOUR, SHORT, STALL, assert_same
from tests.analysis.frames import T0, artifact, frames, moment
from tests.support.captures import SAMPLES, on_samples, parsed, sample
from tests.support.rounds import Rounds

FEW = re.compile(
    r"metrics-wide|my.cnf|error.log|variables|pt-pmp|-innodbstatus|-processlist|vmstat|mysqladmin"
)
EVERY = re.compile("")
Parsed = list[tuple[EvidenceArtifact, dict[str, pl.DataFrame]]]


OURS = tuple(path.name for path in sorted(sample("").iterdir()) if (path / "artifacts").is_dir())
"""Every sample of the repository: also those whose files name no host, or have no time."""


@on_samples
@pytest.mark.parametrize("pair", list(itertools.combinations(OURS, 2)), ids="+".join)
@pytest.mark.dealt(7)
def test_a_sample_beside_another(pair: tuple[str, str]) -> None:
    both = analyse(gather([*_few(pair[0]), *_few(pair[1])]))
    for name in pair:
        alone = _alone(name)
        assert alone.episodes
        assert_same(alone, both)


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


# ---- what has no episode ------------------------------------------------------------------------


LOCKED = Stack(
    count=40,
    frames=tuple(Frame(function=name) for name in ("fsync", "MYSQL_LOG::flush_and_sync")),
    line_first=1,
    line_last=1,
    snapshot=0,
)


def _waiting(way: Print) -> Parsed:
    """A dump's list of sessions in which all wait for one table, and no series."""
    rows = [
        Session(
            line_first=at + 2, line_last=at + 2, session_id=at, user="app", host=way.host,
            command="Query", time_s=30, state="Waiting for table metadata lock",
            query="SELECT * FROM orders", wall_us=way.first, clock=way.clock, snapshot=0,
        )
        for at in range(40)
    ]  # fmt: skip
    seen = dataclasses.replace(moment("processlist", way.first, way.clock), snapshot=0)
    described = dataclasses.replace(artifact("listed"), path="a/list.txt", format="processlist")
    return [(described, frames(dataclasses.replace(seen, host=way.host), *rows))]


@pytest.mark.parametrize("host", ["db-9", None])
@pytest.mark.parametrize("hours", [-48, 100])
def test_a_list_without_a_stall_keeps_its_findings_beside_a_stall(
    host: str | None, hours: int
) -> None:
    listed = _waiting(Print(host, T0 + hours * HOUR))
    stalled = [
        file("b/status.txt", Print("db-1", shape=tuple(STALL))),
        file("b/processlist.txt", Print("db-1")),
    ]
    alone = analyse(gather(listed))
    assert alone.findings
    assert not alone.episodes
    both = analyse(gather([*listed, *stalled]))
    assert_same(analyse(gather(stalled)), both)
    known = {finding.id: finding for finding in both.findings}
    assert [known.get(finding.id) for finding in alone.findings] == alone.findings


def _fragments(folder: str) -> Parsed:
    stack = dataclasses.replace(artifact("pmp"), path=f"{folder}pmp.txt", format="pmp")
    return [(stack, frames(moment("stacks", None, "relative"), LOCKED))]


@pytest.mark.parametrize("shape", [CALM, SHORT, []])
@pytest.mark.parametrize("host", ["db-9", None])
def test_a_stack_without_a_time_is_of_the_only_stall(shape: list[float], host: str | None) -> None:
    """Of several captures in its folder, people took it because of the one that stalled."""
    mine = [file("status.txt", Print(shape=tuple(STALL))), *_fragments("")]
    later = Print(host, T0 + 100 * HOUR, shape=tuple(shape))
    other = file("export.csv" if shape else "dump.txt", later)
    assert_same(analyse(gather(mine)), analyse(gather([*mine, other])))


def test_a_stack_without_a_time_is_of_none_of_two_stalls() -> None:
    first = file("status.txt", Print(shape=tuple(STALL)))
    second = file("export.csv", Print(None, T0 + 100 * HOUR, shape=tuple(STALL)))
    both = analyse(gather([first, second, *_fragments("")]))
    assert len(both.episodes) == 2
    (stack,) = (each.sha256 for each, _ in _fragments(""))
    assert all(stack not in each.artifacts for each in both.captures)


def test_a_stack_of_another_recording_is_not_evidence() -> None:
    """Its folder has no stall; the other folder is a recording, with settings of its own."""
    mine = [file(f"a/{name}", Print(shape=tuple(STALL))) for name in ("status.txt", "my.cnf")]
    both = analyse(gather([*mine, *_fragments("b/")]))
    assert_same(analyse(gather(mine)), both)
    beside = [mine[0], *_fragments("b/")]
    (capture,) = analyse(gather(beside)).captures
    assert len(capture.artifacts) == 2


@functools.cache
def _few(name: str) -> Parsed:
    """Return a few files of a long sample, and all of a short one, in a folder of its name."""
    return [
        (described, records)
        for described, records in _placed(sample(name))
        if name not in SAMPLES or FEW.search(described.path)
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
    for described, records in parsed(folder, names):
        path, *copies = (f"{folder.name}/{name}" for name in described.paths)
        moved = dataclasses.replace(
            described, path=path, copies=tuple(copies), bundle=bundle_of(path)
        )
        found.append((moved, records))
    return found
