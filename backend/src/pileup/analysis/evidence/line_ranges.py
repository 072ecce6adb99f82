"""Join the lines of scattered records to ranges, for locators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pileup.analysis.contract.base import MOST_RANGES, LineRange


def line_ranges(parts: Iterable[Sequence[int]]) -> list[LineRange]:
    """Join ranges of lines that touch or overlap, in order; return the first ``MOST_RANGES``.

    parts: (first, last) line of each record, in any order. Returns an empty list for one range:
    the locator's first and last line say the same.
    """
    joined: list[tuple[int, int]] = []
    for first, last in sorted((first, last) for first, last in parts):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    if len(joined) < 2:
        return []
    return [LineRange(first=first, last=last) for first, last in joined[:MOST_RANGES]]
