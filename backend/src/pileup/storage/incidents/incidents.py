"""Incidents: one at a time, their numbers and symptoms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import Double, Text, cast, delete, func, insert, select
from sqlalchemy.dialects.postgresql import ARRAY

from pileup.storage import models
from pileup.storage.audit import Actor, record
from pileup.storage.database import ACCESS, Unit, clean, clean_json
from pileup.storage.errors import Conflict, NotFound, Refused, StaleRevision
from pileup.storage.incidents.webhooks import announce
from pileup.storage.queue.jobs import AnalysisState, Jobs
from pileup.storage.texts.live_texts import Texts

if TYPE_CHECKING:  # accounts need incidents, and `pileup run` starts without the analysis
    from pileup.analysis.reasoning.similar import Signature

Status = Literal["open", "analysing", "review", "published"]
Severity = Literal["sev1", "sev2", "sev3", "sev4"]

Visibility = Literal["open", "private"]

_TITLE_MAX = 300


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Incident:
    id: str
    title: str
    status: Status
    severity: Severity | None
    service: str | None
    summary: str
    owner: Person | None
    visibility: Visibility
    sample_id: str | None
    created_at: datetime
    updated_at: datetime
    revision: int
    archived: bool


@dataclass(frozen=True, slots=True)
class Symptoms:
    """Symptoms of an analysed incident (``analysis.reasoning.similar.signature``)."""

    id: str
    title: str
    onset: str | None
    features: dict[str, str]
    """Empty without a stall, as of a single dump."""
    cause: str | None = None
    """The id of the leading finding."""
    cause_title: str | None = None


class Incidents:
    """Repository of incidents."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._db = unit.session

    def symptoms(self, incident_ids: Sequence[str]) -> dict[str, Symptoms]:
        """Return the symptoms of analysed incidents, by id; without those in the bin."""
        digest = models.Incident.digest
        rows = self._db.execute(
            select(
                models.Incident.id,
                models.Incident.title,
                digest["onset"].astext,
                digest["signature"],
                digest["finding"]["id"].astext,
                digest["finding"]["title"].astext,
            ).where(
                models.Incident.id.in_(incident_ids),
                digest["signature"].is_not(None),
                models.Incident.deleted_at.is_(None),
            )
        )
        return {
            row[0]: Symptoms(row[0], row[1], row[2], dict(row[3] or {}), row[4], row[5])
            for row in rows
        }

    def similar(self, features: Signature, most: int) -> list[str]:
        """Return the ids of visible incidents with similar symptoms, the most similar first."""
        from pileup.analysis.reasoning.similar import LEAST, weight_of

        names = cast(list(features), ARRAY(Text))
        weights = cast([weight_of(feature) for feature in features], ARRAY(Double))
        looked_at = 10 * most
        while True:
            found = func.pileup_similar(names, weights, LEAST, looked_at).table_valued(
                "id", "score"
            )
            ids = list(self._db.scalars(select(found.c.id)))
            alive = models.Incident.deleted_at.is_(None)
            visible = set(
                self._db.scalars(
                    select(models.Incident.id).where(models.Incident.id.in_(ids), alive)
                )
            )
            seen = [name for name in ids if name in visible][:most]
            if len(seen) == most or len(ids) < looked_at:
                return seen
            looked_at *= 10

    def of_cause(self, finding: str, most: int) -> list[str]:
        """Return the ids of visible incidents with this leading finding, the latest stall first."""
        incident, feature = models.Incident, models.IncidentFeature
        return list(
            self._db.scalars(
                select(incident.id)
                .join(feature, feature.incident_id == incident.id)
                .where(
                    feature.feature == f"finding:{finding}",
                    incident.digest["finding"]["id"].astext == finding,
                    incident.deleted_at.is_(None),
                )
                .order_by(incident.digest["onset"].astext.desc().nulls_last(), incident.id)
                .limit(most)
            )
        )

    def ids(self) -> list[str]:
        """List the ids of all incidents outside of the bin."""
        alive = models.Incident.deleted_at.is_(None)
        return list(self._db.scalars(select(models.Incident.id).where(alive)))

    def is_gone(self, incident_id: str) -> bool:
        """Return whether nothing is left of the incident, not even in the bin."""
        row = select(models.Incident.id).where(models.Incident.id == incident_id)
        return self._db.scalar(row) is None

    def get(self, incident_id: str) -> Incident:
        """Return one incident; raise NotFound when it does not exist or is in the bin."""
        row = self._db.execute(
            select(models.Incident, models.User)
            .outerjoin(models.User, models.User.id == models.Incident.owner_id)
            .where(models.Incident.id == incident_id, models.Incident.deleted_at.is_(None))
        ).one_or_none()
        if row is None:
            raise NotFound("there is no such incident")
        return incident_record(*row)

    def by_sample(self, sample_id: str) -> Incident | None:
        """Return the open incident that a sample was loaded into, or None."""
        text = self._db.scalar(
            select(models.Incident.id).where(
                models.Incident.sample_id == sample_id, models.Incident.archived_at.is_(None)
            )
        )
        return self.get(text) if text else None

    def of_samples(self) -> dict[str, str]:
        """Map each sample that was loaded to its open incident."""
        rows = self._db.execute(
            select(models.Incident.sample_id, models.Incident.id).where(
                models.Incident.sample_id.is_not(None), models.Incident.archived_at.is_(None)
            )
        )
        return {str(row[0]): row[1] for row in rows}

    def create(
        self,
        by: Actor,
        title: str,
        *,
        service: str | None = None,
        severity: Severity | None = None,
        summary: str = "",
        sample_id: str | None = None,
        visibility: Visibility = "open",
    ) -> Incident:
        """Create an empty incident, owned by its creator."""
        row = models.Incident(
            title=checked_title(title),
            service=_short(service, "service"),
            severity=severity,
            summary=clean(summary),
            owner_id=by.id,
            sample_id=sample_id,
            visibility=visibility,
        )
        self._db.add(row)
        self._db.flush()
        record(self._unit, by, "incident.created", incident_id=row.id, title=row.title)
        return self.get(row.id)

    def change(
        self, by: Actor, incident_id: str, expected_revision: int, changes: dict[str, Any]
    ) -> Incident:
        """Change the given fields; raise StaleRevision when somebody else saved first."""
        row = self._db.get(models.Incident, incident_id, with_for_update=True)
        if row is None:
            raise NotFound("there is no such incident")
        if row.revision != expected_revision:
            raise StaleRevision(
                f"the incident was changed by somebody else (revision {row.revision}, "
                f"yours is {expected_revision}); your text is kept, compare and save again",
                self.get(incident_id),
            )
        owner = changes.get("owner_id")
        if owner is not None and self._db.get(models.User, owner) is None:
            raise Refused("there is no such user", "owner_id")
        if owner is not None and row.visibility == "private" and row.owner_id != owner:
            self._keep_as_lead(by, row)
        before = row.status
        for name, value in changes.items():
            setattr(row, name, _checked(name, value))
        row.revision += 1
        row.updated_at = func.now()
        self._db.flush()
        self._db.refresh(row)
        if "summary" in changes:
            Texts(self._unit).follow(incident_id, "summary", row.summary, by)
        moved = {"before": before, "after": row.status} if row.status != before else {}
        fields = sorted(changes)
        record(self._unit, by, "incident.changed", incident_id=incident_id, fields=fields, **moved)
        self._unit.notify(incident_id, "incident")
        if row.status != before:
            announce(
                self._unit,
                "incident.status_changed",
                incident_id,
                before=before,
                after=row.status,
            )
        return self.get(incident_id)

    def _keep_as_lead(self, by: Actor, row: models.Incident) -> None:
        """Let the owner who hands a private incident over stay a lead of it."""
        here = {"incident_id": row.id, "user_id": row.owner_id}
        member = self._db.scalar(select(models.IncidentMember).filter_by(**here))
        if member is None and row.owner_id is not None:
            self._db.add(models.IncidentMember(**here, role="lead", by_id=by.id))
        elif member is not None:
            member.role = "lead"
        self._db.flush()

    def delete(self, by: Actor, incident_id: str, why: str | None = None) -> None:
        """Move the incident and its content to the bin, and cancel its jobs.

        An admin can restore it.
        """
        Jobs(self._unit).cancel(incident_id)  # first, as workers lock a job, then its incident
        row = self._db.get(models.Incident, incident_id, with_for_update=True)
        if row is None or row.deleted_at is not None:
            raise NotFound("there is no such incident")
        if row.held_at is not None:
            raise Conflict(
                f"this incident is under a legal hold ({row.held_for}); admins release it"
            )
        row.deleted_at = row.archived_at = func.now()
        more = {} if why is None else {"why": why}
        record(self._unit, by, "incident.deleted", incident_id=incident_id, title=row.title, **more)
        self._db.flush()
        self._unit.notify(incident_id, "incident")
        self._unit.send(incident_id, ACCESS)

    def analysis_state(self, incident_id: str) -> AnalysisState:
        """Return the state of the last analysis."""
        return Jobs(self._unit).analysis_state(incident_id)

    def digest(self, incident_id: str, digest: dict[str, Any]) -> None:
        """Store the numbers that the list shows; derived, so the revision does not change."""
        row = self._db.get(models.Incident, incident_id)
        if row is not None:
            row.digest = clean_json(digest)
            self._db.flush()
            finding = row.digest.get("finding")
            alone = {f"finding:{finding['id']}": finding["title"]} if finding else {}
            self._replace_features(incident_id, row.digest.get("signature") or alone)

    def _replace_features(self, incident_id: str, features: Signature) -> None:
        from pileup.analysis.reasoning.similar import weight_of

        table = models.IncidentFeature
        self._db.execute(delete(table).where(table.incident_id == incident_id))
        if features:
            total = sum(map(weight_of, features))
            rows = [
                {
                    "incident_id": incident_id,
                    "feature": name,
                    "weight": weight_of(name),
                    "total": total,
                }
                for name in features
            ]
            self._db.execute(insert(table), rows)


def incident_record(row: models.Incident, owner: models.User | None) -> Incident:
    """Return the record of a row and its owner."""
    return Incident(
        id=row.id,
        title=row.title,
        status=row.status,  # type: ignore[arg-type]  # the table's check constraint guarantees it
        severity=row.severity,  # type: ignore[arg-type]
        service=row.service,
        summary=row.summary,
        owner=Person(owner.id, owner.name) if owner else None,
        visibility=row.visibility,  # type: ignore[arg-type]
        sample_id=row.sample_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
        revision=row.revision,
        archived=row.archived_at is not None,
    )


def _checked(name: str, value: Any) -> Any:
    if name == "title":
        return checked_title(value)
    if name == "service":
        return _short(value, name)
    return clean(value) if isinstance(value, str) else value


def checked_title(title: str) -> str:
    """Return a title as one line; raises Refused when it is empty or too long."""
    cleaned = " ".join(clean(title).split())
    if not cleaned or len(cleaned) > _TITLE_MAX:
        raise Refused(f"a title has 1 to {_TITLE_MAX} characters", "title")
    return cleaned


def _short(value: str | None, field: str) -> str | None:
    cleaned = clean(value or "").strip()
    if len(cleaned) > _TITLE_MAX:
        raise Refused(f"{field} has at most {_TITLE_MAX} characters", field)
    return cleaned or None
