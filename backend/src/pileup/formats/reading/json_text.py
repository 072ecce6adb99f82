"""Matches of a pattern in JSON text that streams by, with the line that each begins on.

A JSON document may be one line of any length (``LONG_LINES`` of a format lets it come in pieces) or
one value per line; a capture may end anywhere. So JSON of samples is read as the small complete
things in it (an object, a point), whatever the document around them: memory stays bounded and a
document cut in the middle still gives what stands before the cut.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_WINDOW = 256 * 1024
_LONGEST_MATCH = 64 * 1024
_TOLD = 200
_OPEN = re.compile(r"[\[{\"]")
"""Nothing that is looked for begins before one of these."""
OBJECT = re.compile(r'\{(?:[^{}"]|"(?:[^"\\]|\\.)*+")*+\}')
"""A flat object, strings and all: no object inside."""


def matches(lines: Iterable[str], pattern: re.Pattern[str]) -> Iterator[tuple[re.Match[str], int]]:
    """Each match and the number of the line on which it begins.

    A match must be complete in itself (end with a bracket) and shorter than 64 KB.
    """
    for match, window in windowed(lines, pattern):
        yield match, window.line_at(match.start())


def windowed(
    lines: Iterable[str], pattern: re.Pattern[str]
) -> Iterator[tuple[re.Match[str], Window]]:
    """Each match and the text that it stands in, which tells the line of any place in it.

    One match may be a run of many complete things, as long as the window of 256 KB.
    """
    for window in _windows(lines, _LONGEST_MATCH):
        for match in pattern.finditer(window.text):
            window.end = match.end()
            yield match, window


class Span(NamedTuple):
    """A match and what stands before it, since the one before; at the end no match.

    Of what was too long to be kept, ``before`` has the beginning.
    """

    match: re.Match[str] | None
    before: str
    first: int
    """Line on which the match begins; without one the last line."""
    last: int


def spans(
    lines: Iterable[str], pattern: re.Pattern[str], longest: int = _LONGEST_MATCH
) -> Iterator[Span]:
    """Each match with its lines, then what stands behind the last one.

    longest: characters; of what is longer than the window of 256 KB, each line more costs another
        look at as much.
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
    """The text in which matches are looked for; who looks says where the last one ended."""

    def __init__(self) -> None:
        self.text = self.lost = ""
        self.end = self.number = 0
        self.starts: list[int] = []
        """Offset in the text of the first character of each line."""
        self.numbers: list[int] = []

    def line_at(self, offset: int) -> int:
        return self.numbers[max(0, bisect.bisect_right(self.starts, offset) - 1)]

    def line_end(self, offset: int) -> int:
        """Where the next line begins, or the text ends."""
        at = bisect.bisect_right(self.starts, offset)
        return self.starts[at] if at < len(self.starts) else len(self.text)

    def shift(self, longest: int) -> None:
        """Keep what a match may still begin in."""
        opened = next(
            (match.start() for match in _OPEN.finditer(self.text, self.end)), len(self.text)
        )
        end = max(opened, len(self.text) - longest)
        if end > opened and not self.lost:
            self.lost = self.text[opened : opened + _TOLD]
        keep = max(0, bisect.bisect_right(self.starts, end) - 1)
        self.text = self.text[end:]
        self.starts = [max(0, start - end) for start in self.starts[keep:]]
        self.numbers = self.numbers[keep:]
        self.end = 0


def _windows(lines: Iterable[str], longest: int) -> Iterator[Window]:
    """The text, window after window: the same object, moved on."""
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
