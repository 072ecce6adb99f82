"""Return the result sets in artifacts: their rows by page, and a comparison of two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pileup.analysis.evidence import table_diff
from pileup.analysis.evidence.table_diff import Cell, NotComparable, RowChange, TableData
from pileup.storage.artifacts.artifacts import Artifact
from pileup.storage.errors import NotFound, Refused
from pileup.storage.files.frames import FrameKey, FrameStore

KIND = "table"

State = Literal["added", "gone", "changed", "same"]
DIFFERENT: tuple[State, ...] = ("added", "gone", "changed")


@dataclass(frozen=True, slots=True)
class TableRef:
    artifact: str
    """Id."""
    path: str
    name: str
    columns: list[str]
    rows: int
    line_first: int
    line_last: int


@dataclass(frozen=True, slots=True)
class TableList:
    items: list[TableRef]


@dataclass(frozen=True, slots=True)
class TablePage(TableRef):
    numeric: list[bool]
    """Per column: at least half of the cells with something in them are numbers."""
    offset: int
    page: list[list[str | None]]


@dataclass(frozen=True, slots=True)
class CellChange:
    before: str | None
    after: str | None
    change: str | None
    """after - before, exact; null unless both are numbers."""
    ratio: float | None
    """after / before."""


@dataclass(frozen=True, slots=True)
class ChangedRow:
    state: Literal["added", "gone", "changed", "same"]
    key: list[str | None]
    cells: list[CellChange]


@dataclass(frozen=True, slots=True)
class TableComparison:
    before: TableRef
    after: TableRef
    keys: list[str]
    columns: list[str]
    only_before: list[str]
    only_after: list[str]
    added: int
    gone: int
    changed: int
    same: int
    ambiguous: int
    """Rows whose key occurs more than once: they are matched in the order printed."""
    offset: int
    total: int
    """Rows of the wanted states."""
    rows: list[ChangedRow]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of an artifact with its rows."""

    ref: TableRef
    data: TableData


def table_named(frames: FrameStore, artifact: Artifact, name: str) -> Table:
    """Return the table of this name; raises NotFound when the artifact has none."""
    for table in stored_tables(frames, artifact):
        if table.ref.name == name:
            return table
    raise NotFound(f"{artifact.path} holds no table named {name!r}")


def table_page(table: Table, offset: int, limit: int, sort: str | None, down: bool) -> TablePage:
    """Return a page of rows, sorted by a column; raises Refused for an unknown column."""
    rows = table_rows(table, sort, down)
    width = len(table.data.columns)
    ref = table.ref
    return TablePage(
        artifact=ref.artifact,
        path=ref.path,
        name=ref.name,
        columns=ref.columns,
        rows=ref.rows,
        line_first=ref.line_first,
        line_last=ref.line_last,
        numeric=[table_diff.is_numeric(table.data, column) for column in table.data.columns],
        offset=offset,
        page=[
            [*row, *[None] * (width - len(row))][:width] for row in rows[offset : offset + limit]
        ],
    )


def compared_tables(
    before: Table,
    after: Table,
    key: Sequence[str] | None,
    states: Collection[State],
    offset: int,
    limit: int,
) -> TableComparison:
    """Compare two tables: rows added, gone and changed; raises Refused when impossible."""
    try:
        diff = table_diff.compare(before.data, after.data, key)
    except NotComparable as error:
        raise Refused(str(error), "key" if key else "after") from None
    rows = [row for row in diff.rows if row.state in states]
    counts = Counter(row.state for row in diff.rows)
    return TableComparison(
        before=before.ref,
        after=after.ref,
        keys=list(diff.keys),
        columns=list(diff.columns),
        only_before=list(diff.only_before),
        only_after=list(diff.only_after),
        added=counts["added"],
        gone=counts["gone"],
        changed=counts["changed"],
        same=counts["same"],
        ambiguous=diff.ambiguous,
        offset=offset,
        total=len(rows),
        rows=[_changed(row) for row in rows[offset : offset + limit]],
    )


def _changed(row: RowChange) -> ChangedRow:
    return ChangedRow(
        state=row.state,
        key=list(row.key),
        cells=[
            CellChange(before=cell.before, after=cell.after, change=cell.change, ratio=cell.ratio)
            for cell in row.cells
        ],
    )


def stored_tables(frames: FrameStore, artifact: Artifact) -> list[Table]:
    """List the tables of an artifact; a repeated name gets a number after it."""
    if artifact.format is None or artifact.parser_version is None:
        return []
    key = FrameKey(artifact.sha256, artifact.format, artifact.parser_version)
    frame = frames.load_kind(key, KIND)
    if frame is None:
        return []
    seen: Counter[str] = Counter()
    tables: list[Table] = []
    for row in frame.iter_rows(named=True):
        seen[row["name"]] += 1
        name = row["name"] + (f" ({seen[row['name']]})" if seen[row["name"]] > 1 else "")
        tables.append(_table(artifact, name, row))
    return tables


def _table(artifact: Artifact, name: str, row: dict[str, Any]) -> Table:
    columns = tuple(row["columns"])
    ref = TableRef(
        artifact=artifact.id,
        path=artifact.path,
        name=name,
        columns=list(columns),
        rows=len(row["rows"]),
        line_first=row["line_first"],
        line_last=row["line_last"],
    )
    return Table(ref, TableData(columns, row["rows"]))


def table_rows(table: Table, sort: str | None, down: bool) -> Sequence[Sequence[Cell]]:
    """Return all rows in file order, or sorted by a column; raises Refused for an unknown one."""
    columns = table.data.columns
    if sort is None:
        return table.data.rows
    if sort not in columns:
        raise Refused(f"{table.ref.name} has no column {sort!r}", "sort")
    return _sorted(table.data.rows, columns.index(sort), down)


def _sorted(rows: Sequence[Sequence[Cell]], at: int, down: bool) -> list[Sequence[Cell]]:
    def known(row: Sequence[Cell]) -> bool:
        return at < len(row) and row[at] is not None

    def by(row: Sequence[Cell]) -> tuple[bool, Any]:
        value = table_diff.number(row[at])
        return (value is None, row[at] if value is None else value)

    filled = sorted((row for row in rows if known(row)), key=by, reverse=down)
    return [*filled, *(row for row in rows if not known(row))]
