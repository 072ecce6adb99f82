"""Records of users and API tokens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pileup.storage.roles import Role

Scope = Literal["push", "read", "full"]


@dataclass(frozen=True, slots=True)
class User:
    id: str
    name: str
    email: str | None
    role: Role
    disabled: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Token:
    id: str
    name: str
    scope: Scope
    user_id: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class TokenUse:
    """A valid token that a request carries."""

    token_id: str
    user: User
    scope: Scope
