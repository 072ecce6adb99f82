"""Authenticate requests: session cookies of users and guests, and API tokens.

What a caller may do is decided by ``guards`` per route, and by PostgreSQL per row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal, NoReturn

from fastapi import Depends, Request

from pileup.api.cookies import SESSION, read_cookie
from pileup.api.deps import Services, ServicesDep
from pileup.api.errors import ApiError
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.guest_links import Guest
from pileup.storage.accounts.records import EVERY_VERB, TokenUse, User, Verb
from pileup.storage.accounts.sessions import Session, Sessions
from pileup.storage.audit import Actor
from pileup.storage.database import Unit
from pileup.storage.row_security import LEAD, READ, WRITE, Access

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Principal:
    """Who makes this request, and how they authenticated."""

    user: User
    """For a guest a user without id, who is a viewer."""
    via: Literal["cookie", "token", "guest"]
    verbs: frozenset[Verb]
    """What the session or token allows; the role may allow less."""
    csrf: str | None
    token_id: str | None = None
    incident_id: str = ""
    """The only incident of a token or guest; empty: whatever the user sees."""
    guest_id: str = ""
    """The link of a guest."""
    redact: tuple[str, ...] = ()
    """Kinds of redaction of everything that a guest sees."""
    must_enroll: bool = False
    """Signed in with one factor where two are demanded: sets up the second one, and no more."""
    ends_in_s: float | None = field(default=None, compare=False)
    """Time after which the session or token ends by itself; None: never."""

    @property
    def actor(self) -> Actor:
        """The caller as the audit trail names them."""
        return Actor(self.user.id or None, self.user.name)

    @property
    def access(self) -> Access:
        """What the caller may see and change, for row-level security."""
        most = LEAD if "manage" in self.verbs else WRITE
        if self.user.role == "viewer" or self.verbs <= {"read"}:
            most = READ
        return Access(
            user_id=self.user.id,
            everything=self.user.role == "admin",
            most=most,
            incident_id=self.incident_id,
            guest=self.via == "guest",
        )

    @property
    def is_whole(self) -> bool:
        """Whether the caller reads whatever their user reads."""
        return "read" in self.verbs and not self.incident_id

    @property
    def subject(self) -> str:
        """The id that notices about changed access carry."""
        return self.guest_id or self.user.id


def principal(request: Request, services: ServicesDep) -> Principal:
    """Authenticate a request; raises ApiError 401 when it proves no user."""
    known: Principal | None = getattr(request.state, "principal", None)
    unit: Unit | None = getattr(request.state, "unit", None)
    if known is None:
        if unit is not None:
            known = identify(request, services, unit)
        else:  # a coroutine's request, which has no unit of its own
            with services.unit() as own:
                known = identify(request, services, own)
        request.state.principal = known
    if unit is not None and unit.access != known.access:
        unit.restrict(known.access)
    return known


Caller = Annotated[Principal, Depends(principal)]


def need(caller: Principal, verb: Verb) -> None:
    """Raise ApiError 403 unless the session or token allows the verb."""
    if verb in caller.verbs:
        return
    if caller.via == "guest":
        raise ApiError(403, "Not for guests", "a guest link shows one incident and changes nothing")
    if caller.must_enroll:
        raise enroll_first()
    may = ", ".join(sorted(caller.verbs)) or "nothing"
    raise ApiError(
        403, "Not with this token", f"this needs the permission {verb}; this token has: {may}"
    )


def enroll_first() -> ApiError:
    """Return the refusal of whoever has one factor where two are demanded."""
    return ApiError(
        403,
        "Set up a second factor",
        "this installation wants a second factor of everybody: set it up, or sign in with its code",
    )


def admin(request: Request, caller: Caller) -> Principal:
    """Return the caller; raises ApiError 403 unless they are an admin who may manage."""
    if caller.user.role != "admin":
        raise ApiError(
            403, "For admins", f"{caller.user.name} is not an admin; ask an admin to do this"
        )
    need(caller, "read" if request.method in SAFE_METHODS else "manage")
    return caller


AdminDep = Annotated[Principal, Depends(admin)]


def in_browser(caller: Caller) -> Principal:
    """Return the caller; raises ApiError 403 for a token and for a guest."""
    if caller.via != "cookie":
        raise ApiError(
            403,
            "Not with a token" if caller.via == "token" else "Not for guests",
            "do this signed in, in the browser",
        )
    return caller


InBrowser = Annotated[Principal, Depends(in_browser)]


Credentials = tuple[Literal["header", "cookie"], str]
"""What proves who sends a request: the header Authorization, else the secret of a session."""


def identify(request: Request, services: Services, unit: Unit) -> Principal:
    """Return who sends the request, which is a use of their session; raises ApiError 401."""
    credentials = credentials_of(request, services)
    found = identify_all(unit, services, {credentials: True}) if credentials else {}
    if credentials is None or credentials not in found:
        refuse(credentials)
    return found[credentials]


def refuse(credentials: Credentials | None) -> NoReturn:
    """Raise ApiError 401 for credentials that prove nobody."""
    if credentials is not None and credentials[0] == "header":
        raise ApiError(
            401,
            "Sign in",
            "the token is not known, revoked or expired; send Authorization: Bearer <token>",
            WWW_Authenticate='Bearer error="invalid_token"',
        )
    raise ApiError(
        401, "Sign in", "this needs a signed-in user or a token", WWW_Authenticate="Bearer"
    )


def identify_all(
    unit: Unit, services: Services, asking: Mapping[Credentials, bool]
) -> dict[Credentials, Principal]:
    """Return who is behind each of the credentials, without those that prove nobody.

    asking: whether it is a use of the session, whose idle time begins again.
    """
    idle = timedelta(hours=services.settings.session_idle_h)
    cookies = {each[1]: is_use for each, is_use in asking.items() if each[0] == "cookie"}
    used = {secret for secret, is_use in cookies.items() if is_use}
    found: dict[Credentials, Principal] = {}
    for secret, session in Sessions(unit).find_all(cookies, idle, used=used).items():
        caller = None
        if session.guest is not None:
            caller = as_guest(session.guest, session.csrf)
        elif session.user is not None:
            caller = _of_session(session.user, session, services)
        if caller is not None:
            found["cookie", secret] = replace(caller, ends_in_s=session.ends_in_s)
    headers = {each[1]: _bearer(each[1]) for each in asking if each[0] == "header"}
    tokens = Accounts(unit).by_tokens({secret for secret in headers.values() if secret})
    for header, secret in headers.items():
        if secret in tokens:
            found["header", header] = _of_token(tokens[secret])
    return found


def credentials_of(request: Request, services: Services) -> Credentials | None:
    """Return what would prove who sends the request; None when it carries nothing."""
    if header := request.headers.get("authorization"):
        return "header", header
    secret = read_cookie(request, services, SESSION)
    return ("cookie", secret) if secret else None


def as_guest(guest: Guest, csrf: str) -> Principal:
    """Return the caller that a guest is."""
    nobody = User("", f"Guest ({guest.name})", None, "viewer", False, datetime.now(UTC))
    return Principal(
        nobody,
        "guest",
        frozenset({"read"}),
        csrf,
        incident_id=guest.incident_id,
        guest_id=guest.id,
        redact=tuple(guest.redact),
    )


def _of_session(user: User, session: Session, services: Services) -> Principal:
    enroll = services.settings.second_factor_required and not session.two_factors
    verbs = frozenset[Verb]() if enroll else EVERY_VERB
    return Principal(user, "cookie", verbs, session.csrf, must_enroll=enroll)


def _bearer(header: str) -> str:
    """Return the secret of an Authorization header; empty for another scheme."""
    scheme, _, secret = header.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def _of_token(token: TokenUse) -> Principal:
    return Principal(
        token.user,
        "token",
        token.verbs,
        None,
        token.token_id,
        incident_id=token.incident_id or "",
        ends_in_s=token.ends_in_s,
    )
