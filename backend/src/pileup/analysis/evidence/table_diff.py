"""Compare two tables of the same columns row by row: added, gone and changed rows.

Pure and linear: rows are matched by key columns through a dictionary. Numbers are compared as
decimals, so a 64-bit counter and 0.000397 keep every digit that was printed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, DecimalException, localcontext
from typing import Literal

Cell = str | None
State = Literal["added", "gone", "changed", "same"]

_ID = re.compile(r"(?:^|_)id$", re.IGNORECASE)
_LONGEST_NUMBER = 60
_MOST_EXPONENT = 400


@dataclass(frozen=True, slots=True)
class TableData:
    """A table with cells as printed; None for a missing cell."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class CellChange:
    """One cell of a row in either or both tables."""

    before: Cell
    after: Cell
    change: str | None
    """after - before, exact; None unless both are numbers."""
    ratio: float | None
    """after / before; None unless both are numbers and before is not 0."""


@dataclass(frozen=True, slots=True)
class RowChange:
    """One row: its key, and all other shared columns."""

    state: State
    key: tuple[Cell, ...]
    cells: tuple[CellChange, ...]


@dataclass(frozen=True, slots=True)
class TableDifference:
    """Differences between two tables."""

    keys: tuple[str, ...]
    """Columns that identify a row."""
    columns: tuple[str, ...]
    """The other shared columns, in the order of ``RowChange.cells``."""
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    """Columns of one table only; they are not compared."""
    rows: tuple[RowChange, ...]
    """In the order of the table after, those that are gone last."""
    ambiguous: int
    """Number of rows with a repeated key; they are matched in the order printed."""

    def count(self, state: State) -> int:
        """Count the rows of a state."""
        return sum(row.state == state for row in self.rows)


class NotComparable(ValueError):  # noqa: N818  (named after what it says)
    """The two tables have no column in common, or a key that one of them lacks."""


def compare(
    before: TableData, after: TableData, keys: Sequence[str] | None = None
) -> TableDifference:
    """Match the rows of two tables by ``keys`` (guessed if None); raises NotComparable."""
    shared = [name for name in before.columns if name in set(after.columns)]
    if not shared:
        raise NotComparable(
            f"The tables have no column in common: {_names(before.columns)} and "
            f"{_names(after.columns)}."
        )
    if keys:
        if missing := [name for name in keys if name not in shared]:
            raise NotComparable(f"Not every table has the column {missing[0]!r} to tell rows by.")
        chosen = tuple(dict.fromkeys(keys))
    else:
        chosen = guess_keys(before, after, shared)
    columns = tuple(name for name in shared if name not in chosen)
    old, twice_old = _by_key(before, chosen, columns)
    new, twice_new = _by_key(after, chosen, columns)
    rows = [_row(key, old.get((key, at)), cells) for (key, at), cells in new.items()]
    rows += [_row(key, cells, None) for (key, at), cells in old.items() if (key, at) not in new]
    return TableDifference(
        keys=chosen,
        columns=columns,
        only_before=tuple(name for name in before.columns if name not in shared),
        only_after=tuple(name for name in after.columns if name not in shared),
        rows=tuple(rows),
        ambiguous=max(twice_old, twice_new),
    )


def guess_keys(before: TableData, after: TableData, shared: Sequence[str]) -> tuple[str, ...]:
    """Guess the fewest leading text columns that identify every row in both tables.

    Numbers are what is compared, so they are keys only where there is nothing else, or where they
    are ids that tell apart what the texts do not: (THREAD_ID, VARIABLE_NAME).
    """
    texts = [name for name in shared if not (is_numeric(before, name) and is_numeric(after, name))]
    singles = [(name,) for name in texts]
    growing = [tuple(texts[: n + 1]) for n in range(1, len(texts))]
    for keys in (*singles, *growing):
        if _is_unique(before, keys) and _is_unique(after, keys):
            return keys
    named = [name for name in shared if name in texts or _ID.search(name)]
    for n in range(1, len(named) + 1):
        keys = tuple(named[:n])
        if _is_unique(before, keys) and _is_unique(after, keys):
            return keys
    return tuple(texts) or (shared[0],)


def number(cell: Cell) -> Decimal | None:
    """Parse a printed number, with optional thousands commas or percent sign; None: no number."""
    if cell is None or len(cell) > _LONGEST_NUMBER:
        return None
    text = cell.strip().removesuffix("%").strip()
    if "," in text:
        head, *groups = text.partition(".")[0].split(",")
        if not 1 <= len(head.lstrip("-+")) <= 3 or any(len(group) != 3 for group in groups):
            return None
        text = text.replace(",", "")
    if not text or "_" in text or not text.isascii():
        return None
    try:
        value = Decimal(text)
    except DecimalException:
        return None
    return value if value.is_finite() and abs(value.adjusted()) < _MOST_EXPONENT else None


def is_numeric(table: TableData, name: str) -> bool:
    """Return whether at least half of the filled cells are numbers (inf is none)."""
    filled = numbers = 0
    for cell in _column(table, name):
        if cell:
            filled += 1
            numbers += number(cell) is not None
    return numbers * 2 >= filled


def _row(
    key: tuple[Cell, ...], before: Sequence[Cell] | None, after: Sequence[Cell] | None
) -> RowChange:
    width = len(before if before is not None else after or ())
    none: Sequence[Cell] = (None,) * width
    cells = tuple(
        cell_change(old, new) for old, new in zip(before or none, after or none, strict=True)
    )
    if before is None:
        return RowChange("added", key, cells)
    if after is None:
        return RowChange("gone", key, cells)
    differs = any(cell.before != cell.after and cell.change not in ("0",) for cell in cells)
    return RowChange("changed" if differs else "same", key, cells)


def cell_change(before: Cell, after: Cell) -> CellChange:
    """Compare two cells; difference and ratio are set if both are numbers."""
    old, new = number(before), number(after)
    if old is None or new is None:
        return CellChange(before, after, None, None)
    with localcontext() as context:
        context.prec = _LONGEST_NUMBER * 2
        change = new - old
        ratio = float(new / old) if old else None
    text = "0" if not change else format(change, "f")
    return CellChange(before, after, text, ratio)


def _by_key(
    table: TableData, keys: Sequence[str], columns: Sequence[str]
) -> tuple[dict[tuple[tuple[Cell, ...], int], list[Cell]], int]:
    """Index rows by key and repetition of the key; return also the number of repeats."""
    at = {name: index for index, name in enumerate(table.columns)}
    key_at = [at[name] for name in keys]
    column_at = [at[name] for name in columns]
    seen: defaultdict[tuple[Cell, ...], int] = defaultdict(int)
    found: dict[tuple[tuple[Cell, ...], int], list[Cell]] = {}
    for row in table.rows:
        key = tuple(_at(row, index) for index in key_at)
        found[key, seen[key]] = [_at(row, index) for index in column_at]
        seen[key] += 1
    return found, sum(count - 1 for count in seen.values())


def _at(row: Sequence[Cell], index: int) -> Cell:
    return row[index] if index < len(row) else None


def _column(table: TableData, name: str) -> Iterable[Cell]:
    index = table.columns.index(name)
    return (_at(row, index) for row in table.rows)


def _is_unique(table: TableData, names: Sequence[str]) -> bool:
    columns = [list(_column(table, name)) for name in names]
    keys = list(zip(*columns, strict=True))
    return len(set(keys)) == len(keys)


def _names(columns: Sequence[str]) -> str:
    return ", ".join(columns[:6]) + (", …" if len(columns) > 6 else "")
