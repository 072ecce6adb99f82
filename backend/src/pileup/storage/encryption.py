"""Secrets at rest: encrypted with a key that is not in the database.

A second factor and the signature of a webhook need their secret back, so a hash would not do. The
key is ``PILEUP_SECRET_KEY``, else the file ``secret.key`` of the data folder, made when the first
secret is stored. Both may hold several keys: the first encrypts, all decrypt. The database knows a
value that only the right key decrypts (``KeyCheck``), so a wrong key is noticed before it encrypts.

Belongs here: the keys, and what they encrypt. A column of type ``Encrypted`` holds what
``Encryption.encrypt`` returned.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from sqlalchemy import Column, delete, select, update
from sqlalchemy.orm import Session

from pileup.settings import Settings
from pileup.storage import models
from pileup.storage.advisory_locks import AdvisoryLock, lock
from pileup.storage.errors import WrongKey
from pileup.storage.files.objects import sync_folder
from pileup.storage.models.base import ENCRYPTED

FILE = "secret.key"
"""Name of the key file in the data folder."""
_MARK = "fernet:"
_CHECKED = "pileup"
_HOW = "a key is what `openssl rand -base64 32 | tr '+/' '-_'` prints"


@dataclass(frozen=True, slots=True)
class Keys:
    """Where the keys of an installation are."""

    configured: str | None
    """Keys separated by commas or white space; None: those of ``file``."""
    file: Path

    @classmethod
    def of(cls, settings: Settings) -> Keys:
        """Return where the settings have the keys."""
        configured = settings.secret_key
        text = None if configured is None else configured.get_secret_value()
        return cls(text, settings.home / FILE)

    @property
    def place(self) -> str:
        """Name the place where the keys come from."""
        return str(self.file) if self.configured is None else "PILEUP_SECRET_KEY"


class Encryption:
    """Encrypts with the first key and decrypts with every one."""

    def __init__(self, keys: list[Fernet]) -> None:
        self._first = keys[0]
        self._all = MultiFernet(keys)

    def encrypt(self, value: str) -> str:
        """Encrypt a secret for a column of type ``Encrypted``."""
        return _MARK + self._first.encrypt(value.encode()).decode()

    def decrypt(self, value: str) -> str:
        """Return the secret; raises WrongKey when no key fits."""
        if not value.startswith(_MARK):
            return value  # from before encryption: `encrypt_stored` has not seen it yet
        try:
            return self._all.decrypt(value.removeprefix(_MARK).encode()).decode()
        except InvalidToken as error:
            raise WrongKey("a secret in the database was encrypted with another key") from error

    def is_current(self, value: str) -> bool:
        """Return whether the first key encrypted this value."""
        try:
            self._first.decrypt(value.removeprefix(_MARK).encode())
        except InvalidToken:
            return False
        return value.startswith(_MARK)


def open_encryption(session: Session, keys: Keys) -> Encryption:
    """Return the encryption of this database; create the key file before the first secret.

    Raises WrongKey when the key is missing, unusable, or not the one of this database.
    """
    lock(session, AdvisoryLock.SECRET_KEY)
    check = session.get(models.KeyCheck, 1)
    encryption = Encryption(_read(keys, may_create=check is None))
    if check is None:
        session.add(models.KeyCheck(id=1, encrypted=encryption.encrypt(_CHECKED)))
        session.flush()
    elif not fits(encryption, check.encrypted):
        raise WrongKey(
            f"the key of {keys.place} is not the one that encrypted the secrets of this database: "
            f"put that key there ({FILE} of its data folder, or PILEUP_SECRET_KEY). "
            "If it is lost, `pileup migrate --forget-secrets` switches off the second factors and "
            "webhooks that need it"
        )
    return encryption


def fits(encryption: Encryption, check: str) -> bool:
    """Return whether the keys decrypt a ``KeyCheck``."""
    try:
        return encryption.decrypt(check) == _CHECKED
    except WrongKey:
        return False


def read_check(session: Session) -> str | None:
    """Return what only the right key decrypts; None before the first secret."""
    check = session.get(models.KeyCheck, 1)
    return None if check is None else check.encrypted


def read_keys(keys: Keys) -> Encryption:
    """Return the encryption of keys that must be there; raises WrongKey."""
    return Encryption(_read(keys, may_create=False))


def encrypt_stored(session: Session, encryption: Encryption) -> int:
    """Encrypt with the first key every secret that is not yet; return how many were not.

    Secrets from before encryption, and after a rotation those of older keys.
    """
    changed = 0
    for column, key, value in _stored(session):
        if encryption.is_current(value):
            continue
        encrypted = encryption.encrypt(encryption.decrypt(value))
        _write(session, column, key, encrypted)
        changed += 1
    return changed


def forget_secrets(session: Session, keys: Keys) -> tuple[int, int]:
    """Do without a lost key: return the numbers of second factors and webhooks switched off.

    Only those that the present key does not decrypt.
    """
    lock(session, AdvisoryLock.SECRET_KEY)
    encryption = Encryption(_read(keys, may_create=True))
    lost = [row for row in _stored(session) if not _decrypts(encryption, row[2])]
    factors = [key for column, key, _ in lost if column.table is models.SecondFactor.__table__]
    webhooks = [key for column, key, _ in lost if column.table is models.Webhook.__table__]
    session.execute(delete(models.SecondFactor).where(models.SecondFactor.user_id.in_(factors)))
    if any(column.table is models.SigningKey.__table__ for column, _, _ in lost):
        session.execute(delete(models.SigningKey))  # another one is made at its first use
    session.execute(
        update(models.Webhook)
        .where(models.Webhook.id.in_(webhooks))
        .values(enabled=False, secret=encryption.encrypt(secrets.token_urlsafe(32)))
    )
    session.execute(delete(models.KeyCheck))
    session.add(models.KeyCheck(id=1, encrypted=encryption.encrypt(_CHECKED)))
    session.flush()
    return len(factors), len(webhooks)


def encrypted_columns() -> list[Column[Any]]:
    """List the columns of type ``Encrypted``."""
    tables = models.Base.metadata.sorted_tables
    return [column for table in tables for column in table.columns if column.info.get(ENCRYPTED)]


def _stored(session: Session) -> Iterator[tuple[Column[Any], Any, str]]:
    """Yield column, primary key and value of each stored secret; the rows stay locked."""
    for column in encrypted_columns():
        (key,) = column.table.primary_key.columns
        rows = session.execute(select(key, column).order_by(key).with_for_update()).all()
        for row in rows:
            yield column, row[0], row[1]


def _write(session: Session, column: Column[Any], key: Any, value: str) -> None:
    (name,) = column.table.primary_key.columns
    table: Any = column.table
    session.execute(update(table).where(name == key).values({column.name: value}))


def _decrypts(encryption: Encryption, value: str) -> bool:
    try:
        encryption.decrypt(value)
    except WrongKey:
        return False
    return True


def _read(keys: Keys, *, may_create: bool) -> list[Fernet]:
    written = keys.configured
    if written is None:
        if may_create:
            _create(keys.file)
        try:
            written = keys.file.read_text(encoding="ascii", errors="replace")
        except FileNotFoundError as error:
            raise WrongKey(
                f"the secrets of this database are encrypted, and {keys.file} is not there: copy "
                "it from the data folder where it was made or from its copy, or set "
                "PILEUP_SECRET_KEY. If it is lost, `pileup migrate --forget-secrets` switches off "
                "the second factors and webhooks that need it"
            ) from error
        except OSError as error:
            raise WrongKey(f"{keys.file} cannot be read ({error.strerror})") from error
    try:
        found = [Fernet(key) for key in written.replace(",", " ").split()]
    except ValueError as error:
        raise WrongKey(f"{keys.place} holds something that is no key: {_HOW}") from error
    if not found:
        raise WrongKey(f"{keys.place} is empty: {_HOW}")
    return found


def _create(file: Path) -> None:
    """Write a new key unless there is a file; never half of one, and for the owner only."""
    if file.exists():
        return
    draft = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as out:
                out.write(Fernet.generate_key() + b"\n")
                out.flush()
                os.fsync(out.fileno())
            if not file.exists():
                draft.replace(file)
                sync_folder(file.parent)  # rows are encrypted with it from now on
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise WrongKey(f"the key cannot be written to {file} ({error.strerror})") from error
