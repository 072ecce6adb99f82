"""Provide a temporary PostgreSQL: one server per test process, one database per test.

The schema is migrated once into a template; each test gets a copy of it (some 30 ms).
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
from pathlib import Path

from pileup.runtime.postgres import EmbeddedPostgres

_TEMPLATE = "pileup_template"


class PostgresForTests:
    """A running server and its databases."""

    def __init__(self) -> None:
        self._base = Path(tempfile.mkdtemp(prefix="pileup-pg-"))
        self._base.chmod(0o711)
        self._numbers = itertools.count(1)
        self._migrated = False
        self.server = EmbeddedPostgres(
            self._base / "postgres", self._base / "run", self._base / "log", durable=False
        )
        self.server.start()

    def empty_database(self) -> str:
        """Create a database without any table and return its name."""
        name = f"test_{next(self._numbers)}"
        self.server.create_database(name)
        return name

    def migrated_database(self) -> str:
        """Create a database with the current schema and return its name."""
        if not self._migrated:
            from pileup.storage.migrate import upgrade

            self.server.create_database(_TEMPLATE)
            upgrade(self.server.url(_TEMPLATE))
            self._migrated = True
        return self.copy_of(_TEMPLATE)

    def copy_of(self, template: str) -> str:
        """Copy a database without connections and return the name of the copy."""
        name = f"test_{next(self._numbers)}"
        self.server.create_database(name, template=template)
        return name

    def drop(self, name: str) -> None:
        """Drop a database even while clients are connected."""
        self.server.drop_database(name)

    def url(self, name: str) -> str:
        """Return the SQLAlchemy address of a database."""
        return self.server.url(name)

    def close(self) -> None:
        """Stop the server and remove its files."""
        self.server.stop()
        shutil.rmtree(self._base, ignore_errors=True)
