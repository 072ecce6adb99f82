"""Numbers of PostgreSQL's advisory locks: one table, because PostgreSQL knows them by number only.

Every lock belongs here, also one that a migration wrote into a function of the database: two users
of one number would wait for each other. Locks by the hash of a text (``audit.record_once``) use
all other 64-bit numbers.
"""

from __future__ import annotations

from enum import IntEnum, unique

from sqlalchemy import Connection, func, select
from sqlalchemy.orm import Session


@unique
class AdvisoryLock(IntEnum):
    """What each number locks."""

    MIGRATIONS = 7_145_201
    """Two programs that start together migrate one after the other."""
    TURNS = 7_145_202
    """With a quota, one worker takes jobs at a time; analyses are taken one at a time anyway."""
    AUDIT_CHAIN = 7_145_203
    """Entries of the audit trail are linked one after another (in the database's function)."""
    FIRST_ADMIN = 7_145_204
    """Creating the first admin, and demoting an admin."""
    SECRET_KEY = 7_145_205
    """Two programs that start together agree on one key of the secrets."""
    BLOBS = 0x70696C65_67617262  # "pilegarb"
    """Shared by transactions that name blobs; alone for the collection that removes them."""


def lock(session: Session | Connection, name: AdvisoryLock) -> None:
    """Wait for the lock and hold it until the transaction ends."""
    session.execute(select(func.pg_advisory_xact_lock(int(name))))


def lock_shared(session: Session, name: AdvisoryLock) -> None:
    """Wait until nobody holds the lock alone, and share it until the transaction ends."""
    session.execute(select(func.pg_advisory_xact_lock_shared(int(name))))


def try_lock(session: Session, name: AdvisoryLock) -> bool:
    """Return whether the lock is ours until the transaction ends; it does not wait."""
    return bool(session.scalar(select(func.pg_try_advisory_xact_lock(int(name)))))
