"""Documents of live texts: what strangers send, and edits of the server."""

from __future__ import annotations

import random

import pytest
from pycrdt import Doc, Map, Text

from pileup.storage.errors import Refused, TooLarge
from pileup.storage.texts import crdt
from tests.support.rounds import Rounds


def typed(state: bytes, at: int, text: str) -> bytes:
    """What a browser sends that has the state and types something."""
    document = crdt.opened(state, [])
    before = document.get_state()
    document.get("text", type=Text).insert(at, text)
    return document.get_update(before)


def test_two_at_once_lose_no_character() -> None:
    """Both type at the same place in what both have: both words stay, in one order for all."""
    state = crdt.seeded("ab")
    first, second = typed(state, 1, "one"), typed(state, 1, "two")
    document, other = crdt.opened(state, []), crdt.opened(state, [])
    for update in (first, second):
        assert crdt.take_in(document, update)
    for update in (second, first):
        assert crdt.take_in(other, update)
    assert crdt.read_text(document) == crdt.read_text(other)
    assert sorted(crdt.read_text(document)) == sorted("abonetwo")


def test_sent_again_changes_nothing() -> None:
    """An answer that got lost is no harm."""
    state = crdt.seeded("ab")
    update = typed(state, 2, "c")
    document = crdt.opened(state, [])
    assert crdt.take_in(document, update) is not None
    assert crdt.take_in(document, update) is None


def test_an_update_from_elsewhere_is_refused() -> None:
    """It builds on letters that this document never had."""
    with pytest.raises(Refused, match="does not have"):
        crdt.take_in(crdt.opened(crdt.seeded("ab"), []), typed(crdt.seeded("other"), 3, "x"))


def test_only_plain_text_is_taken_in() -> None:
    """No other roots, nothing embedded."""
    stranger: Doc[Map[int]] = Doc()
    stranger.get("other", type=Map)["a"] = 1
    with pytest.raises(Refused, match="plain text"):
        crdt.take_in(crdt.opened(crdt.seeded(""), []), stranger.get_update())
    state = crdt.seeded("ab")
    document = crdt.opened(state, [])
    before = document.get_state()
    document.get("text", type=Text).insert_embed(1, {"image": "x"})
    with pytest.raises(Refused, match="plain text"):
        crdt.take_in(crdt.opened(state, []), document.get_update(before))


def test_a_text_has_an_end() -> None:
    state = crdt.seeded("")
    with pytest.raises(TooLarge):
        crdt.take_in(crdt.opened(state, []), typed(state, 0, "x" * (crdt.MAX_TEXT + 1)))


def test_damaged_updates_are_refused(rounds: Rounds) -> None:
    """Random damage gives a refusal or a text, never another error; the state stays readable."""
    dice = random.Random(1)
    state = crdt.seeded("The stall began at 22:19.\n")
    good = typed(state, 4, "long 😀 ")
    for _ in range(300 * rounds.count):
        damaged = bytearray(good)
        for _ in range(dice.randint(1, 4)):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        document = crdt.opened(state, [])
        try:
            changed = crdt.take_in(document, bytes(damaged[: dice.randint(1, len(damaged))]))
        except (Refused, TooLarge):
            continue
        if changed is not None:
            assert crdt.read_text(crdt.opened(state, [changed])) == crdt.read_text(document)
    for rubbish in (b"", b"\xff" * 40, b"hello", good[:-2]):
        with pytest.raises(Refused, match="damaged"):
            crdt.take_in(crdt.opened(state, []), rubbish)


@pytest.mark.parametrize(
    ("old", "new"),
    [("", "a"), ("a", ""), ("aé😀b", "aè😀b"), ("aé", "a😀é"), ("xaax", "xax"), ("same", "same")],
)
def test_rewrite_says_the_new_text(old: str, new: str) -> None:
    """Through any characters, and an equal text is no change."""
    state = crdt.seeded(old)
    document = crdt.opened(state, [])
    changed = crdt.rewrite(document, new)
    assert crdt.read_text(document) == new
    assert (changed is None) == (old == new)
    if changed is not None:
        assert crdt.read_text(crdt.opened(state, [changed])) == new


def test_rewrite_leaves_what_others_type() -> None:
    """A script changes the end while somebody types at the beginning."""
    state = crdt.seeded("first line\nlast line\n")
    update = typed(state, 0, "typed ")
    document = crdt.opened(state, [])
    crdt.rewrite(document, "first line\nlast words\n")
    crdt.take_in(document, update)
    assert crdt.read_text(document) == "typed first line\nlast words\n"
