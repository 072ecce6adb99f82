"""The chain of a finding (trigger, holder, victims, end), and the one command to run next."""

from __future__ import annotations

from pileup.analysis.contract import ChainDoc
from pileup.analysis.evidence.actors import UNNAMED
from pileup.analysis.evidence.context import Context
from pileup.analysis.findings import next_evidence, turning_points
from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.rules import Match, count
from pileup.analysis.findings.worst_moment import Queue, describe_holder
from pileup.analysis.stacks.queues import the
from pileup.knowledge import Issue
from pileup.numerals import number

_CERTAIN = 0.9
_SURE = 0.7
_WAITING = "while they wait"


def chain(queue: Queue | None, match: Match, observed: Observed) -> ChainDoc:
    """Describe who holds what the victims wait for, who they are, and how it began and ended."""
    began = turning_points.trigger(queue, observed.context)
    ended = turning_points.end(queue, observed.context)
    if queue is None:
        victims = count(match.waiters, "thread waits.", "threads wait.")
        return ChainDoc(trigger=began, victims=victims, end=ended)
    victims = _victims(queue, observed.context)
    if queue.behind > queue.waiters:
        victims += f" In all, {count(queue.behind, 'session waits', 'sessions wait')} behind it."
    elif queue.waiters > queue.in_largest:
        victims += f" In all, {count(queue.waiters, 'session waits', 'sessions wait')} like this."
    return ChainDoc(
        trigger=began, holder=_holder(queue, observed.context), victims=victims, end=ended
    )


def _victims(queue: Queue, context: Context) -> str:
    """Say who waits for what. Of a stall this is one moment: its seconds are not those of all."""
    many = count(queue.in_largest, "session waits", "sessions wait")
    lasted = f" for up to {number(queue.longest)} s" if queue.longest else ""
    most = "most of them with" if queue.in_largest > 1 else "with"
    doing = f", {most} '{queue.statements[0]}'" if queue.statements else ""
    if context.stall is None:
        return f"{many}{lasted} for {the(queue.label)}{doing}."
    return f"At the worst moment, {many} for {the(queue.label)}{lasted and f',{lasted}'}{doing}."


def _holder(queue: Queue, context: Context) -> str:
    if queue.holder is None:
        return ""
    text = describe_holder(queue.holder)
    if text == UNNAMED:
        return ""
    onward = f"waits for {_words(queue.onward)} itself" if queue.onward else ""
    if onward and queue.root is not None and queue.root.id != queue.holder.id:
        root = describe_holder(queue.root)
        blocks = "blocks" if queue.root_sure >= _CERTAIN else "probably blocks"
        behind = f"{text} {onward}, and the others wait behind it"
        return f"{root[0].upper()}{root[1:]} {blocks} them all: {behind}."
    held = "it" if context.stall is None else the(queue.label)
    says = f" {'holds' if queue.sure >= _CERTAIN else 'may hold'} {held}"
    sentence = f"{text}{says}{f'; it {onward}' if onward else ''}."
    if turning_points.left_early(queue.holder, context):
        return f"At the worst moment, {sentence}"
    return f"{sentence[0].upper()}{sentence[1:]}"


def _words(kind: str) -> str:
    return "a " + kind.removeprefix("queue:").replace("_", " ").replace("-", " ")


def next_step(
    issue: Issue, match: Match, queue: Queue | None, kind: str, observed: Observed
) -> str:
    """Return the one command that would make a finding surer; empty if it is sure enough.

    kind: of what its victims wait for, also where no queue of the worst moment shows it.
    """
    known_holder = queue is not None and queue.holder is not None and queue.sure >= _CERTAIN
    if match.score >= _SURE and (queue is None or known_holder):
        return ""
    if issue.collect:
        return issue.collect
    server, records = observed.context.server, observed.record_counts
    command = next_evidence.holder(kind, server)
    if not known_holder and command:
        return f"{command}, {_WAITING}"
    if known_holder and queue and command and not records["processlists"]:
        holder = queue.holder
        session = None if holder is None else holder.session_id
        whom = "the holder" if session is None else f"session {session}"
        return f"{next_evidence.processlist(server)}: what {whom} does"
    if queue is not None and not records["stack samples"]:
        return f"{next_evidence.stacks(server)}, {_WAITING}"
    if records["status dumps"] > 1 or not match.waiters:
        return ""
    again = next_evidence.status_dump(server)
    return f"{again}, three times 10 s apart: it shows whether the same sessions still wait"


__all__ = ["chain", "next_step"]
