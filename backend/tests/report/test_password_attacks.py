"""Passwords wherever programs, people and servers write them: each goes, nothing like it does."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from pileup.report.redaction.passwords import password_spans
from pileup.report.redaction.redactor import IS_TOKEN, Redactor

SECRET = re.compile(r"Zq9\w*|5A7139\w+|AKIAZQ9\w+|eyJzdWI\w+")
LINES = (Path(__file__).parent / "passwords.txt").read_text(encoding="utf-8").splitlines()
"""A password begins with Zq9; 5A7139 is that in hexadecimal digits."""
SEVERAL = (
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEZq9abc\nZq9def==\n-----END RSA PRIVATE KEY-----\n",
    "CREATE USER u\n  IDENTIFIED\n  BY\n  'Zq9multi'\n  REQUIRE SSL",
    "CREATE USER a IDENTIFIED -- c\n BY 'Zq9cm2'",
    "MYSQL_USER=x\0MYSQL_PWD=Zq9nul\0PATH=/bin\0",
    "INSERT INTO users (id, password) VALUES\n"
    + ",\n".join(f"({number}, 'Zq9row{number}')" for number in range(200))
    + ";",
    "INSERT INTO users (id, `pwd`) SELECT 7, 'Zq9sel' FROM dual",
    "7 Query\tINSERT INTO t (id, pwd) VALUES (7, 'Zq9log')\n2026-11-20T22:19:43Z 7 Query\tSELECT 1",
)
HARMLESS = (
    "x pass=0 token: 5  Com_set_password 17",
    "the password is expired; the password was changed; password is required",
    "Access denied for user 'x'@'y' (using password: YES)",
    "SELECT name, password FROM users WHERE id = 7",
    "INSERT INTO orders (id, name) VALUES (7, 'kept'), (8, 'kept2')",
    "UPDATE orders SET name = MD5('kept') WHERE id = 7",
    "mysql -p shop  mysqladmin --port=3306 -P 3306 processlist -i 1",
    "contact:jane@corp.example and mailto:joe@corp.example",
    "h=db-7,u=root,D=shop  ip=10.0.0.7,temp=40",
    "client connection (id 7) from 10.0.0.7:3306",
    "plugin mysql_native_password, caching_sha2_password",
    "#3 0x7f in check_password (thd=0x7f, user=0x1)",
    "curl -u https://x/y; openssl version -k; redis-cli --latency -a",
    "https://bugs.mysql.com/bug.php?id=7&design=8",
    "Asia/Tokyo npm_config eyJ glpat- tokens=5 passes: 3 compass bypass=1",
    "Com_set_password 17\nvalidate_password_length 8\nmysql_native_password ACTIVE",
    "SELECT password, REPLACE('kept', 'k', 'w') FROM users WHERE id = 7",
    "LIKE '%25password%25' AND x = '&lt;token&gt;'\nold_password 0x7f",
)


def left(text: str) -> list[str]:
    return SECRET.findall(IS_TOKEN.sub("", text))


@pytest.mark.parametrize("raw", [True, False])
def test_every_password_goes(raw: bool) -> None:
    for text in (*LINES, *SEVERAL):
        done = Redactor((), b"").text(text, raw=raw)
        assert left(done) == [], (text, done)
        assert Redactor((), b"").text(done, raw=raw) == done, (text, done)


def test_every_password_is_masked_in_place() -> None:
    """As many bytes as before, and every line where it was."""
    for text in (*LINES, *SEVERAL):
        done = Redactor((), b"", in_place=True).text(text, raw=True)
        assert left(done) == [], (text, done)
        assert len(done.encode()) == len(text.encode()), (text, done)
        assert done.count("\n") == text.count("\n"), (text, done)


def test_the_line_behind_a_statement_stays() -> None:
    done = Redactor((), b"").text(SEVERAL[-1], raw=True)
    assert done == SEVERAL[-1].replace("Zq9log", "password-removed")


def test_what_only_looks_like_one_stays() -> None:
    for text in HARMLESS:
        assert Redactor((), b"").text(text, raw=True) == text, text


PIECES = (
    *("password=\\\\'", "IDENTIFIED BY '", "PASSWORD(", "AES_ENCRYPT(", "(password) VALUES ("),
    *("(password) VALUES", "a=b,", "h=x,p=", "://a:b@", "@a:1", "curl -u a", "mysqlsh a"),
    *("mysql -p", "--auth a", "<password>", "-----BEGIN PRIVATE KEY-----", "eyJaaaaaaaaa."),
    *("the password is ", "''", "set password for x", "connect('a','b',", "REPLACE '"),
    "--pass-",
)


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.dealt(2)
def test_the_time_is_linear(end: str) -> None:
    """Four times as much text takes some four times as long, whatever is repeated."""
    for piece in (*PIECES, " "):
        took = []
        for length in (10_000, 40_000):
            text = "password" + (piece + end) * (length // len(piece + end))
            began = time.process_time()
            for _ in password_spans(text):
                pass
            took.append(time.process_time() - began)
        assert took[1] < 10 * max(took[0], 0.05), (piece, took)
