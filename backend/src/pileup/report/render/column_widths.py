"""Compute column widths: short columns get their text's width, the others share the rest."""

from __future__ import annotations

import math

from pileup.report.document import Run, Table, plain
from pileup.report.render.scripts import width

_SHORT = 24
"""A column of at most this many letters is never broken."""
_LEAST = 9
"""Minimum letters of a long column: below, every word would be broken."""

_CODE = 1.15
"""Width of a code letter relative to a text letter."""


def column_letters(table: Table, room: int) -> list[tuple[float, bool]]:
    """Return per column its share of ``room`` letters, and whether it is short (never broken)."""
    cells = [[_letters(row[i]) if i < len(row) else 0 for row in [table.head, *table.rows]]
             for i in range(len(table.head))]  # fmt: skip
    longest = [max(column, default=0) for column in cells]
    if not longest:
        return []
    if sum(longest) <= room:
        widest = longest.index(max(longest))
        return [
            (n + (room - sum(longest) if i == widest else 0), i != widest)
            for i, n in enumerate(longest)
        ]
    left, short = room, [False] * len(longest)
    for i in sorted(range(len(longest)), key=longest.__getitem__):
        others = len(longest) - sum(short) - 1
        if longest[i] <= _SHORT and others > 0 and left - longest[i] >= others * _LEAST:
            short[i], left = True, left - longest[i]
    weights = [
        0.0 if short[i] else math.sqrt(max(sum(column) / len(column), longest[i] / 4, 1))
        for i, column in enumerate(cells)
    ]
    whole = sum(weights)
    return [
        (longest[i] if short[i] else left * weights[i] / whole, short[i])
        for i in range(len(longest))
    ]


def _letters(cell: list[Run]) -> int:
    """Count the letters of a cell, code letters as wider."""
    letters = width(plain(cell))
    return math.ceil(letters * _CODE) if any(run.code for run in cell) else letters
