"""Result sets that artifacts hold: their rows by page, and two of them compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from pileup.analysis.evidence import table_diff as analysis
from pileup.analysis.evidence.table_diff import Cell, NotComparable, RowChange, TableData
from pileup.api.csv_rows import csv_answer
from pileup.api.deps import Services, ServicesDep, UnitDep
from pileup.api.schema import Out
from pileup.storage.artifacts.artifacts import Artifact, Artifacts
from pileup.storage.database import Unit
from pileup.storage.errors import NotFound, Refused
from pileup.storage.files.frames import FrameKey
from pileup.storage.incidents.incidents import Incidents

router = APIRouter(tags=["artifacts"])

KIND = "table"
_MOST_TABLES = 1000


class TableRef(Out):
    artifact: str
    """Id."""
    path: str
    name: str
    columns: list[str]
    rows: int
    line_first: int
    line_last: int


class TableList(Out):
    items: list[TableRef]


class TablePage(TableRef):
    numeric: list[bool]
    """Per column: at least half of the cells with something in them are numbers."""
    offset: int
    page: list[list[str | None]]


class CellChange(Out):
    before: str | None
    after: str | None
    change: str | None
    """after - before, exact; null unless both are numbers."""
    ratio: float | None
    """after / before."""


class ChangedRow(Out):
    state: Literal["added", "gone", "changed", "same"]
    key: list[str | None]
    cells: list[CellChange]


class TableComparison(Out):
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
    """Rows whose key stands more than once: they are matched in the order printed."""
    offset: int
    total: int
    """Rows of the states asked for."""
    rows: list[ChangedRow]


@dataclass(frozen=True, slots=True)
class _Table:
    ref: TableRef
    data: TableData


@router.get("/incidents/{incident_id}/tables")
def tables(incident_id: str, services: ServicesDep, unit: UnitDep) -> TableList:
    """Every table of an incident, by artifact and name."""
    Incidents(unit).get(incident_id)
    items: list[TableRef] = []
    for artifact in Artifacts(unit).of_incident(incident_id):
        if artifact.records.get(KIND) and len(items) < _MOST_TABLES:
            items += [one.ref for one in _tables(services, artifact)]
    return TableList(items=items[:_MOST_TABLES])


@router.get("/artifacts/{artifact_id}/tables")
def tables_of_artifact(artifact_id: str, services: ServicesDep, unit: UnitDep) -> TableList:
    """The tables of one artifact, in the order printed."""
    found = _tables(services, Artifacts(unit).get(artifact_id))
    return TableList(items=[one.ref for one in found[:_MOST_TABLES]])


@router.get("/artifacts/{artifact_id}/table")
def table(
    artifact_id: str,
    services: ServicesDep,
    unit: UnitDep,
    name: str = Query(max_length=500),
    offset: int = Query(default=0, ge=0),
    limit: int = Query(default=500, ge=1, le=5000),
    sort: str | None = Query(default=None, max_length=10_000),
    down: bool = False,
) -> TablePage:
    """A page of rows, sorted by a column when asked: numbers as numbers, what is not known last."""
    found = _one(services, unit, artifact_id, name)
    rows = _rows(found, sort, down)
    width = len(found.data.columns)
    return TablePage(
        **dict(found.ref),
        numeric=[analysis.is_numeric(found.data, column) for column in found.data.columns],
        offset=offset,
        page=[
            [*row, *[None] * (width - len(row))][:width] for row in rows[offset : offset + limit]
        ],
    )


@router.get("/artifacts/{artifact_id}/table.csv", response_class=StreamingResponse)
def table_csv(
    artifact_id: str,
    services: ServicesDep,
    unit: UnitDep,
    name: str = Query(max_length=500),
    sort: str | None = Query(default=None, max_length=10_000),
    down: bool = False,
) -> StreamingResponse:
    """Every row of a table."""
    found = _one(services, unit, artifact_id, name)
    return csv_answer("table", found.data.columns, _rows(found, sort, down))


@router.get("/tables/comparison")
def compare_tables(
    services: ServicesDep,
    unit: UnitDep,
    before_artifact: str,
    before: str,
    after_artifact: str,
    after: str,
    key: list[str] | None = Query(default=None),
    state: list[Literal["added", "gone", "changed", "same"]] | None = Query(default=None),
    offset: int = Query(default=0, ge=0),
    limit: int = Query(default=1000, ge=1, le=5000),
) -> TableComparison:
    """Rows added, gone and changed between two tables, with differences and ratios."""
    old = _one(services, unit, before_artifact, before)
    new = _one(services, unit, after_artifact, after)
    try:
        found = analysis.compare(old.data, new.data, key)
    except NotComparable as error:
        raise Refused(str(error), "key" if key else "after") from None
    wanted = set(state or ("added", "gone", "changed"))
    rows = [row for row in found.rows if row.state in wanted]
    counts = Counter(row.state for row in found.rows)
    return TableComparison(
        before=old.ref,
        after=new.ref,
        keys=list(found.keys),
        columns=list(found.columns),
        only_before=list(found.only_before),
        only_after=list(found.only_after),
        added=counts["added"],
        gone=counts["gone"],
        changed=counts["changed"],
        same=counts["same"],
        ambiguous=found.ambiguous,
        offset=offset,
        total=len(rows),
        rows=[_changed(row) for row in rows[offset : offset + limit]],
    )


def _changed(row: RowChange) -> ChangedRow:
    return ChangedRow(
        state=row.state,
        key=list(row.key),
        cells=[
            CellChange(before=one.before, after=one.after, change=one.change, ratio=one.ratio)
            for one in row.cells
        ],
    )


def _one(services: Services, unit: Unit, artifact_id: str, name: str) -> _Table:
    artifact = Artifacts(unit).get(artifact_id)
    found = next((one for one in _tables(services, artifact) if one.ref.name == name), None)
    if found is None:
        raise NotFound(f"{artifact.path} holds no table named {name!r}")
    return found


def _tables(services: Services, artifact: Artifact) -> list[_Table]:
    """Its tables; one whose name was there already gets a number behind it."""
    if artifact.format is None or artifact.parser_version is None:
        return []
    key = FrameKey(artifact.sha256, artifact.format, artifact.parser_version)
    frame = services.frames.load_kind(key, KIND)
    if frame is None:
        return []
    seen: Counter[str] = Counter()
    found: list[_Table] = []
    for row in frame.iter_rows(named=True):
        seen[row["name"]] += 1
        name = row["name"] + (f" ({seen[row['name']]})" if seen[row["name"]] > 1 else "")
        found.append(_table(artifact, name, row))
    return found


def _table(artifact: Artifact, name: str, row: dict[str, Any]) -> _Table:
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
    return _Table(ref, TableData(columns, row["rows"]))


def _rows(found: _Table, sort: str | None, down: bool) -> Sequence[Sequence[Cell]]:
    """All rows, sorted by a column when asked."""
    columns = found.data.columns
    if sort is None:
        return found.data.rows
    if sort not in columns:
        raise Refused(f"{found.ref.name} has no column {sort!r}", "sort")
    return _sorted(found.data.rows, columns.index(sort), down)


def _sorted(rows: Sequence[Sequence[Cell]], at: int, down: bool) -> list[Sequence[Cell]]:
    def known(row: Sequence[Cell]) -> bool:
        return at < len(row) and row[at] is not None

    def by(row: Sequence[Cell]) -> tuple[bool, Any]:
        value = analysis.number(row[at])
        return (value is None, row[at] if value is None else value)

    some = sorted((row for row in rows if known(row)), key=by, reverse=down)
    return [*some, *(row for row in rows if not known(row))]
