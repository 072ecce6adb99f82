"""Draw a deadlock: one lane per transaction, its locks in order, and who waits for whom."""

from __future__ import annotations

from collections.abc import Callable

from pileup.analysis.contract import DeadlockDoc, DeadlockLane, Locator
from pileup.report.case import Case
from pileup.report.document import (
    Block,
    DeadlockDrawing,
    DeadlockStepBox,
    DeadlockTransaction,
    DeadlockWaitArrow,
    Figure,
    Run,
    Trouble,
)
from pileup.report.text.source_notes import label_of
from pileup.report.text.wording import at, sentence


def deadlock(case: Case, names: dict[str, str], note: Callable[[str], int]) -> list[Block]:
    """Draw one deadlock of the incident, the latest unless ``number`` names another."""
    known = case.analysis.deadlocks if case.analysis else []
    known = sorted(known, key=lambda each: (each.time is None, each.time or ""))
    if not known:
        return [Trouble("No artifact prints a deadlock.")]
    wanted = names.get("number", str(len(known)))
    if not wanted.isdecimal() or not 1 <= int(wanted) <= len(known):
        return [Trouble(f'“::deadlock” number="{wanted}" is not a number from 1 to {len(known)}.')]
    chosen = known[int(wanted) - 1]
    drawing = drawing_of(chosen)
    caption = names.get("caption") or (
        f"Deadlock{at(chosen.time)}: {chosen.kind_label}. {sentence(chosen.why)}"
    )
    where = Locator(
        kind="lines",
        artifact=chosen.artifact,
        line_first=chosen.line_first,
        line_last=chosen.line_first,
    )
    label = label_of(where)
    source = [Run(note=note(label))] if label else []
    alt = f"Deadlock of {len(drawing.transactions)} transactions. {chosen.why}"
    return [Figure(drawing, [Run(caption), *source], alt)]


def drawing_of(deadlock: DeadlockDoc) -> DeadlockDrawing:
    """Convert a deadlock to the drawing that the report stores."""
    place = {lane.number: index for index, lane in enumerate(deadlock.lanes)}
    return DeadlockDrawing(
        transactions=[_transaction(lane) for lane in deadlock.lanes],
        waits=[
            DeadlockWaitArrow(
                waiter=place[wait.waiter],
                holder=place[wait.holder],
                step=wait.holder_step,
                inferred=wait.inferred,
            )
            for wait in deadlock.waits
            if wait.waiter in place and wait.holder in place
        ],
    )


def _transaction(lane: DeadlockLane) -> DeadlockTransaction:
    session = "" if lane.session_id is None else f"session {lane.session_id}"
    parts = [f"({lane.number})", session, lane.user or "", "victim" if lane.victim else ""]
    return DeadlockTransaction(
        name=" · ".join(part for part in parts if part),
        statement=lane.shape or "no statement printed",
        victim=lane.victim,
        steps=[
            DeadlockStepBox(
                what=f"{step.state}: {step.lock}",
                where=step.where,
                inferred=step.printed is None,
            )
            for step in lane.steps
        ],
    )
