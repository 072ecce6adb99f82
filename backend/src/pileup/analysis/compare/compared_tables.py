"""Compare the tables of two sides: which rows appeared, disappeared and changed.

Tables are of one kind when name and columns are the same, whichever host they come from; a host
that both sides have is compared with itself. Each side counts with its last table of a kind. When
rows share a key, the row counts are unknown: they are None and the document has a note.

The first run of each side decides which rows exist; a number is the median over all runs that print
it, with low and high, so a cell changed when the medians differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import Any, Literal

from pileup.analysis.compare.table_changes import weight
from pileup.analysis.contract import ComparedTable, ComparedTableRow, Locator, SpreadDoc
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.table_diff import (
    CellChange,
    NotComparable,
    RowChange,
    TableData,
    cell_change,
    compare,
    number,
)
from pileup.analysis.evidence.times import iso

MOST = 50
MOST_ROWS = 10
"""One table shows at most this many rows per state (cells for changed rows)."""
_LONGEST = 200
_MOST_KEYS = 8

Kind = tuple[str, tuple[str, ...]]
Hosts = dict[str | None, dict[str, Any]]


Cell = str | None
Row = Sequence[Cell]
Side = tuple[Evidence, dict[str, Any], "list[dict[str, Any]]"]
"""The first run, its table, and the same table of every other run."""


def compared_tables(left: Sequence[Evidence], right: Sequence[Evidence]) -> list[ComparedTable]:
    """List every kind of table that both sides have and that differs, the largest change first.

    Takes the runs of each side, at least one per side.
    """
    a, b = [_last(evidence) for evidence in left], [_last(evidence) for evidence in right]
    tables = [
        document
        for kind in a[0]
        if kind in b[0]
        for host, before, after in _pairs(a[0][kind], b[0][kind])
        if (
            document := _compared(
                kind,
                host,
                (left[0], before, _again(a[1:], kind, host)),
                (right[0], after, _again(b[1:], kind, host)),
            )
        )
    ]
    return sorted(tables, key=_size)[:MOST]


def _last(evidence: Evidence) -> dict[Kind, Hosts]:
    """Map each kind and host to its last table (a row of the frame ``table``)."""
    tables: defaultdict[Kind, Hosts] = defaultdict(dict)
    frame = evidence.frame("table")
    if frame is None:
        return tables
    ordered = frame.sort("time", "artifact", "line_first", nulls_last=False)
    places: dict[tuple[str, tuple[str, ...], str | None], int] = {}
    for at, (name, columns, host) in enumerate(
        ordered.select("name", "columns", "host").iter_rows()
    ):
        key = (name, tuple(columns), host)
        places.pop(key, None)  # keeps the order of last occurrence
        places[key] = at
    for (name, names, host), at in places.items():
        tables[name, names][host] = ordered.row(at, named=True)
    return tables


def _pairs(a: Hosts, b: Hosts) -> list[tuple[str | None, dict[str, Any], dict[str, Any]]]:
    if shared := [host for host in a if host in b]:
        return [(host, a[host], b[host]) for host in shared]
    return [(None, list(a.values())[-1], list(b.values())[-1])]


def _again(runs: Sequence[dict[Kind, Hosts]], kind: Kind, host: str | None) -> list[dict[str, Any]]:
    """Find the same table in further runs; without a shared host, the table of the last host."""
    tables = (
        hosts.get(host) or list(hosts.values())[-1] for run in runs if (hosts := run.get(kind))
    )
    return list(tables)


def _compared(kind: Kind, host: str | None, a: Side, b: Side) -> ComparedTable | None:
    name, columns = kind
    before, after = a[1], b[1]
    if _place(before) == _place(after):  # the identical table on both sides
        return None
    try:
        difference = compare(TableData(columns, before["rows"]), TableData(columns, after["rows"]))
    except NotComparable:
        return None
    keyless = difference.ambiguous > 0
    by_state: defaultdict[str, list[RowChange]] = defaultdict(list)
    for row in difference.rows:
        by_state[row.state].append(row)
    spreads = _Runs(columns, difference.keys, a[2]), _Runs(columns, difference.keys, b[2])
    cells = [] if keyless else _cells(difference.rows, difference.columns, spreads)
    if (
        not cells
        and not by_state["added"]
        and not by_state["gone"]
        and (not keyless or not by_state["changed"])
    ):
        return None
    most = sorted(cells, key=lambda cell: -weight(cell[1].ratio))[:MOST_ROWS]
    shown = [] if keyless else [cell for _, cell in most] + _whole(by_state)
    return ComparedTable(
        name=name[:_LONGEST],
        host=host,
        keys=[key[:_LONGEST] for key in difference.keys[:_MOST_KEYS]],
        a=_locator(a[0], before),
        b=_locator(b[0], after),
        appeared=None if keyless else len(by_state["added"]),
        gone=None if keyless else len(by_state["gone"]),
        changed=None if keyless else len({key for key, _ in cells}),
        note="Several rows share a key, so they cannot be matched." if keyless else None,
        rows=shown,
    )


def _cells(
    rows: Sequence[RowChange], columns: tuple[str, ...], runs: tuple[_Runs, _Runs]
) -> list[tuple[tuple[Cell, ...], ComparedTableRow]]:
    """List the changed cells of rows that both sides have, each with the key of its row."""
    several = runs[0].several or runs[1].several
    return [
        (row.key, table)
        for row in rows
        if row.state == "changed" or (several and row.state == "same")
        for column, cell in zip(columns, row.cells, strict=True)
        if (several or cell.before != cell.after)
        and (table := _spread(row, column, cell, runs)) is not None
    ]


class _Runs:
    """Tables of a side's further runs, by row key."""

    def __init__(
        self, columns: tuple[str, ...], keys: tuple[str, ...], tables: list[dict[str, Any]]
    ) -> None:
        self._at = {name: at for at, name in enumerate(columns)}
        places = [self._at[name] for name in keys]
        self._rows = [_rows(table["rows"], places) for table in tables]
        self.several = bool(tables)

    def spread(self, row: RowChange, column: str, first: str | None) -> SpreadDoc | None:
        """Return the spread of a cell over all runs; None unless every run prints a number."""
        names = [first]
        at = self._at[column]
        names += [
            again[at] if at < len(again) else None
            for item in self._rows
            if (again := item.get(row.key)) is not None
        ]
        numbers = [float(value) for cell in names if (value := number(cell)) is not None]
        if len(names) < 2 or len(numbers) < len(names):
            return None
        return SpreadDoc(
            median=median(numbers),
            low=min(numbers),
            high=max(numbers),
            points=len(numbers),
            runs=len(numbers),
        )


def _rows(rows: list[Row], places: list[int]) -> dict[tuple[Cell, ...], Row]:
    """Map rows by key; rows that share a key are left out, as they cannot be matched."""
    keyed: dict[tuple[Cell, ...], Row] = {}
    twice: set[tuple[Cell, ...]] = set()
    for row in rows:
        key = tuple(row[place] if place < len(row) else None for place in places)
        if key in keyed:
            twice.add(key)
        keyed[key] = row
    return {key: row for key, row in keyed.items() if key not in twice}


def _spread(
    row: RowChange, column: str, cell: CellChange, runs: tuple[_Runs, _Runs]
) -> ComparedTableRow | None:
    """Compare one cell of both sides; None when they are equal."""
    before, after = (
        runs[0].spread(row, column, cell.before),
        runs[1].spread(row, column, cell.after),
    )
    a = cell.before if before is None else f"{before.median:.10g}"
    b = cell.after if after is None else f"{after.median:.10g}"
    if a == b or (number(a) is not None and number(a) == number(b)):
        return None
    change = cell_change(a, b)
    return ComparedTableRow(
        state="changed",
        key=_key(row),
        column=column[:_LONGEST],
        a=_short(a),
        b=_short(b),
        change=change.change,
        ratio=change.ratio,
        a_runs=before,
        b_runs=after,
    )


def _whole(rows: dict[str, list[RowChange]]) -> list[ComparedTableRow]:
    """List the rows that only one side has, in printed order."""
    appeared = [_row("appeared", row) for row in rows["added"][:MOST_ROWS]]
    return appeared + [_row("gone", row) for row in rows["gone"][:MOST_ROWS]]


def _row(state: Literal["appeared", "gone"], row: RowChange) -> ComparedTableRow:
    return ComparedTableRow(
        state=state, key=_key(row), column=None, a=None, b=None, change=None, ratio=None
    )


def _size(table: ComparedTable) -> tuple[float, int, str]:
    largest = max((weight(row.ratio) for row in table.rows), default=0.0)
    rows = (table.appeared or 0) + (table.gone or 0) + (table.changed or 0)
    return (-largest, -rows, table.name)


def _key(row: RowChange) -> list[str | None]:
    return [_short(name) for name in row.key[:_MOST_KEYS]]


def _short(cell: str | None) -> str | None:
    return None if cell is None else cell[:_LONGEST]


def _place(row: dict[str, Any]) -> tuple[Any, Any]:
    return row["artifact"], row["line_first"]


def _locator(evidence: Evidence, row: dict[str, Any]) -> Locator:
    return Locator(
        kind="lines",
        artifact=row["artifact"],
        path=evidence.path(row["artifact"]),
        line_first=row["line_first"],
        line_last=row["line_last"],
        at=iso(row["time"]),
        text=f"{row['name'][:120]} ({len(row['rows'])} rows)",
    )
