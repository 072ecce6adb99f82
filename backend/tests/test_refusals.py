"""Every refusal of the source is reached by a test, and says what was agreed.

``agreed_sentences.txt`` has the words of each refusal and of each problem of a receipt; ``pytest
--bless`` on this file writes what changed. Its review asks whether the sentence still says what
happened, where, and what to do.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.support.refusals import NO_TEST, agreed, every_refusal, tree_of
from tests.support.sentences import sentences

_BACKEND = Path(__file__).resolve().parents[1]
_SENTENCES = Path(__file__).parent / "agreed_sentences.txt"


def test_every_refusal_of_the_source_is_listed_with_its_test() -> None:
    listed = agreed()
    source = set(every_refusal())
    new = sorted(source - listed.keys())
    assert not new, f"write a test that reaches it, then run `make refusals`: {new}"
    gone = sorted(listed.keys() - source)
    assert not gone, f"no longer in the source, run `make refusals`: {gone}"


def test_every_refusal_is_reached_by_a_test() -> None:
    without = sorted(name for name, test in agreed().items() if test == NO_TEST)
    assert not without, f"write a test that reaches it, then run `make refusals`: {without}"


def test_the_tests_that_are_named_exist() -> None:
    named = {test for test in agreed().values() if test != NO_TEST}
    missing = [test for test in named if test.rpartition("::")[2] not in _tests_in(test)]
    assert not missing, f"run `make refusals`: {missing}"


def test_each_says_the_agreed_sentence(request: pytest.FixtureRequest) -> None:
    found = sorted(sentences())
    if request.config.getoption("--bless"):
        _SENTENCES.write_text("".join(f"{line}\n" for line in found), encoding="utf-8")
    assert found == _SENTENCES.read_text(encoding="utf-8").splitlines()


def _tests_in(test: str) -> set[str]:
    path = _BACKEND / test.partition("::")[0]
    nodes = ast.walk(tree_of(path)) if path.is_file() else ()
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
