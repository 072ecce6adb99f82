"""The page for a ticket: the same claims as text, Markdown and HTML, and nothing that escapes."""

from __future__ import annotations

import pytest
from msgspec import structs

from pileup.analysis import analyse
from pileup.report import ticket
from pileup.report.redaction.document_redaction import Leak
from pileup.report.redaction.redactor import Redactor
from tests.analysis.frames import evidence, gauge
from tests.report.filled import filled
from tests.report.test_golden import _rich


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


@pytest.mark.parametrize("most", [2, 3])
def test_each_list_of_the_page_has_so_many_rows(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Waits, statements, shifts that have a time or have none, and files that were not read."""
    monkeypatch.setattr(ticket, "_ROWS", most)
    rich = filled(_rich().analysis)
    waits, queries = [rich.hot_waits[0]] * 3, [rich.slow_queries[0]] * 3
    moved = [
        structs.replace(rich.shifts[0], first_moved_s=float(n), same_as=None) for n in range(3)
    ]
    unmoved = [structs.replace(shift, first_moved_s=None) for shift in moved]
    for block in (
        ticket._waits(waits),
        ticket._slow_queries(queries),
        ticket._shifts(moved),
        ticket._shifts(unmoved),
        ticket._shifts([*unmoved, *moved]),
    ):
        assert block is not None
        assert len(block.rows) == most
    problems = [structs.replace(rich.problems[0], path=f"{n}.txt", line=n) for n in range(3)]
    block = ticket._problems(structs.replace(rich, problems=problems))
    assert block is not None
    assert [line.split(" ")[0] for line in block.lines] == (
        ["0.txt:0:", "1.txt:1:", "and"] if most == 2 else ["0.txt:0:", "1.txt:1:", "2.txt:2:"]
    )
    assert block.lines[-1] == "and 1 more" or most == 3


def test_shifts_come_in_the_order_in_which_they_moved() -> None:
    """The strongest that moved; only where none has a time, those that did not."""
    rich = _rich().analysis
    assert rich is not None
    known = [
        (3.0, "a", None),
        (None, "b", None),
        (-1.0, "c", None),
        (2.0, "d", "x"),
        (3.0, "e", None),
    ]
    shifts = [
        structs.replace(rich.shifts[0], first_moved_s=at, text=text, same_as=same)
        for at, text, same in known
    ]
    block = ticket._shifts(shifts)
    assert block is not None
    assert [(row[0], row[2]) for row in block.rows] == [("-1 s", "c"), ("+3 s", "a"), ("+3 s", "e")]
    block = ticket._shifts([shift for shift in shifts if shift.first_moved_s is None])
    assert block is not None
    assert [(row[0], row[2]) for row in block.rows] == [("", "b")]
    assert ticket._shifts([]) is None
