"""What fuzzing found once: tests/finds/<format>/<what is odd in it>, read without a crash since."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.formats.checks import assert_sound, parse_bytes

FOLDER = Path(__file__).resolve().parent / "finds"


def finds(format_name: str = "*") -> list[Path]:
    """The kept finds of a format."""
    return sorted(path for path in FOLDER.glob(f"{format_name}/*") if path.is_file())


@pytest.mark.parametrize("path", finds(), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_find_is_read(path: Path) -> None:
    data = path.read_bytes()
    for format_name in (path.parent.name, None):
        assert_sound(parse_bytes(data, "x", format_name), len(data))
