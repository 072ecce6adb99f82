"""Behind PgBouncer a session is lent for one transaction: nothing of ours may stay in it."""

from __future__ import annotations

from contextlib import closing

import psycopg
import pytest
from sqlalchemy import text

from pileup.storage.database import Database


def test_limits_are_of_the_transaction(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """PgBouncer answers with a process id of its own: so does this connection."""
    monkeypatch.setattr(psycopg.ConnectionInfo, "backend_pid", -1)
    with closing(Database(postgres_url, pool_size=1, statement_timeout_s=9)) as database:
        with database.unit() as unit:
            raw = unit.session.connection().connection.dbapi_connection
            assert isinstance(raw, psycopg.Connection)
            assert raw.prepare_threshold is None
            limit = unit.session.scalar(text("select current_setting('statement_timeout')"))
            assert limit == "9s"
        raw.rollback()
        row = raw.execute("select current_setting('statement_timeout')").fetchone()
        assert row == ("0",)


def test_limits_are_of_the_session_otherwise(postgres_url: str) -> None:
    with closing(Database(postgres_url, pool_size=1, statement_timeout_s=9)) as database:
        with database.unit() as unit:
            limits = "select current_setting('statement_timeout'), current_setting('timezone')"
            assert tuple(unit.session.execute(text(limits)).one()) == ("9s", "UTC")
