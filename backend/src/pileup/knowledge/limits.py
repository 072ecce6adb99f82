"""Gauges with a ceiling, as data: ``data/limits.yaml``.

What a limit means for an incident is decided in ``analysis.findings.limits``.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import msgspec

from pileup.paths import packaged


class Ceiling(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The largest value of a gauge: exactly one of settings, series and number."""

    settings: list[str] = []
    """Variables whose values are multiplied; '1 + NAME' adds one to a value."""
    series: list[str] = []
    """Short or full names of series; the first that exists counts."""
    number: float | None = None
    factor: float = 1.0
    less: float = 0.0
    """What the server keeps free of it, whatever its size; taken off after the factor."""
    family: Literal["mysql", "percona", "mariadb"] | None = None

    def __post_init__(self) -> None:
        if bool(self.settings) + bool(self.series) + (self.number is not None) != 1:
            raise ValueError("a ceiling has one of settings, series and number")


class Condition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What must be seen too before a full gauge is a problem."""

    series: list[str] = []
    above: float = 0.0
    settings: dict[str, list[str]] = {}


class Limit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A gauge, its ceiling, and what it means to be there."""

    id: str
    title: str
    ceilings: list[Ceiling]
    """Alternatives; the first that is known counts."""
    means: str
    of: list[str] = []
    """Short names of series ('threads_connected'), or full names ('df.use')."""
    left: list[str] = []
    """The same for series that count what is left."""
    reached: float = 1.0
    near: float = 0.85
    unit: str = ""
    only_if: Condition | None = None
    at_most: Literal["reached", "near"] = "reached"
    """near: a full gauge alone is no problem."""

    def __post_init__(self) -> None:
        if bool(self.of) == bool(self.left):
            raise ValueError(f"{self.id}: a limit has one of 'of' and 'left'")


@cache
def limits() -> dict[str, Limit]:
    """Return all limits by their id, in the order of the file."""
    text = packaged("knowledge/data/limits.yaml").read_text("utf-8")
    rows = msgspec.yaml.decode(text, type=list[Limit])
    return {row.id: row for row in rows}


__all__ = ["Ceiling", "Condition", "Limit", "limits"]
