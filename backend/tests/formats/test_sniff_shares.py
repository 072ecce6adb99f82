"""How much of a text must be of a format for it to be recognised, as agreed.

For each format two samples are cut to so few lines, and mixed with so much prose behind and before
them, that they are just recognised. The shares are chosen so that a half, six, eight and nine of
ten lines are met exactly: a share that is another one, or that no longer includes its bound,
changes a number. ``pytest --bless`` writes ``sniff_shares.txt``.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

import pytest

from pileup import formats
from tests.formats.checks import samples

AGREED = Path(__file__).parent / "sniff_shares.txt"
_PROSE = "and then somebody said that it was slow again\n"
_LINES = 36
_MOST = 40
_SAMPLES = 2
_ONE_VALUE = ("result-json",)
"""Its lines are parts of a value, so no number of them fits: looking for that takes a second."""
_READ, _LONGEST = 4 * 1024, 400
"""Bytes of a sample, and characters of a line: longer ones take long."""


def test_so_much_of_a_text_must_be_of_the_format(request: pytest.FixtureRequest) -> None:
    found = [
        f"{item.NAME}\t{path.name}\t{_shares(item.sniff, path)}"
        for item in formats.FORMATS
        for path in samples(item.NAME)[: 0 if item.NAME in _ONE_VALUE else _SAMPLES]
        if max(map(len, _lines(path)), default=_LONGEST) < _LONGEST
    ]
    if request.config.getoption("--bless"):
        AGREED.write_text("".join(f"{line}\n" for line in found), encoding="utf-8")
    assert found == AGREED.read_text(encoding="utf-8").splitlines()


def _shares(sniff: Callable[[str], bool | None], path: Path) -> str:
    """Return the fewest lines, the most prose behind and before them, and behind a first line."""
    lines = _lines(path)
    body = "".join(islice(cycle(lines), _LINES))
    more = lines[0] + "".join(islice(cycle(lines[1:] or lines), _LINES))
    found = [
        _first(lambda many: bool(sniff("".join(lines[:many]))), _LINES),
        _first(lambda many: not sniff(body + _PROSE * many), _MOST),
        _first(lambda many: not sniff(_PROSE * many + body), _MOST),
        _first(lambda many: not sniff(more + _PROSE * many), _MOST),
    ]
    return " ".join(map(str, found))


def _lines(path: Path) -> list[str]:
    text = path.read_bytes()[:_READ].decode("utf-8", "replace")
    return [line for line in text.splitlines(keepends=True) if line.strip()]


def _first(holds: Callable[[int], bool], most: int) -> int:
    """Return the first number for which something holds that holds from there on."""
    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
