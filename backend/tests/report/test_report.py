"""A case made by hand becomes Markdown and self-contained HTML; strangers' text stays text."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

from pileup.analysis import contract as c
from pileup.report.case import (
    SECTION_TITLES,
    Case,
    GraphFigure,
    GraphFigureNode,
    LaneFigure,
    ReportConfidence,
    ReportEvidence,
    ReportExperiment,
    ReportHypothesis,
    ReportPin,
)
from pileup.report.html import render_fragment, render_html
from pileup.report.markdown import render_markdown
from pileup.report.prefill import prefill

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
            hypothesis="An idle transaction holds the row",
            change="KILL 390",
            prediction="waiters fall below 20 in 10 s",
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
        LaneFigure(
            "mysql.Threads_running",
            "threads",
            ((1795213140000, 2.0), (1795213150000, None), (1795213195000, 301.0)),
        ),
    ),
    graph=GraphFigure(
        at="2026-11-20T22:19:52Z",
        headline="Trx 42 blocks 301 threads",
        nodes=(
            GraphFigureNode("trx:42", "trx 42", "thread", 0, 301, True, True, 1),
            GraphFigureNode("g", "waiters", "group", 1, 0, False, False, 301),
        ),
        edges=(("g", "trx:42", "waits_for"),),
    ),
    excerpt=lambda artifact, first, last: f"raw {artifact[:4]} {first}-{last} </pre><script>",
    link=lambda view: f"http://localhost:8710{view}",
)


def test_every_claim_leads_to_numbered_raw_lines() -> None:
    """The blocker's evidence and the pin become footnotes with the raw excerpt."""
    text = render_markdown(CASE, NOW)
    assert "[^4f2a9c01-812-830]" not in text
    assert "[^1]: dump.txt, lines 812–830 <http://localhost:8710/incidents/i1/artifacts" in text
    assert "raw 4f2a 812-830" in text
    assert "301 waiters behind trx 42 (dump.txt, lines 812–830)" in text
    for title in SECTION_TITLES.values():
        assert f"## {title}\n" in text


def test_html_is_self_contained_and_inert() -> None:
    """No script, no request to anywhere, strangers' markup escaped, three numbered figures."""
    html = render_html(CASE, NOW)
    assert "<script" not in html
    assert not re.search(r'(?:src|href)="(?!#|http://localhost:8710/incidents/)', html)
    assert "Clicks stall &amp; &lt;b&gt;more&lt;/b&gt;" in html
    assert [f"Figure {n}." in html for n in (1, 2, 3, 4)] == [True, True, True, False]
    assert 'id="source-1"' in html
    assert 'href="#source-1"' in html


def test_edited_section_wins_and_unknown_source_is_said() -> None:
    """What a person wrote is exported as written; a dead reference is visible, not dropped."""
    text = render_markdown(replace(CASE, sections={"summary": "Mine.[^00000000-1-2]\n"}), NOW)
    assert "## Summary\n\nMine.[^1]" in text
    assert "is no longer part of the incident" in text


def test_empty_case_still_exports() -> None:
    """Nothing analysed, nothing argued: every section says so."""
    empty = Case(
        id="i2",
        title="Empty",
        severity=None,
        service="",
        status="open",
        owner="ann",
        created_at=NOW,
        analysis=None,
    )
    assert "Nothing has been analysed yet" in render_markdown(empty, NOW)
    assert "<svg" not in render_html(empty, NOW)
    assert prefill(empty, "hypotheses") == "No hypothesis was recorded.\n"


def test_preview_drops_markup() -> None:
    """Raw HTML typed into a section is shown as text; dangerous links lose their target."""
    html = render_fragment("<img src=x onerror=alert(1)> [a](javascript:alert(1)) **b**")
    assert "<img" not in html
    assert "javascript:" not in re.sub(r">[^<]*<", "><", html)
    assert "<strong>b</strong>" in html
