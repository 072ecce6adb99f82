"""Provide a temporary PostgreSQL: one server per test process, one empty database per test.

The schema is migrated once into a template. A test borrows a copy of it; afterwards the copy is
emptied for the next test, which takes less time than another copy. A test that changed the schema
or filled tables with much leaves its copy behind, and the next test gets a new one.
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
from pathlib import Path

import psycopg
from psycopg import sql

from pileup.runtime.postgres import EmbeddedPostgres
from tests.support.shared_engines import SESSIONS

_TEMPLATE = "pileup_template"

_TOO_LARGE = 4 << 20
"""Bytes more than the template has; emptying tables leaves their files."""

_SCHEMA = """
select string_agg(concat_ws(' ', name, entries, newest), E'\\n' order by name) from (
  select 'class' as name, count(*) as entries, max(xmin::text::bigint) as newest
    from pg_class where relpersistence <> 't'
  union all select 'attribute', count(*), max(xmin::text::bigint) from pg_attribute
  union all select 'attrdef', count(*), max(xmin::text::bigint) from pg_attrdef
  union all select 'constraint', count(*), max(xmin::text::bigint) from pg_constraint
  union all select 'index', count(*), max(xmin::text::bigint) from pg_index
  union all select 'trigger', count(*), max(xmin::text::bigint) from pg_trigger
  union all select 'proc', count(*), max(xmin::text::bigint) from pg_proc
  union all select 'namespace', count(*), max(xmin::text::bigint)
    from pg_namespace where nspname not like 'pg%temp%'
  union all select 'extension', count(*), max(xmin::text::bigint) from pg_extension
  union all select 'version', count(*), max(xmin::text::bigint) from alembic_version
) as catalogs
"""
"""How many definitions there are, and the transaction that wrote the newest: any change is a later
one. To compare the definitions themselves takes ten times as long, after every test."""

_TABLES = """
select oid::regclass::text from pg_class
where relkind = 'r' and oid >= 16384 and relname <> 'alembic_version' and pg_relation_size(oid) > 0
"""

_SEQUENCES = """
select setval(format('%I.%I', schemaname, sequencename), start_value, false)
from pg_sequences where last_value is not null
"""


class PostgresForTests:
    """A running server and its databases."""

    def __init__(self) -> None:
        self._base = Path(tempfile.mkdtemp(prefix="pileup-pg-"))
        self._base.chmod(0o711)
        self._numbers = itertools.count(1)
        self._template: tuple[str, int] | None = None
        self._empty: list[str] = []
        self._cleaners: dict[str, psycopg.Connection[tuple[object, ...]]] = {}
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
        if self._template is None:
            self._make_template()
        return self.copy_of(_TEMPLATE)

    def borrow_database(self) -> str:
        """Return the name of a database with the current schema and no rows."""
        name = self._empty.pop() if self._empty else self.migrated_database()
        SESSIONS.databases.add(self._address(name))
        return name

    def give_back(self, name: str) -> None:
        """Empty a borrowed database for the next test, or drop it when that is not enough."""
        if self._emptied(name):
            self._empty.append(name)
        else:
            self.drop(name)

    def copy_of(self, template: str) -> str:
        """Copy a database without connections and return the name of the copy."""
        name = f"test_{next(self._numbers)}"
        self.server.create_database(name, template=template)
        return name

    def drop(self, name: str) -> None:
        """Drop a database even while clients are connected."""
        SESSIONS.end(self._address(name))
        if cleaner := self._cleaners.pop(name, None):
            cleaner.close()
        self.server.drop_database(name)

    def url(self, name: str) -> str:
        """Return the SQLAlchemy address of a database."""
        return self.server.url(name)

    def close(self) -> None:
        """Stop the server and remove its files."""
        self.server.stop()
        shutil.rmtree(self._base, ignore_errors=True)

    def _address(self, name: str) -> str:
        """Return how a connection names the database: folder of the socket, and name."""
        return f"{self.server.sockets}/{name}"

    def _make_template(self) -> None:
        from pileup.storage.migrate import upgrade

        self.server.create_database(_TEMPLATE)
        upgrade(self.server.url(_TEMPLATE))
        with self._connect(_TEMPLATE) as connection:
            if seeded := connection.execute(_TABLES).fetchall():
                raise RuntimeError(f"a migration writes rows that tests would lose: {seeded}")
            self._template = _state(connection)

    def _emptied(self, name: str) -> bool:
        assert self._template is not None
        schema, size = self._template
        try:
            connection = self._cleaner(name)
            connection.execute(
                "select pg_terminate_backend(pid, 10000) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
                " and pid <> all(%s)",
                (SESSIONS.processes(self._address(name)),),
            )
            for (table,) in connection.execute(_TABLES).fetchall():
                connection.execute(sql.SQL("delete from {}").format(sql.SQL(str(table))))
            connection.execute(_SEQUENCES)
            now, bytes_now = _state(connection)
        except psycopg.Error:
            return False
        return now == schema and bytes_now <= size + _TOO_LARGE

    def _cleaner(self, name: str) -> psycopg.Connection[tuple[object, ...]]:
        """Return the session that empties a database; it knows the tables from the last time."""
        cleaner = self._cleaners.get(name)
        if cleaner is None or cleaner.closed:
            cleaner = self._cleaners[name] = self._connect(name)
            # Without triggers and foreign keys, so in any order.
            cleaner.execute("set session_replication_role = replica")
        return cleaner

    def _connect(self, name: str) -> psycopg.Connection[tuple[object, ...]]:
        address = self.server.url(name).replace("postgresql+psycopg://", "postgresql://")
        return psycopg.connect(address, autocommit=True)


def _state(connection: psycopg.Connection[tuple[object, ...]]) -> tuple[str, int]:
    """Return the state of the schema, and the size in bytes."""
    schema = connection.execute(_SCHEMA).fetchone()
    size = connection.execute("select pg_database_size(current_database())").fetchone()
    assert schema is not None
    assert size is not None
    return str(schema[0]), int(str(size[0]))
