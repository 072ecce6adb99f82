"""Rows with a text that patterns are tested on: the States, statements or log lines of a stall.

Hundreds of expressions are tested on the same rows, and most match none: all of those of the
knowledge base are tested at once, on the few distinct texts. States and user names recur from stall
to stall and from incident to incident, so the answers for short texts are kept. Which rows these
are does not belong here: see ``observed``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import polars as pl

_SHORT = 100
"""Letters of a text whose answers are kept."""
_MOST_KEPT = 1000
"""Texts whose answers are kept."""


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
            if pattern in self.expressions
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
    def _matches(self) -> Mapping[str, list[str]]:
        return _matches(self.expressions, self._distinct)

    @cached_property
    def _distinct(self) -> list[str]:
        return self.frame[self.column].fill_null("").unique().to_list()


def _matches(expressions: tuple[str, ...], texts: Sequence[str]) -> Mapping[str, list[str]]:
    """Return the texts that match each expression; only those without a kept answer are tested."""
    kept = _kept_answers(expressions)
    matches = defaultdict(list)
    for text in texts:
        for expression in kept.get(text, ()):
            matches[expression].append(text)
    untested = pl.DataFrame({"text": [text for text in texts if text not in kept]})
    if untested.is_empty():
        return matches
    short: dict[str, list[str]] = {text: [] for text in untested["text"] if len(text) <= _SHORT}
    for expression, answers in zip(expressions, untested.select(_tests(expressions)), strict=True):
        for text in untested["text"].filter(answers):
            matches[expression].append(text)
            if text in short:
                short[text].append(expression)
    if len(kept) + len(short) <= _MOST_KEPT:
        kept |= short
    return matches


@lru_cache(maxsize=64)
def _tests(expressions: tuple[str, ...]) -> list[pl.Expr]:
    return [
        pl.col("text").str.contains(expression).alias(str(at))
        for at, expression in enumerate(expressions)
    ]


@lru_cache(maxsize=512)
def _kept_answers(expressions: tuple[str, ...]) -> dict[str, list[str]]:  # noqa: ARG001  # the key
    """Return the expressions that match, by text."""
    return {}


__all__ = ["Texts"]
