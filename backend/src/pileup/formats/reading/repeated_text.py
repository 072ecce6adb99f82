"""Texts that repeat, each read once: a table of what they say, and rows that point into it.

For parsers of prints in which a thousand paragraphs say nearly the same. A row then costs a
look-up; the columns are gathered from the table when the frame is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import polars as pl

MOST_TEXT = 8_000
"""Characters: a longer text is read every time, or hostile lines would fill the memory."""

T = TypeVar("T", bound=tuple[Any, ...])


class Interned(Generic[T]):
    """Rows of one table by the text that they were read from.

    ``rows[i]`` is what text number i says. Make it anew with each frame: then it is as large as
    the frame at most.
    """

    def __init__(self) -> None:
        self.rows: list[T] = []
        self._numbers: dict[str, int] = {}
        self.get = self._numbers.get
        """The number of a text that was read before, or None."""

    def add(self, text: str, row: T) -> int:
        """Remember what a new text says; gives its number."""
        number = len(self.rows)
        self.rows.append(row)
        if len(text) <= MOST_TEXT:
            self._numbers[text] = number
        return number

    def columns(
        self, names: Sequence[str], schema: dict[str, pl.DataType], picked: pl.Series
    ) -> dict[str, pl.Series]:
        """The first fields of the picked rows as columns; a null pick gives nulls."""
        rows = [row[: len(names)] for row in self.rows] or [(None,) * len(names)]
        dtypes = [schema[name] for name in names]
        return {
            name: pl.Series(name, values, dtype=dtype, strict=True).gather(picked)
            for name, values, dtype in zip(names, zip(*rows, strict=True), dtypes, strict=True)
        }


def repeated(counts: list[int]) -> pl.Series:
    """0, 0, 0, 1, 2, 2 for 3, 1, 2: which group each row is of."""
    groups = pl.int_range(len(counts), eager=True)
    return groups.repeat_by(pl.Series(counts, dtype=pl.Int64)).explode().drop_nulls()
