"""Routes for sign-in through an OpenID Connect provider.

A browser leaves for the provider and comes back with a code. What it brings back counts once, in
the browser that left, for ten minutes. A user is known by the provider's subject alone: an equal
e-mail address opens no account. Users link their identity themselves, signed in.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

import structlog
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from pileup.api.accounts.limits import client_of
from pileup.api.accounts.oidc_provider import Identity, Provider, ProviderError
from pileup.api.accounts.sign_in import open_session
from pileup.api.auth import InBrowser, identify
from pileup.api.cookies import cookie_name, read_cookie
from pileup.api.deps import Services, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import Out
from pileup.api.trail import record_refused_sign_in
from pileup.storage import audit
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.identities import (
    LIFETIME,
    Attempt,
    Identities,
    LinkedIdentity,
    NewAttempt,
)
from pileup.storage.accounts.records import User
from pileup.storage.audit import Actor
from pileup.storage.database import Unit
from pileup.storage.errors import Conflict

public = APIRouter(tags=["accounts"])
own = APIRouter(tags=["accounts"])

_COOKIE = "pileup_oidc"
_SCREEN = re.compile(r"/(?![/\\])[!-\[\]-~]*")
"""A path of this host: never //host, a backslash or a control character."""

Trouble = Literal["off", "failed", "provider", "unknown", "address", "disabled", "linked"]
"""Why nobody was signed in; the sign-in page words it."""

log = structlog.get_logger()


class Departure(Out):
    address: str
    """Where the browser goes to sign in at the provider."""


class _NobodyError(Exception):
    def __init__(self, why: Trouble) -> None:
        super().__init__(why)
        self.why: Trouble = why


@public.get("/session/oidc", response_class=RedirectResponse, status_code=303)
async def sign_in_by_provider(
    request: Request,
    services: ServicesDep,
    next_: Annotated[str, Query(alias="next", max_length=2000)] = "/",
) -> Response:
    """Send the browser to the provider, and afterwards to the screen `next`."""
    provider = _provider(request)
    if provider is None:
        return _back("off")
    try:
        new, address = await run_in_threadpool(_depart, request, services, provider, next_)
    except ProviderError as error:
        log.error("oidc.failed", error=str(error))
        return _back("provider")
    response = RedirectResponse(address, status_code=303)
    _remember(response, services, new)
    return response


@own.post("/session/identities")
def link_identity(
    request: Request, response: Response, caller: InBrowser, services: ServicesDep
) -> Departure:
    """Begin to link your identity at the provider; the browser goes to `address`."""
    provider = _provider(request)
    if provider is None:
        raise ApiError(409, "No provider", "this installation has no provider to sign in with")
    try:
        new, address = _depart(request, services, provider, "/settings", caller.user.id)
    except ProviderError as error:
        log.error("oidc.failed", error=str(error))
        raise ApiError(
            502, "The provider does not answer", "try again in a moment, or ask an admin"
        ) from error
    _remember(response, services, new)
    return Departure(address=address)


@public.get("/session/oidc/callback", response_class=RedirectResponse, status_code=303)
async def return_from_provider(
    request: Request,
    services: ServicesDep,
    state: Annotated[str, Query(max_length=200)] = "",
    code: Annotated[str, Query(max_length=4000)] = "",
    iss: Annotated[str | None, Query(max_length=2000)] = None,
) -> Response:
    """Take the browser back from the provider and sign its user in."""
    provider = _provider(request)
    if provider is None:
        return _back("off")
    response = RedirectResponse("/", status_code=303)
    try:
        attempt = await run_in_threadpool(_take, request, services, state)
        if not code:
            raise _NobodyError("failed")
        identity = await run_in_threadpool(
            provider.identity, code, iss, attempt.nonce, attempt.verifier
        )
        await run_in_threadpool(_arrive, request, response, services, attempt, identity)
    except ProviderError as error:
        log.error("oidc.failed", error=str(error))
        response = _back("provider")
    except _NobodyError as error:
        await run_in_threadpool(
            record_refused_sign_in, services, client_of(request), "provider", error.why
        )
        response = _back(error.why)
    else:
        response.headers["Location"] = attempt.next
    response.delete_cookie(
        cookie_name(services, _COOKIE), path="/", secure=services.settings.secure_cookies
    )
    return response


@own.get("/session/identities")
def identities(caller: InBrowser, unit: UnitDep) -> list[LinkedIdentity]:
    """List your identities at the provider."""
    return Identities(unit).of_user(caller.user.id)


@own.delete("/session/identities/{identity_id}", status_code=204)
def unlink_identity(identity_id: str, caller: InBrowser, unit: UnitDep) -> None:
    """Remove one of your identities: it does not sign you in any more."""
    Identities(unit).unlink(caller.user.id, identity_id)
    audit.record(unit, caller.actor, "identity.unlinked", target=identity_id)


def _provider(request: Request) -> Provider | None:
    provider = request.app.state.oidc
    assert provider is None or isinstance(provider, Provider)
    return provider


def _depart(
    request: Request,
    services: Services,
    provider: Provider,
    screen: str,
    user_id: str | None = None,
) -> tuple[NewAttempt, str]:
    provider.address("state", "nonce", "verifier")  # a provider that is down costs no row
    with services.door_unit() as unit:
        new = Identities(unit).begin(
            client_of(request), screen if _SCREEN.fullmatch(screen) else "/", user_id
        )
    return new, provider.address(new.state, new.nonce, new.verifier)


def _remember(response: Response, services: Services, new: NewAttempt) -> None:
    response.set_cookie(
        cookie_name(services, _COOKIE),
        new.browser,
        max_age=int(LIFETIME.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=services.settings.secure_cookies,
        path="/",
    )


def _take(request: Request, services: Services, state: str) -> Attempt:
    with services.door_unit() as unit:
        attempt = Identities(unit).take(state, read_cookie(request, services, _COOKIE))
    if attempt is None:
        raise _NobodyError("failed")
    return attempt


def _arrive(
    request: Request,
    response: Response,
    services: Services,
    attempt: Attempt,
    identity: Identity,
) -> None:
    """Sign in the user of the identity, or link it to the user who began."""
    with services.door_unit() as unit:
        if attempt.user_id is not None:
            _link(request, services, unit, attempt.user_id, identity)
            return
        user = Identities(unit).find(identity.issuer, identity.subject)
        if user is None:
            user = _first_time(unit, services, identity)
        if user.disabled:
            raise _NobodyError("disabled")
        audit.record(unit, Actor(user.id, user.name), "session.opened", how="provider")
        open_session(unit, request, response, services, user, two_factors=True)


def _link(
    request: Request, services: Services, unit: Unit, user_id: str, identity: Identity
) -> None:
    try:
        caller = identify(request, services, unit)
    except ApiError:
        raise _NobodyError("failed") from None
    if caller.via != "cookie" or caller.user.id != user_id:
        raise _NobodyError("failed")
    try:
        Identities(unit).link(user_id, identity.issuer, identity.subject)
    except Conflict:
        raise _NobodyError("linked") from None
    audit.record(unit, caller.actor, "identity.linked", issuer=identity.issuer)


def _first_time(unit: Unit, services: Services, identity: Identity) -> User:
    role = services.settings.oidc_role
    if role is None or not Accounts(unit).has_users():
        raise _NobodyError("unknown")
    try:
        user = Identities(unit).create_user(
            identity.issuer, identity.subject, identity.name, identity.email, role
        )
    except Conflict:
        raise _NobodyError("address") from None
    audit.record(
        unit, Actor(user.id, user.name), "user.created", target=user.id, name=user.name, role=role
    )
    return user


def _back(why: Trouble) -> RedirectResponse:
    return RedirectResponse(f"/sign-in?trouble={why}", status_code=303)
