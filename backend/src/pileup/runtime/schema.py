"""Bring the database to the schema of this code, or say why that is impossible."""

from __future__ import annotations

from alembic.util.exc import CommandError
from sqlalchemy.exc import DBAPIError

from pileup.runtime.errors import StartError, disk_full
from pileup.storage.errors import WrongSchema
from pileup.storage.migrate import check, upgrade


def need_schema(database_url: str) -> None:
    """Raise a sentence unless the database has the schema of this program; changes nothing."""
    try:
        check(database_url)
    except WrongSchema as error:
        raise StartError(f"{error}.") from error
    except DBAPIError as error:
        reason = (str(error.orig).strip().splitlines() or [type(error.orig).__name__])[0]
        raise StartError(
            f"the database cannot be reached ({reason}): see that it runs and that "
            "PILEUP_DATABASE_URL is right."
        ) from error


def migrate(database_url: str) -> None:
    """Upgrade to the newest revision; does nothing when it is there already."""
    try:
        upgrade(database_url)
    except WrongSchema as error:
        raise StartError(f"{error}.") from error
    except CommandError as error:
        raise StartError(f"the database schema could not be brought up to date: {error}") from error
    except DBAPIError as error:
        if "No space left on device" in str(error):
            raise disk_full("the database") from error
        reason = str(error.orig).strip().splitlines()[0]
        raise StartError(
            f"the database cannot be reached or brought up to date ({reason}): see that it runs "
            "and that PILEUP_DATABASE_URL is right."
        ) from error
