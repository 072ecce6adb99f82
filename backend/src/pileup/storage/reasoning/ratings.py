"""Ratings, weights and openings of the matrix, append-only.

A person's current rating is their latest row; their rating at a time is their latest row until
then. The audit trail records that somebody rated, not the rating: others may not have rated that
cell yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from pileup.storage import models
from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit
from pileup.storage.errors import NotFound, Refused, StaleRevision


@dataclass(frozen=True, slots=True)
class Vote:
    pin_id: str
    hypothesis_id: str
    by_id: str
    by: str
    rating: str
    proposed_by: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Weight:
    credibility: str
    relevance: str
    revision: int
    """How often it was set; 0: never, so it is normal."""
    by: str | None
    at: datetime | None


UNSET = Weight("normal", "normal", 0, None, None)


class Ratings:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def rate(
        self,
        incident_id: str,
        pin_id: str,
        hypothesis_id: str,
        rating: str | None,
        *,
        by: Actor,
        proposed_by: str | None = None,
    ) -> None:
        """Rate a pin under a hypothesis; None clears it, an unchanged rating adds no row."""
        self._pin(incident_id, pin_id)
        self._hypothesis(incident_id, hypothesis_id)
        if by.id is None:
            raise Refused("Only people can rate.", "rating")
        last = self._session.scalar(
            select(models.Rating.rating)
            .where(
                models.Rating.pin_id == pin_id,
                models.Rating.hypothesis_id == hypothesis_id,
                models.Rating.by_id == by.id,
            )
            .order_by(models.Rating.at.desc(), models.Rating.id.desc())
            .limit(1)
        )
        if last == rating:
            return
        self._session.add(
            models.Rating(
                incident_id=incident_id,
                pin_id=pin_id,
                hypothesis_id=hypothesis_id,
                by_id=by.id,
                by_name=by.name,
                rating=rating,
                proposed_by=proposed_by,
            )
        )
        self._publish(incident_id, "matrix.rated", f"{pin_id}/{hypothesis_id}", by)

    def votes(self, incident_id: str, at: datetime | None = None) -> list[Vote]:
        """List everybody's current ratings, or those at a time, without cleared ones."""
        table = models.Rating
        wanted = select(table).where(table.incident_id == incident_id)
        if at is not None:
            wanted = wanted.where(table.at <= at)
        latest: dict[tuple[str, str, str], models.Rating] = {}
        for row in self._session.scalars(wanted.order_by(table.at, table.id)):
            latest[row.pin_id, row.hypothesis_id, row.by_id] = row
        return [
            Vote(
                row.pin_id,
                row.hypothesis_id,
                row.by_id,
                row.by_name,
                row.rating,
                row.proposed_by,
                row.at,
            )
            for row in latest.values()
            if row.rating is not None
        ]

    def moments(self, incident_id: str) -> list[datetime]:
        """List the times of changed ratings or weights, in order: the stops of the time slider."""
        moments = {
            at
            for table in (models.Rating, models.EvidenceWeight)
            for at in self._session.scalars(
                select(table.at).where(table.incident_id == incident_id)
            )
        }
        return sorted(moments)

    def weigh(
        self,
        incident_id: str,
        pin_id: str,
        *,
        credibility: str,
        relevance: str,
        revision: int,
        by: Actor,
    ) -> Weight:
        """Set the credibility and relevance of a pin for the whole team, with a revision."""
        self._pin(incident_id, pin_id, lock=True)
        now = self.weights(incident_id).get(pin_id, UNSET)
        if now.revision != revision:
            raise StaleRevision(
                "Somebody changed these weights after you opened them: reload.", now
            )
        if (now.credibility, now.relevance) == (credibility, relevance):
            return now
        self._session.add(
            models.EvidenceWeight(
                incident_id=incident_id,
                pin_id=pin_id,
                credibility=credibility,
                relevance=relevance,
                by_id=by.id,
                by_name=by.name,
            )
        )
        self._publish(
            incident_id, "matrix.weighed", pin_id, by, credibility=credibility, relevance=relevance
        )
        return self.weights(incident_id)[pin_id]

    def weights(self, incident_id: str, at: datetime | None = None) -> dict[str, Weight]:
        """Return weights by pin; a pin that is missing is normal in both."""
        table = models.EvidenceWeight
        wanted = select(table).where(table.incident_id == incident_id)
        if at is not None:
            wanted = wanted.where(table.at <= at)
        weights: dict[str, Weight] = {}
        for row in self._session.scalars(wanted.order_by(table.at, table.id)):
            before = weights.get(row.pin_id, UNSET)
            weights[row.pin_id] = Weight(
                row.credibility, row.relevance, before.revision + 1, row.by_name, row.at
            )
        return weights

    def open(
        self, incident_id: str, pin_id: str | None, hypothesis_id: str | None, *, by: Actor
    ) -> None:
        """Show everybody's ratings of a cell, a row, a column, or of all."""
        if pin_id is not None:
            self._pin(incident_id, pin_id)
        if hypothesis_id is not None:
            self._hypothesis(incident_id, hypothesis_id)
        self._session.add(
            models.MatrixOpening(
                incident_id=incident_id,
                pin_id=pin_id,
                hypothesis_id=hypothesis_id,
                by_id=by.id,
                by_name=by.name,
            )
        )
        self._publish(
            incident_id, "matrix.opened", f"{pin_id or 'all'}/{hypothesis_id or 'all'}", by
        )

    def openings(self, incident_id: str) -> set[tuple[str | None, str | None]]:
        """Return the opened (pin, hypothesis) pairs; None means all of them."""
        table = models.MatrixOpening
        rows = self._session.execute(
            select(table.pin_id, table.hypothesis_id).where(table.incident_id == incident_id)
        )
        return {(pin, hypothesis) for pin, hypothesis in rows}

    def _pin(self, incident_id: str, pin_id: str, *, lock: bool = False) -> None:
        wanted = select(models.Pin.id).where(
            models.Pin.id == pin_id,
            models.Pin.incident_id == incident_id,
            models.Pin.deleted_at.is_(None),
        )
        if self._session.scalar(wanted.with_for_update() if lock else wanted) is None:
            raise NotFound("There is no such pin in this incident; it may have been withdrawn.")

    def _hypothesis(self, incident_id: str, hypothesis_id: str) -> None:
        row = self._session.get(models.Hypothesis, hypothesis_id)
        if row is None or row.deleted_at is not None or row.incident_id != incident_id:
            raise NotFound("There is no such hypothesis in this incident.")

    def _publish(
        self, incident_id: str, action: str, target: str, by: Actor, **detail: str
    ) -> None:
        self._session.flush()
        record(self._unit, by, action, incident_id=incident_id, target=target, **detail)
        self._unit.notify(incident_id, "matrix", target)


def is_open(openings: set[tuple[str | None, str | None]], pin_id: str, hypothesis_id: str) -> bool:
    """Return whether the facilitator opened this cell, alone or with its row, column or all."""
    return not openings.isdisjoint(
        {(pin_id, hypothesis_id), (pin_id, None), (None, hypothesis_id), (None, None)}
    )
