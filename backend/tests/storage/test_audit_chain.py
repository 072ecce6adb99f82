"""The chain of the audit trail: linear whoever writes at once, and no tampering goes unnoticed."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic import command
from click.testing import CliRunner
from sqlalchemy import text

from pileup.cli import main
from pileup.storage import migrate
from pileup.storage.audit import Actor, record
from pileup.storage.audit_chain import START, Head, verify_chain
from pileup.storage.database import Database
from pileup.storage.errors import Forbidden
from pileup.storage.row_security import LEAD, Access

ANN = Actor("u", "Ann")
EVERYTHING = Access("u", everything=True, most=LEAD)


def act(database: Database, *actions: str, access: Access | None = None) -> None:
    """Record the actions in one transaction."""
    with database.unit(access) as unit:
        for action in actions:
            record(unit, ANN, action, target="t", title="ü\u2028", number=1.50, nothing=None)


def tamper(database: Database, *statements: str) -> None:
    """Run statements as somebody who may do all to the database, past its triggers."""
    with database.unit() as unit:
        unit.session.execute(text("set local session_replication_role = replica"))
        for statement in statements:
            unit.session.execute(text(statement))


def test_writers_at_once_keep_one_line(postgres_url: str) -> None:
    """Nobody waits for a colleague's open transaction; commits take turns."""
    database = Database(postgres_url, pool_size=4, statement_timeout_s=3)
    with database.unit(EVERYTHING) as unit:
        record(unit, ANN, "a.open")
        unit.session.flush()
        act(database, "b.meanwhile")  # would fail by its timeout if the first held the chain
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda n: act(database, f"c.{n}", f"d.{n}"), range(24)))
    chain = verify_chain(database)
    assert (chain.problem, chain.head.seq) == (None, 50)
    with database.unit() as unit:
        links = unit.session.execute(text("select * from audit_links order by seq")).all()
        at = {row.entry_id: row.seq for row in links}
        first = unit.session.scalar(text("select id from audit where action = 'a.open'"))
    database.close()
    assert [link.previous for link in links] == [START, *(link.hash for link in links[:-1])]
    assert at[first] == 2  # in the order of the commits


MOVED = (
    "update audit_links set seq = -2 where seq = 2",
    "update audit_links set seq = 2 where seq = 3",
    "update audit_links set seq = 3 where seq = -2",
)


@pytest.mark.parametrize(
    ("statements", "problem"),
    [
        *(
            ((f"update audit set {change} where action = 'e.2'",), "entry 2 is not what")
            for change in (
                "action = 'e.9'",
                "user_name = 'Bob'",
                "user_id = null",
                "at = at - interval '1 microsecond'",
                "target = null",
                "incident_id = 'i'",
                "detail = detail || '{\"number\": 1.50}'",
                "detail = detail - 'nothing'",
            )
        ),
        (("update audit set id = 'x' where action = 'e.2'",), "entry 2 .*is gone; its link"),
        (("delete from audit where action = 'e.2'",), "entry 2 .*is gone; its link"),
        (
            ("delete from audit where action = 'e.2'", "delete from audit_links where seq = 2"),
            "entry 2 is gone, with its link",
        ),
        (
            (
                "delete from audit where action = 'e.2'",
                "delete from audit_links where seq = 2",
                "update audit_links set seq = seq - 1 where seq > 2",
            ),
            "entry 2 does not follow entry 1",
        ),
        (
            (
                (
                    "insert into audit (id, user_name, action, detail)"
                    " values ('x', 'Bob', 'e.forged', '{}')"
                ),
            ),
            "without a link was inserted: e.forged",
        ),
        (MOVED, "entry 2 does not follow"),
        (
            (
                "update audit set id = 'x' where action = 'e.2'",
                (
                    "update audit set id = (select entry_id from audit_links where seq = 2)"
                    " where action = 'e.3'"
                ),
                (
                    "update audit set id = (select entry_id from audit_links where seq = 3)"
                    " where id = 'x'"
                ),
            ),
            "entry 2 is not what",
        ),
        (
            (
                "delete from audit where action = 'e.4'",
                "delete from audit_links where seq = 4",
            ),
            "ends with entry 3, before the known head 4",
        ),
    ],
)
def test_tampering_is_found(postgres_url: str, statements: tuple[str, ...], problem: str) -> None:
    """By its first place; the end that was cut off, by the head that was written down."""
    database = Database(postgres_url, pool_size=1)
    act(database, "e.1", "e.2")
    act(database, "e.3", "e.4")
    head = verify_chain(database).head
    tamper(database, *statements)
    found = verify_chain(database, head)
    database.close()
    assert found.problem is not None
    assert re.search(problem, found.problem), found.problem


def test_the_chain_made_again_is_found_by_its_head(postgres_url: str) -> None:
    """The migration links what is there already, in the order of the ids."""
    database = Database(postgres_url, pool_size=1)
    act(database, "e.1", "e.2")
    act(database, "e.3", access=EVERYTHING)
    before = verify_chain(database)
    tamper(database, "update audit set action = 'e.9' where action = 'e.2'")
    database.close()
    command.downgrade(migrate.alembic_config(postgres_url), "0038")
    migrate.upgrade(postgres_url)
    assert verify_chain(database).problem is None
    act(database, "e.4")
    assert verify_chain(database).head.seq == 4
    assert "is not that of the known head" in str(verify_chain(database, before.head).problem)
    assert verify_chain(database, Head(9, START)).problem == (
        "the trail ends with entry 4, before the known head 9"
    )
    database.close()


@pytest.mark.parametrize(
    "statement",
    [
        "update audit set action = 'x'",
        "delete from audit",
        "truncate audit",
        "select 1 from audit_links",
        "insert into audit_links values (9, 'x', 'x', 'x')",
        "update audit_links set hash = 'x'",
        "delete from audit_links",
        "truncate audit_links",
        "alter table audit disable trigger all",
        "set session_replication_role = replica",
    ],
)
def test_requests_cannot_rewrite_the_trail(postgres_url: str, statement: str) -> None:
    """Not even an admin's, by the rights of the role that every request has."""
    database = Database(postgres_url, pool_size=1)
    act(database, "e.1", access=EVERYTHING)
    with pytest.raises(Forbidden), database.unit(EVERYTHING) as unit:
        unit.session.execute(text(statement))
    assert verify_chain(database).problem is None
    database.close()


def test_the_command_names_the_break(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    """`pileup verify --audit` ends with exit code 1, and prints the head while all is well."""
    monkeypatch.setenv("PILEUP_DATABASE_URL", postgres_url)
    monkeypatch.setenv("PILEUP_HOME", str(tmp_path))
    database = Database(postgres_url, pool_size=1)
    act(database, "e.1", "e.2", "e.3")
    run = CliRunner().invoke
    well = run(main, ["verify", "--audit"])
    assert well.exit_code == 0, well.output
    head = well.output.split()[-1]
    assert "3 entries are whole" in well.output
    assert run(main, ["verify", "--audit", "--head", head]).exit_code == 0
    assert run(main, ["verify", "--audit", "--head", "3:x"]).exit_code == 2
    tamper(database, "update audit set user_name = 'Bob' where action = 'e.2'")
    database.close()
    broken = run(main, ["verify", "--all"])
    assert broken.exit_code == 1
    assert "broken after 1 entries" in broken.output
    assert "entry 2 is not what was recorded" in broken.output
