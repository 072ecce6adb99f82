"""A document of another kind gives the records of the texts, or of the rows, that it holds."""

from __future__ import annotations

import datetime
import json
import pprint
import random
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pileup.formats.driver import _has_evidence
from pileup.formats.parsed import Parsed
from pileup.formats.unwrapping.texts_inside import has_texts, rows_inside, texts_inside
from tests.formats.checks import all_samples, assert_sound, parse_bytes, samples
from tests.formats.decorations import DOCUMENTS
from tests.formats.unwrapping.test_layouts import records
from tests.support.cpu import growth
from tests.support.rounds import Rounds

_MOST = 3_000
_SAMPLES = [path for path in all_samples() if path.parent.name != "kept"]
_GENERAL = {"table", "event", "setting"}
_OPEN = {
    ("gdb", "on-one-line.txt", "bytes that Python prints"),
    ("metric-csv", "grafana-semicolon-decimal-comma.csv", "a comment of a tracker"),
    ("metric-csv", "grafana-semicolon-decimal-comma.csv", "an export of a chat"),
    ("open-tables", "pt-stalk-too-many.txt", "a cell"),
    ("open-tables", "pt-stalk-too-many.txt", "bytes that Python prints"),
    ("slow-log", "5.0-to-5.6-every-header.log", "a document in a document"),
}
"""What is still lost, of all samples in all documents. One that is read has to leave this list."""
WAIT = (
    "--Thread 140 has waited at btr0sea.ic line 98 for 7 seconds the semaphore:\n"
    "X-lock on RW-latch at 0x2db49f8 created in file btr0sea.cc line 238\n"
)


def read(text: str) -> Parsed:
    parsed = parse_bytes(text.encode(), "pasted.txt")
    assert_sound(parsed, len(text.encode()))
    return parsed


@pytest.mark.parametrize("path", _SAMPLES, ids=lambda path: f"{path.parent.name}-{path.name}")
@pytest.mark.dealt(12)
def test_a_document_gives_the_records_of_its_text(path: Path, rounds: Rounds) -> None:
    """No kind of record that says more than any text disappears, whatever the document."""
    text = path.read_bytes()[:_MOST].decode("utf-8", "replace").replace("\r\n", "\n")
    text = text.rpartition("\n")[0] + "\n"
    plain = parse_bytes(text.encode(), "x")
    telling = set(plain.receipt.records) - _GENERAL - {"snapshot"}
    if not telling or text.lstrip()[:1] in ("{", "[", '"'):
        return  # a document itself, or what any text may be
    siblings = [other for other in _SAMPLES if other.parent == path.parent]
    turn = siblings.index(path) + rounds.turn
    for what in rounds.deal(DOCUMENTS, turn % len(DOCUMENTS), len(DOCUMENTS)):
        parsed = read(DOCUMENTS[what](text, random.Random(1)))
        is_open = (path.parent.name, path.name, what) in _OPEN
        is_lost = not telling & set(parsed.receipt.records)
        assert is_lost == is_open, (what, parsed.format, parsed.receipt.records)


@pytest.mark.parametrize("what", DOCUMENTS)
def test_a_wait_in_a_document_is_that_wait(what: str) -> None:
    plain = records(read(WAIT))
    parsed = read(DOCUMENTS[what](WAIT, random.Random(1)))
    assert records(parsed)["semaphore_wait"] == plain["semaphore_wait"]


def test_the_lines_are_those_of_the_document() -> None:
    text = json.dumps({"rc": 0, "stdout_lines": WAIT.splitlines()}, indent=1)
    (row,) = read(text).frames["semaphore_wait"].to_dicts()
    assert (row["line_first"], row["line_last"]) == (4, 5)


def test_a_text_that_stands_in_a_document_twice_is_read_once() -> None:
    lines = WAIT.splitlines()
    text = json.dumps({"stdout": WAIT, "stdout_lines": lines, "text": f"```\n{WAIT}```"})
    assert len(texts_inside(text)) == 1
    assert len(read(text).frames["semaphore_wait"]) == 1


def test_two_texts_of_a_document_are_both_read() -> None:
    hosts = [{"host": "db-7", "stdout": WAIT}, {"host": "db-8", "stdout": WAIT.replace("98", "99")}]
    assert sorted(read(json.dumps(hosts)).frames["semaphore_wait"]["line"]) == [98, 99]


@pytest.mark.parametrize("name", ["query", "sql_text", "Info", "DIGEST_TEXT", "statement"])
def test_a_statement_of_many_lines_is_no_text(name: str) -> None:
    assert texts_inside(json.dumps({name: "SELECT a\nFROM b\nWHERE c"})) == []
    assert texts_inside(json.dumps({"x": "SELECT a\nFROM b\nWHERE c"})) == []


def test_a_single_line_is_read_where_nothing_else_is() -> None:
    line = "2026-11-20T22:15:01.1Z 0 [ERROR] [MY-012872] [InnoDB] the server is stuck"
    for text in (json.dumps({"ok": True, "stdout": line}), f"data:\n  out: |\n    {line}\n"):
        assert read(text).receipt.records["event"] == 1
    assert read(json.dumps({"name": line[:9], "kind": "x y z"})).frames.heights.get("event") is None


# ---- rows ----------------------------------------------------------------------------------------

NAMES = ("Id", "User", "Host", "db", "Command", "Time", "State", "Info")


class Row(NamedTuple):
    Id: int
    User: str
    Host: str
    db: str | None
    Command: str
    Time: int
    State: str
    Info: str | None


def _as_dicts(rows: list[Row]) -> list[dict[str, Any]]:
    return [dict(zip(NAMES, row, strict=True)) for row in rows]


PRINTED: dict[str, Callable[[list[Row]], str]] = {
    "tuples": lambda rows: repr([tuple(row) for row in rows]),
    "a tuple of tuples": lambda rows: repr(tuple(tuple(row) for row in rows)),
    "a tuple a line": lambda rows: "\n".join(repr(tuple(row)) for row in rows),
    "lists": lambda rows: repr([list(row) for row in rows]),
    "arrays of JSON": lambda rows: json.dumps([list(row) for row in rows]),
    "arrays of JSON, indented": lambda rows: json.dumps([list(row) for row in rows], indent=2),
    "dictionaries": lambda rows: repr(_as_dicts(rows)),
    "a dictionary a line": lambda rows: "\n".join(map(repr, _as_dicts(rows))),
    "named tuples": repr,
    "ordered dictionaries": lambda rows: (
        "["
        + ", ".join(
            f"OrderedDict([{', '.join(map(repr, OrderedDict(each).items()))}])"
            for each in _as_dicts(rows)
        )
        + "]"
    ),
    "pprint of tuples": lambda rows: pprint.pformat([tuple(row) for row in rows]),
    "pprint of dictionaries": lambda rows: pprint.pformat(_as_dicts(rows)),
    "a variable": lambda rows: f"rows = {_as_dicts(rows)!r}",
    "a prompt": lambda rows: f">>> cur.fetchall()\n{[tuple(row) for row in rows]!r}",
}


def _sessions(dice: random.Random) -> list[Row]:
    statements = ("SELECT 'it''s' FROM a", 'UPDATE a SET b="x, (y)"', "SELECT 1\nFROM b", None)
    return [
        Row(
            *(8801 + at, dice.choice(["app", "root"]), f"10.0.3.{at}:{51000 + at}"),
            *(dice.choice(["shop", None]), "Query", dice.randrange(400)),
            *(
                dice.choice(["updating", "Waiting for table metadata lock"]),
                dice.choice(statements),
            ),
        )
        for at in range(dice.randint(3, 9))
    ]


@pytest.mark.parametrize("what", PRINTED)
def test_rows_as_a_program_prints_them_are_the_rows(what: str, rounds: Rounds) -> None:
    for seed in range(rounds.times(2, 60)):
        rows = _sessions(random.Random(f"{seed} {rounds.turn}"))
        found = read(PRINTED[what](rows) + "\n").frames["session"]
        assert found["session_id"].to_list() == [row.Id for row in rows]
        assert found["time_s"].to_list() == [row.Time for row in rows]
        assert found["state"].to_list() == [row.State for row in rows]
        assert found["db"].to_list() == [row.db for row in rows]
        assert found["client_host"].to_list() == [row.Host for row in rows]


def test_a_time_and_a_decimal_of_python_are_their_values() -> None:
    trx = {
        "trx_id": 26478,
        "trx_state": "LOCK WAIT",
        "trx_started": datetime.datetime(2026, 11, 20, 22, 19, 50),  # noqa: DTZ001
        "trx_mysql_thread_id": 8799,
        "trx_query": None,
    }
    inside = rows_inside(f"[{trx!r}, {{'n': Decimal('1.50'), 'd': datetime.date(2026, 1, 2)}}]")
    assert inside is not None
    assert inside.text.split("\n")[1] == "26478\tLOCK WAIT\t2026-11-20 22:19:50\t8799\tNULL"
    assert inside.text.split("\n")[3] == "1.50\t2026-01-02 00:00:00"
    assert read(f"{[trx, trx]!r}\n").receipt.records["transaction"] == 2


@pytest.mark.parametrize(
    "text",
    [
        "strace: read(3, 'abc', 4) = 4\n",
        "f (this=0x1, thd=0x2) at a.cc:3\n",
        "We met at the office (Anna, Bob).\n",
    ],
)
def test_arguments_and_prose_are_no_rows(text: str) -> None:
    assert rows_inside(text) is None


@pytest.mark.parametrize(
    "unit", ['"', "'", "\\", '\\"', '["', "('a',", '{"a": ', "a: |\n ", ',"', "<a>\n"]
)
def test_texts_are_found_in_linear_time(unit: str) -> None:
    for find in (has_texts, texts_inside, rows_inside):
        small, large = unit * 2_000, unit * 8_000
        assert growth(partial(find, small), partial(find, large)) < 9


def test_a_cut_document_gives_what_is_whole_in_it() -> None:
    (path,) = [path for path in samples("pmp") if "row-lock" in path.name]
    text = path.read_text()
    document = json.dumps({"rc": 0, "stdout_lines": text.splitlines(), "x": text}, indent=1)
    for share in (0.3, 0.45):
        assert _has_evidence(read(document[: int(len(document) * share)]).frames)
