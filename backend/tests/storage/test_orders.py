"""Every order of a query is a whole one: its last column tells any two rows apart.

Rows that tie come in any order from PostgreSQL, and in another one after an update. A query whose
last column is no id needs a reason here, why no two of its rows tie.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import UniqueConstraint, inspect

import pileup
from pileup.storage import models
from pileup.storage.accounts.identities import Identities
from pileup.storage.audit import Actor
from pileup.storage.database import Unit
from pileup.storage.lifecycle.bin import Bin

SOURCE = Path(pileup.__file__).parent
ONE_EACH = {
    "Problem.ordinal": "within one artifact",
    "Experiment.number": "within one incident",
    "Hypothesis.number": "within one incident",
    "Release.number": "within one incident",
    "Series.id": "within one incident",
    "LiveTextUpdate.seq": "within one text",
    "Snapshot.kind": "the last part of its key, after the artifact and the index",
    "ExperimentPin.pin_id": "one row per experiment and pin",
    "ReleaseApproval.by_id": "one approval per person and release",
    "ListView.name": "the key, within one user",
    "table.key": "the key of mappings",
    "table.name": "the key of redaction profiles",
    "key": "the column that is the key of each encrypted table",
    "model.incident_id": "it is what the rows are grouped by",
    "Incident.service": "distinct values",
    "*_order(wanted)": "ends in the incident's id",
    "*latest": "ends in the incident's id",
    "*table.primary_key.columns": "the key itself",
}
_NO_COLUMN = ("desc", "asc", "nulls_last", "nulls_first")


def _orders() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        if "migrations" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_bytes())):
            match node:
                case ast.Call(func=ast.Attribute(attr="order_by"), args=[*_, last]):
                    yield f"{path.relative_to(SOURCE)}:{node.lineno}", _column(last)


def _column(node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _NO_COLUMN:
            return _column(value)
    return ast.unparse(node).removeprefix("models.")


def _is_unique(column: str) -> bool:
    """Return whether the column is unique by itself in its table."""
    name, _, attribute = column.partition(".")
    model = getattr(models, name, None)
    if model is None or not attribute:
        return attribute.rpartition(".")[2] == "id"
    table = inspect(model).local_table
    found = table.columns[attribute]
    alone = [each for each in table.constraints if isinstance(each, UniqueConstraint)]
    keys = [table.primary_key, *alone]
    return bool(found.unique) or any(list(key.columns) == [found] for key in keys)


def test_every_order_of_a_query_ends_in_what_tells_rows_apart() -> None:
    orders = dict(_orders())
    assert len(orders) > 70
    open_ends = {
        place: column
        for place, column in orders.items()
        if not _is_unique(column) and column not in ONE_EACH
    }
    assert open_ends == {}
    assert ONE_EACH.keys() - set(orders.values()) == set(), "no query ends so any more"


def test_identities_and_deleted_incidents_of_one_moment_are_in_the_order_of_ids(
    unit: Unit, ann: Actor
) -> None:
    ids = [f"{number:026}" for number in range(9)]
    shuffled = random.Random(20).sample(ids, len(ids))
    for each in shuffled:
        unit.session.add(models.Identity(id=each, user_id=ann.id, issuer="x", subject=each))
        deleted = {"deleted_at": datetime(2026, 1, 1, tzinfo=UTC)}
        unit.session.add(models.Incident(id=each, title="t", owner_id=ann.id, **deleted))
        unit.session.flush()
    assert [each.id for each in Identities(unit).of_user(ann.id)] == ids
    assert [each.id for each in Bin(unit).incidents()] == ids
