"""What the columns of tables are, as people said: one mapping per header, for the installation.

The mapping itself is JSON of ``formats.csv_mapping.Mapping``; nothing here looks into it.
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
    """One mapping and who said it."""

    key: str
    mapping: dict[str, Any]
    by: str | None
    at: datetime


class Mappings:
    """Everything about remembered mappings."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._db = unit.session

    def find(self, keys: Sequence[str]) -> Remembered | None:
        """The mapping of the first of these keys that has one."""
        if not keys:
            return None
        rows = self._db.execute(
            select(models.TableMapping, models.User.name)
            .outerjoin(models.User, models.User.id == models.TableMapping.by_id)
            .where(models.TableMapping.key.in_(keys))
        ).all()
        found = {row.key: (row, name) for row, name in rows}
        for key in keys:
            if key in found:
                row, name = found[key]
                return Remembered(row.key, row.mapping, name, row.at)
        return None

    def remember(
        self, by: Actor, key: str, header: str | None, mapping: dict[str, Any], incident_id: str
    ) -> None:
        """Keep it for every file with this key; what was said before is replaced."""
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

    def forget(self, by: Actor, key: str, incident_id: str) -> bool:
        """False when there was nothing to forget."""
        gone = self._db.execute(
            delete(models.TableMapping)
            .where(models.TableMapping.key == key)
            .returning(models.TableMapping.key)
        ).all()
        if gone:
            record(self._unit, by, "mapping.forgotten", incident_id=incident_id, target=key)
        return bool(gone)
