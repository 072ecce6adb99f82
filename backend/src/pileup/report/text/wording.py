"""How numbers and times of the case are said in every part of the report."""

from __future__ import annotations

from datetime import UTC, datetime

from pileup import numerals
from pileup.analysis.contract import Analysis, BlockerDoc, StallDoc
from pileup.analysis.stalls import documents
from pileup.report.case import Case

VERDICTS = {
    "match": "match",
    "partial": "partial match",
    "miss": "miss",
    "not_measurable": "not measurable",
}


def when(text: str | None) -> str:
    """'2026-11-20T22:19:49.000000Z' as '2026-11-20 22:19:49 UTC' (zone.py may move it later)."""
    at = moment(text) if text is not None else None
    return "unknown" if at is None else at.strftime("%Y-%m-%d %H:%M:%S UTC")


def moment(text: str) -> datetime | None:
    """An ISO 8601 time in UTC; without a zone it is UTC; None when it is no time."""
    try:
        at = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        return None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def ms(iso: str) -> float:
    """Epoch milliseconds of an ISO 8601 time."""
    return datetime.fromisoformat(iso.replace("Z", "+00:00")).timestamp() * 1000


def number(value: float | None) -> str:
    """As in every sentence; empty when not known."""
    return "" if value is None else numerals.number(value)


def ratio_words(before: float | None, during: float | None) -> str:
    """'from 3 to 96', or nothing when a side is not known."""
    if before is None or during is None:
        return ""
    return f"from {number(before)} to {number(during)}"


def main_stall(analysis: Analysis | None) -> StallDoc | None:
    """The stall that the report speaks of: as everywhere."""
    return documents.main_stall(analysis.stalls) if analysis else None


def peak_name(stall: StallDoc) -> str:
    """What ``peak_waiters`` counts."""
    waiting = stall.peak_counts == "waiting"
    return "Most threads waiting at once" if waiting else "Most sessions running at once"


def peak_words(stall: StallDoc) -> str:
    """'264 threads waiting at most'."""
    what = "threads waiting" if stall.peak_counts == "waiting" else "sessions running"
    return f"{stall.peak_waiters} {what} at most"


def lasted(root: BlockerDoc) -> str:
    """'The root in 11 of 24 status dumps of the stall. '; nothing where one was looked at."""
    return f"{root.persistence}. " if root.of > 1 and root.persistence else ""


def at(text: str | None) -> str:
    """' at 2026-11-20 22:17:13 UTC', or nothing."""
    return "" if text is None else f" at {when(text)}"


def stall_spans(case: Case) -> list[tuple[float, float | None]]:
    """(start, end) of each stall in epoch ms; None for an end that was not captured."""
    if case.analysis is None:
        return []
    return [
        (ms(s.onset), ms(s.end) if s.end else None)
        for s in case.analysis.stalls
        if s.kind == "stall"
    ]
