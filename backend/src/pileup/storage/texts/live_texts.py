"""Long texts for collaborative editing. PostgreSQL is their only store.

A text is a CRDT document (see ``crdt.py``): a state and the updates since. Writers of a text queue
on its row, so that ``seq`` has no gaps and a client that has seen N requests what came after N.
Every stretch of editing by one person leaves a version, which can be named.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from pileup.storage.audit import MACHINE, Actor, record
from pileup.storage.database import Unit, clean, to_record
from pileup.storage.errors import NotFound
from pileup.storage.models import (
    Experiment,
    Incident,
    LiveText,
    LiveTextUpdate,
    LiveTextVersion,
)
from pileup.storage.texts import crdt

SAME_STRETCH = timedelta(minutes=5)
"""Edits of one person with a shorter pause between them are one version."""

_COMPACT_AFTER = 64
"""Updates that are kept one by one before they become part of the state."""


@dataclass(frozen=True, slots=True)
class TextRecord:
    key: str
    text: str
    seq: int
    edited: bool
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class TextState:
    record: TextRecord
    state: bytes
    """The whole document as one Yjs update."""


@dataclass(frozen=True, slots=True)
class TextVersion:
    id: str
    seq: int
    characters: int
    name: str | None
    by_name: str
    started_at: datetime
    at: datetime


class Texts:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def find(self, incident_id: str, key: str) -> TextRecord | None:
        row = self._session.get(LiveText, (incident_id, key))
        return to_record(TextRecord, row) if row is not None else None

    def read(self, incident_id: str, key: str) -> str:
        """Return the text; empty when nobody began it."""
        text = self.find(incident_id, key)
        return text.text if text else ""

    def under(self, incident_id: str, prefix: str) -> dict[str, TextRecord]:
        """Return the texts whose keys have this prefix, by key."""
        rows = self._session.scalars(
            select(LiveText).where(
                LiveText.incident_id == incident_id,
                LiveText.key.startswith(prefix, autoescape=True),
            )
        )
        return {row.key: to_record(TextRecord, row) for row in rows}

    def ensure(self, incident_id: str, key: str, initial: str) -> TextRecord:
        """Return the text, created with ``initial`` when there is none.

        Until somebody types in it, it follows the proposed text.
        """
        known = self._session.get(LiveText, (incident_id, key))
        if known is not None and (known.edited or known.text == clean(initial)):
            return to_record(TextRecord, known)  # a read takes no lock
        row = self._row(incident_id, key, initial=initial)
        if not row.edited and row.text != clean(initial):
            self._rewrite(row, clean(initial), None)
        return to_record(TextRecord, row)

    def state(self, incident_id: str, key: str) -> TextState:
        """Return the whole document, read by one statement: without a lock, and of one moment."""
        rows = self._session.execute(
            select(LiveText, LiveTextUpdate)
            .outerjoin(
                LiveTextUpdate,
                (LiveTextUpdate.incident_id == LiveText.incident_id)
                & (LiveTextUpdate.key == LiveText.key)
                & (LiveTextUpdate.seq > LiveText.base_seq),
            )
            .where(LiveText.incident_id == incident_id, LiveText.key == key)
            .order_by(LiveTextUpdate.seq)
            .execution_options(populate_existing=True)
        ).all()
        if not rows:
            raise _missing(key)
        row = rows[0][0]
        document = crdt.opened(row.state, [item.update for _, item in rows if item is not None])
        return TextState(to_record(TextRecord, row), document.get_update())

    def updates(self, incident_id: str, key: str, after: int) -> tuple[int, list[bytes]]:
        """Return the current seq and the updates after ``after``; reapplying does no harm."""
        row = self._session.get(LiveText, (incident_id, key))
        if row is None:
            raise _missing(key)
        if after >= row.seq:
            return row.seq, []
        if after < row.base_seq:
            whole = self.state(incident_id, key)
            return whole.record.seq, [whole.state]
        updates = self._since(row, after)
        return updates[-1].seq if updates else row.seq, [item.update for item in updates]

    def append(self, incident_id: str, key: str, update: bytes, by: Actor) -> TextRecord:
        """Apply an update of a browser; sending it again changes nothing."""
        row = self._row(incident_id, key)
        document = self._open(row)
        changed = crdt.take_in(document, update)
        if changed is not None:
            self._store(row, document, changed, by)
        return to_record(TextRecord, row)

    def replace(self, incident_id: str, key: str, text: str, by: Actor) -> TextRecord:
        """Change the text to ``text``, editing only the differences; concurrent edits stay."""
        row = self._row(incident_id, key, initial="")
        self._rewrite(row, clean(text), by)
        if not row.edited:  # saved as it was proposed
            row.edited = True
            row.updated_by_id = by.id
            self._version(row, by, datetime.now(UTC), closed=True)
            self._session.flush()
        return to_record(TextRecord, row)

    def follow(self, incident_id: str, key: str, text: str, by: Actor) -> None:
        """Update a text that somebody began, after a script wrote the column that mirrors it."""
        if self.lock(incident_id, key) is not None:
            self.replace(incident_id, key, text, by)

    def versions(self, incident_id: str, key: str, limit: int = 100) -> list[TextVersion]:
        """List the versions, newest first, without their text."""
        rows = self._session.execute(
            select(
                LiveTextVersion.id,
                LiveTextVersion.seq,
                func.length(LiveTextVersion.text).label("characters"),
                LiveTextVersion.name,
                LiveTextVersion.by_name,
                LiveTextVersion.started_at,
                LiveTextVersion.at,
            )
            .where(LiveTextVersion.incident_id == incident_id, LiveTextVersion.key == key)
            .order_by(LiveTextVersion.at.desc(), LiveTextVersion.id.desc())
            .limit(limit)
        )
        return [to_record(TextVersion, row) for row in rows]

    def version_text(self, incident_id: str, key: str, version_id: str) -> str:
        """Return the text of a version."""
        return self._version_row(incident_id, key, version_id).text

    def name_version(
        self, incident_id: str, key: str, version_id: str, name: str | None, by: Actor
    ) -> None:
        """Name a version, so that later editing starts another one."""
        row = self._version_row(incident_id, key, version_id)
        row.name = clean(name or "").strip() or None
        row.closed = True
        self._session.flush()
        record(
            self._unit, by, "text.version_named", incident_id=incident_id, target=key, name=row.name
        )
        self._unit.notify(incident_id, "text", key, seq=row.seq)

    def lock(self, incident_id: str, key: str) -> TextRecord | None:
        """Return the text, locked for writing until this transaction ends."""
        row = self._session.get(LiveText, (incident_id, key), with_for_update=True)
        return to_record(TextRecord, row) if row is not None else None

    def _row(self, incident_id: str, key: str, initial: str | None = None) -> LiveText:
        row = self._session.get(LiveText, (incident_id, key), with_for_update=True)
        if row is None and initial is not None:
            text = clean(initial)
            self._session.execute(
                insert(LiveText)
                .values(
                    incident_id=incident_id,
                    key=key,
                    text=text,
                    state=crdt.seeded(text),
                    base_seq=1,
                    seq=1,
                    edited=False,
                )
                .on_conflict_do_nothing()
            )
            row = self._session.get(LiveText, (incident_id, key), with_for_update=True)
        if row is None:
            raise _missing(key)
        return row

    def _version_row(self, incident_id: str, key: str, version_id: str) -> LiveTextVersion:
        row = self._session.get(LiveTextVersion, version_id)
        if row is None or (row.incident_id, row.key) != (incident_id, key):
            raise NotFound("There is no such version of this text.")
        return row

    def _since(self, row: LiveText, seq: int) -> list[LiveTextUpdate]:
        return list(
            self._session.scalars(
                select(LiveTextUpdate)
                .where(
                    LiveTextUpdate.incident_id == row.incident_id,
                    LiveTextUpdate.key == row.key,
                    LiveTextUpdate.seq > seq,
                )
                .order_by(LiveTextUpdate.seq)
            )
        )

    def _open(self, row: LiveText) -> Any:
        return crdt.opened(row.state, [item.update for item in self._since(row, row.base_seq)])

    def _rewrite(self, row: LiveText, text: str, by: Actor | None) -> None:
        document = self._open(row)
        changed = crdt.rewrite(document, text)
        if changed is not None:
            self._store(row, document, changed, by, closed=True)

    def _store(
        self,
        row: LiveText,
        document: Any,
        changed: bytes,
        by: Actor | None,
        *,
        closed: bool = False,
    ) -> None:
        """Store ``changed``; ``by`` is None when the proposed text changed and nobody typed."""
        now = datetime.now(UTC)
        row.seq += 1
        row.text = clean(crdt.read_text(document))
        row.updated_at = now
        if row.seq - row.base_seq >= _COMPACT_AFTER:
            row.state, row.base_seq = document.get_update(), row.seq
            self._session.execute(
                delete(LiveTextUpdate).where(
                    LiveTextUpdate.incident_id == row.incident_id, LiveTextUpdate.key == row.key
                )
            )
        else:
            self._session.add(
                LiveTextUpdate(
                    incident_id=row.incident_id,
                    key=row.key,
                    seq=row.seq,
                    update=changed,
                    by_id=(by or MACHINE).id,
                )
            )
        if by is not None:
            row.edited = True
            row.updated_by_id = by.id
            self._version(row, by, now, closed=closed)
            self._mirror(row)
        self._session.flush()
        self._unit.notify(row.incident_id, "text", row.key, seq=row.seq)

    def _version(self, row: LiveText, by: Actor, now: datetime, *, closed: bool) -> None:
        version = None if closed else self._stretch(row, by, now)
        if version is None:
            version = LiveTextVersion(
                incident_id=row.incident_id,
                key=row.key,
                by_id=by.id,
                by_name=clean(by.name),
                closed=closed,
            )
            self._session.add(version)
            record(self._unit, by, "text.edited", incident_id=row.incident_id, target=row.key)
        version.seq, version.text, version.at = row.seq, row.text, now

    def _stretch(self, row: LiveText, by: Actor, now: datetime) -> LiveTextVersion | None:
        """Return the version that this person is editing, or None."""
        return self._session.scalar(
            select(LiveTextVersion)
            .where(
                LiveTextVersion.incident_id == row.incident_id,
                LiveTextVersion.key == row.key,
                LiveTextVersion.by_id == by.id,
                LiveTextVersion.closed.is_(False),
                LiveTextVersion.at > now - SAME_STRETCH,
            )
            .order_by(LiveTextVersion.at.desc(), LiveTextVersion.id.desc())
            .limit(1)
        )

    def _mirror(self, row: LiveText) -> None:
        """Update the columns that show a live text elsewhere."""
        domain, _, rest = row.key.partition("/")
        if row.key == "summary":
            self._session.execute(
                update(Incident).where(Incident.id == row.incident_id).values(summary=row.text)
            )
        elif domain == "experiment":
            self._session.execute(
                update(Experiment)
                .where(
                    Experiment.id == rest.removesuffix("/conclusion"),
                    Experiment.incident_id == row.incident_id,
                )
                .values(conclusion=row.text)
            )


def _missing(key: str) -> NotFound:
    return NotFound(f"Nobody has opened the text {key!r} yet: get it before you change it.")
