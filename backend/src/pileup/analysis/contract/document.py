"""The whole analysis document and its JSON Schema."""

from __future__ import annotations

from typing import Any

import msgspec

from pileup.analysis.contract.artifacts import (
    ArtifactDoc,
    EventDoc,
    SeriesDoc,
    SettingDoc,
    SnapshotDoc,
    TableChangeDoc,
    TableDoc,
)
from pileup.analysis.contract.base import SCHEMA, Doc, Headline, ProblemDoc, UnansweredDoc
from pileup.analysis.contract.blocked_time import ActiveSessionsDoc, RootDoc
from pileup.analysis.contract.captures import CaptureDoc, EpisodeDoc, RecurrenceDoc
from pileup.analysis.contract.deadlocks import DeadlockDoc, DeadlockPatternDoc
from pileup.analysis.contract.findings import (
    AbsenceDoc,
    FindingDoc,
    LimitDoc,
    LookedAtDoc,
    SlowQueryDoc,
    TriageDoc,
)
from pileup.analysis.contract.stacks import HotStackDoc
from pileup.analysis.contract.stalls import ShiftDoc, StallDoc
from pileup.analysis.contract.story import StoryDoc
from pileup.analysis.contract.waits import (
    BlockerDoc,
    HotLatchDoc,
    HotWaitDoc,
    WaitPersistence,
)
from pileup.json_values import resolve_types


class Analysis(Doc, frozen=True, kw_only=True):
    schema: str
    engine: str
    """Version of the engine."""
    headline: Headline
    story: StoryDoc | None = None
    """Of the leading stall; None without a stall."""
    server: dict[str, str | None]
    """version, family (mysql, percona, mariadb), comment."""
    artifacts: list[ArtifactDoc]
    snapshots: list[SnapshotDoc]
    series: list[SeriesDoc]
    stalls: list[StallDoc]
    shifts: list[ShiftDoc]
    hot_waits: list[HotWaitDoc]
    hot_latches: list[HotLatchDoc]
    blockers: list[BlockerDoc]
    hot_stacks: list[HotStackDoc]
    settings: list[SettingDoc]
    events: list[EventDoc]
    deadlocks: list[DeadlockDoc]
    deadlock_patterns: list[DeadlockPatternDoc]
    """The same deadlocks folded by kind, statements, tables, indexes and modes."""
    triage: list[TriageDoc]
    findings: list[FindingDoc]
    problems: list[ProblemDoc]
    absences: list[AbsenceDoc] = []
    """Known problems checked without a match; empty if nothing stalled."""
    looked_at: LookedAtDoc | None = None
    slow_queries: list[SlowQueryDoc] = []
    tables: list[TableDoc] = []
    table_changes: list[TableChangeDoc] = []
    persistence: WaitPersistence | None = None
    """Persistence of waits; by far the largest part if thousands wait."""
    captures: list[CaptureDoc] = []
    """In time order. Everything outside of ``captures`` and ``episodes`` is about the leading
    episode, or about all files."""
    episodes: list[EpisodeDoc] = []
    """Every stall, in time order."""
    recurrence: RecurrenceDoc | None = None
    active_sessions: ActiveSessionsDoc | None = None
    """Of the leading stall, or of the capture without one; None: nothing shows sessions."""
    roots: list[RootDoc] = []
    """Where the blocked time of the leading stall ends, most seconds first. Every screen and
    report takes its root blockers from this table."""
    limits: list[LimitDoc] = []
    """Every gauge whose ceiling is known, the fullest first: reached, near and far."""
    unanswered: list[UnansweredDoc] = []
    """Questions without an answer: their parts are empty because a question failed."""


resolve_types(Analysis)


def encode(document: Doc) -> bytes:
    """Encode a document as UTF-8 JSON."""
    return msgspec.json.encode(document)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the analysis document."""
    schema = msgspec.json.schema(Analysis)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Pileup analysis document ({SCHEMA})",
        **schema,
    }
