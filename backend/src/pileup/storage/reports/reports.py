"""Report sections as people edited them: live texts under ``report/``.

A script saves a section with the revision that it read; people type in it together.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pileup.storage.audit import Actor
from pileup.storage.database import Unit
from pileup.storage.errors import StaleRevision
from pileup.storage.texts.live_texts import TextRecord, Texts

PREFIX = "report/"


@dataclass(frozen=True, slots=True)
class SectionRecord:
    key: str
    body_md: str
    revision: int
    updated_at: datetime


class Reports:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._texts = Texts(unit)

    def sections(self, incident_id: str) -> dict[str, SectionRecord]:
        """Return the edited sections by key; a section that is missing was never edited."""
        texts = self._texts.under(incident_id, PREFIX)
        records = (_record(text) for text in texts.values() if text.edited)
        return {record.key: record for record in records}

    def save(
        self, incident_id: str, key: str, body_md: str, *, revision: int, by: Actor
    ) -> SectionRecord:
        """Store a section that is based on ``revision`` (0 when it was never edited)."""
        text = self._texts.lock(incident_id, PREFIX + key)
        current = text.seq if text is not None and text.edited else 0
        if current != revision:
            raise StaleRevision(
                "Somebody saved this section after you opened it. Your text is kept on your "
                "screen: compare and save again.",
                _record(text) if text is not None and text.edited else None,
            )
        saved = self._texts.replace(incident_id, PREFIX + key, body_md, by)
        self._unit.notify(incident_id, "report", key)
        return _record(saved)


def _record(text: TextRecord) -> SectionRecord:
    return SectionRecord(text.key.removeprefix(PREFIX), text.text, text.seq, text.updated_at)
