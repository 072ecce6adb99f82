"""Let the engines of all tests of a process share what takes time to make: statements, sessions.

An engine keeps compiled statements under its dialect, and each engine has a dialect. All engines of
the tests speak to PostgreSQL by one driver, so what one of them compiled fits every other.

A session of PostgreSQL that is new reads the catalog for every table it meets. So a session that a
test closes waits for the next engine, as a new one: none of its settings stays.
"""

from __future__ import annotations

import os
from collections import defaultdict
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy import Engine, create_engine, event

from pileup.storage.database import Impatient

_STATEMENTS: dict[tuple[Any, ...], Any] = {}

_AS_NEW = """
reset session authorization; reset all; unlisten *; close all; discard temp; discard sequences;
select pg_advisory_unlock_all(); set application_name = 'waits for the next test'
"""
"""What ``discard all`` does, without the plans of prepared statements, which psycopg remembers. Who
counts the connections of an installation that was closed finds none."""

_AGAIN = "select set_config('application_name', %s, false)"


class _Statements:
    """What SQLAlchemy asks of a cache; the first part of a key is the dialect."""

    def get(self, key: tuple[Any, ...]) -> Any:
        return _STATEMENTS.get(key[1:])

    def __setitem__(self, key: tuple[Any, ...], compiled: Any) -> None:
        _STATEMENTS[key[1:]] = compiled


class Kept(Impatient):
    """A connection whose session waits for the next test when it is closed."""

    sessions: Sessions
    address: tuple[int, str]

    def close(self) -> None:
        """Keep the session where it works and nobody else would see what it did."""
        if not self.sessions.keep(self):
            super().close()

    def close_now(self) -> None:
        super().close()


class Sessions:
    """The sessions that wait, by process and database."""

    MOST = 3

    def __init__(self) -> None:
        self.databases: set[str] = set()
        """The addresses of databases that tests borrow; sessions on others are not kept."""
        self._waiting: defaultdict[tuple[int, str], list[Kept]] = defaultdict(list)

    def connect(
        self, _dialect: Any, _record: Any, arguments: list[Any], named: dict[str, Any]
    ) -> Impatient | None:
        """Return a session that waits, or a new one that will; None on another database."""
        address = f"{named.get('host')}/{named.get('dbname')}"
        if address not in self.databases:
            return None
        key = (os.getpid(), address)
        while self._waiting[key]:
            kept = self._waiting[key].pop()
            if _works(kept, str(named.get("application_name", ""))):
                return kept
            kept.close_now()
        made = Kept.connect(*arguments, **named)
        assert isinstance(made, Kept)
        made.sessions, made.address = self, key
        return made

    def keep(self, connection: Kept) -> bool:
        """Return whether the connection waits for the next engine, as a new session."""
        process, database = connection.address
        waiting = self._waiting[connection.address]
        if (
            process != os.getpid()
            or database not in self.databases
            or connection.closed
            or len(waiting) >= self.MOST
            or connection.info.transaction_status != TransactionStatus.IDLE
        ):
            return False
        try:
            connection.autocommit = True
            connection.execute(_AS_NEW)
            connection.autocommit = False
        except psycopg.Error:
            return False
        connection.__dict__.pop("is_lent", None)
        waiting.append(connection)
        return True

    def processes(self, database: str) -> list[int]:
        """Return the processes of the server that wait on a database."""
        return [kept.info.backend_pid for kept in self._waiting[os.getpid(), database]]

    def end(self, database: str) -> None:
        """Close the sessions of a database, before it is dropped."""
        self.databases.discard(database)
        for kept in self._waiting.pop((os.getpid(), database), []):
            kept.close_now()


SESSIONS = Sessions()


def _works(connection: Kept, application: str) -> bool:
    if connection.closed:
        return False
    try:
        connection.autocommit = True
        connection.execute(_AGAIN, (application,))
        connection.autocommit = False
    except psycopg.Error:
        return False
    return True


def create_engine_of_tests(url: str, **options: Any) -> Engine:
    """Create an engine that shares statements and sessions with those before it."""
    engine = create_engine(url, execution_options={"compiled_cache": _Statements()}, **options)
    event.listen(engine, "do_connect", SESSIONS.connect)
    return engine
