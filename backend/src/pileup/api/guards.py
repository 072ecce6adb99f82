"""Guards of routes: what the caller's session or token allows, before the route runs.

Safe by default: ``guard`` lets those who may read read, and contributors edit. The other guards
are for the routers that ``app`` lists apart. Rights in an incident are PostgreSQL's matter
(``storage/row_security``). A caller of one incident reaches the routes of ``_OF_INCIDENT`` only,
so that a new route beside incidents is closed to them until it is listed.
"""

from __future__ import annotations

import hmac
import re

from fastapi import Request

from pileup.api.auth import SAFE_METHODS, Caller, Principal, enroll_first, in_browser, need
from pileup.api.cookies import CSRF, cookie_name, read_cookie
from pileup.api.deps import services
from pileup.api.errors import ApiError
from pileup.storage.accounts.records import Verb

CSRF_HEADER = "X-CSRF-Token"

_OF_INCIDENT = re.compile(
    r"/(?:incidents/\{incident_id\}"
    r"|(?:actions|annotations|artifacts|comments|experiments|hypotheses|pins|releases"
    r"|stall-corrections|symptoms|uploads|views)/\{\w+\}"
    r"|(?:tables/comparison|formats|analysis\.schema\.json|session)$)"
)
"""Templates of the routes whose rows belong to an incident, so that row security decides; or that
say the same to everybody; or tell callers who they are."""
_OF_COLLEAGUES = re.compile(r"/incidents/\{incident_id\}/(?:access|visibility|members|guest-links)")
"""Who else sees the incident: a caller of one incident neither reads nor decides it."""
_TO_ENROLL = re.compile(r"/session(?:/factor(?:/confirm)?)?")
"""What is open to those who have one factor where two are demanded."""
_AS_IT_IS = re.compile(
    r"/(?:artifacts/\{artifact_id\}/(?:raw|download|mapping)|incidents/\{incident_id\}/report/redaction)"
)
"""Shows bytes of files, or which value has which token: not for guests of a redacted link."""
_NOT_OF_GUESTS = re.compile(r"/incidents/\{incident_id\}/(?:activity|deleted|presence)")


def guard(request: Request, caller: Caller) -> None:
    """Let those who may read read, and contributors edit."""
    _authorize(request, caller, "edit")


def comment_guard(request: Request, caller: Caller) -> None:
    """Let those who may read read, and contributors comment."""
    _authorize(request, caller, "comment")


def manage_guard(request: Request, caller: Caller) -> None:
    """Let those who may read read; what leads and admins decide needs its own verb."""
    _authorize(request, caller, "manage")


def people_guard(request: Request, caller: Caller) -> None:
    """Let those who may read read; who has an account or a link is decided in the browser alone.

    A token that made an account or a link would outlive its own end.
    """
    _authorize(request, caller, "manage")
    if request.method not in SAFE_METHODS:
        in_browser(caller)


def read_guard(request: Request, caller: Caller) -> None:
    """Let those who may read call a route, a POST that saves nothing too."""
    _within(request, caller)
    need(caller, "read")
    _csrf(request, caller)


def intake_guard(request: Request, caller: Caller) -> None:
    """Let contributors upload; who may only read sees how far uploads are."""
    if request.method in SAFE_METHODS:
        _within(request, caller)
        if "upload" not in caller.verbs:
            need(caller, "read")
        return
    _authorize(request, caller, "upload")


def self_guard(request: Request, caller: Caller) -> None:
    """Let any caller change their own data."""
    _enrolled(request, caller)
    _within(request, caller)
    _csrf(request, caller)


def _enrolled(request: Request, caller: Principal) -> None:
    """Refuse whoever has one factor where two are demanded, but for setting up the second one."""
    if caller.must_enroll and not _TO_ENROLL.fullmatch(_template(request)):
        raise enroll_first()


GUARDS = frozenset(
    {guard, comment_guard, manage_guard, people_guard, read_guard, intake_guard, self_guard}
)


def _authorize(request: Request, caller: Principal, verb: Verb) -> None:
    _within(request, caller)
    if request.method in SAFE_METHODS:
        need(caller, "read")
        return
    need(caller, verb)
    if caller.user.role == "viewer":
        raise ApiError(
            403,
            "For contributors",
            f"{caller.user.name} is a viewer and can look at everything; ask an admin for the role "
            "contributor to change things",
        )
    _csrf(request, caller)


def _within(request: Request, caller: Principal) -> None:
    """Refuse whatever lies outside the only incident of the caller."""
    if not caller.incident_id:
        return
    path = _template(request)
    outside = (
        not _OF_INCIDENT.match(path)
        or _OF_COLLEAGUES.match(path)
        or (caller.via == "guest" and _NOT_OF_GUESTS.match(path))
    )
    if caller.redact and _AS_IT_IS.match(path):
        raise ApiError(403, "Not with this link", "this link shows no files as they are")
    if outside:
        what = "guest link" if caller.via == "guest" else "token"
        raise ApiError(403, "Only one incident", f"this {what} opens one incident, not this")


def _template(request: Request) -> str:
    return str(getattr(request.scope.get("route"), "path", "")).removeprefix("/api/v1")


def _csrf(request: Request, caller: Principal) -> None:
    if request.method in SAFE_METHODS or caller.via == "token":
        return
    sent = request.headers.get(CSRF_HEADER, "")
    cookie = read_cookie(request, services(request), CSRF) or ""
    expected = caller.csrf or ""
    if not (
        expected
        and hmac.compare_digest(sent.encode(), expected.encode())
        and hmac.compare_digest(cookie.encode(), expected.encode())
    ):
        name = cookie_name(services(request), CSRF)
        raise ApiError(
            403,
            "Reload the page",
            f"the header {CSRF_HEADER} does not carry the value of the cookie {name}; "
            "nothing was changed",
        )
