"""Write the cover: the story in one sentence, what it cost, and what the team concluded."""

from __future__ import annotations

from pileup.report.case import Case
from pileup.report.document import Cover
from pileup.report.text import executive
from pileup.report.text.templates import PLAIN
from pileup.report.text.wording import cause_line, sentence

MOST_POINTS = 4


def cover(case: Case) -> Cover | None:
    """Write the cover for the readers of the chosen template; None without an analysis.

    A plain template is itself one page: its cover is one sentence, for the preview of a link.
    """
    analysis = case.analysis
    if analysis is None:
        return None
    if case.template in PLAIN:
        return Cover(story=executive.happened(analysis), points=[])
    story = analysis.headline.story or analysis.headline.text
    points = list(analysis.story.impact.sentences) if analysis.story else []
    supported = [h for h in case.hypotheses if h.status == "supported"]
    if supported:
        best = max(supported, key=lambda h: h.confidence or 0)
        points = [story, *points][:MOST_POINTS]
        story = f"The team concluded: {sentence(best.statement)}"
    elif analysis.findings and analysis.findings[0].title not in story:
        points.append(cause_line(analysis))
    return Cover(story=story, points=[point for point in points if point][-MOST_POINTS:])
