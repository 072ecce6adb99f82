"""Define a thread of the server at one moment, with the records of all layers about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]
UNNAMED = "a thread"
NO_NUMBER = "0"
"""What lock tables print for a transaction without a number: see ``unnumbered``."""


@dataclass(frozen=True, slots=True)
class Join:
    """How another layer was joined to a thread, with a confidence."""

    why: str
    confidence: float
    """0..1. 1: one record prints both ids. An id that two files print is nearly as good, less with
    each second between them: by then the thread may serve another session, or do something else."""


@dataclass(slots=True)
class Actor:
    """One thread of the server, with the records of all layers."""

    id: str
    """thread:<pthread>, session:<id> or trx:<id>: the first known one."""
    pthread: int | None = None
    session_id: int | None = None
    trx: Row | None = None
    session: Row | None = None
    stack: Row | None = None
    waits: list[Row] = field(default_factory=list)
    """Its semaphore waits (one, unless the dump is odd)."""
    event: Row | None = None
    """Its wait by performance_schema."""
    joined: list[Join] = field(default_factory=list)

    def join(self, why: str, confidence: float) -> None:
        """Record a join, unless one with the same reason exists."""
        if all(join.why != why for join in self.joined):
            self.joined.append(Join(why, round(confidence, 2)))

    @property
    def name(self) -> str:
        """Return how people know it: its session, its transaction, its user or its thread."""
        trx = (self.trx or {}).get("trx_id")
        if self.session_id is not None:
            return f"session {self.session_id}"
        if trx:
            return f"transaction {trx}"
        if self.id == f"trx:{NO_NUMBER}":
            return "a transaction without a number"
        if self.id.startswith("trx:"):  # a lock table names it, and nothing else shows it
            return f"transaction {self.id.removeprefix('trx:')}"
        if self.session is not None:
            return f"a session of {self.session['user'] or 'an unknown user'}"
        return f"thread {self.pthread}" if self.pthread is not None else UNNAMED

    @property
    def lock_wait(self) -> bool:
        return bool(self.trx and self.trx["lock_wait"])

    @property
    def is_idle(self) -> bool:
        """Whether it is idle inside a transaction."""
        command = (self.session or {}).get("command")
        idles = bool(self.trx) and not self.query and command in (None, "Sleep")
        return idles and not self.has_no_session

    @property
    def is_left_prepared(self) -> bool:
        """Whether it is an XA transaction in the state PREPARED that no session serves.

        A commit on its way is in that state for a moment too, but in a thread of a session.
        """
        return self.has_no_session and "PREPARED" in str((self.trx or {}).get("state"))

    @property
    def has_no_session(self) -> bool:
        """Whether no session serves its transaction: it is left prepared, or its thread is 0.

        INNODB_TRX prints thread 0 for transactions that are prepared, recovered or the server's
        own, and RUNNING for all of them.
        """
        if not self.trx or self.session is not None or self.session_id or self.pthread:
            return False
        state = str(self.trx.get("state"))
        listed = self.trx.get("session_id") == 0 and state == "ACTIVE" and not self.trx["query"]
        return listed or "PREPARED" in state

    @property
    def query(self) -> str | None:
        for row in (self.session, self.trx):
            if row and row["query"]:
                return str(row["query"])
        return None

    @property
    def functions(self) -> list[str]:
        """Names of its stack, the innermost first; none of a stack without symbols."""
        names = [frame["function"] for frame in self.stack["frames"]] if self.stack else []
        return names if any(name != "??" for name in names) else []
