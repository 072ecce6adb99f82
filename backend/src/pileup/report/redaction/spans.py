"""Spans of a text to replace: found independently, merged, and replaced in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple


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
