"""Laws of blocked time that hold for every analysis, whatever the evidence.

Held by the samples, the captures, published cases and single files as people paste them.
"""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest

from pileup.analysis import analyse
from pileup.analysis.contract import (
    ActiveSessionsDoc,
    Analysis,
    BlockerDoc,
    FindingDoc,
    RootDoc,
    ShiftDoc,
    StallDoc,
)
from pileup.knowledge import wait_classes
from tests.analysis.waits.test_waits import evidence, sessions
from tests.conftest import REPOSITORY
from tests.support.captures import (
    CAPTURES,
    analysis_of,
    analysis_of_file,
    of_captures,
    of_samples,
    sample,
)
from tests.support.rounds import Rounds

_CASES = Path(os.environ.get("PILEUP_CASES", Path(__file__).parents[4] / "shared/cases"))
_PRINTED = sorted(path for path in _CASES.glob("*/**/*") if path.is_file() and path.suffix != ".md")
_PASTED = sorted(
    path
    for kind in ("processlist", "innodb-status", "lock-tables", "pmp", "gdb", "error-log")
    for path in (REPOSITORY / "backend/tests/samples" / kind).iterdir()
    if path.suffix not in (".summary", ".md") and path.stat().st_size < 50_000
)
_PARTS = 4
_SYMPTOM = 0.5
_RAW_TIME = re.compile(r"\bat \d{4}-\d\d-\d\dT")
_TIMES_NOTHING = re.compile(r"\d{4,} times as (long|many|much)")


@of_samples()
def test_the_laws_hold_for_samples(name: str) -> None:
    check(analysis_of(sample(name)))


@pytest.mark.slow
@of_captures(CAPTURES)
def test_the_laws_hold_for_captures(captures: Path, name: str) -> None:
    check(analysis_of(captures / name))


def test_the_laws_hold_for_a_pasted_file(rounds: Rounds) -> None:
    for path in rounds.in_turn(_PASTED, _PARTS):
        check(analysis_of_file(path))


@pytest.mark.skipif(not _PRINTED, reason="no folder of published cases (PILEUP_CASES)")
def test_the_laws_hold_for_published_cases(rounds: Rounds) -> None:
    for path in rounds.in_turn(_PRINTED, 2 * _PARTS):
        check(analysis_of_file(path))


_STATES = (
    *("Waiting for table metadata lock", "Waiting for global read lock"),
    *("updating", "statistics", "Sending data", "query end"),
)
_COLLECTORS = (
    "SHOW FULL PROCESSLIST",
    "SHOW ENGINE INNODB STATUS",
    "SHOW GLOBAL STATUS",
    "select * from information_schema.processlist",
    "SELECT * FROM performance_schema.threads",
    "show variables",
)


@pytest.mark.seeds(6, 60)
def test_the_collector_is_no_suspect(seed: int) -> None:
    """Sessions that look at the server change no finding, no root and no check."""
    dice = random.Random(seed)
    state = dice.choice(
        [
            "Waiting for table metadata lock",
            "Waiting for global read lock",
            "updating",
            "statistics",
        ]
    )
    rows: list[tuple[int, str, int, str | None, str]] = [
        (n, "Query", dice.randint(5, 60), state, f"UPDATE orders SET a = {n} WHERE id = {n}")
        for n in range(20, 20 + dice.randint(1, 30))
    ]
    rows.append((7, "Query", 90, "User sleep", "SELECT SLEEP(90) FROM orders"))
    ours = [
        (500 + n, "Query", dice.randint(0, 200), dice.choice(["", "starting", "executing"]), text)
        for n, text in enumerate(dice.sample(_COLLECTORS, dice.randint(1, 6)))
    ]
    alone, watched = (analyse(evidence(sessions(*each))) for each in (rows, [*rows, *ours]))
    assert [(f.id, f.score) for f in watched.findings] == [(f.id, f.score) for f in alone.findings]
    assert [(root.key, root.share) for root in watched.roots] == [
        (root.key, root.share) for root in alone.roots
    ]
    assert [(doc.check, doc.verdict) for doc in watched.triage] == [
        (doc.check, doc.verdict) for doc in alone.triage
    ]


def check(analysis: Analysis) -> None:
    """Check every scope of an analysis: the main stall, each episode, each capture."""
    scopes = [
        (None, analysis.active_sessions, analysis.roots, analysis.blockers, analysis.findings),
        *(
            (each.stall, each.active_sessions, each.roots, each.blockers, each.findings)
            for each in analysis.episodes
        ),
    ]
    for stall, active, roots, blockers, findings in scopes:
        if active is not None:
            check_active(active)
        check_roots(roots, active)
        check_blockers(blockers, roots, stall)
        check_findings(findings)
    for capture in analysis.captures:
        if capture.active_sessions is not None:
            check_active(capture.active_sessions)
    for shift in [*analysis.shifts, *(s for each in analysis.episodes for s in each.shifts)]:
        check_direction(shift)


def check_active(doc: ActiveSessionsDoc) -> None:
    """Every session has one class, and classes add up to the active sessions."""
    assert sum(each.share for each in doc.classes) <= 1.01
    for at, level in enumerate(doc.level):
        total = sum(each.values[at] for each in doc.classes)
        assert abs(total - level) <= 0.1 + 0.01 * level
    assert doc.peak >= max(doc.level, default=0.0) - 0.1
    if doc.seconds is not None:
        assert sum(each.seconds or 0.0 for each in doc.classes) <= doc.seconds * 1.01 + 1
        assert doc.low is None or doc.low <= doc.seconds
        assert doc.high is None or doc.seconds <= doc.high


def check_roots(roots: list[RootDoc], active: ActiveSessionsDoc | None) -> None:
    """Roots are parts of one time, most first, and no collector is one."""
    assert sum(root.share for root in roots) <= 1.001
    assert [root.share for root in roots] == sorted((r.share for r in roots), reverse=True)
    assert len({root.key for root in roots}) == len(roots)
    for root in roots:
        assert 0 < root.share <= 1
        assert root.low <= root.share <= root.high
        assert not wait_classes.is_collector(root.statement)
        if root.seconds is not None and active is not None and active.seconds is not None:
            assert abs(root.seconds - root.share * active.seconds) <= 0.1 + 1e-3 * active.seconds


def check_blockers(
    blockers: list[BlockerDoc], roots: list[RootDoc], stall: StallDoc | None
) -> None:
    """The blockers are the roots, in their order, and block no more than wait."""
    order = [root.key for root in roots]
    named = [blocker.root for blocker in blockers]
    assert named == [key for key in order if key in named]
    for blocker in blockers:
        assert blocker.blocks_direct <= blocker.blocks_total <= blocker.waiters
        if stall is not None and stall.peak_counts == "waiting":
            assert stall.peak_waiters is None or blocker.waiters <= stall.peak_waiters


def check_findings(findings: list[FindingDoc]) -> None:
    """Impact and confidence are shares; a symptom names a finding that is listed.

    Symptoms come last and are an even bet at most; what explains one is explained by it never, and
    ends in a problem. What is found comes before what is only seen.
    """
    listed = {finding.id for finding in findings}
    roles = [finding.role == "symptom" for finding in findings]
    assert roles == sorted(roles)
    for is_symptom in (False, True):
        seen = [f.verdict != "found" for f in findings if (f.role == "symptom") == is_symptom]
        assert seen == sorted(seen)
    causes = {finding.id: finding.explained_by for finding in findings}
    for finding in findings:
        assert finding.role != "symptom" or finding.score <= _SYMPTOM
        chain = [finding.id]
        while (cause := causes[chain[-1]]) is not None:
            assert cause not in chain, chain
            chain.append(cause)
        assert not _RAW_TIME.search(" ".join([finding.why, *(e.text for e in finding.evidence)]))
        assert not _TIMES_NOTHING.search(finding.why)
    for finding in findings:
        assert 0 <= finding.score <= 1
        assert finding.explained_by is None or finding.explained_by in listed - {finding.id}
        if finding.impact is not None:
            low, high = finding.impact_range
            assert 0 <= low <= finding.impact <= high <= 1


def check_direction(shift: ShiftDoc) -> None:
    """A rise is a higher value, a fall a lower one, and a factor is of the larger one."""
    if shift.baseline is None or shift.stall is None:
        return
    assert (shift.direction == "up") == (shift.stall > shift.baseline)
    assert (" rose " in shift.text) == (shift.direction == "up"), shift.text
