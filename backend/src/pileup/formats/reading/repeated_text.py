"""Read each distinct text once: a table of parsed texts, and rows that point into it.

For parsers of output in which a thousand paragraphs are nearly the same. A row then costs a
look-up; the columns are gathered from the table when the frame is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import polars as pl

MOST_TEXT = 8_000
"""Characters: a longer text is read every time, so that hostile lines cannot fill the memory."""

T = TypeVar("T", bound=tuple[Any, ...])


class Interned(Generic[T]):
    """A table of parsed rows, by the text that they were read from.

    ``rows[i]`` is the row of text number i. Make a new object for each frame: then it is at most as
    large as the frame.
    """

    def __init__(self) -> None:
        self.rows: list[T] = []
        self._numbers: dict[str, int] = {}
        self.get = self._numbers.get
        """Return the number of a text that was added before, or None."""

    def add(self, text: str, row: T) -> int:
        """Store the row of a new text; return its number."""
        number = len(self.rows)
        self.rows.append(row)
        if len(text) <= MOST_TEXT:
            self._numbers[text] = number
        return number

    def columns(
        self, names: Sequence[str], schema: dict[str, pl.DataType], picked: pl.Series
    ) -> dict[str, pl.Series]:
        """Gather the first fields of the picked rows as columns; a null pick gives nulls."""
        rows = [row[: len(names)] for row in self.rows] or [(None,) * len(names)]
        dtypes = [schema[name] for name in names]
        return {
            name: pl.Series(name, values, dtype=dtype, strict=True).gather(picked)
            for name, values, dtype in zip(names, zip(*rows, strict=True), dtypes, strict=True)
        }


def repeated(counts: list[int]) -> pl.Series:
    """Return the group of each row for groups of these sizes: 0, 0, 0, 1, 2, 2 for 3, 1, 2."""
    groups = pl.int_range(len(counts), eager=True)
    return groups.repeat_by(pl.Series(counts, dtype=pl.Int64)).explode().drop_nulls()
