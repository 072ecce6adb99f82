"""Accounts: users, one-time sign-in links, API tokens.

Secrets arrive as text and are compared by hash; no return value holds a secret, except a new
token, whose secret its creator sees once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from sqlalchemy import ARRAY, ColumnElement, Text, any_, bindparam, func, select, text, true, update
from sqlalchemy.orm import Bundle

from pileup.storage import models
from pileup.storage.accounts.credentials import (
    PasswordHash,
    hash_password,
    hash_secret,
    new_secret,
)
from pileup.storage.accounts.passwords import check_password
from pileup.storage.accounts.records import Token, TokenUse, User, Verb
from pileup.storage.accounts.sessions import end_sessions
from pileup.storage.advisory_locks import AdvisoryLock, lock
from pileup.storage.audit import Actor
from pileup.storage.database import ALL_INCIDENTS, Unit, clean, seconds_until, to_record
from pileup.storage.errors import Conflict, NotFound, Refused
from pileup.storage.incidents.incidents import Incidents
from pileup.storage.roles import Role

_UNMARKED = func.coalesce(
    models.Token.last_used_at < func.now() - text("interval '1 minute'"), true()
)
"""Whether the use of a token is to be marked: one minute is precise enough, and saves writes."""
_LINK_IS_GONE = (
    "this sign-in link was used already, or is too old; ask an admin for another one, or start "
    "`pileup run` again to get a fresh one"
)

_USER: Bundle[Any] = Bundle("user", *(getattr(models.User, field.name) for field in fields(User)))
_BY_TOKENS = (
    select(
        models.Token.id,
        models.Token.token_hash,
        models.Token.verbs,
        models.Token.incident_id,
        _USER,
        _UNMARKED.label("is_unmarked"),
        seconds_until(models.Token.expires_at).label("ends_in_s"),
    )
    .join(models.User, models.User.id == models.Token.user_id)
    .where(
        models.Token.token_hash == any_(bindparam("hashes", type_=ARRAY(Text))),
        models.Token.revoked_at.is_(None),
        models.Token.expires_at.is_(None) | (models.Token.expires_at > func.now()),
        models.User.disabled.is_(False),
    )
)


@dataclass(frozen=True, slots=True)
class Stored:
    """What signing in by password compares."""

    id: str
    name: str
    password_hash: PasswordHash | None

    @property
    def actor(self) -> Actor:
        """The user as the audit trail names them."""
        return Actor(self.id, self.name)


class Accounts:
    """Repository of users, sign-in links, sessions and API tokens."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._db = unit.session

    # ---- users

    def has_users(self) -> bool:
        """Return whether any user exists."""
        return self._db.scalar(select(func.count()).select_from(models.User)) != 0

    def users(self) -> list[User]:
        """List all users, by name."""
        rows = self._db.scalars(select(models.User).order_by(models.User.name, models.User.id))
        return [to_record(User, row) for row in rows]

    def user(self, user_id: str) -> User:
        """Return one user; raise NotFound."""
        return to_record(User, self._user(user_id))

    def create_user(
        self, name: str, email: str | None, role: Role, password_hash: PasswordHash | None
    ) -> User:
        """Create a user; the e-mail address is unique whatever its case.

        password_hash: as ``new_password`` makes it, before the transaction because it takes long.
        """
        address = _address(email)
        if address and self._db.scalar(select(models.User.id).filter_by(email=address)):
            raise Conflict(f"there is already a user with the address {address}")
        row = models.User(
            name=_name(name),
            email=address,
            role=role,
            password_hash=password_hash,
        )
        self._db.add(row)
        self._db.flush()
        self._db.refresh(row)
        self._unit.touch(ALL_INCIDENTS, "accounts")
        return to_record(User, row)

    def change_user(
        self,
        user_id: str,
        *,
        name: str | None = None,
        role: Role | None = None,
        password_hash: PasswordHash | None = None,
        disabled: bool | None = None,
        end_tokens: bool = True,
    ) -> User:
        """Change the given fields; the last admin stays.

        A new password ends the sessions and, with ``end_tokens``, revokes the API tokens.
        """
        lock(self._db, AdvisoryLock.FIRST_ADMIN)
        row = self._user(user_id)
        loses = (role is not None and role != "admin") or disabled is True
        if row.role == "admin" and not row.disabled and loses and self._admins() == 1:
            raise Conflict(
                f"{row.name} is the last admin: make somebody else an admin first, "
                "or nobody could manage users"
            )
        if name is not None:
            row.name = _name(name)
        if role is not None:
            row.role = role
        if disabled is not None:
            row.disabled = disabled
        if password_hash is not None:
            row.password_hash = password_hash
            if end_tokens:
                self._revoke_all(user_id)
        if password_hash is not None or disabled:
            end_sessions(self._unit, user_id)
        self._db.flush()
        self._unit.notify_access(user_id)
        self._unit.touch(ALL_INCIDENTS, "accounts")
        return to_record(User, row)

    def change_profile(
        self,
        user_id: str,
        *,
        name: str | None,
        password_hash: PasswordHash | None,
        known_hash: str | None,
        session: str | None,
        end_tokens: bool = True,
    ) -> User:
        """Change a user's own name or password; a new password ends the other sessions.

        known_hash: of the current password that the user gave, as it was stored then. session: the
        secret of the session that stays open. end_tokens: a new password also revokes the API
        tokens. Raises Conflict when the password was changed meanwhile.
        """
        row = self._user(user_id)
        if name is not None:
            row.name = _name(name)
        if password_hash is not None:
            if row.password_hash != known_hash:
                raise Conflict("the password was changed at the same moment; try again")
            row.password_hash = password_hash
            end_sessions(self._unit, user_id, but=session)
            if end_tokens:
                self._revoke_all(user_id)
        self._db.flush()
        self._unit.touch(ALL_INCIDENTS, "accounts")
        return to_record(User, row)

    # ---- signing in

    def create_link(self, lifetime: timedelta, user_id: str | None = None) -> str:
        """Create a one-time link that signs in a user.

        user_id: None: the first admin; before there is any user, the link creates that admin.
        """
        if user_id is not None and self._user(user_id).disabled:
            raise Conflict("the account is disabled: enable it first")
        owner = user_id or self.first_admin()
        secret = new_secret()
        self._db.add(
            models.SignInLink(
                token_hash=hash_secret(secret),
                user_id=owner,
                expires_at=datetime.now(UTC) + lifetime,
            )
        )
        self._db.flush()
        return secret

    def first_admin(self) -> str | None:
        """Return the id of the oldest active admin; None before there is any user."""
        return self._db.scalar(
            select(models.User.id)
            .where(models.User.role == "admin", models.User.disabled.is_(False))
            .order_by(models.User.created_at, models.User.id)
            .limit(1)
        )

    def user_of_link(self, secret: str) -> User | None:
        """Return whom a sign-in link signs in, None for the first admin; raises Refused."""
        row = self._db.scalar(select(models.SignInLink).where(*_usable(secret)))
        if row is None:
            raise Refused(_LINK_IS_GONE, "link")
        return None if row.user_id is None else self.user(row.user_id)

    def redeem_link(
        self, secret: str, name: str | None, email: str | None, password_hash: PasswordHash | None
    ) -> User:
        """Use up a sign-in link and return its user; create the first admin where there is none.

        password_hash: of the first or a new password of that user; a new one ends the other
        sessions and revokes the API tokens.
        """
        lock(self._db, AdvisoryLock.FIRST_ADMIN)
        row = self._db.scalar(
            update(models.SignInLink)
            .where(*_usable(secret))
            .values(used_at=func.now())
            .returning(models.SignInLink)
        )
        if row is None:
            raise Refused(_LINK_IS_GONE, "link")
        if row.user_id is not None:
            user = self._user(row.user_id)
            if user.disabled:
                raise Refused(f"the account of {user.name} is disabled", "link")
            if password_hash:
                user.password_hash = password_hash
                end_sessions(self._unit, user.id)
                self._revoke_all(user.id)
            return to_record(User, user)
        if self.has_users():
            raise Refused(
                "this link was made for the first user, and there is one now; sign in with a "
                "password, or start `pileup run` again to get a link of your own",
                "link",
            )
        return self.create_user(name or "admin", email, "admin", password_hash)

    def for_sign_in(self, email: str) -> Stored | None:
        """Return the user with this address unless disabled; the password is not checked."""
        row = self._db.scalar(select(models.User).filter_by(email=_address(email), disabled=False))
        return _stored(row) if row else None

    def stored(self, user_id: str) -> Stored:
        """Return what the password of a user is compared with; raise NotFound."""
        row = self._user(user_id)
        return _stored(row)

    # ---- API tokens

    def tokens(self, user_id: str) -> list[Token]:
        """List a user's tokens that are not revoked, newest first."""
        rows = self._db.scalars(
            select(models.Token)
            .where(models.Token.user_id == user_id, models.Token.revoked_at.is_(None))
            .order_by(models.Token.id.desc())
        )
        return [_token(row) for row in rows]

    def create_token(
        self,
        user_id: str,
        name: str,
        verbs: Iterable[Verb],
        expires_at: datetime | None,
        incident_id: str | None = None,
    ) -> tuple[Token, str]:
        """Create a token; return it with its secret, which cannot be read again.

        incident_id: the only incident that it opens; the unit's user must see it.
        """
        if incident_id is not None:
            Incidents(self._unit).get(incident_id)
        if expires_at is not None and expires_at <= datetime.now(UTC):
            raise Refused("the token would have expired already", "expires_at")
        secret = new_secret("plp_")
        row = models.Token(
            user_id=user_id,
            name=_name(name),
            verbs=sorted(set(verbs)),
            incident_id=incident_id,
            token_hash=hash_secret(secret),
            expires_at=expires_at,
        )
        self._db.add(row)
        self._db.flush()
        self._db.refresh(row)
        return _token(row), secret

    def revoke_token(self, user_id: str, token_id: str) -> None:
        """Revoke a token immediately."""
        done = self._db.scalar(
            update(models.Token)
            .where(
                models.Token.id == token_id,
                models.Token.user_id == user_id,
                models.Token.revoked_at.is_(None),
            )
            .values(revoked_at=func.now())
            .returning(models.Token.id)
        )
        if done is None:
            raise NotFound("you have no such token")
        self._unit.notify_access(user_id)

    def by_tokens(self, secrets: Collection[str]) -> dict[str, TokenUse]:
        """Map secrets to whose token each is and what it may do, without those not valid."""
        if not secrets:
            return {}
        secret_of = {hash_secret(secret): secret for secret in secrets}
        rows = self._db.execute(_BY_TOKENS, {"hashes": list(secret_of)}).all()
        self._mark_used([row.id for row in rows if row.is_unmarked])
        return {
            secret_of[row.token_hash]: TokenUse(
                row.id,
                to_record(User, row.user),
                cast("frozenset[Verb]", frozenset(row.verbs)),
                row.incident_id,
                row.ends_in_s,
            )
            for row in rows
        }

    def _mark_used(self, token_ids: list[str]) -> None:
        if not token_ids:
            return
        stale = (  # requests of the same token do not wait for each other's mark
            select(models.Token.id)
            .where(models.Token.id.in_(token_ids), _UNMARKED)
            .with_for_update(skip_locked=True)
        )
        self._db.execute(
            update(models.Token).where(models.Token.id.in_(stale)).values(last_used_at=func.now())
        )

    def _revoke_all(self, user_id: str) -> None:
        self._db.execute(
            update(models.Token)
            .where(models.Token.user_id == user_id, models.Token.revoked_at.is_(None))
            .values(revoked_at=func.now())
        )

    def _user(self, user_id: str) -> models.User:
        row = self._db.get(models.User, user_id)
        if row is None:
            raise NotFound("there is no such user")
        return row

    def _admins(self) -> int:
        return (
            self._db.scalar(
                select(func.count())
                .select_from(models.User)
                .where(models.User.role == "admin", models.User.disabled.is_(False))
            )
            or 0
        )


def _token(row: models.Token) -> Token:
    return to_record(Token, row, verbs=tuple(row.verbs))


def _address(email: str | None) -> str | None:
    address = clean(email or "").strip().lower()
    if not address:
        return None
    if "@" not in address or len(address) > 254 or any(c.isspace() for c in address):
        raise Refused(f"{address!r} is not an e-mail address", "email")
    return address


def _name(name: str) -> str:
    cleaned = clean(name).strip()
    if not cleaned or len(cleaned) > 200:
        raise Refused("a name has 1 to 200 characters", "name")
    return cleaned


def new_password(
    password: str | None,
    name: str,
    email: str | None,
    breached: Path | None = None,
    *,
    stranger: bool = False,
) -> PasswordHash | None:
    """Return the hash of a password that is not easily guessed; None without one.

    breached: a file of breached passwords, none of which is taken. stranger: as in
    ``credentials.hash_password``.
    It takes long, so compute it outside of any transaction. Raises Refused and Crowded.
    """
    if not password:
        return None
    check_password(password, name, email or "", breached=breached)
    return hash_password(password, stranger=stranger)


def _stored(row: models.User) -> Stored:
    known = row.password_hash
    return Stored(row.id, row.name, PasswordHash(known) if known is not None else None)


def _usable(secret: str) -> tuple[ColumnElement[bool], ...]:
    return (
        models.SignInLink.token_hash == hash_secret(secret),
        models.SignInLink.used_at.is_(None),
        models.SignInLink.expires_at > func.now(),
    )
