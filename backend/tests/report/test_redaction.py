"""Redaction: one value, one token; names of tables and functions stay; hostile text is quick."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as replace_struct

from pileup.report.document import Figure, GraphDrawing, GraphNode, as_plain, encode
from pileup.report.redaction import document_redaction
from pileup.report.redaction.document_redaction import Leak, check_leaks, redact
from pileup.report.redaction.known_values import KnownValues
from pileup.report.redaction.redactor import IS_TOKEN, KINDS, Redactor
from pileup.report.render.html import render_html
from pileup.sql_tokens import shape
from tests.report.case import CASE, document
from tests.support.cpu import growth
from tests.support.rounds import Rounds

_STATEMENTS = (
    "SELECT a, {0} FROM t WHERE b IN ({0}, 7) LIMIT 5",
    "select {0}",
    "INSERT INTO t (a, b) VALUES ({0}, -12), (3, {0})",
    "UPDATE `a b` SET c = {0} -- {0}\n WHERE d = 0x1F",
    "CALL p({0}, 12.5)",
    "DO SLEEP(5) + {0}",
    "SET @a = {0}",
    "WITH x AS (SELECT {0}) SELECT * FROM x # {0}",
    "GRANT SELECT ON a.* TO b COMMENT {0}",
    "EXPLAIN DELETE FROM t WHERE a LIKE {0}",
)

KNOWN = KnownValues({"hosts": ["db-7", "localhost"], "users": ["shopapp", "root"]})


def redactor(*kinds: str) -> Redactor:
    return Redactor(kinds or KINDS, b"key of the incident", KNOWN)


@pytest.mark.parametrize(
    ("text", "gone", "kept"),
    [
        ("select * from t where name = 'Ann' and n > 4711", ["Ann", "4711"], ["name", " t "]),
        ("UPDATE `orders` SET total=12.50 WHERE id=99", ["12.50", "99"], ["orders"]),
        ('insert into t values (7, "x\'y", 0xdeadbeef)', ["x'y", "deadbeef", "7,"], ["values"]),
        ("0: len 4; hex 80000fed; asc  Bob;;", ["80000fed", "Bob"], ["len 4"]),
        ("query id 42 db-7 10.1.2.3 shopapp updating", ["db-7", "10.1.2.3", "shopapp"], ["42"]),
        ("user 'shopapp'@'10.1.2.%' may", ["shopapp"], ["may"]),
        ("# User@Host: shopapp[shopapp] @ db-7 [10.1.2.3]", ["shopapp", "db-7", "10.1"], []),
        ("mail ann@corp.example.com on db1.corp.internal", ["ann@", "db1.corp"], ["mail"]),
        ("from fe80::1ff:fe23:4567:890a in", ["fe80"], ["from"]),
        ("pt-stalk-db-7-2026_11_20.tar.gz/a_db-7_b", ["db-7"], ["pt-stalk-host-", "-2026", "_b"]),
        ("xdb-7 db-71 and shopapp-2", [], ["xdb-7 ", "db-71", "shopapp-2"]),
        ("'alter table t add c char default 'xx''), isn't it", ["xx"], ["''), isn't it"]),
        ("'select 'it''s', 'xx'' b' from t'", ["it''s", "xx", " b"], ["from t"]),
    ],
)
def test_what_goes_and_what_stays(text: str, gone: list[str], kept: list[str]) -> None:
    done = redactor().text(text)
    for value in gone:
        assert value not in done, done
    for value in kept:
        assert value in done, done


@pytest.mark.parametrize(
    "text",
    [
        "Root blocker: trx 42 blocks 301 threads for 96 s at 22:19:49.",
        "waited at btr0sea.cc line 202 in buf_flush_page std::vector::push_back dead::beef",
        "MySQL 8.0.15, version 5.7.44, 99.9 % of 1 234",
        "don't select anything; it's the reader's choice",
        "0x7f1267fff700 and localhost and 127.0.0.1 and ::1",
        "mysqld.err my.cnf db.frm vmstat.us",
        "the log says a thing with…",
        "update… and select$ are cut",
    ],
)
def test_ordinary_sentences_stay(text: str) -> None:
    assert redactor().text(text) == text


def test_the_same_value_has_the_same_token_across_texts_and_exports() -> None:
    """Correlation survives; another incident's key gives other tokens."""
    single, other = redactor(), redactor()
    first = single.text("host db-7 stalled")
    assert single.text("then db-7 again").split()[1] == first.split()[1]
    assert other.text("db-7") == first.split()[1]
    assert Redactor(KINDS, b"another", KNOWN).text("db-7") != other.text("db-7")


def test_the_preview_counts() -> None:
    made = redactor()
    made.text("db-7 and db-7 and 10.0.0.9")
    assert [(r.kind, r.value, r.occurrences) for r in made.replaced()] == [
        ("hosts", "db-7", 2),
        ("addresses", "10.0.0.9", 1),
    ]


def test_twice_is_once() -> None:
    """A redacted text is not redacted again: tokens are no values."""
    made = redactor()
    once = made.text("update t set a='x' where b=17 -- db-7 10.0.0.9")
    assert redactor().text(once) == once


def test_only_what_the_profile_says() -> None:
    text = "select 'secret' from t; db-7 10.0.0.9"
    assert redactor("hosts").text(text).startswith("select 'secret' from t; host-")
    with pytest.raises(ValueError, match="no kind of redaction"):
        Redactor(["names"], b"k")


def test_a_document_keeps_no_value_anywhere() -> None:
    """Runs of different looks, code, excerpts, captions, node details: nothing is left."""
    summary = (
        "It ran `select 1 from users where mail='secret-42'` on **db-7**, a *secret-42* statement "
        "of update t set x = 'sec**ret**-43'\n\n```\nselect *\nfrom t\nwhere a = 'secret-44'\n```\n"
    )
    case = replace(
        CASE, sections={"summary": summary}, excerpt=lambda *_: "delete from t where s='secret-45'"
    )
    made = redact(document(case), Redactor(KINDS, b"k", KNOWN))
    data = encode(made).decode()
    for value in ("'secret-42'", "db-7", "secret-43", "secret-44", "secret-45"):
        assert value not in data, value
    assert made.redacted is not None
    assert {item.kind for item in made.redacted} == set(KINDS)


@pytest.mark.parametrize(
    "text",
    [
        "SET PASSWORD FOR 'app'@'db-7' = 'S3cret44'",
        "ALTER USER x IDENTIFIED BY 'S3cret44'",
        "CREATE USER x IDENTIFIED WITH mysql_native_password AS '*S3cret44'",
        "CHANGE MASTER TO MASTER_HOST='h', MASTER_PASSWORD='S3cret44'",
        "master_password=S3cret44",
        "| report_password | S3cret44 |",
        '{"user": "ann", "password": "S3cret44"}',
        "--password=S3cret44",
        "mysqldump -uroot -pS3cret44 shop",
        "wsrep_sst_auth = root:S3cret44",
        "ALTER USER x IDENTIFIED BY ‘S3cret44 typographic",
        "mysql://ann:S3cret44@db-7/shop",
        "SELECT AES_ENCRYPT('x', 'S3cret44')",
    ],
)
def test_a_password_goes_whatever_is_chosen(text: str) -> None:
    for kinds in ((), ("hosts",), KINDS):
        done = Redactor(kinds, b"k").text(text, raw=True)
        assert "S3cret44" not in done
        assert "password-removed" in done


@pytest.mark.parametrize("mark", ["IDENTIFIED BY '{}'", "password='{}'", "PASSWORD('{}')"])
@pytest.mark.parametrize("secret", ["S3cret44", "S3c''ret44"])
@pytest.mark.parametrize(
    "behind",
    [
        "', Error_code: 1396; handler error HA_ERR_X; end_log_pos 4711",
        "', Internal MariaDB error code: 1396",
        "', Error_code: MY-001396",
    ],
)
def test_what_stands_behind_a_statement_that_ends_with_a_password_stays(
    mark: str, secret: str, behind: str
) -> None:
    statement = "CREATE USER 'u'@'%' " + mark.format(secret)
    text = f"[ERROR] Slave SQL: Error 'x' on query. Query: '{statement}{behind}"
    done = Redactor((), b"k").text(text, raw=True)
    assert "ret44" not in done
    assert done.endswith(behind)


@pytest.mark.parametrize(
    "text",
    [
        "Access denied for user 'x'@'y' (using password: NO)",
        "old_passwords=0 validate_password_length=8 default_password_lifetime 0",
        "the password of the user expired",
        "password=ON",
        "rw_lock_s_lock_spin (lock=0x23dd6640, pass=0, file_name=0x9b1f3c)",
        "rw_lock_x_lock_func (lock=0x1, pass=<optimized out>, pass=pass@entry=0) token = 0x7f22",
        "| Com_set_password | 1234 |",
        "--mysql-user=app --mysql-password= --mysql-db=sbtest",
    ],
)
def test_what_is_no_password_stays(text: str) -> None:
    assert Redactor((), b"k").text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "UPDATE t /* S3cret88 */ SET a = 1",
        "/* app:S3cret88 */ SELECT 1 FROM t",
        "DO SLEEP(5) + 'S3cret88'",
        "Error 'Duplicate entry 'S3cret88' for key 'PRIMARY'' on query.",
        "on query. Query: 'INSERT INTO t VALUES ('S3cret88', 7)'",
        "error connecting to master 'S3cret88@host:3306' - retry-time: 60",
        "UPDATE t SET a = 'x;y', b = 'S3cret88'",
        "You have an error in your SQL syntax; near 'SELEC S3cret88 FROM' at line 1",
        "UPDATE t SET a = 'cut S3cret88",
        "a card 4111 1111 1111 1111 S3cret88".replace(" S3cret88", ""),
    ],
)
def test_literals_go_in_any_position(text: str) -> None:
    done = redactor().text(text, raw=True)
    assert "S3cret88" not in done
    assert "4111" not in done


def test_a_value_found_in_one_place_goes_in_every_other() -> None:
    made = redactor()
    made.learn("UPDATE t SET a = 'S3cretLiteral77'", raw=True)
    assert "S3cret" not in made.text("held the row S3cretLiteral77 for a while")
    assert [leak.kind for leak in made.leaks("in S3cretLiteral77.")] == ["sql"]
    made.known.add("users", ("svc_payroll",))
    for text in (
        *("%27{}%27", "\\u0027{}\\x27", "&#39;{}&apos;", "user%3D{}%26", "a%20{}"),
        *("%2527{}%2527", "%252527{}%252527", "&amp;#39;{}&amp;#39;"),
    ):
        values = ("S3cretLiteral77", "svc_payroll", "svc%5Fpayroll", "bob%40corp.example")
        hidden = ("svc_\u200bpay\ufeffroll", "svc%255Fpayroll", "svc&amp;#95;payroll")
        for value in (*values, *hidden):
            escaped = text.format(value)
            done = made.text(escaped, raw=True)
            assert done.startswith(text.partition("{")[0].partition("25")[0]), done
            assert done.endswith(text.partition("}")[2]), done
            assert not any(part in done for part in ("S3cret", "payroll", "bob")), done
            assert list(made.leaks(done)) == []


_WAYS: dict[str, Callable[[str], str]] = {
    "address": lambda text: re.sub(r"\W|_", lambda found: f"%{ord(found[0]):02X}", text),
    "markup": lambda text: re.sub(r"\W|_", lambda found: f"&#{ord(found[0])};", text),
    "json": lambda text: text.replace("_", "\\u005f"),
    "nothing": lambda text: text,
}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(sorted(_WAYS)), max_size=2),
    st.sampled_from(["", "\u200b", "\u00ad", "\ufeff"]),
    st.sampled_from(["{}", "'{}'", "user={};", "before {} after"]),
)
def test_a_known_value_goes_however_it_is_written(
    ways: list[str], between: str, around: str
) -> None:
    """As escapes of escapes, with letters without a width between the others, as base64."""
    made, written = redactor(), "svc_payroll"
    made.known.add("users", (written,))
    for way in ways:
        written = _WAYS[way](written)
    in_base64 = b64encode(around.format("svc_payroll").encode()).decode()
    for hidden in (between.join(written), in_base64):
        done = made.text(around.format(hidden), raw=True)
        assert IS_TOKEN.search(done), (hidden, done)
        assert "payroll" not in re.sub(r"[\u200b\u00ad\ufeff]", "", done), (hidden, done)
        assert in_base64 not in done


_WORDS = st.text("abcdefghijkMNOPQ0123456789", min_size=3, max_size=12)


@settings(max_examples=40, deadline=None)
@given(_WORDS, st.sampled_from(_STATEMENTS), st.sampled_from(["'", '"']))
def test_a_redacted_statement_has_the_same_shape(word: str, statement: str, quote: str) -> None:
    """What is planted as a literal goes; everything that groups the statement stays."""
    planted = f"Zq9{word}"
    text = statement.format(f"{quote}{planted}{quote}")
    done = redactor("sql").text(text, raw=True)
    assert planted not in done
    assert shape(done) == shape(text)
    assert redactor("sql").text(done, raw=True) == done


def test_a_leak_is_named_without_its_value() -> None:
    made = Redactor(KINDS, b"k", KnownValues({"users": ["svc_payroll"]}))
    with pytest.raises(Leak, match=r"1 of users in title") as raised:
        check_leaks(replace_struct(document(CASE), title="by svc_payroll"), made)
    assert "svc_payroll" not in str(raised.value)


@pytest.mark.on_turn(0, 2)
def test_hostile_text_takes_linear_time(rounds: Rounds) -> None:
    """Four times as much of what could backtrack takes about four times as long.

    Half of the texts a day.
    """
    units = (
        "select ",
        "'",
        '"',
        "a.",
        "1.1.",
        ":f",
        "update x ",
        "\\'",
        "a@a.",
        "with a as ",
        "a-",
        "x_",
    )
    for unit in rounds.in_turn(units, 2):
        text = unit * (40_000 // len(unit))
        whole, quarter = text, text[: len(text) // 4]
        longer = growth(
            lambda quarter=quarter: redactor().text(quarter, raw=True),
            lambda whole=whole: redactor().text(whole, raw=True),
        )
        assert longer < 10, unit  # 4 when linear, 16 when quadratic


def test_tokens_look_alike() -> None:
    token = redactor().text("db-7")
    assert re.fullmatch(r"host-[0-9a-f]{6}", token)


def test_every_text_of_a_document_is_redacted() -> None:
    """Wherever it stands: also in tuples, which JSON does not tell from lists."""
    made = document()
    seen = {text for _, text, _ in document_redaction._texts(as_plain(made), "", structure=True)}
    unseen = {
        (place, text)
        for place, text in strings(json.loads(encode(made)), "")
        if not any(text in whole for whole in seen) and place not in document_redaction._ENUMERATED
    }
    assert unseen == set()
    node = GraphNode("t1", "thread 7", "thread", 0, detail=[("where", "row of db-7 ")])
    drawing = GraphDrawing("", "", [node], [])
    facts = [*made.facts, ("Server", "the one named db-7 ")]
    section = replace_struct(made.sections[0], blocks=[Figure(drawing, [], "", number=99)])
    planted = replace_struct(made, facts=facts, sections=[section])
    done = redact(planted, redactor("hosts"))
    assert "db-7 " not in render_html(done, viewer="")


def strings(node: Any, field: str) -> Iterator[tuple[str, str]]:
    """Yield every text of plain values, with the field that it stands in."""
    if isinstance(node, str):
        yield field, node
    elif isinstance(node, list):
        for item in node:
            yield from strings(item, field)
    elif isinstance(node, dict):
        for name, value in node.items():
            yield from strings(value, name)
