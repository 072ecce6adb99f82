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
OBJECT = re.compile(r'\{(?:[^{}"]|"(?:[^"\\]|\\.)*+")*+\}')
"""A flat object, strings and all: no object inside."""


def matches(lines: Iterable[str], pattern: re.Pattern[str]) -> Iterator[tuple[re.Match[str], int]]:
    """Each match and the number of the line on which it begins.

    A match must be complete in itself (end with a bracket) and shorter than 64 KB.
    """
    for found in spans(lines, pattern):
        if found.match is not None:
            yield found.match, found.first


class Span(NamedTuple):
    """A match and what stands before it, since the one before; at the end no match."""

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
    text = ""
    starts: list[int] = []  # offset in text of the first character of each line
    numbers: list[int] = []
    parts: list[str] = []
    size = number = 0

    def line_at(offset: int) -> int:
        return numbers[max(0, bisect.bisect_right(starts, offset) - 1)]

    for number, line in enumerate(lines, start=1):
        starts.append(len(text) + size)
        numbers.append(number)
        parts.append(line)
        size += len(line)
        if size < _WINDOW:
            continue
        text += "".join(parts)
        parts, size = [], 0
        end = 0
        for match in pattern.finditer(text):
            yield Span(
                match, text[end : match.start()], line_at(match.start()), line_at(match.end() - 1)
            )
            end = match.end()
        end = max(end, len(text) - longest)
        keep = max(0, bisect.bisect_right(starts, end) - 1)
        text = text[end:]
        starts = [max(0, start - end) for start in starts[keep:]]
        numbers = numbers[keep:]
    text += "".join(parts)
    end = 0
    for match in pattern.finditer(text):
        yield Span(
            match, text[end : match.start()], line_at(match.start()), line_at(match.end() - 1)
        )
        end = match.end()
    yield Span(None, text[end:], number, number)
