"""Write the cover: the story in one sentence, what it cost, and what the team concluded."""

from __future__ import annotations

from pileup.report.case import Case
from pileup.report.document import Cover
from pileup.report.text import executive
from pileup.report.text.source_notes import without_references
from pileup.report.text.wording import sentence

_PLAIN = frozenset({"executive", "five-lines"})
"""Templates whose readers do not run databases."""
MOST_POINTS = 4


def cover(case: Case) -> Cover | None:
    """Write the cover for the readers of the chosen template; None without an analysis."""
    analysis = case.analysis
    if analysis is None:
        return None
    is_plain = case.template in _PLAIN
    story = analysis.headline.story or analysis.headline.text
    if is_plain:
        story = without_references(executive.summary(case))
    points = list(analysis.story.impact.sentences) if analysis.story else []
    supported = [h for h in case.hypotheses if h.status == "supported"]
    if supported:
        best = max(supported, key=lambda h: h.confidence or 0)
        concluded = f"The team concluded: {sentence(best.statement)}"
        first, story = (concluded, story) if is_plain else (story, concluded)
        points = [first, *points][:MOST_POINTS]
    elif is_plain:
        points.append(without_references(executive.cause(case)))
    elif analysis.findings:
        points.append(f"Likely cause: {sentence(analysis.findings[0].title)}")
    return Cover(story=story, points=[point for point in points if point][-MOST_POINTS:])
