"""Wrong passwords and codes of the last five minutes, counted once for all processes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, func, or_, select

from pileup.storage import models
from pileup.storage.accounts.credentials import hash_secret
from pileup.storage.database import Unit, clean

WINDOW = timedelta(minutes=5)
_CLIENT = 100


@dataclass(frozen=True, slots=True)
class Counts:
    """How often was guessed: by this client for this account, by the client, for the account."""

    both: int
    of_client: int
    of_account: int


class Guesses:
    """Repository of wrong guesses."""

    def __init__(self, unit: Unit) -> None:
        self._db = unit.session

    def counts(self, client: str, account: str) -> Counts:
        """Count the guesses of the last five minutes."""
        row = models.Guess
        is_client = row.client == clean(client)[:_CLIENT]
        is_account = row.account_hash == hash_secret(account)
        counted = select(
            func.count().filter(is_client & is_account),
            func.count().filter(is_client),
            func.count().filter(is_account),
        ).where(or_(is_client, is_account), row.at > func.now() - WINDOW)
        return Counts(*self._db.execute(counted).one())

    def add(self, client: str, account: str) -> None:
        """Count a wrong guess, and forget the old ones."""
        old = models.Guess.at < func.now() - WINDOW
        stale = select(models.Guess.id).where(old).limit(1000).with_for_update(skip_locked=True)
        self._db.execute(delete(models.Guess).where(models.Guess.id.in_(stale)))
        row = models.Guess(client=clean(client)[:_CLIENT], account_hash=hash_secret(account))
        self._db.add(row)
        self._db.flush()
