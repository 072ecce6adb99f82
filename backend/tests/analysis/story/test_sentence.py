"""The story of a stall: one sentence, at most 25 words, the same root as the table of roots."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pileup.analysis.contract import (
    ActiveSessionsDoc,
    MitigationDoc,
    PathStepDoc,
    RootDoc,
    StallDoc,
    StallEvidence,
    StoryImpact,
    TimeClassDoc,
)
from pileup.analysis.evidence.context import Context
from pileup.analysis.story import MOST_WORDS, story
from pileup.analysis.story.compose import tell
from pileup.analysis.story.sentence import on_its_day, plain
from tests.analysis.frames import evidence
from tests.analysis.test_rivals import finding


def stall(**given: Any) -> StallDoc:
    values: dict[str, Any] = {
        "kind": "stall",
        "baseline": None,
        "onset": "2026-11-20T22:25:47Z",
        "end": "2026-11-20T22:26:47Z",
        "duration_s": 60.0,
        "peak_at": None,
        "peak_waiters": 161,
        "evidence": [],
    }
    return StallDoc(**(values | given))


def root(**given: Any) -> RootDoc:
    values: dict[str, Any] = {
        "key": "session:197",
        "kind": "session",
        "label": "session 197 (User sleep)",
        "name": "session 197",
        "seconds": 1.0,
        "share": 0.98,
        "low": 0.9,
        "high": 1.0,
        "path": ["160 sessions", "metadata lock app.accounts", "session 197"],
        "why": "",
    }
    steps = [PathStepDoc(kind="resource", label=label) for label in values["path"]]
    return RootDoc(**(values | {"steps": steps} | given))


def active(share: float = 0.9, peak: float = 1.0, level_from: str = "") -> ActiveSessionsDoc:
    latch = TimeClassDoc(id="latch", title="Latch", waits=True, seconds=1.0, share=share, values=[])
    return ActiveSessionsDoc(
        times=[], level=[], classes=[latch], seconds=1.0, low=None, high=None,
        level_from=level_from, mix_from="", peak=peak, peak_at=None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("of", "by", "text"),
    [
        (
            stall(),
            root(),
            (
                "From 22:25:47 UTC for 60 s, up to 161 sessions waited for session 197, which "
                "held the metadata lock app.accounts."
            ),
        ),
        (
            stall(),
            root(
                key="class:throttled",
                kind="throttled",
                name="Throttled (holder unknown)",
                known=False,
            ),
            "From 22:25:47 UTC for 60 s, up to 161 sessions waited for a slot to run in.",
        ),
        (
            stall(),
            root(name="trx 9 · session 390", doing="idle"),
            (
                "From 22:25:47 UTC for 60 s, up to 161 sessions waited for idle session 390, "
                "which held the metadata lock app.accounts."
            ),
        ),
        (
            stall(),
            root(
                name="trx (0x7fda) · session 31 (idle in transaction 2 s, Sleep)",
                doing="idle",
                inferred=True,
                confidence=0.65,
                steps=[
                    PathStepDoc(kind="resource", label=label)
                    for label in ("24 sessions", "exclusive metadata lock shop.orders", "trx")
                ],
            ),
            (
                "From 22:25:47 UTC for 60 s, up to 161 sessions waited for idle session 31, "
                "which may have held the metadata lock shop.orders."
            ),
        ),
        (
            stall(end=None, duration_s=7200.0),
            root(kind="latch", name="adaptive hash latch (btr0sea.cc:202)", rotates=True),
            (
                "From 22:25:47 UTC for at least 120 min, up to 161 sessions waited for the "
                "adaptive hash latch (btr0sea.cc:202), whose holders changed."
            ),
        ),
        (
            stall(),
            root(
                kind="commit",
                name="commit queue",
                rotates=True,
                holders_do="whose leader writes the full-text cache (fts_sync)",
            ),
            (
                "From 22:25:47 UTC for 60 s, up to 161 sessions waited for the commit queue, "
                "whose leader writes the full-text cache."
            ),
        ),
        (
            stall(peak_waiters=1),
            root(kind="latch", name="mutex no-such.cc:1", known=False, share=0.4),
            (
                "From 22:25:47 UTC for 60 s, 1 session waited, 40% of the time for the mutex "
                "no-such.cc:1, whose holder is unknown."
            ),
        ),
        (
            stall(),
            root(share=0.1),
            (
                "From 22:25:47 UTC for 60 s, up to 161 sessions waited, 90% of the time for "
                "latches inside the server."
            ),
        ),
        (
            stall(shape="refused", end=None),
            root(share=0.1),
            (
                "From 22:25:47 UTC for 60 s, the server refused clients; it was not over when "
                "the capture ended."
            ),
        ),
        (
            stall(
                shape="stopped",
                evidence=[
                    StallEvidence(
                        series="metric.qps@db-1",
                        baseline=2000.0,
                        stall=80.0,
                        peak=70.0,
                        direction="down",
                        onset=None,
                        text="",
                    )
                ],
            ),
            root(share=0.1),
            "From 22:25:47 UTC for 60 s, statements per second fell from 2000 to 80.",
        ),
        (stall(peak_waiters=None), root(), "The server stalled from 22:25:47 UTC for 60 s."),
        (
            stall(peak_waiters=None, duration_s=None, end=None),
            root(),
            "The server stalled at 22:25:47 UTC.",
        ),
        (
            stall(),
            root(kind="cycle"),
            "From 22:25:47 UTC for 60 s, up to 161 sessions waited for each other, in a circle.",
        ),
    ],
)
def test_what_it_says(of: StallDoc, by: RootDoc, text: str) -> None:
    assert story(of, [by], active()) == text


@pytest.mark.parametrize(
    ("confidence", "queued"), [(0.9, "queued behind idle"), (0.65, "queued, probably behind idle")]
)
def test_a_request_behind_a_guessed_holder(confidence: float, queued: str) -> None:
    """The request is printed; that the idle session holds what it waits for is not."""
    steps = [
        PathStepDoc(kind="sessions", label="24 sessions", sessions=24),
        PathStepDoc(kind="resource", label="metadata lock shop.orders"),
        PathStepDoc(kind="session", label="32", session_id=32, statement="ALTER TABLE orders ..."),
        PathStepDoc(kind="resource", label="exclusive metadata lock shop.orders"),
        PathStepDoc(kind="session", label="31", session_id=31, idle=True),
    ]
    of = root(steps=steps, behind=25, session_id=31, confidence=confidence, inferred=True)
    assert story(stall(), [of], active()) == (
        f"At 22:25:47 UTC, an ALTER TABLE (session 32) {queued} session 31; "
        "up to 161 sessions waited for 60 s."
    )


def test_work_that_waits_for_nobody_names_its_statement() -> None:
    text = story(stall(), [], None, busy_with="SELECT on shop.orders")
    assert text == (
        "From 22:25:47 UTC for 60 s, up to 161 sessions piled up, most of them in a SELECT on "
        "shop.orders."
    )


def test_what_names_a_session_is_tried_first() -> None:
    """A setting for everybody helps less than to look at the session that may hold the lock."""
    remedies = [
        MitigationDoc(action="Use another engine"),
        MitigationDoc(action="SET GLOBAL x=1", command="SET GLOBAL x=1"),
        MitigationDoc(action="See what session 31 did, which may be the holder, before a KILL"),
        MitigationDoc(action="KILL 32 (the DDL)", command="KILL 32"),
    ]
    for given_order in permutations(remedies):
        found = finding("x", 0.9, mitigations=[*given_order])
        _, document = tell(Context(evidence({})), stall(), [], None, [found])
        assert document is not None
        assert [fix.action[:3] for fix in document.fixes] == ["KIL", "See", "SET", "Use"]


def test_no_stall_has_no_story() -> None:
    assert story(None, [root()], active()) == ""


_labels = st.lists(st.from_regex(r"[a-z(·:.]{1,9}", fullmatch=True), min_size=1, max_size=30).map(
    " ".join
)


@given(
    label=_labels,
    path=st.lists(_labels, max_size=4),
    kind=st.sampled_from(["session", "latch", "cycle", "fsync", "transaction"]),
    shape=st.sampled_from(["piled_up", "refused", "stopped", "slow"]),
    end=st.booleans(),
    waiters=st.none() | st.integers(0, 10**6),
    share=st.floats(0, 1),
    lasted=st.sampled_from([(None, ""), (60.0, " for 60 s"), (9000.0, " for 2 h")]),
)
def test_it_is_always_one_short_sentence_that_says_when(
    label: str, path: list[str], kind: str, shape: str, end: bool, waiters: int | None,
    share: float, lasted: tuple[float | None, str],
) -> None:  # fmt: skip
    seconds, words = lasted
    of = stall(
        shape=shape, peak_waiters=waiters, duration_s=seconds, **({} if end else {"end": None})
    )
    text = story(of, [root(name=label, path=path, kind=kind, share=share)], active(share))
    for_all = plain(of, StoryImpact(missing=1.0, usual_per_s=100.0, stall_per_s=share * 100))
    at_least = words.replace(" for ", " for at least ")
    for sentence, at in ((text, "22:25:47 UTC"), (for_all, "22:25 UTC")):
        assert len(sentence.split()) <= MOST_WORDS
        assert sentence.endswith(".")
        assert sentence[0] == sentence[0].upper()
        assert f"{at}{words}" in sentence or (not end and f"{at}{at_least}" in sentence)


@pytest.mark.parametrize("words", [3, 25])
def test_a_case_of_several_days_says_the_day(words: int) -> None:
    sentence = " ".join(["From", "19:34", "UTC", *["x"] * (words - 3)])
    dated = on_its_day(sentence, "2015-11-06T19:34:14Z")
    assert dated.startswith("From 2015-11-06 19:34")
    assert len(dated.split()) <= MOST_WORDS
