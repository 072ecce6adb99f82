"""Routes for your own profile, and for users."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from fastapi import APIRouter, Depends
from pydantic import Field

from pileup.api.accounts.limits import LimitsDep
from pileup.api.auth import AdminDep, InBrowser, admin
from pileup.api.cookies import SessionSecret
from pileup.api.deps import UnitDep
from pileup.api.schema import In, Out
from pileup.storage import audit
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.records import User
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


@own.patch("/session/user")
def change_profile(
    body: ProfileChange,
    caller: InBrowser,
    unit: UnitDep,
    limits: LimitsDep,
    secret: SessionSecret,
) -> User:
    """Change your own name or password; a new password ends your other sessions, tokens too."""
    key = f"profile {caller.user.id}"
    if body.password is not None:
        limits.guesses.check(caller.user.id, key, known_device=True)
    try:
        user = Accounts(unit).change_profile(
            caller.user.id,
            name=body.name,
            current_password=body.current_password,
            password=body.password,
            session=secret,
            end_tokens=body.end_tokens is not False,
        )
    except Refused as refused:
        if refused.field == "current_password":
            limits.guesses.failed(caller.user.id, key, "password")
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
        user_id,
        name=body.name,
        role=body.role,
        password=body.password,
        disabled=body.disabled,
        end_tokens=body.end_tokens is not False,
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
