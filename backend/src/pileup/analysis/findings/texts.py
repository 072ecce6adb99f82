"""Rows with a text that patterns are tested on: the States, statements or log lines of a stall.

Hundreds of patterns are tested on the same rows, and most match none: each is tested on the few
distinct texts first. States and user names recur from stall to stall and from incident to
incident, so the answers for short texts are kept. Which rows these are does not belong here: see
``observed``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import polars as pl

_SHORT = 100
"""Letters of a text whose answers are kept."""
_MOST_KEPT = 1000
"""Answers that are kept of each pattern."""


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
        found = _matching(pattern, self._distinct)
        if not found:
            return None
        test = pl.col(self.column).fill_null("").is_in(found)
        if lasting is not None and self.age is not None:
            test &= pl.col(self.age).fill_null(0.0) >= lasting
        rows = self.frame.filter(test)
        return None if rows.is_empty() else rows

    @cached_property
    def _distinct(self) -> list[str]:
        return self.frame[self.column].fill_null("").unique().to_list()


def _matching(pattern: str, texts: list[str]) -> list[str]:
    """Return the texts that match; only those without a kept answer are tested."""
    kept = _kept_answers(pattern)
    answers = {text: kept[text] for text in texts if text in kept}
    untested = pl.Series([text for text in texts if text not in answers], dtype=pl.String)
    if len(untested):
        tested = dict(zip(untested, untested.str.contains(pattern), strict=True))
        short = {text: answer for text, answer in tested.items() if len(text) <= _SHORT}
        if len(kept) + len(short) <= _MOST_KEPT:
            kept |= short
        answers |= tested
    return [text for text in texts if answers[text]]


@lru_cache(maxsize=512)
def _kept_answers(pattern: str) -> dict[str, bool]:  # noqa: ARG001  # the key of the cache
    return {}


__all__ = ["Texts"]
