"""Route for presence: which screen a person sees, and where their cursor is.

Presence is sent to everybody in the incident but guests and tokens of one incident, and stored
nowhere. A browser reports it on every move and every ten seconds; a person who is silent for
thirty seconds has left.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, status
from pydantic import Field

from pileup.api.auth import Caller, need
from pileup.api.deps import IncidentDep, UnitDep
from pileup.api.schema import In

own = APIRouter(tags=["presence"])

Position = Annotated[str, Field(max_length=400, pattern=r"^[ -~]*$")]
"""A Yjs relative position as JSON: it stays at its letter while others type."""


class Cursor(In):
    anchor: Position
    head: Position


class Presence(In):
    tab: Annotated[str, Field(min_length=8, max_length=40, pattern=r"^[A-Za-z0-9-]+$")]
    """Made up by the browser, one per tab."""
    address: Annotated[str, Field(max_length=1800, pattern=r"^/[ -~]*$")]
    """Path and search of what is on the screen."""
    text: Annotated[str, Field(max_length=120)] | None = None
    cursor: Cursor | None = None
    follow: bool = False
    """Whether others are invited to follow."""
    left: bool = False


@own.post("/incidents/{incident_id}/presence", status_code=status.HTTP_204_NO_CONTENT)
def be_present(incident: IncidentDep, body: Presence, unit: UnitDep, caller: Caller) -> None:
    """Report where you are, or that you leave."""
    need(caller, "read")
    unit.send(
        incident.id,
        "presence",
        f"{caller.user.id}.{body.tab}",  # nobody speaks for the tab of another
        name=caller.user.name[:200],
        user_id=caller.user.id,
        **body.model_dump(exclude={"tab"}),
    )
