"""Join the lines of scattered records to ranges, for locators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pileup.analysis.contract.base import MOST_RANGES, LineRange
from pileup.analysis.evidence.spans import joined


def line_ranges(parts: Iterable[Sequence[int]]) -> list[LineRange]:
    """Join ranges of lines that touch or overlap, in order; return the first ``MOST_RANGES``.

    parts: (first, last) line of each record, in any order. Returns an empty list for one range:
    the locator's first and last line say the same.
    """
    ranges = joined(((first, last) for first, last in parts), over=1)
    if len(ranges) < 2:
        return []
    return [LineRange(first=first, last=last) for first, last in ranges[:MOST_RANGES]]
