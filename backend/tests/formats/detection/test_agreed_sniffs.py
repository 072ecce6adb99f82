"""What each format says of beginnings that nearly fit, as agreed.

Formats recognise a text by how many lines of it, and which share of them, have their shape. Here
samples are cut after so many lines, damaged (``test_agreed_damage``), and put below and between
lines of prose. ``agreed_sniffs.txt`` has a row for each sample: ``y`` where its format claims the
text, ``?`` where it would if no other does, ``-`` where it does not, in the order of ``WAYS``. A
change that alters a row runs ``pytest --bless`` on this file; its review asks for each changed
letter whether a person who pastes this would want it read as this format. It also adds rows for
the smallest samples of a format; a new sample without one fails nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pileup import formats
from tests.formats.checks import samples
from tests.formats.test_agreed_damage import CHANGES, PARTS

AGREED = Path(__file__).parent / "agreed_sniffs.txt"
_SAMPLES, _CHARACTERS = 4, 4096
_PROSE = (
    "We saw this on the first server when the load rose, and it did not go away.\n",
    "At 22:25 it hung again: see the graph of 120 sessions (all in the same state).\n",
    "Thanks, Ann\n",
)
_SIGNS = {True: "y", None: "?", False: "-"}

Way = Callable[[list[str]], list[str]]


def _first(most: int) -> Way:
    return lambda lines: lines[:most]


def _below(many: int) -> Way:
    return lambda lines: [*(_PROSE[n % 3] for n in range(many)), *lines]


def _among(step: int, many: int) -> Way:
    """Put so many lines of prose behind every so many-th line."""

    def change(lines: list[str]) -> list[str]:
        found: list[str] = []
        for at, line in enumerate(lines):
            found.append(line)
            if at % step == step - 1:
                found += [_PROSE[(at + n) % 3] for n in range(many)]
        return found

    return change


def _each(name: str) -> Way:
    return lambda lines: [CHANGES[name](line, at) for at, line in enumerate(lines)]


WAYS: dict[str, Way] = {
    "as it is": lambda lines: lines,
    **{f"its first {n} lines": _first(n) for n in (*range(1, 13), 16, 20, 24, 32, 40)},
    **{f"below {n} lines": _below(n) for n in (1, 2, 3, 5, 8, 9, 12, 20, 40)},
    **{f"{n} lines behind each {step}": _among(step, n) for step, n in (
        (20, 1), (10, 1), (5, 1), (4, 1), (3, 1), (2, 1), (3, 2), (1, 1), (2, 3), (1, 2), (1, 4))},
    **{name: _each(name) for name in CHANGES},
    **PARTS,
}  # fmt: skip


def verdicts(item: formats.Format, path: Path) -> str:
    """Return a letter for each way."""
    text = path.read_bytes()[: 8 * _CHARACTERS].decode("utf-8", "replace").replace("\r\n", "\n")
    lines = text[:_CHARACTERS].splitlines(keepends=True)
    return "".join(_SIGNS[item.sniff("".join(way(lines)))] for way in WAYS.values())


def agreed() -> dict[str, str]:
    if not AGREED.exists():
        return {}
    found: dict[str, str] = {}
    for row in AGREED.read_text(encoding="utf-8").splitlines():
        name, letters = row.rsplit(maxsplit=1)
        found[name] = letters
    return found


@pytest.mark.parametrize("item", formats.FORMATS, ids=lambda item: item.NAME)
def test_a_format_claims_what_is_agreed(
    item: formats.Format, request: pytest.FixtureRequest
) -> None:
    paths = {f"{item.NAME}/{path.name}": path for path in samples(item.NAME)}
    rows = {name: row for name, row in agreed().items() if name in paths}
    if request.config.getoption("--bless"):
        by_size = sorted(paths, key=lambda name: (paths[name].stat().st_size, name))
        rows = {name: verdicts(item, paths[name]) for name in {*rows, *by_size[:_SAMPLES]}}
        every = agreed() | rows
        text = "".join(f"{name} {every[name]}\n" for name in sorted(every))
        AGREED.write_text(text, encoding="utf-8")
    for name, was in rows.items():
        letters = verdicts(item, paths[name])
        changed = [way for way, a, b in zip(WAYS, letters, was, strict=True) if a != b]
        assert letters == was, f"{name} is claimed otherwise: {changed}"


def test_no_row_is_left_over() -> None:
    names = {f"{item.NAME}/{path.name}" for item in formats.FORMATS for path in samples(item.NAME)}
    assert agreed().keys() <= names
    assert len(agreed()) > 250
