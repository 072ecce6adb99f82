"""What stays on one page of paper: a short list or table whole, and with it the line before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pileup.report.document import Block, Bullets, Code, Figure, Paragraph, Table, plain

_MOST, _LETTERS = 8, 1200
"""Rows or items, and letters, of what is not broken over two pages."""
_LINE = 240
"""Letters of a paragraph that says what comes next ("For:", "Experiment 1: ...")."""


def is_whole(block: Block) -> bool:
    """Whether a table or a list is short enough to be kept whole."""
    match block:
        case Table():
            parts = len(block.rows)
        case Bullets():
            parts = len(block.items)
        case _:
            return False
    return parts <= _MOST and _letters(block) <= _LETTERS


def with_next(blocks: Sequence[Block]) -> Iterator[tuple[Block, bool]]:
    """Each block, and whether it is a line that must not stand alone before what it leads to."""
    for block, after in pairwise([*blocks, None]):
        if block is not None:
            yield block, isinstance(block, Paragraph) and _leads(block, after)


def _leads(line: Paragraph, after: Block | None) -> bool:
    return isinstance(after, Bullets | Table | Code | Figure) and len(plain(line.runs)) <= _LINE


def _letters(block: Block) -> int:
    match block:
        case Paragraph():
            return len(plain(block.runs))
        case Table():
            return sum(len(plain(cell)) for row in block.rows for cell in row)
        case Bullets():
            return sum(_letters(one) for item in block.items for one in item)
        case _:
            return _LETTERS
