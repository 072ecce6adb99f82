"""Pins: saved pointers to exact data and the view that shows it.

The target of a pin never changes. A pin is stale when its artifact left the incident, or when its
value changed: then both values stay until a person accepts the new one, which the audit trail
records. Withdrawing a pin keeps its row, hides it, and flags for review every hypothesis that used
it as evidence, for a confidence, or in the matrix.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import exists, func, select

from pileup.analysis.reasoning.pin_value import PinnedValue
from pileup.storage.artifacts.artifacts import RUN_OF_ARTIFACT
from pileup.storage.audit import MACHINE, Actor, record
from pileup.storage.database import Unit, clean, clean_json
from pileup.storage.errors import Conflict, NotFound
from pileup.storage.models import Artifact, Pin, User
from pileup.storage.numbering import next_number
from pileup.storage.reasoning.reviews import clear_flags, flag
from pileup.storage.visibility import find_visible, in_bin

_IS_USED = Artifact.excluded.is_(False) | RUN_OF_ARTIFACT.is_not(None)
"""Whether the incident's analysis uses an artifact, or the run that it is attached to."""
_TOPICS = ("pins", "hypotheses", "matrix")
"""The topics that a change of a pin notifies."""


@dataclass(frozen=True, slots=True)
class PinRecord:
    id: str
    incident_id: str
    label: str
    """'E7': its number in the incident."""
    kind: str
    evidence_kind: str
    title: str
    locator: dict[str, Any]
    view: str
    excerpt: str | None
    picture: bool
    value: str | None
    stale: bool
    stale_since: datetime | None
    stale_why: str | None
    """One sentence, when it is stale."""
    now_value: str | None
    """The current value, while it differs from the pinned one."""
    kept: bool
    """A person saw the new value and kept the pin unchanged."""
    created_by: str | None
    created_at: datetime


class Pins:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def create(
        self,
        incident_id: str,
        *,
        kind: str,
        title: str,
        locator: dict[str, Any],
        view: str,
        excerpt: str | None,
        by: Actor,
        evidence_kind: str = "observation",
        picture: str | None = None,
        value: PinnedValue | None = None,
    ) -> PinRecord:
        row = Pin(
            incident_id=incident_id,
            number=next_number(self._session, incident_id, Pin),
            kind=kind,
            evidence_kind=evidence_kind,
            title=clean(title),
            locator=clean_json(locator | ({"fields": value.fields} if value else {})),
            view=clean(view),
            excerpt=None if excerpt is None else clean(excerpt),
            picture=None if picture is None else clean(picture),
            value=None if value is None else clean(value.text),
            value_hash=None if value is None else value.hash,
            created_by_id=by.id,
        )
        self._session.add(row)
        self._session.flush()
        self._publish(row, by, "pin.created", title=row.title)
        return self.get(row.id)

    def get(self, pin_id: str) -> PinRecord:
        pins = self.by_ids([pin_id])
        if pin_id not in pins:
            raise NotFound("There is no such pin; it may have been withdrawn.")
        return pins[pin_id]

    def of_incident(self, incident_id: str) -> list[PinRecord]:
        """List every pin that was not withdrawn, oldest first."""
        return self._records(
            select(Pin.id).where(Pin.incident_id == incident_id, Pin.deleted_at.is_(None))
        )

    def unanswered(self, incident_id: str) -> int:
        """Count the stale pins that wait for a decision on the new value."""
        there = exists().where(
            Artifact.incident_id == incident_id,
            Artifact.sha256 == Pin.locator["artifact"].astext,
            Artifact.deleted_at.is_(None),
            _IS_USED,
        )
        moved = Pin.stale & Pin.kept_hash.is_distinct_from(Pin.now_hash)
        gone = Pin.locator["artifact"].astext.is_not(None) & ~there
        rows = select(func.count()).where(
            Pin.incident_id == incident_id, Pin.deleted_at.is_(None), moved | gone
        )
        return self._session.scalar(rows) or 0

    def by_ids(self, ids: Iterable[str]) -> dict[str, PinRecord]:
        wanted = list(ids)
        if not wanted:
            return {}
        records = self._records(select(Pin.id).where(Pin.id.in_(wanted), Pin.deleted_at.is_(None)))
        return {record.id: record for record in records}

    def withdraw(self, pin_id: str, *, by: Actor) -> str:
        """Withdraw a pin; return its incident's id. Hypotheses that used it need a review."""
        row = find_visible(self._session, Pin, pin_id)
        if row is None:
            raise NotFound("There is no such pin; it may have been withdrawn already.")
        row.deleted_at = datetime.now(UTC)
        flagged = flag(self._session, pin_id)
        self._publish(row, by, "pin.withdrawn", title=row.title, flagged=flagged)
        return row.incident_id

    def restore(self, pin_id: str, *, by: Actor) -> PinRecord:
        """Undo a withdrawal: the pin is evidence again wherever it was.

        Hypotheses that only its withdrawal flagged need no review any more (``reviews``).
        """
        row = self._session.get(Pin, pin_id)
        if row is None or in_bin(self._session, row.incident_id):
            raise NotFound("There is no such pin.")
        if row.deleted_at is not None:
            row.deleted_at = None
            self._session.flush()
            settled, again = clear_flags(self._session, row.incident_id, pin_id)
            self._publish(
                row, by, "pin.restored", title=row.title, settled=settled, needs_review=again
            )
        return self.get(pin_id)

    def resolve(self, pin_id: str, *, accept: bool, reason: str, by: Actor) -> PinRecord:
        """Resolve a stale pin: accept the new value, or keep the pin as it was created."""
        row = find_visible(self._session, Pin, pin_id, lock=True)
        if row is None:
            raise NotFound("There is no such pin; it may have been withdrawn.")
        if not row.stale or row.now_hash is None:
            raise Conflict("The value behind this pin did not change: there is nothing to resolve.")
        was, now = row.value, row.now_value
        if accept:
            row.value, row.value_hash = row.now_value, row.now_hash
            row.stale, row.stale_since = False, None
            row.now_value = row.now_hash = row.kept_hash = None
            flag(self._session, pin_id)
        else:
            row.kept_hash = row.now_hash
        action = "pin.value_accepted" if accept else "pin.kept_stale"
        self._publish(row, by, action, was=was, now=now, reason=reason)
        return self.get(pin_id)

    def picture(self, pin_id: str) -> str | None:
        """Return the SVG stored with the pin, or None."""
        row = find_visible(self._session, Pin, pin_id)
        return None if row is None else row.picture

    def revalue(self, incident_id: str, values: Mapping[str, PinnedValue]) -> list[str]:
        """Compare every pin with its current value; return the ids that turned stale or fresh.

        values: by pin id, for pins whose value could be computed.
        """
        changed: list[str] = []
        rows = self._session.scalars(
            select(Pin)
            .where(Pin.incident_id == incident_id, Pin.value.is_not(None))
            .order_by(Pin.id)
            .with_for_update()
        )
        for row in rows:
            now = values.get(row.id)
            if now is None:
                continue
            text = clean(now.text)
            # the words too: they are what people read, and a bundle may bring others
            stale = (now.hash, text) != (row.value_hash, row.value)
            current = (now.hash, text) if stale else (None, None)
            if stale == row.stale and current == (row.now_hash, row.now_value):
                continue
            row.stale = stale
            row.stale_since = (row.stale_since or datetime.now(UTC)) if stale else None
            row.now_value = text if stale else None
            row.now_hash = now.hash if stale else None
            if not stale:
                row.kept_hash = None
            changed.append(row.id)
            action = "pin.turned_stale" if stale else "pin.fresh_again"
            record(
                self._unit,
                MACHINE,
                action,
                incident_id=incident_id,
                target=row.id,
                was=row.value,
                now=row.now_value,
            )
        self._session.flush()
        if changed:
            for topic in _TOPICS:
                self._unit.notify(incident_id, topic)
        return changed

    def _publish(self, row: Pin, by: Actor, action: str, **detail: Any) -> None:
        self._session.flush()
        record(self._unit, by, action, incident_id=row.incident_id, target=row.id, **detail)
        for topic in _TOPICS:
            self._unit.notify(row.incident_id, topic, row.id)

    def _records(self, ids: Any) -> list[PinRecord]:
        rows = self._session.execute(
            select(Pin, User.name)
            .outerjoin(User, User.id == Pin.created_by_id)
            .where(Pin.id.in_(ids))
            .order_by(Pin.id)
        ).all()
        incidents = {row.Pin.incident_id for row in rows}
        present = self._present(incidents)
        return [
            PinRecord(
                id=pin.id,
                incident_id=pin.incident_id,
                label=f"E{pin.number}",
                kind=pin.kind,
                evidence_kind=pin.evidence_kind,
                title=pin.title,
                locator=pin.locator,
                view=pin.view,
                excerpt=pin.excerpt,
                picture=pin.picture is not None,
                value=pin.value,
                stale=pin.stale or _missing(pin, present),
                stale_since=pin.stale_since,
                stale_why=_why_stale(pin, present),
                now_value=pin.now_value,
                kept=pin.kept_hash is not None and pin.kept_hash == pin.now_hash,
                created_by=name,
                created_at=pin.created_at,
            )
            for pin, name in rows
        ]

    def _present(self, incidents: set[str]) -> set[tuple[str, str]]:
        """Return (incident, SHA-256) of every artifact that an analysis still uses."""
        rows = self._session.execute(
            select(Artifact.incident_id, Artifact.sha256).where(
                Artifact.incident_id.in_(incidents),
                Artifact.deleted_at.is_(None),
                _IS_USED,
            )
        )
        return {(incident, sha) for incident, sha in rows}


def _missing(pin: Pin, present: set[tuple[str, str]]) -> bool:
    artifact = pin.locator.get("artifact")
    return artifact is not None and (pin.incident_id, artifact) not in present


def _why_stale(pin: Pin, present: set[tuple[str, str]]) -> str | None:
    if _missing(pin, present):
        return "Its artifact was deleted or excluded."
    if pin.stale:
        return "After a re-parse, the artifact or the analysis shows another value."
    return None
