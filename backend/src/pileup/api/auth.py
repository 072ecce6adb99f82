"""Who may come in: session cookies with CSRF protection, API tokens with scopes, roles.

Safe by default: every router but the public ones hangs behind ``guard``, which lets viewers read
and contributors write. Routes for admins add ``AdminDep``; routers that take uploads use
``intake_guard``, the only one that accepts push tokens.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from fastapi import Depends, Request, Response

from pileup.api.deps import Services, ServicesDep
from pileup.api.errors import ApiError
from pileup.storage.accounts.accounts import Accounts, Scope, User
from pileup.storage.audit import Actor

SESSION_COOKIE = "pileup_session"
CSRF_COOKIE = "pileup_csrf"
CSRF_HEADER = "X-CSRF-Token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Principal:
    """Who makes this request, and how they proved it."""

    user: User
    via: Literal["cookie", "token"]
    scope: Scope
    csrf: str | None

    @property
    def actor(self) -> Actor:
        """As the audit trail names them."""
        return Actor(self.user.id, self.user.name)


def principal(request: Request, services: ServicesDep) -> Principal:
    """Whoever the request proves to be; 401 for a stranger."""
    known: Principal | None = getattr(request.state, "principal", None)
    if known is None:
        known = _identify(request, services)
        request.state.principal = known
    return known


Caller = Annotated[Principal, Depends(principal)]


def guard(request: Request, caller: Caller) -> None:
    """Viewers read, contributors write; push tokens do neither."""
    _may_read(caller)
    _may_write(request, caller)


def look_guard(request: Request, caller: Caller) -> None:
    """Who may read, also by a POST that saves nothing."""
    _may_read(caller)
    _csrf(request, caller)


def intake_guard(request: Request, caller: Caller) -> None:
    """The same, and push tokens are welcome."""
    _may_write(request, caller)


def self_guard(request: Request, caller: Caller) -> None:
    """Anybody signed in, about themselves."""
    _csrf(request, caller)


def admin(caller: Caller) -> Principal:
    """Admins only."""
    if caller.user.role != "admin":
        raise ApiError(403, "For admins", f"{caller.user.name} is no admin; ask one to do this")
    return caller


AdminDep = Annotated[Principal, Depends(admin)]


def set_session_cookies(
    response: Response, services: Services, secret: str, csrf: str, expires_at: datetime
) -> None:
    """The session in a cookie that scripts cannot read, and the CSRF token in one that they can."""
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


def clear_session_cookies(response: Response) -> None:
    """Forget both."""
    response.delete_cookie(SESSION_COOKIE, path="/")
    response.delete_cookie(CSRF_COOKIE, path="/")


def _identify(request: Request, services: Services) -> Principal:
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    cookie = request.cookies.get(SESSION_COOKIE)
    with services.database.unit() as unit:
        accounts = Accounts(unit)
        if scheme:
            found = accounts.by_token(credentials.strip()) if scheme.lower() == "bearer" else None
            if found:
                return Principal(found[0], "token", found[1], None)
            raise ApiError(
                401,
                "Sign in",
                "the token is not known, revoked or expired; send Authorization: Bearer <token>",
                WWW_Authenticate='Bearer error="invalid_token"',
            )
        session = accounts.session(cookie) if cookie else None
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
