"""Verdicts of people on findings. The findings themselves are derived and are in the analysis."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import select

from pileup.storage import models
from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean


@dataclass(frozen=True, slots=True)
class Verdict:
    finding_id: str
    verdict: str
    reason: str | None


class Findings:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def verdicts(self, incident_id: str) -> dict[str, Verdict]:
        """Return verdicts by finding id; a finding that is missing is open."""
        rows = self._session.scalars(
            select(models.FindingVerdict).where(models.FindingVerdict.incident_id == incident_id)
        )
        return {row.finding_id: Verdict(row.finding_id, row.verdict, row.reason) for row in rows}

    def judge(
        self, incident_id: str, finding_id: str, verdict: str, reason: str | None, *, by: Actor
    ) -> Verdict:
        """Accept, dismiss or reopen a finding."""
        row = self._session.get(models.FindingVerdict, (incident_id, finding_id))
        if row is None:
            row = models.FindingVerdict(incident_id=incident_id, finding_id=finding_id)
            self._session.add(row)
        row.verdict = verdict
        row.reason = None if reason is None else clean(reason)
        row.by_id = by.id
        row.at = datetime.now(UTC)
        self._session.flush()
        record(
            self._unit,
            by,
            f"finding.{verdict}",
            incident_id=incident_id,
            target=finding_id,
            reason=reason,
        )
        self._unit.notify(incident_id, "findings", finding_id)
        return Verdict(finding_id, verdict, row.reason)
