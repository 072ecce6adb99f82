"""The ways in which files break: truncated, interleaved, wrongly encoded, overwritten, hostile.

``ways`` is deterministic: the same data and the same dice give the same damage.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator

_CUTS = 10
_HOLES = (0, 9, 10, 0xFF, 0xC3, 0x7C, 0x2A)


def ways(
    data: bytes, dice: random.Random, borders: Iterable[int] = ()
) -> Iterator[tuple[str, bytes]]:
    """What was done, and the bytes after it. ``borders``: lines to cut behind (sections' ends)."""
    yield "nothing at all", b""
    yield from _encoded(data, dice)
    yield from _cut(data, dice, borders)
    yield from _overwritten(data, dice)
    yield from _mixed(data, dice)


def _encoded(data: bytes, dice: random.Random) -> Iterator[tuple[str, bytes]]:
    text = data.decode("utf-8", "replace")
    yield "UTF-16 cut in a character", text.encode("utf-16")[:-1]
    yield "UTF-16 big-endian without a mark", text.encode("utf-16-be")
    letters = "".join("é" if c == "e" and dice.random() < 0.2 else c for c in text)
    yield "Latin-1", letters.encode("latin-1", "replace")
    yield "lines ended by CR LF", text.replace("\n", "\r\n").encode()
    yield "lines ended by CR CR LF", text.replace("\n", "\r\r\n").encode()
    yield "lines ended by CR", text.replace("\n", "\r").encode()


def _cut(data: bytes, dice: random.Random, borders: Iterable[int]) -> Iterator[tuple[str, bytes]]:
    for _ in range(3):
        at = dice.randrange(len(data) + 1)
        yield f"truncated at byte {at}", data[:at]
        yield f"begins at byte {at}", data[at:]
    lines = data.splitlines(keepends=True)
    chosen = sorted(set(borders))
    for border in dice.sample(chosen, min(_CUTS, len(chosen))):
        part = b"".join(lines[:border])
        yield f"truncated behind line {border}", part
        yield f"truncated inside line {border}", part[: -dice.randrange(1, 9)]
    low, high = sorted(dice.randrange(len(lines) + 1) for _ in range(2))
    yield f"lines {low} to {high} are missing", b"".join(lines[:low] + lines[high:])


def _overwritten(data: bytes, dice: random.Random) -> Iterator[tuple[str, bytes]]:
    holes = bytearray(data)
    for _ in range(min(200, len(holes))):
        holes[dice.randrange(len(holes))] = dice.choice(_HOLES)
    yield "200 bytes overwritten", bytes(holes)
    bits = bytearray(data)
    for _ in range(min(200, len(bits))):
        bits[dice.randrange(len(bits))] ^= 1 << dice.randrange(8)
    yield "200 bits flipped", bytes(bits)
    at = dice.randrange(len(data) + 1)
    yield "NULs inside", data[:at] + b"\0" * 5000 + data[at:]
    yield "a very long line inside", data[:at] + b"A" * (1024 * 1024 + 5) + data[at:]
    yield "a line of digits inside", data[:at] + b"\n" + b"9" * 5000 + b"\n" + data[at:]
    yield "huge numbers", _digits(data, dice, b"98765432109876543210")
    yield "negative numbers", _digits(data, dice, b"-1")
    yield "no numbers", _digits(data, dice, b"x")


def _digits(data: bytes, dice: random.Random, instead: bytes) -> bytes:
    """Some runs of digits replaced."""
    return re.sub(rb"\d+", lambda run: instead if dice.random() < 0.2 else run[0], data)


def _mixed(data: bytes, dice: random.Random) -> Iterator[tuple[str, bytes]]:
    lines = data.splitlines(keepends=True)
    yield "each line twice", b"".join(line for line in lines for _ in range(2))
    half = len(lines) // 2
    pairs = zip(lines[:half], lines[half:], strict=False)
    yield "two halves interleaved", b"".join(line for pair in pairs for line in pair)
    size = dice.randrange(50, 5000)
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    yield f"blocks of {size} bytes twice", b"".join(block for block in blocks for _ in range(2))
    yield "twice in a row", data + data
    shuffled = lines[:]
    dice.shuffle(shuffled)
    yield "lines shuffled", b"".join(shuffled)
    yield "lines backwards", b"".join(reversed(lines))
