"""A question that fails removes its own answer, and what is built on it; the document says so."""

from __future__ import annotations

import functools

import msgspec
import pytest
from polars.exceptions import ComputeError, PanicException

from pileup import analysis
from pileup.analysis import contract
from pileup.analysis.captures import examine
from pileup.analysis.evidence.answers import Answers, Missing, Unanswered
from pileup.report import ticket
from tests.support.captures import analysis_of_few, few_of, on_samples

pytestmark = on_samples

NAME = "hot-row"
# the function of each question, and the parts of the document that may lack an answer without it
QUESTIONS = {
    "slow_queries.slow_queries": {"slow_queries", "triage"},
    "hot_stacks.hot_stacks": {"hot_stacks"},
    "moment_graph.hot_waits": {"hot_waits", "findings", "absences", "headline"},
    "moment_graph.hot_latches": {"hot_latches", "findings", "absences", "triage"},
    "shifts.shifts": {"shifts", "findings", "absences", "triage"},
    "measure.blocked_time": {
        "absences",
        "findings",
        "blockers",
        "persistence",
        "stalls",
        "headline",
        "story",
        "roots",
        "active_sessions",
    },
    "catalogue.events": {"events"},
    "catalogue.snapshots": {"snapshots"},
    "catalogue.deadlocks": {"deadlocks"},
    "table_changes.table_changes": {"table_changes"},
    "summary.headline": {"headline"},
    "triage.triage": {"triage"},
}
REPORTED = {"problems", "unanswered", "episodes", "captures", "recurrence"}


@pytest.mark.dealt(2)
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_failed_question_leaves_every_other_answer_as_it_was(
    question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ComputeError("unable to parse time zone")

    whole = msgspec.to_builtins(_whole())
    module, function = question.split(".")
    owner = getattr(examine, module, None) or getattr(analysis, module)
    monkeypatch.setattr(owner, function, fail)
    document = analysis.analyse(_evidence())
    assert document.unanswered
    assert "unable to parse time zone" in document.unanswered[0].why
    changed = {
        name for name, part in msgspec.to_builtins(document).items() if part != whole[name]
    } - REPORTED
    assert changed <= QUESTIONS[question]
    parts = {doc.part.partition("/")[0] for doc in document.unanswered}
    assert all(name in parts for name in changed if not msgspec.to_builtins(document)[name])
    page = ticket.text(ticket.blocks(document))
    assert "Not answered" in page


def test_without_stalls_nothing_is_called_healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    def panic(*_: object) -> None:
        raise PanicException("index out of bounds")

    monkeypatch.setattr(examine.detection, "find", panic)
    document = analysis.analyse(_evidence())
    assert document.headline.verdict == "not_enough_data"
    assert "not answered" in document.headline.text
    best = _whole().findings[0].id
    assert [absence.verdict for absence in document.absences if absence.id == best] == ["no_data"]
    assert not document.findings
    assert document.artifacts == _whole().artifacts


def test_a_failed_signature_is_not_checked_rather_than_absent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = _whole()
    best = whole.findings[0].id
    monkeypatch.setitem(examine.signatures.RULES, best, lambda _: 1 / 0)
    monkeypatch.setattr(examine.signatures, "evaluate", _failing_for(best))
    document = analysis.analyse(_evidence())
    assert [doc.part for doc in document.unanswered] == [f"findings/{best}"]
    assert document.findings == whole.findings[1:]
    assert [doc.verdict for doc in document.absences if doc.id == best] == ["no_data"]


@functools.cache
def _evidence() -> analysis.Evidence:
    return analysis.gather(few_of(NAME))


def _whole() -> contract.Analysis:
    return analysis_of_few(NAME)


def _failing_for(issue: str):  # type: ignore[no-untyped-def]
    real = examine.signatures.evaluate

    def evaluate(signature, *rest):  # type: ignore[no-untyped-def]
        return 1 / 0 if signature.issue == issue else real(signature, *rest)

    return evaluate


def test_a_missing_answer_fails_whoever_reads_it() -> None:
    missing = Missing("no zone")
    for read in (bool, len, list, lambda answer: answer[0], lambda answer: answer.height):
        with pytest.raises(Unanswered, match="no zone"):
            read(missing)


def test_an_interrupt_ends_the_analysis() -> None:
    class OutOfTimeError(Exception):
        pass

    def slow() -> None:
        raise OutOfTimeError

    with pytest.raises(OutOfTimeError):
        Answers((OutOfTimeError,)).ask("stalls", slow)


def test_a_whole_document_has_every_answer() -> None:
    document: contract.Analysis = _whole()
    assert document.unanswered == []
