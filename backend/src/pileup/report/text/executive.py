"""Write the sections for those who decide: plain words, no internals of the database."""

from __future__ import annotations

from pileup.analysis.contract import Analysis
from pileup.analysis.story import missing
from pileup.numerals import grouped
from pileup.report.case import Case, ReportHypothesis
from pileup.report.text.plain_words import is_plain
from pileup.report.text.stall_sources import stall_references
from pileup.report.text.wording import main_stall, sentence, when

_CAUSES = {
    "transaction": "One piece of work kept data locked that many others needed, and they waited.",
    "session": "One piece of work kept data locked that many others needed, and they waited.",
    "thread": "One piece of work kept something occupied that many others needed, and they waited.",
    "cycle": "Several pieces of work waited for each other in a circle.",
    "row_lock": "Many requests wanted to change the same data at once and waited in line.",
    "table_lock": "Many requests needed one table while it was locked, and waited.",
    "metadata_lock": "Many requests needed one table while its structure was locked, and waited.",
    "latch": "Many requests needed the same part of the database's memory at once and waited.",
    "commit": "Finished work could not be saved fast enough, and everything to be saved waited.",
    "fsync": "The disk was slow to confirm what was saved, and everything to be saved waited.",
    "queue": "The database let in more work than it could do at once, and the work waited in line.",
    "data_write": "The database could not write to disk fast enough to make room for new work.",
    "data_read": "The database had to read much from disk, and the requests waited for it.",
    "redo_space": "The database's journal was full, and all changes waited until there was room.",
    "throttled": "The database let in more work than it could do at once, and the work waited.",
    "replication": "Work waited for another server to confirm it.",
    "global_lock": "One operation locked the whole database, and everything else waited for it.",
    "working": "The server had more work than its processors could do.",
}
"""What a root is, by its kind."""
_OF_NODES = {"queue:free-page": "data_write"}
"""The kind that tells what a queue is for, by its node in the wait graph."""
_CHANGE = (
    "A change to a table's structure had to wait for work that was still using the table, and "
    "every later request for that table waited behind the change."
)
_UNKNOWN = "The cause is not known yet."
TECHNICAL_ACTION = "A technical change, described in the full report"
"""Replaces an action whose words need knowledge of databases."""


def happened(analysis: Analysis) -> str:
    """Say in one sentence what happened."""
    stall = main_stall(analysis)
    if stall is None:
        return "What was captured shows no time at which the database stalled."
    if analysis.story is not None:
        return analysis.story.plain
    return f"The database stalled at {when(stall.onset)}."


def summary(case: Case) -> str:
    """Say what happened, and when it began and ended."""
    analysis = case.analysis
    if analysis is None:
        return "Nothing has been analysed yet."
    stall = main_stall(analysis)
    if stall is None:
        return happened(analysis)
    sources = stall_references(analysis)
    if analysis.story is None:
        return happened(analysis) + sources
    end = f" and ended at {when(stall.end)}" if stall.end else ""
    return f"{happened(analysis)}{sources} It began at {when(stall.onset)}{end}.{sources}"


def line_happened(case: Case) -> str:
    """Say what happened in one line."""
    return happened(case.analysis) + stall_references(case.analysis) if case.analysis else ""


def impact(case: Case) -> str:
    """Say what it cost those who use the service, without the words of databases."""
    sources = stall_references(case.analysis)
    return "\n".join(f"- {text}{sources}" for text in _costs(case))


def line_impact(case: Case) -> str:
    """Say what it cost those who use the service in one line."""
    costs = _costs(case)
    return " ".join(costs) + stall_references(case.analysis) if costs else ""


def _costs(case: Case) -> list[str]:
    stall = main_stall(case.analysis)
    if case.analysis is None or stall is None or stall.duration_s is None:
        return []
    cost = case.analysis.story.impact if case.analysis.story else None
    lines = [f"{stall.duration_s:.0f} s from {when(stall.onset)}."] if cost is None else []
    if cost is not None and cost.waited_s and stall.duration_s >= 1:
        count = max(1, round(cost.waited_s / stall.duration_s))
        lines.append(f"About {grouped(count)} requests waited at any moment.")
    if cost is not None and cost.missing:
        lines.append(f"The database answered {missing(cost)} than usual.")
    if cost is not None and cost.standstill_s:
        lines.append(f"For {cost.standstill_s:.0f} s the database answered next to nothing.")
    return lines


def cause(case: Case) -> str:
    """Say why: the kind of what all waited for, then what the team concluded."""
    plain, concluded = _in_plain_words(case.analysis), _concluded(case)
    if plain in ("", _UNKNOWN):
        return concluded or plain
    best = _best(case)
    if best is not None and is_plain(best.statement):
        concluded = f"The conclusion of the team, in its words: {concluded}"
    return f"{plain}\n\n{concluded}" if concluded else plain


def line_cause(case: Case) -> str:
    """Say why in one line."""
    best = _best(case)
    if best is not None and is_plain(best.statement):
        return f"{sentence(best.statement)}{_confidence(best)}"
    return _in_plain_words(case.analysis)


def _best(case: Case) -> ReportHypothesis | None:
    """Return the supported hypothesis that the team is most sure of."""
    supported = [h for h in case.hypotheses if h.status == "supported"]
    return max(supported, key=lambda h: h.confidence or 0) if supported else None


def _concluded(case: Case) -> str:
    """Write the conclusion of the team; say where it is if it needs words of databases."""
    best = _best(case)
    if best is None:
        return ""
    if is_plain(best.statement):
        return f"{sentence(best.statement)}{_confidence(best)}"
    return (
        "The conclusion of the team is technical: the full report has it, with its evidence."
        f"{_confidence(best)}"
    )


def _in_plain_words(analysis: Analysis | None) -> str:
    """Say what all waited for without the words of databases; '' without a stall."""
    if analysis is None or main_stall(analysis) is None:
        return ""
    root = analysis.roots[0] if analysis.roots else None
    if root is None:
        return _UNKNOWN
    links = analysis.story.chain if analysis.story else []
    if any(link.role == "trigger" for link in links) and "metadata" in " ".join(root.path):
        return _CHANGE + stall_references(analysis)
    plain = _CAUSES.get(_OF_NODES.get(root.node, root.kind)) or _CAUSES.get(root.doing)
    return plain + stall_references(analysis) if plain else _UNKNOWN


def risk(case: Case) -> str:
    """Say which agreed actions leave the risk."""
    if main_stall(case.analysis) is None:
        return ""
    waiting = [a for a in case.actions if a.status in ("open", "started")]
    if not waiting:
        done = any(a.status == "done" for a in case.actions)
        return (
            "All agreed actions are done."
            if done
            else "No action is agreed yet, so it can happen again."
        )
    first = waiting[0].text
    if len(waiting) == 1:
        still = "One agreed action is still open"
        return f"{still}: {sentence(first)}" if is_plain(first) else f"{still}."
    still = f"{len(waiting)} agreed actions are still open"
    return f"{still}, the first: {sentence(first)}" if is_plain(first) else f"{still}."


def line_next(case: Case) -> str:
    """Name the next action and its owner in one line."""
    waiting = [a for a in case.actions if a.status in ("open", "started")]
    if not waiting:
        return ""
    text = waiting[0].text if is_plain(waiting[0].text) else TECHNICAL_ACTION
    return f"{text} ({waiting[0].owner or 'unassigned'})"


def _confidence(hypothesis: ReportHypothesis) -> str:
    if hypothesis.confidence is None:
        return ""
    return f" The team is {hypothesis.confidence}% sure."
