"""Split rows of CSV into their cells: quoted as the grammar says, or by hand.

Note:   a quote inside a cell is doubled, or Workbench escapes it. People and small scripts put
        quotes around a statement and leave those inside as they are: there a quote ends a cell
        only in front of what can begin the next one.
"""

from __future__ import annotations

import re
from functools import lru_cache


def split_row(line: str, comma: str, quote: str, columns: int) -> list[str] | None:
    """Split a row of so many columns; None when it ends inside quotes."""
    cells = split_quoted(line, comma, quote)
    if line.count(quote) <= _LEAST_AWKWARD or (
        cells is not None and len(cells) == columns and _is_proper(line, comma, quote)
    ):
        return cells
    by_hand = _split_by_hand(line, comma, quote)
    return by_hand if by_hand is not None and len(by_hand) == columns else cells


def split_cut(line: str, comma: str, quote: str) -> list[str]:
    """Split a row that ends inside quotes, as far as it goes."""
    return _split_by_hand(line + quote, comma, quote) or []


_LEAST_AWKWARD = 2
"""Quotes of one cell: none is inside it."""


def _is_proper(line: str, comma: str, quote: str) -> bool:
    """Return whether each cell is in quotes or has none."""
    plain = line.replace("\\" + quote, "").replace(2 * quote, "")
    return _proper(comma, quote).fullmatch(plain) is not None


@lru_cache(maxsize=8)
def _proper(comma: str, quote: str) -> re.Pattern[str]:
    cell = rf"(?:\s*+{quote}[^{quote}]*+{quote}\s*+|[^{quote}{comma}]*+)"
    return re.compile(rf"{cell}(?:{comma}{cell})*+")


@lru_cache(maxsize=8)
def _end(comma: str, quote: str) -> re.Pattern[str]:
    return re.compile(rf"{quote}\s*(?:$|{comma}\s*(?={quote}|-?\d|NULL\b|{comma}|$))")


def _split_by_hand(line: str, comma: str, quote: str) -> list[str] | None:
    """Split cells whose quotes inside are neither doubled nor escaped; None without an end."""
    cells: list[str] = []
    at = 0
    while True:
        while at < len(line) and line[at] == " ":
            at += 1
        if line.startswith(quote, at):
            end = _end(comma, quote).search(line, at + 1)
            if end is None:
                return None
            cells.append(line[at + 1 : end.start()].replace("\\" + quote, quote))
            at = end.end()
            if comma not in end[0]:
                return cells
            continue
        stop = line.find(comma, at)
        cells.append(line[at : stop if stop >= 0 else len(line)].rstrip())
        if stop < 0:
            return cells
        at = stop + 1


def split_quoted(line: str, comma: str, quote: str = '"') -> list[str] | None:
    """Split a row of CSV; None when it ends inside quotes."""
    if quote not in line:
        return [cell.lstrip(" ").rstrip() for cell in line.split(comma)]
    cells: list[str] = []
    at = 0
    while True:
        while at < len(line) and line[at] == " ":
            at += 1
        parts: list[str] = []
        inside = line.startswith(quote, at)
        at += inside
        while inside:
            end = line.find(quote, at)
            if end < 0:
                return None
            if line.startswith(quote, end + 1):
                parts.append(line[at : end + 1])
                at = end + 2
            elif quote == "'" and line[end - 1 : end] == "\\":  # Workbench escapes so
                parts.append(line[at : end - 1] + quote)
                at = end + 1
            else:
                parts.append(line[at:end])
                at, inside = end + 1, False
        end = line.find(comma, at)
        parts.append(line[at : end if end >= 0 else len(line)].rstrip())
        cells.append("".join(parts))
        if end < 0:
            return cells
        at = end + 1


__all__ = ["split_cut", "split_quoted", "split_row"]
