"""Scripts of a report's text: direction, width, and coverage by our fonts."""

from __future__ import annotations

import re
import struct
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from pileup.paths import packaged

_BEFORE_UNIT = re.compile(r"(?<=\d) (?=[%/]|(?:[mµn]?s|min|h|d|[KMGT]iB|[kMGT]B)\b)")
FONTS = packaged("report/render/fonts")
_UNSEEN_CATEGORIES = frozenset(["Cc", "Cf", "Cs", "Mn", "Me", "Zl", "Zp", "Zs"])
_TYPST_HAS = ("HEBREW", "GEORGIAN", "ARMENIAN")
"""Scripts of the fonts that come with typst, in addition to ours."""


def is_rtl(text: str) -> bool:
    """Return whether a paragraph runs from right to left; its first strong letter decides."""
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
    """Return whether a text has hiragana or katakana: Japanese has its own shapes of characters."""
    return any("\u3041" <= letter <= "\u30ff" for letter in text)


def width(text: str) -> int:
    """Return the width of a text in Latin letters; a Chinese character counts as two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(name) in "WF" else 1 for name in text)


def short(text: str, most: int) -> str:
    """Cut a text to ``most`` Latin widths, with an ellipsis."""
    if width(text) <= most:
        return text
    out, room = "", most - 1
    for letter in text:
        room -= width(letter)
        if room < 0:
            break
        out += letter
    return out.rstrip() + "…"


def unbroken(text: str) -> str:
    """Join a number to the unit after it, so that no line breaks between."""
    return _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", text)


def wrapped(text: str, most: int, lines: int) -> list[str]:
    """Wrap a text to at most ``lines`` lines of ``most`` Latin widths; cut with an ellipsis."""
    out: list[str] = []
    rest = text.strip()
    while rest and len(out) < lines - 1 and width(rest) > most:
        end = _end_of_line(rest, most)
        out.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return [*out, short(rest, most)] if rest or not out else out


def _end_of_line(text: str, most: int) -> int:
    """Find the end of a line: after a blank or a Chinese character, else after a sign in a word."""
    used, blank, sign, end = 0, 0, 0, 0
    for end, letter in enumerate(text):
        used += width(letter)
        if used > most:
            break
        if letter == " " or width(letter) == 2:
            blank = end + 1
        elif letter in "-_/.":
            sign = end + 1
    if blank and (blank * 3 >= most or width(text[blank:]) <= most):
        return blank
    return max(blank, sign) or max(end, 1)


def unseen(texts: Iterable[str]) -> list[tuple[str, int]]:
    """Count the letters per script that no font of ours covers, the most frequent first."""
    have = _have()
    scripts: Counter[str] = Counter()
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
                scripts[_WORDS.get(script, script.capitalize())] += 1
    return scripts.most_common()


_WORDS = {"CJK": "rare Chinese characters"}


@lru_cache(maxsize=1)
def _have() -> frozenset[int]:
    """Read every code point of our fonts (some 15 000) from their cmap tables, once."""
    numbers: set[int] = set()
    for path in sorted([*FONTS.glob("*.ttf"), *FONTS.glob("*.otf")]):
        numbers |= _cmap(path.read_bytes())
    return frozenset(numbers)


def _cmap(font: bytes) -> set[int]:
    """Read the code points of an OpenType font from its cmap subtables of formats 4 and 12.

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
