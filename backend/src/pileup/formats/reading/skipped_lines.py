"""Collect the ranges of lines that were not understood, and count their bytes.

A parser names ranges roughly in file order; they may overlap or adjoin. The last ones are kept and
joined; earlier ones are counted and dropped, so that millions of them cost no memory.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass

from pileup.formats.reading.text import LineReader
from pileup.records import Skipped

LISTED = 5000
"""Ranges listed in the receipt; all are counted."""
_OPEN = 2000


@dataclass(slots=True, order=True)
class _Range:
    first: int
    last: int
    why: str
    start: int
    end: int
    """Bytes, half open."""


class Skips:
    """Collects skipped ranges while a reader goes through its artifact."""

    def __init__(self, reader: LineReader) -> None:
        self._reader = reader
        self._open: list[_Range] = []
        self._listed: list[Skipped] = []
        self._bytes = 0
        self._counted = self._end = 0
        """Lines and bytes up to here were counted."""

    def add(self, skipped: Skipped) -> None:
        """Add a range; lines added before are not counted again."""
        last = self._open[-1] if self._open else None
        if last and last.first <= skipped.line_first <= last.last + 1 and last.why == skipped.why:
            if skipped.line_last > last.last:
                last.last = skipped.line_last
                last.end = self._reader.line_offset(skipped.line_last + 1)
            return
        insort(
            self._open,
            _Range(
                skipped.line_first,
                skipped.line_last,
                skipped.why,
                self._reader.line_offset(skipped.line_first),
                self._reader.line_offset(skipped.line_last + 1),
            ),
        )
        if len(self._open) > _OPEN:
            self._close(_OPEN // 2)

    def all(self) -> tuple[list[Skipped], int]:
        """Return the ranges in order, without overlaps, and the bytes of all of them."""
        self._close(len(self._open))
        return self._listed, self._bytes

    def _close(self, count: int) -> None:
        """Count and list the first ``count`` ranges, each line once."""
        closing, self._open = self._open[:count], self._open[count:]
        for item in closing:
            first = max(item.first, self._counted + 1)
            if item.last < first:
                continue
            start = item.start if first == item.first else self._end
            self._bytes += item.end - start
            self._counted, self._end = item.last, item.end
            before = self._listed[-1] if self._listed else None
            if before and first == before.line_last + 1 and item.why == before.why:
                self._listed[-1] = Skipped(before.line_first, item.last, before.why)
            elif len(self._listed) < LISTED:
                self._listed.append(Skipped(first, item.last, item.why))
