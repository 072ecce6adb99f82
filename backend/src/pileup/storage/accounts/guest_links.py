"""Guest links: each shows one incident, read-only and for a while, to whoever has it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, func, select, update

from pileup.storage import models
from pileup.storage.accounts.credentials import hash_secret, new_secret
from pileup.storage.audit import Actor
from pileup.storage.database import Unit, clean, to_record
from pileup.storage.errors import NotFound, Refused

LONGEST = timedelta(days=90)
_MOST = 50
"""Valid links of one incident."""


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody who came by a guest link."""

    id: str
    """Of the link."""
    name: str
    incident_id: str
    redact: list[str]
    """Kinds of redaction of everything that they see."""
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class GuestLink:
    id: str
    name: str
    """Whom it is for."""
    redact: list[str]
    """Kinds of redaction of everything that it shows."""
    created_at: datetime
    expires_at: datetime
    opened: int
    """Browsers that opened it."""
    last_opened_at: datetime | None


class GuestLinks:
    """Repository of guest links."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._db = unit.session

    def of_incident(self, incident_id: str) -> list[GuestLink]:
        """List the valid links of an incident, newest first."""
        rows = self._db.scalars(
            select(models.GuestLink)
            .where(models.GuestLink.incident_id == incident_id, is_valid())
            .order_by(models.GuestLink.id.desc())
        )
        return [to_record(GuestLink, row) for row in rows]

    def create(
        self,
        by: Actor,
        incident_id: str,
        name: str,
        expires_at: datetime,
        redact: Iterable[str] = (),
    ) -> tuple[GuestLink, str]:
        """Create a link; return it with its secret, which cannot be read again.

        redact: kinds of redaction of everything that it shows.
        """
        cleaned = clean(name).strip()
        if not cleaned or len(cleaned) > 200:
            raise Refused("name whom the link is for, in 1 to 200 characters", "name")
        now = datetime.now(UTC)
        if not now < expires_at <= now + LONGEST + timedelta(minutes=5):
            raise Refused(f"a guest link ends within {LONGEST.days} days", "expires_at")
        if len(self.of_incident(incident_id)) >= _MOST:
            raise Refused(f"the incident has {_MOST} guest links already: revoke some", "name")
        secret = new_secret("plg_")
        row = models.GuestLink(
            incident_id=incident_id,
            name=cleaned,
            token_hash=hash_secret(secret),
            by_id=by.id,
            redact=list(redact),
            expires_at=expires_at,
        )
        self._db.add(row)
        self._db.flush()
        self._db.refresh(row)
        return to_record(GuestLink, row), secret

    def revoke(self, incident_id: str, link_id: str) -> GuestLink:
        """Revoke a link: whoever opened it sees nothing from now on."""
        row = self._db.scalar(
            update(models.GuestLink)
            .where(
                models.GuestLink.id == link_id,
                models.GuestLink.incident_id == incident_id,
                models.GuestLink.revoked_at.is_(None),
            )
            .values(revoked_at=func.now())
            .returning(models.GuestLink)
        )
        if row is None:
            raise NotFound("the incident has no such guest link")
        self._unit.notify_access(link_id)
        return to_record(GuestLink, row)

    def open(self, secret: str) -> Guest | None:
        """Count that a link is opened, and return its guest; None unless it is valid."""
        row = self._db.scalar(
            update(models.GuestLink)
            .where(models.GuestLink.token_hash == hash_secret(secret), is_valid())
            .values(opened=models.GuestLink.opened + 1, last_opened_at=func.now())
            .returning(models.GuestLink)
        )
        return to_record(Guest, row) if row else None


def is_valid() -> ColumnElement[bool]:
    """Return the condition on a link that is neither revoked nor expired."""
    return models.GuestLink.revoked_at.is_(None) & (models.GuestLink.expires_at > func.now())
