"""Cookies of a browser: the session, its CSRF value, and the device that signed in before.

Served over HTTPS their names begin with ``__Host-``: a browser then takes them from this host
alone, over HTTPS, for every path, so that another host of the domain cannot plant any.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import Depends, Request, Response

from pileup.api.deps import Services, ServicesDep

SESSION = "pileup_session"
CSRF = "pileup_csrf"
DEVICE = "pileup_device"
_DEVICE_DAYS = 365


def cookie_name(services: Services, cookie: str) -> str:
    """Return the name under which a cookie is sent."""
    return f"__Host-{cookie}" if services.settings.secure_cookies else cookie


def read_cookie(request: Request, services: Services, cookie: str) -> str | None:
    """Return the value of a cookie; None without it."""
    return request.cookies.get(cookie_name(services, cookie)) or None


def set_session_cookies(
    response: Response, services: Services, secret: str, csrf: str, expires_at: datetime
) -> None:
    """Set the session cookie, hidden from scripts, and the CSRF cookie, which they can read."""
    for name, value, http_only in ((SESSION, secret, True), (CSRF, csrf, False)):
        response.set_cookie(
            cookie_name(services, name),
            value,
            expires=expires_at,
            httponly=http_only,
            samesite="lax",
            secure=services.settings.secure_cookies,
            path="/",
        )


def set_device_cookie(response: Response, services: Services, secret: str) -> None:
    """Set the cookie by which the next sign-in of this browser is known; scripts cannot read it."""
    response.set_cookie(
        cookie_name(services, DEVICE),
        secret,
        max_age=_DEVICE_DAYS * 24 * 3600,
        httponly=True,
        samesite="strict",
        secure=services.settings.secure_cookies,
        path="/",
    )


def clear_session_cookies(response: Response, services: Services) -> None:
    """Delete the session cookie and the CSRF cookie."""
    for name in (SESSION, CSRF):
        response.delete_cookie(
            cookie_name(services, name), path="/", secure=services.settings.secure_cookies
        )


def _session(request: Request, services: ServicesDep) -> str | None:
    return read_cookie(request, services, SESSION)


def _device(request: Request, services: ServicesDep) -> str | None:
    return read_cookie(request, services, DEVICE)


SessionSecret = Annotated[str | None, Depends(_session)]
"""The secret of the session that sends the request; None for a token."""
DeviceSecret = Annotated[str | None, Depends(_device)]
"""The secret of a browser that signed in before; None for another."""
