"""Authenticate and authorize requests: session cookies, CSRF, API tokens with scopes, roles.

Safe by default: every router except the public ones is behind ``guard``, which lets viewers read
and contributors write. Routes for admins add ``AdminDep``; routers that take uploads use
``intake_guard``, the only one that accepts push tokens.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Literal

from fastapi import Depends, Request, Response

from pileup.api.deps import Services, ServicesDep
from pileup.api.errors import ApiError
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.records import Scope, User
from pileup.storage.accounts.sessions import Sessions
from pileup.storage.audit import Actor
from pileup.storage.database import Unit
from pileup.storage.errors import NotFound
from pileup.storage.incidents.incidents import Incidents
from pileup.storage.row_security import LEAD, READ, Access

SESSION_COOKIE = "pileup_session"
CSRF_COOKIE = "pileup_csrf"
DEVICE_COOKIE = "pileup_device"
_DEVICE_DAYS = 365
CSRF_HEADER = "X-CSRF-Token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Principal:
    """The user who makes this request, and how they authenticated."""

    user: User
    via: Literal["cookie", "token"]
    scope: Scope
    csrf: str | None
    token_id: str | None = None

    @property
    def actor(self) -> Actor:
        """The user as the audit trail names them."""
        return Actor(self.user.id, self.user.name)

    @property
    def access(self) -> Access:
        """What the caller may see and change, for row-level security."""
        reads = self.scope == "read" or self.user.role == "viewer"
        return Access(
            user_id=self.user.id,
            everything=self.user.role == "admin",
            most=READ if reads else LEAD,
        )


def principal(request: Request, services: ServicesDep) -> Principal:
    """Authenticate a request; raises ApiError 401 when it proves no user."""
    known: Principal | None = getattr(request.state, "principal", None)
    unit: Unit | None = getattr(request.state, "unit", None)
    if known is None:
        if unit is not None:
            known = _identify(request, services, unit)
        else:  # a coroutine's request, which has no unit of its own
            with services.unit() as own:
                known = _identify(request, services, own)
        request.state.principal = known
    if unit is not None and unit.access != known.access:
        unit.restrict(known.access)
    return known


Caller = Annotated[Principal, Depends(principal)]


def may_still_read(request: Request, services: Services, incident_id: str) -> bool:
    """Check again whether this request, answered for long, may read the incident."""
    with services.unit() as unit:
        try:
            caller = _identify(request, services, unit, use=False)
            _may_read(caller)
            unit.restrict(caller.access)
            Incidents(unit).get(incident_id)
        except (ApiError, NotFound):
            return False
    return True


def guard(request: Request, caller: Caller) -> None:
    """Let viewers read and contributors write; refuse push tokens."""
    _may_read(caller)
    _may_write(request, caller)


def look_guard(request: Request, caller: Caller) -> None:
    """Let everybody who may read call a POST that saves nothing."""
    _may_read(caller)
    _csrf(request, caller)


def intake_guard(request: Request, caller: Caller) -> None:
    """Let contributors and push tokens write."""
    _may_write(request, caller)


def self_guard(request: Request, caller: Caller) -> None:
    """Let any signed-in user change their own data."""
    _csrf(request, caller)


def admin(caller: Caller) -> Principal:
    """Return the caller; raises ApiError 403 unless they are an admin."""
    if caller.user.role != "admin":
        raise ApiError(
            403, "For admins", f"{caller.user.name} is not an admin; ask an admin to do this"
        )
    return caller


AdminDep = Annotated[Principal, Depends(admin)]


def set_session_cookies(
    response: Response, services: Services, secret: str, csrf: str, expires_at: datetime
) -> None:
    """Set the session cookie, hidden from scripts, and the CSRF cookie, which they can read."""
    secure = services.settings.secure_cookies
    for name, value, http_only in ((SESSION_COOKIE, secret, True), (CSRF_COOKIE, csrf, False)):
        response.set_cookie(
            name,
            value,
            expires=expires_at,
            httponly=http_only,
            samesite="lax",
            secure=secure,
            path="/",
        )


def set_device_cookie(response: Response, services: Services, secret: str) -> None:
    """Set the cookie by which the next sign-in of this browser is known; scripts cannot read it."""
    response.set_cookie(
        DEVICE_COOKIE,
        secret,
        max_age=_DEVICE_DAYS * 24 * 3600,
        httponly=True,
        samesite="strict",
        secure=services.settings.secure_cookies,
        path="/api/v1/session",
    )


def clear_session_cookies(response: Response) -> None:
    """Delete the session cookie and the CSRF cookie."""
    response.delete_cookie(SESSION_COOKIE, path="/")
    response.delete_cookie(CSRF_COOKIE, path="/")


def _identify(request: Request, services: Services, unit: Unit, *, use: bool = True) -> Principal:
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    cookie = request.cookies.get(SESSION_COOKIE)
    accounts = Accounts(unit)
    if scheme:
        token = accounts.by_token(credentials.strip()) if scheme.lower() == "bearer" else None
        if token:
            return Principal(token.user, "token", token.scope, None, token.token_id)
        raise ApiError(
            401,
            "Sign in",
            "the token is not known, revoked or expired; send Authorization: Bearer <token>",
            WWW_Authenticate='Bearer error="invalid_token"',
        )
    idle = timedelta(hours=services.settings.session_idle_h)
    session = Sessions(unit).find(cookie, idle, use=use) if cookie else None
    if session is None:
        raise ApiError(
            401, "Sign in", "this needs a signed-in user or a token", WWW_Authenticate="Bearer"
        )
    return Principal(session.user, "cookie", "full", session.csrf)


def _may_read(caller: Principal) -> None:
    if caller.scope == "push":
        raise ApiError(
            403,
            "Not with this token",
            "this token can only create incidents and upload to them; use one with scope read or "
            "full",
        )


def _may_write(request: Request, caller: Principal) -> None:
    if request.method in SAFE_METHODS:
        return
    if caller.scope == "read":
        raise ApiError(403, "Not with this token", "this token can only read")
    if caller.user.role == "viewer":
        raise ApiError(
            403,
            "For contributors",
            f"{caller.user.name} is a viewer and can look at everything; ask an admin for the role "
            "contributor to change things",
        )
    _csrf(request, caller)


def _csrf(request: Request, caller: Principal) -> None:
    if request.method in SAFE_METHODS or caller.via == "token":
        return
    sent = request.headers.get(CSRF_HEADER, "")
    cookie = request.cookies.get(CSRF_COOKIE, "")
    expected = caller.csrf or ""
    if not (
        expected
        and hmac.compare_digest(sent.encode(), expected.encode())
        and hmac.compare_digest(cookie.encode(), expected.encode())
    ):
        raise ApiError(
            403,
            "Reload the page",
            f"the header {CSRF_HEADER} does not carry the value of the cookie {CSRF_COOKIE}; "
            "nothing was changed",
        )
