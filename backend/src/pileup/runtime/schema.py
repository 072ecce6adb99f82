"""Bring the database to the schema of this code, or say why that cannot be."""

from __future__ import annotations

import errno

from alembic.util.exc import CommandError
from sqlalchemy.exc import DBAPIError

from pileup.runtime.errors import StartError, disk_full


def migrate(database_url: str) -> None:
    """Upgrade to the newest revision; nothing happens when it is there already."""
    from pileup.storage.migrate import upgrade

    try:
        upgrade(database_url)
    except CommandError as error:
        if "Can't locate revision" in str(error):
            raise StartError(
                "the database has a newer schema than this Pileup knows "
                f"({error}): start the newer Pileup, or choose another folder with PILEUP_HOME."
            ) from error
        raise StartError(f"the database schema could not be brought up to date: {error}") from error
    except DBAPIError as error:
        if "No space left on device" in str(error):
            raise disk_full("the database") from error
        reason = str(error.orig).strip().splitlines()[0] if error.orig else str(error)
        raise StartError(
            f"the database does not let itself be brought up to date: {reason}"
        ) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise disk_full("the database") from error
        raise
