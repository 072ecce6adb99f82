"""Rules: one small pure function per known problem, from measured signs to a match or nothing.

A rule looks at signs, never at text of its own making; its id is an issue of the knowledge base.
To add one, write it in the file of its subsystem and add it to RULES there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pileup.analysis.context import Context
from pileup.analysis.contract import Locator


@dataclass(frozen=True, slots=True)
class Match:
    """A known problem that the evidence resembles."""

    issue: str
    score: float
    """0..1: how much of the signature was seen."""
    why: str
    evidence: tuple[Locator, ...]
    against: tuple[str, ...] = ()


Rule = Callable[[Context], Match | None]


def graded(*parts: tuple[bool, float]) -> float:
    """A score: the sum of the weights of what holds, at most 0.97."""
    return round(min(0.97, sum(weight for holds, weight in parts if holds)), 3)


__all__ = ["Match", "Rule", "graded"]
