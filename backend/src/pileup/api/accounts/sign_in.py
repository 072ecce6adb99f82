"""Routes for signing in and out, and for the sessions of the signed-in user."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Cookie, Request, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from pileup import __version__
from pileup.api.accounts.limits import LimitsDep
from pileup.api.auth import (
    DEVICE_COOKIE,
    SESSION_COOKIE,
    Caller,
    Principal,
    clear_session_cookies,
    set_device_cookie,
    set_session_cookies,
)
from pileup.api.deps import Services, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import In, Out
from pileup.storage import audit
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.credentials import password_fits
from pileup.storage.accounts.records import User
from pileup.storage.accounts.sessions import Sessions
from pileup.storage.audit import MACHINE, Actor
from pileup.storage.database import Unit
from pileup.storage.errors import Refused

public = APIRouter(tags=["accounts"])
own = APIRouter(tags=["accounts"])

Secret = Annotated[str | None, Cookie(alias=SESSION_COOKIE, include_in_schema=False)]
Device = Annotated[str | None, Cookie(alias=DEVICE_COOKIE, include_in_schema=False)]


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


class OpenSession(Out):
    id: str
    agent: str
    """The browser, as it names itself."""
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    current: bool


@public.get("/setup")
def setup(unit: UnitDep) -> Setup:
    """Report whether the first user still has to be created."""
    return Setup(has_users=Accounts(unit).has_users(), version=__version__)


@public.post("/session/link")
async def sign_in_by_link(
    body: Link, request: Request, response: Response, services: ServicesDep, limits: LimitsDep
) -> Me:
    """Redeem a one-time link; before any user exists, the link creates the first admin."""

    def redeem() -> Me:
        with services.unit() as unit:
            try:
                user = Accounts(unit).redeem_link(body.link, body.name, body.email, body.password)
            except Refused as refused:
                if refused.field == "link":
                    raise ApiError(401, "This link does not work", str(refused)) from refused
                raise
            audit.record(unit, Actor(user.id, user.name), "session.opened", how="link")
            return _open(unit, request, response, services, user)

    async with limits.late_refusals():
        return await limits.strangers.run(_client(request), redeem)


@public.post("/session")
async def sign_in(
    body: Password,
    request: Request,
    response: Response,
    services: ServicesDep,
    limits: LimitsDep,
    device: Device = None,
) -> Me:
    """Sign in with e-mail address and password."""
    client, account = _client(request), body.email.strip().lower()
    known = bool(device) and await run_in_threadpool(_is_known, services, device, account)

    def check() -> Me:
        with services.unit() as unit:
            stored = Accounts(unit).for_sign_in(body.email)
        # outside of any transaction, because it takes long
        fits = password_fits(stored.password_hash if stored else None, body.password)
        with services.unit() as unit:
            if stored is not None and fits:
                audit.record(unit, stored.actor, "session.opened", how="password")
                return _open(unit, request, response, services, Accounts(unit).user(stored.id))
            if limits.guesses.failed(client, account) in _RECORDED:
                audit.record(unit, MACHINE, "session.refused", client=client, account=account)
        raise ApiError(401, "Not signed in", "no user has this e-mail address and password")

    lane = limits.known_devices if known else limits.strangers
    async with limits.late_refusals():
        limits.guesses.check(client, account, known_device=known)
        return await lane.run(client, check)


_RECORDED = (1, 10)
"""Which wrong passwords are recorded: a flood of guesses must not fill the disk."""


@own.get("/session")
def me(caller: Caller) -> Me:
    """Return the signed-in user; a push token does not see the e-mail address."""
    user = caller.user if caller.scope != "push" else replace(caller.user, email=None)
    return Me(user=user, csrf=caller.csrf)


@own.delete("/session", status_code=204)
def sign_out(caller: Caller, response: Response, unit: UnitDep, secret: Secret = None) -> None:
    """End this session."""
    if secret:
        Sessions(unit).close(secret)
        audit.record(unit, caller.actor, "session.closed")
    clear_session_cookies(response)


@own.get("/session/all")
def open_sessions(caller: Caller, unit: UnitDep, secret: Secret = None) -> list[OpenSession]:
    """List your open sessions, the last used first."""
    _in_browser(caller)
    return [
        OpenSession.model_validate(session)
        for session in Sessions(unit).of_user(caller.user.id, secret)
    ]


@own.delete("/session/all/{session_id}", status_code=204)
def end_session(session_id: str, caller: Caller, unit: UnitDep) -> None:
    """End one of your sessions: its browser is signed out at once."""
    _in_browser(caller)
    Sessions(unit).end(caller.user.id, session_id)
    audit.record(unit, caller.actor, "session.ended", target=session_id)


def _in_browser(caller: Principal) -> None:
    if caller.via == "token":
        raise ApiError(403, "Not with a token", "list and end sessions in the browser")


def _is_known(services: Services, device: str | None, account: str) -> bool:
    if not device:
        return False
    with services.unit() as unit:
        return Sessions(unit).knows_device(device, account)


def _client(request: Request) -> str:
    return request.client.host if request.client else "unknown"


def _open(unit: Unit, request: Request, response: Response, services: Services, user: User) -> Me:
    lifetime = timedelta(hours=services.settings.session_lifetime_h)
    agent = request.headers.get("user-agent", "")
    session = Sessions(unit).open(user, lifetime, agent)
    set_session_cookies(response, services, session.secret, session.csrf, session.expires_at)
    set_device_cookie(response, services, Sessions(unit).remember_device(user.id))
    return Me(user=user, csrf=session.csrf)
