"""Rules in code for problems whose mechanism needs more than the signs of signatures.yaml.

A rule is a small pure function from the observed stall to a match or None; its id is an issue of
the knowledge base. Most problems need no rule: write a signature first
(docs/reference/knowledge.md). A rule's entry there has ``rule: code`` and its test cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pileup.analysis.contract import Locator
from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.words import count


@dataclass(frozen=True, slots=True)
class Match:
    """A known problem that matches the evidence."""

    issue: str
    score: float
    """0..1: how much of the signature the evidence shows."""
    why: str
    evidence: tuple[Locator, ...]
    against: tuple[str, ...] = ()
    waiters: int = 0
    """How many wait for what it names, at the worst moment; 0: it names no waits."""
    statement: str = ""
    """What takes the time where nobody waits: 'SELECT on shop.orders'."""
    holder: str = ""
    """A sentence about who holds what grows, where nobody waits."""


Rule = Callable[[Observed], Match | None]


def inside_shows(observed: Observed) -> bool:
    """Return whether status dumps or stacks show what threads do inside InnoDB; lists do not."""
    seen = observed.record_counts
    return bool(seen["status dumps"] or seen["stack samples"])


def stacks_show(observed: Observed) -> bool:
    return bool(observed.record_counts["stack samples"])


def having_any(*functions: str) -> Callable[[Sequence[str]], bool]:
    """Build a test for ``Observed.threads`` that accepts stacks with any of these functions."""
    wanted = frozenset(functions)
    return lambda stack: not wanted.isdisjoint(stack)


def graded(*parts: tuple[bool, float]) -> float:
    """Sum the weights of the parts that hold, to at most 0.97."""
    return round(min(0.97, sum(weight for holds, weight in parts if holds)), 3)


_LOCKS = (
    "row_lock",
    "metadata_lock",
    "table_lock",
    "queue:global-read-lock",
    "queue:semisync",
    "queue:galera",
)
"""What holds sessions up, however many CPUs are free and however much the redo log holds."""


def mostly_locked(observed: Observed) -> str:
    """Say how many sessions wait for a lock or for other servers; "" if most wait elsewhere."""
    locked = max(observed.wait(kind, None, None).most for kind in _LOCKS)
    if not locked or locked < observed.worst.waiting / 2:
        return ""
    return f"{count(locked, 'session waits', 'sessions wait')} for a lock."


__all__ = [
    "Match",
    "Rule",
    "count",
    "graded",
    "having_any",
    "inside_shows",
    "mostly_locked",
    "stacks_show",
]
