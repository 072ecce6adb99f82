"""What is stored and said of a long text is its beginning: each is cut at its length."""

from __future__ import annotations

from collections import namedtuple
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from pileup.api import trail
from pileup.api.accounts import presence
from pileup.api.artifacts import mappings, tables, tus
from pileup.storage.accounts import guesses, passwords, sessions
from pileup.storage.accounts.guesses import Guesses
from pileup.storage.accounts.sessions import Sessions
from pileup.storage.artifacts import artifacts
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.errors import Refused
from pileup.storage.files import bucket, outline
from pileup.storage.incidents import search
from pileup.storage.lifecycle import bin as deleted
from pileup.storage.lifecycle import bundle_checks
from pileup.storage.lifecycle.bin import Bin


def given(**fields: Any) -> Any:
    return SimpleNamespace(**fields)


class Database:
    """A session that notes what is added and asked."""

    def __init__(self, *rows: Any) -> None:
        self.added: list[Any] = []
        self.asked: list[Any] = []
        self.rows = rows
        self.session = self

    def add(self, row: Any) -> None:
        self.added.append(row)

    def add_all(self, rows: Any) -> None:
        self.added += rows

    def flush(self) -> None:
        pass

    def execute(self, statement: Any, *_: Any, **__: Any) -> Any:
        self.asked.append(statement)
        return _Result(self.rows)


class _Result(list[Any]):
    def one(self) -> Any:
        return 1, 2, 3


LONG = "x" * 5000


def test_a_client_and_a_browser_are_cut() -> None:
    database: Any = Database()
    Guesses(database).add(LONG, "account")
    Sessions(database).open(given(id="u"), timedelta(1), LONG)
    guess, session = database.added
    assert len(guess.client) == guesses._CLIENT == 100
    assert len(session.agent) == sessions._AGENT == 300
    asked: Any = Database()
    assert Guesses(asked).counts(LONG, "account") == guesses.Counts(1, 2, 3)
    values = [value for value in asked.asked[0].compile().params.values() if "x" in str(value)]
    assert {len(value) for value in values if set(value) == {"x"}} == {100}


def test_a_long_password_is_estimated_by_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def estimate(password: str, user_inputs: list[str]) -> Any:
        seen.append((password, user_inputs))
        return {"score": 0, "feedback": {"warning": "", "suggestions": []}}

    monkeypatch.setattr(passwords, "zxcvbn", estimate)
    monkeypatch.setattr(passwords, "is_breached", lambda *_: False)
    with pytest.raises(Refused, match=r"easy to guess\. Use several uncommon words"):
        passwords.check_password("p" * 100, "Ann O")
    assert seen == [("p" * 72, ["pileup", "pileup", "Ann O", "Ann", "O"])]


@pytest.mark.parametrize("length", [1999, 2000, 2001])
def test_problems_are_cut_at_their_number(monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    problem = given(line=1, message="m", expected=None, found="f", severity="error")
    monkeypatch.setattr(artifacts, "MAX_STORED_PROBLEMS", 2000)
    database: Any = Database()
    Artifacts._store_problems(given(_db=database), "a", [problem] * length)
    assert len(database.added) == min(length, 2000)
    assert [row.ordinal for row in database.added[:2]] == [0, 1]
    assert (database.added[0].expected, database.added[0].found) == (None, "f")


def test_the_first_line_of_an_error_is_cut() -> None:
    assert bucket._first_line(OSError("a\nb")) == "a"
    assert bucket._first_line(OSError(f"  {LONG}\nb")) == "x" * 300
    assert bucket._first_line(OSError(" \n")) == "OSError"


def test_a_word_and_a_title_that_are_searched_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    assert search._tokens(f"Ab {'y' * 61} c-d") == ["ab", "y" * 60, "c", "d"]
    scored: list[str] = []
    monkeypatch.setattr(search, "_score", lambda title, _: scored.append(title) or 1.0)
    monkeypatch.setattr(search, "_titles", lambda *_: {"i": "title"})
    rows = [given_row("finding", "i", "id", LONG, "hint", None, 0.0)]
    unit: Any = given(session=given(execute=lambda *_: given(all=lambda: rows)))
    (found,) = search._best(unit, None, {}, ["x"])  # type: ignore[arg-type]
    assert scored == [found.title] == ["x" * 300]


given_row = namedtuple("given_row", "kind incident_id id title hint at weight")


def test_a_title_in_the_bin_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    at = datetime(2026, 11, 20, tzinfo=UTC)
    database: Any = Database(("1", LONG, at))
    kind = next(iter(deleted.KINDS.items()))
    monkeypatch.setattr(deleted, "KINDS", dict([kind]))
    monkeypatch.setattr(Bin, "_who", lambda *_: {})
    (item,) = Bin(database).of_incident("i")
    assert len(item.title) == 200


def test_a_value_in_a_refusal_is_cut() -> None:
    assert bundle_checks._short(LONG) == f"'{'x' * 79}"
    assert bundle_checks._short(7) == "7"


@pytest.mark.parametrize(
    ("levels", "most", "kept"),
    [
        ([0, 1, 2, 1], 4, [0, 1, 2, 3]),
        ([0, 1, 2, 1], 3, [0, 1, 3]),
        ([0, 1, 2, 1], 2, [0]),
        ([0] * 5, 2, [0, 3]),
        ([0] * 4, 2, [0, 2]),
        ([0] * 4, 1, [0]),
    ],
)
def test_sections_are_thinned_out(levels: list[int], most: int, kept: list[int]) -> None:
    sections = [{"level": level, "at": at} for at, level in enumerate(levels)]
    assert [section["at"] for section in outline.thin_out(sections, most)] == kept


# ---- requests --------------------------------------------------------------------------------


def test_what_the_trail_keeps_of_a_request_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded: list[Any] = []
    monkeypatch.setattr(trail.audit, "record_once", lambda *some, **named: recorded.append(named))
    caller = given(actor="ann", token_id=None, guest_id="g")
    request: Any = given(
        state=given(principal=caller),
        path_params={"incident_id": "i"},
        url=given(query=f"a={LONG}", path=f"/api/v1/{LONG}"),
        scope={},
    )
    response: Any = given(headers={"content-disposition": "attachment; filename=x"})
    trail.record_download(request, None, response)  # type: ignore[arg-type]
    (entry,) = recorded
    assert entry["choices"] == f"a={'x' * 498}"
    assert entry["file"] == "x" * 499
    assert (entry["incident_id"], entry["target"], entry["guest_link"]) == ("i", None, "g")
    assert "token" not in entry
    for other in ("inline", ""):
        response.headers["content-disposition"] = other
        trail.record_download(request, None, response)  # type: ignore[arg-type]
    assert len(recorded) == 1


def test_a_name_that_others_see_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(presence, "need", lambda *_: None)
    unit: Any = given(send=lambda *some, **named: sent.append((some, named)))
    body: Any = given(tab="t", model_dump=lambda exclude: {"screen": "waits"})
    caller: Any = given(user=given(id="u", name=LONG))
    presence.be_present(given(id="i"), body, unit, caller)
    (((*_, who), named),) = sent
    assert (who, len(named["name"]), named["screen"]) == ("u.t", 200, "waits")


def test_a_host_that_is_given_is_cut() -> None:
    assert tus.given_in({"host": f" {LONG} "}).host == "x" * 255
    assert tus.given_in({"host": "  "}).host is None
    assert tus.given_in({}).host is None


@pytest.mark.parametrize(
    ("count", "size", "left"),
    [
        (2, 99, 2),
        (3, 99, 2),
        (3, 5, 3),
        (3, 6, 2),
        (199, 9999, 198),
        (200, 9999, 200),
        (250, 9999, 200),
    ],
)
def test_a_line_that_the_head_cuts_is_left_out(
    monkeypatch: pytest.MonkeyPatch, count: int, size: int, left: int
) -> None:
    assert mappings.csv_mapping.HEAD_LINES == 200
    head = "\n".join("a" for _ in range(count))
    artifact = given(state="done", sha256="s", path="p", bytes=size)
    monkeypatch.setattr(mappings, "Artifacts", lambda _: given(get=lambda _: artifact))
    monkeypatch.setattr(mappings.archive, "detect_container", lambda _: None)
    monkeypatch.setattr(mappings, "LineReader", lambda _: given(head=head))
    services: Any = given(blobs=given(path=lambda _: "p", open=lambda _: nullcontext()))
    _, lines, whole = mappings._table(services, None, "a")  # type: ignore[arg-type]
    assert (len(lines), whole) == (left, head)


def test_tables_are_cut_at_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_MOST_TABLES", 3)
    monkeypatch.setattr(tables, "Incidents", lambda _: given(get=lambda _: None))
    looked: list[str] = []

    def stored(_: Any, artifact: Any) -> list[Any]:
        looked.append(artifact.id)
        return [given(ref=f"{artifact.id}{number}") for number in range(2)]

    several = [given(id=id_, records={tables.view.KIND: many}) for id_, many in
               (("a", 1), ("b", 0), ("c", 1), ("d", 1))]  # fmt: skip
    monkeypatch.setattr(tables.view, "stored_tables", stored)
    monkeypatch.setattr(tables, "TableList", given)
    monkeypatch.setattr(
        tables, "Artifacts",
        lambda _: given(of_incident=lambda _: several, get=lambda _: given(id="z")),
    )  # fmt: skip
    services: Any = given(frames=None)
    assert tables.tables("i", services, None).items == ["a0", "a1", "c0"]  # type: ignore[arg-type]
    assert looked == ["a", "c"]
    monkeypatch.setattr(tables, "_MOST_TABLES", 1)
    assert tables.tables_of_artifact("z", services, None).items == ["z0"]  # type: ignore[arg-type]
