"""The cycle of a deadlock: its transactions, what each waits for, and who blocks whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pileup.analysis.deadlocks import locks, statements
from pileup.analysis.deadlocks.locks import Lock
from pileup.analysis.deadlocks.statements import Statement

MOST_TRANSACTIONS = 40
_MOST_LOCKS = 20


@dataclass(frozen=True, slots=True)
class Member:
    """A transaction of the deadlock."""

    number: int
    session_id: int | None
    user: str | None
    statement: Statement | None
    wants: Lock | None
    holds: tuple[Lock, ...]
    queued: bool
    """It blocks another with a lock that it still waits for."""

    @property
    def signature(self) -> tuple[Any, ...]:
        """What is the same in each deadlock of a pattern, whatever its number."""
        return (
            self.statement.shape if self.statement else "",
            self.wants.signature if self.wants else (),
            tuple(sorted({lock.signature for lock in self.holds})),
        )


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait of a transaction for another."""

    waiter: Member
    holder: Member
    wants: Lock
    held: Lock | None
    """What the holder has of it; None: not printed."""


@dataclass(frozen=True, slots=True)
class Cycle:
    members: tuple[Member, ...]
    """In their printed order."""
    waits: tuple[Wait, ...]
    victim: int | None

    @property
    def closed(self) -> bool:
        """Whether the printed locks alone show who blocks whom, all around."""
        return len(self.waits) == len(self.members) > 1 and all(
            wait.held is not None for wait in self.waits
        )

    @property
    def certain(self) -> bool:
        """Whether it is closed by the very rows, so that no other transaction takes part."""
        return self.closed and all(
            wait.held is not None
            and (wait.wants.extent == "table" or wait.held.same_rows(wait.wants) is True)
            for wait in self.waits
        )


def read(transactions: Sequence[Mapping[str, Any]], victim: int | None) -> Cycle:
    """Read the transactions of a deadlock record."""
    members = tuple(_member(each) for each in transactions[:MOST_TRANSACTIONS])
    waits = tuple(
        wait
        for at, member in enumerate(members)
        if (wait := _wait(member, members, at)) is not None
    )
    return Cycle(members, waits, victim)


def _member(transaction: Mapping[str, Any]) -> Member:
    rows = transaction.get("holds_rows") or ()
    texts = (transaction.get("holds") or ())[:_MOST_LOCKS]
    read = [
        lock
        for at, text in enumerate(texts)
        if (lock := locks.read(text, rows[at] if at < len(rows) else None)) is not None
    ]
    text = transaction.get("waits_for")
    wants = locks.read(text, transaction.get("waits_rows")) if text else None
    held = tuple(lock for lock in read if not lock.waiting)
    return Member(
        number=transaction["number"],
        session_id=transaction.get("session_id"),
        user=transaction.get("user"),
        statement=statements.read(transaction.get("query")),
        wants=wants,
        holds=held,
        queued=len(held) < len(read),
    )


def _wait(member: Member, members: Sequence[Member], at: int) -> Wait | None:
    """Return the wait of a member; without a printed holder, for the next in the printed order.

    So InnoDB prints the cycle that it found. Servers up to 5.7 print the locks of only one.
    """
    wants = member.wants
    if wants is None or len(members) < 2:
        return None
    candidates = [
        (_nearness(lock, wants), other, lock)
        for other in (*members[at + 1 :], *members[:at])
        for lock in other.holds
        if lock.blocks(wants)
    ]
    if candidates:
        _, holder, lock = max(candidates, key=lambda each: each[0])
        return Wait(member, holder, wants, lock)
    return Wait(member, members[(at + 1) % len(members)], wants, None)


def _nearness(lock: Lock, wanted: Lock) -> bool:
    return lock.same_rows(wanted) is True


__all__ = ["MOST_TRANSACTIONS", "Cycle", "Member", "Wait", "read"]
