"""Match a pattern in JSON text that streams by, and number the lines of each match.

A JSON document may be one line of any length (``LONG_LINES`` lets a format receive it in pieces) or
one value per line; a capture may end anywhere. So JSON of samples is read as the small complete
values in it (an object, a point), whatever document surrounds them: memory stays bounded, and a
document cut in the middle still yields the values before the cut.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_WINDOW = 256 * 1024
_LONGEST_MATCH = 64 * 1024
_MOST_KEPT = 200
_OPEN = re.compile(r"[\[{\"]")
"""Every match begins at one of these characters or later."""
OBJECT = re.compile(r'\{(?:[^{}"]|"(?:[^"\\]|\\.)*+")*+\}')
"""A flat object, strings and all: no object inside."""


def matches(lines: Iterable[str], pattern: re.Pattern[str]) -> Iterator[tuple[re.Match[str], int]]:
    """Yield each match and the number of the line on which it begins.

    A match must be complete in itself (end with a bracket) and shorter than 64 KB.
    """
    for match, window in windowed(lines, pattern):
        yield match, window.line_at(match.start())


def windowed(
    lines: Iterable[str], pattern: re.Pattern[str]
) -> Iterator[tuple[re.Match[str], Window]]:
    """Yield each match and its window, which converts offsets to line numbers.

    One match may be a run of many complete values, as long as the window of 256 KB.
    """
    for window in _windows(lines, _LONGEST_MATCH):
        for match in pattern.finditer(window.text):
            window.end = match.end()
            yield match, window


class Span(NamedTuple):
    """A match and the text between the previous match and it; the last span has no match.

    Of text too long to keep, ``before`` has the beginning.
    """

    match: re.Match[str] | None
    before: str
    first: int
    """Line on which the match begins; without a match the last line."""
    last: int


def spans(
    lines: Iterable[str], pattern: re.Pattern[str], longest: int = _LONGEST_MATCH
) -> Iterator[Span]:
    """Yield each match with its lines, then the text behind the last one.

    longest: characters; of what is longer than the window of 256 KB, each further line costs
        another search over as much.
    """
    window = Window()
    for window in _windows(lines, longest):
        for match in pattern.finditer(window.text):
            before, window.lost = window.lost + window.text[window.end : match.start()], ""
            window.end = match.end()
            yield Span(
                match, before, window.line_at(match.start()), window.line_at(match.end() - 1)
            )
    yield Span(None, window.lost + window.text[window.end :], window.number, window.number)


class Window:
    """A window of text; the code that searches it sets ``end`` behind its last match."""

    def __init__(self) -> None:
        self.text = self.lost = ""
        self.end = self.number = 0
        self.starts: list[int] = []
        """Offset in the text of the first character of each line."""
        self.numbers: list[int] = []

    def line_at(self, offset: int) -> int:
        return self.numbers[max(0, bisect.bisect_right(self.starts, offset) - 1)]

    def line_end(self, offset: int) -> int:
        """Return where the next line begins, or the end of the text."""
        at = bisect.bisect_right(self.starts, offset)
        return self.starts[at] if at < len(self.starts) else len(self.text)

    def shift(self, longest: int) -> None:
        """Drop the text in which no further match can begin."""
        opened = next(
            (match.start() for match in _OPEN.finditer(self.text, self.end)), len(self.text)
        )
        end = max(opened, len(self.text) - longest)
        if end > opened and not self.lost:
            self.lost = self.text[opened : opened + _MOST_KEPT]
        keep = max(0, bisect.bisect_right(self.starts, end) - 1)
        self.text = self.text[end:]
        self.starts = [max(0, start - end) for start in self.starts[keep:]]
        self.numbers = self.numbers[keep:]
        self.end = 0


def _windows(lines: Iterable[str], longest: int) -> Iterator[Window]:
    """Yield the text window after window: the same object, moved on."""
    window = Window()
    parts: list[str] = []
    size = 0
    for window.number, line in enumerate(lines, start=1):
        window.starts.append(len(window.text) + size)
        window.numbers.append(window.number)
        parts.append(line)
        size += len(line)
        if size < _WINDOW:
            continue
        window.text += "".join(parts)
        parts, size = [], 0
        yield window
        window.shift(longest)
    window.text += "".join(parts)
    yield window
