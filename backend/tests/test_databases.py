"""The databases that tests borrow: each test finds one without rows and with the whole schema."""

from __future__ import annotations

import psycopg
import pytest

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
