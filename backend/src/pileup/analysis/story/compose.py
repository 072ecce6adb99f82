"""Compose the story of a stall from its parts."""

from __future__ import annotations

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
from pileup.analysis.story.sentence import leading, of_waits, plain, story
from pileup.analysis.story.work import work

_MOST_FIXES = 4


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
    document = StoryDoc(
        plain=plain(stall, cost),
        chain=chain.chain(root),
        impact=cost,
        fixes=_fixes(findings),
        marks=marks.marks(stall, root, ended),
        work=work(context, active),
    )
    return story(stall, roots, active, ended, cost), document


def _of_waits(root: RootDoc | None, findings: Sequence[FindingDoc]) -> StoryDoc | None:
    """Return who waits for whom and what helps, of a list or dump without times around it."""
    links, fixes = chain.chain(root), _fixes(findings)
    if not links and not fixes:
        return None
    return StoryDoc(plain="", chain=links, impact=StoryImpact(), fixes=fixes, marks=[])


def _fixes(findings: Sequence[FindingDoc]) -> list[StoryFix]:
    """List what helps at once: commands first, of the first problem that was found."""
    problem = next((f for f in findings if f.role == "problem" and f.verdict == "found"), None)
    if problem is None:
        return []
    fixes = [_fix(problem.id, each) for each in problem.mitigations]
    fixes.sort(key=lambda fix: fix.command is None)
    return fixes[:_MOST_FIXES]


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
