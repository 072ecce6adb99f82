"""The share of active-session seconds that flow through what a finding names."""

from __future__ import annotations

from pileup.analysis.blocked_time.measure import BlockedTime, Share
from pileup.analysis.blocked_time.population import Member
from pileup.analysis.findings.cascade import Select
from pileup.analysis.findings.worst_moment import Queue
from pileup.knowledge import wait_classes
from pileup.knowledge.signature import Signature, names

_CLASSES = {
    "row_lock": ("row_lock",),
    "metadata_lock": ("metadata_lock",),
    "table_lock": ("table_lock", "row_lock"),
    "commit": ("commit_queue", "log_flush"),
    "fsync": ("log_flush",),
}
"""Kinds of waits as classes of time."""


def share(blocked: BlockedTime | None, signature: Signature, queue: Queue | None) -> Share | None:
    """Return the share of time behind what a signature names; None: not measured."""
    select = selected(signature, queue)
    return None if blocked is None or select is None else blocked.share_of(select)


def latches_of(signature: Signature) -> set[str]:
    """Return the latches whose waiters are the victims of a problem."""
    return set(signature.latches) | {
        name
        for sign in signature.needs
        for each in (sign, *(sign.any or ()))
        for name in names(each.latch)
    }


def selected(signature: Signature, queue: Queue | None) -> Select | None:
    """Return the test for the members that a signature is about; None: it names none."""
    latches = latches_of(signature)
    kind = signature.waits or (queue.kind if queue and queue.kind != "latch" else "")
    wanted = _CLASSES.get(kind) or _of_queue(kind)
    if not latches and not wanted:
        return None

    def select(member: Member) -> bool:
        return member.latch in latches or (
            member.time_class in wanted and (member.waits or member.kind == "resource")
        )

    return select


def _of_queue(kind: str) -> tuple[str, ...]:
    """Return the class of waits in a queue; none where other waits have the same class."""
    prefix, _, queue = kind.partition(":")
    if prefix != "queue" or wait_classes.of_queue(queue) == wait_classes.LATCH:
        return ()
    return (wait_classes.of_queue(queue),)


__all__ = ["latches_of", "selected", "share"]
