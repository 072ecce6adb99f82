"""Split a line of names and values: ``Uptime: 4661  Threads: 3  Slow queries: 16``.

Two blanks or a tab separate the pairs; the names are the columns of a row. A line of prose has a
colon too: only a line that consists of at least three pairs is a row.
"""

from __future__ import annotations

import re

_PAIR = r"(?P<name>[A-Z][a-z]+(?: [a-z]+){0,3}): +(?P<value>\S+)"
_EACH = re.compile(_PAIR)
_LINE = re.compile(
    rf"\s*{_PAIR}(?:(?: {{2}}|\t)\s*[A-Z][a-z]+(?: [a-z]+){{0,3}}: +\S+){{2,}}"
    r"(?:\s+[A-Z][a-z ]{0,40}:?)?\s*$"  # the last pair may be cut
)
_LONGEST = 500


def columns(text: str) -> tuple[str, ...] | None:
    """Return the names of a line of pairs; None for another line."""
    if len(text) > _LONGEST or text.count(": ") < _LEAST or not _LINE.match(text):
        return None
    return tuple(match["name"] for match in _EACH.finditer(text))


def cells(text: str, names: tuple[str, ...]) -> list[str] | None:
    """Return the values of a line of pairs with these names; None for another line."""
    pairs = _EACH.findall(text) if len(text) <= _LONGEST else []
    return [value for _, value in pairs] if tuple(name for name, _ in pairs) == names else None


_LEAST = 3

__all__ = ["cells", "columns"]
