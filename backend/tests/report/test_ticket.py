"""The page for a ticket: the same claims as text, Markdown and HTML, and nothing that escapes."""

from __future__ import annotations

from pileup.analysis import analyse
from pileup.report import ticket
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
    assert analysis.headline.text in ticket.text(analysis)
    assert "Seven quick checks" in ticket.markdown(analysis)
    assert "What moved first" in ticket.html(analysis)


def test_names_from_files_are_text_and_not_markup() -> None:
    analysis = page()
    assert "<script" not in ticket.html(analysis)
    assert "\\<script>" in ticket.markdown(analysis)
