"""Rows and structures: the field of a text says what it holds; nothing is left anywhere."""

from __future__ import annotations

import csv
import io
import re
from typing import Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pileup.report.redaction.document_redaction import Leak
from pileup.report.redaction.plain_redaction import RowRedaction, redact_plain
from pileup.report.redaction.redactor import KINDS, PASSWORD_TOKEN, Redactor
from pileup.storage.errors import Refused
from pileup.views.csv_rows import csv_line, redacted_csv
from pileup.views.reports.export import redacted, without_leak
from tests.report.case import document


class Part(msgspec.Struct, frozen=True):
    kind: Literal["shopapp", "other"]
    user: str | None
    text: str


def test_a_value_found_in_one_field_goes_from_all() -> None:
    """Choices of the format and columns stay; keys of other dictionaries go."""
    part = Part("shopapp", "shopapp", "shopapp waits for 'Zx81-secret'")
    done = redact_plain(
        {"shopapp": part, "user": {"shopapp": "update t set a = 'Zx81-secret'"}, "n": 7},
        Redactor(KINDS, b"k"),
        {"user", "n"},
    )
    plain = msgspec.json.encode(done).decode()
    assert plain.count("shopapp") == 1
    assert "Zx81" not in plain
    assert '"kind":"shopapp"' in plain
    assert set(done) >= {"user", "n"}


def test_html_keeps_its_form_and_loses_its_values() -> None:
    """An entity, a colour or a coordinate is no value; words of attributes and raw lines are."""
    html = (
        '<p title="of app@10.1.2.3">161 wait in &#x27;Waiting for a lock&#x27;, of &lt;10.1.2.3&gt;'
        '</p><path fill="#c4320a" d="M96.0,206.2"/>'
        "<pre>update t set a = &#x27;Zx81-secret&#x27;</pre>"
    )
    redactor = Redactor(KINDS, b"k")
    section = [{"text": "161 wait in 'Waiting for a lock'", "blocks": [{"html": html}]}]
    done = redact_plain(section, redactor, html=True)[0]
    assert done["text"] == section[0]["text"]
    changed = done["blocks"][0]["html"]
    host = redactor.text("10.1.2.3")
    assert f"in &#x27;Waiting for a lock&#x27;, of &lt;{host}&gt;</p>" in changed
    assert '<path fill="#c4320a" d="M96.0,206.2"/>' in changed
    assert "10.1.2.3" not in changed
    assert "Zx81" not in changed
    assert changed.endswith("&#x27;</pre>")


def test_a_text_that_comes_again_is_redacted_and_counted_each_time() -> None:
    """Also where the same text is a name in one field and a plain one in another."""
    rows = [{"user": "waiting", "state": "waiting", "text": "from 10.1.2.3"}] * 3
    redactor = Redactor(KINDS, b"k")
    done = redact_plain(["nothing", "nothing", *rows], redactor)
    assert done[:2] == ["nothing", "nothing"]
    assert "10.1.2.3" not in str(done)
    assert {row["user"] for row in done[2:]} == {redactor.name("users", "waiting")}
    assert {each.value: each.occurrences for each in redactor.replaced()}["10.1.2.3"] == 3


def test_no_cell_is_a_formula() -> None:
    for formula in ("=1", "@a", "-1", "+1", "\t=1", "\n=1", " =1", "\ufeff=1", "＝1", "＠a"):
        assert next(csv.reader([csv_line([formula])]))[0].strip("\t\n \ufeff")[0] == "'"
        # programs whose lists have semicolons divide the cell
        assert "'" in next(csv.reader([csv_line([f"a;{formula};b"])]))[0].split(";")[1]
    assert csv_line(["a=1", "", -1, None, "5 - 3"]) == "a=1,,-1,,5 - 3\r\n"


@settings(max_examples=100, deadline=None)
@given(st.text("=+-@＝＠;,\"'\t\r\n \ufeff\u200bab1", max_size=12))
def test_no_part_of_a_cell_is_a_formula(text: str) -> None:
    """However a program divides lines into cells, and whatever it trims."""
    line = csv_line(["a", text, "b"])
    (cells,) = csv.reader(io.StringIO(line, newline=""))
    for cell in (cells[1], *re.split(r"[;\t\r\n]", cells[1])):
        assert cell.strip(" \t\r\n\ufeff\u200b")[:1] not in tuple("=+-@＝＠"), line


def test_numbers_in_the_json_of_a_file_are_texts_of_it() -> None:
    """A password or card is none of the program's numbers; the others stay as they are."""
    body = '{"password": 81818181, "card": 4111111111111111, "n": [7, 1.50, null], "wait": 1e3}'
    done = redact_plain({"body": body}, Redactor(KINDS, b"k"))["body"]
    assert "8181" not in done
    assert "4111" not in done
    assert '"n": [7, 1.5, null], "wait": 1000.0' in done
    plain = '{"n": [7, 1.50], "wait": 1e3, "id": 12345678901234567890}'
    assert redact_plain([plain], Redactor(KINDS, b"k")) == [plain]
    for hostile in ("[" * 600 + "]" * 600, "[" * 3_000, f"[{'7' * 5_000}]", '{"a":' * 900):
        secret = f"{hostile} password=Zq81xx"
        for text in (hostile, secret):
            assert "Zq81" not in redact_plain([text], Redactor(KINDS, b"k"))[0]
    deep = "[" * 600 + '"password=Zq81xx"' + "]" * 600
    assert "Zq81" not in redact_plain([deep], Redactor(KINDS, b"k"))[0]


@pytest.mark.parametrize(
    "columns, row, gone",
    [
        (["Variable_name", "Value"], ["wsrep_sst_auth", "sst:Zq81xx yy"], "Zq81xx"),
        (["User", "authentication_string"], ["app", "$A$005$Zq81xx"], "Zq81xx"),
        (["Id", "Info"], ["7", "ALTER USER a IDENTIFIED BY 'Zq81xx'"], "Zq81xx"),
        (["name", "value"], ["master_password", "Zq81xx"], "Zq81xx"),
    ],
)
def test_passwords_go_from_tables_without_any_kind(
    columns: list[str], row: list[str], gone: str
) -> None:
    (done,) = RowRedaction(columns, Redactor((), b"")).rows([row])
    assert gone not in "".join(done)
    assert PASSWORD_TOKEN in "".join(done)


@pytest.mark.parametrize(
    "row",
    [
        ["Com_set_password", "12"],
        ["mysql_native_password", "ACTIVE"],
        ["default_password_lifetime", "90"],
        ["report_password", ""],
    ],
)
def test_what_only_sounds_like_a_password_stays(row: list[str]) -> None:
    assert list(RowRedaction(["name", "value"], Redactor((), b"")).rows([row])) == [row]


def test_a_setting_in_a_structure_is_a_password_by_its_name() -> None:
    setting = {"name": "ssl_passphrase", "values": ["Zq81xx", None, "other words"]}
    assert redact_plain(setting, Redactor((), b""))["values"] == [
        PASSWORD_TOKEN,
        None,
        PASSWORD_TOKEN,
    ]


def test_hosts_with_ports_keep_their_ports() -> None:
    rows = [["app-31:51234", "select 1"], ["10.1.2.3:4000", "x"], ["localhost", "y"]]
    redaction = RowRedaction(["Host", "Info"], Redactor(KINDS, b"k"))
    redaction.learn(rows)
    first, second, third = redaction.rows(rows)
    assert first[0].startswith("host-")
    assert first[0].endswith(":51234")
    assert second[0].startswith("address-")
    assert third[0] == "localhost"


VALUE = st.from_regex(r"[A-Z][a-z]{3}[0-9]{5}[a-z]{2}", fullmatch=True)


@settings(max_examples=25)
@given(value=VALUE, at=st.integers(0, 3))
def test_no_order_of_rows_leaves_a_value(value: str, at: int) -> None:
    rows = [["b", "nothing"], ["c", f"held {value}"], ["d", f"also {value}, twice {value}"]]
    rows.insert(at, ["a", f"INSERT INTO t VALUES ('{value}')"])
    redactor = Redactor(["sql"], b"k")
    RowRedaction(["x", "text"], redactor).learn(rows)
    done = list(RowRedaction(["x", "text"], redactor).rows(rows))
    assert value not in str(done)
    assert [row[0] for row in done] == [row[0] for row in rows]


def test_a_leak_is_named_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    redactor = Redactor(["sql"], b"k")
    redactor.known.add("sql", ["Zx81secret"])
    monkeypatch.setattr(Redactor, "text", lambda _, text, **__: text)
    with pytest.raises(Leak) as leak:
        list(RowRedaction(["a"], redactor).rows([["Zx81secret"]]))
    assert "Zx81" not in str(leak.value)
    with pytest.raises(Leak):
        redact_plain({"a": ["Zx81secret"]}, redactor)


def test_a_leak_refuses_the_export(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table, a structure and a report are not made; the first line of a table is not sent."""
    redactor = Redactor(["sql"], b"k")
    redactor.known.add("sql", ["Zx81secret"])
    monkeypatch.setattr(Redactor, "text", lambda _, text, **__: text)
    report = replace(document(), title="Zx81secret")
    with pytest.raises(Refused):
        redacted_csv(lambda: (["a"], [["fine"], ["Zx81secret"]]), redactor)
    with pytest.raises(Refused):
        redacted(["Zx81secret"], redactor)
    with pytest.raises(Refused):
        without_leak(report, redactor)
