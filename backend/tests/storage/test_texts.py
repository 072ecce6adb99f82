"""Live texts on a real database: order, versions, compaction, what the case proposes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from pycrdt import Doc, Text
from sqlalchemy import text

from pileup.storage import models
from pileup.storage.audit import Actor, entries
from pileup.storage.database import Database
from pileup.storage.errors import NotFound
from pileup.storage.texts import crdt
from pileup.storage.texts.live_texts import SAME_STRETCH, Texts


@pytest.fixture
def database(postgres_url: str) -> Iterator[Database]:
    database = Database(postgres_url)
    yield database
    database.close()


def case(database: Database, *names: str) -> tuple[str, list[Actor]]:
    """An incident and some people."""
    with database.unit() as unit:
        incident = models.Incident(title="stall")
        people = [models.User(name=name, role="contributor") for name in names]
        unit.session.add_all([incident, *people])
        unit.session.flush()
        return incident.id, [Actor(person.id, person.name) for person in people]


class Browser:
    """Somebody's document, as the UI holds it."""

    def __init__(self, database: Database, incident: str, by: Actor, key: str = "note") -> None:
        self.database, self.incident, self.by, self.key = database, incident, by, key
        with database.unit() as unit:
            whole = Texts(unit).state(incident, key)
        self.document: Doc[Text] = crdt.opened(whole.state, [])
        self.seq = whole.record.seq

    @property
    def text(self) -> str:
        return crdt.read_text(self.document)

    def type(self, at: int, typed: str) -> bytes:
        """What is to be sent."""
        before = self.document.get_state()
        self.document.get("text", type=Text).insert(at, typed)
        return self.document.get_update(before)

    def send(self, update: bytes) -> None:
        with self.database.unit() as unit:
            Texts(unit).append(self.incident, self.key, update, self.by)

    def fetch(self) -> None:
        with self.database.unit() as unit:
            self.seq, updates = Texts(unit).updates(self.incident, self.key, self.seq)
        for update in updates:
            self.document.apply_update(update)


def test_two_who_type_at_once_end_with_the_same_text(database: Database) -> None:
    """From two threads, letter by letter, and no letter is missing."""
    incident, people = case(database, "ann", "bob")
    with database.unit() as unit:
        Texts(unit).ensure(incident, "note", "")
    browsers = [Browser(database, incident, person) for person in people]

    def write(browser: Browser, letters: str) -> None:
        for letter in letters:
            browser.send(browser.type(0, letter))
            browser.fetch()

    words = ("a" * 50, "b" * 50)
    threads = [
        threading.Thread(target=write, args=pair) for pair in zip(browsers, words, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for browser in browsers:
        browser.fetch()
    with database.unit() as unit:
        kept = Texts(unit).find(incident, "note")
    assert kept is not None
    assert browsers[0].text == browsers[1].text == kept.text
    assert sorted(kept.text) == sorted("".join(words))
    assert kept.seq == 101  # the seed and a hundred letters: no gap, none twice


def test_who_was_away_for_long_gets_the_whole(database: Database) -> None:
    """After a compaction the single updates are gone; the state stands for them."""
    incident, (ann, bob) = case(database, "ann", "bob")
    with database.unit() as unit:
        Texts(unit).ensure(incident, "note", "begin ")
    away, writer = Browser(database, incident, bob), Browser(database, incident, ann)
    unsent = away.type(0, "mine ")
    for number in range(70):
        writer.send(writer.type(0, f"{number} "))
    with database.unit() as unit:
        left = unit.session.execute(text("select count(*) from live_text_updates")).scalar_one()
    assert left < 70
    away.fetch()
    away.send(unsent)
    writer.fetch()
    assert away.text == writer.text
    assert "69 " in away.text
    assert "mine " in away.text


def test_a_stretch_of_editing_is_one_version(database: Database) -> None:
    """Per person; a pause, a name, or a save as a whole ends it; the audit tells of each once."""
    incident, (ann, bob) = case(database, "ann", "bob")
    with database.unit() as unit:
        Texts(unit).ensure(incident, "note", "")
    first, two = Browser(database, incident, ann), Browser(database, incident, bob)
    for browser, typed in ((first, "a"), (two, "b"), (first, "a"), (two, "b")):
        browser.fetch()
        browser.send(browser.type(0, typed))

    def versions() -> list[tuple[str, str, str | None]]:
        with database.unit() as unit:
            texts = Texts(unit)
            return [
                (v.by_name, texts.version_text(incident, "note", v.id), v.name)
                for v in texts.versions(incident, "note")
            ]

    assert versions() == [("bob", "baba", None), ("ann", "aba", None)]
    with database.unit() as unit:
        newest = Texts(unit).versions(incident, "note")[0]
        Texts(unit).name_version(incident, "note", newest.id, "  before lunch ", bob)
    two.send(two.type(0, "b"))
    assert versions()[0] == ("bob", "bbaba", None)
    assert versions()[1] == ("bob", "baba", "before lunch")
    with database.unit() as unit:
        pause = SAME_STRETCH + timedelta(seconds=1)
        unit.session.execute(
            text("update live_text_versions set at = at - :pause"), {"pause": pause}
        )
    first.fetch()
    first.send(first.type(0, "A"))
    assert len(versions()) == 4
    with database.unit() as unit:
        Texts(unit).replace(incident, "note", "saved", ann)
    first.fetch()
    first.send(first.type(0, "un"))
    # saved as a whole is a version of its own; the typing goes on in the one before it
    assert [v[1] for v in versions()][:2] == ["unsaved", "saved"]
    with database.unit() as unit:
        actions = [e.action for e in entries(unit, incident)]
    assert actions.count("text.edited") == 5


def test_an_unedited_text_follows_what_is_proposed(database: Database) -> None:
    """Until somebody types; who has it open gets the change like any other."""
    incident, (ann,) = case(database, "ann")
    with database.unit() as unit:
        Texts(unit).ensure(incident, "note", "3 waiters\n")
    open_since = Browser(database, incident, ann)
    with database.unit() as unit:
        assert Texts(unit).ensure(incident, "note", "300 waiters\n").text == "300 waiters\n"
    open_since.fetch()
    assert open_since.text == "300 waiters\n"
    open_since.send(open_since.type(0, "About "))
    with database.unit() as unit:
        kept = Texts(unit).ensure(incident, "note", "3000 waiters\n")
    assert (kept.text, kept.edited) == ("About 300 waiters\n", True)


def test_a_text_that_nobody_opened_takes_no_update(database: Database) -> None:
    incident, (ann,) = case(database, "ann")
    with pytest.raises(NotFound), database.unit() as unit:
        Texts(unit).append(incident, "note", b"\x00\x00", ann)


def test_nul_is_kept_out_of_the_database(database: Database) -> None:
    """A pasted NUL stays in the document and is shown as the replacement character."""
    incident, (ann,) = case(database, "ann")
    with database.unit() as unit:
        Texts(unit).ensure(incident, "note", "")
    browser = Browser(database, incident, ann)
    browser.send(browser.type(0, "a\x00b"))
    with database.unit() as unit:
        assert Texts(unit).read(incident, "note") == "a�b"
