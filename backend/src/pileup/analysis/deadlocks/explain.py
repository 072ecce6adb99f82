"""Explain one deadlock of the records: kind, reasons, changes, pattern and drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pileup.analysis.contract.deadlocks import DeadlockLane, DeadlockStep, DeadlockWait
from pileup.analysis.deadlocks import cycle as cycles
from pileup.analysis.deadlocks.cycle import Cycle, Member, Wait
from pileup.analysis.deadlocks.kinds import Kind, Verdict, decide
from pileup.analysis.deadlocks.locks import Lock
from pileup.analysis.deadlocks.patterns import pattern_id
from pileup.analysis.deadlocks.wording import WORDS

_MODES = {"S": "shared", "X": "exclusive"}
_EXTENTS = {
    "row": "row lock",
    "gap": "gap lock",
    "next-key": "next-key lock (row and gap)",
    "insert": "insert intention lock",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    kind: Kind
    label: str
    why: str
    change: tuple[str, ...]
    confidence: float
    because: str
    """Why the kind is unknown; '' for a known one."""
    settle: str
    """What would settle the kind, or what caused it."""
    pattern: str
    lanes: tuple[DeadlockLane, ...]
    waits: tuple[DeadlockWait, ...]
    cycle: tuple[Wait, ...]
    """Who waits for whom, with the locks as read."""


def explain(transactions: Sequence[Mapping[str, Any]], victim: int | None) -> Explanation:
    """Explain a deadlock from the transactions of its record."""
    cycle = cycles.read(transactions, victim)
    verdict = decide(cycle)
    words = WORDS[verdict.kind]
    names = _names(cycle, verdict)
    sentences = [words.why.format(**names)] + [_sentence(wait) for wait in cycle.waits]
    waiting = {wait.waiter.number for wait in cycle.waits}
    sentences += [_alone(member) for member in cycle.members if member.number not in waiting]
    lanes = tuple(_lane(member, cycle) for member in cycle.members)
    return Explanation(
        kind=verdict.kind,
        label=words.label,
        why=" ".join(sentences),
        change=tuple(change.format(**names) for change in words.change),
        confidence=verdict.confidence,
        because=verdict.because,
        settle=words.settle.format(**names),
        pattern=pattern_id(cycle, verdict.kind),
        lanes=lanes,
        waits=tuple(_arrow(wait) for wait in cycle.waits),
        cycle=cycle.waits,
    )


def _names(cycle: Cycle, verdict: Verdict) -> dict[str, str | int]:
    requests = (member.wants for member in cycle.members if member.wants)
    wants = sorted(requests, key=lambda lock: lock.signature)
    inserts = [lock for lock in wants if lock.extent == "insert"]
    first = next(iter(inserts or wants), None)
    tables = sorted({lock.table for lock in wants})
    return {
        "table": first.table if first else "the table",
        "index": (first.index if first else None) or "the primary key",
        "tables": " and ".join(tables) or "the tables",
        "n": len(cycle.members),
        "because": verdict.because,
    }


def _sentence(wait: Wait) -> str:
    """Describe a wait: '(1) UPDATE t SET … wants an exclusive row lock on …, which (2) holds.'"""
    held = (
        f"on which {_named(wait.holder)} has {_a(lock_words(wait.held))}"
        if wait.held
        else f"and {_named(wait.holder)} is in its way; its lock is not printed"
    )
    return f"{_named(wait.waiter)} wants {_a(lock_words(wait.wants))} {_where(wait.wants)}, {held}."


def _alone(member: Member) -> str:
    """Describe a transaction of which nothing printed is in its way, or that shows no wait."""
    if member.wants is not None:
        wanted = f"{_a(lock_words(member.wants))} {_where(member.wants)}"
        return f"{_named(member)} wants {wanted}; who has it is not printed."
    held = [f"{_a(lock_words(lock))} {_where(lock)}" for lock in member.holds[:1]]
    return (
        f"{_named(member)} holds {held[0]}."
        if held
        else f"{_named(member)} takes part; its locks are not printed."
    )


def _a(words: str) -> str:
    return f"{'an' if words[0] in 'aeio' else 'a'} {words}"


def _named(member: Member) -> str:
    shape = member.statement.shape if member.statement else "a statement that is not printed"
    return f"({member.number}) {shape}"


def lock_words(lock: Lock) -> str:
    """Describe the mode of a lock: 'exclusive row lock'."""
    if lock.extent == "table":
        return f"table lock ({lock.mode})"
    return f"{_MODES.get(lock.mode, lock.mode)} {_EXTENTS[lock.extent]}"


def _where(lock: Lock) -> str:
    if lock.index is None:
        return f"on table {lock.table}"
    return f"in {lock.index} of {lock.table}{_rows(lock)}"


def _rows(lock: Lock) -> str:
    if lock.extent in ("insert", "next-key", "gap") and lock.supremum:
        return " (above the highest key)"
    if not lock.rows:
        return ""
    pages = {row.rpartition(":")[0].partition(":")[2] for row in lock.rows}
    heaps = [int(row.rpartition(":")[2]) for row in lock.rows]
    what = f"row {heaps[0]}" if len(heaps) == 1 else f"{len(heaps)} rows"
    return f" ({what} of page {' '.join(sorted(pages))})"


def _lane(member: Member, cycle: Cycle) -> DeadlockLane:
    held = [
        DeadlockStep(state="holds", lock=lock_words(lock), where=_where(lock), printed=lock.text)
        for lock in member.holds
    ]
    if not held and any(wait.holder is member and wait.held is None for wait in cycle.waits):
        wait = next(wait for wait in cycle.waits if wait.holder is member and wait.held is None)
        held = [DeadlockStep(state="holds", lock="lock not printed", where=_where(wait.wants))]
    wants = member.wants
    requested = (
        [
            DeadlockStep(
                state="requests", lock=lock_words(wants), where=_where(wants), printed=wants.text
            )
        ]
        if wants
        else []
    )
    return DeadlockLane(
        number=member.number,
        session_id=member.session_id,
        user=member.user,
        shape=member.statement.shape if member.statement else None,
        victim=member.number == cycle.victim,
        steps=[*held, *requested],
    )


def _arrow(wait: Wait) -> DeadlockWait:
    holds = wait.holder.holds
    step = holds.index(wait.held) if wait.held else 0
    return DeadlockWait(
        waiter=wait.waiter.number,
        holder=wait.holder.number,
        holder_step=step,
        inferred=wait.held is None,
    )


__all__ = ["Explanation", "explain", "lock_words"]
