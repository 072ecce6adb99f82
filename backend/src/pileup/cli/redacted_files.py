"""Redact files before they are sent: each is read in blocks, and its copy never holds the original.

All files are read first, for the table of known values: what one file names (a user, a host, a
literal) is replaced in every other. Archives and binary files cannot be redacted and are refused.
Tokens are made with a key of this run, which is not kept.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from pileup.formats.driver import parse_path
from pileup.report.redaction.known_records import learn_frames
from pileup.report.redaction.redactor import Redactor
from pileup.report.redaction.statements import NEXT_ENTRY, Statements

_READ = 1 << 18
_MOST_BLOCK = 1 << 22
"""Characters of a block without a place to divide it."""
_HEAD = 1 << 16
_MARKS = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_PACKED = re.compile(
    rb"\x1f\x8b|PK\x03\x04|BZh|\xfd7zXZ|\x28\xb5\x2f\xfd|7z\xbc\xaf|Rar!|.{257}ustar", re.DOTALL
)


def learn_file(redactor: Redactor, path: Path) -> None:
    """Add the values of a file to the table of known values; raises a sentence for the terminal."""
    encoding = _encoding(path)
    learn_frames(redactor, parse_path(path).frames)
    for text, inside in _blocks(path, encoding):
        redactor.learn(text, raw=True, inside=inside)


def write_redacted(redactor: Redactor, path: Path, to: Path) -> Counter[str]:
    """Write the redacted copy of a file; return how many values of which kind it replaced.

    Raises a sentence for the terminal when a known value is left.
    """
    before = Counter({(row.kind, row.value): row.occurrences for row in redactor.replaced()})
    encoding = _encoding(path)
    left: Counter[str] = Counter()
    with to.open("w", encoding=encoding, errors="surrogateescape", newline="") as copy:
        for text, inside in _blocks(path, encoding):
            done = redactor.text(text, raw=True, inside=inside)
            left.update(span.kind for span in redactor.leaks(done))
            copy.write(done)
    if left:
        named = ", ".join(f"{count} of {kind}" for kind, count in left.items())
        raise click.ClickException(f"{path} was not sent: redaction left values in it ({named}).")
    after = Counter({(row.kind, row.value): row.occurrences for row in redactor.replaced()})
    counts: Counter[str] = Counter()
    for (kind, _), count in (after - before).items():
        counts[kind] += count
    return counts


def _encoding(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if _PACKED.match(head):
        raise click.ClickException(
            f"{path} is packed and cannot be redacted: unpack it and push the folder. Nothing was "
            "sent."
        )
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    if b"\x00" in head:
        raise click.ClickException(
            f"{path} is no text and cannot be redacted: leave it out. Nothing was sent."
        )
    return "utf-8"


def _blocks(path: Path, encoding: str) -> Iterator[tuple[str, bool]]:
    """Yield the file in blocks that end between entries, and whether a block begins in a statement.

    A statement that no entry ends is divided at a line, or anywhere when there is none.
    """
    held, inside = "", False
    with path.open(encoding=encoding, errors="surrogateescape", newline="") as file:
        while piece := file.read(_READ):
            held += piece
            ends = [match.end() for match in NEXT_ENTRY.finditer(held)]
            if ends:
                yield held[: ends[-1]], inside
                held, inside = held[ends[-1] :], False
            elif len(held) > _MOST_BLOCK:
                end = held.rfind("\n") + 1 or len(held)
                yield held[:end], inside
                inside = Statements(held[:end], raw=True, inside=inside).is_open
                held = held[end:]
    if held:
        yield held, inside
