"""Limit the section list of an artifact: a file may have a hundred thousand sections."""

from __future__ import annotations

from typing import Any

MOST_KEPT = 20_000
"""Sections stored per artifact, some 100 bytes each."""
MOST_SENT = 3_000
"""Sections in one response."""


def thin_out(sections: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Thin out sections to at most ``most``: drop the deepest levels first, then every other one.

    The end is never cut off: a reader there would see the name of the last section in the list.
    """
    while len(sections) > most:
        deepest = max(section["level"] for section in sections)
        above = [section for section in sections if section["level"] < deepest]
        sections = above or sections[:: -(-len(sections) // most)]
    return sections


def sections_in(sections: list[dict[str, Any]], first: int, last: int) -> list[dict[str, Any]]:
    """Return the sections that begin in a line range, at most as many as one response sends."""
    return thin_out(
        [section for section in sections if first <= section["line_first"] <= last], MOST_SENT
    )


__all__ = ["MOST_KEPT", "MOST_SENT", "sections_in", "thin_out"]
