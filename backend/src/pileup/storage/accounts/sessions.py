"""Browser sessions, and the devices that signed in before."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ARRAY, Interval, Text, any_, bindparam, delete, func, select, text, update
from sqlalchemy.orm import Bundle

from pileup.storage import models
from pileup.storage.accounts.credentials import hash_secret, new_secret
from pileup.storage.accounts.guest_links import Guest, is_valid
from pileup.storage.accounts.records import User
from pileup.storage.database import Unit, clean, seconds_until, to_record
from pileup.storage.errors import NotFound

_AGENT = 300
_DEVICE_LIFETIME = timedelta(days=365)
_DEVICES = 20
"""Devices of one user that are remembered; the least recently used go first."""


_UNMARKED = models.Session.last_seen_at < func.now() - text("interval '1 minute'")
"""Whether the use of a session is to be marked: one minute is precise enough, and saves writes."""

_ENDS_AT = func.least(
    models.Session.expires_at, models.Session.last_seen_at + bindparam("idle", type_=Interval)
)

_USER: Bundle[Any] = Bundle("user", *(getattr(models.User, field.name) for field in fields(User)))
_GUEST: Bundle[Any] = Bundle(
    "guest", *(getattr(models.GuestLink, field.name) for field in fields(Guest))
)
_FIND = (
    select(
        models.Session.id,
        models.Session.token_hash,
        models.Session.csrf,
        models.Session.two_factors,
        _USER,
        _GUEST,
        _UNMARKED.label("is_unmarked"),
        seconds_until(_ENDS_AT).label("ends_in_s"),
    )
    .outerjoin(models.User, models.User.id == models.Session.user_id)
    .outerjoin(models.GuestLink, models.GuestLink.id == models.Session.guest_link_id)
    .where(
        models.Session.token_hash == any_(bindparam("hashes", type_=ARRAY(Text))),
        func.now() < _ENDS_AT,
        models.User.disabled.is_(False) | is_valid(),
    )
)


@dataclass(frozen=True, slots=True)
class Session:
    """A browser session: of a user, or of a guest."""

    user: User | None
    guest: Guest | None
    csrf: str
    two_factors: bool
    """Opened with a second factor, or by the provider."""
    ends_in_s: float
    """Time after which it ends when nobody uses it."""


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session and the secret that its cookie carries; the secret cannot be read again."""

    csrf: str
    secret: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session as its user sees it in the list."""

    id: str
    agent: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    current: bool


class Sessions:
    """Repository of sessions and known devices."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._db = unit.session

    def open(
        self, of: User | Guest, lifetime: timedelta, agent: str, *, two_factors: bool = False
    ) -> NewSession:
        """Open a session of a user or guest, and delete every expired session.

        lifetime: the session ends then, used or not. agent: the browser, as it names itself.
        """
        self._db.execute(delete(models.Session).where(models.Session.expires_at < func.now()))
        secret, csrf = new_secret(), new_secret()
        expires_at = datetime.now(UTC) + lifetime
        guest = of if isinstance(of, Guest) else None
        self._db.add(
            models.Session(
                token_hash=hash_secret(secret),
                csrf=csrf,
                user_id=None if guest else of.id,
                guest_link_id=guest.id if guest else None,
                agent=clean(agent)[:_AGENT],
                two_factors=two_factors,
                expires_at=expires_at,
            )
        )
        self._db.flush()
        return NewSession(csrf, secret, expires_at)

    def find(self, secret: str, idle: timedelta) -> Session | None:
        """Return the session with this cookie secret, which is used; None when it has ended."""
        return self.find_all([secret], idle, used=[secret]).get(secret)

    def find_all(
        self, secrets: Collection[str], idle: timedelta, *, used: Collection[str]
    ) -> dict[str, Session]:
        """Map cookie secrets to their sessions, without those unknown, expired or long unused.

        used: secrets of the sessions that are used, so that their idle time begins again.
        """
        if not secrets:
            return {}
        secret_of = {hash_secret(secret): secret for secret in secrets}
        rows = self._db.execute(_FIND, {"hashes": list(secret_of), "idle": idle}).all()
        self._mark_used(
            [row.id for row in rows if row.is_unmarked and secret_of[row.token_hash] in used]
        )
        return {
            secret_of[row.token_hash]: Session(
                user=to_record(User, row.user) if row.user.id else None,
                guest=to_record(Guest, row.guest) if row.guest.id else None,
                csrf=row.csrf,
                two_factors=row.two_factors,
                ends_in_s=row.ends_in_s,
            )
            for row in rows
        }

    def mark_two_factors(self, secret: str) -> None:
        """Note that the user of the session with this cookie secret just proved both factors."""
        self._db.execute(
            update(models.Session)
            .where(models.Session.token_hash == hash_secret(secret))
            .values(two_factors=True)
        )

    def _mark_used(self, session_ids: list[str]) -> None:
        if not session_ids:
            return
        stale = (  # parallel requests do not wait for each other's mark
            select(models.Session.id)
            .where(models.Session.id.in_(session_ids), _UNMARKED)
            .with_for_update(skip_locked=True)
        )
        self._db.execute(
            update(models.Session)
            .where(models.Session.id.in_(stale))
            .values(last_seen_at=func.now())
        )

    def of_user(self, user_id: str, secret: str | None) -> list[OpenSession]:
        """List a user's sessions, the last used first. secret: of the session that lists them."""
        current = hash_secret(secret) if secret else None
        rows = self._db.scalars(
            select(models.Session)
            .where(models.Session.user_id == user_id, models.Session.expires_at > func.now())
            .order_by(models.Session.last_seen_at.desc(), models.Session.id)
        )
        return [
            OpenSession(
                id=row.id,
                agent=row.agent,
                created_at=row.created_at,
                last_seen_at=row.last_seen_at,
                expires_at=row.expires_at,
                current=row.token_hash == current,
            )
            for row in rows
        ]

    def end(self, user_id: str, session_id: str) -> None:
        """End one of the user's sessions by its id."""
        gone = self._db.scalar(
            delete(models.Session)
            .where(models.Session.id == session_id, models.Session.user_id == user_id)
            .returning(models.Session.id)
        )
        if gone is None:
            raise NotFound("you have no such session")
        self._unit.notify_access(user_id)

    def is_younger(self, secret: str, age: timedelta) -> bool:
        """Return whether the session with this cookie secret was opened within this time."""
        return bool(
            self._db.scalar(
                select(models.Session.created_at > func.now() - age).where(
                    models.Session.token_hash == hash_secret(secret)
                )
            )
        )

    def close(self, secret: str) -> None:
        """Delete the session with this cookie secret."""
        user_id = self._db.scalar(
            delete(models.Session)
            .where(models.Session.token_hash == hash_secret(secret))
            .returning(models.Session.user_id)
        )
        if user_id is not None:
            self._unit.notify_access(user_id)

    def remember_device(self, user_id: str) -> str:
        """Remember the browser that just signed in; return the secret of its cookie."""
        secret = new_secret()
        self._db.add(models.Device(token_hash=hash_secret(secret), user_id=user_id))
        self._db.flush()
        kept = (
            select(models.Device.id)
            .where(
                models.Device.user_id == user_id,
                models.Device.last_used_at > func.now() - _DEVICE_LIFETIME,
            )
            .order_by(models.Device.last_used_at.desc(), models.Device.id.desc())
            .limit(_DEVICES)
        )
        self._db.execute(
            delete(models.Device).where(
                models.Device.user_id == user_id, models.Device.id.not_in(kept)
            )
        )
        return secret

    def knows_device(self, secret: str, email: str) -> bool:
        """Return whether this browser signed in as the user with this address before."""
        found = self._db.scalar(
            update(models.Device)
            .where(
                models.Device.token_hash == hash_secret(secret),
                models.Device.last_used_at > func.now() - _DEVICE_LIFETIME,
                models.Device.user_id.in_(select(models.User.id).filter_by(email=email)),
            )
            .values(last_used_at=func.now())
            .returning(models.Device.id)
        )
        return found is not None


def end_sessions(unit: Unit, user_id: str, but: str | None = None) -> None:
    """Delete a user's sessions, except the session with the secret ``but``."""
    which: list[Any] = [models.Session.user_id == user_id]
    if but is not None:
        which.append(models.Session.token_hash != hash_secret(but))
    unit.session.execute(delete(models.Session).where(*which))
    unit.notify_access(user_id)
