"""Match all known problems: findings with the best first, and the patterns that did not match.

Most signatures are data that ``matching`` evaluates; where a mechanism needs more, a rule in code
decides (``rules``). Entries of one mechanism become one finding, and ``ranking`` orders them. The
texts around a match (remedies, experiments, releases) come from the knowledge base under its id.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from pileup.analysis.contract import (
    AbsenceDoc,
    ChainDoc,
    ExperimentDoc,
    FindingDoc,
    LookedAtDoc,
    Window,
)
from pileup.analysis.evidence import compact_samples
from pileup.analysis.evidence.answers import Answers
from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.load_series import shows_load
from pileup.analysis.evidence.times import iso
from pileup.analysis.findings import (
    cascade,
    chains,
    excerpts,
    impacts,
    known,
    ranking,
    remedies,
)
from pileup.analysis.findings.matching import (
    FOUND,
    LEAST,
    Outcome,
    describe_needs,
    evaluate,
    see,
)
from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.rules import (
    Rule,
    commit,
    concurrency,
    larger,
    latches,
    locks,
    memory,
    pages,
    pauses,
    statements,
)
from pileup.analysis.findings.seen import distinct
from pileup.analysis.findings.worst_moment import Queue
from pileup.knowledge import knowledge
from pileup.knowledge.signature import Signature, names
from pileup.knowledge.version_ranges import fix_texts

RULES: dict[str, Rule] = {
    **latches.RULES,
    **locks.RULES,
    **commit.RULES,
    **concurrency.RULES,
    **pages.RULES,
    **memory.RULES,
    **statements.RULES,
    **pauses.RULES,
}
"""Issue id to the rule in code that decides it; signatures.yaml decides all others."""


_HAS_DATA = {
    **latches.HAS_DATA,
    **commit.HAS_DATA,
    **concurrency.HAS_DATA,
    **pages.HAS_DATA,
}
"""Rules that a dump, a list or stacks alone may not show: whether the evidence could."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    findings: tuple[FindingDoc, ...]
    absences: tuple[AbsenceDoc, ...]
    looked_at: LookedAtDoc | None


_LEAST_SAMPLES = 20
"""Fewest moments of a series that shows a stall, or that there is none."""
NOTHING_CHECKED = Diagnosis((), (), None)


def diagnose(observed: Observed, answers: Answers | None = None) -> Diagnosis:
    """Evaluate every known problem separately, best match first.

    Where the evidence has time series and they show no stall, only what grows is looked at. Stacks
    or waits alone, without time series, are evaluated. answers: records the problems that could not
    be evaluated.
    """
    answers = answers or Answers()
    context, evidence = observed.context, observed.context.evidence
    if context.stall is None and _has_series(evidence):
        growing = answers.settle("findings/trends", lambda: _trends(observed), [])
        return Diagnosis(tuple(growing), (), None) if growing else NOTHING_CHECKED
    bigger = answers.ask("larger_waits", lambda: larger.waits(observed))
    matched: list[ranking.Matched] = []
    absent: list[AbsenceDoc] = []
    is_part = answers.settle("is_part", lambda: excerpts.is_part(evidence), False)
    for issue, signature in knowledge().signatures.items():
        outcome = answers.settle(
            f"findings/{issue}",
            lambda: _evaluate(issue, signature, observed, bigger),  # noqa: B023  (called at once)
            Outcome(None, (), had_data=False),
        )
        if is_part:
            outcome = replace(outcome, had_data=False)
        match = outcome.match
        if match is not None and match.score >= LEAST:
            matched.append(ranking.Matched(knowledge().issue(issue), match, outcome.signs))
        elif evidence.artifacts:
            absent.append(_absence(signature, outcome))
    groups = ranking.by_mechanism(matched, context.server)
    findings = answers.settle("findings/order", lambda: _findings(groups, observed), [])
    findings, small = ranking.without_small(findings)
    absent += [_seen(finding) for finding in small]
    coverage = answers.settle("looked_at", lambda: _coverage(observed, context), None)
    return Diagnosis(tuple(findings), tuple(absent), coverage)


def _trends(observed: Observed) -> list[FindingDoc]:
    """Find what grows without a fall and is large already, while nothing stalls: a symptom."""
    growing = [
        signature for signature in knowledge().signatures.values() if _grows(signature, observed)
    ]
    if not growing:
        return []
    bigger = larger.waits(observed)
    groups = []
    for signature in growing:
        match = evaluate(signature, observed, bigger).match
        if match is not None:
            issue = replace(knowledge().issue(signature.issue), role="symptom")
            match = replace(match, score=min(match.score, _NO_HARM))
            groups.append([ranking.Matched(issue, match, ())])
    return _findings(groups, observed)


_NO_HARM = 0.5
"""Most that a trend scores while nothing stalls."""


def _grows(signature: Signature, observed: Observed) -> bool:
    """Return whether a series that a signature names grows, and another sign calls it large."""
    for sign in signature.needs:
        ways = sign.any or ()
        trends = [way for way in ways if way.kind == "trend"]
        if trends and any(see(way, observed).holds for way in trends):
            return any(see(way, observed).holds for way in ways if way.kind == "counter")
    return False


def _absence(signature: Signature, outcome: Outcome) -> AbsenceDoc:
    shown = outcome.match.why if outcome.match is not None else outcome.partly
    return AbsenceDoc(
        id=signature.issue,
        title=knowledge().issue(signature.issue).title,
        verdict="seen" if shown else "not_found" if outcome.had_data else "no_data",
        looked_for=shown or describe_needs(signature),
    )


def _seen(finding: FindingDoc) -> AbsenceDoc:
    return AbsenceDoc(id=finding.id, title=finding.title, verdict="seen", looked_for=finding.why)


def _evaluate(
    issue: str, signature: Signature, observed: Observed, bigger: larger.Larger
) -> Outcome:
    """Return the match of one known problem, and whether there was data to check it on."""
    if signature.rule == "code":
        has_data = _HAS_DATA.get(issue, _has_moments)
        return Outcome(RULES[issue](observed), (), has_data(observed))
    return evaluate(signature, observed, bigger)


def _findings(groups: list[list[ranking.Matched]], observed: Observed) -> list[FindingDoc]:
    ids = [members[0].issue.id for members in groups]
    sure = [members[0].issue.id for members in groups if members[0].match.score >= FOUND]
    kinds = {issue: _kind(knowledge().signatures[issue]) for issue in ids}
    queues = {issue: _queue(knowledge().signatures[issue], kinds[issue], observed) for issue in ids}
    findings = [
        _finding(members, sure, kinds[issue], queues[issue], observed)
        for issue, members in zip(ids, groups, strict=True)
    ]
    selects = {
        issue: select
        for issue in ids
        if (select := impacts.selected(knowledge().signatures[issue], queues[issue]))
    }
    onward = cascade.passes_on(observed.blocked, selects)
    is_small = observed.context.stall is None
    return ranking.in_order(findings, queues, kinds, onward, is_small=is_small)


def _finding(
    members: list[ranking.Matched],
    sure: list[str],
    kind: str,
    queue: Queue | None,
    observed: Observed,
) -> FindingDoc:
    issue, context = members[0].issue, observed.context
    share = impacts.share(observed.blocked, knowledge().signatures[issue.id], queue)
    moments = 0 if observed.blocked is None else observed.blocked.moments_seen
    match = ranking.as_sure_as_it_lasts(members[0].match, share, moments)
    impact = ranking.impact_of(match, queue, observed.worst.waiting, share)
    own = known.known_as(issue, context.server, match.score)
    others = [known.known_as(o.issue, context.server, o.match.score) for o in members[1:]]
    listed = {doc.id for doc in (own, *others)}
    others += [
        known.known_as(knowledge().issue(name), context.server)
        for name in issue.known_as
        if name not in listed and name in knowledge().issues
    ]
    return FindingDoc(
        id=issue.id,
        category=issue.category,
        title=issue.title,
        score=round(match.score, 3),
        verdict="found" if match.score >= FOUND else "seen",
        role=issue.role,
        impact=impact[0] if impact else None,
        impact_range=list(impact[1:]) if impact else [],
        known_as=[own, *others],
        chain=(
            chains.chain(queue, match, observed)
            if queue or match.waiters
            else ChainDoc(statement=match.statement, holder=match.holder)
        ),
        next_step=chains.next_step(issue, match, queue, kind, observed),
        why=match.why,
        evidence=distinct(match.evidence),
        against=list(match.against),
        applies_to_version=own.applies,
        fixed_in=fix_texts(issue.fixed, context.server.family),
        mitigations=remedies.remedies(issue, context, queue, sure, kind),
        experiment=ExperimentDoc(
            change=issue.change, expect=issue.expect or "", refuted_if=issue.refuted_if
        )
        if issue.change
        else None,
        references=list(issue.references),
        explanation=issue.explanation,
        signs=list(members[0].signs),
        verified=issue.verified,
        verified_by=issue.verified_by,
    )


def _queue(signature: Signature, kind: str, observed: Observed) -> Queue | None:
    """Return the queue of a problem's victims at the worst moment; for a latch, its own queue."""
    if kind != "latch":
        return observed.queues.get(kind)
    own = [observed.worst.latches.get(name) for name in sorted(impacts.latches_of(signature))]
    return max((queue for queue in own if queue), key=lambda queue: queue.waiters, default=None)


def _kind(signature: Signature) -> str:
    """Return the kind of what the victims of a problem wait for."""
    if signature.waits:
        return signature.waits
    signs = [item for sign in signature.needs for item in (sign, *(sign.any or ()))]
    if signature.latches or any(names(sign.latch) or names(sign.place) for sign in signs):
        return "latch"
    return next((sign.wait for sign in signs if sign.wait), "")


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
    """Return whether the evidence has enough samples of the server's load to show a stall."""
    frame = evidence.frame("sample")
    if frame is None or frame["time"].n_unique() < _LEAST_SAMPLES:
        return False
    names = compact_samples.distinct(frame, "series", "labels")
    loads = [row[0] for row in names.iter_rows() if shows_load(row[0], row[1] or "")]
    return frame.filter(pl.col("series").is_in(loads))["time"].n_unique() >= _LEAST_SAMPLES
