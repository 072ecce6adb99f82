"""Write section bodies from the case, in Markdown: measurements and arguments.

People edit the bodies afterwards. Every measured sentence ends in a source note (source_notes.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC

from pileup.analysis.contract import Analysis
from pileup.analysis.evidence import gaps
from pileup.report.case import Case, ReportExperiment, ReportHypothesis
from pileup.report.text.event_table import timeline_events
from pileup.report.text.source_notes import pin_reference, references
from pileup.report.text.templates import TITLES
from pileup.report.text.wording import (
    at,
    lasted,
    main_stall,
    peak_name,
    peak_words,
    ratio_words,
    when,
)
from pileup.report.text.wording import number as _number

_VERDICT_WORDS = {
    "match": "matched the prediction",
    "partial": "matched the prediction in part",
    "miss": "missed the prediction",
    "not_measurable": "could not be measured",
}
_SAME_WAY = {"yes": "It failed the same way.", "no": "It failed differently.", "unclear": ""}


def prefill(case: Case, key: str) -> str:
    """Write the Markdown body of one section; empty for a section that only people can write."""
    writer = _WRITERS.get(key)
    return "" if writer is None else writer(case).strip() + "\n"


def body(case: Case, key: str) -> str:
    """Return the edited section, else the prefilled one."""
    edited = case.sections.get(key)
    return prefill(case, key) if edited is None else edited


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
            f"**Root blocker{inferred}:** {top.holder}, {top.blocks_total} behind it"
            f"{at(top.time)}. {lasted(top)}{top.why}{references(top.evidence)}"
        )
    if analysis.findings:
        best = analysis.findings[0]
        lines.append(
            f"**Likely cause:** {best.title} (`{best.id}`, score {best.score:.2f}). "
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
            "No stall was detected in the artifacts. Describe who noticed what, and for how long."
        )
    lines = [
        f"- Onset: {when(stall.onset)}",
        f"- End: {when(stall.end) if stall.end else 'not captured'}",
    ]
    if stall.duration_s is not None:
        lines.append(f"- Duration: {stall.duration_s:.0f} s")
    if stall.peak_waiters is not None:
        lines.append(f"- {peak_name(stall)}: {stall.peak_waiters} at {when(stall.peak_at)}")
    lines += [f"- {evidence.text}" for evidence in stall.evidence]
    lines.append("")
    lines.append("Users affected: *to be written by the team.*")
    return "\n".join(lines)


def _timeline(case: Case) -> str:
    parts = ["::lane"] if case.lanes else []
    parts.append("::timeline" if timeline_events(case) else "No events yet.")
    return "\n\n".join(parts)


def _what_happened(case: Case) -> str:
    analysis = case.analysis
    if analysis is None:
        return "Nothing has been analysed yet."
    parts: list[str] = ["::waits"] if case.graph is not None else []
    if analysis.shifts:
        rows = "\n".join(
            f"| `{_cell(s.series)}` | {_number(s.baseline)} | {_number(s.stall)} | "
            f"{'' if s.ratio is None else f'{s.ratio:.1f}×'} | "
            f"{'' if s.first_moved_s is None else f'{s.first_moved_s:+.0f} s'} |"
            for s in analysis.shifts[:10]
        )
        parts.append(
            "| series | before | during | ratio | first moved |\n|---|--:|--:|--:|--:|\n"
            f"{rows}\n\n"
            f"Table: {_shifts_caption(analysis)}"
        )
    if analysis.hot_latches:
        rows = "\n".join(
            f"| {_cell(h.label)} | {h.waits} | {h.max_at_once} | {h.share:.0%} "
            f"| {_cell(h.meaning)} |"
            for h in analysis.hot_latches[:6]
        )
        top = analysis.hot_latches[0]
        parts.append(
            "| latch | waits | peak | share | meaning |\n|---|--:|--:|--:|---|\n"
            f"{rows}\n\nTable: {top.label} has {top.share:.0%} of all latch waits; over all "
            "source positions."
        )
    if analysis.blockers:
        items = "\n".join(
            f"- {b.holder}: {b.blocks_total} behind it ({b.blocks_direct} directly)"
            f"{at(b.time)}. {lasted(b)}{b.why}{references(b.evidence)}"
            for b in analysis.blockers[:5]
        )
        parts.append(f"Root blockers:\n\n{items}")
    return "\n\n".join(parts) or "Neither shifts nor waits were found in the artifacts."


def _shifts_caption(analysis: Analysis) -> str:
    top = analysis.shifts[0]
    change = ratio_words(top.baseline, top.stall)
    return (
        f"`{top.series}` moved most{f', {change}' if change else ''}. Medians before and during "
        "the stall; first move relative to the onset."
    )


def _contributing(case: Case) -> str:
    supported = [h for h in case.hypotheses if h.status == "supported"]
    lines = [f"- {h.label} {h.statement}" for h in supported]
    if case.analysis is not None:
        lines += [
            f"- {f.title} (`{f.id}`, score {f.score:.2f}; applies to this version: "
            f"{f.applies_to_version}). {f.explanation or f.why}{references(f.evidence)}"
            for f in case.analysis.findings[:3]
        ]
    return "\n".join(lines) or "No known problem matched and no hypothesis is supported yet."


def _hypotheses(case: Case) -> str:
    if not case.hypotheses:
        return "No hypotheses recorded."
    figure = ["::confidence"] if any(h.history for h in case.hypotheses) else []
    matrix = ["::matrix"] if case.matrix is not None and case.matrix.rows else []
    return "\n\n".join([*figure, *matrix, *(_hypothesis(h) for h in case.hypotheses)])


def _hypothesis(hypothesis: ReportHypothesis) -> str:
    confidence = "" if hypothesis.confidence is None else f", confidence {hypothesis.confidence} %"
    lines = [f"**{hypothesis.label} {hypothesis.statement}** ({hypothesis.status}{confidence})"]
    if hypothesis.falsifier:
        lines.append(f"Disproved if: {hypothesis.falsifier}")
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
        return "No experiments logged."
    experiments = [e for e in case.experiments if not e.sweep or e.observation or e.conclusion]
    return "\n\n".join(["::experiments", *(_experiment(e) for e in experiments)])


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
            known = (mitigation.side_effects or "").strip(" -–")
            effects = f" Side effects: {known}" if known else ""
            lines.append(f"- {mitigation.action} (`{finding.id}`).{effects}")
        if finding.fixed_in:
            lines.append(f"- `{finding.id}` is fixed in: {', '.join(finding.fixed_in)}")
    return "\n".join(lines) or "None known yet."


def _actions(case: Case) -> str:
    return "::actions" if case.actions else "No actions agreed yet."


def _gaps(case: Case) -> str:
    if case.analysis is None:
        return "Nothing has been analysed yet."
    missing = gaps.of_analysis(case.analysis)
    lines = [f"- {check.check.replace('_', ' ')}: {check.why}" for check in missing.checks]
    if unknown := missing.unknown_formats:
        lines.append(f"- {len(unknown)} files have an unknown format: " + _first_paths(unknown))
    if unplaced := missing.unplaced:
        lines.append(
            f"- {len(unplaced)} files could not be placed in time: " + _first_paths(unplaced)
        )
    return "\n".join(lines) or "All seven quick checks had data, and every file was placed in time."


_ARTIFACTS = """\
| artifact | format | first record | problems | clock | SHA-256 |
|---|---|---|--:|--:|---|
"""


def _appendix(case: Case) -> str:
    """List the artifacts, with a numbered list of clock placements, as many artifacts share one."""
    if case.analysis is None:
        return "Nothing has been analysed yet."
    artifacts = case.analysis.artifacts
    clocks = dict.fromkeys(a.clock.how for a in artifacts if a.clock)
    number = {how: index for index, how in enumerate(clocks, start=1)}
    # The path of a collector's file includes its archive and folder and would fill the page; the
    # file name alone is enough unless two files share it.
    names = Counter(a.path.rpartition("/")[2] for a in artifacts)
    short = {
        a.path: name if names[name := a.path.rpartition("/")[2]] == 1 else a.path for a in artifacts
    }
    rows = "\n".join(
        f"| `{_cell(short[a.path])}` | {a.format or 'unknown'} | "
        f"{when(a.first) if a.first else ''} | "
        f"{len(a.problems) or ''} | {number[a.clock.how] if a.clock else ''} | "
        f"`{a.sha256[:12]}` |"
        for a in artifacts
    )
    parts = [
        f"Analysed by Pileup {case.analysis.engine}.",
        _ARTIFACTS + rows,
        f"Table: {len(artifacts)} artifacts, and how each clock was placed.",
    ]
    if clocks:
        parts.append("Clocks:")
        parts.append("\n".join(f"{index}. {how}" for how, index in number.items()))
    return "\n\n".join(parts)


def _line_happened(case: Case) -> str:
    return case.analysis.headline.text if case.analysis else ""


def _line_impact(case: Case) -> str:
    stall = main_stall(case.analysis)
    if stall is None or stall.duration_s is None:
        return ""
    waiters = "" if stall.peak_waiters is None else f", {peak_words(stall)}"
    return f"{stall.duration_s:.0f} s from {when(stall.onset)}{waiters}."


def _line_cause(case: Case) -> str:
    leading = _leading(case)
    if leading is not None:
        return f"{leading.statement} ({leading.confidence} % confidence)"
    findings = case.analysis.findings if case.analysis else []
    return f"Likely cause: {findings[0].title}." if findings else ""


def _line_next(case: Case) -> str:
    waiting = [a for a in case.actions if a.status in ("open", "started")]
    return f"{waiting[0].text} ({waiting[0].owner or 'unassigned'})" if waiting else ""


def _bug_environment(case: Case) -> str:
    if case.analysis is None:
        return ""
    server = case.analysis.server or {}
    text = " ".join(
        str(server[name]) for name in ("family", "version", "comment") if server.get(name)
    )
    decide = [s for s in case.analysis.settings if s.name.startswith(_BUG_SETTINGS)]
    rows = "\n".join(  # a file and the server often have the same value
        dict.fromkeys(f"| `{_cell(s.name)}` | `{_cell(s.value or '')}` |" for s in decide)
    )
    table = (
        f"| setting | value |\n|---|---|\n{rows}\n\nTable: Settings of the server that decide "
        "about latches, locks and the buffer pool."
        if rows
        else ""
    )
    return f"Server: {text or 'version not known from the artifacts'}\n\n{table}"


def _bug_evidence(case: Case) -> str:
    parts = ["::waits"] if case.graph is not None else []
    parts += ["::lane"] if case.lanes else []
    blockers = case.analysis.blockers[:3] if case.analysis else []
    parts += [f"- {b.holder}: {b.why}{references(b.evidence)}" for b in blockers]
    return "\n\n".join(parts)


def _leading(case: Case) -> ReportHypothesis | None:
    alive = [
        h
        for h in case.hypotheses
        if h.status in {"proposed", "active", "supported"} and h.confidence is not None
    ]
    return max(alive, key=lambda h: h.confidence or 0, default=None)


def _first_paths(paths: Sequence[str]) -> str:
    shown = ", ".join(f"`{path}`" for path in paths[:5])
    return shown + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


_BUG_SETTINGS = (
    "innodb_buffer_pool",
    "innodb_adaptive_hash",
    "innodb_flush",
    "innodb_io_capacity",
    "innodb_log_file",
    "innodb_lock_wait",
    "innodb_sync",
    "innodb_spin",
    "innodb_thread_concurrency",
    "innodb_purge",
    "max_connections",
    "sync_binlog",
    "transaction_isolation",
    "tx_isolation",
)

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
    "line_happened": _line_happened,
    "line_impact": _line_impact,
    "line_cause": _line_cause,
    "line_next": _line_next,
    "exec_summary": _line_happened,
    "exec_impact": _line_impact,
    "exec_cause": _line_cause,
    "bug_summary": _line_happened,
    "bug_environment": _bug_environment,
    "bug_evidence": _bug_evidence,
}
assert _WRITERS.keys() <= TITLES.keys()
