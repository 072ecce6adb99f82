"""The stored analysis of an incident, and the index of its snapshots and series."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Text, cast, delete, func, insert, select
from sqlalchemy.dialects.postgresql import insert as upsert

from pileup.storage import models
from pileup.storage.database import Unit, clean_json, to_record


@dataclass(frozen=True, slots=True)
class Snapshot:
    artifact: str
    kind: str
    index: int
    time: datetime | None
    time_quality: str
    path: str
    host: str | None
    line_first: int
    waiters: int | None
    lock_waits: int | None
    sessions: int | None
    server_version: str | None


@dataclass(frozen=True, slots=True)
class Series:
    id: str
    name: str
    labels: str
    host: str | None
    kind: str
    unit: str | None
    points: int
    first: datetime | None
    last: datetime | None
    min: float | None
    max: float | None
    artifact: str | None


class Analyses:
    """Repository of the last analysis of each incident: a JSON document, replaced as a whole."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._db = unit.session

    def replace(self, incident_id: str, document: dict[str, Any], elapsed_s: float) -> None:
        """Store the document, and index its snapshots and series."""
        document = clean_json(document)
        values = {
            "persistence": document.pop("persistence", None),
            "document": document,
            "engine": document["engine"],
            "elapsed_s": elapsed_s,
            "finished_at": func.now(),
        }
        self._db.execute(
            upsert(models.Analysis)
            .values(incident_id=incident_id, **values)
            .on_conflict_do_update(index_elements=["incident_id"], set_=values)
        )
        snapshots = {
            (row["artifact"], row["kind"], row["index"]): {**row, "incident_id": incident_id}
            for row in document["snapshots"]
        }
        series = {row["id"]: {**row, "incident_id": incident_id} for row in document["series"]}
        for table, rows in ((models.Snapshot, snapshots), (models.Series, series)):
            self._db.execute(delete(table).where(table.incident_id == incident_id))
            if rows:
                names = [column.name for column in table.__table__.columns]
                self._db.execute(
                    insert(table),
                    [{name: row.get(name) for name in names} for row in rows.values()],
                )
        self._unit.notify(incident_id, "analysis")

    def forget(self, incident_id: str) -> None:
        """Delete the stored analysis."""
        for table in (models.Analysis, models.Snapshot, models.Series, models.SearchEntry):
            self._db.execute(delete(table).where(table.incident_id == incident_id))
        self._unit.notify(incident_id, "analysis")

    def document(self, incident_id: str) -> dict[str, Any] | None:
        """Return the document without ``persistence``; None before the first analysis."""
        return self._db.scalar(
            select(models.Analysis.document).where(models.Analysis.incident_id == incident_id)
        )

    def document_text(self, incident_id: str) -> str | None:
        """Return the document without ``persistence`` as JSON text, not decoded."""
        return self._db.scalar(
            select(cast(models.Analysis.document, Text)).where(
                models.Analysis.incident_id == incident_id
            )
        )

    def parts(self, incident_id: str, *keys: str) -> dict[str, Any] | None:
        """Return only these top-level keys of the document, without thousands of series."""
        columns = [cast(models.Analysis.document[key], Text).label(key) for key in keys]
        row = self._db.execute(
            select(*columns).where(models.Analysis.incident_id == incident_id)
        ).one_or_none()
        if row is None:
            return None
        return {
            key: None if text is None else json.loads(text)
            for key, text in zip(keys, row, strict=True)
        }

    def persistence(self, incident_id: str) -> dict[str, Any] | None:
        """Return the sessions that stay stuck; None also for an analysis older than this field."""
        return self._db.scalar(
            select(models.Analysis.persistence).where(models.Analysis.incident_id == incident_id)
        )

    def snapshots(self, incident_id: str) -> list[Snapshot]:
        """List the snapshots in time order, those of unknown time last."""
        rows = self._db.scalars(
            select(models.Snapshot)
            .where(models.Snapshot.incident_id == incident_id)
            .order_by(
                models.Snapshot.time.nulls_last(),
                models.Snapshot.artifact,
                models.Snapshot.index,
                models.Snapshot.kind,
            )
        )
        return [to_record(Snapshot, row) for row in rows]

    def series(self, incident_id: str) -> list[Series]:
        """List the series by id."""
        rows = self._db.scalars(
            select(models.Series)
            .where(models.Series.incident_id == incident_id)
            .order_by(models.Series.id)
        )
        return [to_record(Series, row) for row in rows]
