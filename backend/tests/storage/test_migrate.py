"""The schema: migrations and models agree, go down and up again, and a newer one is refused."""

from __future__ import annotations

import pytest
from alembic import command
from sqlalchemy import create_engine, text
from sqlalchemy.exc import IntegrityError

from pileup.storage import migrate
from pileup.storage.errors import WrongSchema


def test_models_and_migrations_agree(postgres_url: str) -> None:
    """Autogenerate finds nothing left to do."""
    command.check(migrate.alembic_config(postgres_url))
    migrate.check(postgres_url)


def test_down_and_up_again(postgres_url: str) -> None:
    """The way back works, and the way forth after it."""
    command.downgrade(migrate.alembic_config(postgres_url), "base")
    migrate.upgrade(postgres_url)
    migrate.upgrade(postgres_url)
    migrate.check(postgres_url)


def test_what_was_counted_becomes_a_number_and_stays(postgres_url: str) -> None:
    """Pins and hypotheses of before keep the E and H under which people know them."""
    config = migrate.alembic_config(postgres_url)
    command.downgrade(config, "0015")
    engine = create_engine(postgres_url)
    with engine.begin() as connection:
        for one in "ab":
            connection.execute(
                text(
                    "insert into incidents (id, title, status, summary, revision) "
                    "values (:i, 'stall', 'open', '', 1)"
                ),
                {"i": one},
            )
        for one, incident in (("1", "a"), ("2", "b"), ("3", "a")):
            connection.execute(
                text(
                    "insert into hypotheses (id, incident_id, statement, falsifier, status, "
                    "needs_review, revision) values (:h, :i, 's', '', 'active', false, 1)"
                ),
                {"h": one, "i": incident},
            )
    migrate.upgrade(postgres_url)
    with engine.connect() as connection:
        numbers = connection.execute(text("select id, number from hypotheses order by id"))
        assert numbers.all() == [("1", 1), ("2", 1), ("3", 2)]
        last = connection.execute(
            text("select last_hypothesis, last_pin from incidents order by id")
        )
        assert last.all() == [(2, 0), (1, 0)]
    engine.dispose()


def test_a_newer_database_is_left_alone(postgres_url: str) -> None:
    """A revision that we do not know is refused with a sentence, and nothing changes."""
    engine = create_engine(postgres_url)
    with engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    with pytest.raises(WrongSchema, match="newer Pileup"):
        migrate.upgrade(postgres_url)
    with engine.connect() as connection:
        assert connection.scalar(text("select version_num from alembic_version")) == "9999"
    engine.dispose()


def test_an_empty_database_is_not_ready(empty_postgres_url: str) -> None:
    """check() says how to migrate."""
    with pytest.raises(WrongSchema, match="migrate"):
        migrate.check(empty_postgres_url)


@pytest.mark.parametrize("statement", ["update audit set action = 'x'", "delete from audit"])
def test_the_audit_trail_cannot_be_rewritten(postgres_url: str, statement: str) -> None:
    """Not even by SQL."""
    engine = create_engine(postgres_url)
    with engine.begin() as connection:
        connection.execute(
            text("insert into audit (id, user_name, action, detail) values ('1', 'a', 'b', '{}')")
        )
    with pytest.raises(IntegrityError, match="append-only"), engine.begin() as connection:
        connection.execute(text(statement))
    engine.dispose()
