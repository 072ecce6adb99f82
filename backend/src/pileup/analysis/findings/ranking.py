"""Order findings: problems before symptoms, by impact times confidence.

Entries of one mechanism (``mechanism`` in issues.yaml) become one finding, led by the entry whose
own signs match best; the others are what it is known as. Which releases an entry names decides
between entries that match equally well, and never how sure the finding is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from pileup.analysis.blocked_time.measure import Share
from pileup.analysis.contract import FindingDoc, SignDoc
from pileup.analysis.evidence.context import Server
from pileup.analysis.findings import known
from pileup.analysis.findings.rules import Match
from pileup.analysis.findings.worst_moment import Queue
from pileup.knowledge import ANYTHING, Issue, knowledge

_GENERAL_FIRST = 0.04
"""A case of a general problem leads only where its own signs add this much."""
_OTHER_RELEASE = 0.15
"""And an entry that names other releases has to match better by this much."""
_SYMPTOM = 0.5
"""Most that a symptom scores."""
_EXPLAINS = 0.6
"""A finding explains a symptom that scores at most 1/0.6 of it."""
_MOST_TIME = 0.5
"""Share of the time from which on a finding explains what follows any problem."""
_LEAST_IMPACT = 0.05
"""Share of the time below which a wait is no root, and what is only seen of it no finding."""
_EVEN_BET = 0.5
"""Most that a finding scores by small evidence that leaves room for another explanation."""
_LITTLE = 0.25
"""Share of the time below which, at its highest, a wait is no main cause if it is momentary."""
_MOMENTARY, _LEAST_MOMENTS = 0.2, 5
"""It is in at most this share of so many moments of the stall."""
_AS_SURE = 0.8
"""A rival is at least this much of a finding's score."""
_ELSEWHERE = "Most of what is active does something else."
_NO_WAITS = 0.6
"""Impact that ranks a finding that names no waits: a log line, a counter."""


@dataclass(frozen=True, slots=True)
class Matched:
    """One known problem that matches."""

    issue: Issue
    match: Match
    signs: tuple[SignDoc, ...]


def by_mechanism(matched: Iterable[Matched], server: Server) -> list[list[Matched]]:
    """Group matches by mechanism, the entry that leads first; none of another flavour leads."""
    groups: defaultdict[str, list[Matched]] = defaultdict(list)
    for entry in matched:
        groups[entry.issue.mechanism].append(entry)
    return [
        sorted(members, key=lambda entry: _leads(entry, server), reverse=True)
        for members in groups.values()
    ]


def _leads(entry: Matched, server: Server) -> tuple[bool, float, str]:
    score = entry.match.score
    if entry.issue.id == entry.issue.mechanism:
        score += _GENERAL_FIRST
    if entry.issue.applies_to(server.family, server.numbers) == "no":
        score -= _OTHER_RELEASE
    return known.concerns(entry.issue, server), round(score, 3), entry.issue.id


def impact_of(
    match: Match, queue: Queue | None, waiting: int, share: Share | None
) -> tuple[float, float, float] | None:
    """Return the share of time that flows through what a finding names, with its bounds.

    share: of active-session seconds; None: not measured, and waiters are counted instead.
    """
    if share is not None and share.value > 0:
        return round(share.value, 3), round(share.low, 3), round(share.high, 3)
    waiters = max(match.waiters, queue.waiters if queue else 0)
    if waiters == 0:
        return None
    everyone = max(waiting, waiters)
    largest = queue.in_largest if queue else waiters
    counted = waiters / everyone
    return round(counted, 3), round(min(counted, largest / everyone), 3), round(counted, 3)


def as_sure_as_it_lasts(match: Match, share: Share | None, moments: int) -> Match:
    """Limit a score to an even bet where what it names is over in a moment of the stall.

    At the worst moment all may wait for what is over a second later, and the stall goes on.
    moments: of the stall, in which it could be seen.
    """
    if (
        share is None
        or moments < _LEAST_MOMENTS
        or not 0 < share.moments <= _MOMENTARY * moments
        or share.high >= _LITTLE
    ):
        return match
    return replace(match, score=min(match.score, _EVEN_BET), against=(*match.against, _ELSEWHERE))


def in_order(
    findings: Sequence[FindingDoc],
    queues: Mapping[str, Queue | None],
    kinds: Mapping[str, str],
    onward: Mapping[str, str],
    *,
    is_small: bool,
) -> list[FindingDoc]:
    """Order findings and mark symptoms, with what explains them.

    queues, kinds: by finding, the queue of its victims, and the kind of what they wait for. onward:
    by finding, the other one at whose root its time ends. is_small: no series shows a stall, so
    that a dump, a list or stacks alone are the evidence.
    """
    ordered = sorted(findings, key=lambda other: (-_rank(other), other.id))
    problems = [other for other in ordered if other.role == "problem"]
    marked = [_marked(other, problems, queues, kinds, onward) for other in ordered]
    if is_small:
        marked = [_as_sure_as_alone(other, marked) for other in marked]
    return sorted(marked, key=lambda other: (other.role == "symptom", other.verdict != "found"))


def _as_sure_as_alone(finding: FindingDoc, findings: Sequence[FindingDoc]) -> FindingDoc:
    """Limit a score to an even bet where most waits, or the same ones, have another explanation.

    Without a baseline nothing shows which of two explanations began with the stall.
    """
    impact = finding.impact
    if finding.role != "problem" or finding.score <= _EVEN_BET or impact is None:
        return finding
    rivals = [
        other
        for other in findings
        if other.id != finding.id
        and other.role == "problem"
        and other.score >= _AS_SURE * finding.score
        and (other.impact or 0.0) + impact > 1.0  # so they share sessions
    ]
    if impact >= _MOST_TIME and not rivals:
        return finding
    reason = f"'{rivals[0].title}' explains the same waits as well." if rivals else _ELSEWHERE
    return msgspec.structs.replace(finding, score=_EVEN_BET, against=[*finding.against, reason])


def without_small(
    findings: Sequence[FindingDoc],
) -> tuple[list[FindingDoc], list[FindingDoc]]:
    """Part what is only seen and has next to no time behind it from the rest.

    Only where a problem that is found has most of the time: elsewhere the little is all there is.
    """
    explained = any(
        other.role == "problem" and other.verdict == "found" and (other.impact or 0.0) >= _MOST_TIME
        for other in findings
    )
    small = [
        other
        for other in findings
        if explained
        and other.verdict == "seen"
        and other.impact is not None
        and other.impact < _LEAST_IMPACT
    ]
    return [other for other in findings if other not in small], small


def _rank(finding: FindingDoc) -> float:
    impact = _NO_WAITS if finding.impact is None else finding.impact
    return finding.score * (0.5 + 0.5 * impact)


def _marked(
    finding: FindingDoc,
    problems: Sequence[FindingDoc],
    queues: Mapping[str, Queue | None],
    kinds: Mapping[str, str],
    passed_to: Mapping[str, str],
) -> FindingDoc:
    """Mark a symptom: by its nature, by what is known of it, or as its holder waits for another's.

    As the cause, a symptom is at most an even bet.
    """
    cause = _cause(finding, problems, queues, kinds, passed_to)
    if cause is None and finding.role != "symptom":
        return finding
    return msgspec.structs.replace(
        finding,
        role="symptom",
        explained_by=cause,
        score=min(finding.score, _SYMPTOM),
        verdict="found" if finding.verdict == "found" else "seen",
    )


def _cause(
    finding: FindingDoc,
    problems: Sequence[FindingDoc],
    queues: Mapping[str, Queue | None],
    kinds: Mapping[str, str],
    passed_to: Mapping[str, str],
) -> str | None:
    """Return the finding that explains this one; None: nothing found does."""
    known = knowledge()
    others = [
        other
        for other in problems
        if other.id != finding.id
        and other.verdict == "found"
        and finding.id not in known.issue(other.id).follows  # it explains that one
    ]
    if finding.role == "symptom":
        return next((other.id for other in others), None)
    if any(other.id == passed_to.get(finding.id) for other in others):
        return passed_to[finding.id]
    follows = known.issue(finding.id).follows
    for other in others:
        if other.score < _EXPLAINS * finding.score:
            continue
        if other.id in follows or known.issue(other.id).mechanism in follows:
            return other.id
        if ANYTHING in follows and (other.impact or 0.0) >= _MOST_TIME:
            return other.id
    queue = queues.get(finding.id)
    onward = queue.onward if queue else None
    if onward is None or onward == kinds.get(finding.id):
        return None
    return next((other.id for other in others if kinds.get(other.id) == onward), None)


__all__ = [
    "Matched",
    "as_sure_as_it_lasts",
    "by_mechanism",
    "impact_of",
    "in_order",
    "without_small",
]
