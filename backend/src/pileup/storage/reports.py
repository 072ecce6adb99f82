"""Report sections as people edited them. Every text that a section ever had is kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import select

from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean
from pileup.storage.errors import StaleRevision
from pileup.storage.models import ReportSection, ReportSectionRevision


@dataclass(frozen=True, slots=True)
class SectionRecord:
    key: str
    body_md: str
    revision: int
    updated_at: datetime


class Reports:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def sections(self, incident_id: str) -> dict[str, SectionRecord]:
        """The edited sections by key; a section that is missing was never edited."""
        rows = self._session.scalars(
            select(ReportSection).where(ReportSection.incident_id == incident_id)
        )
        return {row.key: _record(row) for row in rows}

    def save(
        self, incident_id: str, key: str, body_md: str, *, revision: int, by: Actor
    ) -> SectionRecord:
        """Store a section made from ``revision`` (0 when it was never edited)."""
        row = self._session.get(ReportSection, (incident_id, key), with_for_update=True)
        current = row.revision if row is not None else 0
        if current != revision:
            raise StaleRevision(
                "Somebody saved this section after you opened it. Your text is kept on your "
                "screen: compare and save again.",
                _record(row) if row is not None else None,
            )
        if row is None:
            row = ReportSection(incident_id=incident_id, key=key, revision=0)
            self._session.add(row)
        row.body_md = clean(body_md)
        row.prefilled = False
        row.revision = current + 1
        row.updated_by_id = by.id
        row.updated_at = datetime.now(UTC)
        self._session.add(
            ReportSectionRevision(
                incident_id=incident_id,
                key=key,
                revision=row.revision,
                body_md=row.body_md,
                by_id=by.id,
            )
        )
        self._session.flush()
        record(
            self._unit,
            by,
            "report.section_saved",
            incident_id=incident_id,
            target=key,
            revision=row.revision,
        )
        self._unit.notify(incident_id, "report", key)
        return _record(row)


def _record(row: ReportSection) -> SectionRecord:
    return SectionRecord(row.key, row.body_md, row.revision, row.updated_at)
