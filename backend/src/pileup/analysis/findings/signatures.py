"""Match all known problems: findings with the best first, and the patterns that did not match.

Most signatures are data that ``matching`` evaluates; where a mechanism needs more, a rule in code
decides (``rules``). The texts around a match (mitigations, side effects, experiments, fixed
versions) come from the knowledge base under the same stable id.
"""

from __future__ import annotations

from dataclasses import dataclass

from pileup.analysis.contract import (
    AbsenceDoc,
    ExperimentDoc,
    FindingDoc,
    LookedAtDoc,
    MitigationDoc,
    SignDoc,
    Window,
)
from pileup.analysis.evidence.answers import Answers
from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.times import iso
from pileup.analysis.findings.matching import describe_needs, evaluate
from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.rules import (
    Match,
    Rule,
    commit,
    concurrency,
    larger,
    latches,
    locks,
    pages,
)
from pileup.knowledge import knowledge
from pileup.knowledge.signature import Signature

RULES: dict[str, Rule] = {
    **latches.RULES,
    **locks.RULES,
    **commit.RULES,
    **concurrency.RULES,
    **pages.RULES,
}
"""Issue id to the rule in code that decides it; signatures.yaml decides all others."""
LEAST = 0.15
"""Matches below this score are dropped: they show more about the rule than about the incident."""
OLD_FIX = 0.3
"""Factor on the score when the server's version has the fix."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    findings: tuple[FindingDoc, ...]
    absences: tuple[AbsenceDoc, ...]
    looked_at: LookedAtDoc | None


NOTHING_CHECKED = Diagnosis((), (), None)


def diagnose(observed: Observed, answers: Answers | None = None) -> Diagnosis:
    """Evaluate every known problem separately, best match first.

    Empty when the evidence has time series and they show no stall. Stacks or waits alone, without
    time series, are evaluated. answers: records the problems that could not be evaluated.
    """
    answers = answers or Answers()
    context, evidence = observed.context, observed.context.evidence
    if context.stall is None and _has_series(evidence):
        return NOTHING_CHECKED
    bigger = answers.ask("larger_waits", lambda: larger.waits(observed))
    findings: list[FindingDoc] = []
    absent: list[AbsenceDoc] = []
    for issue, signature in knowledge().signatures.items():
        finding, had_data = answers.settle(
            f"findings/{issue}",
            lambda: _evaluate(issue, signature, observed, bigger),  # noqa: B023  (called at once)
            (None, False),
        )
        if finding is not None and finding.score >= LEAST:
            findings.append(finding)
        elif evidence.artifacts:
            absent.append(
                AbsenceDoc(
                    id=issue,
                    title=knowledge().issue(issue).title,
                    verdict="not_found" if had_data else "no_data",
                    looked_for=describe_needs(signature),
                )
            )
    findings.sort(key=lambda finding: (-finding.score, finding.id))
    coverage = answers.settle("looked_at", lambda: _coverage(observed, context), None)
    return Diagnosis(tuple(findings), tuple(absent), coverage)


def _evaluate(
    issue: str, signature: Signature, observed: Observed, bigger: larger.Larger
) -> tuple[FindingDoc | None, bool]:
    """Return the finding of one known problem, and whether there was data to check it on."""
    if signature.rule == "code":
        match, had_data = RULES[issue](observed), _has_moments(observed)
        return _finding(match, (), observed.context) if match else None, had_data
    outcome = evaluate(signature, observed, bigger)
    match = outcome.match
    finding = _finding(match, outcome.signs, observed.context) if match else None
    return finding, outcome.had_data


def _finding(match: Match, signs: tuple[SignDoc, ...], context: Context) -> FindingDoc:
    issue = knowledge().issue(match.issue)
    applies = issue.applies_to(context.server.family, context.server.numbers)
    against = list(match.against)
    score = match.score
    if applies == "no":
        against.append(
            f"Version {context.server.version} is not among the affected versions "
            f"({'; '.join(issue.affected)})."
        )
        score *= OLD_FIX
    return FindingDoc(
        id=issue.id,
        category=issue.category,
        title=issue.title,
        score=round(score, 3),
        why=match.why,
        evidence=list(match.evidence),
        against=against,
        applies_to_version=applies,
        fixed_in=list(issue.fixed),
        mitigations=[MitigationDoc(action=a, side_effects=s) for a, s in issue.mitigations],
        experiment=ExperimentDoc(
            change=issue.change, expect=issue.expect or "", refuted_if=issue.refuted_if
        )
        if issue.change
        else None,
        references=list(issue.references),
        explanation=issue.explanation,
        signs=list(signs),
        verified=issue.verified,
        verified_by=issue.verified_by,
    )


def _coverage(observed: Observed, context: Context) -> LookedAtDoc:
    span = context.stall
    window = None
    if span is not None and (start := iso(span.start)) and (end := iso(span.end)):
        window = Window(start=start, end=end)
    return LookedAtDoc(window=window, records=observed.record_counts)


def _has_moments(observed: Observed) -> bool:
    seen = observed.record_counts
    return any(seen[name] for name in ("status dumps", "stack samples", "processlists"))


def _has_series(evidence: Evidence) -> bool:
    """Return whether the evidence has enough samples to show a stall."""
    frame = evidence.frame("sample")
    return frame is not None and frame["time"].n_unique() >= 20
