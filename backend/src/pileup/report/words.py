"""How numbers and times of the case are said in every part of the report."""

from __future__ import annotations

from datetime import UTC, datetime

from pileup.analysis.contract import Analysis, StallDoc
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
    """Three significant digits, or whole with thousands; empty when not known."""
    if value is None:
        return ""
    return f"{value:,.0f}".replace(",", "\u2009") if abs(value) >= 100 else f"{value:.3g}"


def ratio_words(before: float | None, during: float | None) -> str:
    """'from 3 to 96', or nothing when a side is not known."""
    if before is None or during is None:
        return ""
    return f"from {number(before)} to {number(during)}"


def main_stall(analysis: Analysis | None) -> StallDoc | None:
    """The longest real stall."""
    stalls = [s for s in analysis.stalls if s.kind == "stall"] if analysis else []
    return max(stalls, key=lambda s: s.duration_s or float("inf"), default=None)


def stall_spans(case: Case) -> list[tuple[float, float | None]]:
    """(start, end) of each stall in epoch ms; None for an end that was not captured."""
    if case.analysis is None:
        return []
    return [
        (ms(s.onset), ms(s.end) if s.end else None)
        for s in case.analysis.stalls
        if s.kind == "stall"
    ]
