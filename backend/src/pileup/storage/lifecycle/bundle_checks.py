"""Check the rows of a bundle before anything of it is stored; the sentence names row and field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import Column, Table
from sqlalchemy import types as sql

from pileup.numerals import grouped
from pileup.storage import models
from pileup.storage.errors import Refused

Row = dict[str, Any]
CheckRow = Callable[[str, Row], tuple[str, str] | None]
"""Takes a table and a row; returns the field that is wrong, and why."""

_LONGEST = 200_000
"""Characters of a text, as in a request."""
_UNBOUNDED = frozenset({"document", "work", "picture"})
"""Texts that have a limit of their own, or a member's."""
_PLANNED = frozenset(
    {"start", "end", "due", "check_due", "given_at", "onset", "computed_onset"}
    | {"baseline_start", "baseline_end"}
)
"""Times that people or files give; all others were recorded, and are not in the future."""
_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = datetime(2200, 1, 1, tzinfo=UTC)
_AHEAD = timedelta(days=1)
"""Tolerance for a clock that is ahead of ours."""
_MOST_DEPTH = 64


def check_rows(work: Mapping[str, list[Row]], check_row: CheckRow) -> None:
    """Raise Refused for the first row with a value that the API would not take."""
    for name, rows in work.items():
        table = models.Base.metadata.tables[name]
        for number, row in enumerate(rows, start=1):
            if (wrong := _wrong(table, row) or check_row(name, row)) is not None:
                field, why = wrong
                raise Refused(
                    f"{place(name, number)}: {name}.{field} cannot be stored: {why.rstrip('.')}."
                )
    _check_archives(work.get("artifacts", []))
    for number, row in enumerate(work.get("hypotheses", ()), start=1):
        if row.get("superseded_by_id") is not None and row["superseded_by_id"] == row.get("id"):
            raise Refused(f"{place('hypotheses', number)}: a hypothesis cannot supersede itself.")


def place(table: str, number: int) -> str:
    """Return where a row is in a bundle."""
    return f"work/{table}.jsonl line {number} of the bundle"


def _wrong(table: Table, row: Row) -> tuple[str, str] | None:
    """Return the first field whose value no request and no server writes, and why."""
    for name, value in row.items():
        column = table.c.get(name)
        if column is None:
            continue  # it has a sentence of its own
        if value is None:
            if not column.nullable:
                return name, "it is null"
            continue
        if (why := _problem(column, value)) is not None:
            return name, why
    return None


def _problem(column: Column[Any], value: Any) -> str | None:
    match column.type:
        case sql.DateTime() | sql.Date():
            return _time_problem(column.name, value)
        case sql.Integer():
            if isinstance(value, bool) or not isinstance(value, int):
                return f"{_short(value)} is not a whole number"
            most = 2**63 - 1 if isinstance(column.type, sql.BigInteger) else 2**31 - 1
            return None if 0 <= value <= most else f"{value} is not between 0 and {most}"
        case sql.Float():
            if isinstance(value, bool) or not isinstance(value, int | float):
                return f"{_short(value)} is not a number"
            return None if abs(value) < 1e300 else f"{value} is not finite"
        case sql.JSON():
            return None if isinstance(value, dict | list) else f"{_short(value)} is no object"
        case sql.String():
            if not isinstance(value, str):
                return f"{_short(value)} is not a text"
            if len(value) > _LONGEST and column.name not in _UNBOUNDED:
                return f"it has {grouped(len(value))} characters, and at most {grouped(_LONGEST)}"
    return None


def _time_problem(name: str, value: Any) -> str | None:
    try:
        day = datetime.fromisoformat(value) if "T" in value else date.fromisoformat(value)
    except (TypeError, ValueError):
        return f"{_short(value)} is not a time"
    if not isinstance(day, datetime):
        at = datetime(day.year, day.month, day.day, tzinfo=UTC)
    elif day.tzinfo is None:
        return f"{_short(value)} has no zone"
    else:
        at = day
    if not _EARLIEST <= at < _LATEST:
        return f"{_short(value)} is not between the years 1970 and 2199"
    if name not in _PLANNED and at > datetime.now(UTC) + _AHEAD:
        return f"{_short(value)} is in the future"
    return None


def _check_archives(artifacts: list[Row]) -> None:
    """Check that each artifact is as deep as the archives around it, and in none of its own."""
    parents = {row.get("id"): row.get("parent_id") for row in artifacts}
    for number, row in enumerate(artifacts, start=1):
        depth, above = 0, row.get("parent_id")
        while above is not None and depth <= _MOST_DEPTH:
            depth, above = depth + 1, parents.get(above)
        if depth > _MOST_DEPTH or row.get("depth") != depth:
            raise Refused(
                f"{place('artifacts', number)}: artifacts.depth is {_short(row.get('depth'))}, and "
                f"the archives around the file are {'a circle' if depth > _MOST_DEPTH else depth}."
            )


def _short(value: Any) -> str:
    return repr(value)[:80]
