"""The generator of incidents: repeatable, printed in formats that are read, fine where healthy."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.incidents.cases import PASTES, WHOLE, Plan, make, plans
from benchmarks.incidents.mechanisms import MECHANISMS
from benchmarks.incidents.rendering.frames import missing_frames
from benchmarks.incidents.scoring import measure, truths, write
from benchmarks.incidents.servers import RELEASES

from pileup.cli.captures import Captures
from pileup.knowledge import knowledge

SERVERS = sorted(RELEASES)
PRINTED = tuple(form for form in PASTES if form != "locks")
"""Forms that every server prints at any time; a list of locks is empty where nobody waits."""


def test_a_plan_always_makes_the_same_files() -> None:
    for plan in (*plans(4), Plan("hot-row", "my57", WHOLE, 1)):
        assert make(plan).files == make(plan).files, plan.name


@pytest.mark.parametrize("form", PRINTED)
def test_every_server_prints_files_that_are_read_as_what_they_are(
    form: str, tmp_path: Path
) -> None:
    for seed, server in enumerate(SERVERS[PRINTED.index(form) % 2 :: 2]):
        case = make(Plan("healthy-calm", server, form, seed))
        captures = Captures()
        captures.read(write(case, tmp_path / server))
        for artifact, _ in captures.artifacts:
            assert artifact.format == case.formats[Path(artifact.path).name], case.plan.name
            assert sum(artifact.records.values()), case.plan.name


def test_every_mechanism_shows_itself_and_has_a_truth() -> None:
    for mechanism in MECHANISMS.values():
        if mechanism.healthy:
            continue
        assert truths()[mechanism.name]["cause"], mechanism.name
        form = mechanism.shown[0]
        if form not in PASTES:
            continue  # only a whole capture shows it
        case = make(Plan(mechanism.name, mechanism.servers[0], form, 7))
        assert case.shown, mechanism.name


@pytest.mark.parametrize("form", ("dump", "list"))
def test_a_calm_server_stays_silent(form: str) -> None:
    outcome = measure(Plan("healthy-calm", "my80", form, 3))
    assert not outcome.wrong
    assert not outcome.stalled
    assert not outcome.unread


def test_every_series_has_every_stack() -> None:
    assert not missing_frames()


def test_the_truths_name_known_findings() -> None:
    known = set(knowledge().issues)
    for name, truth in truths().items():
        assert {*truth["cause"], *truth.get("also", ())} <= known, name
