"""Routes for signing in and out, and for the sessions of the signed-in user."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from fastapi import APIRouter, Request, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from pileup import __version__
from pileup.api.accounts.limits import MOST_CODES, LimitsDep, SignInLimits, client_of
from pileup.api.accounts.proof import WRONG_CODE
from pileup.api.auth import Caller, as_guest
from pileup.api.cookies import (
    DeviceSecret,
    SessionSecret,
    clear_session_cookies,
    set_device_cookie,
    set_session_cookies,
)
from pileup.api.deps import Services, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import In, Out
from pileup.api.trail import record_refused_sign_in
from pileup.storage import audit
from pileup.storage.accounts.accounts import Accounts, new_password
from pileup.storage.accounts.credentials import password_fits
from pileup.storage.accounts.guest_links import Guest, GuestLinks
from pileup.storage.accounts.records import User
from pileup.storage.accounts.second_factors import SecondFactors
from pileup.storage.accounts.sessions import Sessions
from pileup.storage.audit import Actor
from pileup.storage.database import Unit
from pileup.storage.errors import Refused

public = APIRouter(tags=["accounts"])
own = APIRouter(tags=["accounts"])


class Setup(Out):
    has_users: bool
    provider: str | None
    """Name of the OpenID Connect provider that signs in too, if there is one."""
    version: str


class Me(Out):
    user: User
    csrf: str | None
    """None for a token: it needs none."""
    incident_id: str | None = None
    """The only incident of a guest or token; None: whatever the user sees."""
    guest: bool = False
    """Nobody's account: reads that incident by a guest link."""
    redact: tuple[str, ...] = ()
    """Kinds of redaction of everything that a guest sees."""
    must_enroll: bool = False
    """Two factors are demanded, and this session has one: only setting up the second is open."""


class Code(In):
    code: str | None = Field(default=None, max_length=40)
    """Of the second factor, where the user has one: without it 422 with the field `code`."""


class Link(Code):
    link: str = Field(max_length=200)
    name: str | None = Field(default=None, max_length=200)
    email: str | None = Field(default=None, max_length=254)
    password: str | None = Field(default=None, max_length=1000)


class GuestSecret(In):
    link: str = Field(max_length=200)


class Password(Code):
    email: str = Field(max_length=254)
    password: str = Field(max_length=1000)


@public.get("/setup")
def setup(services: ServicesDep) -> Setup:
    """Report whether the first user still has to be created, and who else signs users in."""
    return Setup(
        has_users=services.has_users,
        provider=services.settings.oidc_name if services.settings.oidc_issuer else None,
        version=__version__,
    )


@public.post("/session/link")
async def sign_in_by_link(
    body: Link, request: Request, response: Response, services: ServicesDep, limits: LimitsDep
) -> Me:
    """Redeem a one-time link; before any user exists, the link creates the first admin."""

    def redeem() -> Me:
        client = client_of(request)
        try:
            with services.door_unit() as unit:
                whose = Accounts(unit).user_of_link(body.link)
            name, email = (whose.name, whose.email) if whose else (body.name or "", body.email)
            breached = services.settings.breached_passwords
            password = new_password(body.password, name, email, breached, stranger=True)
            with services.door_unit() as unit:
                user = Accounts(unit).redeem_link(body.link, body.name, body.email, password)
                both = _second_factor(unit, limits, client, user.id, body.code)
                audit.record(unit, Actor(user.id, user.name), "session.opened", how="link")
                return open_session(unit, request, response, services, user, two_factors=both)
        except Refused as refused:
            if refused.field != "link":
                raise
            record_refused_sign_in(services, client, "link", str(refused))
            raise ApiError(401, "This link does not work", str(refused)) from refused

    async with limits.late_refusals():
        return await limits.strangers.run(client_of(request), redeem)


@public.post("/session")
async def sign_in(
    body: Password,
    request: Request,
    response: Response,
    services: ServicesDep,
    limits: LimitsDep,
    device: DeviceSecret,
) -> Me:
    """Sign in with e-mail address and password."""
    client, account = client_of(request), body.email.strip().lower()
    known = bool(device) and await run_in_threadpool(_is_known, services, device, account)

    def check() -> Me:
        with services.door_unit() as unit:
            stored = Accounts(unit).for_sign_in(body.email)
        # outside of any transaction, because it takes long
        kept = stored.password_hash if stored else None
        fits = password_fits(kept, body.password, stranger=not known)
        if stored is not None and fits:
            with services.door_unit() as unit:
                both = _second_factor(
                    unit, limits, client, stored.id, body.code, known_device=known
                )
                audit.record(unit, stored.actor, "session.opened", how="password")
                user = Accounts(unit).user(stored.id)
                return open_session(unit, request, response, services, user, two_factors=both)
        limits.guesses.failed(client, account)
        raise ApiError(401, "Not signed in", "no user has this e-mail address and password")

    lane = limits.known_devices if known else limits.strangers
    async with limits.late_refusals():
        lane.need_place(client)  # before anything is read
        await run_in_threadpool(limits.check_guesses, client, account, known_device=known)
        return await lane.run(client, check)


@public.post("/session/guest")
async def open_guest_link(
    body: GuestSecret,
    request: Request,
    response: Response,
    services: ServicesDep,
    limits: LimitsDep,
) -> Me:
    """Open a guest link: this browser may read its incident until the link ends."""
    client = client_of(request)

    def open_link() -> Me:
        with services.door_unit() as unit:
            guest = GuestLinks(unit).open(body.link)
            if guest is not None:
                return _open_guest_session(unit, services, request, response, guest)
        record_refused_sign_in(services, client, "guest_link", "revoked or too old")
        raise ApiError(
            401,
            "This link does not work",
            "this guest link was revoked, or is too old; ask whoever sent it for another one",
        )

    async with limits.late_refusals():
        return await limits.guests.run(client, open_link)


def _open_guest_session(
    unit: Unit, services: Services, request: Request, response: Response, guest: Guest
) -> Me:
    lifetime = min(
        timedelta(hours=services.settings.session_lifetime_h), guest.expires_at - datetime.now(UTC)
    )
    session = Sessions(unit).open(guest, lifetime, request.headers.get("user-agent", ""))
    set_session_cookies(response, services, session.secret, session.csrf, session.expires_at)
    caller = as_guest(guest, session.csrf)
    unit.restrict(caller.access)
    audit.record(
        unit,
        caller.actor,
        "guest_link.opened",
        incident_id=guest.incident_id,
        target=guest.id,
        name=guest.name,
    )
    return Me(
        user=caller.user,
        csrf=session.csrf,
        incident_id=guest.incident_id,
        guest=True,
        redact=caller.redact,
    )


@own.get("/session")
def me(caller: Caller) -> Me:
    """Return who is calling; only who reads everything of theirs sees the e-mail address."""
    user = caller.user if caller.is_whole else replace(caller.user, email=None)
    return Me(
        user=user,
        csrf=caller.csrf,
        incident_id=caller.incident_id or None,
        guest=caller.via == "guest",
        redact=caller.redact,
        must_enroll=caller.must_enroll,
    )


@own.delete("/session", status_code=204)
def sign_out(
    caller: Caller, response: Response, services: ServicesDep, unit: UnitDep, secret: SessionSecret
) -> None:
    """End this session."""
    if secret and caller.via != "token":
        Sessions(unit).close(secret)
        audit.record(unit, caller.actor, "session.closed")
    clear_session_cookies(response, services)


def _second_factor(
    unit: Unit,
    limits: SignInLimits,
    client: str,
    user_id: str,
    code: str | None,
    *,
    known_device: bool = False,
) -> bool:
    """Check the code of a user who has a second factor; return whether there is one.

    Raises Refused, which undoes all.
    """
    factors = SecondFactors(unit)
    if not factors.is_on(user_id):
        return False
    if not code:
        raise Refused("enter the code of your authenticator app, or a recovery code", "code")
    limits.guesses.check(
        client, f"factor {user_id}", known_device=known_device, of_account=MOST_CODES
    )
    if not factors.accepts(user_id, code):
        limits.guesses.failed(client, f"factor {user_id}", "factor")
        raise Refused(WRONG_CODE, "code")
    return True


def _is_known(services: Services, device: str | None, account: str) -> bool:
    if not device:
        return False
    with services.door_unit() as unit:
        return Sessions(unit).knows_device(device, account)


def open_session(
    unit: Unit,
    request: Request,
    response: Response,
    services: Services,
    user: User,
    *,
    two_factors: bool,
) -> Me:
    """Open a session of the user and set its cookies; the browser is known from now on.

    two_factors: the user proved both, or signed in by the provider.
    """
    lifetime = timedelta(hours=services.settings.session_lifetime_h)
    agent = request.headers.get("user-agent", "")
    session = Sessions(unit).open(user, lifetime, agent, two_factors=two_factors)
    set_session_cookies(response, services, session.secret, session.csrf, session.expires_at)
    set_device_cookie(response, services, Sessions(unit).remember_device(user.id))
    enroll = services.settings.second_factor_required and not two_factors
    return Me(user=user, csrf=session.csrf, must_enroll=enroll)
