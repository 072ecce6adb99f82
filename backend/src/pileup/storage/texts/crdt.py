"""Yjs documents with one text in them: read, take in a stranger's update, edit from the server.

Updates are in Yjs' update format, version 1, as browsers send it. What comes from a browser is a
stranger's bytes: ``take_in`` gives back only what the document really took in, and refuses what is
damaged, what refers to text that the document does not have, and what is not plain text.
"""

from __future__ import annotations

import secrets

from pycrdt import Doc, Text, TransactionEvent, get_update

from pileup.storage.errors import Refused, TooLarge

ROOT = "text"
MAX_TEXT = 200_000
MAX_STATE = 4_000_000
"""Deleted characters leave a trace: a document of this size is worn out."""

_NOTHING = b"\x00\x00"


def seeded(text: str) -> bytes:
    """The state of a new document that holds this text."""
    document = _document()
    document.get(ROOT, type=Text).insert(0, text)
    return document.get_update()


def opened(state: bytes, updates: list[bytes]) -> Doc[Text]:
    """The document after these updates."""
    document = _document()
    document.get(ROOT, type=Text)
    document.apply_update(state)
    for update in updates:
        document.apply_update(update)
    return document


def text_of(document: Doc[Text]) -> str:
    """What it says."""
    return str(document.get(ROOT, type=Text))


def take_in(document: Doc[Text], update: bytes) -> bytes | None:
    """Apply a browser's update; what it changed, or None when it was all known already.

    Raises ``Refused`` or ``TooLarge``; the document is then of no more use.
    """
    told: list[bytes] = []

    def remember(event: TransactionEvent) -> None:
        told.append(event.update)

    subscription = document.observe(remember)
    try:
        document.apply_update(update)
        missing = get_update(update, document.get_state())
    except ValueError as error:
        raise Refused(f"The update is damaged: {error}.", "update") from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of the Rust library, over odd bytes
            raise
        raise Refused("The update is damaged.", "update") from None
    finally:
        document.unobserve(subscription)
    if missing[:1] != b"\x00":  # as many clients as still have something to say
        raise Refused(
            "The update builds on text that this text does not have; fetch its state and send "
            "the update again.",
            "update",
        )
    if set(document.keys()) != {ROOT} or not _is_plain(document):
        raise Refused("The update holds something else than plain text.", "update")
    _check_size(document)
    changed = [chunk for chunk in told if chunk != _NOTHING]
    return changed[0] if changed else None


def rewrite(document: Doc[Text], text: str) -> bytes | None:
    """Make it say ``text`` by changing what differs only, so that others' edits stay in place."""
    content = document.get(ROOT, type=Text)
    old, new = str(content).encode(), text.encode()
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    while start and _inside(old, start):
        start -= 1
    while end and _inside(old, len(old) - end):
        end -= 1
    if old == new:
        return None
    before = document.get_state()
    with document.transaction():
        if len(old) - end > start:
            del content[start : len(old) - end]
        added = new[start : len(new) - end].decode()
        if added:
            content.insert(start, added)
    _check_size(document)
    return document.get_update(before)


def _document() -> Doc[Text]:
    # Browsers hold client ids in 32 bits.
    return Doc(client_id=secrets.randbits(32))


def _is_plain(document: Doc[Text]) -> bool:
    return all(isinstance(part, str) for part, _ in document.get(ROOT, type=Text).diff())


def _check_size(document: Doc[Text]) -> None:
    if len(text_of(document)) > MAX_TEXT:
        raise TooLarge(f"A text has at most {MAX_TEXT} characters; split it.")
    if len(document.get_update()) > MAX_STATE:
        raise TooLarge("This text was edited so much that it takes no more; begin a new one.")


def _common(a: bytes, b: bytes) -> int:
    """How many bytes both begin with."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[:middle] == b[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _inside(data: bytes, at: int) -> bool:
    """Whether this position is within a character of UTF-8."""
    return at < len(data) and data[at] & 0xC0 == 0x80
