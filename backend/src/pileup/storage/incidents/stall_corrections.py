"""Corrected begin and end of stalls, stored separately from what the analysis computes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select

from pileup.storage import models
from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, to_record
from pileup.storage.errors import NotFound, Refused, StaleRevision
from pileup.storage.visibility import find_visible


@dataclass(frozen=True, slots=True)
class StallTimes:
    """A corrected begin and end; None keeps the computed time."""

    onset: datetime | None
    end: datetime | None
    baseline_start: datetime | None
    baseline_end: datetime | None


@dataclass(frozen=True, slots=True)
class StallCorrectionRecord:
    id: str
    incident_id: str
    host: str | None
    computed_onset: datetime
    onset: datetime | None
    end: datetime | None
    baseline_start: datetime | None
    baseline_end: datetime | None
    by: str
    revision: int
    at: datetime


class StallCorrections:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def of_incident(self, incident_id: str) -> list[StallCorrectionRecord]:
        """List the incident's corrections in time order."""
        rows = self._session.execute(
            select(models.StallCorrection, models.User.name)
            .outerjoin(models.User, models.User.id == models.StallCorrection.by_id)
            .where(models.StallCorrection.incident_id == incident_id)
            .order_by(models.StallCorrection.computed_onset, models.StallCorrection.id)
        )
        return [to_record(StallCorrectionRecord, row, by=name or "somebody") for row, name in rows]

    def put(
        self,
        incident_id: str,
        host: str | None,
        computed_onset: datetime,
        times: StallTimes,
        *,
        revision: int,
        by: Actor,
    ) -> StallCorrectionRecord:
        """Set the begin and end of a stall; revision 0 says that no correction exists yet."""
        _checked(times)
        row = self._find(incident_id, host, computed_onset)
        if (row.revision if row else 0) != revision:
            current = self._record(row) if row else None
            raise StaleRevision("Somebody changed this stall's times meanwhile.", current)
        if row is None:
            row = models.StallCorrection(
                incident_id=incident_id, host=host, computed_onset=computed_onset, revision=0
            )
            self._session.add(row)
        row.onset, row.end = times.onset, times.end
        row.baseline_start, row.baseline_end = times.baseline_start, times.baseline_end
        row.by_id = by.id
        row.at = datetime.now(UTC)
        row.revision += 1
        self._session.flush()
        self._publish(row, by, "stall.corrected", **_iso_times(times))
        return self._record(row)

    def reset(self, correction_id: str, *, by: Actor) -> str:
        """Delete the correction and return its incident id; the audit trail keeps the times."""
        row = find_visible(self._session, models.StallCorrection, correction_id)
        if row is None:
            raise NotFound("There is no such correction of a stall.")
        times = StallTimes(row.onset, row.end, row.baseline_start, row.baseline_end)
        self._publish(row, by, "stall.reset", **_iso_times(times))
        self._session.delete(row)
        self._session.flush()
        return row.incident_id

    def _find(
        self, incident_id: str, host: str | None, computed_onset: datetime
    ) -> models.StallCorrection | None:
        return self._session.scalar(
            select(models.StallCorrection).where(
                models.StallCorrection.incident_id == incident_id,
                models.StallCorrection.host.is_not_distinct_from(host),
                models.StallCorrection.computed_onset == computed_onset,
            )
        )

    def _publish(self, row: models.StallCorrection, by: Actor, action: str, **detail: Any) -> None:
        record(
            self._unit,
            by,
            action,
            incident_id=row.incident_id,
            target=row.id,
            computed_onset=row.computed_onset.isoformat(),
            host=row.host,
            **detail,
        )
        self._unit.notify(row.incident_id, "annotations", row.id)

    def _record(self, row: models.StallCorrection) -> StallCorrectionRecord:
        person = self._session.get(models.User, row.by_id) if row.by_id else None
        return to_record(StallCorrectionRecord, row, by=person.name if person else "somebody")


def _checked(times: StallTimes) -> None:
    if times.onset is not None and times.end is not None and times.end <= times.onset:
        raise Refused("The stall ends before it begins.", "end")
    if (times.baseline_start is None) != (times.baseline_end is None):
        raise Refused("A baseline needs both its start and its end.", "baseline_end")
    if times.baseline_start is not None and times.baseline_end is not None:
        if times.baseline_end <= times.baseline_start:
            raise Refused("The baseline ends before it begins.", "baseline_end")
        if times.onset is not None and times.baseline_end > times.onset:
            raise Refused(
                "The baseline reaches into the stall: end it at the onset.", "baseline_end"
            )


def _iso_times(times: StallTimes) -> dict[str, str | None]:
    return {
        name: value.isoformat() if (value := getattr(times, name)) else None
        for name in ("onset", "end", "baseline_start", "baseline_end")
    }
