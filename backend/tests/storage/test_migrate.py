"""The schema: migrations and models agree, go down and up again, and a newer one is refused."""

from __future__ import annotations

import re

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


def test_the_story_of_the_first_release_is_upgraded(postgres_url: str) -> None:
    """Steps, runs and actions of that time stay; they happened when they were recorded."""
    command.downgrade(migrate.alembic_config(postgres_url), "0019")
    engine = create_engine(postgres_url)
    with engine.begin() as connection:
        connection.execute(text(_OLD_ROWS))
    migrate.upgrade(postgres_url)
    migrate.check(postgres_url)
    with engine.connect() as connection:
        step = connection.execute(text("select * from confidence_steps")).one()
        assert (step.happened_at, step.happened_precision) == (None, "exact")
        assert step.at.isoformat() == "2026-11-01T10:00:00+00:00"
        run = connection.execute(text("select * from experiments")).one()
        assert (run.ran_from, run.predicted_at, run.host) == (None, None, "")
        assert run.started_at == run.locked_at
        assert connection.scalars(text("select ticket_url from action_items")).all() == [""]
    engine.dispose()


_OLD_ROWS = """
    insert into incidents (id, title, status, summary, revision)
    values ('i', 'Stall', 'open', '', 1);
    insert into hypotheses
    (id, incident_id, number, statement, falsifier, status, needs_review, revision)
    values ('h', 'i', 1, 'A', '', 'active', false, 1);
    insert into confidence_steps (id, hypothesis_id, at, by_name, confidence, status, reason)
    values ('s', 'h', '2026-11-01T10:00Z', 'Ann', 40, 'active', 'seen');
    insert into experiments (id, incident_id, number, title, change, prediction, state,
    conclusion, risk, revision, locked_at, started_at) values ('e', 'i', 1, 'T', '', '{}',
    'started', '', '', 1, '2026-11-01T11:00Z', '2026-11-01T11:00Z');
    insert into action_items (id, incident_id, text, owner, status, revision)
    values ('a', 'i', 'Upgrade', '', 'open', 1);
"""


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


def test_a_search_never_reads_the_entries_of_all_incidents(postgres_url: str) -> None:
    """However many entries have the word: each named incident is looked up by its index."""
    engine = create_engine(postgres_url)
    with engine.begin() as connection:
        connection.execute(
            text(
                "insert into incidents (id, title, summary, status, revision, visibility)"
                " select 'i' || n, 'A stall', '', 'open', 1, 'open' from generate_series(1, 40) n"
            )
        )
        connection.execute(
            text(
                "insert into search_entries (incident_id, kind, key, title, words, weight)"
                " select 'i' || n % 40 + 1, 'setting', n::text, 'w', 'latch ' || n, 0"
                " from generate_series(1, 40000) n"
            )
        )
        connection.execute(text("analyze search_entries"))
        body = connection.scalar(
            text("select prosrc from pg_proc where proname = 'pileup_find_entries'")
        )
        assert body is not None
        given = {
            "patterns": "'{%latch%}'::text[]",
            "among": "array(select 'i' || generate_series(1, 12))",
            "most": "900",
        }
        for name, value in given.items():
            body = re.sub(rf"\b{name}\b", lambda _, value=value: value, body)
        plan = "\n".join(connection.scalars(text("explain " + body.replace(":", "\\:"))))
    assert "Index Scan" in plan or "Bitmap" in plan
    assert "Seq Scan" not in plan, plan
