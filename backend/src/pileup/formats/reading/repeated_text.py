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
        table = pl.DataFrame(
            [
                pl.Series(name, values, dtype=schema[name], strict=True)
                for name, values in zip(names, zip(*rows, strict=True), strict=True)
            ]
        )
        return table.select(pl.all().gather(picked)).to_dict()
