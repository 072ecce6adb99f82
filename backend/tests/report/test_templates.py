"""Templates: what their first page is called, and that an unknown one is the default."""

from __future__ import annotations

from pileup.report.text import templates


def test_only_the_template_for_the_vendor_makes_a_bug_report() -> None:
    kinds = {each.id: templates.kind(each.id) for each in templates.TEMPLATES}
    assert kinds.pop("vendor-bug") == "Vendor bug report"
    assert set(kinds.values()) == {"Postmortem"}
    assert templates.kind("removed since") == "Postmortem"


def test_a_template_is_found_by_its_id_and_an_unknown_one_is_the_default() -> None:
    for each in templates.TEMPLATES:
        assert templates.template(each.id) is each
    assert templates.template("removed since") is templates.DEFAULT
