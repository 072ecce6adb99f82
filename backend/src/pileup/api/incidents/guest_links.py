"""Routes for guest links: its leads show an incident to people without an account."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter
from pydantic import Field

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, UnitDep
from pileup.api.schema import In, Out
from pileup.storage import audit
from pileup.storage.accounts.guest_links import GuestLink, GuestLinks
from pileup.storage.database import Unit
from pileup.storage.errors import Forbidden, Refused
from pileup.storage.incidents.members import Members
from pileup.storage.reports.releases import Releases
from pileup.views.reports.export import redaction_kinds

router = APIRouter(tags=["access"])


class NewGuestLink(In):
    name: str = Field(max_length=200)
    """Whom it is for."""
    expires_at: datetime
    """At most 90 days away."""
    redact: str = Field(default="", max_length=100)
    """What to replace by tokens in everything that the link shows: a profile's name, or kinds."""


class NewGuestLinkOut(Out):
    link: GuestLink
    secret: str
    """What follows `/guest#`; shown now and never again."""


@router.get("/incidents/{incident_id}/guest-links")
def guest_links(incident: IncidentDep, unit: UnitDep) -> list[GuestLink]:
    """List the valid guest links of the incident, newest first; for its leads."""
    _must_lead(unit, incident.id)
    return GuestLinks(unit).of_incident(incident.id)


@router.post("/incidents/{incident_id}/guest-links", status_code=201)
def create_guest_link(
    incident: IncidentDep, body: NewGuestLink, caller: Caller, unit: UnitDep
) -> NewGuestLinkOut:
    """Create a link that shows this incident, and nothing else, to whoever has it."""
    _must_lead(unit, incident.id)
    if body.expires_at.tzinfo is None:
        raise Refused("say the zone of expires_at: 2027-01-31T00:00:00Z", "expires_at")
    kinds = redaction_kinds(unit, body.redact)
    if kinds:
        Releases(unit).redaction_key(incident.id)  # a guest may not make it
    link, secret = GuestLinks(unit).create(
        caller.actor, incident.id, body.name, body.expires_at, kinds
    )
    audit.record(
        unit,
        caller.actor,
        "guest_link.created",
        incident_id=incident.id,
        target=link.id,
        name=link.name,
        expires_at=link.expires_at.isoformat(),
        redact=link.redact,
    )
    return NewGuestLinkOut(link=link, secret=secret)


@router.delete("/incidents/{incident_id}/guest-links/{link_id}", status_code=204)
def revoke_guest_link(incident: IncidentDep, link_id: str, caller: Caller, unit: UnitDep) -> None:
    """Revoke a guest link; whoever opened it sees nothing from now on."""
    _must_lead(unit, incident.id)
    link = GuestLinks(unit).revoke(incident.id, link_id)
    audit.record(
        unit,
        caller.actor,
        "guest_link.revoked",
        incident_id=incident.id,
        target=link.id,
        name=link.name,
    )


def _must_lead(unit: Unit, incident_id: str) -> None:
    if Members(unit).role(incident_id) != "lead":
        raise Forbidden("only a lead of this incident shows it to guests")
