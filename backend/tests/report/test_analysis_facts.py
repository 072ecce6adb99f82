"""What an analysis says is in every output of it: the exports, the ticket, the screens' JSON.

Not in a PDF here: test_facts.py holds the PDF against every word of its document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from pileup.analysis.contract import Analysis, encode
from pileup.analysis.findings.summary import stall_sentence
from pileup.analysis.stalls.documents import main_stall
from pileup.report import ticket
from pileup.report.text.prefill import latches_matter
from tests.report.case import document
from tests.report.exports import EXPORTS
from tests.report.test_golden import _rich


def _analysis() -> Analysis:
    analysis = _rich().analysis
    assert analysis is not None
    return analysis


def _facts(analysis: Analysis) -> Iterator[str]:
    """Yield the claims with the figures and names in them."""
    stall = main_stall(analysis.stalls)
    assert stall is not None
    yield stall_sentence(stall)  # a report has the headline's other sentences as paragraphs
    yield analysis.headline.arrival
    yield from (blocker.persistence for blocker in analysis.blockers[:1])
    yield from (finding.title for finding in analysis.findings if finding.verdict == "found")
    yield from (blocker.holder for blocker in analysis.blockers)
    if latches_matter(analysis):
        yield from (latch.label for latch in analysis.hot_latches)
    yield from (shift.title for shift in analysis.shifts)
    yield from (root.label for root in analysis.roots[:1])
    assert analysis.story is not None
    yield from (link.title for link in analysis.story.chain)


OUTPUTS: dict[str, Callable[[], str]] = {
    **{
        name: lambda made=made: made(document(_rich()))
        for name, made in EXPORTS.items()
        if name != "pdf"
    },
    "ticket": lambda: ticket.text(ticket.blocks(_analysis())),
    "json": lambda: encode(_analysis()).decode(),
}


@pytest.mark.parametrize("output", OUTPUTS)
def test_every_claim_is_in_every_output(output: str) -> None:
    text = _bare(OUTPUTS[output]())
    facts = list(_facts(_analysis()))
    assert len(facts) > 15
    assert [fact for fact in facts if _bare(fact).lower() not in text.lower()] == []


def _bare(text: str) -> str:
    """Return a text without blanks, places where words may break, and marks of Markdown."""
    return re.sub(r"[\s\u200b\u2060\\`*]+", "", text)
