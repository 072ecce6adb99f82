"""Bring a database to the schema of this program, or say why not.

The migrations are in ``pileup/storage/migrations`` (the folder ``migrations`` at the root of a
checkout is a link to it), so that a checkout, a wheel and an image have them at the same place.
"""

from __future__ import annotations

from functools import cache

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from pileup.paths import packaged
from pileup.storage.advisory_locks import AdvisoryLock, lock
from pileup.storage.database import with_driver
from pileup.storage.errors import WrongSchema

_SQUASHED = frozenset(f"{number:04}" for number in range(1, 19))
"""Revisions of the time before the first release; the oldest migration here starts after them."""
_LAST_WITH_ALL = "d611ab0"
"""The last commit whose migrations bring such a database to ours."""
_UNPREPARED = {"prepare_threshold": None}  # PgBouncer may not know statements of other sessions


def upgrade(database_url: str) -> None:
    """Migrate to the newest revision.

    Raises WrongSchema, and changes nothing, when the database is newer than this program or older
    than its first migration.
    """
    config = alembic_config(database_url)
    engine = create_engine(with_driver(database_url), connect_args=_UNPREPARED)
    try:
        # One transaction, which PgBouncer gives one session: the lock ends with it.
        with engine.begin() as connection:
            lock(connection, AdvisoryLock.MIGRATIONS)
            _refuse_unknown(_revision(connection), config)
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    finally:
        engine.dispose()


def check(database_url: str) -> None:
    """Raise WrongSchema unless the database is exactly at our newest revision."""
    config = alembic_config(database_url)
    engine = create_engine(with_driver(database_url))
    try:
        with engine.connect() as connection:
            current = _revision(connection)
    finally:
        engine.dispose()
    _refuse_unknown(current, config)
    head = newest_revision()
    if current != head:
        raise WrongSchema(
            f"the database is at schema {current or 'none'}, this program needs {head}; "
            "run `pileup migrate` (`pileup run` does it by itself)"
        )


@cache
def newest_revision() -> str | None:
    """Return the revision that this program needs."""
    config = alembic_config("postgresql://nobody@localhost/none")
    return ScriptDirectory.from_config(config).get_current_head()


def alembic_config(database_url: str) -> Config:
    """Build Alembic's configuration, without an ini file."""
    config = Config()
    config.set_main_option("script_location", str(packaged("storage/migrations")))
    config.set_main_option("sqlalchemy.url", with_driver(database_url).replace("%", "%%"))
    return config


def _revision(connection: object) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()  # type: ignore[arg-type]


def _refuse_unknown(current: str | None, config: Config) -> None:
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if current is None or current in known:
        return
    if current in _SQUASHED:
        raise WrongSchema(
            f"the database is from before the first release (schema {current}), and this version "
            "cannot bring it up to date; nothing was changed. Start an older Pileup with it once "
            f"(git checkout {_LAST_WITH_ALL}, make run), then this one again, or point this one at "
            "another data folder (PILEUP_HOME) or database (PILEUP_DATABASE_URL)"
        )
    raise WrongSchema(
        f"the database was written by a newer Pileup (schema {current}), which this version "
        "cannot read; nothing was changed. Run the newer version, or point this one at "
        "another data folder (PILEUP_HOME) or database (PILEUP_DATABASE_URL)"
    )
