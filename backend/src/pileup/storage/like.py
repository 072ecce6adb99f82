"""Match part of a text in SQL, whatever its case, with wildcards as plain characters."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement


def contains(column: Any, words: str) -> ColumnElement[bool]:
    """Return the condition that the column contains these words."""
    escaped = words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    condition: ColumnElement[bool] = column.ilike(f"%{escaped}%", escape="\\")
    return condition
