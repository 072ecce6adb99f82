"""Find the values that servers quote in messages: Duplicate entry 'x' for key 'PRIMARY'.

Quotes nest (an error within an error), so they are read as brackets: one opens before a letter and
closes behind one. The innermost go, except names: the word in front of the quote says what it
names, as in ``table 'orders'``, and paths stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pileup.report.redaction.spans import Span

KIND = "sql"

_QUOTE = re.compile(r"(?<![\w\\])'(?=[^\s'])|(?<=[^\s'])'(?!\w)")
_SCHEMA = re.compile(
    r"\b(?:tables?|database|db|schema|plugin|engine|key|index|columns?|field|variables?|option|"
    r"file|socket|function|procedure|routine|view|event|trigger|path|directory|folder|parameter|"
    r"setting|component|constraint|channel|mutex|latch|tablespace|partition|character set|charset|"
    r"collation|named|datadir|library|semaphore|version|sql_mode)\s*[:=]?\s*$",
    re.IGNORECASE,
)
_NAME_LIKE = re.compile(
    r"\.{0,2}/[^\s']*|[A-Za-z]:\\[^']*|[#\w$.-]+/[#\w$.#-]+|\*|%|"
    r"(?:password|literal|user|host|address)-(?:removed|[0-9a-f]{6})"
)
"""A path, or InnoDB's database/table."""
_ASSIGNED = re.compile(r"^[\s\w.-]*=\s*$|[-\w]=$")
_WORD_BEFORE = 40


def quoted_spans(text: str, regions: Sequence[tuple[int, int]], *, raw: bool) -> Iterator[Span]:
    """Yield the quoted values outside of the regions (of statements).

    In prose, where people quote words, only values with a digit or a sign count.
    """
    at = 0
    for start, end in [*regions, (len(text), len(text))]:
        for line in text[at:start].splitlines(keepends=True):
            if "'" in line:
                yield from _of_line(line, at, raw=raw)
            at += len(line)
        at = end


def _of_line(line: str, offset: int, *, raw: bool) -> Iterator[Span]:
    opened: list[int] = []
    innermost = False
    for match in _QUOTE.finditer(line):
        place = match.start()
        closes = (
            place > 0
            and not line[place - 1].isspace()
            and (
                place + 1 == len(line) or not (line[place + 1].isalnum() or line[place + 1] == "_")
            )
        )
        if opened and closes:
            start = opened.pop()
            if innermost and not _is_name(line, start, place, raw=raw):
                yield Span(offset + start + 1, offset + place, KIND, line[start + 1 : place])
            innermost = False
        elif place + 1 < len(line):
            opened.append(place)
            innermost = True


def _is_name(line: str, start: int, end: int, *, raw: bool) -> bool:
    value = line[start + 1 : end]
    before = line[max(0, start - _WORD_BEFORE) : start]
    if _NAME_LIKE.fullmatch(value) or _SCHEMA.search(before) or len(value) < 2:
        return True
    if raw:
        return _ASSIGNED.search(before) is not None
    return not any(letter.isdigit() or letter == "@" for letter in value) or " " in value
