"""Bring a database to the schema of this program, or say why not.

The migrations lie in ``pileup/storage/migrations`` (the folder ``migrations`` at the root of a
checkout is a link to it), so that a checkout, a wheel and an image find them alike.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text

from pileup.storage.database import with_driver
from pileup.storage.errors import WrongSchema

_LOCK = 7_145_201  # any number: two programs that start together migrate one after the other


def upgrade(database_url: str) -> None:
    """Migrate to the newest revision; a database that is newer than we are is left alone."""
    config = alembic_config(database_url)
    engine = create_engine(with_driver(database_url))
    try:
        with engine.connect() as connection:
            connection.execute(text("select pg_advisory_lock(:key)"), {"key": _LOCK})
            connection.commit()
            try:
                _refuse_newer(_revision(connection), config)
                connection.rollback()
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
                connection.commit()
            finally:
                connection.rollback()
                connection.execute(text("select pg_advisory_unlock(:key)"), {"key": _LOCK})
                connection.commit()
    finally:
        engine.dispose()


def check(database_url: str) -> None:
    """Raise WrongSchema unless the database is exactly at our newest revision."""
    config = alembic_config(database_url)
    engine = create_engine(with_driver(database_url))
    try:
        with engine.connect() as connection:
            found = _revision(connection)
    finally:
        engine.dispose()
    _refuse_newer(found, config)
    head = ScriptDirectory.from_config(config).get_current_head()
    if found != head:
        raise WrongSchema(
            f"the database is at schema {found or 'none'}, this program needs {head}; "
            "start `pileup run` once, or call `alembic upgrade head`, to migrate it"
        )


def alembic_config(database_url: str) -> Config:
    """Alembic's configuration, without an ini file."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("sqlalchemy.url", with_driver(database_url).replace("%", "%%"))
    return config


def _revision(connection: object) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()  # type: ignore[arg-type]


def _refuse_newer(found: str | None, config: Config) -> None:
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        raise WrongSchema(
            f"the database was written by a newer Pileup (schema {found}), which this version "
            "cannot read; nothing was changed. Run the newer version, or point this one at "
            "another data folder (PILEUP_HOME) or database (PILEUP_DATABASE_URL)"
        )
