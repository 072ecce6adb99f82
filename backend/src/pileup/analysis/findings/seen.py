"""The answer to one question about the stall."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pileup.analysis.contract import Locator


@dataclass(frozen=True, slots=True)
class Seen:
    """Answer to one question about the stall."""

    holds: bool | None
    """None: no records of that kind were uploaded."""
    most: int = 0
    share: float = 0.0
    text: str = ""
    evidence: tuple[Locator, ...] = ()
    dumps: tuple[int, int] | None = None
    """For waits: (status dumps that show them, all status dumps of the stall)."""
    longest: float | None = None
    """The longest wait among them, in seconds; None: not printed."""
    estimated: bool = False
    """``most`` follows from a rate; nothing lists so many at once."""


NO_DATA = Seen(None)


def distinct(locators: Iterable[Locator]) -> list[Locator]:
    """Drop evidence that says the same of the same lines or series again."""
    kept: dict[tuple[object, ...], Locator] = {}
    for locator in locators:
        key = (locator.text, locator.artifact, locator.line_first, locator.series)
        kept.setdefault(key, locator)
    return list(kept.values())


__all__ = ["NO_DATA", "Seen", "distinct"]
