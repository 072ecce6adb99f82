"""A case made by hand: one stall, one blocker, an argument, and strangers' text in every place."""

from __future__ import annotations

from datetime import UTC, date, datetime

from pileup.analysis import contract as c
from pileup.report.case import (
    Case,
    ReportAction,
    ReportConfidence,
    ReportEvidence,
    ReportExperiment,
    ReportHypothesis,
    ReportPin,
)
from pileup.report.compose import compose
from pileup.report.document import Document, GraphDrawing, GraphNode, Lane
from pileup.report.release import linked

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
SHA = "4f2a9c01" + "0" * 56
LINES = c.Locator(kind="lines", artifact=SHA, path="dump.txt", line_first=812, line_last=830)

ANALYSIS = c.Analysis(
    schema=c.SCHEMA,
    engine="test",
    headline=c.Headline(verdict="stall", text="Stalled for 55 s.", arrival="Arrival did not rise."),
    server={"version": "8.0.15", "family": "mysql", "comment": None},
    artifacts=[
        c.ArtifactDoc(
            path="dump.txt",
            sha256=SHA,
            bytes=10,
            format="innodb-status",
            host="db-1",
            first="2026-11-20T22:19:10Z",
            last="2026-11-20T22:21:19Z",
            records={"semaphore_wait": 3},
            problems=[],
        )
    ],
    snapshots=[],
    series=[],
    stalls=[
        c.StallDoc(
            kind="stall",
            baseline=None,
            onset="2026-11-20T22:19:49Z",
            end="2026-11-20T22:20:44Z",
            duration_s=55.0,
            peak_at="2026-11-20T22:19:52Z",
            peak_waiters=301,
            evidence=[],
        )
    ],
    shifts=[],
    hot_waits=[],
    hot_latches=[],
    blockers=[
        c.BlockerDoc(
            kind="transaction",
            id="trx:42",
            holder="trx 42 <script>alert(1)</script>",
            time="2026-11-20T22:19:52Z",
            blocks_direct=300,
            blocks_total=301,
            seen=3,
            of=3,
            why="idle, holds the row.",
            evidence=[LINES],
        )
    ],
    hot_stacks=[],
    settings=[],
    events=[],
    deadlocks=[],
    deadlock_patterns=[],
    triage=[],
    findings=[],
    problems=[],
)

PIN = ReportPin(
    id="019a2b3c-4d5e-7000-8000-000000000000",
    title="301 waiters behind trx 42",
    path="dump.txt",
    artifact=SHA,
    line_first=812,
    line_last=830,
    series=(),
    start=None,
    end=None,
    view="/incidents/i1/waits?at=2026-11-20T22:19:52Z",
    excerpt=None,
    stale=False,
)

CASE = Case(
    id="i1",
    title="Clicks stall & <b>more</b>",
    severity="sev2",
    service="ads",
    status="open",
    owner="ann",
    created_at=NOW,
    analysis=ANALYSIS,
    hypotheses=(
        ReportHypothesis(
            label="H1",
            statement="An idle transaction holds the row",
            falsifier="waiters remain after it ends",
            status="supported",
            confidence=80,
            history=(
                ReportConfidence(NOW, "ann", 30, "first look"),
                ReportConfidence(NOW.replace(hour=10), "bob", 80, "the dump names it"),
            ),
            evidence=(ReportEvidence("for", "", PIN),),
        ),
    ),
    experiments=(
        ReportExperiment(
            number=1,
            title="Kill it",
            hypothesis="H1",
            change="KILL 390",
            prediction="waiters fall below 20 in 10 s",
            standing="locked",
            locked_at=NOW,
            observation="12",
            verdict="match",
            failed_same_way="no",
            conclusion="confirmed",
            artifacts=("after.csv",),
            pins=(),
        ),
    ),
    pins=(PIN,),
    lanes=(
        Lane(
            "Threads running",
            "threads",
            [(1795213140000, 2.0), (1795213150000, None), (1795213195000, 301.0)],
        ),
    ),
    actions=(
        ReportAction("Alert on idle transactions", "ann", None, "open", None, None),
        ReportAction("Kill idle ones", "bob", date(2026, 12, 1), "done", 1, "match"),
    ),
    graph=GraphDrawing(
        at="2026-11-20T22:19:52Z",
        headline="Trx 42 blocks 301 threads",
        nodes=[
            GraphNode("trx:42", "trx 42", "thread", 0, 301, True, True, 1, [("user", "shop")]),
            GraphNode("g", "waiters", "group", 1, members=301),
        ],
        edges=[("g", "trx:42", "waits_for")],
    ),
    excerpt=lambda artifact, first, last: f"raw {artifact[:4]} {first}-{last} </pre><script>",
)


def document(case: Case = CASE) -> Document:
    """The report of a case, written at NOW, on its way out."""
    return linked(compose(case, NOW), "http://localhost:8710", case.id)
