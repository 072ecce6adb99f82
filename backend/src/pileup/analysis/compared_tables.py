"""The tables of two sides beside each other: which rows appeared, went and changed.

Tables are of one kind when name and columns are the same, whichever host they come from; a host
that both sides have is held against itself. Of several the last of each side counts: how it stood
at the end. Where rows have no key of their own, counts would be made up: left out, and said.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Literal

from pileup.analysis.contract import ComparedTable, ComparedTableRow, Locator
from pileup.analysis.evidence import Evidence
from pileup.analysis.moments import iso
from pileup.analysis.table_changes import weight
from pileup.analysis.tables import NotComparable, RowChange, TableData, compare

MOST = 50
MOST_ROWS = 10
"""Rows of each state, and for changed ones cells, that one table shows."""
_LONGEST = 200
_MOST_KEYS = 8

Kind = tuple[str, tuple[str, ...]]
Hosts = dict[str | None, dict[str, Any]]


def compared_tables(left: Evidence, right: Evidence) -> list[ComparedTable]:
    """Every kind of table that both have and that differs, the largest change first."""
    a, b = _last(left), _last(right)
    found = [
        document
        for kind in a
        if kind in b
        for host, before, after in _pairs(a[kind], b[kind])
        if (document := _compared(kind, host, (left, before), (right, after)))
    ]
    return sorted(found, key=_size)[:MOST]


def _last(evidence: Evidence) -> dict[Kind, Hosts]:
    """The last table of each kind and host."""
    found: defaultdict[Kind, Hosts] = defaultdict(dict)
    frame = evidence.frame("table")
    if frame is None:
        return found
    ordered = frame.sort("time", "artifact", "line_first", nulls_last=False)
    places: dict[tuple[str, tuple[str, ...], str | None], int] = {}
    for at, (name, columns, host) in enumerate(
        ordered.select("name", "columns", "host").iter_rows()
    ):
        key = (name, tuple(columns), host)
        places.pop(key, None)  # so that the last one seen stands last
        places[key] = at
    for (name, names, host), at in places.items():
        found[name, names][host] = ordered.row(at, named=True)
    return found


def _pairs(a: Hosts, b: Hosts) -> list[tuple[str | None, dict[str, Any], dict[str, Any]]]:
    if shared := [host for host in a if host in b]:
        return [(host, a[host], b[host]) for host in shared]
    return [(None, list(a.values())[-1], list(b.values())[-1])]


def _compared(
    kind: Kind,
    host: str | None,
    a: tuple[Evidence, dict[str, Any]],
    b: tuple[Evidence, dict[str, Any]],
) -> ComparedTable | None:
    name, columns = kind
    before, after = a[1], b[1]
    if _place(before) == _place(after):  # one and the same table on both sides
        return None
    try:
        found = compare(TableData(columns, before["rows"]), TableData(columns, after["rows"]))
    except NotComparable:
        return None
    if all(row.state == "same" for row in found.rows):
        return None
    keyless = found.ambiguous > 0
    by_state: defaultdict[str, list[RowChange]] = defaultdict(list)
    for row in found.rows:
        by_state[row.state].append(row)
    cells = _cells(by_state["changed"], found.columns)
    shown = [] if keyless else [*cells[:MOST_ROWS], *_whole(by_state)]
    return ComparedTable(
        name=name[:_LONGEST],
        host=host,
        keys=[one[:_LONGEST] for one in found.keys[:_MOST_KEYS]],
        a=_locator(*a),
        b=_locator(*b),
        appeared=None if keyless else len(by_state["added"]),
        gone=None if keyless else len(by_state["gone"]),
        changed=None if keyless else len(by_state["changed"]),
        note="Several rows have one key: which was which is not known." if keyless else None,
        rows=shown,
    )


def _cells(changed: list[RowChange], columns: tuple[str, ...]) -> list[ComparedTableRow]:
    """The cells of changed rows, by how many times they changed."""
    cells = [
        (weight(cell.ratio), row, column, cell)
        for row in changed
        for column, cell in zip(columns, row.cells, strict=True)
        if cell.before != cell.after
    ]
    cells.sort(key=lambda one: -one[0])
    return [
        ComparedTableRow(
            state="changed",
            key=_key(row),
            column=column[:_LONGEST],
            a=_short(cell.before),
            b=_short(cell.after),
            change=cell.change,
            ratio=cell.ratio,
        )
        for _, row, column, cell in cells[:MOST_ROWS]
    ]


def _whole(rows: dict[str, list[RowChange]]) -> list[ComparedTableRow]:
    """Rows that one side alone has, in the order printed."""
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
    return [_short(one) for one in row.key[:_MOST_KEYS]]


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
