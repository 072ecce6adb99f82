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

_WINDOW = 256 * 1024
_LONGEST_MATCH = 64 * 1024
OBJECT = re.compile(r'\{(?:[^{}"]|"(?:[^"\\]|\\.)*+")*+\}')
"""A flat object, strings and all: no object inside."""


def matches(lines: Iterable[str], pattern: re.Pattern[str]) -> Iterator[tuple[re.Match[str], int]]:
    """Each match and the number of the line on which it begins.

    A match must be complete in itself (end with a bracket) and shorter than 64 KB.
    """
    text = ""
    starts: list[int] = []  # offset in text of the first character of each line
    numbers: list[int] = []
    parts: list[str] = []
    size = 0
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
            yield match, numbers[max(0, bisect.bisect_right(starts, match.start()) - 1)]
            end = match.end()
        end = max(end, len(text) - _LONGEST_MATCH)
        keep = max(0, bisect.bisect_right(starts, end) - 1)
        text = text[end:]
        starts = [max(0, start - end) for start in starts[keep:]]
        numbers = numbers[keep:]
    text += "".join(parts)
    for match in pattern.finditer(text):
        yield match, numbers[max(0, bisect.bisect_right(starts, match.start()) - 1)]
