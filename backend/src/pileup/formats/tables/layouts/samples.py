"""Split rows of a name and a value per sample, between blanks and without a header.

Source: pt-mext over ``mysqladmin ext -i``.
            Aborted_clients                             164    0    0    0
            Compression                                 OFF    OFF  OFF  OFF
Yields: one ResultSet with the columns Variable_name, 1, 2, ..., a ResultRow for each name, and a
        Stray for every other line, when the text ends: only most of the rows show how many samples
        there are.
Note:   a text of several words is printed once per sample, so its words are divided evenly.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pileup.formats.tables.layouts.reader import ResultRow, ResultSet, Stray

_ROW = re.compile(r"(?P<name>[A-Za-z]\w{2,120}) +(?P<values>\S[^\t]*)?$")
_NUMBER = re.compile(r"-?[\d.]+$")
_NUMBERS = re.compile(r"[A-Za-z]\w{2,120}(?: +-?\d[\d.]{0,40}){2,}\s*$")
_LONGEST = 200_000


def name_of(text: str) -> str | None:
    """Return the name of a row of numbers; None for another line."""
    return text.partition(" ")[0] if _NUMBERS.match(text[:_LONGEST]) else None


def read(lines: Iterable[str]) -> Iterator[ResultSet | ResultRow | Stray]:
    """Yield the rows of a text, each name once; no ResultSet where there are no samples."""
    rows: dict[str, tuple[int, list[str]]] = {}
    for number, text in enumerate(lines, start=1):
        match = _ROW.match(text)
        if match is not None and match["name"] not in rows:
            rows[match["name"]] = number, (match["values"] or "").split()
        elif text.strip():
            yield Stray(number, text)
    widths = Counter(len(words) for _, words in rows.values() if _are_numbers(words))
    width = widths.most_common(1)[0][0] if widths else 0
    if width < 2:
        return
    names = ("Variable_name", *map(str, range(1, width + 1)))
    result = ResultSet(0, "", names, next(iter(rows.values()))[0], "cells")
    yield result
    for name, (number, words) in rows.items():
        cells = words if _are_numbers(words) else _texts(words, width)
        if cells is None:
            yield Stray(number, f"{name} {' '.join(words)}")
            continue
        values = (name, *cells[:width], *[None] * (width - len(cells)))
        yield ResultRow(result, values, number, number, max(0, width - len(cells)))


def _are_numbers(words: Sequence[str]) -> bool:
    return bool(words) and _NUMBER.match(words[0]) is not None


def _texts(words: Sequence[str], width: int) -> list[str] | None:
    """Divide words evenly, so that each sample has the same text; None where they differ."""
    size = len(words) // width
    if list(words) != list(words[:size]) * width:
        return None
    return [" ".join(words[:size])] * width


__all__ = ["name_of", "read"]
