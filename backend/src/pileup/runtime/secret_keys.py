"""The key of the installation's secrets, before anything starts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pileup.runtime.errors import StartError
from pileup.runtime.instance import need_database
from pileup.settings import Settings
from pileup.storage import encryption
from pileup.storage.audit import MACHINE, record
from pileup.storage.database import Database
from pileup.storage.encryption import Keys, encrypt_stored
from pileup.storage.errors import WrongKey
from pileup.storage.signing import open_signer


def protect_secrets(settings: Settings) -> None:
    """Encrypt what is stored with the first key; raises StartError when the key does not fit."""
    with _database(settings) as database:
        key = database.encryption
        with database.unit() as unit:
            if number := encrypt_stored(unit.session, key):
                record(unit, MACHINE, "secrets.encrypted", number=number)
            open_signer(unit)  # makes the key at the first start


def need_key(settings: Settings) -> None:
    """Raise a sentence unless the key fits the database."""
    with _database(settings) as database:
        _ = database.encryption


def forget_secrets(settings: Settings) -> tuple[int, int]:
    """Do without a lost key; return the numbers of second factors and webhooks switched off."""
    with _database(settings) as database, database.unit() as unit:
        factors, webhooks = encryption.forget_secrets(unit.session, Keys.of(settings))
        record(unit, MACHINE, "secrets.forgotten", factors=factors, webhooks=webhooks)
        return factors, webhooks


@contextmanager
def _database(settings: Settings) -> Iterator[Database]:
    database = Database(need_database(settings), pool_size=2, keys=Keys.of(settings))
    try:
        yield database
    except WrongKey as error:
        raise StartError(f"{error}.") from error
    finally:
        database.close()
