"""Each remark, at its line; and what must not be remarked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pileup.report.case import Case
from pileup.report.checks import check
from pileup.report.compose import compose
from pileup.report.release import diff, linked, only, same_content
from tests.report.case import CASE, NOW, PIN, document


def remarks(case: Case, rule: str) -> list[tuple[str | None, int | None]]:
    return [(finding.section, finding.line) for finding in check(case) if finding.rule == rule]


def test_a_claim_without_a_pin_is_found_at_its_line() -> None:
    text = "Calm.\n\n301 waiters queued.\n\n301 waiters queued.[^4f2a9c01-812-830]\n| 99 % | x |\n"
    case = replace(CASE, sections={"summary": text})
    assert remarks(case, "claim_without_pin") == [("summary", 3)]


def test_proposed_text_is_not_remarked_for_claims() -> None:
    """The machine's own sentences carry their sources."""
    assert remarks(CASE, "claim_without_pin") == []


@pytest.mark.parametrize("words", ["Human error again", "Bob should have known", "their fault"])
def test_blame(words: str) -> None:
    case = replace(CASE, sections={"impact": f"One.\n{words}.\n"})
    assert remarks(case, "blame") == [("impact", 2)]


def test_stale_and_dead_sources() -> None:
    pin = replace(PIN, stale=True)
    label = PIN.id.replace("-", "")
    case = replace(
        CASE, pins=(pin,), sections={"summary": f"One.\nA[^pin-{label}]\nB[^00000000-1-1]"}
    )
    assert remarks(case, "stale_pin").count(("summary", 2)) == 1
    assert remarks(case, "dead_source") == [("summary", 3)]


def test_actions_want_owner_and_date() -> None:
    """The first action of the case has an owner and no date; dropped ones are left alone."""
    assert len(remarks(CASE, "action_incomplete")) == 1
    dropped = tuple(replace(action, status="dropped") for action in CASE.actions)
    assert remarks(replace(CASE, actions=dropped), "action_incomplete") == []
    assert remarks(replace(CASE, actions=()), "no_action") == [(None, None)]


def test_unset_impact() -> None:
    assert remarks(CASE, "impact_unset") == [("impact", None)]
    said = replace(CASE, sections={"impact": "Checkout failed for all customers."})
    assert remarks(said, "impact_unset") == []


def test_a_plain_version_names_the_technical_words_of_the_team() -> None:
    """In the title and in what was edited; a proposed line and the actions are plain already."""
    text = "Orders waited.\n\nA latch of session 390.[^4f2a9c01-812-830]\n\n::waits\n\n::actions\n"
    case = replace(CASE, template="executive", title="InnoDB stalls", sections={"exec_cause": text})
    found = [each for each in check(case) if each.rule == "internals"]
    assert [(each.section, each.line) for each in found] == [
        ("exec_summary", None),
        ("exec_cause", 3),
        ("exec_cause", 5),
    ]
    assert "“InnoDB”" in found[0].text
    assert "“latch”, “session 390”" in found[1].text
    assert remarks(replace(case, template="sre"), "internals") == []


def test_the_proposed_plain_versions_have_no_technical_words() -> None:
    for template in ("executive", "five-lines"):
        case = replace(CASE, template=template, title="Clicks stall")
        assert remarks(case, "internals") == []


def test_sources_of_a_plain_version_name_no_file_and_no_technical_pin() -> None:
    label = PIN.id.replace("-", "")
    text = f"Orders waited.[^pin-{label}][^4f2a9c01-812-830][^00000000-1-1]"
    for title, shown in (("A waiter behind trx 42", False), ("Orders waited", True)):
        case = replace(
            CASE,
            template="executive",
            pins=(replace(PIN, title=title),),
            sections={"exec_summary": text},
        )
        sources = compose(case, NOW).sources[:3]
        assert (sources[0].text == title) is shown
        assert not any("dump.txt" in source.text or "00000000" in source.text for source in sources)
        assert [bool(source.link) for source in sources] == [True, True, False]


def test_template_lint() -> None:
    """Required sections, length, and blocks that this template wants."""
    five = replace(CASE, template="five-lines", sections={"line_happened": "one\ntwo\n"})
    assert remarks(five, "too_long") == [("line_happened", None)]
    assert ("line_response", None) in remarks(five, "empty_section")
    plain = replace(CASE, sections={"timeline": "Nothing to see."})
    assert remarks(plain, "missing_block") == [("timeline", None)]
    broken = replace(CASE, sections={"timeline": "One.\n\n::lan\n\n|"})
    assert remarks(broken, "broken_block") == [("timeline", 3)]


def test_versions_are_compared_by_section() -> None:
    before = document(replace(CASE, sections={"summary": "a\nb\n", "lessons": "x"}))
    after = document(replace(CASE, sections={"summary": "a\nc\n"}))
    found = {change.key: change for change in diff(before, after)}
    assert found["summary"].lines == ((" ", "a"), ("-", "b"), ("+", "c"))
    assert found["lessons"].change == "gone"
    assert found["impact"].change == "same"
    assert not same_content(before, after)
    assert same_content(after, document(replace(CASE, sections={"summary": "a\nc\n"})))


def test_fewer_sections_keep_their_numbers_and_lose_uncited_sources() -> None:
    whole = document()
    part = only(whole, {"hypotheses"})
    assert [section.key for section in part.sections] == ["hypotheses"]
    assert {source.number for source in part.sources} < {source.number for source in whole.sources}


def test_a_release_leads_to_where_the_incident_is_now() -> None:
    """The server moved and the incident was imported elsewhere: frozen paths follow."""
    frozen = compose(CASE, NOW)
    assert all(
        source.link is None or source.link.startswith("/incidents/i1/") for source in frozen.sources
    )
    moved = linked(frozen, "https://pileup.example.org", "i2")
    links = [source.link for source in moved.sources if source.link]
    assert links
    assert all(link.startswith("https://pileup.example.org/incidents/i2/") for link in links)
    assert linked(moved, "http://other", "i3") == moved  # it says i1 nowhere any more
    assert same_content(frozen, moved)
