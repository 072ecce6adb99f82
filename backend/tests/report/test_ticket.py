"""The page for a ticket: the same claims as text, Markdown and HTML, and nothing that escapes."""

from __future__ import annotations

import pytest

from pileup.analysis import analyse
from pileup.report import ticket
from pileup.report.redaction.document_redaction import Leak
from pileup.report.redaction.redactor import Redactor
from tests.analysis.frames import evidence, gauge


def page():  # type: ignore[no-untyped-def]
    series = "metric.<script>alert(1)</script>"
    items = [
        gauge("metric.threads_running", [2.0] * 40 + [90.0] * 30 + [2.0] * 30),
        gauge(series, [10.0] * 40 + [900.0] * 30 + [10.0] * 30),
    ]
    return analyse(evidence({"m.csv": items}))


def test_every_form_says_the_headline() -> None:
    analysis = page()
    assert analysis.headline.text in ticket.text(ticket.blocks(analysis))
    assert "Seven quick checks" in ticket.markdown(ticket.blocks(analysis))
    assert "What moved first" in ticket.html(ticket.blocks(analysis))


def test_names_from_files_are_text_and_not_markup() -> None:
    analysis = page()
    assert "<script" not in ticket.html(ticket.blocks(analysis))
    assert "\\<script>" in ticket.markdown(ticket.blocks(analysis))


def test_a_redacted_page_replaces_what_it_finds_everywhere() -> None:
    """A literal of a statement goes from the sentence too; a password goes with no kind chosen."""
    page = [ticket.Block("T", ["held S3cret77x", "update t set a='S3cret77x', password='Zq81xx'"])]
    hidden = ticket.text(ticket.redacted(page, Redactor(["sql"], b"k")))
    assert "S3cret77x" not in hidden
    kept = ticket.text(ticket.redacted(page, Redactor([], b"k")))
    assert "S3cret77x" in kept
    assert "Zq81xx" not in kept


def test_the_written_page_is_checked_as_its_reader_sees_it() -> None:
    """Marks of Markdown and HTML hide no value; words of the style are none."""
    redactor = Redactor(["sql", "users"], b"k")
    redactor.known.add("sql", ["S3cret_77x<"])
    redactor.known.add("users", ["sans-serif"])
    for form in (ticket.markdown, ticket.html):
        ticket.check_rendered(form([ticket.Block("T", ["kept"])]), redactor)
        with pytest.raises(Leak):
            ticket.check_rendered(form([ticket.Block("T", ["held S3cret_77x< here"])]), redactor)
