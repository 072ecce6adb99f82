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


def diagnose(observed: Observed) -> Diagnosis:
    """Evaluate every known problem, best match first.

    Empty when the evidence has time series and they show no stall. Stacks or waits alone, without
    time series, are evaluated.
    """
    context, evidence = observed.context, observed.context.evidence
    if context.stall is None and _has_series(evidence):
        return Diagnosis((), (), None)
    bigger = larger.waits(observed)
    findings: list[FindingDoc] = []
    absent: list[AbsenceDoc] = []
    for issue, signature in knowledge().signatures.items():
        signs: tuple[SignDoc, ...] = ()
        had_data = True
        if signature.rule == "code":
            match = RULES[issue](observed)
            had_data = _has_moments(observed)
        else:
            outcome = evaluate(signature, observed, bigger)
            match, signs, had_data = outcome.match, outcome.signs, outcome.had_data
        finding = _finding(match, signs, context) if match else None
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
    return Diagnosis(tuple(findings), tuple(absent), _coverage(observed, context))


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
