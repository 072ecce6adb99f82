"""Webhooks: their subscriptions, and every delivery with its answer.

The domains call ``announce`` in the transaction that changes a state, so that an event is sent
when, and only when, the change is committed. Deliveries are jobs: a worker sends them, with growing
pauses, and gives up after the last attempt.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args

from sqlalchemy import select

from pileup.storage import models
from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean, clean_json, to_record
from pileup.storage.errors import NotFound
from pileup.storage.queue.jobs import Jobs

Event = Literal[
    "incident.status_changed",
    "analysis.finished",
    "hypothesis.status_changed",
    "experiment.finished",
    "report.approved",
]
EVENTS: tuple[Event, ...] = get_args(Event)

PAUSES = tuple(timedelta(seconds=s) for s in (10, 60, 300, 1800, 7200))
"""Before each further attempt; then the delivery has failed, and can be sent again by hand."""


@dataclass(frozen=True, slots=True)
class Webhook:
    id: str
    url: str
    events: list[str]
    enabled: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class DeliveryRecord:
    id: str
    webhook_id: str
    incident_id: str
    event: str
    payload: dict[str, Any]
    state: str
    attempts: int
    status_code: int | None
    answer: str | None
    created_at: datetime
    last_at: datetime | None


@dataclass(frozen=True, slots=True)
class Parcel:
    """Data that a worker needs to send one delivery."""

    delivery: DeliveryRecord
    url: str
    secret: str


def announce(unit: Unit, event: Event, incident_id: str, **data: Any) -> None:
    """Queue this event for every webhook subscribed to it; sent after this transaction commits."""
    session = unit.session
    hooks = [
        hook
        for hook in session.scalars(select(models.Webhook).where(models.Webhook.enabled.is_(True)))
        if event in hook.events
    ]
    if not hooks:
        return
    incident = session.get(models.Incident, incident_id)
    if incident is None:
        return
    for hook in hooks:
        delivery = models.WebhookDelivery(
            webhook_id=hook.id,
            incident_id=incident_id,
            event=event,
            payload=clean_json(
                {
                    "event": event,
                    "at": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
                    "incident": {
                        "id": incident.id,
                        "title": incident.title,
                        "status": incident.status,
                        "severity": incident.severity,
                    },
                    "data": data,
                }
            ),
        )
        session.add(delivery)
        session.flush()
        Jobs(unit).enqueue("webhook", delivery.id, incident_id)


class Webhooks:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def all(self) -> list[Webhook]:
        rows = self._session.scalars(select(models.Webhook).order_by(models.Webhook.id))
        return [to_record(Webhook, row) for row in rows]

    def create(self, url: str, events: list[str], *, by: Actor) -> tuple[Webhook, str]:
        """Create a webhook; return it with its secret, which cannot be read again."""
        secret = f"whs_{secrets.token_urlsafe(32)}"
        encrypted = self._unit.encryption.encrypt(secret)
        row = models.Webhook(url=clean(url), events=events, secret=encrypted, created_by_id=by.id)
        self._session.add(row)
        self._session.flush()
        record(self._unit, by, "webhook.created", target=row.id, url=row.url, events=events)
        return to_record(Webhook, row), secret

    def change(self, webhook_id: str, changes: dict[str, Any], *, by: Actor) -> Webhook:
        row = self._row(webhook_id)
        for name, value in changes.items():
            setattr(row, name, clean(value) if isinstance(value, str) else value)
        self._session.flush()
        record(self._unit, by, "webhook.changed", target=row.id, fields=sorted(changes))
        return to_record(Webhook, row)

    def delete(self, webhook_id: str, *, by: Actor) -> None:
        row = self._row(webhook_id)
        record(self._unit, by, "webhook.deleted", target=row.id, url=row.url)
        self._session.delete(row)
        self._session.flush()

    def deliveries(self, webhook_id: str, limit: int = 100) -> list[DeliveryRecord]:
        """List the webhook's deliveries, newest first."""
        self._row(webhook_id)
        rows = self._session.scalars(
            select(models.WebhookDelivery)
            .where(models.WebhookDelivery.webhook_id == webhook_id)
            .order_by(models.WebhookDelivery.id.desc())
            .limit(limit)
        )
        return [to_record(DeliveryRecord, row) for row in rows]

    def redeliver(self, webhook_id: str, delivery_id: str, *, by: Actor) -> DeliveryRecord:
        """Queue the delivery for sending now, with all attempts available again."""
        row = self._session.get(models.WebhookDelivery, delivery_id, with_for_update=True)
        if row is None or row.webhook_id != webhook_id:
            raise NotFound("There is no such delivery of this webhook.")
        row.state, row.attempts = "waiting", 0
        self._session.flush()
        Jobs(self._unit).enqueue("webhook", row.id, row.incident_id)
        record(self._unit, by, "webhook.redelivered", target=webhook_id, delivery=row.id)
        return to_record(DeliveryRecord, row)

    def parcel(self, delivery_id: str) -> Parcel | None:
        """Return the data to send; None when it was sent, or the webhook is off."""
        row = self._session.get(models.WebhookDelivery, delivery_id)
        hook = self._session.get(models.Webhook, row.webhook_id) if row else None
        if row is None or hook is None or not hook.enabled or row.state != "waiting":
            return None
        secret = self._unit.encryption.decrypt(hook.secret)
        return Parcel(to_record(DeliveryRecord, row), hook.url, secret)

    def record_answer(self, delivery_id: str, status_code: int | None, answer: str) -> None:
        """Record an attempt: delivered for a 2xx, else retried after a pause, or failed."""
        row = self._session.get(models.WebhookDelivery, delivery_id, with_for_update=True)
        if row is None:
            return
        row.attempts += 1
        row.status_code, row.answer, row.last_at = status_code, clean(answer), datetime.now(UTC)
        if status_code is not None and 200 <= status_code < 300:
            row.state = "delivered"
        elif row.attempts > len(PAUSES):
            row.state = "failed"
        else:
            pause = PAUSES[row.attempts - 1]
            Jobs(self._unit).enqueue("webhook", row.id, row.incident_id, delay=pause)
        self._session.flush()

    def _row(self, webhook_id: str) -> models.Webhook:
        row = self._session.get(models.Webhook, webhook_id, with_for_update=True)
        if row is None:
            raise NotFound("There is no such webhook.")
        return row
