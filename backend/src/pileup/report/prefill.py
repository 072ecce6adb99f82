"""Section bodies written from the case, in Markdown: what was measured and what was argued.

A person edits them afterwards. Every measured sentence ends in a source note (see notes.py).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from pileup.analysis.contract import Analysis, StallDoc
from pileup.report.case import SECTION_TITLES, Case, ReportExperiment, ReportHypothesis
from pileup.report.notes import pin_reference, references

_VERDICT_WORDS = {
    "match": "matched the prediction",
    "partial": "matched the prediction in part",
    "miss": "missed the prediction",
    "not_measurable": "could not be measured",
}
_SAME_WAY = {"yes": "It failed the same way.", "no": "It failed differently.", "unclear": ""}


def prefill(case: Case, key: str) -> str:
    """The Markdown body of one section; says what is missing when there is nothing."""
    return _WRITERS[key](case).strip() + "\n"


def body(case: Case, key: str) -> str:
    """The section as edited, else prefilled."""
    edited = case.sections.get(key)
    return prefill(case, key) if edited is None else edited


def main_stall(analysis: Analysis | None) -> StallDoc | None:
    """The longest real stall."""
    stalls = [s for s in analysis.stalls if s.kind == "stall"] if analysis else []
    return max(stalls, key=lambda s: s.duration_s or float("inf"), default=None)


def when(text: str | None) -> str:
    """'2026-11-20T22:19:49.000000Z' as '2026-11-20 22:19:49 UTC'."""
    if text is None:
        return "unknown"
    moment = datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")


def _summary(case: Case) -> str:
    analysis = case.analysis
    if analysis is None:
        return "Nothing has been analysed yet: upload the artifacts of the incident."
    lines = [analysis.headline.text]
    if analysis.headline.arrival:
        lines.append(analysis.headline.arrival)
    if analysis.blockers:
        top = analysis.blockers[0]
        inferred = " (inferred)" if top.inferred else ""
        lines.append(
            f"**Root blocker{inferred}:** {top.holder}, {top.blocks_total} behind it, "
            f"seen in {top.seen} of {top.of} snapshots. {top.why}{references(top.evidence)}"
        )
    if analysis.findings:
        best = analysis.findings[0]
        lines.append(
            f"**Best match:** {best.title} (`{best.id}`, score {best.score:.2f}). "
            f"{best.why}{references(best.evidence)}"
        )
    leading = _leading(case)
    if leading is not None:
        lines.append(f"**Leading hypothesis ({leading.confidence} %):** {leading.statement}")
    return "\n\n".join(lines)


def _impact(case: Case) -> str:
    stall = main_stall(case.analysis)
    if stall is None:
        return (
            "No stall was detected in the artifacts. Say here who noticed what, and for how long."
        )
    lines = [
        f"- Onset: {when(stall.onset)}",
        f"- End: {when(stall.end) if stall.end else 'not captured'}",
    ]
    if stall.duration_s is not None:
        lines.append(f"- Duration: {stall.duration_s:.0f} s")
    if stall.peak_waiters is not None:
        lines.append(f"- Most waiters at once: {stall.peak_waiters} at {when(stall.peak_at)}")
    lines += [f"- {evidence.text}" for evidence in stall.evidence]
    lines.append("")
    lines.append("Users affected: *to be written by the team.*")
    return "\n".join(lines)


def _timeline(case: Case) -> str:
    rows: list[tuple[str, str]] = []
    if case.analysis is not None:
        for stall in case.analysis.stalls:
            rows.append((stall.onset, f"{stall.kind.replace('_', ' ')} begins"))
            if stall.end:
                rows.append((stall.end, f"{stall.kind.replace('_', ' ')} ends"))
            if stall.peak_at and stall.peak_waiters is not None:
                rows.append((stall.peak_at, f"most waiters at once: {stall.peak_waiters}"))
        rows += [
            (event.time, _first_line(event.message))
            for event in case.analysis.events
            if event.time and event.kind in {"trigger", "restart", "crash", "semaphore_warning"}
        ][:20]
        rows += [
            (deadlock.time, f"deadlock: {deadlock.relation}")
            for deadlock in case.analysis.deadlocks
            if deadlock.time
        ]
    for note in case.annotations:
        at = note.start.astimezone(UTC).isoformat().replace("+00:00", "Z")
        rows.append((at, f"{note.text} ({note.author})"))
    if not rows:
        return "No events yet."
    head = "| time | what |\n|---|---|\n"
    return head + "\n".join(f"| {when(at)} | {_cell(text)} |" for at, text in sorted(rows))


def _what_happened(case: Case) -> str:
    analysis = case.analysis
    if analysis is None:
        return "Nothing has been analysed yet."
    parts: list[str] = []
    if analysis.shifts:
        rows = "\n".join(
            f"| `{_cell(s.series)}` | {_number(s.baseline)} | {_number(s.stall)} | "
            f"{'' if s.ratio is None else f'{s.ratio:.1f}×'} | "
            f"{'' if s.first_moved_s is None else f'{s.first_moved_s:+.0f} s'} |"
            for s in analysis.shifts[:10]
        )
        parts.append(
            "What moved, strongest first (medians; first move relative to the onset):\n\n"
            f"| series | before | during | ratio | first moved |\n|---|--:|--:|--:|--:|\n{rows}"
        )
    if analysis.hot_latches:
        rows = "\n".join(
            f"| {_cell(h.label)} | {h.waits} | {h.max_at_once} | {h.share:.0%} "
            f"| {_cell(h.meaning)} |"
            for h in analysis.hot_latches[:6]
        )
        parts.append(
            "Latches waited for, all positions taken together:\n\n"
            f"| latch | waits | most at once | share | meaning |\n|---|--:|--:|--:|---|\n{rows}"
        )
    if analysis.blockers:
        items = "\n".join(
            f"- {b.holder}: {b.blocks_total} behind it ({b.blocks_direct} directly), "
            f"in {b.seen} of {b.of} snapshots. {b.why}{references(b.evidence)}"
            for b in analysis.blockers[:5]
        )
        parts.append(f"Root blockers:\n\n{items}")
    return "\n\n".join(parts) or "Neither shifts nor waits were found in the artifacts."


def _contributing(case: Case) -> str:
    supported = [h for h in case.hypotheses if h.status == "supported"]
    lines = [f"- {h.statement}" for h in supported]
    if case.analysis is not None:
        lines += [
            f"- {f.title} (`{f.id}`, score {f.score:.2f}; applies to this version: "
            f"{f.applies_to_version}). {f.explanation or f.why}{references(f.evidence)}"
            for f in case.analysis.findings[:3]
        ]
    return "\n".join(lines) or "No known problem matched and no hypothesis is supported yet."


def _hypotheses(case: Case) -> str:
    if not case.hypotheses:
        return "No hypothesis was recorded."
    return "\n\n".join(_hypothesis(h) for h in case.hypotheses)


def _hypothesis(hypothesis: ReportHypothesis) -> str:
    confidence = "" if hypothesis.confidence is None else f", confidence {hypothesis.confidence} %"
    lines = [f"**{hypothesis.statement}** ({hypothesis.status}{confidence})"]
    if hypothesis.falsifier:
        lines.append(f"Would be false if: {hypothesis.falsifier}")
    for side, word in (("for", "For"), ("against", "Against"), ("neutral", "Neutral")):
        items = [e for e in hypothesis.evidence if e.side == side]
        if items:
            lines.append(
                f"{word}:\n\n"
                + "\n".join(
                    f"- {e.note or (e.pin.title if e.pin else 'testimony')}"
                    f"{pin_reference(e.pin) if e.pin else ''}"
                    for e in items
                )
            )
    if len(hypothesis.history) > 1:
        steps = "; ".join(
            f"{step.confidence} % ({step.by}, {step.at.astimezone(UTC):%H:%M}: {step.reason})"
            for step in hypothesis.history
        )
        lines.append(f"Confidence over time: {steps}")
    return "\n\n".join(lines)


def _experiments(case: Case) -> str:
    if not case.experiments:
        return "No experiment was logged."
    return "\n\n".join(_experiment(e) for e in case.experiments)


def _experiment(experiment: ReportExperiment) -> str:
    verdict = _VERDICT_WORDS.get(experiment.verdict or "", "has no verdict yet")
    locked = (
        f" (locked {experiment.locked_at.astimezone(UTC):%Y-%m-%d %H:%M UTC})"
        if experiment.locked_at
        else ""
    )
    lines = [
        f"**Experiment {experiment.number}: {experiment.title}** — {verdict}.",
        f"- Change: {experiment.change}",
        f"- Prediction{locked}: {experiment.prediction}",
        f"- Observation: {experiment.observation or 'none yet'} "
        f"{_SAME_WAY.get(experiment.failed_same_way or '', '')}"
        + "".join(pin_reference(p) for p in experiment.pins),
    ]
    if experiment.conclusion:
        lines.append(f"- Conclusion: {experiment.conclusion}")
    if experiment.artifacts:
        lines.append("- Artifacts: " + ", ".join(f"`{path}`" for path in experiment.artifacts))
    return lines[0] + "\n\n" + "\n".join(lines[1:])


def _mitigations(case: Case) -> str:
    findings = case.analysis.findings[:3] if case.analysis else []
    lines: list[str] = []
    for finding in findings:
        for mitigation in finding.mitigations:
            price = f" Price: {mitigation.side_effects}" if mitigation.side_effects else ""
            lines.append(f"- {mitigation.action} (`{finding.id}`).{price}")
        if finding.fixed_in:
            lines.append(f"- `{finding.id}` is fixed in: {', '.join(finding.fixed_in)}")
    return "\n".join(lines) or "None known yet."


def _actions(_: Case) -> str:
    return "| action | owner | due | verified by |\n|---|---|---|---|\n| | | | |"


def _gaps(case: Case) -> str:
    if case.analysis is None:
        return "Nothing has been analysed yet."
    missing = [t for t in case.analysis.triage if t.verdict == "no_data"]
    lines = [f"- {t.check.replace('_', ' ')}: {t.why}" for t in missing]
    unknown = [a.path for a in case.analysis.artifacts if a.format is None]
    if unknown:
        lines.append(f"- {len(unknown)} files have an unknown format: " + _some(unknown))
    unplaced = [
        a.path
        for a in case.analysis.artifacts
        if a.clock is not None and a.clock.quality == "unknown"
    ]
    if unplaced:
        lines.append(f"- {len(unplaced)} files could not be placed in time: " + _some(unplaced))
    return "\n".join(lines) or "All seven quick checks had data, and every file was placed in time."


def _appendix(case: Case) -> str:
    if case.analysis is None:
        return "Nothing has been analysed yet."
    rows = "\n".join(
        f"| `{_cell(a.path)}` | {a.format or 'unknown'} | {when(a.first) if a.first else ''} | "
        f"{len(a.problems)} | {_cell(a.clock.how) if a.clock else ''} | `{a.sha256[:12]}` |"
        for a in case.analysis.artifacts
    )
    return (
        f"Analysed by Pileup {case.analysis.engine}.\n\n"
        "| artifact | format | first record | problems | clock | SHA-256 |\n"
        f"|---|---|---|--:|---|---|\n{rows}"
    )


def _leading(case: Case) -> ReportHypothesis | None:
    alive = [
        h
        for h in case.hypotheses
        if h.status in {"proposed", "active", "supported"} and h.confidence is not None
    ]
    return max(alive, key=lambda h: h.confidence or 0, default=None)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _some(paths: list[str]) -> str:
    shown = ", ".join(f"`{path}`" for path in paths[:5])
    return shown + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")


def _first_line(text: str) -> str:
    line = text.split("\n", 1)[0]
    return line if len(line) <= 160 else f"{line[:159]}…"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


_WRITERS: dict[str, Callable[[Case], str]] = {
    "summary": _summary,
    "impact": _impact,
    "timeline": _timeline,
    "what_happened": _what_happened,
    "contributing_factors": _contributing,
    "hypotheses": _hypotheses,
    "experiments": _experiments,
    "mitigations": _mitigations,
    "actions": _actions,
    "gaps": _gaps,
    "appendix": _appendix,
}
assert _WRITERS.keys() == SECTION_TITLES.keys()
