"""Format the numbers and times of the case alike in every part of the report."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from pileup import numerals
from pileup.analysis.contract import (
    Analysis,
    BlockerDoc,
    FindingDoc,
    KnownAsDoc,
    SeriesDoc,
    StallDoc,
)
from pileup.analysis.stalls import documents
from pileup.knowledge.series_titles import series_title
from pileup.report.case import Case, ReportConfidence, ReportExperiment, ReportMeasure

VERDICTS = {
    "match": "match",
    "partial": "partial match",
    "miss": "miss",
    "not_measurable": "not measurable",
}


def when(text: str | None) -> str:
    """Format an ISO 8601 time as '2026-11-20 22:19:49 UTC' (zone.py may convert it later)."""
    at = moment(text) if text is not None else None
    return "unknown" if at is None else at.strftime("%Y-%m-%d %H:%M:%S UTC")


def moment(text: str) -> datetime | None:
    """Parse an ISO 8601 time to UTC; without a zone it is UTC; None when it is not a time."""
    try:
        at = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        return None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def ms(iso: str) -> float:
    """Return the epoch milliseconds of an ISO 8601 time."""
    return datetime.fromisoformat(iso.replace("Z", "+00:00")).timestamp() * 1000


def number(value: float | None) -> str:
    """Format a number for a sentence; empty when None."""
    return "" if value is None else numerals.number(value)


def ratio_words(before: float | None, during: float | None) -> str:
    """Format a change: 'from 3 to 96'; empty when a side is unknown."""
    if before is None or during is None:
        return ""
    return f"from {number(before)} to {number(during)}"


def times(ratio: float | None) -> str:
    """Format a ratio as the screens do: '× 38', a fall '÷ 12'; empty when None."""
    if ratio is None:
        return ""
    if ratio == 0:
        return "to 0"
    return f"÷ {number(1 / ratio)}" if 0 < ratio < 1 else f"× {number(ratio)}"


def main_stall(analysis: Analysis | None) -> StallDoc | None:
    """Return the stall that the report describes, the same as on every screen."""
    return documents.main_stall(analysis.stalls) if analysis else None


def found_cause(analysis: Analysis) -> FindingDoc | None:
    """Return the first finding; None if what was seen is too little to be sure of it."""
    best = analysis.findings[0] if analysis.findings else None
    return best if best is not None and best.verdict == "found" else None


def cause_line(analysis: Analysis) -> str:
    """Name the first finding, as sure as it is; '' without a finding."""
    if not analysis.findings:
        return ""
    best = found_cause(analysis)
    if best is None:
        return f"Cause unknown; the best guess is: {sentence(analysis.findings[0].title)}"
    return f"{'Likely cause' if best.role == 'problem' else 'Symptom'}: {sentence(best.title)}"


def lane_title(series: SeriesDoc) -> str:
    """Name a series as the timeline does, with its labels: 'CPU user, cpu 0'."""
    return series_title(series.name, series.labels).words


def lane_unit(series: SeriesDoc) -> str:
    """Write the unit of what is drawn of a series: 'threads', 'B/s', '/s'; empty: not known."""
    unit = unit_text(series_title(series.name, series.labels, series.unit).unit)
    return f"{unit}/s" if series.kind == "counter" and not unit.endswith("/s") else unit


def unit_text(unit: str | None) -> str:
    """Write a unit beside a number: '/s' for '1/s'."""
    return "/s" if unit == "1/s" else unit or ""


def peak_name(stall: StallDoc) -> str:
    """Name what ``peak_waiters`` counts."""
    waiting = stall.peak_counts == "waiting"
    return "Peak sessions waiting" if waiting else "Peak sessions running"


def peak_words(stall: StallDoc) -> str:
    """Format the peak: 'peak 264 sessions waiting'."""
    what = "sessions waiting" if stall.peak_counts == "waiting" else "sessions running"
    return f"peak {stall.peak_waiters} {what}"


def lasted(root: BlockerDoc) -> str:
    """Format how often a blocker is the root, with a trailing blank; empty for a single moment."""
    return f"{root.persistence}. " if root.of > 1 and root.persistence else ""


def at(text: str | None) -> str:
    """Format ' at 2026-11-20 22:17:13 UTC'; empty when None."""
    return "" if text is None else f" at {when(text)}"


def _last_seen_ms(stall: StallDoc) -> float | None:
    return None if stall.duration_s is None else ms(stall.onset) + stall.duration_s * 1000


def stall_spans(case: Case) -> list[tuple[float, float | None]]:
    """List (start, end) of each stall in epoch ms.

    Where the capture ends inside the stall, its last sample ends it: nothing is drawn across a gap.
    None if not even that is known.
    """
    if case.analysis is None:
        return []
    return [
        (ms(s.onset), ms(s.end) if s.end else _last_seen_ms(s))
        for s in case.analysis.stalls
        if s.kind == "stall"
    ]


FAILED = {
    "yes": "failed the same way",
    "no": "failed differently",
    "failed": "failed",
    "unclear": "",
    "not_failed": "did not fail",
}
"""How a run failed, after 'it'; empty where nobody knows."""

_AFTERWARDS = timedelta(hours=1)
AFTER_RUN = "recorded after the run"


def measure_words(measure: ReportMeasure) -> str:
    """Format a value of a run with its source: '10 000 1/s (typed)'."""
    unit = f" {measure.unit}" if measure.unit else ""
    return f"{number(measure.value)}{unit} ({measure.source})"


def prediction_words(experiment: ReportExperiment) -> str:
    """Return a prediction, and that it was recorded after its run if that is so."""
    if experiment.standing == "none" or not experiment.prediction:
        return "none was recorded"
    after = f" ({AFTER_RUN})" if experiment.standing == "recorded_after" else ""
    return f"{experiment.prediction}{after}"


def happened_words(at: datetime, precision: str) -> str:
    """Format a time as precisely as it is known: '2026-11-20', 'about 2026-11-20 22:19 UTC'."""
    if precision == "day":
        return f"{at.astimezone(UTC):%Y-%m-%d}"
    about = "about " if precision == "about" else ""
    return f"{about}{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def recorded_afterwards(step: ReportConfidence) -> bool:
    """Return whether a step was recorded at least an hour after it happened."""
    return bool(recorded_words(step.at, step.recorded_at))


def recorded_words(at: datetime, recorded_at: datetime | None) -> str:
    """Say when something was recorded: 'recorded 2026-11-23 01:08 UTC'; '' if as it happened."""
    if recorded_at is None or recorded_at - at < _AFTERWARDS:
        return ""
    return f"recorded {recorded_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def sentence(text: str) -> str:
    """End a text with a full stop, unless it ends as a sentence does; empty stays empty."""
    text = text.rstrip()
    return text if not text or text.endswith((".", "!", "?", "…", ":", ")")) else f"{text}."


def also_known_as(finding: FindingDoc, family: str | None) -> list[KnownAsDoc]:
    """Return the published problems of a finding's mechanism under other names, at most three.

    family: of the server (mysql, percona, mariadb); names that only others know are left out.
    """
    own = ("all", "mysql", "percona") if family != "mariadb" else ("all", "mariadb")
    others = [
        known
        for known in finding.known_as
        if known.id != finding.id
        and (family is None or any(entry.startswith(own) for entry in known.affected))
    ]
    return others[:3]


_TRACKERS = {"mysql": "MySQL bug ", "mdev": "MariaDB MDEV-", "ps": "Percona PS-"}


def bug_name(id_: str) -> str:
    """Name a vendor's bug: 'MySQL bug 100512', 'MariaDB MDEV-20487'; '' for an id of ours alone."""
    tracker, _, number = id_.rpartition("-")
    return f"{_TRACKERS[tracker]}{number}" if tracker in _TRACKERS and number.isdigit() else ""


def fix_words(fixed_in: Sequence[str]) -> str:
    """Join what is known of a fix, releases and remarks alike; empty when nothing is."""
    return "; ".join(entry for entry in fixed_in if entry.strip(" -"))
