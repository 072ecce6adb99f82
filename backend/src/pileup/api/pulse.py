"""Pulse: whether the database answers, checked once a second on a connection of its own.

The health check reads the last result, so it answers at once, also while requests wait in line or
the database hangs.
"""

from __future__ import annotations

import asyncio
import time

import psycopg
import structlog

from pileup.storage.database import connect_args, listen_address

_EVERY_S = 1.0
_TIMEOUT_S = 2.0
_FRESH_S = 5.0
_FIRST_S = 2.0
"""Time that a health check right after the start waits for the first beat."""

log = structlog.get_logger()


class Pulse:
    """Pulse of one database; start it in the running loop."""

    def __init__(self, database_url: str) -> None:
        self._conninfo = listen_address(database_url)
        self._last: float | None = None
        self._schema: str | None = None
        self._first = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._connection: psycopg.AsyncConnection[tuple[object, ...]] | None = None

    def start(self) -> None:
        """Begin to check."""
        self._task = asyncio.create_task(self._beat(), name="pulse")

    async def stop(self) -> None:
        """Stop checking, and close the connection."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._disconnect()

    @property
    def schema(self) -> str | None:
        """Revision of the database's schema at the last beat."""
        return self._schema

    async def answers(self) -> bool:
        """Return whether the database answered within the last seconds."""
        if not self._first.is_set():
            try:
                await asyncio.wait_for(self._first.wait(), _FIRST_S)
            except TimeoutError:
                return False
        return self._last is not None and time.monotonic() - self._last < _FRESH_S

    async def _beat(self) -> None:
        while True:
            try:
                async with asyncio.timeout(_TIMEOUT_S):
                    if self._connection is None:
                        self._connection = await psycopg.AsyncConnection.connect(
                            self._conninfo, autocommit=True, **connect_args()
                        )
                    found = await self._connection.execute(
                        "select (select version_num from alembic_version limit 1)"
                    )
                    row = await found.fetchone()
                    self._schema = str(row[0]) if row else None
                self._last = time.monotonic()
            except (psycopg.Error, OSError, TimeoutError) as error:
                if self._last is None or time.monotonic() - self._last < _FRESH_S:
                    log.warning("database.silent", error=str(error) or type(error).__name__)
                self._disconnect()
            self._first.set()
            await asyncio.sleep(_EVERY_S)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.pgconn.finish()  # without waiting for a server that is silent
        self._connection = None
