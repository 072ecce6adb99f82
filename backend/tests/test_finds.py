"""What fuzzing found once: tests/finds/<target>/<what is odd in it>, read without a crash since.

And every parser is a target (``fuzz.targets``), with seeds to begin with.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz.targets import TARGETS

from pileup import formats
from tests.formats.checks import assert_sound, parse_bytes

FOLDER = Path(__file__).resolve().parent / "finds"


def finds(target: str = "*") -> list[Path]:
    """The kept finds of a target."""
    return sorted(path for path in FOLDER.glob(f"{target}/*") if path.is_file())


@pytest.mark.parametrize("path", finds(), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_find_is_read(path: Path) -> None:
    data = path.read_bytes()
    TARGETS[path.parent.name].run(data)
    if formats.by_name(path.parent.name):
        for format_name in (path.parent.name, None):
            assert_sound(parse_bytes(data, "x", format_name), len(data))


def test_every_format_is_a_target() -> None:
    assert {known.NAME for known in formats.FORMATS} <= TARGETS.keys()


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_runs_over_its_seeds(name: str) -> None:
    """A search that begins with nothing, or that fails at once, would find nothing."""
    seeds = list(TARGETS[name].seeds())
    assert seeds
    TARGETS[name].run(min(seeds, key=len))
