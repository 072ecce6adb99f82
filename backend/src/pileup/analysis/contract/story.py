"""The story of the leading stall: who blocked whom, its cost, its turning points, what helps."""

from __future__ import annotations

from typing import Literal

from pileup.analysis.contract.base import Doc


class StoryLink(Doc, frozen=True, kw_only=True):
    """One link of the chain from the holder to the victims."""

    role: Literal["holder", "trigger", "waiter", "resource", "victims"]
    """holder: what nothing else blocks. trigger: the request that set the pileup off. waiter: waits
    and blocks others. resource: a lock, latch or queue between two of them, or the root itself."""
    title: str
    """'Session 197', 'metadata lock app.accounts', '160 sessions'."""
    detail: str = ""
    """What it does: 'idle in a transaction', or its statement."""
    statement: str | None = None
    session_id: int | None = None
    sessions: int | None = None
    """Of victims: how many, at ``time`` of the root."""
    since: str | None = None
    """When its statement or transaction began, as far as a source prints it."""


class StoryMark(Doc, frozen=True, kw_only=True):
    """A turning point of the stall, for a chart over time."""

    kind: Literal["cause", "trigger", "end"]
    at: str
    text: str
    """'SELECT of session 197 begins'."""


class StoryImpact(Doc, frozen=True, kw_only=True):
    """What the stall cost. None: not measured."""

    waited_s: float | None = None
    """Session-seconds spent waiting for another session or a shared resource."""
    waited_share: float | None = None
    """Of all active-session seconds, 0..1."""
    unit: str = ""
    """What is counted as work: 'statements', 'transactions'; '' without such a series."""
    usual_per_s: float | None = None
    """Median before the stall."""
    stall_per_s: float | None = None
    """Median during the stall."""
    missing: float | None = None
    """Work that was not done: usual x seconds, less what was done; None unless it fell."""
    standstill_at: str | None = None
    """Start of the longest time within the stall in which next to nothing was done; None where none
    lasted, or where the work fell for most of the stall."""
    standstill_s: float | None = None
    """Its length."""
    sentences: list[str] = []
    """The same in the words of users, most important first; no internals."""


class StoryFix(Doc, frozen=True, kw_only=True):
    """Something that helps at once."""

    finding: str
    """Id of the finding with this remedy."""
    action: str
    command: str | None = None
    """The statement to run, with the ids of this incident; None: not one statement."""
    precondition: str | None = None
    side_effects: str | None = None


class StoryWork(Doc, frozen=True, kw_only=True):
    """Completed work per second over the capture."""

    title: str
    """What is counted: 'statements', 'transactions', 'rows read'."""
    times: list[str]
    values: list[float]
    """At ``times``; of a long series the means of equal parts."""


class StoryDoc(Doc, frozen=True, kw_only=True):
    """Everything that the first page of an incident shows; the sentence is ``headline.story``."""

    plain: str
    """At most 25 words without internals, for people who do not run databases.

    "" without a stall.
    """
    chain: list[StoryLink]
    """From the holder to the victims; empty if no root is known."""
    impact: StoryImpact
    fixes: list[StoryFix]
    marks: list[StoryMark]
    """In time order."""
    work: StoryWork | None = None
    """What a chart shows where nothing counts active sessions over time; else None."""


__all__ = ["StoryDoc", "StoryFix", "StoryImpact", "StoryLink", "StoryMark", "StoryWork"]
