"""One number, one definition: what the overview, the graph, the panel and the report say agree."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Literal

import pytest

from pileup.analysis.blocked_time.moment_roots import wait_graph
from pileup.analysis.contract import StallDoc, StallEvidence
from pileup.analysis.evidence.times import parse
from pileup.analysis.findings.summary import stall_sentence
from pileup.analysis.stalls.documents import main_stall, worst_time
from pileup.analysis.story.names import resource
from pileup.analysis.waits.moments import AT_MOST, MomentChoice, WaitMoment, choose_moments, spread
from pileup.analysis.waits.tally import persistence
from pileup.numerals import grouped
from pileup.report.case import Case
from pileup.report.text.prefill import prefill
from tests.support.captures import REPOSITORY, analysis_of, evidence_of, of_samples, sample

EVERY_SAMPLE = sorted(each.name for each in (REPOSITORY / "samples").iterdir() if each.is_dir())


@of_samples()
def test_the_overview_and_the_wait_screen_say_the_same(name: str) -> None:
    evidence, analysis = evidence_of(sample(name)), analysis_of(sample(name))
    stall = main_stall(analysis.stalls)
    assert stall is not None
    at = worst_time(stall)
    assert at is not None
    worst = wait_graph(evidence, at, analysis.roots, fold=False)
    assert worst.waiters == stall.peak_waiters
    first, root = worst.roots[0], analysis.roots[0]
    shown = next(node for node in worst.nodes if node.id == first.node)
    assert (root.name or root.label).startswith(shown.label)
    assert worst.headline.startswith(f"{shown.label[0].upper()}{shown.label[1:]}")
    assert not any("whole stall" in note for note in worst.notes)
    assert f" {grouped(stall.peak_waiters)} sessions waited." in analysis.headline.text

    assert all(root.behind <= stall.peak_waiters for root in analysis.roots)

    blockers = analysis.persistence
    assert blockers
    by_key = {item.key: item for item in blockers.nodes}
    for blocker in analysis.blockers:
        assert blocker.blocks_total <= blocker.waiters <= stall.peak_waiters
        assert (blocker.of, blocker.among) == (blockers.of, blockers.among)
        graph = wait_graph(evidence, parse(blocker.time), fold=False) if blocker.time else None
        node = next(n for n in graph.nodes if n.id == blocker.id) if graph else None
        assert graph is not None
        assert node is not None
        assert (node.blocks_total, node.blocks_direct) == (
            blocker.blocks_total,
            blocker.blocks_direct,
        )
        lasting = by_key[node.lasting or node.id]
        if blocker.nodes == 1:
            assert (lasting.root, lasting.blocking) == (blocker.seen, blocker.blocking)
            assert lasting.blocked_thread_s == blocker.blocked_thread_s
        else:  # several latches of one origin, each of which has its own
            assert lasting.root <= blocker.seen
            assert lasting.blocking <= blocker.blocking


@pytest.mark.parametrize(
    ("counts", "count", "sentence"),
    [
        ("waiting", 264, "(peak 268). At the worst moment, 22:17:13 UTC, 264 sessions waited."),
        ("waiting", 1, "(peak 268). At the worst moment, 22:17:13 UTC, 1 session waited."),
        ("running", 268, "(peak 268). The peak was at 22:17:13 UTC."),
        ("running", 300, " At the worst moment, 22:17:13 UTC, 300 sessions ran at the same time."),
    ],
)
def test_two_peaks_are_two_different_things(
    counts: Literal["waiting", "running"], count: int, sentence: str
) -> None:
    rose = "threads_running rose (peak 268)"
    moved = StallEvidence(
        series="s", baseline=2, stall=226, peak=268, direction="up", onset=None, text=rose
    )
    stall = StallDoc(
        kind="stall", baseline=None, onset="2026-11-20T22:17:05Z", end=None, duration_s=80,
        peak_at="2026-11-20T22:17:13Z", peak_waiters=count, peak_counts=counts, evidence=[moved],
    )  # fmt: skip
    assert stall_sentence(stall).endswith(sentence)


@of_samples()
def test_the_report_says_what_the_overview_says(name: str) -> None:
    analysis = analysis_of(sample(name))
    now = datetime(2026, 11, 21, tzinfo=UTC)
    case = Case(id="i", title="t", severity=None, service="", status="open", owner="o",
                created_at=now, analysis=analysis)  # fmt: skip
    top = analysis.blockers[0]
    assert top.persistence in prefill(case, "what_happened")
    stall = main_stall(analysis.stalls)
    assert stall is not None
    assert stall_sentence(stall) in prefill(case, "summary")
    assert f"{top.persistence[0].lower()}{top.persistence[1:]}" in analysis.headline.text


@of_samples(EVERY_SAMPLE)
def test_a_stall_has_one_holder_one_count_and_one_fall(name: str) -> None:
    """Whatever names one of them takes it from the table of roots, the stall or the medians."""
    analysis = analysis_of(sample(name))
    stall, story, headline = main_stall(analysis.stalls), analysis.story, analysis.headline
    assert stall is not None
    assert story is not None
    for text in (headline.story, story.plain, headline.text):
        for count in re.findall(r"([\d\u202f]+) (?:database )?sessions (?:waited|piled)", text):
            assert int(count.replace("\u202f", "")) == stall.peak_waiters, text
    root = analysis.roots[0] if analysis.roots else None
    if root is not None and analysis.blockers:
        blocker = analysis.blockers[0]
        assert (blocker.holder, blocker.blocks_total) == (root.label, root.behind)
        assert root.label in headline.text
    if root is not None and story.chain:
        victims = story.chain[-1]
        assert resource(root.steps[-1]).lower() == story.chain[0].title.lower()
        assert victims.title.partition(" of ")[2] in ("", f"{grouped(root.behind)} sessions")
        assert (victims.sessions or 0) <= root.behind <= (stall.peak_waiters or 0)
    cost = story.impact
    for share in re.findall(r"(\d+)% fewer", headline.story + story.plain):
        assert cost.usual_per_s
        assert int(share) == round(100 * (1 - (cost.stall_per_s or 0) / cost.usual_per_s))


def moment(second: int, kind: str, waiters: int, snapshot: int = 0) -> WaitMoment:
    return WaitMoment(second * 1_000_000, "a" * 64, snapshot, kind, "db-1", waiters, 0, None)


def test_moments_are_counted_with_their_kind() -> None:
    from pileup.analysis.evidence.context import Span

    stall = Span(0, 200_000_000)
    dumps = [moment(t, "innodb_status", 30) for t in range(40)]
    lists = [moment(t, "processlist", 5) for t in range(0, 40, 4)]
    choice = choose_moments([*dumps, *lists], stall, None)
    assert (choice.among, choice.total) == ("24 sampled status dumps", 40)
    assert choose_moments(dumps[:7], stall, "db-1").among == "7 status dumps of the stall"
    assert choose_moments(dumps[:7], stall, "db-2").among == "0 status dumps with waiters"
    quiet = [moment(t, "innodb_status", int(t == 3)) for t in range(40)]
    assert choose_moments([*quiet, *lists], stall, None).among == "10 processlists of the stall"
    assert choose_moments([*quiet, *lists[:1]], stall, None).unit == "status dump"
    assert choose_moments(quiet, None, None).among == "1 status dump with waiters"


def test_those_that_are_looked_at_are_spread_and_hold_the_worst() -> None:
    some = [moment(t, "innodb_status", 900 if t == 77 else 10) for t in range(100)]
    chosen = spread(some)
    assert len(chosen) == AT_MOST
    assert some[77] in chosen
    assert [item.time or 0 for item in chosen] == sorted(item.time or 0 for item in chosen)


def test_a_blocker_s_words() -> None:
    """The wait graph's screen uses the same words (persistenceText in waits/nodeText.ts)."""
    among = MomentChoice(
        "status dump", (moment(1, "innodb_status", 1),) * 7, 7, "of the stall"
    ).among
    assert persistence(4, 5, among) == (
        "Root blocker in 4 of 7 status dumps of the stall, blocks in 5"
    )
    assert persistence(5, 5, among) == "Root blocker in 5 of 7 status dumps of the stall"
    assert persistence(5, 5, among, 3).endswith("(3 similar ones combined)")
