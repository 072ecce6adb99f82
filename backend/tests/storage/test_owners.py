"""What belongs to another incident, person or file is neither read nor changed.

Each operation of the storage that takes the id of an owner alone is called with an id that owns
nothing: in an empty database, and where somebody else owns a row of every table. Both answers are
the same, and no row changes. Called with the id of that owner it answers, or changes, something
else: so the rows are such that it would show them.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any

import pytest
from sqlalchemy import (
    ARRAY,
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Double,
    Integer,
    LargeBinary,
    Table,
    insert,
    text,
)

import pileup.storage
from pileup.storage.database import Database, Unit
from pileup.storage.models import Base
from tests.support.postgres import PostgresForTests

NOBODY = "00000000-0000-7000-8000-00000000dead"
OF_TYPES: dict[type[Any], Any] = {
    Integer: 1,
    Double: 1.5,
    Boolean: False,
    DateTime: datetime(2126, 11, 20, 12, tzinfo=UTC),  # later than now, for what expires
    Date: date(2026, 11, 20),
    LargeBinary: b"x",
    ARRAY: [],
    JSON: {},
}
ENDS = ("deleted_at", "revoked_at", "used_at", "confirmed_at", "archived_at", "seen_at")
GIVEN = {
    "jobs.state": "queued",
    "jobs.kind": "artifact",
    "pins.kept_hash": "y",
    "pins.stale": True,
    "second_factors.confirmed_at": OF_TYPES[DateTime],
    "uploads.artifact_id": None,
    "webhook_deliveries.state": "waiting",
    "webhooks.enabled": True,
    "artifacts.line_index": [1],
    "artifacts.sections": [1],
}
"""What decides whether an operation sees a row."""
ROWS = {
    "hypothesis_id": "hypotheses 1",
    "link_id": "view_links 1",
    "delivery_id": "webhook_deliveries 1",
}
UNSEEN = {
    "Analyses.parts": "it is asked for nothing without the names of parts",
    "Bin.of_incident": "nothing is deleted",
    "Members.role": "the unit has no caller",
    "Reports.sections": "the row is of no section of a template",
}
"""Operations that answer the same whether their owner has a row, and why."""
Call = Callable[[Unit, str], Any]


def operations() -> Iterator[tuple[str, Call, str]]:
    """Yield each repository method of one owner: its name, its call, the name of the id."""
    for module in pkgutil.walk_packages(pileup.storage.__path__, "pileup.storage."):
        if "migrations" in module.name:
            continue
        members = inspect.getmembers(importlib.import_module(module.name), inspect.isclass)
        for name, repository in members:
            if repository.__module__ == module.name and _takes_a_unit(repository):
                for method, function in inspect.getmembers(repository, inspect.isfunction):
                    if not method.startswith("_") and (owner := _only_owner(function)):
                        yield f"{name}.{method}", _call_of(repository, method), owner


def _takes_a_unit(repository: type) -> bool:
    try:
        return list(inspect.signature(repository.__init__).parameters)[1:] == ["unit"]
    except (TypeError, ValueError):
        return False


def _only_owner(function: Callable[..., Any]) -> str | None:
    """Return the name of the id that a method needs, where it needs nothing else."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    needed = [
        each.name
        for each in parameters
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    return needed[0] if len(needed) == 1 and needed[0].endswith("_id") else None


def _call_of(repository: Callable[[Unit], Any], method: str) -> Call:
    return lambda unit, owner: getattr(repository(unit), method)(owner)


def _value(column: Column[Any], table: Table) -> Any:
    """Return what stands in the only row of a table."""
    if (place := f"{table.name}.{column.name}") in GIVEN:
        return GIVEN[place]
    for key in column.foreign_keys:
        return _value(key.column, key.column.table)
    if column.name == "id" and not isinstance(column.type, Integer):
        return f"{table.name} 1"
    if column.name.endswith("_id"):
        return f"{column.name.removesuffix('_id')}s 1"
    for kind, value in OF_TYPES.items():
        if isinstance(column.type, kind):
            return value
    return "x"


@pytest.fixture(scope="module")
def databases(postgres_server: PostgresForTests) -> Iterator[tuple[Database, Database]]:
    """Return an empty database, and the same with a row in each table and no rules for rows."""
    names = [postgres_server.migrated_database() for _ in range(2)]
    empty, full = (Database(postgres_server.url(name)) for name in names)
    with full.unit() as unit:
        unit.session.execute(text("set local session_replication_role = replica"))
        for table in Base.metadata.sorted_tables:
            for rule in table.constraints:
                if isinstance(rule, CheckConstraint):
                    name = unit.session.get_bind().dialect.identifier_preparer.quote(rule.name)
                    drop = f"alter table {table.name} drop constraint if exists {name}"
                    unit.session.execute(text(drop))
            row = {
                column.name: _value(column, table)
                for column in table.columns
                if column.computed is None and not _stays_empty(column)
            }
            unit.session.execute(insert(table).values(row))
    yield empty, full
    for database, name in zip((empty, full), names, strict=True):
        database.close()
        postgres_server.drop(name)


def _stays_empty(column: Column[Any]) -> bool:
    """Return whether a row with a value would be gone, over or withdrawn."""
    return (
        bool(column.nullable)
        and column.name in ENDS
        and f"{column.table}.{column.name}" not in GIVEN
    )


def outcome(database: Database, call: Call, owner: str) -> tuple[str, set[str]]:
    """Return the answer of an operation, or its refusal, and the rows that it takes or changes."""
    with suppress(_Undone), database.unit() as unit:
        before = _rows(unit)
        try:
            with unit.session.begin_nested():
                answer = repr(call(unit, owner))
                unit.session.flush()
        except Exception as error:  # noqa: BLE001  a refusal is an answer
            answer = f"{type(error).__name__}: {str(error)[:99]}"
        unit.session.expire_all()
        gone = before - _rows(unit)
        raise _Undone
    return answer, gone


class _Undone(Exception):  # noqa: N818  no error
    """Rolls back."""


def _rows(unit: Unit) -> set[str]:
    names = [table.name for table in Base.metadata.sorted_tables]
    each = (f"select '{name} ' || cast(t as text) from {name} t" for name in names)
    return set(unit.session.scalars(text(" union all ".join(each))))


def test_what_belongs_to_another_is_neither_read_nor_changed(
    databases: tuple[Database, Database],
) -> None:
    empty, full = databases
    unseen = set()
    for name, call, owner in operations():
        answer, gone = outcome(full, call, NOBODY)
        assert (answer, gone) == outcome(empty, call, NOBODY), name
        if outcome(full, call, ROWS.get(owner, f"{owner.removesuffix('_id')}s 1")) == (
            answer,
            gone,
        ):
            unseen.add(name)
    assert unseen == UNSEEN.keys()
