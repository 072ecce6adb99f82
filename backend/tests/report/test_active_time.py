"""Where the time went, as the ticket and the report write it."""

from __future__ import annotations

from datetime import UTC, datetime

from pileup.analysis.evidence.times import clock_text, parse
from pileup.report import ticket
from pileup.report.case import Case
from pileup.report.text import active_time
from pileup.report.text.prefill import prefill
from tests.support.captures import analysis_of, of_samples, sample


@of_samples()
def test_ticket_and_report_write_the_time_of_the_stall_and_its_root(name: str) -> None:
    analysis = analysis_of(sample(name))
    doc, root = analysis.active_sessions, analysis.roots[0]
    assert doc is not None
    sentence = active_time.time_sentence(doc)
    page = ticket.text(ticket.blocks(analysis))
    assert sentence in page
    assert active_time.share_text(root) in page
    assert " > ".join(root.path) in page
    for episode in analysis.episodes if len(analysis.captures) + len(analysis.episodes) > 1 else ():
        assert episode.id not in page
        assert (
            f"stall of {episode.stall.host} from {clock_text(parse(episode.stall.onset))}" in page
        )
    case = Case(id="i", title="t", severity=None, service="", status="open", owner="o",
                created_at=datetime(2026, 11, 21, tzinfo=UTC), analysis=analysis)  # fmt: skip
    assert f"{sentence} {active_time.path_sentence(root)}" in prefill(case, "what_happened")


@of_samples()
def test_the_classes_add_up_to_the_seconds(name: str) -> None:
    analysis = analysis_of(sample(name))
    docs = [analysis.active_sessions, *(each.active_sessions for each in analysis.captures)]
    for doc in filter(None, docs):
        assert doc.seconds is not None
        assert doc.low is not None
        assert doc.high is not None
        assert doc.low <= doc.seconds <= doc.high
        assert abs(sum(each.seconds or 0.0 for each in doc.classes) - doc.seconds) <= 1.0
        assert abs(sum(each.share for each in doc.classes) - 1.0) < 0.01
        for level, values in zip(
            doc.level, zip(*(each.values for each in doc.classes), strict=True), strict=True
        ):
            assert abs(sum(values) - level) <= 0.1 + 0.01 * level
