"""Pins: saved pointers to exact data and the view that shows it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, status
from pydantic import Field, StringConstraints

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, ServicesDep, UnitDep
from pileup.api.excerpts import Excerpts
from pileup.api.schema import In, Out
from pileup.storage.pins import PinRecord, Pins

router = APIRouter(tags=["pins"])

PinKind = Literal["lines", "series", "wait_node", "stack", "span", "finding"]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
ViewPath = Annotated[str, StringConstraints(pattern=r"^/incidents/", max_length=4000)]


class PinLocator(In):
    """Where a pin points: raw lines, or series over a window, or a moment and a node."""

    artifact: Sha256 | None = None
    path: str | None = Field(default=None, max_length=4000)
    line_first: int | None = Field(default=None, ge=1)
    line_last: int | None = Field(default=None, ge=1)
    series: list[str] | None = Field(default=None, max_length=50)
    start: datetime | None = None
    end: datetime | None = None
    at: datetime | None = None
    node: str | None = Field(default=None, max_length=1000)
    value: str | None = Field(default=None, max_length=1000)
    """The value as it was shown when it was pinned."""


class NewPin(In):
    kind: PinKind
    title: str = Field(min_length=1, max_length=500)
    locator: PinLocator
    view: ViewPath


class Pin(Out):
    id: str
    kind: PinKind
    title: str
    locator: PinLocator
    view: str
    excerpt: str | None
    stale: bool
    created_by: str | None
    created_at: datetime


@router.get("/incidents/{incident_id}/pins")
def list_pins(incident: IncidentDep, unit: UnitDep) -> list[Pin]:
    return [pin_out(pin) for pin in Pins(unit).of_incident(incident.id)]


@router.post("/incidents/{incident_id}/pins", status_code=status.HTTP_201_CREATED)
def create_pin(
    incident: IncidentDep, body: NewPin, unit: UnitDep, caller: Caller, services: ServicesDep
) -> Pin:
    """Keep a pointer to exact data; raw lines are copied as its excerpt."""
    locator = body.locator.model_dump(mode="json", exclude_none=True)
    where = body.locator
    raw = None
    if where.artifact and where.line_first:
        last = where.line_last or where.line_first
        raw = Excerpts(services, unit, incident.id).read(where.artifact, where.line_first, last)
    pin = Pins(unit).create(
        incident.id,
        kind=body.kind,
        title=body.title,
        locator=locator,
        view=body.view,
        excerpt=raw,
        by=caller.actor,
    )
    return pin_out(pin)


@router.delete("/pins/{pin_id}", status_code=status.HTTP_204_NO_CONTENT)
def withdraw_pin(pin_id: str, unit: UnitDep, caller: Caller) -> None:
    """Take a pin back; hypotheses that used it are flagged for review."""
    Pins(unit).withdraw(pin_id, by=caller.actor)


def pin_out(pin: PinRecord) -> Pin:
    return Pin.model_validate(pin)
