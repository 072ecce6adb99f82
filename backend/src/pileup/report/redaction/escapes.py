"""Find values behind escapes: of addresses (%27), JSON (\\u0027), strings (\\x27), HTML (&#39;).

A quote or an equals sign that is written as an escape hides where a word or a value begins. Only
escapes of printable ASCII letters are read.
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
)
_NAMES = {"quot": '"', "apos": "'", "amp": "&", "lt": "<", "gt": ">"}


def through_escapes(text: str, find: Callable[[str], Iterable[Span]]) -> Iterator[Span]:
    """Yield what ``find`` yields for a text, then for what its escapes mean, at their places."""
    yield from find(text)
    if not any(mark in text for mark in "%\\&") or _ESCAPE.search(text) is None:
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
        length += match.start() - at + 1
        letters.append(length - 1)
        longer.append(longer[-1] + len(match[0]) - 1)
        at = match.end()
    pieces.append(text[at:])
    for span in find("".join(pieces)):
        start, end = (
            place + longer[bisect_left(letters, place)] for place in (span.start, span.end)
        )
        yield span._replace(start=start, end=end)


def _letter(match: re.Match[str]) -> str:
    percent, slash, in_hex, decimal, name = match.groups()
    if name:
        return _NAMES[name]
    code = int(decimal) if decimal else int(percent or slash or in_hex, 16)
    return chr(code) if 32 <= code < 127 else "?"
