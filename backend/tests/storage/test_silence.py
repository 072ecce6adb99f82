"""A server that falls silent without a reset is noticed, and new connections take its place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from faults.relay import Relay
from sqlalchemy.engine import make_url

from pileup.storage import database as module
from pileup.storage.database import Database, Unreachable
from tests.support.postgres import PostgresForTests


@pytest.fixture
def relay(postgres_server: PostgresForTests) -> Iterator[Relay]:
    with closing(Relay(postgres_server.server.sockets / ".s.PGSQL.5432", ("127.0.0.1",))) as relay:
        yield relay


@pytest.fixture
def database(
    relay: Relay, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Database]:
    monkeypatch.setattr(module, "_BEGIN_S", 0.2)
    monkeypatch.setattr(module, "_SILENCE_S", 0.4)
    url = make_url(postgres_url)
    address = f"postgresql://{url.username}@127.0.0.1:{relay.port}/{url.database}"
    with closing(Database(address, statement_timeout_s=20)) as database:
        yield database


def test_an_idle_connection(relay: Relay, database: Database) -> None:
    with database.unit() as unit:
        unit.ping()
    relay.silence()
    with database.unit() as unit:
        unit.ping()


def _ask_for_ever(relay: Relay, database: Database) -> None:
    with database.unit() as unit:
        unit.ping()
        relay.silence()
        while True:
            unit.ping()


def test_a_statement(relay: Relay, database: Database) -> None:
    with pytest.raises(Unreachable, match="was silent"):
        _ask_for_ever(relay, database)
    with database.unit() as unit:
        unit.ping()
