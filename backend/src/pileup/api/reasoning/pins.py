"""Routes for pins: saved pointers to exact data and the view that shows it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Response, status
from pydantic import Field, StringConstraints

from pileup.analysis.contract.base import MOST_RANGES
from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, ServicesDep, UnitDep
from pileup.api.schema import In, Out
from pileup.api.versioned import by_version
from pileup.storage.errors import NotFound
from pileup.storage.reasoning.pins import PinRecord, Pins
from pileup.views.reasoning.pictures import clean_svg
from pileup.views.reasoning.pin_places import Placer

router = APIRouter(tags=["pins"])

PinKind = Literal[
    "lines", "series", "wait_node", "wait_edge", "stack", "span", "row", "finding", "statement"
]
EvidenceKind = Literal["observation", "experiment", "absence", "testimony"]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
ViewPath = Annotated[str, StringConstraints(pattern=r"^/incidents/", max_length=4000)]
MAX_PICTURE = 200_000


class PinLines(In):
    """Lines of a file, both ends included."""

    first: int = Field(ge=1)
    last: int = Field(ge=1)


class PinLocator(In):
    """Target of a pin: raw lines, or series over a window, or a moment and a node."""

    artifact: Sha256 | None = None
    path: str | None = Field(default=None, max_length=4000)
    line_first: int | None = Field(default=None, ge=1)
    line_last: int | None = Field(default=None, ge=1)
    ranges: list[PinLines] | None = Field(default=None, max_length=MOST_RANGES)
    """The parts of scattered lines; empty: all between line_first and line_last."""
    series: list[str] | None = Field(default=None, max_length=50)
    start: datetime | None = None
    end: datetime | None = None
    at: datetime | None = None
    node: str | None = Field(default=None, max_length=1000)
    target: str | None = Field(default=None, max_length=1000)
    """The other end of an edge."""
    query: str | None = Field(default=None, max_length=4000)
    """What was searched or filtered for."""
    value: str | None = Field(default=None, max_length=1000)
    """The value as it was shown when it was pinned."""


class PinPlace(PinLocator):
    """The locator as stored: the server adds bytes and parser."""

    byte_start: int | None = None
    byte_end: int | None = None
    """Half-open: the bytes of the lines in the artifact."""
    parser: str | None = None
    parser_version: int | None = None
    fields: dict[str, list[str]] | None = None
    """Record kind to the fields that its value was made of."""


class NewPin(In):
    kind: PinKind
    evidence_kind: EvidenceKind = "observation"
    title: str = Field(min_length=1, max_length=500)
    locator: PinLocator
    view: ViewPath
    excerpt: str | None = Field(default=None, max_length=4000)
    """Only for testimony and absence, in a person's words; else the raw lines are taken."""
    picture: str | None = Field(default=None, max_length=MAX_PICTURE)
    """SVG of what the screen shows; only drawing elements are kept."""


class StaleAnswer(In):
    """Decision about a pin whose value changed."""

    accept: bool
    """True: the new value is what is pinned now. False: it stays stale, with both values shown."""
    reason: str = Field(default="", max_length=2000)


class Pin(Out):
    id: str
    label: str
    kind: PinKind
    evidence_kind: EvidenceKind
    title: str
    locator: PinPlace
    view: str
    excerpt: str | None
    picture: bool
    """Whether there is one: GET /pins/{id}/picture."""
    value: str | None
    stale: bool
    stale_since: datetime | None
    stale_why: str | None
    now_value: str | None
    kept: bool
    created_by: str | None
    created_at: datetime


@router.get("/incidents/{incident_id}/pins")
@by_version()
def list_pins(incident: IncidentDep, unit: UnitDep) -> list[Pin]:
    return [pin_out(pin) for pin in Pins(unit).of_incident(incident.id)]


@router.post("/incidents/{incident_id}/pins", status_code=status.HTTP_201_CREATED)
def create_pin(
    incident: IncidentDep, body: NewPin, unit: UnitDep, caller: Caller, services: ServicesDep
) -> Pin:
    """Store a pointer to exact data, with its value, and its raw lines as an excerpt."""
    locator = body.locator.model_dump(mode="json", exclude_none=True)
    placer = Placer(unit, services.placed, services.frames, services.blobs, incident.id)
    placed = placer.place(body.kind, body.evidence_kind, locator, body.view)
    pin = Pins(unit).create(
        incident.id,
        kind=body.kind,
        evidence_kind=body.evidence_kind,
        title=body.title,
        locator=placed.locator,
        view=body.view,
        excerpt=placed.excerpt or _own_words(body),
        picture=clean_svg(body.picture) if body.picture else None,
        value=placed.value,
        by=caller.actor,
    )
    return pin_out(pin)


@router.delete("/pins/{pin_id}", status_code=status.HTTP_204_NO_CONTENT)
def withdraw_pin(pin_id: str, unit: UnitDep, caller: Caller) -> None:
    """Withdraw a pin and flag the hypotheses that used it for review."""
    Pins(unit).withdraw(pin_id, by=caller.actor)


@router.post("/pins/{pin_id}/stale")
def answer_stale(pin_id: str, body: StaleAnswer, unit: UnitDep, caller: Caller) -> Pin:
    """Accept the new value of a stale pin or keep the old one; both are audited."""
    return pin_out(
        Pins(unit).resolve(pin_id, accept=body.accept, reason=body.reason, by=caller.actor)
    )


@router.get(
    "/pins/{pin_id}/picture",
    response_class=Response,
    responses={200: {"content": {"image/svg+xml": {"schema": {"type": "string"}}}}},
)
def pin_picture(pin_id: str, unit: UnitDep) -> Response:
    """Return the picture of the screen at the time of the pin."""
    picture = Pins(unit).picture(pin_id)
    if picture is None:
        raise NotFound("This pin has no picture.")
    return Response(
        picture,
        media_type="image/svg+xml",
        headers={
            "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
            "Cache-Control": "private, max-age=86400",
        },
    )


def _own_words(body: NewPin) -> str | None:
    """Return a person's own words where they are the evidence, never in place of raw lines."""
    return body.excerpt if body.evidence_kind in ("testimony", "absence") else None


def pin_out(pin: PinRecord) -> Pin:
    return Pin.model_validate(pin)
