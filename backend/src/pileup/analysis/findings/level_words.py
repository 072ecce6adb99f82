"""Words of the level of a series before and in the stall."""

from __future__ import annotations

from pileup.analysis.evidence.levels import Level
from pileup.knowledge.series_titles import series_title
from pileup.numerals import number

_SAME = 0.05
"""A smaller change is none."""


def level_name(level: Level) -> str:
    """Name a series in words, to go on with a verb: 'threads running', 'CPU waiting for I/O'."""
    words = series_title(level.series, level.labels or "").words
    first = words.partition(" ")[0]
    return words if first[1:].lower() != first[1:] else f"{words[:1].lower()}{words[1:]}"


def change(level: Level) -> str:
    """Describe the change of a series: 'SELECT statements fell from 400 to 12'."""
    before, inside = level.before, level.inside
    name = level_name(level)
    if level.since_start:
        return f"{name}: {number(inside or 0)} per second on average since the server started"
    peak = "" if inside == level.peak else f" (peak {number(level.peak)})"
    if before is None or inside is None:
        return f"{name}: {number(inside or 0)}{peak}"
    verb = "rose" if inside > before else "fell"
    if abs(inside - before) <= _SAME * max(abs(inside), abs(before)):
        return f"{name} stayed at {number(inside)}{peak}"
    return f"{name} {verb} from {number(before)} to {number(inside)}"


__all__ = ["change", "level_name"]
