"""A hypothesis made from a finding: a sentence with ids and numbers, and what disproves it."""

from __future__ import annotations

import re

import pytest

from pileup.analysis import contract as c
from pileup.analysis.reasoning.falsifiable import falsifier, statement
from tests.support.captures import analysis_of, of_samples, sample


@of_samples()
def test_it_claims_a_cause_of_this_stall_and_says_what_would_disprove_it(name: str) -> None:
    analysis = analysis_of(sample(name))
    for rank, finding in enumerate(analysis.findings):
        said = statement(finding, analysis.stalls, analysis.roots, leads=rank == 0)
        assert said.startswith(finding.title)
        assert said.endswith(".")
        assert re.search(r"the stall of \d\d:\d\d:\d\d", said), said
        assert len(said) < 700
        against = falsifier(finding, analysis.stalls, analysis.roots, leads=rank == 0)
        assert against.strip(" .")
        root = analysis.roots[0] if analysis.roots and rank == 0 else None
        if (experiment := finding.experiment) is not None and experiment.refuted_if:
            refuting = experiment.refuted_if.rstrip(".")
            assert f"“{experiment.change}” gives “{refuting}”, not “" in against
        if root is not None and root.session_id is not None and root.behind:
            assert f"session {root.session_id} makes" in said
            assert f"session {root.session_id} ended" in against


@pytest.mark.parametrize("why", ["", "12 sessions wait", "x; " * 400, "y" * 900])
def test_without_a_stall_or_a_root_it_is_still_a_sentence(why: str) -> None:
    finding = c.FindingDoc(
        id="f",
        category="locks",
        title="Something",
        score=0.4,
        why=why,
        evidence=[],
        against=[],
        applies_to_version="unknown",
        fixed_in=[],
        mitigations=[],
        experiment=None,
        references=[],
    )
    said = statement(finding, [], [], leads=True)
    assert said.startswith("Something makes sessions wait")
    assert said.endswith(".")
    assert len(said) < 500
    assert falsifier(finding, [], [], leads=True).endswith(".")
