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


def test_a_database_of_the_last_development_version_is_upgraded(postgres_url: str) -> None:
    """Its migrations ended at 0019, where the first one here ends: the later ones follow."""
    command.downgrade(migrate.alembic_config(postgres_url), "0019")
    engine = create_engine(postgres_url)
    with engine.begin() as connection:
        assert connection.scalar(text("select version_num from alembic_version")) == "0019"
        connection.execute(
            text("insert into users (id, name, role, disabled) values ('u', 'Ann', 'admin', false)")
        )
    migrate.upgrade(postgres_url)
    migrate.check(postgres_url)
    with engine.connect() as connection:
        assert connection.scalars(text("select name from users")).all() == ["Ann"]
    engine.dispose()


@pytest.mark.parametrize("revision", ["0001", "0018"])
def test_an_older_development_version_is_refused(postgres_url: str, revision: str) -> None:
    """With a sentence that says how to bring it up to date; nothing changes."""
    engine = create_engine(postgres_url)
    with engine.begin() as connection:
        connection.execute(text(f"update alembic_version set version_num = '{revision}'"))
    for call in (migrate.upgrade, migrate.check):
        with pytest.raises(WrongSchema, match=rf"schema {revision}.*git checkout \w+, make run"):
            call(postgres_url)
    with engine.connect() as connection:
        assert connection.scalar(text("select version_num from alembic_version")) == revision
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
