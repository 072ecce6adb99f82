"""The turning points of a stall: when the cause began, what set it off, what ended it."""

from __future__ import annotations

from pileup.analysis.contract import PathStepDoc, RootDoc, StallDoc, StoryMark
from pileup.analysis.evidence.statements import verb_of
from pileup.analysis.evidence.times import parse
from pileup.analysis.story.chain import trigger
from pileup.analysis.story.endings import Ending
from pileup.analysis.story.names import short

_ENDED = {"gone": "ended", "finished": "went on"}


def marks(stall: StallDoc, root: RootDoc | None, ending: Ending | None) -> list[StoryMark]:
    """List the turning points with a known time, in time order."""
    found = []
    holder = root.steps[-1] if root and root.steps else None
    if holder is not None and holder.kind == "session" and _began_before(holder, stall):
        what = "transaction" if holder.idle else verb_of(holder.statement) or "statement"
        text = f"{what} of {_who(holder)} begins"
        found.append(StoryMark(kind="cause", at=holder.since or "", text=text))
    gate = trigger(root)
    if gate is not None and _began_before(gate, stall):
        text = f"{verb_of(gate.statement) or 'request'} of {_who(gate)} queues"
        found.append(StoryMark(kind="trigger", at=gate.since or "", text=text))
    if stall.end is not None:
        found.append(StoryMark(kind="end", at=stall.end, text=_end(root, ending)))
    return sorted(found, key=lambda mark: mark.at)


def _began_before(step: PathStepDoc, stall: StallDoc) -> bool:
    """Return whether a step began before the onset; times are whole seconds in many sources."""
    return step.since is not None and parse(step.since) <= parse(stall.onset) + 1_000_000


def _who(step: PathStepDoc) -> str:
    return f"session {step.session_id}" if step.session_id is not None else short(step.label)


def _end(root: RootDoc | None, ending: Ending | None) -> str:
    if root is None or ending is None:
        return "end"
    return f"session {root.session_id} {_ENDED[ending.how]}"


__all__ = ["marks"]
