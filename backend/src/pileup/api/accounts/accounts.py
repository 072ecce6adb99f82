"""Routes for your own profile, users and API tokens."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Cookie, Depends
from pydantic import Field

from pileup.api.accounts.limits import LimitsDep
from pileup.api.auth import (
    SESSION_COOKIE,
    AdminDep,
    Caller,
    admin,
)
from pileup.api.deps import UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import In, Out
from pileup.storage import audit
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.records import Scope, User
from pileup.storage.errors import Refused
from pileup.storage.roles import Role

own = APIRouter(tags=["accounts"])
router = APIRouter(tags=["accounts"])

_INVITED_FOR = timedelta(days=3)


class NewUser(In):
    name: str = Field(max_length=200)
    email: str = Field(max_length=254)
    role: Role = "contributor"
    password: str | None = Field(default=None, max_length=1000)
    """None: the user chooses one with an invitation link (`POST /users/{user_id}/link`)."""


class ProfileChange(In):
    name: str | None = Field(default=None, max_length=200)
    current_password: str | None = Field(default=None, max_length=1000)
    """Needed for a new password, where there is one."""
    password: str | None = Field(default=None, max_length=1000)
    end_tokens: bool | None = None
    """Whether a new password also revokes your API tokens; it does unless this is false."""


class SignInLink(Out):
    link: str
    """The secret that `/sign-in?link=` takes; shown now and never again."""
    expires_at: datetime


class UserChange(In):
    name: str | None = Field(default=None, max_length=200)
    role: Role | None = None
    password: str | None = Field(default=None, max_length=1000)
    disabled: bool | None = None
    end_tokens: bool | None = None
    """Whether a new password also revokes the user's tokens; it does unless this is false."""


class TokenOut(Out):
    id: str
    name: str
    scope: Scope
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class NewTokenOut(TokenOut):
    token: str
    """Shown now and never again."""


class NewToken(In):
    name: str = Field(max_length=200)
    scope: Literal["push", "read", "full"]
    expires_at: datetime | None = None


@own.patch("/session/user")
def change_profile(
    body: ProfileChange,
    caller: Caller,
    unit: UnitDep,
    limits: LimitsDep,
    secret: Annotated[str | None, Cookie(alias=SESSION_COOKIE, include_in_schema=False)] = None,
) -> User:
    """Change your own name or password; a new password ends your other sessions, tokens too."""
    if caller.via == "token":
        raise ApiError(403, "Not with a token", "change your profile in the browser")
    key = f"profile {caller.user.id}"
    if body.password is not None:
        limits.guesses.check(caller.user.id, key, known_device=True)
    try:
        user = Accounts(unit).change_profile(
            caller.user.id,
            name=body.name,
            current_password=body.current_password,
            password=body.password,
            session=secret,
            end_tokens=body.end_tokens is not False,
        )
    except Refused as refused:
        if refused.field == "current_password":
            limits.guesses.failed(caller.user.id, key)
        raise
    fields = sorted(body.model_fields_set - {"current_password"})
    audit.record(unit, caller.actor, "profile.changed", target=user.id, fields=fields)
    return user


@router.get("/users", dependencies=[Depends(admin)])
def users(unit: UnitDep) -> list[User]:
    """List all users."""
    return Accounts(unit).users()


@router.post("/users", status_code=201)
def create_user(body: NewUser, by: AdminDep, unit: UnitDep) -> User:
    """Create a user, who signs in with e-mail address and password, or is invited by link."""
    user = Accounts(unit).create_user(body.name, body.email, body.role, body.password)
    audit.record(unit, by.actor, "user.created", target=user.id, name=user.name, role=user.role)
    return user


@router.patch("/users/{user_id}")
def change_user(user_id: str, body: UserChange, by: AdminDep, unit: UnitDep) -> User:
    """Change the name, role or password of a user, or disable the user."""
    user = Accounts(unit).change_user(
        user_id,
        name=body.name,
        role=body.role,
        password=body.password,
        disabled=body.disabled,
        end_tokens=body.end_tokens is not False,
    )
    fields = sorted(body.model_fields_set)
    audit.record(unit, by.actor, "user.changed", target=user.id, fields=fields, role=user.role)
    return user


@router.post("/users/{user_id}/link", status_code=201)
def create_user_link(user_id: str, by: AdminDep, unit: UnitDep) -> SignInLink:
    """Create a link that signs a user in once and lets them choose a password."""
    expires_at = datetime.now(UTC) + _INVITED_FOR
    link = Accounts(unit).create_link(_INVITED_FOR, user_id)
    audit.record(unit, by.actor, "user.invited", target=user_id)
    return SignInLink(link=link, expires_at=expires_at)


@router.get("/tokens")
def tokens(caller: Caller, unit: UnitDep) -> list[TokenOut]:
    """List your tokens."""
    return [TokenOut.model_validate(token) for token in Accounts(unit).tokens(caller.user.id)]


@router.post("/tokens", status_code=201)
def create_token(body: NewToken, caller: Caller, unit: UnitDep) -> NewTokenOut:
    """Create a token that acts as you, within its scope; a token cannot create another."""
    if caller.via == "token":
        raise ApiError(
            403, "Not with a token", "create tokens in the browser, or they would never end"
        )
    expires_at = body.expires_at
    if expires_at is not None and expires_at.tzinfo is None:
        raise Refused("say the zone of expires_at: 2027-01-31T00:00:00Z", "expires_at")
    token, secret = Accounts(unit).create_token(caller.user.id, body.name, body.scope, expires_at)
    audit.record(unit, caller.actor, "token.created", target=token.id, scope=token.scope)
    return NewTokenOut(**TokenOut.model_validate(token).model_dump(), token=secret)


@router.delete("/tokens/{token_id}", status_code=204)
def revoke_token(token_id: str, caller: Caller, unit: UnitDep) -> None:
    """Revoke one of your tokens; it stops working at once."""
    Accounts(unit).revoke_token(caller.user.id, token_id)
    audit.record(unit, caller.actor, "token.revoked", target=token_id)
