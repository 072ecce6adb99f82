"""Decide what stays on one page: short lists and tables, each with the line before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pileup.report.document import Block, Bullets, Code, Figure, Paragraph, Table, plain

_MOST, _LETTERS = 12, 1200
"""Limits in rows or items, and in letters, of a block that is not broken over two pages."""
_LINE = 240
"""Maximum letters of a paragraph that introduces the next block ("For:", "Experiment 1: ...")."""


def is_whole(block: Block) -> bool:
    """Return whether a table or a list is short enough to stay on one page."""
    match block:
        case Table():
            parts = len(block.rows)
        case Bullets():
            parts = len(block.items)
        case _:
            return False
    return parts <= _MOST and _letters(block) <= _LETTERS


def with_next(blocks: Sequence[Block]) -> Iterator[tuple[Block, bool]]:
    """Yield each block, and whether it must stay on the page of the next block."""
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
            return sum(_letters(child) for item in block.items for child in item)
        case _:
            return _LETTERS
