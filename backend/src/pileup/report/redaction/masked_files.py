"""Mask the passwords of a file: as many asterisks as they have bytes, so no line or column moves.

Files are read in blocks of bounded size, as the text that they are; what is no text is read so too
(an unknown byte stays what it is). What a block may hold of an unfinished password is read again
with the next one: masking twice is masking once.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from typing import BinaryIO

from pileup.report.redaction.passwords import KIND, password_spans
from pileup.report.redaction.redactor import Redactor

_READ = 1 << 20
_TAIL = 1 << 14
"""Characters that are read again with the next block: longer than a password and its mark."""
_MOST = 1 << 22
"""Characters of a line that is not divided."""


def learn_passwords(source: BinaryIO, encoding: str, redactor: Redactor) -> int:
    """Add the passwords of a file to the table of known values; return how often one occurs."""
    count = 0
    for text in _blocks(source, encoding, lambda text: text):
        for span in password_spans(text):
            redactor.known.add(KIND, (span.value,))
            count += 1
    return count


def masked_blocks(source: BinaryIO, encoding: str, redactor: Redactor) -> Iterator[bytes]:
    """Yield the bytes of a file with its passwords, and those known from others, masked."""

    def mask(text: str) -> str:
        return redactor.text(text, raw=True, encoding=encoding)

    for text in _blocks(source, encoding, mask):
        yield text.encode(encoding, _errors(encoding))


def passwords_left(source: BinaryIO, encoding: str, redactor: Redactor) -> int:
    """Count the passwords in a masked file: none, unless masking is defective."""
    blocks = _blocks(source, encoding, lambda text: text)
    return sum(1 for text in blocks for _ in redactor.leaks(text))


def _errors(encoding: str) -> str:
    return "surrogateescape" if encoding == "utf-8" else "surrogatepass"


def _blocks(source: BinaryIO, encoding: str, change: Callable[[str], str]) -> Iterator[str]:
    """Yield the file in blocks of whole lines, each changed together with the next one's begin."""
    decoder = codecs.getincrementaldecoder(encoding)(_errors(encoding))
    held = ""
    while chunk := source.read(_READ):
        held = change(held + decoder.decode(chunk))
        cut = held.rfind("\n", 0, max(len(held) - _TAIL, 0)) + 1
        if not cut and len(held) > _MOST:
            cut = len(held) - _TAIL
        if cut:
            yield held[:cut]
            held = held[cut:]
    yield change(held + decoder.decode(b"", final=True))
