"""Rules in code: for the problems whose mechanism needs more than the signs of signatures.yaml.

A rule is a small pure function from what was observed in the stall to a match or nothing; its id
is an issue of the knowledge base. Most problems need none: write a signature first
(docs/reference/knowledge.md). A rule's entry there says ``rule: code`` and holds its cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pileup.analysis.contract import Locator
from pileup.analysis.findings.observed import Observed


@dataclass(frozen=True, slots=True)
class Match:
    """A known problem that the evidence resembles."""

    issue: str
    score: float
    """0..1: how much of the signature was seen."""
    why: str
    evidence: tuple[Locator, ...]
    against: tuple[str, ...] = ()


Rule = Callable[[Observed], Match | None]


def having_any(*functions: str) -> Callable[[Sequence[str]], bool]:
    """A test for ``Observed.threads``: the stack has one of these functions."""
    wanted = frozenset(functions)
    return lambda stack: not wanted.isdisjoint(stack)


def graded(*parts: tuple[bool, float]) -> float:
    """A score: the sum of the weights of what holds, at most 0.97."""
    return round(min(0.97, sum(weight for holds, weight in parts if holds)), 3)


__all__ = ["Match", "Rule", "graded", "having_any"]
