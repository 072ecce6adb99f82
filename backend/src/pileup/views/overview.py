"""Build the overview of an incident: verdict, five numbers, the best of each list, the gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import msgspec

from pileup.analysis.contract import MOST_TIME, StallDoc
from pileup.analysis.evidence import gaps
from pileup.analysis.evidence.gaps import Gap
from pileup.analysis.evidence.servers import server_title
from pileup.analysis.stalls.documents import main_stall
from pileup.storage.artifacts.artifacts import Artifact, Artifacts
from pileup.storage.database import Unit
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.incidents.incidents import Incident
from pileup.storage.queue.jobs import Jobs
from pileup.storage.reasoning.pins import Pins
from pileup.views.documents import (
    AbsenceJson,
    ActiveSessionsJson,
    BlockerJson,
    CaptureJson,
    ClockJson,
    DeadlockJson,
    DeadlockPatternJson,
    FindingJson,
    HeadlineJson,
    HotLatchJson,
    HotStackJson,
    HotWaitJson,
    LimitJson,
    LookedAtJson,
    RecurrenceJson,
    RootJson,
    ShiftJson,
    StallJson,
    StoryJson,
    TriageJson,
    UnansweredJson,
)

MOST_FINDINGS, MOST_BLOCKERS, MOST_SHIFTS = 5, 5, 12
MOST_HOT = 10
"""Waits, latches and stacks, each."""
MOST_PATTERNS = 5
MOST_LIMITS = 10

_PARTS = (
    "engine",
    "headline",
    "story",
    "server",
    "stalls",
    "shifts",
    "hot_waits",
    "hot_latches",
    "blockers",
    "hot_stacks",
    "deadlocks",
    "deadlock_patterns",
    "limits",
    "triage",
    "findings",
    "absences",
    "looked_at",
    "captures",
    "episodes",
    "recurrence",
    "active_sessions",
    "roots",
    "unanswered",
)


@dataclass(frozen=True, slots=True)
class OverviewAnalysis:
    state: Literal["none", "queued", "running", "done", "failed"]
    started_at: datetime | None
    finished_at: datetime | None
    engine: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class RootBlocker:
    label: str
    blocks_total: int
    share: float | None
    """Of the stall's active-session seconds; None when those are not known."""
    is_one_of_several: bool
    """Whether there are other root blockers, and this one has not most of the time."""


@dataclass(frozen=True, slots=True)
class Numbers:
    onset: datetime | None
    duration_s: float | None
    peak_waiters: int | None
    peak_counts: Literal["waiting", "running"]
    """What ``peak_waiters`` counts: threads of the wait graph at ``peak_at``, or sessions."""
    peak_at: datetime | None
    root_blocker: RootBlocker | None
    coverage: float | None
    """Understood bytes of all bytes read."""


@dataclass(frozen=True, slots=True)
class ArtifactCounts:
    total: int
    done: int
    problems: int
    failed: int
    unknown: int
    parsing: int


@dataclass(frozen=True, slots=True)
class PlacedClock:
    artifact: str
    path: str
    host: str | None
    clock: ClockJson


@dataclass(frozen=True, slots=True)
class Overview:
    incident: Incident
    headline: HeadlineJson | None
    story: StoryJson | None
    """Chain, cost, turning points and what helps; the sentence is in the headline."""
    analysis: OverviewAnalysis
    server: dict[str, str | None]
    numbers: Numbers
    stalls: list[StallJson]
    captures: list[CaptureJson]
    """In time order; the stalls of each, and its active sessions, are at /episodes."""
    active_sessions: ActiveSessionsJson | None
    """Of the capture with the leading stall; without a stall, of the first with any."""
    active_gaps: list[dict[str, str]]
    """Ranges of that capture without samples."""
    roots: list[RootJson]
    recurrence: RecurrenceJson | None
    findings: list[FindingJson]
    absences: list[AbsenceJson]
    """Known problems without a match, or without anything to check them on."""
    looked_at: LookedAtJson | None
    blockers: list[BlockerJson]
    triage: list[TriageJson]
    shifts: list[ShiftJson]
    hot_waits: list[HotWaitJson]
    hot_latches: list[HotLatchJson]
    hot_stacks: list[HotStackJson]
    deadlocks: list[DeadlockJson]
    deadlock_patterns: list[DeadlockPatternJson]
    """The most frequent first."""
    limits: list[LimitJson]
    """Those that are reached or near, the fullest first."""
    clocks: list[PlacedClock]
    gaps: list[Gap]
    artifacts: ArtifactCounts
    unanswered: list[UnansweredJson]
    """Questions that failed: their part above is not known, whatever it holds."""
    shown_stall: str | None
    """The stall that headline, numbers, findings, roots and shifts describe; None: the leading
    one. What only the leading stall has, such as checks and hot waits, is empty."""
    stale_pins: int
    """Those that nobody answered yet."""


def build_overview(unit: Unit, incident: Incident, stall: str | None = None) -> Overview:
    """Build the overview from the stored analysis and the artifacts.

    stall: id of a stall to describe, or of a capture for its longest one; the leading stall if the
    analysis has no such stall (any more).
    """
    parts = Analyses(unit).parts(incident.id, *_PARTS) or {}
    shown_stall = _chosen(parts, stall)
    if shown_stall is not None:
        parts = _of_stall(parts, shown_stall)
    state = Jobs(unit).analysis_state(incident.id)
    artifacts = [a for a in Artifacts(unit).of_incident(incident.id) if a.state != "expanded"]
    kinds: dict[str, int] = {}
    for artifact in artifacts:
        if artifact.is_analysed:
            for kind, count in artifact.records.items():
                kinds[kind] = kinds.get(kind, 0) + count
    shown = _shown_capture(parts)
    return Overview(
        incident=incident,
        headline=parts.get("headline"),
        story=parts.get("story"),
        analysis=OverviewAnalysis(
            state=state.state,
            started_at=state.started_at,
            finished_at=state.finished_at,
            engine=parts.get("engine"),
            error=state.error,
        ),
        server=_server(parts.get("server") or {}),
        numbers=_numbers(parts, artifacts),
        stalls=parts.get("stalls", []),
        captures=[{**capture, "active_sessions": None} for capture in parts.get("captures") or []],
        active_sessions=shown.get("active_sessions") or parts.get("active_sessions"),
        active_gaps=shown.get("gaps") or [],
        roots=parts.get("roots") or [],
        recurrence=parts.get("recurrence"),
        findings=parts.get("findings", [])[:MOST_FINDINGS],
        absences=parts.get("absences", []),
        looked_at=parts.get("looked_at"),
        blockers=parts.get("blockers", [])[:MOST_BLOCKERS],
        triage=parts.get("triage", []),
        shifts=[each for each in parts.get("shifts", ()) if not each.get("same_as")][:MOST_SHIFTS],
        hot_waits=parts.get("hot_waits", [])[:MOST_HOT],
        hot_latches=parts.get("hot_latches", [])[:MOST_HOT],
        hot_stacks=parts.get("hot_stacks", [])[:MOST_HOT],
        deadlocks=parts.get("deadlocks", []),
        deadlock_patterns=(parts.get("deadlock_patterns") or [])[:MOST_PATTERNS],
        limits=_near_limits(parts),
        clocks=[
            PlacedClock(artifact=a.sha256, path=a.path, host=a.host, clock=a.clock)
            for a in artifacts
            if a.clock is not None and a.is_analysed
        ],
        gaps=gaps.of_records(kinds) if artifacts else [],
        artifacts=_counts(artifacts),
        unanswered=parts.get("unanswered") or [],
        shown_stall=shown_stall,
        stale_pins=Pins(unit).unanswered(incident.id),
    )


_OF_LEADING = ("absences", "triage", "hot_waits", "hot_latches", "hot_stacks", "limits")
"""Lists of the document that are computed for the leading stall only."""


def _near_limits(parts: Mapping[str, Any]) -> list[LimitJson]:
    near = [each for each in parts.get("limits") or [] if each["verdict"] != "far"]
    return near[:MOST_LIMITS]


def _server(names: dict[str, str | None]) -> dict[str, str | None]:
    """Add ``title`` to the names of the document."""
    return {**names, "title": server_title(names.get("family"), names.get("version")) or None}


def _chosen(parts: Mapping[str, Any], wanted: str | None) -> str | None:
    """Return the id of a stall other than the leading one; None where it is that, or unknown."""
    episodes = parts.get("episodes") or []
    of_capture = [each for each in episodes if each["capture"] == wanted]
    named = [each for each in episodes if each["id"] == wanted]
    longest = max(of_capture, key=lambda e: e["stall"]["duration_s"] or 0.0, default=None)
    found = next(iter(named), longest)
    return None if found is None or found["leading"] else found["id"]


def _of_stall(parts: Mapping[str, Any], wanted: str) -> dict[str, Any]:
    """Return the parts as if this stall were the leading one."""
    episodes = [{**each, "leading": each["id"] == wanted} for each in parts["episodes"]]
    episode = next(each for each in episodes if each["leading"])
    shown = episode["stall"]
    stalls = [
        {**each, "leading": (each["onset"], each["host"]) == (shown["onset"], shown["host"])}
        for each in parts.get("stalls") or []
    ]
    own = ("headline", "findings", "blockers", "shifts", "roots", "active_sessions")
    return {
        **parts,
        **{name: episode[name] for name in own},
        **{name: [] for name in _OF_LEADING},
        "looked_at": None,
        "story": None,
        "episodes": episodes,
        "stalls": stalls,
    }


def _shown_capture(parts: dict[str, Any]) -> dict[str, Any]:
    """Return the capture whose active sessions the overview draws; empty if none has any."""
    captures = [each for each in parts.get("captures") or [] if each.get("active_sessions")]
    leading = {e["capture"] for e in parts.get("episodes") or [] if e.get("leading")}
    of_stall = (each for each in captures if each["id"] in leading)
    return next(of_stall, captures[0] if captures else {})


def _numbers(parts: dict[str, Any], artifacts: Sequence[Artifact]) -> Numbers:
    stall = main_stall(msgspec.convert(parts.get("stalls") or [], list[StallDoc]))
    blockers = parts.get("blockers", [])
    root = None
    if blockers:
        first = blockers[0]
        # The same count as in the chain: sessions, while a blocker's own counts all threads.
        behind = {root["key"]: root["behind"] for root in parts.get("roots") or []}
        blocks = behind.get(first.get("root", "")) or first["blocks_total"]
        share = first.get("share")
        root = RootBlocker(
            label=first["holder"],
            blocks_total=blocks,
            share=share,
            is_one_of_several=len(blockers) > 1 and share is not None and share < MOST_TIME,
        )
    return Numbers(
        onset=datetime.fromisoformat(stall.onset) if stall else None,
        duration_s=stall.duration_s if stall else None,
        peak_waiters=stall.peak_waiters if stall else None,
        peak_counts=stall.peak_counts if stall else "waiting",
        peak_at=datetime.fromisoformat(stall.peak_at) if stall and stall.peak_at else None,
        root_blocker=root,
        coverage=_coverage(artifacts),
    )


def _coverage(artifacts: Sequence[Artifact]) -> float | None:
    read = [(a.bytes, a.coverage) for a in artifacts if a.coverage is not None]
    total = sum(size for size, _ in read)
    return sum(size * coverage for size, coverage in read) / total if total else None


def _counts(artifacts: Sequence[Artifact]) -> ArtifactCounts:
    states = [artifact.state for artifact in artifacts]
    return ArtifactCounts(
        total=len(states),
        done=states.count("done"),
        problems=states.count("done_with_problems"),
        failed=states.count("failed"),
        unknown=states.count("unknown_format"),
        parsing=sum(state in ("queued", "identifying", "parsing") for state in states),
    )
