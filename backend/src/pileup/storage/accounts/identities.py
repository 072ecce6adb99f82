"""Identities at a provider, and the attempts to sign in there that are under way."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, func, select

from pileup.storage import models
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.credentials import hash_secret, new_secret
from pileup.storage.accounts.records import User
from pileup.storage.database import Unit, to_record
from pileup.storage.errors import Conflict, NotFound, Refused
from pileup.storage.roles import Role

LIFETIME = timedelta(minutes=10)
_MOST = 10_000
_MOST_OF_CLIENT = 200
"""Attempts under way: a flood of beginnings must not fill the disk."""


@dataclass(frozen=True, slots=True)
class NewAttempt:
    """Secrets of an attempt: ``state`` and ``nonce`` travel, ``browser`` lies in a cookie."""

    state: str
    nonce: str
    verifier: str
    browser: str


@dataclass(frozen=True, slots=True)
class Attempt:
    nonce: str
    verifier: str
    next: str
    user_id: str | None
    """The user who links their identity; None to sign in."""


@dataclass(frozen=True, slots=True)
class LinkedIdentity:
    id: str
    issuer: str
    created_at: datetime


class Identities:
    """Repository of identities and attempts."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._db = unit.session

    def begin(self, client: str, address: str, user_id: str | None = None) -> NewAttempt:
        """Begin an attempt; raises Conflict when too many are under way.

        client: the address of who asks. address: the screen to open afterwards. user_id: of the
        user who links an identity.
        """
        table = models.OidcAttempt
        self._db.execute(delete(table).where(table.expires_at < func.now()))
        under_way = select(func.count()).select_from(table)
        of_client = self._db.scalar(under_way.where(table.client == client)) or 0
        if of_client >= _MOST_OF_CLIENT or (self._db.scalar(under_way) or 0) >= _MOST:
            raise Conflict("too many sign-ins are under way; try again in some minutes")
        new = NewAttempt(new_secret(), new_secret(), new_secret() + new_secret(), new_secret())
        self._db.add(
            table(
                state_hash=hash_secret(new.state),
                browser_hash=hash_secret(new.browser),
                nonce=new.nonce,
                verifier=new.verifier,
                next=address,
                client=client,
                user_id=user_id,
                expires_at=datetime.now(UTC) + LIFETIME,
            )
        )
        self._db.flush()
        return new

    def take(self, state: str, browser: str | None) -> Attempt | None:
        """Use up an attempt of this browser; None when it is unknown, used, or too old."""
        table = models.OidcAttempt
        row = self._db.scalar(
            delete(table)
            .where(
                table.state_hash == hash_secret(state),
                table.browser_hash == hash_secret(browser or ""),
                table.expires_at > func.now(),
            )
            .returning(table)
        )
        return to_record(Attempt, row) if row else None

    def find(self, issuer: str, subject: str) -> User | None:
        """Return the user of an identity; disabled users too."""
        row = self._db.scalar(
            select(models.User)
            .join(models.Identity, models.Identity.user_id == models.User.id)
            .where(models.Identity.issuer == issuer, models.Identity.subject == subject)
        )
        return to_record(User, row) if row else None

    def link(self, user_id: str, issuer: str, subject: str) -> None:
        """Link an identity to a user; raises Conflict when it is another user's."""
        known = self.find(issuer, subject)
        if known is not None:
            if known.id != user_id:
                raise Conflict("another user has linked this identity")
            return
        self._db.add(models.Identity(user_id=user_id, issuer=issuer, subject=subject))
        self._db.flush()

    def create_user(
        self, issuer: str, subject: str, name: str, email: str | None, role: Role
    ) -> User:
        """Create the user of a new identity; raises Conflict when the address is somebody's.

        An equal address proves nothing: whoever has the account links the identity themselves.
        """
        try:
            user = Accounts(self._unit).create_user(name, email, role, None)
        except Refused:  # an address or a name that we do not take
            user = Accounts(self._unit).create_user("new user", None, role, None)
        self.link(user.id, issuer, subject)
        return user

    def of_user(self, user_id: str) -> list[LinkedIdentity]:
        """List the identities of a user."""
        rows = self._db.scalars(
            select(models.Identity)
            .filter_by(user_id=user_id)
            .order_by(models.Identity.created_at, models.Identity.id)
        )
        return [to_record(LinkedIdentity, row) for row in rows]

    def unlink(self, user_id: str, identity_id: str) -> None:
        """Remove an identity of a user, unless it is their only way in."""
        user = self._db.get(models.User, user_id)
        if user and user.password_hash is None and len(self.of_user(user_id)) == 1:
            raise Conflict("set a password first: this is your only way to sign in")
        gone = self._db.scalar(
            delete(models.Identity)
            .where(models.Identity.id == identity_id, models.Identity.user_id == user_id)
            .returning(models.Identity.id)
        )
        if gone is None:
            raise NotFound("you have no such identity")
