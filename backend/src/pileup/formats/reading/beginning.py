"""Read the beginning of a text that is parsed as a whole, and count the lines of the rest."""

from __future__ import annotations

from collections.abc import Iterable


def read_beginning(lines: Iterable[str], most: int) -> tuple[list[str], int]:
    """Return the first lines of a text, up to the one that reaches ``most`` characters.

    The second value is the number of all its lines, those that were left out among them.
    """
    held: list[str] = []
    size = count = 0
    for line in lines:
        count += 1
        if size < most:
            held.append(line)
            size += len(line) + 1
    return held, count


__all__ = ["read_beginning"]
