"""Deadlocks: what each means, how it is drawn, and the patterns of many."""

from __future__ import annotations

from typing import Any, Literal

from pileup.analysis.contract.base import Doc


class DeadlockStep(Doc, frozen=True, kw_only=True):
    """A lock in a transaction's lane, in order."""

    state: Literal["holds", "requests"]
    lock: str
    """'exclusive row lock'."""
    where: str
    """'in PRIMARY of app.accounts (row 3 of page 4)'."""
    printed: str | None = None
    """As the server prints it; None: it follows from the cycle."""


class DeadlockLane(Doc, frozen=True, kw_only=True):
    """A transaction of the drawing."""

    number: int
    session_id: int | None
    user: str | None
    shape: str | None
    victim: bool
    steps: list[DeadlockStep]


class DeadlockWait(Doc, frozen=True, kw_only=True):
    """An arrow of the drawing: the last step of ``waiter`` waits for a step of ``holder``."""

    waiter: int
    holder: int
    holder_step: int
    inferred: bool
    """The holder follows from the order of the cycle, not from a lock that is printed."""


class DeadlockDoc(Doc, frozen=True, kw_only=True):
    time: str | None
    transactions: list[dict[str, Any]]
    victim: int | None
    relation: str
    """'27 s before the onset, on other tables: not part of this stall'."""
    artifact: str
    line_first: int
    kind: str
    """Stable id: row-order, gap-insert, ..., or unknown."""
    kind_label: str
    why: str
    """Why these statements collide, with their shapes, indexes and rows."""
    change: list[str]
    """What to change, best first."""
    confidence: float
    """0 to 1, of the kind; 0 for an unknown kind."""
    settle: str
    """What would settle it."""
    pattern: str
    """Id in deadlock_patterns."""
    lanes: list[DeadlockLane]
    waits: list[DeadlockWait]


class DeadlockPatternDoc(Doc, frozen=True, kw_only=True):
    """Deadlocks that are the same but for their rows and times."""

    id: str
    kind: str
    kind_label: str
    shapes: list[str]
    tables: list[str]
    count: int
    first: str | None
    last: str | None
    per_minute: float | None
    """Mean rate between first and last; None for a single moment."""
    most_in_a_minute: int
    artifact: str
    """Where the first is printed."""
    line_first: int


__all__ = [
    "DeadlockDoc",
    "DeadlockLane",
    "DeadlockPatternDoc",
    "DeadlockStep",
    "DeadlockWait",
]
