"""Find columns by what is above what: names of any words over cells to their left or right.

Source: top-like tools and reports, whose names and cells have single blanks between and in them:
              OBJS ACTIVE  USE OBJ SIZE  SLABS NAME
            842205 743124  88%    0.10K  21595 buffer_head
Note:   words that overlap or touch are of one column, and so are the words between them. A line of
        which fewer than a third are numbers shows no columns; dashes below the names show all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Place(NamedTuple):
    """A column: from, to, in characters."""

    start: int
    end: int
    is_number: bool = False
    """The cell of the first row is a number."""


_WORD = re.compile(r"\S+")
_NUMBER = re.compile(r"[-+]?\d[\d.,:]*(?:%|[A-Za-z]{1,3}(?:/s)?)?$")
_TWO_WORDS = re.compile(r"\b(?:OBJ|CACHE) SIZE\b")
"""Names of two words in slabtop: its counts have no room, so what is above them says little."""
_NUMBERS_OF = 3
"""One word in so many must be a number."""
_LEAST_NUMBERS = 2


def shared(head: str, row: str) -> list[Place]:
    """Return the columns that a header and the row below it share; none where it is no row."""
    cells = [match.span() for match in _WORD.finditer(row)]
    numbers = sum(_NUMBER.match(row, *span) is not None for span in cells)
    if numbers < max(_LEAST_NUMBERS, len(cells) / _NUMBERS_OF):
        return []
    joined = _TWO_WORDS.sub(lambda match: match[0].replace(" ", "_"), head)
    names = [match.span() for match in _WORD.finditer(joined) if match[0] != "#"]
    # a narrow column may lie below two names, and long numbers push the others to the right
    if len(names) == len(cells) and (len(cells) == numbers or joined != head):
        are_numbers = [_NUMBER.match(row, *span) is not None for span in cells]
        return [Place(*span, is_number) for span, is_number in zip(names, are_numbers, strict=True)]
    places = list(_columns(names, cells))
    if not all(has_name and has_cell for *_, has_name, has_cell in places):
        return []
    return [
        Place(start, end, _NUMBER.match(row[start:end].strip()) is not None)
        for start, end, *_ in places
    ]


def ruled(rule: str) -> list[Place]:
    """Return the columns of dashes below a header."""
    return [Place(*match.span()) for match in re.finditer(r"[-=]{2,}", rule)]


def names(head: str, places: Sequence[Place]) -> list[str]:
    """Return the name of each column; fewer where a column has none."""
    found = _split(head, places) if places else None
    return [name for name in found or () if name]


def cells(text: str, places: Sequence[Place]) -> list[str] | None:
    """Split a row; None where fewer than half of the columns of numbers have one."""
    words = text.split()
    found = words if len(words) == len(places) else _split(text, places)
    numbers = [cell for cell, place in zip(found, places, strict=True) if place.is_number]
    fits = sum(not cell or _NUMBER.match(cell) is not None for cell in numbers)
    filled = sum(map(bool, found))
    return found if 2 * fits >= len(numbers) and 2 * filled >= len(found) else None


def _columns(
    names: Sequence[tuple[int, int]], cells: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int, bool, bool]]:
    """Yield the ranges of words that overlap, and whether they have names and cells.

    Words of a row behind the last name are of its column.
    """
    last = names[-1][0] if names else 0
    spans = sorted([(*span, False) for span in names] + [(*span, True) for span in cells])
    start = end = -1
    kinds: set[bool] = set()
    for begin, stop, is_cell in spans:
        if start >= 0 and begin > end and not (is_cell and end > last and False in kinds):
            yield start, end, False in kinds, True in kinds
            start, kinds = begin, set()
        start = begin if start < 0 else start
        end = max(end, stop)
        kinds.add(is_cell)
    if kinds:
        yield start, end, False in kinds, True in kinds


def _split(text: str, places: Sequence[Place]) -> list[str]:
    """Give each word to the column that it overlaps most, or that is nearest."""
    found: list[list[str]] = [[] for _ in places]
    at = 0
    for word in _WORD.finditer(text):
        while at + 1 < len(places) and _distance(places[at + 1], word) < _distance(
            places[at], word
        ):
            at += 1
        found[at].append(word[0])
    return [" ".join(words) for words in found]


def _distance(place: Place, word: re.Match[str]) -> int:
    """Return how far a word is from a column; below 0 by how much they overlap."""
    return max(place.start, word.start()) - min(place.end, word.end())


__all__ = ["Place", "cells", "names", "ruled", "shared"]
