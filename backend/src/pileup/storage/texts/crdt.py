"""Yjs documents with one text: read, apply a browser's update, edit from the server.

Updates are in Yjs' update format, version 1, as browsers send it. Bytes from a browser are
untrusted: ``take_in`` returns only what the document really accepted, and refuses damaged updates,
references to text that the document does not have, and anything but plain text.
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
    """Return the state of a new document with this text."""
    document = _document()
    document.get(ROOT, type=Text).insert(0, text)
    return document.get_update()


def opened(state: bytes, updates: list[bytes]) -> Doc[Text]:
    """Return the document after these updates."""
    document = _document()
    document.get(ROOT, type=Text)
    document.apply_update(state)
    for update in updates:
        document.apply_update(update)
    return document


def read_text(document: Doc[Text]) -> str:
    """Return the text of the document."""
    return str(document.get(ROOT, type=Text))


def take_in(document: Doc[Text], update: bytes) -> bytes | None:
    """Apply a browser's update; return the change, or None when nothing was new.

    Raises ``Refused`` or ``TooLarge``; the document must then be discarded.
    """
    observed: list[bytes] = []

    def remember(event: TransactionEvent) -> None:
        observed.append(event.update)

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
    if missing[:1] != b"\x00":  # as many clients as have updates pending
        raise Refused(
            "The update builds on text that this text does not have; fetch its state and send "
            "the update again.",
            "update",
        )
    if set(document.keys()) != {ROOT} or not _is_plain(document):
        raise Refused("The update holds something else than plain text.", "update")
    _check_size(document)
    changed = [chunk for chunk in observed if chunk != _NOTHING]
    return changed[0] if changed else None


def rewrite(document: Doc[Text], text: str) -> bytes | None:
    """Change the document to ``text``, editing only the differences, so that others' edits stay."""
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
    if len(read_text(document)) > MAX_TEXT:
        raise TooLarge(f"A text has at most {MAX_TEXT} characters; split it.")
    if len(document.get_update()) > MAX_STATE:
        raise TooLarge("This text was edited so much that it takes no more; begin a new one.")


def _common(a: bytes, b: bytes) -> int:
    """Count the leading bytes that both have in common."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[:middle] == b[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _inside(data: bytes, at: int) -> bool:
    """Return whether this position is within a UTF-8 character."""
    return at < len(data) and data[at] & 0xC0 == 0x80
