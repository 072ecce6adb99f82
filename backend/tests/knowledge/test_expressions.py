"""Expressions over untrusted text: which are refused, and that all at once match as each alone."""

from __future__ import annotations

import pytest
from tests.analysis.findings.test_pastes import FINE, PASTES

from pileup.knowledge import packaged_knowledge
from pileup.knowledge.expressions import check, matcher, occurs


@pytest.mark.parametrize(
    "expression",
    [r"a(?=b)", r"a(?!b)", r"(?<=a)b", r"(?<!a)b", r"(a)\1", r"(?P<x>a)(?P=x)", r"(a", r"[b-a]"],
)
def test_what_does_not_run_in_linear_time_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match="is no usable regular expression: "):
        check(expression)


@pytest.mark.parametrize(
    "expression", [r"(?i)^(drop|truncate)\s", r"\bü+", r"(?s)a.*b", "", r"\d{1,1000}"]
)
def test_what_runs_in_linear_time_is_accepted(expression: str) -> None:
    check(expression)


def test_an_expression_that_could_go_back_and_forth_ends() -> None:
    assert not occurs(r"^(a|aa)+$", "a" * 50_000 + "b")
    assert occurs(r"^(a|aa)+$", "a" * 50_000)


def test_letters_in_any_case_and_beyond_ascii() -> None:
    assert occurs(r"(?i)straße", "Die STRAßE")
    assert not occurs(r"straße", "Die STRAßE")
    assert list(matcher(("ü", "b"))("aüb")) == [0, 1]
    assert list(matcher(("ü", "b"))("")) == []


@pytest.mark.parametrize("kind", sorted(packaged_knowledge().expressions))
def test_all_at_once_match_as_each_alone(kind: str) -> None:
    known = packaged_knowledge().expressions[kind]
    test = matcher(known)
    texts = [text for text, _ in PASTES.values()] + list(FINE.values())
    for line in {line for text in texts for line in text.splitlines()[:2]}:
        alone = [at for at, expression in enumerate(known) if occurs(expression, line)]
        assert sorted(test(line)) == alone, line
