"""Records of users and API tokens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from pileup.storage.roles import Role

Verb = Literal["read", "upload", "comment", "edit", "manage"]
"""What a token allows: to read, to upload files, to comment, to change whatever contributors
change, to do what leads and admins do."""

EVERY_VERB: frozenset[Verb] = frozenset(get_args(Verb))


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
    verbs: tuple[Verb, ...]
    incident_id: str | None
    """The only incident that it opens; None: every one that its user sees."""
    user_id: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class TokenUse:
    """A valid token that a request carries."""

    token_id: str
    user: User
    verbs: frozenset[Verb]
    incident_id: str | None
    ends_in_s: float | None
    """Time after which it expires; None: never."""
