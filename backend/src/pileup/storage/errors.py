"""Storage errors, with messages that people can act on. None of them knows HTTP.

StorageError
├── NotFound            no such row, or not in this incident
├── Conflict            the write breaks a rule of the data (duplicate, locked, wrong state)
│   ├── InUse           another request writes it now
│   ├── Overtaken       another transaction was first: the row is there, or its parent gone
│   ├── Contended       other transactions held the rows for too long; try again
│   └── StaleRevision   somebody saved first; carries the current record
├── Refused             the value breaks a rule of the domain (carries the field)
├── TooLarge            an upload over the limit
├── OverQuota           a user or a team keeps as much as it may
├── NoSpace             the disk is (nearly) full
├── Damaged             stored bytes are not those that were stored
├── StoreUnreachable    the bucket does not answer; try again
├── ScannerUnreachable  the virus scanner does not answer, or scanned nothing
├── WrongKey            the key of encrypted secrets is missing, or another one
└── WrongSchema         the database is newer or older than this program
"""

# ruff: noqa: N818  (named after the event, as a reader of `except` wants it)
from __future__ import annotations

import errno


class StorageError(Exception):
    """Base class of all storage errors."""


class NotFound(StorageError):
    """The row does not exist; the message names it."""


class Crowded(StorageError):
    """Too many of these at once; nothing was changed."""


class Forbidden(StorageError):
    """The rank in the incident does not allow the write."""

    @classmethod
    def to_viewers(cls) -> Forbidden:
        """Return the refusal of a write by who may only read the incident."""
        return cls(
            "you may read this incident, and not change it; a lead of the incident can make you a "
            "contributor to it"
        )


class Conflict(StorageError):
    """The write breaks a rule of the data."""


class StaleRevision(Conflict):
    """Somebody else saved first; the write was made from an older revision."""

    def __init__(self, message: str, current: object) -> None:
        super().__init__(message)
        self.current = current


class InUse(Conflict):
    """Another request writes the same thing now."""


class Overtaken(Conflict):
    """Another transaction was first; the cause is PostgreSQL's error."""


class Contended(Conflict):
    """Other transactions held the rows for too long, or PostgreSQL broke a deadlock."""


class Refused(StorageError):
    """The value breaks a rule of the domain."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class TooLarge(StorageError):
    """The upload has more bytes than this installation accepts."""


class OverQuota(StorageError):
    """The user or the team keeps as much as it may; the message says which, and what helps."""


class NoSpace(StorageError):
    """The disk under the data folder is (nearly) full."""


class Damaged(StorageError):
    """Stored bytes have another SHA-256 than when they were stored."""


class StoreUnreachable(StorageError):
    """The object store does not answer, or not as it should: try again."""


class ScannerUnreachable(StorageError):
    """The virus scanner does not answer, or did not scan the file; it does not leave unscanned."""


class WrongKey(StorageError):
    """The key that encrypts secrets is missing, unusable or another one; the message says which."""


class WrongSchema(StorageError):
    """The database does not fit this program; the message says which is newer and what to do."""


def disk_is_full(error: BaseException | None) -> bool:
    """Return whether an error, or what led to it, is about a full disk."""
    while error is not None:
        number = error.errno if isinstance(error, OSError) else None
        if isinstance(error, NoSpace) or number in (errno.ENOSPC, errno.EDQUOT):
            return True
        if "No space left on device" in str(error):  # libraries have errors of their own
            return True
        error = error.__cause__ or error.__context__
    return False
