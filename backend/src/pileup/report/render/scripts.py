"""Letters of the world in a report: which way they run, how wide they are, if we have them."""

from __future__ import annotations

import struct
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

FONTS = Path(__file__).with_name("fonts")
_UNSEEN_CATEGORIES = frozenset(["Cc", "Cf", "Cs", "Mn", "Me", "Zl", "Zp", "Zs"])
_TYPST_HAS = ("HEBREW", "GEORGIAN", "ARMENIAN")
"""Scripts of the fonts that come with typst, beside ours."""


def is_rtl(text: str) -> bool:
    """Does a paragraph of this text run from right to left? (Its first strong letter decides.)"""
    for letter in text:
        direction = unicodedata.bidirectional(letter)
        if direction in ("R", "AL"):
            return True
        if direction == "L":
            return False
    return False


def has_rtl(text: str) -> bool:
    return not text.isascii() and any(
        unicodedata.bidirectional(name) in ("R", "AL") for name in text
    )


def has_kana(text: str) -> bool:
    """Hiragana or katakana: Japanese, whose Chinese characters have shapes of their own."""
    return any("\u3041" <= letter <= "\u30ff" for letter in text)


def width(text: str) -> int:
    """Letters of the Latin width that the text takes: a Chinese one takes two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(name) in "WF" else 1 for name in text)


def short(text: str, most: int) -> str:
    """Cut to so many Latin widths, with an ellipsis."""
    if width(text) <= most:
        return text
    out, room = "", most - 1
    for letter in text:
        room -= width(letter)
        if room < 0:
            break
        out += letter
    return out.rstrip() + "…"


def wrapped(text: str, most: int, lines: int) -> list[str]:
    """At most so many lines of so many Latin widths; what is left over ends in an ellipsis."""
    out: list[str] = []
    rest = text.strip()
    while rest and len(out) < lines - 1 and width(rest) > most:
        end = _end_of_line(rest, most)
        out.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return [*out, short(rest, most)] if rest or not out else out


def _end_of_line(text: str, most: int) -> int:
    """Where a line may end: after a blank or a Chinese letter, else where the room ends."""
    used, last, end = 0, 0, 0
    for end, letter in enumerate(text):
        used += width(letter)
        if used > most:
            break
        if letter in " -_/" or width(letter) == 2:
            last = end + 1
    return last or max(end, 1)


def unseen(texts: Iterable[str]) -> list[tuple[str, int]]:
    """Scripts with letters that no font of ours has, and how many letters, the most first."""
    have = _have()
    found: Counter[str] = Counter()
    for text in texts:
        if text.isascii():
            continue
        for letter in text:
            if ord(letter) < 128 or ord(letter) in have:
                continue
            if unicodedata.category(letter) in _UNSEEN_CATEGORIES:
                continue
            script = unicodedata.name(letter, "UNNAMED").split()[0]
            if script not in _TYPST_HAS:
                found[_WORDS.get(script, script.capitalize())] += 1
    return found.most_common()


_WORDS = {"CJK": "rare Chinese characters"}


@lru_cache(maxsize=1)
def _have() -> frozenset[int]:
    """Every code point of our fonts (some 15 000), read from their cmap tables once."""
    numbers: set[int] = set()
    for path in sorted([*FONTS.glob("*.ttf"), *FONTS.glob("*.otf")]):
        numbers |= _cmap(path.read_bytes())
    return frozenset(numbers)


def _cmap(font: bytes) -> set[int]:
    """Code points of an OpenType font, by its cmap subtables of formats 4 and 12.

    Source: OpenType specification, "cmap - Character to Glyph Index Mapping Table".
    """
    (tables,) = struct.unpack_from(">H", font, 4)
    for index in range(tables):
        tag, _, start, _ = struct.unpack_from(">4sIII", font, 12 + 16 * index)
        if tag == b"cmap":
            break
    else:
        return set()
    (many,) = struct.unpack_from(">H", font, start + 2)
    numbers: set[int] = set()
    for index in range(many):
        (offset,) = struct.unpack_from(">I", font, start + 8 + 8 * index)
        at = start + offset
        (form,) = struct.unpack_from(">H", font, at)
        if form == 4:
            (twice,) = struct.unpack_from(">H", font, at + 6)
            ends = struct.unpack_from(f">{twice // 2}H", font, at + 14)
            starts = struct.unpack_from(f">{twice // 2}H", font, at + 16 + twice)
            for first, last in zip(starts, ends, strict=True):
                numbers.update(range(first, min(last, 0xFFFE) + 1))
        elif form == 12:
            (groups,) = struct.unpack_from(">I", font, at + 12)
            for group in range(groups):
                first, last, _ = struct.unpack_from(">III", font, at + 16 + 12 * group)
                numbers.update(range(first, last + 1))
    return numbers
