"""Facts of a statement that decide why it takes its locks: verb, tables, conditions."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Literal

from pileup.sql_tokens import shape, tokens

Verb = Literal[
    "insert", "upsert", "insert-select", "update", "delete", "locking-read", "shared-read", "other"
]
_RANGE = re.compile(r" WHERE .*(?:[<>]|\bBETWEEN\b|\bLIKE\b|\bIN \()")
_MOST_SHAPE = 400


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a deadlock."""

    shape: str
    verb: Verb
    names: frozenset[str]
    """Bare, lower-case names in it: its tables are among them."""
    conditions: int
    """Columns that its WHERE compares, at least."""
    range: bool
    """Whether it may search more than one row."""

    def mentions(self, table: str) -> bool:
        """Return whether it names a table (schema.table)."""
        return table.rpartition(".")[2].lower() in self.names


def read(query: str | None) -> Statement | None:
    """Return the facts of a statement, None for one that is not printed."""
    return _read(query) if query and query.strip() else None


@functools.lru_cache(maxsize=4096)
def _read(query: str) -> Statement:
    text = shape(query).strip()
    words = [token.text.upper() for token in tokens(text) if token.kind == "word"]
    names = frozenset(
        token.text.strip("`").lower()
        for token in tokens(query[:10_000])
        if token.kind in ("word", "quoted")
    )
    where = text.partition(" WHERE ")[2]
    conditions = len(
        re.findall(r"[\w`.]+ ?(?:=|<=>|<>|[<>]=?|!=|\bIN\b|\bBETWEEN\b|\bLIKE\b)", where)
    )
    searches = bool(_RANGE.search(text)) or (" WHERE " not in text and words[:1] != ["INSERT"])
    return Statement(text[:_MOST_SHAPE], _verb(words), names, conditions, searches)


def _verb(words: list[str]) -> Verb:
    first = next(iter(words), "")
    if first == "REPLACE" or (first == "INSERT" and "DUPLICATE" in words):
        return "upsert"
    if first == "INSERT":
        return "insert-select" if "SELECT" in words else "insert"
    if first == "UPDATE":
        return "update"
    if first == "DELETE":
        return "delete"
    if first in ("SELECT", "WITH"):
        if "SHARE" in words:
            return "shared-read"
        return "locking-read" if "FOR" in words and "UPDATE" in words else "other"
    return "other"


__all__ = ["Statement", "Verb", "read"]
