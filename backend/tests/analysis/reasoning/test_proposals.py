"""Proposed ratings: by a finding's evidence, and by experiments, whose word is the last."""

from __future__ import annotations

from typing import Any

import pytest

from pileup.analysis.reasoning.proposals import Held, Proposal, Tried, propose

PIN = Held("pin", {"artifact": "a", "line_first": 7})
LINES = {"artifact": "a", "line_first": 7, "text": "12 threads wait"}


def finding(name: str, score: float, *evidence: dict[str, Any]) -> dict[str, Any]:
    return {"id": name, "score": score, "why": f"why {name}", "evidence": evidence}


@pytest.mark.parametrize(("score", "rating"), [(0.79, "C"), (0.8, "CC"), (0.81, "CC")])
def test_the_evidence_of_a_likely_finding_is_very_consistent(score: float, rating: str) -> None:
    made = propose([PIN], {"h": "f"}, [finding("f", score, LINES)], [])
    assert made == {("pin", "h"): Proposal(rating, "finding f", "12 threads wait")}  # type: ignore[arg-type]


def test_the_first_finding_at_a_place_is_proposed_and_only_to_its_hypotheses() -> None:
    found = [finding("other", 0.9, LINES), finding("f", 0.5, LINES), finding("f", 0.9, LINES)]
    made = propose(
        [PIN, Held("elsewhere", {"artifact": "a", "line_first": 8})], {"h": "f"}, found, []
    )
    assert made == {("pin", "h"): Proposal("C", "finding f", "12 threads wait")}


def test_a_pin_of_a_finding_has_the_finding_s_reason() -> None:
    made = propose([Held("pin", {"node": "f"})], {"h": "f", "i": "f"}, [finding("f", 0.5)], [])
    reason = Proposal("C", "finding f", "why f")
    assert made == {("pin", "h"): reason, ("pin", "i"): reason}


@pytest.mark.parametrize(
    ("verdict", "rating", "words"),
    [
        ("match", "C", "matched its locked prediction"),
        ("partial", "N", "matched its prediction in part"),
        ("miss", "II", "missed its locked prediction"),
        ("not_measurable", "N", "could not be measured"),
    ],
)
def test_an_experiment_has_the_last_word(verdict: str, rating: str, words: str) -> None:
    tried = Tried("experiment 2", "h", verdict, ("pin", "result"))
    made = propose([PIN], {"h": "f", "i": "f"}, [finding("f", 0.5, LINES)], [tried])
    proposed: Any = Proposal(rating, "experiment 2", f"experiment 2 {words}")  # type: ignore[arg-type]
    kept = Proposal("C", "finding f", "12 threads wait")
    assert made == {("pin", "h"): proposed, ("result", "h"): proposed, ("pin", "i"): kept}


def test_an_experiment_without_a_verdict_proposes_nothing() -> None:
    assert propose([], {}, [], [Tried("experiment 2", "h", "running", ("pin",))]) == {}
