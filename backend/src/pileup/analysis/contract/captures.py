"""Captures of an incident, and the stalls in them as episodes."""

from __future__ import annotations

from typing import Literal

from pileup.analysis.contract.base import Doc, Headline, Window
from pileup.analysis.contract.blocked_time import ActiveSessionsDoc, RootDoc
from pileup.analysis.contract.findings import FindingDoc
from pileup.analysis.contract.stalls import ShiftDoc, StallDoc
from pileup.analysis.contract.waits import BlockerDoc

Verdict = Literal["stall", "short", "calm", "inside", "unknown"]


class CaptureDoc(Doc, frozen=True, kw_only=True):
    """A stretch in which one host was observed densely enough to judge it."""

    id: str
    """Host and first sample: 'db-1@2026-11-20T22:17:05Z'."""
    host: str | None
    first: str | None
    """First sample; None when no evidence has samples over time."""
    last: str | None
    verdict: Verdict
    """short: work piled up and cleared within seconds. inside: it begins and ends inside a stall.
    unknown: nothing in it shows sessions or work over time."""
    text: str
    """The verdict as a sentence."""
    artifacts: list[str]
    """SHA-256 of the files that it uses, its own first."""
    gaps: list[Window]
    """Ranges inside it without any sample: nothing is drawn or counted across them."""
    episodes: list[str]
    """Its stalls, in time order."""
    short_stalls: int = 0
    interval_s: float | None = None
    """Its shortest sampling interval."""
    bundles: list[str] = []
    """pt-stalk bundles in it."""
    active_sessions: ActiveSessionsDoc | None = None
    """None: nothing in it shows how many sessions were active."""


class EpisodeDoc(Doc, frozen=True, kw_only=True):
    """One stall in one capture, with its own findings."""

    id: str
    """Host and onset: 'db-1@2026-11-20T22:17:05Z'."""
    capture: str
    stall: StallDoc
    headline: Headline
    finding: str | None
    """Id of its most likely cause; None: nothing known matches, or it was not analysed."""
    findings: list[FindingDoc]
    """Best first."""
    blockers: list[BlockerDoc]
    """The roots as nodes of the wait graph."""
    shifts: list[ShiftDoc]
    analysed: bool = True
    """False: one of very many stalls, of which only the larger ones were analysed."""
    leading: bool = False
    """The episode that the document describes outside of ``episodes``."""
    same_as: str | None = None
    """The episode of a denser capture that shows the same stall of the same host."""
    active_sessions: ActiveSessionsDoc | None = None
    roots: list[RootDoc] = []
    """Where its blocked time ends, most seconds first."""


class RecurrenceDoc(Doc, frozen=True, kw_only=True):
    """How often the incident's captures show a stall, and whether for one reason."""

    captures: int
    stalls: int
    """Different stalls: one that two captures show counts once."""
    short: int
    """Captures in which work piled up and cleared within seconds."""
    least_apart_s: float | None
    """Shortest time between two onsets of one host; None with fewer than two stalls."""
    most_apart_s: float | None
    finding: str | None
    """The likely cause that most stalls share."""
    shared_by: list[str]
    """Episodes with that cause first."""
    exceptions: list[str]
    """Episodes with another likely cause, or with none."""
    text: str
    """All of it in one or two sentences; '' for one capture with at most one stall."""
