"""Each kind of redaction replaces its own values and leaves those of the others."""

from __future__ import annotations

import pytest

from pileup.report.redaction.known_values import is_telling
from pileup.report.redaction.redactor import KINDS, PUBLIC_HOSTS, Redactor

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
