"""Every committed sample, broken in every way that files break: it may fail, it must not crash."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.formats.checks import all_samples, assert_sound, parse_bytes

_MOST = 96 * 1024
_ALL = all_samples()


@pytest.mark.parametrize("path", _ALL, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_damage_is_data(path: Path) -> None:
    data = path.read_bytes()[:_MOST]
    for what, broken in _damages(data, random.Random(path.name)):
        # Both as the format it was, and as whatever it now looks like.
        for format_name in (path.parent.name, None):
            parsed = parse_bytes(broken, "x", format_name)
            assert not parsed.crashed, f"{what}: {parsed.failed}"
            assert_sound(parsed, len(broken))


def _damages(data: bytes, dice: random.Random) -> Iterator[tuple[str, bytes]]:
    yield "empty", b""
    yield "UTF-16 cut in a character", data.decode("utf-8", "replace").encode("utf-16")[:-1]
    for _ in range(3):
        at = dice.randrange(len(data) + 1)
        yield f"truncated at byte {at}", data[:at]
        yield f"begins at byte {at}", data[at:]
    holes = bytearray(data)
    for _ in range(min(200, len(holes))):
        holes[dice.randrange(len(holes))] = dice.choice((0, 10, 0xFF, 0xC3, 0x7C, 0x2A))
    yield "200 bytes overwritten", bytes(holes)
    at = dice.randrange(len(data) + 1)
    yield "NULs inside", data[:at] + b"\0" * 5000 + data[at:]
    yield "a very long line inside", data[:at] + b"A" * (1024 * 1024 + 5) + data[at:]
    yield "a digit line inside", data[:at] + b"\n" + b"9" * 5000 + b"\n" + data[at:]
    lines = data.splitlines(keepends=True)
    twice = [line for pair in zip(lines, lines, strict=True) for line in pair]
    yield "each line twice", b"".join(twice)
    half = len(lines) // 2
    mixed = [line for pair in zip(lines[:half], lines[half:], strict=False) for line in pair]
    yield "two halves interleaved", b"".join(mixed)
    dice.shuffle(lines)
    yield "lines shuffled", b"".join(lines)


@pytest.mark.parametrize("name", sorted({path.parent.name for path in _ALL}))
def test_no_line_is_read_in_quadratic_time(name: str) -> None:
    """A megabyte of one character, or of a format's own words, costs moments."""
    path = next(path for path in _ALL if path.parent.name == name)
    lines = path.read_bytes().splitlines()[:400]
    chosen = random.Random(name).sample(lines, min(4, len(lines)))
    runs = (
        b" ",
        b"(",
        b")",
        b"<a,",
        b"[",
        b"_lock",
        b"1 ",
        b"9",
        b"a=",
        b"|",
        b"\t",
        b"\\n",
        b";x",
    )
    own = {word for line in chosen for word in line.split()[:3]}
    started = time.process_time()
    for line in chosen:
        for run in (*runs, *own, line or b"-"):
            data = b"\n".join((*lines[:20], line + run * (200_000 // len(run)), line, run * 1000))
            parsed = parse_bytes(data, "x", name)
            assert not parsed.crashed, parsed.failed
    spent = time.process_time() - started
    cases = len(chosen) * (len(runs) + len(own) + 1)
    assert spent < 0.5 * cases, f"{spent:.1f} s for {cases} cases"
