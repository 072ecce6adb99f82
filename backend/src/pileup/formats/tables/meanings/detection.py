"""Name the format of a text by the most special table in its first lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from pileup.formats.reading.text import make_chunks
from pileup.formats.tables.layouts.headless import NAMED_VALUES
from pileup.formats.tables.layouts.reader import (
    ResultRow,
    ResultSet,
    RowBlock,
    Stray,
    may_begin,
    read_chunks,
)
from pileup.formats.tables.meanings import named_values
from pileup.formats.tables.meanings.handlers import Seen
from pileup.formats.tables.meanings.registry import MEANINGS, RESULT, is_known, meaning_of

_MOST_LINES = 1200
_LONGEST_LINE = 4_000
_ORDER = {
    name: rank
    for rank, name in enumerate(
        dict.fromkeys(
            (
                *(meaning.format for meaning in MEANINGS if meaning.format != RESULT),
                "status",
                "variables",
                RESULT,
            )
        )
    )
}
_OPEN = ("box", "vertical")
_LEAST_SHARE = 0.8
_FRAME = re.compile(r"#\d+ ")
"""A frame of a stack ('#3  0x00007f... in main ()') is never part of a table."""


@dataclass(slots=True)
class _Table:
    result: ResultSet
    rows: list[ResultRow] = field(default_factory=list)
    lines: int = 0

    @property
    def is_headless(self) -> bool:
        """Whether its first row is a line of words, which any text may have."""
        result = self.result
        first = self.rows[0].line_first if self.rows else None
        return result.columns == NAMED_VALUES and first == result.line

    @property
    def is_sure(self) -> bool:
        """Whether it is a table whatever is around it: by its layout, or by its columns."""
        result = self.result
        return result.layout in _OPEN or (not self.is_headless and is_known(result.columns))

    @property
    def seen(self) -> Seen:
        first = self.rows[0].values if self.rows else None
        return Seen(self.result, tuple(name.lower() for name in self.result.columns), first)


@lru_cache(maxsize=4)
def format_of(head: str, *, any_words: bool = False) -> str | None:
    """Return the NAME of the format of tables that a text begins with; None when it has no table.

    A box, rows of ``\\G`` and known columns are tables wherever they are. Cells between tabs or
    commas are tables only when nearly all of the text consists of them; so are, where ``any_words``
    may be names, columns of numbers below words.
    """
    lines = head.split("\n")
    if len(head) > 60_000 and len(lines) > 2:
        lines = lines[:-1]  # the head may end inside a line
    lines = lines[:_MOST_LINES]
    rows = [line[:_LONGEST_LINE] for line in lines if not _FRAME.match(line)]
    pairs = pairwise([*rows, ""])
    if not any(may_begin(*pair, is_known, any_words=any_words) for pair in pairs):
        return None
    tables: list[_Table] = []
    strays = len(lines) - len(rows)
    for part in read_chunks(make_chunks(rows), is_known=is_known, any_words=any_words):
        if isinstance(part, ResultSet):
            tables.append(_Table(part, lines=1))
        elif isinstance(part, ResultRow):
            tables[-1].lines += part.line_last - part.line_first + 1
            tables[-1].rows.append(part)
        elif isinstance(part, RowBlock):
            tables[-1].lines += part.line_last - part.line + 1
            tables[-1].rows += part.rows()
        elif isinstance(part, Stray):
            strays += 1
    inside = sum(table.lines for table in tables if table.rows)
    is_most = inside >= _LEAST_SHARE * (inside + strays)
    formats = _formats(
        [
            table
            for table in tables
            if (table.rows or table.result.layout == "box") and (is_most or not table.is_headless)
        ]
    )
    special = [name for name in formats if name != RESULT]
    if special:
        return min(special, key=_ORDER.__getitem__)
    if not formats:
        return None
    if any(table.rows and table.is_sure for table in tables):
        return RESULT
    return RESULT if is_most else None


def _formats(tables: list[_Table]) -> list[str]:
    """Return the format of each table; all tables of names and values have one together."""
    named = [table for table in tables if named_values.is_named_values(table.seen)]
    formats = [meaning_of(table.seen).format for table in tables if table not in named]
    names = [row.values[0] or "" for table in named for row in table.rows[:_MOST_NAMES]]
    return [*formats, named_values.format_of(names) or RESULT] if named else formats


_MOST_NAMES = 60

__all__ = ["format_of"]
