"""Decide the kind of a deadlock from the printed locks and statements.

Each decision holds whichever transaction is printed first. A text that is cut gives a kind only
where a single printed request decides it, and kind 'unknown' with the reason else: never the
nearest guess.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from pileup.analysis.deadlocks.cycle import Cycle, Member
from pileup.analysis.deadlocks.locks import Lock

Kind = Literal[
    "auto-inc", "table-lock", "upsert", "duplicate-insert", "delete-insert", "missing-row-insert",
    "supremum", "gap-insert", "insert-wait", "waiting-lock", "foreign-key", "s-to-x",
    "index-order", "index-merge", "range-scan", "row-order", "cycle", "unknown",
]  # fmt: skip

_PRINTED = 0.9
_INFERRED = 0.75
_AMBIGUOUS = 0.6
_CUT = 0.5
"""Confidence of a kind that a single request decides, as the rest is not printed."""


@dataclass(frozen=True, slots=True)
class Verdict:
    kind: Kind
    confidence: float
    """0 to 1, of the kind; 0 for an unknown kind."""
    because: str = ""
    """Why the kind is unknown."""


def decide(cycle: Cycle) -> Verdict:
    """Return the kind of a deadlock."""
    if missing := _missing(cycle):
        part = _of_a_part(cycle)
        return Verdict(part, _CUT, missing) if part else Verdict("unknown", 0.0, missing)
    wants = [wait.wants for wait in cycle.waits]
    held = [lock for member in cycle.members for lock in member.holds]
    kind = (
        _of_tables(wants, held)
        or _of_inserts(cycle, wants, held)
        or _of_shared(cycle)
        or _of_exclusive(cycle, wants)
    )
    if kind is None:
        return Verdict("unknown", 0.0, "the printed locks fit no kind that Pileup knows")
    if kind == "row-order" and len(cycle.members) > 2:
        kind = "cycle"
    confidence = _PRINTED if cycle.closed else _INFERRED
    if kind in _NOT_BY_LOCKS:
        confidence = min(confidence, _AMBIGUOUS)
    return Verdict(kind, confidence)


_NOT_BY_LOCKS = frozenset({"index-merge", "gap-insert", "duplicate-insert", "delete-insert"})
"""Kinds that depend on earlier statements or on the plan, which no deadlock prints."""


def _missing(cycle: Cycle) -> str:
    """Return what is missing to decide anything; '' if nothing is."""
    if len(cycle.members) < 2:
        return "only 1 transaction is printed"
    blind = [member for member in cycle.members if member.wants is None]
    if blind:
        return f"the lock that transaction {blind[0].number} waits for is not printed"
    if cycle.victim is None and not cycle.certain:
        return "the text ends before it names the victim, so another transaction may be missing"
    if cycle.victim is not None and cycle.victim not in {m.number for m in cycle.members}:
        return "the transaction that was rolled back is not printed"
    return ""


def _of_a_part(cycle: Cycle) -> Kind | None:
    """Decide a deadlock that is printed in part, by requests that only one kind of deadlock has."""
    for member in cycle.members:
        wants, verb = member.wants, member.statement.verb if member.statement else ""
        if wants is None:
            continue
        if wants.extent == "table":
            return "auto-inc" if wants.mode == "AUTO-INC" else "table-lock"
        if verb == "upsert" and (wants.extent != "row" or not wants.clustered):
            return "upsert"
        if wants.extent == "insert":
            return "insert-wait"
        is_own = member.statement is not None and member.statement.mentions(wants.table)
        if wants.mode == "S" and verb in ("insert", "update", "delete") and not is_own:
            return "foreign-key"
        if wants.mode == "S" and verb == "insert":
            return "duplicate-insert"
    return None


def _of_tables(wants: list[Lock], held: list[Lock]) -> Kind | None:
    if any(lock.mode == "AUTO-INC" for lock in wants):
        return "auto-inc"
    if any(lock.extent == "table" for lock in wants):
        return "auto-inc" if any(lock.mode == "AUTO-INC" for lock in held) else "table-lock"
    return None


def _of_inserts(cycle: Cycle, wants: list[Lock], held: list[Lock]) -> Kind | None:
    """Decide a deadlock in which a transaction wants to insert into a gap."""
    inserts = [lock for lock in wants if lock.extent == "insert"]
    if not inserts:
        return None
    places = {lock.place for lock in inserts}
    gaps = [lock for lock in held if lock.place in places]
    verbs = _verbs(cycle.members)
    if "upsert" in verbs and verbs <= {"upsert", "insert"}:
        return "upsert"
    if len(inserts) < len(wants) and any(_behind_a_waiter(m, cycle.members) for m in cycle.members):
        return "waiting-lock"
    if any(lock.mode == "S" for lock in gaps) and verbs & {"insert", "delete"}:
        if verbs <= {"insert"}:
            return "duplicate-insert"
        if verbs <= {"insert", "delete"}:
            return "delete-insert"
    if len(inserts) < len(wants) or not gaps:
        return "gap-insert"
    if all(lock.supremum for lock in inserts):
        return "supremum"
    if all(lock.extent == "gap" or lock.supremum for lock in gaps):
        return "missing-row-insert"
    return "gap-insert"


def _behind_a_waiter(member: Member, members: Iterable[Member]) -> bool:
    """Whether a member's request queues behind a request of another for a row that it holds."""
    wants = member.wants
    if wants is None:
        return False
    own = [lock for lock in member.holds if lock.same_rows(wants) and lock.mode == "X"]
    return any(
        own and other is not member and other.wants is not None and other.wants.same_rows(wants)
        for other in members
    )


def _of_shared(cycle: Cycle) -> Kind | None:
    """Decide a deadlock around shared row locks."""
    waits = [member for member in cycle.members if member.wants and member.wants.mode == "S"]
    upgrades = [member for member in cycle.members if _upgrades(member)]
    if not waits and not upgrades:
        return None
    if _crosses_indexes(cycle):
        return None
    foreign = [
        member
        for member in waits
        if member.statement
        and member.statement.verb in ("insert", "update", "delete", "upsert")
        and member.wants
        and not member.statement.mentions(member.wants.table)
    ]
    if foreign:
        return "foreign-key"
    verbs = _verbs(cycle.members)
    if "upsert" in verbs and verbs <= {"upsert", "insert"}:
        return "upsert"
    if verbs == {"insert"}:
        return "duplicate-insert"
    if verbs == {"insert", "delete"}:
        return "delete-insert"
    if upgrades:
        if {member.statement.verb for member in upgrades if member.statement} == {"insert"}:
            return "duplicate-insert"
        return "s-to-x"
    return None


def _upgrades(member: Member) -> bool:
    """Whether a member wants X on a row on which it holds S."""
    wants = member.wants
    return (
        wants is not None
        and wants.mode == "X"
        and any(
            lock.mode == "S" and lock.place == wants.place and lock.same_rows(wants) is not False
            for lock in member.holds
        )
    )


def _of_exclusive(cycle: Cycle, wants: list[Lock]) -> Kind | None:
    """Decide a deadlock of record locks without an insert."""
    tables = {lock.table for lock in wants}
    if len(tables) > 1:
        return "row-order"
    indexes = {lock.index for lock in wants}
    if len(indexes) > 1 or _crosses_indexes(cycle):
        return _of_indexes(cycle, wants)
    if any(_behind_a_waiter(member, cycle.members) or member.queued for member in cycle.members):
        return "waiting-lock"
    if any(first.same_rows(other) for first, other in combinations(wants, 2)):
        return None  # both want one row; the lock between them is not printed
    locks = [*wants, *(lock for m in cycle.members for lock in m.holds if lock.table in tables)]
    if not all(_other_rows(member) for member in cycle.members):
        return None
    return "range-scan" if any(lock.extent == "next-key" for lock in locks) else "row-order"


def _crosses_indexes(cycle: Cycle) -> bool:
    """Whether the requests, or one's request and its printed lock, are on indexes of one table."""
    wants = [member.wants for member in cycle.members if member.wants]
    tables = {lock.table for lock in wants}
    return len(tables) == 1 and len({lock.index for lock in wants}) > 1


def _of_indexes(cycle: Cycle, wants: list[Lock]) -> Kind:
    if any(lock.clustered for lock in wants):
        return "index-order"
    many = [
        member
        for member in cycle.members
        if member.statement and member.statement.conditions > 1 and member.statement.range is False
    ]
    return "index-merge" if many else "index-order"


def _other_rows(member: Member) -> bool:
    """Whether what a member holds are other rows than it wants, or it could not wait for them."""
    wants = member.wants
    if wants is None:
        return False
    for lock in member.holds:
        if lock.place != wants.place:
            continue
        same = lock.same_rows(wants)
        if same or (same is None and (lock.mode, lock.extent) != (wants.mode, wants.extent)):
            return False
    return True


def _verbs(members: Iterable[Member]) -> set[str]:
    return {member.statement.verb if member.statement else "" for member in members}


__all__ = ["Kind", "Verdict", "decide"]
