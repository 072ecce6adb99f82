"""Match part of a text in SQL, whatever its case, with wildcards as plain characters."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement


def contains(column: Any, words: str) -> ColumnElement[bool]:
    """Return the condition that the column contains these words."""
    condition: ColumnElement[bool] = column.ilike(f"%{escaped(words)}%", escape="\\")
    return condition


def escaped(words: str) -> str:
    """Return the words with wildcards as plain characters."""
    return words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
