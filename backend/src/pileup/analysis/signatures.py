"""Findings: known problems whose signature the evidence shows, best first.

Each rule matches over measured signs; the words around a match (what to do, what it costs, what to
try, where it is fixed) come from the knowledge base under the same stable id.
"""

from __future__ import annotations

from pileup.analysis.context import Context
from pileup.analysis.contract import ExperimentDoc, FindingDoc, MitigationDoc
from pileup.analysis.evidence import Evidence
from pileup.analysis.rules import Match, Rule, commit, concurrency, latches, locks, pages
from pileup.knowledge import knowledge

RULES: tuple[Rule, ...] = (
    *latches.RULES,
    *locks.RULES,
    *commit.RULES,
    *concurrency.RULES,
    *pages.RULES,
)
LEAST = 0.15
"""Matches below this score say more about the rule than about the incident."""
OLD_FIX = 0.3
"""What is left of a score when the server's version has the fix."""


def findings(evidence: Evidence, context: Context) -> list[FindingDoc]:
    """Every match, best first; nothing without a stall, unless stacks or waits stand alone."""
    quiet = context.stall is None and _has_series(evidence)
    if quiet:
        return []
    best: dict[str, FindingDoc] = {}
    for rule in RULES:
        match = rule(context)
        if match is None:
            continue
        finding = _finding(match, context)
        if finding.score >= LEAST and (
            finding.id not in best or best[finding.id].score < finding.score
        ):
            best[finding.id] = finding
    return sorted(best.values(), key=lambda one: (-one.score, one.id))


def _finding(match: Match, context: Context) -> FindingDoc:
    issue = knowledge().issue(match.issue)
    applies = issue.applies_to(context.server.family, context.server.numbers)
    against = list(match.against)
    score = match.score
    if applies == "no":
        against.append(
            f"Version {context.server.version} is not among the affected ones "
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
    )


def _has_series(evidence: Evidence) -> bool:
    """Whether there was anything in which a stall could have shown."""
    frame = evidence.frame("sample")
    return frame is not None and frame["time"].n_unique() >= 20
