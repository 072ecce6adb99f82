"""Templates: what their first page is called, the default, and plain ones without internals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pileup.report.compose import compose
from pileup.report.render.markdown import render_markdown
from pileup.report.text import templates
from pileup.report.text.plain_words import is_plain, technical_words
from tests.report.case import CASE, NOW


def test_only_the_template_for_the_vendor_makes_a_bug_report() -> None:
    kinds = {each.id: templates.kind(each.id) for each in templates.TEMPLATES}
    assert kinds.pop("vendor-bug") == "Vendor bug report"
    assert set(kinds.values()) == {"Postmortem"}
    assert templates.kind("removed since") == "Postmortem"


def test_a_template_is_found_by_its_id_and_an_unknown_one_is_the_default() -> None:
    for each in templates.TEMPLATES:
        assert templates.template(each.id) is each
    assert templates.template("removed since") is templates.DEFAULT


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("A nightly report kept the customer list busy, and orders waited.", True),
        ("Move the report to the night.", True),
        ("MySQL 8.0.15 has a known defect that the next version fixes.", True),
        ("An idle transaction holds the row", False),
        ("Turn off the adaptive hash index", False),
        ("innodb_adaptive_hash_index=OFF", False),
        ("Waits in btr0sea.cc", False),
        ("buf_page_get_gen() spins", False),
        ("KILL 197", False),
        ("Ask who opened session 390", False),
        ("Requests for app.accounts waited", False),
        ("LockOpen was contended", False),
        ("Raise the threshold of pt-stalk", False),
    ],
)
def test_internals_are_what_only_people_who_run_databases_know(text: str, plain: bool) -> None:
    assert is_plain(text) is plain


def test_technical_words_are_named_once_and_whole() -> None:
    text = "A latch (btr0sea.cc:202), a latch and session 390: MySQL waits for `buf_pool_mutex`."
    assert technical_words(text) == ["latch", "session 390", "btr0sea.cc:202", "buf_pool_mutex"]


@pytest.mark.parametrize("template_id", sorted(templates.PLAIN))
@pytest.mark.parametrize("status", ["supported", "refuted"])
def test_a_plain_version_has_no_internals_of_the_team(template_id: str, status: str) -> None:
    """Neither in the conclusion nor in the actions, and no raw line of the server."""
    given = CASE.hypotheses[0]
    technical = "Latch btr0sea.cc:202 is held by session 390 in buf_page_get_gen"
    case = replace(
        CASE,
        template=template_id,
        hypotheses=(replace(given, statement=technical, status=status, confidence=80),),
        actions=tuple(replace(each, text=technical) for each in CASE.actions),
    )
    made = compose(case, NOW)
    page = render_markdown(made)
    for word in ("btr0sea", "390", "buf_page_get_gen", "Latch"):
        assert word not in page
    assert all(source.excerpt is source.artifact is None for source in made.sources)
    assert "described in the full report" in page
    concluded = "The team is 80% sure."
    assert (concluded in page) is (status == "supported" and template_id == "executive")


def test_plain_words_of_the_team_are_quoted() -> None:
    given = CASE.hypotheses[0]
    words = "A nightly report kept the customer list busy"
    case = replace(CASE, hypotheses=(replace(given, statement=words, status="supported"),))
    for template_id in templates.PLAIN:
        assert words in render_markdown(compose(replace(case, template=template_id), NOW))
