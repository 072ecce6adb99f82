"""Routes for API tokens: each acts as its user, within its verbs, incident and lifetime."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter
from pydantic import Field

from pileup.api.auth import InBrowser
from pileup.api.deps import UnitDep
from pileup.api.schema import In, Out
from pileup.storage import audit
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.records import Verb
from pileup.storage.errors import Refused

own = APIRouter(tags=["accounts"])


class TokenOut(Out):
    id: str
    name: str
    verbs: list[Verb]
    incident_id: str | None
    """The only incident that it opens; None: every one that you see."""
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class NewTokenOut(TokenOut):
    token: str
    """Shown now and never again."""


class NewToken(In):
    name: str = Field(max_length=200)
    verbs: list[Verb] = Field(min_length=1, max_length=5)
    incident_id: str | None = Field(default=None, max_length=100)
    expires_at: datetime | None = None


@own.get("/tokens")
def tokens(caller: InBrowser, unit: UnitDep) -> list[TokenOut]:
    """List your tokens."""
    return [TokenOut.model_validate(token) for token in Accounts(unit).tokens(caller.user.id)]


@own.post("/tokens", status_code=201)
def create_token(body: NewToken, caller: InBrowser, unit: UnitDep) -> NewTokenOut:
    """Create a token that acts as you, within its verbs; a token cannot create another."""
    expires_at = body.expires_at
    if expires_at is not None and expires_at.tzinfo is None:
        raise Refused("say the zone of expires_at: 2027-01-31T00:00:00Z", "expires_at")
    if body.incident_id and "manage" in body.verbs:
        raise Refused("a token for one incident cannot decide who sees it", "verbs")
    token, secret = Accounts(unit).create_token(
        caller.user.id, body.name, body.verbs, expires_at, body.incident_id
    )
    audit.record(
        unit,
        caller.actor,
        "token.created",
        incident_id=token.incident_id,
        target=token.id,
        verbs=list(token.verbs),
    )
    return NewTokenOut(**TokenOut.model_validate(token).model_dump(), token=secret)


@own.delete("/tokens/{token_id}", status_code=204)
def revoke_token(token_id: str, caller: InBrowser, unit: UnitDep) -> None:
    """Revoke one of your tokens; it stops working at once."""
    Accounts(unit).revoke_token(caller.user.id, token_id)
    audit.record(unit, caller.actor, "token.revoked", target=token_id)
