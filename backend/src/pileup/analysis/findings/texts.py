"""Rows with a text that patterns are tested on: the States, statements or log lines of a stall.

Hundreds of expressions are tested on the same rows, and most match none: all of those of the
knowledge base are tested at once, on the few distinct texts. Which rows these are does not belong
here: see ``observed``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from pileup.knowledge.expressions import matcher


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
    expressions: tuple[str, ...] = ()
    """Those that are likely to be looked for: all are tested at once."""

    def matching(self, pattern: str, lasting: float | None = None) -> pl.DataFrame | None:
        """Return the rows whose text matches; None: no row does.

        lasting: only those that have lasted this many seconds; none has where no age is known.
        """
        if lasting is not None and self.age is None:
            return None
        found = (
            self._matches.get(pattern)
            if pattern in self._known
            else _matches((pattern,), self._distinct).get(pattern)
        )
        if not found:
            return None
        test = pl.col(self.column).fill_null("").is_in(found)
        if lasting is not None and self.age is not None:
            test &= pl.col(self.age).fill_null(0.0) >= lasting
        rows = self.frame.filter(test)
        return None if rows.is_empty() else rows

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.expressions)

    @cached_property
    def _matches(self) -> Mapping[str, list[str]]:
        return _matches(self.expressions, self._distinct)

    @cached_property
    def _distinct(self) -> list[str]:
        return self.frame[self.column].fill_null("").unique().to_list()


def _matches(known: tuple[str, ...], texts: Sequence[str]) -> Mapping[str, list[str]]:
    """Return the texts that match each expression."""
    matches = defaultdict(list)
    test = matcher(known)
    for text in texts:
        for at in test(text):
            matches[known[at]].append(text)
    return matches


__all__ = ["Texts"]
