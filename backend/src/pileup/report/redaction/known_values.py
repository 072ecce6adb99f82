"""The table of known values: what artifacts hold as literals, hosts, users and passwords.

A value of the table is replaced wherever it occurs as a whole word: in people's words, captions,
figures. Values that would also be ordinary words of a report are not in it (``is_telling``).
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice

from pileup.report.redaction.escapes import through_escapes
from pileup.report.redaction.spans import IS_TOKEN, PUBLIC_HOSTS, Span

MOST = 100_000
"""Values of one table."""
_LONGEST = 400
_FEW = 50
"""Values that are looked for one by one, which is faster than to look at each word."""
_WORD = re.compile(r"\w+")
_BASE64 = re.compile(
    r"(?<![\w+/=-])(?:[A-Za-f][\w+/-]{3}){1,4000}[A-Za-f][\w+/-]{1,3}={0,2}(?![\w+/=-])",
    re.ASCII,
)
"""Of ASCII letters: their first bit is 0, so each group of four begins with one of few letters."""
_NAMES = frozenset({"hosts", "users"})
_PUBLIC = PUBLIC_HOSTS | {"localhost.localdomain"}
_TIME = re.compile(r"[\d:.TZ /+-]*\d[:/-]\d[\d:.TZ /+-]*")
_DIGIT = re.compile(r"\d")
_LEAST_IN_NAMES = 4
"""Letters of the name of a host that is looked for within other names."""
_CONSTANT = re.compile(r"[A-Z][A-Z_,-]*|utf8\w*|latin1\w*|[\d.]+[KMGkmg]?")
_REPORT_WORDS = frozenset(
    """
    root admin administrator user users test mysql mariadb percona postgres system event_scheduler
    monitor monitoring backup replica replication slave master app api web worker workers job jobs
    db data server client host localhost unknown none null service agent cron queue main prod
    production staging primary secondary thread threads lock locks latch table innodb binlog
    """.split()  # noqa: SIM905
)
"""Names that are also report words: replaced only where the context marks them as a name."""


class KnownValues:
    """Values by kind; finds them in texts in time linear in the text."""

    def __init__(self, values: Mapping[str, Iterable[str]] | None = None) -> None:
        self._kinds: dict[str, str] = {}
        self._lengths: dict[str, set[int]] = {}
        """First word of a value -> lengths of the values that begin so."""
        for kind, found in (values or {}).items():
            self.add(kind, found)

    def copy(self) -> KnownValues:
        """Return a table with the same values, for one use that adds its own."""
        made = KnownValues()
        made._kinds = dict(self._kinds)
        made._lengths = {word: set(lengths) for word, lengths in self._lengths.items()}
        return made

    def items(self) -> Iterable[tuple[str, str]]:
        """Return the kind of each value, and the value."""
        return ((kind, value) for value, kind in self._kinds.items())

    def __len__(self) -> int:
        return len(self._kinds)

    def add(self, kind: str, values: Iterable[str]) -> None:
        """Add the telling ones of these values, up to ``MOST`` in all."""
        for value in islice(values, MOST):
            text = _core(value)
            if text in self._kinds or len(self._kinds) >= MOST or not is_telling(kind, text):
                continue
            self._kinds[text] = kind
            first = _WORD.match(text)
            assert first is not None
            self._lengths.setdefault(first[0], set()).add(len(text))

    def find(self, text: str) -> Iterator[Span]:
        """Yield every known value that the text holds as a whole word, also between escapes.

        A word that is base64 of a text with a known value is one, too.
        """
        yield from through_escapes(text, self._find)
        for match in _BASE64.finditer(text) if self._kinds else ():
            span = next(self._find(_of_base64(match[0])), None)
            if span is not None:
                yield span._replace(start=match.start(), end=match.end())

    def _find(self, text: str) -> Iterator[Span]:
        if len(self._kinds) <= _FEW and not any(value in text for value in self._kinds):
            return
        for word in _WORD.finditer(text):
            for start, first in _beginnings(word):
                span = self._longest(text, start, self._lengths.get(first, ()))
                if span is not None:
                    yield span
                    break

    def _longest(self, text: str, start: int, lengths: Collection[int]) -> Span | None:
        for length in sorted(lengths, reverse=True):
            value = text[start : start + length]
            kind = self._kinds.get(value)
            if kind is not None and _is_whole(text, start, start + length, kind):
                return Span(start, start + length, kind, value)
        return None


_MOST_PARTS = 12
"""Parts of a name with underscores in which the name of a host is looked for."""


def _beginnings(word: re.Match[str]) -> Iterator[tuple[int, str]]:
    """Yield where a value may begin in a word, and its first word: files are named after hosts."""
    yield word.start(), word[0]
    parts = word[0].split("_", _MOST_PARTS)
    if len(parts) == 1:
        return
    at = word.start()
    for number, part in enumerate(parts):
        first = ""
        for other in parts[number:]:
            first += other if not first else f"_{other}"
            if first and first != word[0]:
                yield at, first
        at += len(part) + 1


def is_telling(kind: str, value: str) -> bool:
    """Return whether a value identifies something wherever it occurs."""
    if not 3 <= len(value) <= _LONGEST or IS_TOKEN.search(value) or _TIME.fullmatch(value):
        return False
    if kind in _NAMES:
        return value.lower() not in _REPORT_WORDS | _PUBLIC and not value.isdigit()
    if value.isdigit():
        return len(value) >= 7  # shorter numbers also count and time things
    if len(value) < 4 or _CONSTANT.fullmatch(value) or value.lower() in _REPORT_WORDS:
        return False
    plain = value.isalpha() and value.isascii() and (value.islower() or value.istitle())
    return not (plain and value.lower() in _english())


@cache
def _english() -> frozenset[str]:
    """Return common words of English, which a report may hold by themselves."""
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # takes a tenth of a second

    return frozenset(FREQUENCY_LISTS["english_wikipedia"]) | frozenset(
        FREQUENCY_LISTS["us_tv_and_film"]
    )


def _core(value: str) -> str:
    """Return a value from its first word on, as it is written elsewhere."""
    value = value.strip().replace("\\'", "'").replace('\\"', '"').replace("''", "'")
    first = _WORD.search(value)
    return "" if first is None else value[first.start() :].rstrip("%_ ")


def _of_base64(word: str) -> str:
    """Return the text behind a word of base64, also in the alphabet of addresses; else empty."""
    plain = word.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        text = b64decode(plain + "=" * (-len(plain) % 4)).decode("ascii")
    except ValueError:
        return ""
    return text if text.isprintable() else ""


def _is_whole(text: str, start: int, end: int, kind: str) -> bool:
    """Return whether a value at this place is no part of a longer word, or of a name with dashes.

    The name of a host that has a digit may be a part of one, as files are named after hosts.
    """
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if kind == "hosts" and end - start >= _LEAST_IN_NAMES and _DIGIT.search(text, start, end):
        return not before.isalnum() and not after.isalnum()
    if before == "_" or (kind in _NAMES and "-" in (before, after)):
        return False
    return not (after and _is_letter(after) and _is_letter(text[end - 1]))


def _is_letter(letter: str) -> bool:
    return letter.isalnum() or letter == "_"
