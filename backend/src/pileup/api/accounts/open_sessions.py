"""Routes for the browsers that are signed in as you: list them, and end them."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter
from pydantic import Field

from pileup.api.accounts.limits import LimitsDep
from pileup.api.accounts.proof import Proof, need_proof
from pileup.api.auth import InBrowser
from pileup.api.cookies import SessionSecret
from pileup.api.deps import ServicesDep, UnitDep
from pileup.api.schema import Out
from pileup.storage import audit
from pileup.storage.accounts.sessions import Sessions, end_sessions

own = APIRouter(tags=["accounts"])


class SessionEnd(Proof):
    session_id: str | None = Field(default=None, max_length=60)
    """None: every session but the one that asks."""


class OpenSession(Out):
    id: str
    agent: str
    """The browser, as it names itself."""
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    current: bool


@own.get("/session/all")
def open_sessions(caller: InBrowser, unit: UnitDep, secret: SessionSecret) -> list[OpenSession]:
    """List your open sessions, the last used first."""
    return [
        OpenSession.model_validate(session)
        for session in Sessions(unit).of_user(caller.user.id, secret)
    ]


@own.post("/session/all/end", status_code=204)
async def end_session(
    body: SessionEnd,
    caller: InBrowser,
    services: ServicesDep,
    limits: LimitsDep,
    secret: SessionSecret,
) -> None:
    """End one of your sessions, or every other one: its browser is signed out at once.

    A session that is older than ten minutes proves again who you are, by the password or a code.
    """

    def end() -> None:
        need_proof(services, limits, caller.user.id, secret, body)
        with services.unit(caller.access) as unit:
            if body.session_id is None:
                end_sessions(unit, caller.user.id, but=secret)
            else:
                Sessions(unit).end(caller.user.id, body.session_id)
            audit.record(unit, caller.actor, "session.ended", target=body.session_id)

    await limits.known_devices.run(caller.user.id, end)
