"""Complete a JSON document of which the beginning or the end is missing, so that it can be read.

Source: chats and trackers that cut what is too long, ``head``, a copied part of a console.
Gives:  the text from its first to its last complete value, with the brackets that are open closed
        and those that are missing opened. What is cut becomes blank: each line keeps its number.
Note:   nothing is invented: values that were cut inside are left out. The names above a part that
        begins inside of objects are not known; the objects in it are whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*+"|[\[\]{},]|"')
_CLOSES = {"{": "}", "[": "]"}
_OPENS = {"}": "{", "]": "["}
_VALUE = re.compile(r'\s*(?:[\[{]|"(?:[^"\\\n]|\\.)*+"\s*:|[\]}]\s*,?\s*(?:[\[{\]}"]|$))')
"""How a line may begin from which a part of a document is read: a value, a key or an end."""
_KEY = re.compile(r'\s*"(?:[^"\\\n]|\\.)*+"\s*:')
_MOST_BEFORE = 50
"""Lines above the first one from which it is read."""
_LEAST_STRINGS = 2
_DEEPEST = 100
_ON_ONE_LINE = re.compile(r'[\[{](?=\s*+[\[{"])')


@dataclass
class _Scan:
    """The brackets of a text up to a place, and the last place where a value is complete."""

    stack: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Ends whose beginning is above the text, inner ones first."""
    end: int = 0
    open_at_end: list[str] = field(default_factory=list)
    strings: int = 0
    around: str = ""
    """The end of what is around the values at the margin, where more than one is there."""

    def close(self, bracket: str) -> bool:
        """Take an end; return False when it is that of another bracket."""
        if not self.stack:
            self.missing.append(bracket)
            self.around = ""
            return True
        return self.stack.pop() == _OPENS[bracket]

    def complete(self, end: int) -> None:
        """Note that a value ends here."""
        self.end, self.open_at_end = end, list(self.stack)


def completions(text: str) -> Iterator[str]:
    """Yield a cut JSON document as one that can be read: without, and with the parts of a value.

    Nothing for any other text.
    """
    found = (complete(text, parts=False), complete(text))
    yield from dict.fromkeys(filter(None, found))


def complete(text: str, *, parts: bool = True) -> str | None:
    """Return a cut JSON document as one that can be read; None for any other text.

    parts: keep what is whole of an object or a list that is cut, too.
    """
    start = _start(text)
    if start is None:
        return None
    scan = _scan(text, start, parts=parts)
    if scan is None or scan.strings < _LEAST_STRINGS or scan.end <= start:
        return None
    is_whole = not (scan.missing or scan.open_at_end or scan.around)
    if is_whole and not text[:start].strip() and not text[scan.end :].strip():
        return None  # nothing to complete
    inside = text[start : scan.end]
    closed = "".join(_CLOSES[bracket] for bracket in reversed(scan.open_at_end)) + scan.around
    above = "\n" * text.count("\n", 0, start)
    opened = _opened([*scan.missing, *scan.around])
    if opened.endswith("{") and not _KEY.match(inside) and inside.lstrip()[:1] != "}":
        opened += '"":'
    return above + opened + inside + closed


def _start(text: str) -> int | None:
    """Return where the first value or key begins that can be read; None for no JSON."""
    at = len(text) - len(text.lstrip())
    if text[at : at + 1] in ("{", "["):
        return at
    offset = 0
    for line in text.split("\n", _MOST_BEFORE)[:_MOST_BEFORE]:
        if line.strip() and _VALUE.match(line):
            return offset
        offset += len(line) + 1
    inside = _ON_ONE_LINE.search(text)
    return inside.start() if inside else None


def _scan(text: str, start: int, *, parts: bool) -> _Scan | None:
    scan = _Scan(around="}" if _KEY.match(text, start) else "")
    for token in _TOKEN.finditer(text, start):
        what = token[0]
        if max(len(scan.stack), len(scan.missing)) > _DEEPEST:
            return None
        if what in ("{", "["):
            scan.stack.append(what)
            if parts:
                scan.complete(token.end())
        elif what in ("}", "]"):
            if not scan.close(what):
                break
            scan.complete(token.end())
        elif what == ",":
            if parts:
                scan.complete(token.start())
            if not scan.stack and not scan.around:
                scan.around = "}" if _KEY.match(text, token.end()) else "]"
        elif what == '"':  # a text that never ends
            break
        else:
            scan.strings += 1
    return scan


def _opened(missing: list[str]) -> str:
    """Return the beginnings of these ends; a value in an object has an empty name."""
    opened = [_OPENS[bracket] for bracket in reversed(missing)]
    return "".join(
        bracket + ('"":' if bracket == "{" and at < len(opened) - 1 else "")
        for at, bracket in enumerate(opened)
    )


__all__ = ["complete", "completions"]
