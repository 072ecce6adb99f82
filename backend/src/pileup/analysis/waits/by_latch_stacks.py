"""Latch waits of a scene without SEMAPHORES, from stacks alone.

The function that called the wait identifies a waiter; a stack inside the protected code identifies
a holder. A stack prints no address, so all latches of one kind are one node, and a page latch has
no holder, because the page is unknown.
"""

from __future__ import annotations

from collections import defaultdict

from pileup.analysis.evidence import latch_stacks
from pileup.analysis.evidence.actors import Actor
from pileup.analysis.stacks.hot_stacks import is_waiting
from pileup.analysis.waits.draft import BY_STACK, Draft, Resource, latch_label
from pileup.knowledge import knowledge

_INSIDE = 0.7
_SHOWN = 8


def stacks_alone(draft: Draft) -> None:
    """Add threads that wait for a latch by their stack, if no dump lists latch waits."""
    if any(actor.waits for actor in draft.scene.actors.values()):
        return
    waiters_by_latch: defaultdict[str, list[Actor]] = defaultdict(list)
    for actor in list(draft.scene.actors.values()):
        if actor.id in draft.waiting or not actor.stack:
            continue
        if wait := latch_stacks.waits_for(actor.functions):
            resource = _resource(draft, wait.latch)
            waiters_by_latch[resource.id].append(actor)
            draft.wait(
                actor,
                resource,
                mode=wait.mode,
                waited_s=(actor.session or {}).get("time_s"),
                position=wait.function,
                note=f"waits for it in {wait.function}, by its stack",
                confidence=BY_STACK,
                locators=[draft.lines(actor.stack)],
            )
    for name in waiters_by_latch:
        _holders(draft, draft.resources[name])


def _holders(draft: Draft, resource: Resource) -> None:
    queued = {edge.source for edge in draft.edges if edge.target == resource.id}
    inside = [
        actor
        for actor in draft.scene.actors.values()
        if actor.stack
        and actor.id not in queued
        and latch_stacks.inside(resource.latch or "", actor.functions)
    ]
    working = [
        actor
        for actor in inside
        if actor.id not in draft.waiting and not is_waiting(actor.functions)
    ]
    # who waits for something else in there keeps the latch meanwhile
    working = (working or [actor for actor in inside if actor.id in draft.waiting])[:_SHOWN]
    for actor in working:
        does = "waits" if actor.id in draft.waiting else "works"
        draft.hold(
            resource,
            actor,
            note=f"inferred: its stack {does} inside what this latch protects",
            lines=actor.stack,
            inferred=True,
            confidence=round(_INSIDE / (1 + 0.5 * (len(working) - 1)), 2),
        )
    if not working:
        draft.notes[
            f"Holder of the {resource.label} unknown: no captured stack works inside "
            "what it protects."
        ] = None


def _resource(draft: Draft, latch: str) -> Resource:
    known = knowledge().latches.get(latch)
    key = f"latch:by-stack:{latch}"
    return draft.resources.setdefault(
        key,
        Resource(
            key,
            "latch",
            latch_label(known, "latch", latch),
            "by stacks: they print no address, so this may be several latches of one kind",
            latch=latch if known else None,
            meaning=known.contention_means if known else None,
        ),
    )


__all__ = ["stacks_alone"]
