"""Routes for webhooks, for admins: the systems that get state changes, and deliveries."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, status
from pydantic import AfterValidator, Field

from pileup.api.auth import AdminDep
from pileup.api.deps import UnitDep
from pileup.api.schema import In, Out
from pileup.storage.incidents.webhooks import Event, Webhook, Webhooks

router = APIRouter(tags=["webhooks"])


def _http(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise ValueError("an address like https://host/path, without user and password")
    _ = parts.port  # raises when it is none
    return url


Url = Annotated[str, Field(max_length=2000, pattern=r"^https?://[!-~]+$"), AfterValidator(_http)]
Events = Annotated[list[Event], Field(min_length=1, max_length=20)]


class NewWebhook(In):
    url: Url
    events: Events


class WebhookChange(In):
    url: Url | None = None
    events: Events | None = None
    enabled: bool | None = None


class MadeWebhook(Out):
    id: str
    url: str
    events: list[str]
    enabled: bool
    created_at: datetime
    secret: str
    """Shown this once: it verifies the signature of what is sent."""


class Delivery(Out):
    id: str
    incident_id: str
    event: str
    payload: dict[str, Any]
    state: str
    attempts: int
    status_code: int | None
    answer: str | None
    created_at: datetime
    last_at: datetime | None


@router.get("/webhooks")
def list_webhooks(_: AdminDep, unit: UnitDep) -> list[Webhook]:
    return Webhooks(unit).all()


@router.post("/webhooks", status_code=status.HTTP_201_CREATED)
def create_webhook(body: NewWebhook, by: AdminDep, unit: UnitDep) -> MadeWebhook:
    """Create a webhook; only this response shows its secret."""
    made, secret = Webhooks(unit).create(body.url, list(body.events), by=by.actor)
    return MadeWebhook(**asdict(made), secret=secret)


@router.patch("/webhooks/{webhook_id}")
def change_webhook(webhook_id: str, body: WebhookChange, by: AdminDep, unit: UnitDep) -> Webhook:
    changes = {k: v for k, v in body.model_dump(exclude_unset=True).items() if v is not None}
    return Webhooks(unit).change(webhook_id, changes, by=by.actor)


@router.delete("/webhooks/{webhook_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_webhook(webhook_id: str, by: AdminDep, unit: UnitDep) -> None:
    """Delete a webhook and the log of its deliveries."""
    Webhooks(unit).delete(webhook_id, by=by.actor)


@router.get("/webhooks/{webhook_id}/deliveries")
def list_deliveries(webhook_id: str, _: AdminDep, unit: UnitDep) -> list[Delivery]:
    """List the last hundred deliveries, newest first."""
    return [Delivery.model_validate(delivery) for delivery in Webhooks(unit).deliveries(webhook_id)]


@router.post("/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver")
def redeliver(webhook_id: str, delivery_id: str, by: AdminDep, unit: UnitDep) -> Delivery:
    """Send a delivery again."""
    return Delivery.model_validate(Webhooks(unit).redeliver(webhook_id, delivery_id, by=by.actor))
