"""Spans of a text to replace: found independently, merged, and replaced in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

PASSWORD_TOKEN = "password-removed"  # noqa: S105  (what replaces one)
IS_TOKEN = re.compile(rf"{PASSWORD_TOKEN}|(?:literal|host|user|address)-[0-9a-f]{{6}}")
"""What a value was replaced by."""
PUBLIC_HOSTS = frozenset({"localhost", "%", "", "-", "::1", "127.0.0.1", "0.0.0.0"})  # noqa: S104  (not bound)
"""Hosts and addresses that identify nothing."""


class Span(NamedTuple):
    """A part of a text that holds a value; ``before`` and ``after`` stay around its token."""

    start: int
    end: int
    kind: str
    value: str
    before: str = ""
    after: str = ""


def merged(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans in order without overlaps: the first one that covers a place wins.

    Of spans that begin at one place the earlier of ``spans`` wins. What overlaps at the end is
    swallowed, so that no part of a value stays.
    """
    last: Span | None = None
    for span in sorted(spans, key=lambda span: span.start):
        if last is None or span.start >= last.end:
            if last is not None:
                yield last
            last = span
        elif span.end > last.end:
            last = last._replace(end=span.end)
    if last is not None:
        yield last
