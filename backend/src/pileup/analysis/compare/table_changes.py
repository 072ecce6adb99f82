"""List the tables of the evidence, and the changes between the first and the last of each kind.

Two tables are of one kind when name, columns and host are the same: pt-stalk's -opentables1 and 2,
two query digests, buffer pool pages by index of two captures.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import polars as pl

from pileup.analysis.contract import Locator, TableCellDoc, TableChangeDoc, TableDoc
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.table_diff import NotComparable, RowChange, TableData, compare
from pileup.analysis.evidence.times import iso

MOST = 500
MOST_CHANGES = 50
_CELLS = 10


def tables(evidence: Evidence) -> list[TableDoc]:
    """List every table without its rows, in time order."""
    frame = evidence.frame("table")
    if frame is None:
        return []
    rows = (
        frame.with_columns(pl.col("rows").list.len())
        .sort("time", "artifact", "line_first", nulls_last=True)
        .head(MOST)
    )
    return [
        TableDoc(
            name=row["name"],
            columns=row["columns"],
            rows=row["rows"],
            time=iso(row["time"]),
            host=row["host"],
            locator=_locator(evidence, row, row["rows"]),
        )
        for row in rows.iter_rows(named=True)
    ]


def table_changes(evidence: Evidence) -> list[TableChangeDoc]:
    """Compare the first with the last table of each kind; kinds without a change are left out."""
    frame = evidence.frame("table")
    if frame is None:
        return []
    ordered = frame.sort("time", "artifact", "line_first", nulls_last=True)
    kinds: defaultdict[tuple[str, str | None, tuple[str, ...]], list[int]] = defaultdict(list)
    for at, (name, host, columns) in enumerate(
        ordered.select("name", "host", "columns").iter_rows()
    ):
        kinds[name, host, tuple(columns)].append(at)
    changes: list[TableChangeDoc] = []
    for (name, _, columns), places in kinds.items():
        if len(places) < 2 or len(changes) >= MOST_CHANGES:
            continue
        before, after = (ordered.row(at, named=True) for at in (places[0], places[-1]))
        try:
            difference = compare(
                TableData(columns, before["rows"]), TableData(columns, after["rows"])
            )
        except NotComparable:
            continue
        if difference.ambiguous:  # rows that share a key cannot be matched
            continue
        changed = [row for row in difference.rows if row.state == "changed"]
        if len(changed) + difference.count("added") + difference.count("gone") == 0:
            continue
        changes.append(
            TableChangeDoc(
                name=name,
                keys=list(difference.keys),
                before=_locator(evidence, before, len(before["rows"])),
                after=_locator(evidence, after, len(after["rows"])),
                added=difference.count("added"),
                gone=difference.count("gone"),
                changed=len(changed),
                largest=_largest(changed, difference.columns),
            )
        )
    return changes


def _largest(changed: list[RowChange], columns: tuple[str, ...]) -> list[TableCellDoc]:
    """List the cells with the largest ratio of change."""
    cells = [
        TableCellDoc(
            key=list(row.key),
            column=column,
            before=cell.before,
            after=cell.after,
            change=cell.change,
            ratio=cell.ratio,
        )
        for row in changed
        for column, cell in zip(columns, row.cells, strict=True)
        if cell.before != cell.after
    ]
    return sorted(cells, key=lambda cell: weight(cell.ratio), reverse=True)[:_CELLS]


def weight(ratio: float | None) -> float:
    """Return the factor by which a cell changed, up or down; 0 when unknown."""
    if ratio is None or ratio <= 0:
        return 0.0
    return max(ratio, 1 / ratio)


def _locator(evidence: Evidence, row: dict[str, Any], rows: int) -> Locator:
    return Locator(
        kind="lines",
        artifact=row["artifact"],
        path=evidence.path(row["artifact"]),
        line_first=row["line_first"],
        line_last=row["line_last"],
        at=iso(row["time"]),
        text=f"{row['name'][:120]} ({rows} rows)",
    )
