"""The same uploads give the same document, in whichever order they come."""

from __future__ import annotations

import random
from unittest import mock

import pytest
from polars.testing import assert_frame_equal

from pileup.analysis import EvidenceArtifact, analyse, gather
from pileup.analysis.contract import encode
from pileup.cli import captures as cli_captures
from pileup.cli.captures import Captures
from pileup.records import Session, Snapshot
from tests.analysis.frames import T0, S, artifact, frames, gauge
from tests.conftest import REPOSITORY


@pytest.mark.on_turn(1, 4)
def test_a_capture_in_any_order() -> None:
    captures = Captures()
    captures.read(sorted((REPOSITORY / "samples" / "commit-pileup" / "artifacts").iterdir()))
    parsed = list(captures.artifacts)
    documents = set()
    for seed in range(3):
        random.Random(seed).shuffle(parsed)
        documents.add(encode(analyse(gather(parsed))))
    assert len(documents) == 1


@pytest.mark.on_turn(1, 2)
def test_files_read_by_several_processes_are_what_one_reads() -> None:
    folder = REPOSITORY / "samples" / "commit-pileup" / "artifacts"
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    first, several = Captures(), Captures()
    first.read(paths)
    with (
        mock.patch.object(cli_captures, "_WORTH_PROCESSES", 0),
        mock.patch.object(cli_captures, "_PROCESSES", 2),
    ):
        several.read(paths)
    assert [artifact for artifact, _ in several.artifacts] == [a for a, _ in first.artifacts]
    for (_, theirs), (_, ours) in zip(several.artifacts, first.artifacts, strict=True):
        assert theirs.keys() == ours.keys()
        for kind, frame in ours.items():
            assert_frame_equal(theirs[kind], frame)


def test_ties_are_broken_by_what_the_files_say() -> None:
    """Two processlists of one second with two statements, as often: one is always the example."""

    def processlist(name: str) -> tuple[EvidenceArtifact, dict]:  # type: ignore[type-arg]
        where = {"line_first": 1, "line_last": 2, "wall_us": T0 + 50 * S, "clock": "utc"}
        rows = [
            Session(
                session_id=number, command="Query", time_s=5.0, state="updating", user="app",
                query=f"UPDATE t{number % 2} SET a = {number}", snapshot=0, **where,
            )
            for number in range(12)
        ]  # fmt: skip
        return artifact(name), frames(Snapshot(kind="processlist", snapshot=0, **where), *rows)

    running = gauge("metric.threads_running", [3.0] * 40 + [90.0] * 60 + [3.0] * 30)
    parsed = [(artifact("m"), frames(running)), processlist("a"), processlist("b")]
    assert encode(analyse(gather(parsed))) == encode(analyse(gather(reversed(parsed))))


def test_a_file_under_two_names_goes_by_the_first() -> None:
    first = frames(gauge("metric.x", [1.0]))
    both = [(artifact("a", bundle="1"), first), (artifact("a", bundle="2"), first)]
    assert len(gather(both).artifacts) == 1
