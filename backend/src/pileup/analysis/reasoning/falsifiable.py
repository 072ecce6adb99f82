"""Turn a finding into a hypothesis: one sentence that can be disproved, with ids and numbers."""

from __future__ import annotations

from collections.abc import Sequence

from pileup.analysis.contract import ExperimentDoc, FindingDoc, RootDoc, StallDoc
from pileup.analysis.evidence.times import clock_text, parse
from pileup.analysis.stalls.documents import main_stall

_MOST = 400
"""Letters of what the finding saw; more would hide the claim."""


def statement(
    finding: FindingDoc, stalls: Sequence[StallDoc], roots: Sequence[RootDoc], *, leads: bool
) -> str:
    """Write 'X caused the stall of 22:25:47 (60 s): session 197 makes 161 sessions wait; why'.

    leads: the finding is the likely cause, so the first root is the one that it speaks of.
    """
    stall = main_stall(stalls)
    root = roots[0] if roots and leads else None
    seen = [part for part in (_holder(root), _cut(finding.why)) if part]
    claim = _claim(finding, stall)
    return _ended(f"{claim}: {'; '.join(seen)}" if seen else claim)


def falsifier(
    finding: FindingDoc, stalls: Sequence[StallDoc], roots: Sequence[RootDoc], *, leads: bool
) -> str:
    """Write what would show that the statement is false; never empty."""
    parts = []
    root = roots[0] if roots and leads else None
    if root is not None and root.session_id is not None and root.behind:
        parts.append(
            f"as many sessions wait as before ({root.behind}) after session {root.session_id} ended"
        )
    if finding.experiment is not None and finding.experiment.refuted_if:
        parts.append(_outcome(finding.experiment))
    if not parts:
        stall = main_stall(stalls)
        peak = stall.peak_waiters if stall else None
        many = f"{peak} or more sessions wait" if peak else "the same sessions wait"
        parts.append(f"{many} again under the same load although it is ruled out")
    return _ended("; or ".join(parts))


def _claim(finding: FindingDoc, stall: StallDoc | None) -> str:
    if stall is None:
        return f"{finding.title} makes sessions wait"
    lasted = "" if stall.duration_s is None else f" ({stall.duration_s:.0f} s)"
    caused = "is part of" if finding.role == "symptom" else "caused"
    return f"{finding.title} {caused} the stall of {clock_text(parse(stall.onset))}{lasted}"


def _holder(root: RootDoc | None) -> str:
    if root is None or root.session_id is None or not root.behind:
        return ""
    many = "1 session" if root.behind == 1 else f"{root.behind} sessions"
    return f"session {root.session_id} makes {many} wait"


def _outcome(experiment: ExperimentDoc) -> str:
    """Write '“Kill the DDL” gives “Still waiting”, not “All proceed”'."""
    refuting = f"“{experiment.change}” gives “{(experiment.refuted_if or '').rstrip(' .')}”"
    return f"{refuting}, not “{experiment.expect.rstrip(' .')}”" if experiment.expect else refuting


def _cut(text: str) -> str:
    text = text.strip().rstrip(".")
    if len(text) <= _MOST:
        return text
    ends = (text.rfind(mark, 0, _MOST) for mark in (";", " "))
    return text[: next((end for end in ends if end > 0), _MOST)]


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


__all__ = ["falsifier", "statement"]
