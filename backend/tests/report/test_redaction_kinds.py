"""Each kind of redaction replaces its own values and leaves those of the others."""

from __future__ import annotations

import pytest

from pileup.formats.tables.meanings.server_variables import HIDDEN
from pileup.records import TrxLock
from pileup.report.redaction import passwords
from pileup.report.redaction.known_records import learn_evidence
from pileup.report.redaction.known_values import is_telling
from pileup.report.redaction.redactor import KINDS, PUBLIC_HOSTS, Redactor
from tests.analysis.frames import T0, evidence

TEXT = (
    "# User@Host: billing[billing] @ web-17 [10.1.2.3]\n"
    "MySQL thread id 9, OS thread handle 1, query id 42 web-17 10.1.2.3 billing updating\n"
    "for `carol`@`store-3.example.internal` on db-7.corp.example.com\n"
    "UPDATE t SET a = 'Zx81-secret'\n"
)
VALUES = {
    "users": ["billing", "carol"],
    "hosts": ["web-17 10", "store-3.example.internal", "db-7.corp.example.com"],
    "addresses": ["10.1.2.3"],
    "sql": ["Zx81-secret"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_alone_replaces_its_values_and_no_others(kind: str) -> None:
    assert set(VALUES) == set(KINDS)
    done = Redactor((kind,), b"k").text(TEXT, raw=True)
    for other, values in VALUES.items():
        left = [value for value in values if value in done]
        if other == kind:
            assert left == []
        elif (kind, other) != ("hosts", "addresses"):  # a host may be an address
            assert left == [value for value in values if kind != "addresses" or "10" not in value]


def test_a_name_stays_without_its_kind_and_where_it_is_public_or_a_token() -> None:
    redactor = Redactor(("hosts",), b"k")
    token = redactor.name("hosts", "db-7")
    assert token != "db-7"
    assert redactor.name("hosts", token) == token
    assert redactor.name("users", "ann") == "ann"
    public = sorted(PUBLIC_HOSTS)[0]
    assert redactor.name("hosts", public) == public


def test_the_first_unknown_kind_is_named() -> None:
    with pytest.raises(ValueError, match="'alpha'"):
        Redactor(("zeta", "alpha", "mu", "users", "beta"), b"k")


def test_without_a_kind_nothing_is_replaced() -> None:
    assert Redactor((), b"k").text(TEXT, raw=True) == TEXT


@pytest.mark.parametrize(
    ("kind", "value", "telling"),
    [
        ("users", "ab", False),
        ("users", "abc", True),
        ("users", "123", False),
        ("sql", "1234567", True),
        ("sql", "123456", False),
        ("sql", "x7z", False),
        ("sql", "x7z9", True),
        ("sql", "because", False),
        ("sql", "Because", False),
        ("sql", "zyxqv", True),
    ],
)
def test_a_value_is_known_only_where_it_identifies_something(
    kind: str, value: str, telling: bool
) -> None:
    assert is_telling(kind, value) == telling


@pytest.mark.parametrize(
    "statement",
    [
        "DROP USER {}",
        "CREATE USER IF NOT EXISTS {} IDENTIFIED BY 'Zx81', carla ACCOUNT LOCK",
        "ALTER USER carla, {} IDENTIFIED BY 'Zx81'",
        "RENAME USER carla TO {}",
        "SET PASSWORD FOR {} = PASSWORD('Zx81')",
        "SHOW GRANTS FOR {}",
        "KILL USER {}",
        "GRANT SELECT, INSERT (a) ON `shop`.* TO {}@localhost",
        "GRANT EXECUTE ON PROCEDURE shop.pay TO {}",
        "REVOKE ALL PRIVILEGES ON *.* FROM {}",
        "CREATE DEFINER={}@localhost VIEW v AS SELECT 1",
        "| 17 | drop user {} |",
        "select 1; grant all on shop.orders to {}",
    ],
)
@pytest.mark.parametrize("quote", ["", "`", "'"])
def test_statements_about_accounts_name_users_without_a_host(statement: str, quote: str) -> None:
    done = Redactor(("users",), b"k").text(statement.format(f"{quote}dorothea{quote}"))
    assert "dorothea" not in done
    assert "carla" not in done


def test_the_host_of_an_account_is_a_host() -> None:
    done = Redactor(("hosts",), b"k").text("CREATE DEFINER=dorothea@web-17 VIEW v AS SELECT 1")
    assert "dorothea" in done
    assert "web-17" not in done


@pytest.mark.parametrize(
    "prose",
    [
        "we grant access on request to customers",
        "whoever can create user accounts",
        "ALTER TABLE user ADD COLUMN accounts INT",
        "ALTER USER CURRENT_USER() ACCOUNT LOCK",
    ],
)
def test_prose_with_the_words_of_such_statements_stays(prose: str) -> None:
    assert Redactor(("users", "hosts"), b"k").text(prose) == prose


def test_what_is_shown_in_place_of_a_password_is_none() -> None:
    """Else no page with the settings of a server could be exported."""
    line = f"| report_password | {HIDDEN} | 17 | variables.txt:3 |"
    assert list(Redactor(KINDS, b"k").leaks(line)) == []


def test_the_key_of_a_locked_row_is_a_literal() -> None:
    lock = TrxLock(
        line_first=1, line_last=1, clock="utc", wall_us=T0, snapshot=0, trx_id="1850",
        lock_kind="record", table="shop.orders", index="email", mode="X",
        lock_data="'ann@example.org', 918273645",
    )  # fmt: skip
    redactor = Redactor(("sql",), b"k")
    learn_evidence(redactor, evidence({"data_locks": [lock]}))
    assert "918273645" not in redactor.text("row 918273645 of shop.orders")


def test_a_name_is_looked_at_up_to_its_longest() -> None:
    longest = passwords._LONGEST_NAME
    names = [f"{'x' * (length - len('_password'))}_password" for length in (longest, longest + 1)]
    assert [passwords.is_password(name, "secret") for name in names] == [True, False]
