"""Rows with a text that patterns are tested on: the States, statements or log lines of a stall.

Hundreds of patterns are tested on the same rows, and most match none: each is tested on the few
distinct texts first. Which rows these are does not belong here: see ``observed``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import polars as pl


@dataclass(frozen=True)
class Texts:
    """Rows of one kind, the column with their text, and the column with their age."""

    frame: pl.DataFrame
    column: str
    """Its text; null counts as an empty text."""
    age: str | None = None
    """The column of seconds; None: their age is unknown."""
    is_named: bool = True
    """Whether any record prints such a text, also of those that are not among the rows."""

    def matching(self, pattern: str, lasting: float | None = None) -> pl.DataFrame | None:
        """Return the rows whose text matches; None: no row does.

        lasting: only those that have lasted this many seconds; none has where no age is known.
        """
        if lasting is not None and self.age is None:
            return None
        texts = self._distinct
        found = texts.filter(texts.str.contains(pattern))
        if found.is_empty():
            return None
        test = pl.col(self.column).fill_null("").is_in(found.implode())
        if lasting is not None and self.age is not None:
            test &= pl.col(self.age).fill_null(0.0) >= lasting
        rows = self.frame.filter(test)
        return None if rows.is_empty() else rows

    @cached_property
    def _distinct(self) -> pl.Series:
        return self.frame[self.column].fill_null("").unique()


__all__ = ["Texts"]
