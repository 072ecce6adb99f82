"""Compose the story of a stall from its parts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pileup.analysis.contract import (
    ActiveSessionsDoc,
    FindingDoc,
    MitigationDoc,
    RootDoc,
    StallDoc,
    StoryDoc,
    StoryFix,
    StoryImpact,
)
from pileup.analysis.evidence.context import Context
from pileup.analysis.story import chain, impact, marks
from pileup.analysis.story.endings import ending
from pileup.analysis.story.sentence import (
    leading,
    of_waits,
    plain,
    story,
    wait_class,
    wide_cause,
)
from pileup.analysis.story.work import work

_MOST_FIXES = 4
_NAMES_SESSION = re.compile(r"\bsession \d+")


def tell(
    context: Context,
    stall: StallDoc | None,
    roots: Sequence[RootDoc],
    active: ActiveSessionsDoc | None,
    findings: Sequence[FindingDoc],
) -> tuple[str, StoryDoc | None]:
    """Return the sentence of a stall and the rest of its story.

    Without a stall: what the first finding shows of who waits for whom.
    """
    root = leading(roots)
    if stall is None:
        sentence = of_waits(findings)
        return sentence, _of_waits(root, findings) if sentence else None
    ended = ending(context.evidence, stall, root)
    cost = impact.impact(context, stall, active)
    cause, waited_for = wide_cause(findings, root), wait_class(active)
    links = chain.chain(root)
    if cause and waited_for and stall.peak_waiters:
        links = chain.wide_chain(waited_for, root, stall.peak_waiters)
    document = StoryDoc(
        plain=plain(stall, cost),
        chain=links,
        impact=cost,
        fixes=_fixes(findings),
        marks=marks.marks(stall, root, ended),
        work=work(context, active),
    )
    busy = _busy_with(findings)
    return story(stall, roots, active, ended, cost, busy, cause), document


def _busy_with(findings: Sequence[FindingDoc]) -> str:
    """Return the statement that takes the time by the first finding; '' if it names none."""
    first = findings[0] if findings else None
    return first.chain.statement if first is not None and first.verdict == "found" else ""


def _of_waits(root: RootDoc | None, findings: Sequence[FindingDoc]) -> StoryDoc | None:
    """Return who waits for whom and what helps, of a list or dump without times around it."""
    links, fixes = chain.chain(root), _fixes(findings)
    if not links and not fixes:
        return None
    return StoryDoc(plain="", chain=links, impact=StoryImpact(), fixes=fixes, marks=[])


def _fixes(findings: Sequence[FindingDoc]) -> list[StoryFix]:
    """List what helps at once, of the first problem that was found."""
    problem = next((f for f in findings if f.role == "problem" and f.verdict == "found"), None)
    if problem is None:
        return []
    fixes = [_fix(problem.id, each) for each in problem.mitigations]
    fixes.sort(key=_turn)
    return fixes[:_MOST_FIXES]


def _turn(fix: StoryFix) -> int:
    """Return when a remedy is tried: what ends or names a session, then settings, then the rest."""
    ends = (fix.command or "").startswith("KILL")
    return 0 if ends else 1 if _NAMES_SESSION.search(fix.action) else 2 if fix.command else 3


def _fix(finding: str, remedy: MitigationDoc) -> StoryFix:
    effects = remedy.side_effects
    return StoryFix(
        finding=finding,
        action=remedy.action,
        command=remedy.command,
        precondition=remedy.precondition,
        side_effects=None if effects in (None, "-") else effects,
    )


__all__ = ["tell"]
