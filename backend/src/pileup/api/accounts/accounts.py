"""Routes for sign-in, users and API tokens."""

from __future__ import annotations

import time
from collections import deque
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Annotated, Literal

from fastapi import APIRouter, Cookie, Depends, Response
from pydantic import Field

from pileup import __version__
from pileup.api.auth import (
    SESSION_COOKIE,
    AdminDep,
    Caller,
    admin,
    clear_session_cookies,
    set_session_cookies,
)
from pileup.api.deps import Services, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import In, Out
from pileup.storage import audit
from pileup.storage.accounts.accounts import Accounts, Role, Scope, User
from pileup.storage.audit import Actor
from pileup.storage.database import Unit
from pileup.storage.errors import Refused

public = APIRouter(tags=["accounts"])
own = APIRouter(tags=["accounts"])
router = APIRouter(tags=["accounts"])

_ATTEMPTS = 10
_WINDOW_S = 300.0
_INVITED_FOR = timedelta(days=3)


class Setup(Out):
    has_users: bool
    version: str


class Me(Out):
    user: User
    csrf: str | None
    """None for a token: it needs none."""


class Link(In):
    link: str = Field(max_length=200)
    name: str | None = Field(default=None, max_length=200)
    email: str | None = Field(default=None, max_length=254)
    password: str | None = Field(default=None, max_length=1000)


class Password(In):
    email: str = Field(max_length=254)
    password: str = Field(max_length=1000)


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


class SignInLink(Out):
    link: str
    """The secret that `/sign-in?link=` takes; shown now and never again."""
    expires_at: datetime


class UserChange(In):
    name: str | None = Field(default=None, max_length=200)
    role: Role | None = None
    password: str | None = Field(default=None, max_length=1000)
    disabled: bool | None = None


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


@public.get("/setup")
def setup(unit: UnitDep) -> Setup:
    """Report whether the first user still has to be created."""
    return Setup(has_users=Accounts(unit).has_users(), version=__version__)


@public.post("/session/link")
def sign_in_by_link(body: Link, response: Response, services: ServicesDep, unit: UnitDep) -> Me:
    """Redeem a one-time link; before any user exists, the link creates the first admin."""
    try:
        user = Accounts(unit).redeem_link(body.link, body.name, body.email, body.password)
    except Refused as refused:
        if refused.field == "link":
            raise ApiError(401, "This link does not work", str(refused)) from refused
        raise
    audit.record(unit, Actor(user.id, user.name), "session.opened", how="link")
    return _open(unit, response, services, user)


@public.post("/session")
def sign_in(body: Password, response: Response, services: ServicesDep, unit: UnitDep) -> Me:
    """Sign in with e-mail address and password."""
    key = body.email.strip().lower()
    _throttle.check(key)
    user = Accounts(unit).by_password(body.email, body.password)
    if user is None:
        _throttle.failed(key)
        raise ApiError(401, "Not signed in", "no user has this e-mail address and password")
    audit.record(unit, Actor(user.id, user.name), "session.opened", how="password")
    return _open(unit, response, services, user)


@own.get("/session")
def me(caller: Caller) -> Me:
    """Return the signed-in user."""
    return Me(user=caller.user, csrf=caller.csrf)


@own.delete("/session", status_code=204)
def sign_out(
    response: Response,
    unit: UnitDep,
    secret: Annotated[str | None, Cookie(alias=SESSION_COOKIE, include_in_schema=False)] = None,
) -> None:
    """End this session."""
    if secret:
        Accounts(unit).close_session(secret)
    clear_session_cookies(response)


@own.patch("/session/user")
def change_profile(
    body: ProfileChange,
    caller: Caller,
    unit: UnitDep,
    secret: Annotated[str | None, Cookie(alias=SESSION_COOKIE, include_in_schema=False)] = None,
) -> User:
    """Change your own name or password; a new password ends your other sessions."""
    if caller.via == "token":
        raise ApiError(403, "Not with a token", "change your profile in the browser")
    key = f"profile {caller.user.id}"
    if body.password is not None:
        _throttle.check(key)
    try:
        user = Accounts(unit).change_profile(
            caller.user.id,
            name=body.name,
            current_password=body.current_password,
            password=body.password,
            session=secret,
        )
    except Refused as refused:
        if refused.field == "current_password":
            _throttle.failed(key)
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
        user_id, name=body.name, role=body.role, password=body.password, disabled=body.disabled
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
    """Create a token that acts as you, within its scope."""
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


def _open(unit: Unit, response: Response, services: Services, user: User) -> Me:
    lifetime = timedelta(hours=services.settings.session_lifetime_h)
    session = Accounts(unit).open_session(user, lifetime)
    set_session_cookies(response, services, session.secret, session.csrf, session.expires_at)
    return Me(user=user, csrf=session.csrf)


class _Throttle:
    """Pause sign-in for an address after ten wrong passwords.

    The count is per process, which is enough to make guessing hopeless against Argon2.
    """

    def __init__(self) -> None:
        self._failures: dict[str, deque[float]] = {}
        self._lock = Lock()

    def check(self, key: str) -> None:
        with self._lock:
            recent = self._failures.get(key)
            while recent and recent[0] < time.monotonic() - _WINDOW_S:
                recent.popleft()
            if recent and len(recent) >= _ATTEMPTS:
                raise ApiError(
                    429,
                    "Too many attempts",
                    "too many wrong passwords for this address; wait five minutes",
                    Retry_After=str(int(_WINDOW_S)),
                )

    def failed(self, key: str) -> None:
        with self._lock:
            if len(self._failures) > 10_000:
                self._failures.clear()
            self._failures.setdefault(key, deque(maxlen=_ATTEMPTS)).append(time.monotonic())


_throttle = _Throttle()
