"""Name the sources of a stall, for every sentence that the report drafts about it."""

from __future__ import annotations

from pileup.analysis.contract import Analysis, Locator, StallDoc, StallEvidence
from pileup.report.text.source_notes import references
from pileup.report.text.wording import main_stall


def of_evidence(stall: StallDoc, evidence: StallEvidence) -> Locator:
    """Return the series of one piece of evidence over its stall."""
    return Locator(
        kind="series",
        series=evidence.series,
        start=stall.onset,
        end=stall.end or stall.peak_at or stall.onset,
    )


def of_stall(analysis: Analysis, stall: StallDoc) -> Locator | None:
    """Return the series that shows the stall best; None if no series does."""
    known = {series.id for series in analysis.series}
    shown = [evidence for evidence in stall.evidence if evidence.series in known]
    return of_evidence(stall, shown[0]) if shown else None


def of_root(analysis: Analysis) -> Locator | None:
    """Return the first source of what the waits end at; None without one."""
    evidence = [
        *(locator for root in analysis.roots[:1] for locator in root.evidence),
        *(locator for root in analysis.blockers[:1] for locator in root.evidence),
        *(locator for finding in analysis.findings[:1] for locator in finding.evidence),
    ]
    return next((locator for locator in evidence if references([locator])), None)


def stall_references(analysis: Analysis | None) -> str:
    """Build the references of a sentence about the leading stall: its series, and its root."""
    if analysis is None:
        return ""
    stall = main_stall(analysis)
    series = of_stall(analysis, stall) if stall else None
    return references([locator for locator in (series, of_root(analysis)) if locator])
