"""What the report drafts: pinned sentences, plain words, a cover, a timeline, a capped appendix."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import msgspec
import pytest

from pileup.analysis import contract as c
from pileup.report.case import Case, ReportAnnotation
from pileup.report.checks import check
from pileup.report.compose import blocks_of, compose, draft
from pileup.report.document import Document, Figure, Table, Trouble, decode, encode, plain
from pileup.report.redaction.document_redaction import redact
from pileup.report.redaction.known_values import KnownValues
from pileup.report.redaction.redactor import Redactor
from pileup.report.render.html import render_blocks, render_html
from pileup.report.render.markdown import render_markdown
from pileup.report.text.event_table import timeline_events
from pileup.report.text.prefill import MOST_ARTIFACTS, prefill
from pileup.report.text.templates import TEMPLATES
from tests.report.case import ANALYSIS, CASE, NOW, SHA
from tests.support.captures import analysis_of, of_samples, sample

INTERNAL = re.compile(
    r"threads?_running|mutex|latch|innodb|\.cc\b|semaphore|\bsession \d|\bscore\b|`|rw.lock"
    r"|processlist",
    re.IGNORECASE,
)
DEADLOCK = c.DeadlockDoc(
    time="2026-11-20T22:19:50Z",
    transactions=[],
    victim=2,
    relation="during the stall",
    artifact=SHA,
    line_first=40,
    kind="row-order",
    kind_label="rows in opposite order",
    why="Both update two rows, each in the other order",
    change=[],
    confidence=0.9,
    settle="",
    pattern="p",
    lanes=[
        c.DeadlockLane(
            number=number,
            session_id=10 + number,
            user="shop",
            shape="update accounts set n = ? <b>",
            victim=number == 2,
            steps=[
                c.DeadlockStep(state="holds", lock="exclusive row lock", where="in PRIMARY"),
                c.DeadlockStep(
                    state="requests", lock="exclusive row lock", where="in PRIMARY", printed="x"
                ),
            ],
        )
        for number in (1, 2, 3)
    ],
    waits=[
        c.DeadlockWait(waiter=1, holder=2, holder_step=0, inferred=False),
        c.DeadlockWait(waiter=2, holder=3, holder_step=0, inferred=True),
        c.DeadlockWait(waiter=3, holder=1, holder_step=0, inferred=False),
    ],
)


def changed(**fields: object) -> Case:
    return replace(CASE, analysis=msgspec.structs.replace(ANALYSIS, **fields))


def document(case: Case) -> Document:
    return compose(case, NOW)


@of_samples()
def test_every_drafted_sentence_has_its_source_and_the_executive_no_internals(name: str) -> None:
    """Also after somebody edits around it, and when the case proposes other sentences since."""
    case = replace(CASE, analysis=analysis_of(sample(name)), hypotheses=(), experiments=())
    drafted = {part.key: prefill(case, part.key) for each in TEMPLATES for part in each.parts}
    since = replace(case, sections=drafted, analysis=ANALYSIS)
    for template in TEMPLATES:
        for edited in (replace(case, sections=drafted), since):
            remarks = check(replace(edited, template=template.id))
            assert [r.text for r in remarks if r.rule == "claim_without_pin"] == []
    for key in ("exec_summary", "exec_impact", "exec_cause", "exec_risk"):
        words = re.sub(r"\[\^[^\]]*\]", "", drafted[key])
        assert words.strip(), key
        assert INTERNAL.findall(words) == [], (key, words)


def test_a_number_that_a_person_adds_still_wants_a_source() -> None:
    text = prefill(CASE, "summary") + "\n301 waiters queued.\n"
    remarks = check(replace(CASE, sections={"summary": text}))
    assert [r.line for r in remarks if r.rule == "claim_without_pin"] == [len(text.splitlines())]


def test_the_cover_is_in_every_format_and_for_its_readers() -> None:
    made = document(CASE)
    assert made.cover is not None
    assert made.cover.story.startswith("The team concluded: An idle transaction")
    plain = document(replace(CASE, template="executive")).cover
    assert plain is not None
    assert plain.points == [], "a plain template is itself one page"
    for format_ in (render_html, render_markdown):
        body = format_(document(replace(CASE, template="executive"))).partition("<body>")
        assert (body[2] or body[0]).count(plain.story) == 1, "its first section says it"
    page = render_html(made)
    preview = f"{made.cover.story} {made.cover.points[0]}"
    assert f'property="og:description" content="{preview}"' in page
    assert made.cover.story in render_markdown(made)
    assert decode(encode(made)) == made
    assert document(replace(CASE, analysis=None)).cover is None
    assert 'property="og:description"' not in render_html(document(replace(CASE, analysis=None)))
    plain_one = document(replace(CASE, template="executive", hypotheses=())).cover
    assert plain_one is not None
    assert INTERNAL.findall(plain_one.story) == []


def test_a_redacted_copy_has_a_redacted_cover_and_link_preview() -> None:
    headline = c.Headline(verdict="stall", text="host db-7.example.org stalled", arrival="")
    made = document(changed(headline=headline))
    done = redact(
        made, Redactor(["hosts"], b"k" * 32, KnownValues({"hosts": ["db-7.example.org"]}))
    )
    assert "db-7.example.org" not in render_html(done)


def test_the_timeline_joins_the_capture_and_what_people_did() -> None:
    noticed = ReportAnnotation(NOW, None, "checkout is slow", "ann", "symptom", "about")
    decided = ReportAnnotation(NOW + timedelta(minutes=1), None, "kill it", "bob", "decision")
    restart = c.EventDoc(
        time="2026-11-20T22:21:00Z",
        kind="restart",
        severity=None,
        message="ready for connections",
        host=None,
        artifact=SHA,
        line_first=9,
    )
    story = c.StoryDoc(
        plain="",
        chain=[],
        impact=c.StoryImpact(),
        fixes=[],
        marks=[
            c.StoryMark(
                kind="cause", at="2026-11-20T22:19:20Z", text="SELECT of session 197 begins"
            ),
            c.StoryMark(kind="end", at="2026-11-20T22:20:44Z", text="session 197 ended"),
        ],
    )
    case = replace(
        changed(events=[restart, restart], story=story), noticed=(noticed,), annotations=(decided,)
    )
    events = timeline_events(case)
    assert [event.text for event in events] == [
        "SELECT of session 197 begins",
        "The stall begins",
        "The worst moment (peak 301 sessions waiting)",
        "Session 197 ended, and the stall ends",
        "ready for connections",
        "Noticed: checkout is slow",
        "Decision: kill it",
        "H1 supported: An idle transaction holds the row",
    ]
    assert [event.source is not None for event in events] == [True] * 5 + [False] * 3
    assert [event.by for event in events[5:]] == ["ann", "bob", "bob"]
    assert events[5].time_words().startswith("about ")


def test_an_event_of_a_known_day_ends_its_day() -> None:
    day = ReportAnnotation(
        NOW.replace(hour=0, minute=0, second=0), None, "kill it", "bob", "decision", "day"
    )
    decided = replace(day, start=NOW, precision="exact", text="retry")
    events = timeline_events(replace(CASE, analysis=None, annotations=(day, decided), noticed=()))
    words = [event.time_words() for event in events if event.text.startswith("Decision")]
    assert words == [f"{NOW:%Y-%m-%d %H:%M:%S} UTC", f"{NOW:%Y-%m-%d}"]


def test_the_appendix_is_capped_and_says_where_the_rest_is() -> None:
    (artifact,) = ANALYSIS.artifacts
    many = [
        msgspec.structs.replace(artifact, path=f"f{n}", sha256=f"{n:064x}")
        for n in range(MOST_ARTIFACTS + 5)
    ]
    page = prefill(changed(artifacts=many), "appendix")
    assert page.count("| `f") == MOST_ARTIFACTS
    assert "5 more artifacts (5 × innodb-status)" in page
    assert "Artifacts screen" in page
    assert "more artifact" not in prefill(changed(artifacts=many[:MOST_ARTIFACTS]), "appendix")


@pytest.mark.parametrize("lanes", [2, 3])
def test_a_deadlock_is_drawn_with_a_lane_for_each_transaction(lanes: int) -> None:
    deadlock = msgspec.structs.replace(DEADLOCK, lanes=DEADLOCK.lanes[:lanes])
    (figure,) = blocks_of(changed(deadlocks=[deadlock]), "::deadlock")
    assert isinstance(figure, Figure)
    html = render_blocks([figure])
    assert html.count("holds: exclusive row lock") >= lanes
    assert "victim" in html
    assert "<b>" not in html.replace("<b>Figure", "")
    assert "rows in opposite order" in plain(figure.caption)
    assert "requests: exclusive row lock" in render_markdown(
        document(replace(changed(deadlocks=[deadlock]), sections={"summary": "::deadlock"}))
    )


def test_a_deadlock_that_is_not_there_says_so() -> None:
    (none,) = blocks_of(CASE, "::deadlock")
    (beyond,) = blocks_of(changed(deadlocks=[DEADLOCK]), '::deadlock{number="2"}')
    assert isinstance(none, Trouble)
    assert isinstance(beyond, Trouble)
    assert "from 1 to 1" in beyond.text


def test_the_page_of_the_editor_is_the_document_block_by_block() -> None:
    for template in TEMPLATES:
        case = replace(CASE, template=template.id)
        exported = {section.key: section.blocks for section in document(case).sections}
        for section in draft(case):
            blocks = [block for passage in section.passages for block in passage.blocks]
            if blocks:
                assert blocks == exported[section.key]
            lines = section.text.splitlines()
            for passage in section.passages:
                assert 1 <= passage.first <= passage.last <= len(lines)
                if any(isinstance(block, Table) for block in passage.blocks):
                    assert lines[passage.first - 1].startswith(("|", "::"))
