"""One dump, list or stack sample alone, as people paste it: never a wrong cause above an even bet.

Every piece of a capture or sample with a known truth is analysed by itself. A usual run reads a
piece of each sample and of one capture, other ones every day; a long run reads all pieces of all.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml

from pileup.analysis import analyse, gather
from pileup.analysis.contract import Analysis
from pileup.cli import captures as cli_captures
from pileup.cli.captures import Captures
from pileup.knowledge import knowledge
from tests.conftest import REPOSITORY
from tests.support.captures import SAMPLES
from tests.support.rounds import Rounds

_WRONG = 0.5
_KINDS = {
    "dump": re.compile(r"innodbstatus|innodb-status"),
    "list": re.compile(r"processlist"),
    "stacks": re.compile(r"pmp|gdb|stacktrace"),
}
_NEW_LIST = re.compile(r"(?m)^(?=TS \d+\.\d+ )")
_TRUTHS: dict[str, Any] = yaml.safe_load(
    (REPOSITORY / "backend" / "benchmarks" / "truths.yaml").read_text()
)


def _pieces(folder: Path) -> Iterator[tuple[str, str, bytes]]:
    """Yield kind, name and content of every dump, list and stack sample below a folder."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or "experiment" in str(path):
            continue
        if path.suffixes[-2:] == [".tar", ".gz"]:
            with tarfile.open(path) as archive:
                for member in archive.getmembers():
                    inner = archive.extractfile(member) if member.isfile() else None
                    if inner is not None:
                        yield from _cut(Path(member.name).name, inner.read())
        elif path.parent.name == "gdb" or path.name.startswith("innodb-status-"):
            yield from _cut(path.name, path.read_bytes())


def _cut(name: str, content: bytes) -> Iterator[tuple[str, str, bytes]]:
    kind = next((kind for kind, names in _KINDS.items() if names.search(name)), None)
    if kind == "list":
        lists = _NEW_LIST.split(content.decode("utf-8", "replace"))
        for number, text in enumerate(filter(str.strip, lists)):
            yield kind, f"{number}-{name}", text.encode()
    elif kind is not None:
        yield kind, name, content


@cache
def _all(folder: Path) -> tuple[tuple[str, str, bytes], ...]:
    return tuple(_pieces(folder))


def _analysis(name: str, content: bytes, where: Path) -> Analysis:
    path = where / (name if "." in name else f"{name}.txt")
    path.write_bytes(content)
    captures = Captures()
    with mock.patch.object(cli_captures, "_PROCESSES", 1):
        captures.read([path])
    return analyse(gather(captures.artifacts))


def _wrong(analysis: Analysis, truth: dict[str, Any]) -> list[str]:
    """Return what an analysis says that the truth of the whole capture contradicts."""
    causes = set(truth["cause"])
    mechanisms = {knowledge().issue(name).mechanism for name in causes}
    same = {i.id for i in knowledge().issues.values() if i.mechanism in mechanisms}
    allowed = causes | same | set(truth.get("also", ()))
    wrong = [
        f"{finding.id} {finding.score}"
        for finding in analysis.findings
        if finding.score > _WRONG and finding.id not in allowed
    ]
    named = {known.id for finding in analysis.findings for known in finding.known_as}
    surest = max((f.score for f in analysis.findings if f.id in allowed), default=0.0)
    if surest > _WRONG and analysis.findings[0].id not in allowed:
        wrong.append(f"{analysis.findings[0].id} ranks before the truth")
    if not wrong and analysis.headline.verdict in ("stall", "waits") and not named & causes:
        listed = {absence.id: absence.verdict for absence in analysis.absences}
        if analysis.blockers and all(listed.get(name) == "not_found" for name in causes):
            return [] if _shows_nothing(analysis) else ["the truth is 'not found'"]
    return wrong


def _shows_nothing(analysis: Analysis) -> bool:
    """Return whether nobody waits for long or in numbers: a piece of the calm before or after."""
    return max((blocker.blocks_total for blocker in analysis.blockers), default=0) < 5


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.dealt(2)
def test_a_piece_of_a_sample_names_no_wrong_cause(
    name: str, kind: str, rounds: Rounds, tmp_path: Path
) -> None:
    _check(REPOSITORY / "samples" / name, kind, rounds, tmp_path)


_OF_CAPTURES = [(name, kind) for name in sorted(_TRUTHS) for kind in _KINDS]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(*both, marks=pytest.mark.on_turn(number, len(_OF_CAPTURES)))
        for number, both in enumerate(_OF_CAPTURES)
    ],
)
def test_a_piece_of_a_capture_names_no_wrong_cause(
    name: str, kind: str, rounds: Rounds, tmp_path: Path, captures: Path
) -> None:
    if not (captures / name).is_dir():
        pytest.skip(f"no capture {name}")
    _check(captures / name, kind, rounds, tmp_path)


def _check(folder: Path, kind: str, rounds: Rounds, where: Path) -> None:
    pieces = [piece for piece in _all(folder) if piece[0] == kind]
    wrong = {}
    for _, name, content in rounds.in_turn(pieces, of=max(1, len(pieces))):
        if found := _wrong(_analysis(name, content, where), _TRUTHS[folder.name]):
            wrong[name] = found
    assert not wrong
