"""The databases that tests borrow: each test finds one without rows and with the whole schema."""

from __future__ import annotations

import psycopg
import pytest

from pileup.storage.database import Database
from tests.support.postgres import PostgresForTests


def _run(server: PostgresForTests, name: str, *statements: str) -> None:
    address = server.url(name).replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(address, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


def test_rows_and_sessions_of_one_test_do_not_reach_the_next(
    postgres_server: PostgresForTests,
) -> None:
    name = postgres_server.borrow_database()
    address = postgres_server.url(name).replace("postgresql+psycopg://", "postgresql://")
    left_open = psycopg.connect(address)  # in a transaction that locks what it wrote
    left_open.execute("insert into workers (name, version, concurrency) values ('w', '1', 2)")
    _run(
        postgres_server,
        name,
        "insert into workers (name, version, concurrency) values ('v', '1', 2)",
    )
    postgres_server.give_back(name)
    assert postgres_server.borrow_database() == name
    with psycopg.connect(address) as connection:
        assert connection.execute("select count(*) from workers").fetchone() == (0,)
    with pytest.raises(psycopg.OperationalError):
        left_open.execute("select 1")
    postgres_server.give_back(name)


MUCH = """insert into workers (name, version, concurrency)
select repeat(n::text, 200), '1', 2 from generate_series(1, 20000) n"""


@pytest.mark.parametrize(
    "statement",
    [
        "alter table workers alter column version drop not null",
        "create index more on workers (name, version)",
        "update alembic_version set version_num = '9999'",
        MUCH,
    ],
)
def test_a_database_that_was_changed_is_not_lent_again(
    postgres_server: PostgresForTests, statement: str
) -> None:
    name = postgres_server.borrow_database()
    _run(postgres_server, name, statement)
    postgres_server.give_back(name)
    other = postgres_server.borrow_database()
    assert other != name
    postgres_server.give_back(other)


def test_a_session_that_waited_was_told_nothing(postgres_server: PostgresForTests) -> None:
    name = postgres_server.borrow_database()
    before = Database(postgres_server.url(name), statement_timeout_s=7)
    with before.engine.begin() as connection:
        process = connection.exec_driver_sql("select pg_backend_pid()").scalar()
        for statement in (
            "set application_name to 'somebody'",
            "set role pg_monitor",
            "listen news",
            "create temporary table notes (n int)",
            "select pg_advisory_lock(17)",
        ):
            connection.exec_driver_sql(statement)
    before.close()
    postgres_server.give_back(name)
    assert postgres_server.borrow_database() == name
    after = Database(postgres_server.url(name))
    with after.engine.begin() as connection:
        assert connection.exec_driver_sql("select pg_backend_pid()").scalar() == process
        row = connection.exec_driver_sql(
            "select current_user = session_user, current_setting('application_name'),"
            " current_setting('statement_timeout'), to_regclass('notes'),"
            " (select count(*) from pg_listening_channels()),"
            " (select count(*) from pg_locks where locktype = 'advisory')"
        ).one()
    assert tuple(row) == (True, "pileup", "0", None, 0, 0)
    after.close()
    postgres_server.give_back(name)


@pytest.mark.parametrize("broken", ["select pg_terminate_backend(%(process)s)", "abandoned"])
def test_a_session_that_ended_or_was_left_in_the_middle_does_not_wait(
    postgres_server: PostgresForTests, broken: str
) -> None:
    name = postgres_server.borrow_database()
    before = Database(postgres_server.url(name))
    connection = before.engine.raw_connection()
    driver = connection.driver_connection
    assert driver is not None
    process = driver.info.backend_pid
    if broken == "abandoned":
        driver.execute("insert into workers (name, version, concurrency) values ('w', '1', 2)")
        driver.close()
    else:
        connection.close()
        before.close()
        _run(postgres_server, name, broken % {"process": process})
    after = Database(postgres_server.url(name))
    with after.engine.begin() as another:
        assert another.exec_driver_sql("select pg_backend_pid()").scalar() != process
    after.close()
    postgres_server.give_back(name)
