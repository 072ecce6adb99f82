"""A hostile file beside healthy ones changes neither their stalls nor their findings."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from pileup.analysis import analyse, contract, gather
from pileup.analysis.blocked_time.first_view import first_waits
from pileup.cli.captures import Captures
from tests.support.captures import SAMPLES, analysis_of_few, few_of, on_samples, parsed, sample
from tests.support.hostile import FILES, shared_files

_NAMELESS = "games-ahi"
"""A sample whose files name no host, so that a file that does could lend it one."""
_UNDATED = ("commit-mutex", "concurrency-cliff", "ahi-build")
"""Others, whose stacks or traces have no time either."""


def _beside(name: str, path: Path) -> contract.Analysis:
    captures = Captures()
    captures.read([path])
    assert captures.artifacts
    healthy = parsed(sample(name)) if name in (_NAMELESS, *_UNDATED) else few_of(name)
    evidence = gather([*healthy, *captures.artifacts])
    document = analyse(evidence)
    first_waits(evidence, document)
    return document


def _assert_unharmed(document: contract.Analysis, healthy: contract.Analysis) -> None:
    assert document.unanswered == []
    assert msgspec.json.encode(_stalls(document)) == msgspec.json.encode(_stalls(healthy))
    # What only files outside of every capture show may follow, and rests on no healthy file.
    findings = document.findings[: len(healthy.findings)]
    assert msgspec.json.encode(findings) == msgspec.json.encode(healthy.findings)
    known = {artifact.path for artifact in healthy.artifacts}
    for other in document.findings[len(findings) :]:
        assert other.episodes == []
        assert not known & {locator.path for locator in other.evidence}
    assert msgspec.json.encode(document.blockers) == msgspec.json.encode(healthy.blockers)


def _taking_turns(cases: Sequence[object], name: str) -> pytest.MarkDecorator:
    """Run a test of samples for a fifth of these cases, another fifth every day."""
    params = [
        pytest.param(case, marks=(on_samples, pytest.mark.on_turn(at % 5, 5)), id=_id(case))
        for at, case in enumerate(cases)
    ]
    return pytest.mark.parametrize(name, params)


def _id(case: object) -> str:
    return case.name if isinstance(case, Path) else str(case)


def _stalls(document: contract.Analysis) -> list[contract.StallDoc]:
    """Return the stalls without the name of their capture: a further file may lengthen it."""
    return [msgspec.structs.replace(stall, capture="") for stall in document.stalls]


@_taking_turns(list(FILES), "file")
def test_a_hostile_file_leaves_healthy_ones_alone(file: str, tmp_path: Path) -> None:
    path = tmp_path / file
    path.write_text(FILES[file], encoding="utf-8")
    _assert_unharmed(_beside("hot-row", path), analysis_of_few("hot-row"))


@functools.cache
def _of_nameless(name: str = _NAMELESS) -> contract.Analysis:
    return analyse(gather(parsed(sample(name))))


@_taking_turns(list(FILES), "file")
def test_a_hostile_file_leaves_files_without_a_host_alone(file: str, tmp_path: Path) -> None:
    path = tmp_path / file
    path.write_text(FILES[file], encoding="utf-8")
    _assert_no_host_lent(_beside(_NAMELESS, path), _of_nameless())


@pytest.mark.parametrize("name", _UNDATED)
@_taking_turns(list(FILES), "file")
def test_a_hostile_file_leaves_files_without_a_time_alone(
    file: str, name: str, tmp_path: Path
) -> None:
    """Their stacks belong to the only capture that stalled, whatever lies beside it."""
    path = tmp_path / file
    path.write_text(FILES[file], encoding="utf-8")
    _assert_no_host_lent(_beside(name, path), _of_nameless(name))


def _assert_no_host_lent(document: contract.Analysis, healthy: contract.Analysis) -> None:
    _assert_unharmed(document, healthy)
    assert document.server == healthy.server
    hosts = {artifact.path: artifact.host for artifact in document.artifacts}
    assert all(hosts[artifact.path] == artifact.host for artifact in healthy.artifacts)


@pytest.mark.slow
@_taking_turns(SAMPLES, "name")
@pytest.mark.on_turn(1, 2)
def test_all_hostile_files_at_once_leave_healthy_ones_alone(name: str, tmp_path: Path) -> None:
    for file, text in FILES.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    _assert_unharmed(_beside(name, tmp_path), analysis_of_few(name))


@pytest.mark.slow
@_taking_turns(shared_files() or [None], "path")
def test_a_known_attack_leaves_healthy_files_alone(path: Path | None) -> None:
    if path is None:
        pytest.skip("no folder of hostile files (PILEUP_HOSTILE)")
    _assert_unharmed(_beside("hot-row", path), analysis_of_few("hot-row"))
    for name in (_NAMELESS, *_UNDATED):
        _assert_unharmed(_beside(name, path), _of_nameless(name))


@on_samples
def test_what_was_left_out_is_named(tmp_path: Path) -> None:
    for file in ("variables-1.txt", "slow-huge.log", "pmp-six-billion.txt"):
        (tmp_path / file).write_text(FILES[file], encoding="utf-8")
    document = _beside("hot-row", tmp_path)
    messages = {problem.path: problem.message for problem in document.problems}
    assert "+41:30 is not a time zone" in messages["variables-1.txt"]
    assert "no wait lasts for centuries" in messages["slow-huge.log"]
    assert "no server has that many threads" in messages["pmp-six-billion.txt"]
