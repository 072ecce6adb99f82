"""Resumable uploads in progress: a row, and its bytes in ``files/upload_bytes.py``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, update

from pileup.storage import models
from pileup.storage.artifacts.artifacts import Given, clean_path
from pileup.storage.audit import Actor
from pileup.storage.database import Unit, to_record
from pileup.storage.errors import NotFound
from pileup.storage.visibility import find_visible


@dataclass(frozen=True, slots=True)
class Upload:
    id: str
    incident_id: str
    path: str
    bytes: int
    received: int
    excluded: bool
    given_at: datetime | None
    given_within_s: float | None
    given_host: str | None
    user_id: str | None
    token_id: str | None
    artifact_id: str | None
    created_at: datetime
    updated_at: datetime

    @property
    def given(self) -> Given:
        """Return the time and host that a person gave."""
        return Given(self.given_at, self.given_within_s, self.given_host)


class Uploads:
    """Repository of uploads in progress."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._db = unit.session

    def create(
        self,
        incident_id: str,
        path: str,
        size: int,
        by: Actor,
        *,
        excluded: bool = False,
        given: Given | None = None,
        token_id: str | None = None,
    ) -> Upload:
        """Create an upload of ``size`` bytes. token_id: the API token that begins it."""
        row = models.Upload(
            incident_id=incident_id,
            path=clean_path(path),
            bytes=size,
            user_id=by.id,
            token_id=token_id,
            excluded=excluded,
            **(given or Given()).columns(),
        )
        self._db.add(row)
        self._db.flush()
        self._db.refresh(row)
        self._unit.notify(incident_id, "upload", row.id)
        return to_record(Upload, row)

    def get(self, upload_id: str) -> Upload:
        """Return one upload, finished or not; raise NotFound."""
        row = find_visible(self._db, models.Upload, upload_id)
        if row is None:
            raise NotFound("there is no such upload; it was cancelled, or never begun")
        return to_record(Upload, row)

    def unfinished(self, incident_id: str) -> list[Upload]:
        """List the incident's uploads that still miss bytes, oldest first."""
        rows = self._db.scalars(
            select(models.Upload)
            .where(models.Upload.incident_id == incident_id, models.Upload.artifact_id.is_(None))
            .order_by(models.Upload.id)
        )
        return [to_record(Upload, row) for row in rows]

    def received(self, upload_id: str, received: int) -> None:
        """Store how many bytes arrived."""
        incident_id = self._db.scalar(
            update(models.Upload)
            .where(models.Upload.id == upload_id)
            .values(received=received, updated_at=func.now())
            .returning(models.Upload.incident_id)
        )
        if incident_id:
            self._unit.notify(incident_id, "upload", upload_id)

    def finish(self, upload_id: str, artifact_id: str) -> None:
        """Mark the upload complete and link it to its artifact."""
        self._db.execute(
            update(models.Upload)
            .where(models.Upload.id == upload_id)
            .values(artifact_id=artifact_id, received=models.Upload.bytes, updated_at=func.now())
        )

    def expire(self, silent: timedelta) -> list[str]:
        """Delete uploads that received no byte for the time ``silent``; return their ids."""
        return list(
            self._db.scalars(
                delete(models.Upload)
                .where(
                    models.Upload.artifact_id.is_(None),
                    models.Upload.updated_at < func.now() - silent,
                )
                .returning(models.Upload.id)
            )
        )

    def remove(self, upload_id: str) -> None:
        """Delete the upload."""
        row = find_visible(self._db, models.Upload, upload_id)
        if row is None:
            raise NotFound("there is no such upload; it was cancelled, or never begun")
        self._db.delete(row)
        self._db.flush()
        self._unit.notify(row.incident_id, "upload", upload_id)
