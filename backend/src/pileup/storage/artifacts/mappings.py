"""Column mappings that people set for tables: one per header, for the whole installation.

The mapping itself is JSON of ``formats.metrics.parts.csv_mapping.Mapping``; nothing here reads its
content.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert

from pileup.storage import models
from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean, clean_json


@dataclass(frozen=True, slots=True)
class Remembered:
    """One stored mapping and who set it."""

    key: str
    mapping: dict[str, Any]
    by: str | None
    at: datetime


class Mappings:
    """Repository of column mappings."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._db = unit.session

    def find(self, keys: Sequence[str]) -> Remembered | None:
        """Return the first mapping stored under one of these keys, or None."""
        if not keys:
            return None
        rows = self._db.execute(
            select(models.TableMapping, models.User.name)
            .outerjoin(models.User, models.User.id == models.TableMapping.by_id)
            .where(models.TableMapping.key.in_(keys))
        ).all()
        by_key = {row.key: (row, name) for row, name in rows}
        for key in keys:
            if key in by_key:
                row, name = by_key[key]
                return Remembered(row.key, row.mapping, name, row.at)
        return None

    def remember(
        self, by: Actor, key: str, header: str | None, mapping: dict[str, Any], incident_id: str
    ) -> None:
        """Store the mapping for every file with this key, replacing an earlier one."""
        values = {
            "header": clean(header) if header is not None else None,
            "mapping": clean_json(mapping),
            "by_id": by.id,
        }
        self._db.execute(
            insert(models.TableMapping)
            .values(key=key, **values)
            .on_conflict_do_update(index_elements=["key"], set_={**values, "at": func.now()})
        )
        record(self._unit, by, "mapping.remembered", incident_id=incident_id, target=key)

    def of_incident(self, incident_id: str) -> list[dict[str, Any]]:
        """List the mappings that read the incident's files, for a bundle."""
        table = models.TableMapping
        keys = select(models.Artifact.table_key).where(
            models.Artifact.incident_id == incident_id, models.Artifact.deleted_at.is_(None)
        )
        rows = self._db.scalars(select(table).where(table.key.in_(keys)).order_by(table.key))
        return [{"key": row.key, "header": row.header, "mapping": row.mapping} for row in rows]

    def import_rows(self, by: Actor, rows: Sequence[dict[str, Any]], incident_id: str) -> None:
        """Add the mappings of a bundle; existing mappings of the same columns win."""
        for row in rows:
            values = {
                "key": clean(row["key"]),
                "header": None if row["header"] is None else clean(row["header"]),
                "mapping": clean_json(row["mapping"]),
                "by_id": by.id,
            }
            new = self._db.execute(
                insert(models.TableMapping)
                .values(**values)
                .on_conflict_do_nothing()
                .returning(models.TableMapping.key)
            ).all()
            if new:
                key = values["key"]
                record(self._unit, by, "mapping.remembered", incident_id=incident_id, target=key)

    def forget(self, by: Actor, key: str, incident_id: str) -> bool:
        """Delete the mapping; return False when there was none."""
        gone = self._db.execute(
            delete(models.TableMapping)
            .where(models.TableMapping.key == key)
            .returning(models.TableMapping.key)
        ).all()
        if gone:
            record(self._unit, by, "mapping.forgotten", incident_id=incident_id, target=key)
        return bool(gone)
