"""What the report chooses, with rivals in the wrong order; and its limits, exactly at the bound."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from msgspec import structs

from pileup.analysis import contract as c
from pileup.analysis.contract.base import LineRange
from pileup.report import release, ticket
from pileup.report.document import Document, Paragraph, Run, Section, Trouble
from pileup.report.redaction import known_values
from pileup.report.redaction.known_values import KnownValues
from pileup.report.render.html import _item, _runs
from pileup.report.text import evidence_blocks, executive, source_notes
from tests.report.case import CASE, LINES, document


def _hypothesis(statement: str, confidence: int | None) -> object:
    (given, *_) = CASE.hypotheses
    return replace(given, statement=statement, status="supported", confidence=confidence)


def test_the_cause_is_the_supported_hypothesis_of_most_confidence() -> None:
    """Of equal ones the first; one without a confidence counts as none."""
    rivals = [
        _hypothesis(name, confidence)
        for name, confidence in (("None", None), ("Low", 20), ("High", 80), ("Too", 80))
    ]
    case = replace(CASE, hypotheses=rivals)
    assert executive.cause(case) == "High. The team is 80% sure."
    assert executive.cause(replace(case, hypotheses=rivals[:1])) == "None."


def test_a_place_in_the_ticket_is_a_file_with_its_lines_a_series_or_a_text() -> None:
    ranged = structs.replace(LINES, ranges=[LineRange(first=3, last=3), LineRange(first=5, last=9)])
    window = {"start": "22:19", "end": "22:20"}
    places = [
        (LINES, "dump.txt:812-830"),
        (structs.replace(LINES, line_last=812), "dump.txt:812"),
        (structs.replace(LINES, line_last=None), "dump.txt:812"),
        (ranged, "dump.txt:3,5-9"),
        (structs.replace(LINES, line_first=None), "dump.txt"),
        (c.Locator(kind="series", series="tps", **window), "tps 22:19 to 22:20"),
        (c.Locator(kind="series", series="tps", start="22:19"), "tps"),
        (c.Locator(kind="text", text="said Ann"), "said Ann"),
        (c.Locator(kind="text"), None),
    ]
    every = [locator for locator, _ in places]
    wanted = [place for _, place in places if place is not None]
    assert ticket._places(every, len(every)) == wanted
    assert ticket._places(every, 2) == wanted[:2]


def test_the_calls_of_a_query_need_both_rates() -> None:
    def query(before: float | None, now: float | None) -> str:
        given: Any = SimpleNamespace(baseline_per_second=before, per_second=now)
        return ticket._times_more(given)

    assert query(0.5, 12.25) == "0.5/s, now 12.2/s"
    assert query(None, 1.0) == query(1.0, None) == query(None, None) == ""


def _one_section(lines: int) -> Document:
    blocks = [Paragraph([Run(f"line {number}")]) for number in range(lines)]
    given = document(CASE)
    (first, *_) = given.sections
    return structs.replace(given, sections=[_with(first, blocks)])


def _with(section: Section, blocks: list[Paragraph]) -> Section:
    return structs.replace(
        section,
        blocks=blocks,
        markdown="\n".join(f"line {number}" for number in range(len(blocks))),
    )


def test_versions_are_compared_up_to_a_number_of_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    most = len(release._text(_one_section(5).sections[0]))
    monkeypatch.setattr(release, "MOST_LINES", most)
    four, five, six = (_one_section(count) for count in (4, 5, 6))
    for a, b in ((four, five), (five, four)):
        (compared,) = release.diff(a, b)
        assert [mark for mark, _ in compared.lines if mark != " "]
        assert "too many" not in str(compared.lines)
    for a, b in ((four, six), (six, four)):
        (cut,) = release.diff(a, b)
        assert cut.change == "changed"
        assert "too many to compare" in cut.lines[1][1]


def test_the_table_of_known_values_is_full_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_values, "MOST", 3)
    names = ["anna-k-7731", "berta-k-7732", "clara-k-7733", "dora-k-7734"]
    known = KnownValues({"users": names[:2]})
    known.add("hosts", names[1:])
    assert len(known) == 3
    known.add("hosts", names[3:])
    assert len(known) == 3
    assert len(KnownValues({"users": names})) == 3


def test_an_item_of_one_paragraph_has_no_tags_of_a_paragraph() -> None:
    first, two = (Paragraph([Run(text)]) for text in ("one", "two"))
    assert _item([first], UTC, 100) == "one"
    assert _item([first, two], UTC, 100).count("<p>") == 2


def test_rows_are_cut_only_beyond_the_limit() -> None:
    assert evidence_blocks._cut_words(20, 20) == ""
    assert evidence_blocks._cut_words(21, 20) == " The first 20 of 21 are shown."


def test_a_comma_stands_between_two_numbers_of_sources_and_nowhere_else() -> None:
    first, text, second = Run(note=1), Run("said"), Run(note=2)
    assert _runs([first, second]).count("<sup>, </sup>") == 1
    assert _runs([text, first, text, second]).count("<sup>, </sup>") == 0


def test_a_section_whose_text_is_the_same_says_what_changed() -> None:
    """Only where no line differs; a section with one line more shows the lines."""
    old, more = (Section("a", "A", text, []) for text in ("same", "same\nand more"))
    other = structs.replace(old, blocks=[Trouble("measured again")])
    with_text = {id(old): ["same"], id(other): ["same"], id(more): ["same", "and more"]}

    def marks(new: Section) -> list[str]:
        with mock.patch.object(release, "_text", lambda section: with_text[id(section)]):
            return [mark for mark, _ in release._section(old, new).lines]

    assert marks(other) == ["~"]
    assert marks(more) == [" ", "+"]


def test_the_longest_quotation_is_taken_out_first() -> None:
    """A shorter one within it would leave its other lines standing."""
    notes = source_notes.Quotations()
    notes.add("b\nc", "above", "f")
    notes.add("a\nb\nc\nd", "above", "f")
    notes.add("z", "above", "f")
    assert notes.without_quoted("x\na\nb\nc\nd\nz", "f").split("\n") == [
        "x", "… 4 lines, quoted above", "… 1 line, quoted above"
    ]  # fmt: skip
