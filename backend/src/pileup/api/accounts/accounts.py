"""Routes for your own profile, and for users."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from fastapi import APIRouter, Depends
from pydantic import Field

from pileup.api.accounts.limits import LimitsDep, SignInLimits
from pileup.api.auth import AdminDep, InBrowser, Principal, admin
from pileup.api.cookies import SessionSecret
from pileup.api.deps import Services, ServicesDep, UnitDep
from pileup.api.schema import In, Out
from pileup.storage import audit
from pileup.storage.accounts.accounts import Accounts, new_password
from pileup.storage.accounts.credentials import PasswordHash, password_fits
from pileup.storage.accounts.records import User
from pileup.storage.database import Unit
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


async def _with_password(
    caller: Principal,
    services: Services,
    limits: SignInLimits,
    password: str | None,
    about: Callable[[], tuple[str, str | None]],
    store: Callable[[Unit, PasswordHash | None], User],
) -> User:
    """Hash a new password, in turn and outside of any transaction, and store it with the rest.

    about: returns name and e-mail address of its user; called only for a new password.
    store: takes the hash, or None without a new password.
    """

    def work() -> User:
        hashed = None
        if password is not None:
            hashed = new_password(password, *about(), services.settings.breached_passwords)
        with services.unit(caller.access) as unit:
            return store(unit, hashed)

    return await limits.in_turn(caller.user.id, password, work)


@own.patch("/session/user")
async def change_profile(
    body: ProfileChange,
    caller: InBrowser,
    services: ServicesDep,
    limits: LimitsDep,
    secret: SessionSecret,
) -> User:
    """Change your own name or password; a new password ends your other sessions, tokens too."""

    known: str | None = None

    def about() -> tuple[str, str | None]:
        nonlocal known
        known = _proved(services, limits, caller.user.id, body.current_password)
        return body.name or caller.user.name, caller.user.email

    def change(unit: Unit, password: PasswordHash | None) -> User:
        user = Accounts(unit).change_profile(
            caller.user.id,
            name=body.name,
            password_hash=password,
            known_hash=known,
            session=secret,
            end_tokens=body.end_tokens is not False,
        )
        fields = sorted(body.model_fields_set - {"current_password"})
        audit.record(unit, caller.actor, "profile.changed", target=user.id, fields=fields)
        return user

    return await _with_password(caller, services, limits, body.password, about, change)


def _proved(
    services: Services, limits: SignInLimits, user_id: str, password: str | None
) -> str | None:
    """Return the stored hash of the current password; raises Refused for another one."""
    key = f"profile {user_id}"
    limits.guesses.check(user_id, key, known_device=True)
    with services.unit() as unit:
        known = Accounts(unit).stored(user_id).password_hash
    if known and not password_fits(known, password or ""):
        limits.guesses.failed(user_id, key, "password")
        raise Refused("this is not your current password", "current_password")
    return known


@router.get("/users", dependencies=[Depends(admin)])
def users(unit: UnitDep) -> list[User]:
    """List all users."""
    return Accounts(unit).users()


@router.post("/users", status_code=201)
async def create_user(
    body: NewUser, by: AdminDep, services: ServicesDep, limits: LimitsDep
) -> User:
    """Create a user, who signs in with e-mail address and password, or is invited by link."""

    def create(unit: Unit, password: PasswordHash | None) -> User:
        user = Accounts(unit).create_user(body.name, body.email, body.role, password)
        audit.record(unit, by.actor, "user.created", target=user.id, name=user.name, role=user.role)
        return user

    about = (body.name, body.email)
    return await _with_password(by, services, limits, body.password, lambda: about, create)


@router.patch("/users/{user_id}")
async def change_user(
    user_id: str, body: UserChange, by: AdminDep, services: ServicesDep, limits: LimitsDep
) -> User:
    """Change the name, role or password of a user, or disable the user."""

    def about() -> tuple[str, str | None]:
        with services.unit(by.access) as unit:
            user = Accounts(unit).user(user_id)
        return body.name or user.name, user.email

    def change(unit: Unit, password: PasswordHash | None) -> User:
        user = Accounts(unit).change_user(
            user_id,
            name=body.name,
            role=body.role,
            password_hash=password,
            disabled=body.disabled,
            end_tokens=body.end_tokens is not False,
        )
        fields = sorted(body.model_fields_set)
        audit.record(unit, by.actor, "user.changed", target=user.id, fields=fields, role=user.role)
        return user

    return await _with_password(by, services, limits, body.password, about, change)


@router.post("/users/{user_id}/link", status_code=201)
def create_user_link(user_id: str, by: AdminDep, unit: UnitDep) -> SignInLink:
    """Create a link that signs a user in once and lets them choose a password."""
    expires_at = datetime.now(UTC) + _INVITED_FOR
    link = Accounts(unit).create_link(_INVITED_FOR, user_id)
    audit.record(unit, by.actor, "user.invited", target=user_id)
    return SignInLink(link=link, expires_at=expires_at)
