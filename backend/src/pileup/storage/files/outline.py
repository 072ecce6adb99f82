"""The sections of an artifact, as many as a list can hold: a file may have a hundred thousand."""

from __future__ import annotations

from typing import Any

MOST_KEPT = 20_000
"""Sections that are kept of an artifact, some 100 bytes each."""
MOST_TOLD = 3_000
"""Sections that are sent at once."""


def fitted(sections: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """At most so many, over the whole file: the deepest levels go first, then every other one.

    Never the end alone: whoever stands there would be told to be in the last section of the list.
    """
    while len(sections) > most:
        deepest = max(section["level"] for section in sections)
        above = [section for section in sections if section["level"] < deepest]
        sections = above or sections[:: -(-len(sections) // most)]
    return sections


def inside(sections: list[dict[str, Any]], first: int, last: int) -> list[dict[str, Any]]:
    """Those that begin in a range of lines, at most as many as are sent at once."""
    return fitted(
        [section for section in sections if first <= section["line_first"] <= last], MOST_TOLD
    )


__all__ = ["MOST_KEPT", "MOST_TOLD", "fitted", "inside"]
