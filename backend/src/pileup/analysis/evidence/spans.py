"""Join spans of time or of lines that overlap, or that are close to each other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T", int, float)


def joined(spans: Iterable[tuple[T, T]], over: T) -> list[tuple[T, T]]:
    """Join (first, last) of each span over gaps of at most this length; return them in order."""
    found: list[tuple[T, T]] = []
    for first, last in sorted(spans):
        if found and first - found[-1][1] <= over:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found
