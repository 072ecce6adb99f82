"""Find values behind escapes: of addresses (%27), JSON (\\u0027), strings (\\x27), HTML (&#39;).

A quote or an equals sign that is written as an escape hides where a word or a value begins, and so
does a letter without a width inside of a word. Only escapes of printable ASCII letters are read;
an escape of an escape (%2527) is read, too.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator

from pileup.report.redaction.spans import Span

_HEX = "[2-7][0-9A-Fa-f]"
_ESCAPE = re.compile(
    rf"%({_HEX})|\\{{1,7}}(?:u00|x)({_HEX})|&#[xX]0{{0,4}}({_HEX});"
    r"|&#0{0,4}(\d{2,3});|&(quot|apos|amp|lt|gt);"
    r"|[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
)
_DEEP = 3
"""Escapes of escapes of escapes."""
_NAMES = {"quot": '"', "apos": "'", "amp": "&", "lt": "<", "gt": ">"}


def through_escapes(
    text: str, find: Callable[[str], Iterable[Span]], deep: int = _DEEP
) -> Iterator[Span]:
    """Yield what ``find`` yields for a text, then for what its escapes mean, at their places."""
    yield from find(text)
    if deep == 0 or (text.isascii() and not any(mark in text for mark in "%\\&")):
        return
    pieces: list[str] = []
    letters: list[int] = []
    """Where the letters of escapes are in the text that they mean."""
    longer = [0]
    """Before each of them, and at the end: how much longer the escapes are."""
    at = length = 0
    for match in _ESCAPE.finditer(text):
        letter = _letter(match)
        pieces += (text[at : match.start()], letter)
        length += match.start() - at
        letters.append(length)
        length += len(letter)
        longer.append(longer[-1] + len(match[0]) - len(letter))
        at = match.end()
    if not letters:
        return
    pieces.append(text[at:])
    for span in through_escapes("".join(pieces), find, deep - 1):
        start, end = (
            place + longer[bisect_left(letters, place)] for place in (span.start, span.end)
        )
        yield span._replace(start=start, end=end)


def _letter(match: re.Match[str]) -> str:
    """Return what an escape means; empty for a letter without a width."""
    percent, slash, in_hex, decimal, name = match.groups()
    if name:
        return _NAMES[name]
    digits = percent or slash or in_hex
    if not (digits or decimal):
        return ""
    code = int(decimal) if decimal else int(digits, 16)
    return chr(code) if 32 <= code < 127 else "?"
