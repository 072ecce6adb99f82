"""The one-time sign-in link that `pileup run` prints."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from pileup.settings import get_settings
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.second_factors import SecondFactors
from pileup.storage.audit import MACHINE, record
from pileup.storage.database import Database


def create_sign_in_link(database_url: str, home: Path, *, reset_second_factor: bool = False) -> str:
    """Create a sign-in link and return its secret: the UI opens it at ``/sign-in?link=<secret>``.

    It expires and works once; the database keeps its hash only. ``home`` is where the caller's
    installation lives; nothing is written there. reset_second_factor: the first admin lost it.
    """
    del home
    database = Database(database_url, pool_size=1)
    try:
        with database.unit() as unit:
            lifetime = timedelta(hours=get_settings().sign_in_link_lifetime_h)
            accounts = Accounts(unit)
            first = accounts.first_admin() if reset_second_factor else None
            if first is not None:
                SecondFactors(unit).remove(first)
                record(unit, MACHINE, "factor.reset", target=first)
            secret = accounts.create_link(lifetime)
            record(unit, MACHINE, "sign_in_link.created")
            return secret
    finally:
        database.close()
