"""The chain from the holder to the victims, from the path of the leading root."""

from __future__ import annotations

import msgspec

from pileup.analysis.contract import MOST_TIME, PathStepDoc, RootDoc, StoryLink
from pileup.analysis.evidence.statements import verb_of
from pileup.analysis.story.names import resource, short
from pileup.numerals import counted, grouped

_MOST = 6
"""Links of a chain; of a longer path the middle is left out."""


def chain(root: RootDoc | None) -> list[StoryLink]:
    """Return the chain, the root first; empty if it is unknown or a circle.

    Where no path has most of the sessions behind the root, the chain has no middle.
    """
    if root is None or root.kind == "cycle" or len(root.steps) < 2:
        return []
    crowd, last = root.steps[0], root.steps[-1]
    if not _has_most(crowd, root):
        label = counted(root.behind, "session")
        everybody = msgspec.structs.replace(
            crowd, kind="sessions", label=label, sessions=root.behind, session_id=None, since=None
        )
        steps = [last, everybody]
    else:
        steps = list(reversed(root.steps))
        if crowd.kind == "sessions" and crowd.sessions < root.behind:
            label = f"{grouped(crowd.sessions)} of {grouped(root.behind)} sessions"
            steps[-1] = msgspec.structs.replace(crowd, label=label)
    links = [_link(step, at, steps, root) for at, step in enumerate(steps)]
    half = _MOST // 2
    return links if len(links) <= _MOST else [*links[:half], *links[-half:]]


def wide_chain(waited_for: str, root: RootDoc | None, sessions: int) -> list[StoryLink]:
    """Return the chain of waits at many places: what they wait for, with the largest, and all."""
    largest = f"largest: {short(root.name)}, {root.share:.0%} of session time" if root else ""
    return [
        StoryLink(
            role="resource",
            title=_upper(waited_for),
            detail=f"no single holder; {largest}" if largest else "no single holder",
        ),
        StoryLink(role="victims", title=counted(sessions, "session"), sessions=sessions),
    ]


def trigger(root: RootDoc | None) -> PathStepDoc | None:
    """Return the session that waits for the root and that the others wait for; None without one.

    Its request made the pile: before it, nobody waited behind the root.
    """
    if root is None or not root.steps or not _has_most(root.steps[0], root):
        return None
    sessions = [step for step in root.steps if step.kind == "session"]
    if len(sessions) != 2 or root.steps[0].kind != "sessions" or root.steps[-1] is not sessions[1]:
        return None
    known = all(step.session_id is not None for step in sessions)
    return sessions[0] if known else None


def _has_most(crowd: PathStepDoc, root: RootDoc) -> bool:
    """Return whether most sessions behind a root wait at the start of its path, as in a chain."""
    return crowd.sessions >= MOST_TIME * root.behind


def _link(step: PathStepDoc, at: int, steps: list[PathStepDoc], root: RootDoc) -> StoryLink:
    if step.kind == "sessions" or (at == len(steps) - 1 and step.kind == "session"):
        count = step.sessions if step.kind == "sessions" else 1
        return StoryLink(
            role="victims",
            title=_upper(short(step.label)),
            detail=verb_of(step.statement) or "",
            statement=step.statement,
            session_id=step.session_id,
            sessions=count,
            since=step.since,
        )
    if step.kind == "resource":
        return StoryLink(
            role="resource", title=resource(step), detail=_held(root) if at == 0 else ""
        )
    return StoryLink(
        role="holder" if at == 0 else "trigger" if step is trigger(root) else "waiter",
        title=_upper(short(step.label)),
        detail="idle in a transaction" if step.idle else verb_of(step.statement) or "",
        statement=step.statement,
        session_id=step.session_id,
        since=step.since,
    )


def _held(root: RootDoc) -> str:
    """Describe who holds a resource that is itself the root."""
    if root.rotates:
        return short(root.holders_do).removeprefix("whose ") or "holders change"
    return "" if root.known else "holder unknown"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


__all__ = ["chain", "trigger", "wide_chain"]
