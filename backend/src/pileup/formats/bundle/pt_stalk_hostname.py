"""The -hostname file of a pt-stalk bundle: one word.

Source: ``hostname`` in collect(), pt-stalk.
Yields: the Setting ``hostname`` (source pt-stalk).
Note:   one word is too little to claim a file: sniff returns None, and the file's name decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.records import Item, Setting, Skipped

NAME = "pt-stalk-hostname"
TITLE = "pt-stalk host name"
GIVES = "The host name. Recognised by the file's name, because one word is too little."
PRINTED_BY = "pt-stalk"
VERSION = 1
HINTS = ("-hostname",)

_HOST = re.compile(r"[A-Za-z0-9](?:[\w-]{0,62})(?:\.[\w-]{1,63})*\.?$")


def sniff(head: str) -> bool | None:
    """Return None for a single word that may be a host name, False for any other text."""
    words = head.split(None, 1)
    return None if len(words) == 1 and _HOST.match(words[0]) else False


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the first host name as a Setting and skip every other line.

    Raises FormatError for a file without a host name.
    """
    has_host = False
    for number, line in enumerate(lines, start=1):
        word = line.strip()
        if not word:
            continue
        if not has_host and _HOST.match(word):
            has_host = True
            yield Setting(
                line_first=number,
                line_last=number,
                name="hostname",
                value=word,
                source="pt-stalk",
                section="pt-stalk",
            )
        else:
            yield Skipped(number, number, "not a host name")
    if not has_host:
        raise FormatError("No host name was found: the file should hold one word.")
