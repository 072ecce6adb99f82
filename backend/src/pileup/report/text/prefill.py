"""Write section bodies from the case, in Markdown: measurements and arguments.

People edit the bodies afterwards. Every measured sentence ends in a source note (source_notes.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from pileup.analysis.contract import Analysis, FindingDoc, HotLatchDoc
from pileup.analysis.evidence import gaps
from pileup.analysis.evidence.servers import server_title
from pileup.analysis.evidence.times import clock_text, parse
from pileup.analysis.findings.summary import stall_sentence
from pileup.knowledge import knowledge, latch_words
from pileup.report.case import Case, ReportExperiment, ReportHypothesis, ReportMeasure
from pileup.report.text import active_time, executive, sessions_block, stall_table
from pileup.report.text.event_table import timeline_events
from pileup.report.text.source_notes import pin_reference, references
from pileup.report.text.stall_sources import of_evidence, stall_references
from pileup.report.text.templates import TITLES
from pileup.report.text.wording import (
    AFTER_RUN,
    FAILED,
    also_known_as,
    at,
    bug_name,
    fix_words,
    found_cause,
    happened_words,
    lasted,
    main_stall,
    measure_words,
    peak_name,
    ratio_words,
    recorded_words,
    sentence,
    times,
    unit_text,
    when,
)
from pileup.report.text.wording import number as _number

_LEAST_SHARE = 0.01
"""Below this share of the active time, the most contended latch explains nothing."""
_VERDICT_WORDS = {
    "match": "matched the prediction",
    "partial": "matched the prediction in part",
    "miss": "missed the prediction",
    "not_measurable": "could not be measured",
}


def prefill(case: Case, key: str) -> str:
    """Write the Markdown body of one section; empty for a section that only people can write."""
    writer = _WRITERS.get(key)
    return "" if writer is None else writer(case).strip() + "\n"


def body(case: Case, key: str) -> str:
    """Return the edited section, else the prefilled one."""
    edited = case.sections.get(key)
    return prefill(case, key) if edited is None else edited


def _summary(case: Case) -> str:
    """Write the team's conclusion first, then what happened, then the evidence alone."""
    analysis = case.analysis
    lines = _conclusions(case)
    if analysis is None:
        return "\n\n".join(
            lines or ["Nothing has been analysed yet: upload the artifacts of the incident."]
        )
    sources = stall_references(analysis)
    if stall_table.has_several(analysis):
        lines.append("::stalls")
    if stalled := _what_stalled(analysis):
        lines.append(stalled + sources)
    if analysis.headline.arrival:
        lines.append(analysis.headline.arrival + sources)
    best = found_cause(analysis)
    if best is not None:
        kind = "Likely cause" if best.role == "problem" else "Symptom"
        # A headline without a stall begins with the reason of its finding.
        why = "" if best.why in stalled else f" {best.why}"
        lines.append(
            f"**{f'{kind} by the artifacts alone' if _supported(case) else kind}:** "
            f"{best.title} ({_with_bug(best)}score {best.score:.2f})."
            f"{why}{references(best.evidence) or sources}{_disagreement(case)}"
        )
    leading = _leading(case)
    if leading is not None and leading.status != "supported":
        lines.append(f"**Leading hypothesis ({leading.confidence}%):** {leading.statement}")
    if sessions_block.are_known(case):
        lines.append("::active-sessions")
    return "\n\n".join(lines)


def _what_stalled(analysis: Analysis) -> str:
    """Describe the stall and what ended it; the headline's text where no cause was found.

    The cover has the story, the next line the cause, and the other sections who blocked whom.
    """
    stall = main_stall(analysis)
    if found_cause(analysis) is None:
        return f"{analysis.headline.text} {analysis.headline.next_step}".rstrip()
    if stall is None:
        return analysis.headline.text.removesuffix(analysis.headline.cause).rstrip()
    again = analysis.recurrence.text if analysis.recurrence else ""
    marks = analysis.story.marks if analysis.story else []
    end = next((mark for mark in marks if mark.kind == "end" and mark.text != "end"), None)
    ended = ""
    if end is not None:
        is_same_day = end.at[:10] == stall.onset[:10]
        at = clock_text(parse(end.at)) if is_same_day else when(end.at)
        ended = f"It ended at {at}, when {end.text}."
    return " ".join(part for part in (again, stall_sentence(stall), ended) if part)


def _where_time_went(analysis: Analysis) -> list[str]:
    doc = analysis.active_sessions
    if doc is None:
        return []
    end = f" {active_time.path_sentence(analysis.roots[0])}" if analysis.roots else ""
    return [f"**Where the time went:** {active_time.time_sentence(doc)}{end}"]


def _conclusions(case: Case) -> list[str]:
    """Write each supported hypothesis with its experiments, then the refuted ones."""
    supported = _supported(case)
    if not supported:
        return []
    lines = []
    for hypothesis in supported:
        sure = "" if hypothesis.confidence is None else f" ({hypothesis.confidence}%)"
        lines.append(f"**Conclusion of the team{sure}:** {_tested(case, hypothesis)}")
    refuted = [h for h in case.hypotheses if h.status == "refuted"]
    if refuted:
        items = "\n".join(f"- {_refuted(case, hypothesis)}" for hypothesis in refuted)
        lines.append(f"**Refuted:**\n\n{items}")
    return lines


def _tested(case: Case, hypothesis: ReportHypothesis) -> str:
    """Write a hypothesis with the verdicts of its experiments."""
    text = f"{hypothesis.label} {sentence(hypothesis.statement)}"
    tests = _tests(case, hypothesis)
    return f"{text} {tests}" if tests else text


def _refuted(case: Case, hypothesis: ReportHypothesis) -> str:
    """Write a refuted hypothesis with its experiments and the reason of the last step."""
    text = _tested(case, hypothesis)
    reason = hypothesis.history[-1].reason if hypothesis.history else ""
    return f"{text} {sentence(reason[0].upper() + reason[1:])}" if reason else text


def _tests(case: Case, hypothesis: ReportHypothesis) -> str:
    """Name the experiments of a hypothesis by their verdicts; empty without any."""
    parts = []
    for verdict, words in _VERDICT_WORDS.items():
        runs = [
            e for e in case.experiments if e.hypothesis == hypothesis.label and e.verdict == verdict
        ]
        if runs:
            numbers = ", ".join(_number_and_result(e) for e in runs)
            parts.append(f"{'Experiment' if len(runs) == 1 else 'Experiments'} {numbers} {words}.")
    return " ".join(parts)


def _number_and_result(experiment: ReportExperiment) -> str:
    """'2 (Threads_running: 34 (computed); prediction recorded after the run)'."""
    details = []
    if experiment.measures:
        first = experiment.measures[0]
        details.append(f"{first.name}: {measure_words(first)}")
    if _after(experiment):
        details.append(f"prediction {AFTER_RUN}")
    return f"{experiment.number} ({'; '.join(details)})" if details else f"{experiment.number}"


def _after(experiment: ReportExperiment) -> bool:
    return experiment.standing == "recorded_after"


def _disagreement(case: Case) -> str:
    """Say where the ranking of the analysis is not the team's conclusion; empty where it is."""
    supported = _supported(case)
    findings = case.analysis.findings if case.analysis else []
    if not supported or not findings:
        return ""
    ranks = {finding.id: rank for rank, finding in enumerate(findings, start=1)}
    concluded = {h.finding_id: h for h in supported if h.finding_id}
    if findings[0].id in concluded:
        return ""
    ranked = [(ranks[name], h) for name, h in concluded.items() if name in ranks]
    if not ranked:
        labels = " and ".join(h.label for h in supported)
        return (
            f" The conclusion of the team ({labels}) is not linked to a finding, so the analysis "
            "cannot say whether it agrees."
        )
    rank, hypothesis = min(ranked, key=lambda pair: pair[0])
    return (
        f" The team disagrees with this ranking: its conclusion {hypothesis.label} is number "
        f"{rank} of the findings (score {findings[rank - 1].score:.2f})."
    )


def _supported(case: Case) -> list[ReportHypothesis]:
    """List the supported hypotheses, the surest first."""
    supported = [h for h in case.hypotheses if h.status == "supported"]
    return sorted(supported, key=lambda h: -(h.confidence or 0))


def _impact(case: Case) -> str:
    stall = main_stall(case.analysis)
    if stall is None:
        return (
            "No stall was detected in the artifacts. Describe who noticed what, and for how long."
        )
    assert case.analysis is not None
    sources = stall_references(case.analysis)
    known = {series.id for series in case.analysis.series}
    story = case.analysis.story
    lines = [f"- {text}{sources}" for text in (story.impact.sentences if story else ())]
    lines += [
        f"- Onset: {when(stall.onset)}{sources}",
        f"- End: {when(stall.end) + sources if stall.end else 'not captured'}",
    ]
    if stall.duration_s is not None:
        lines.append(f"- Duration: {stall.duration_s:.0f} s{sources}")
    if stall.peak_waiters is not None:
        peak = f"{peak_name(stall)}: {stall.peak_waiters} at {when(stall.peak_at)}"
        lines.append(f"- {peak}{sources}")
    for evidence in stall.evidence:
        own = references([of_evidence(stall, evidence)]) if evidence.series in known else sources
        lines.append(f"- {evidence.text}{own}")
    lines.append("")
    lines.append("Users affected: *to be written by the team.*")
    return "\n".join(lines)


def _timeline(case: Case) -> str:
    parts = ["::lane"] if case.lanes else []
    parts.append("::timeline" if timeline_events(case) else "No events yet.")
    return "\n\n".join(parts)


def _moved(seconds: float | None) -> str:
    """Write when a series moved relative to the onset: '+2 s', '0 s'; '' if unknown."""
    if seconds is None:
        return ""
    return f"{round(seconds):+d} s" if round(seconds) else "0 s"


def _what_happened(case: Case) -> str:
    analysis = case.analysis
    if analysis is None:
        return "Nothing has been analysed yet."
    sources = stall_references(analysis)
    parts: list[str] = ["::waits"] if case.graph is not None else []
    parts += [line + sources for line in _where_time_went(analysis)]
    parts += ["::deadlock"] if _deadlock_matters(analysis) else []
    if shifts := [shift for shift in analysis.shifts if shift.same_as is None]:
        rows = "\n".join(
            f"| {_cell(s.title or s.name)} | {unit_text(s.unit)} | "
            f"{_number(s.baseline)} | {_number(s.stall)} | "
            f"{times(s.ratio)} | "
            f"{_moved(s.first_moved_s)} |"
            for s in shifts[:10]
        )
        parts.append(
            "| series | unit | before | during | ratio | first moved |\n"
            "|---|---|--:|--:|--:|--:|\n"
            f"{rows}\n\n"
            f"Table: {_shifts_caption(analysis)}"
        )
    if analysis.hot_latches and latches_matter(analysis):
        rows = "\n".join(
            f"| {_cell(_latch_title(h))} | {h.waits} | {h.max_at_once} "
            f"| {active_time.share_words(h.share)} | {_cell(h.meaning)} |"
            for h in analysis.hot_latches[:6]
        )
        top = _latch_title(analysis.hot_latches[0])
        most = analysis.hot_latches[0].share
        parts.append(
            "| latch | waits | peak | share | meaning |\n|---|--:|--:|--:|---|\n"
            f"{rows}\n\nTable: {top} has {most:.0%} of all latch waits; all source positions "
            "combined."
        )
    if analysis.blockers:
        items = "\n".join(
            f"- {b.holder}: {b.blocks_total} behind it ({b.blocks_direct} directly)"
            f"{at(b.time)}. {lasted(b)}{b.why}{references(b.evidence) or sources}"
            for b in analysis.blockers[:5]
        )
        parts.append(f"Root blockers:\n\n{items}")
    return "\n\n".join(parts) or "Neither shifts nor waits were found in the artifacts."


def _latch_title(latch: HotLatchDoc) -> str:
    """Name a latch as the story does: 'page latch (buf0buf.cc:1433)'."""
    known = knowledge().latches.get(latch.latch) if latch.latch else None
    return latch_words(known.title, latch.label.removeprefix("created ")) if known else latch.label


def _deadlock_matters(analysis: Analysis) -> bool:
    """Return whether the deadlocks are the story: nothing stalled, or the story names them."""
    if not analysis.deadlocks:
        return False
    return main_stall(analysis) is None or any(f.id == "deadlock" for f in analysis.findings[:1])


def latches_matter(analysis: Analysis) -> bool:
    """Return whether sessions spent time on latches, or nothing measures how much."""
    doc = analysis.active_sessions
    if doc is None:
        return True
    share = next((each.share for each in doc.classes if each.id == "latch"), 0.0)
    return share >= _LEAST_SHARE


def _shifts_caption(analysis: Analysis) -> str:
    top = analysis.shifts[0]
    change = ratio_words(top.baseline, top.stall)
    return (
        f"{top.title or top.name} moved most{f', {change}' if change else ''}. Medians before and "
        "during the stall; first move relative to the onset."
    )


def _contributing(case: Case) -> str:
    lines = [f"- {_tested(case, hypothesis)}" for hypothesis in _supported(case)]
    if case.analysis is not None:
        lines += [
            f"- {f.title} ({_with_bug(f)}score {f.score:.2f}; applies to this version: "
            f"{f.applies_to_version}{_other_names(f, case.analysis)}). {f.explanation or f.why}"
            f"{references(f.evidence) or stall_references(case.analysis)}"
            for f in _findings(case)
        ]
    return "\n".join(lines) or "No known problem matched and no hypothesis is supported yet."


def _with_bug(finding: FindingDoc) -> str:
    name = bug_name(finding.id)
    return f"{name}, " if name else ""


def _other_names(finding: FindingDoc, analysis: Analysis) -> str:
    others = also_known_as(finding, analysis.server.get("family"))
    names = ", ".join(bug_name(known.id) or f"“{known.title}”" for known in others)
    return f"; also known as {names}" if names else ""


def _findings(case: Case) -> list[FindingDoc]:
    """List the findings that the team concluded; without any, the first three not refuted."""
    concluded = {h.finding_id for h in _supported(case)}
    refuted = {h.finding_id for h in case.hypotheses if h.status == "refuted"}
    findings = case.analysis.findings if case.analysis else []
    linked = [finding for finding in findings if finding.id in concluded]
    return linked or [finding for finding in findings if finding.id not in refuted][:3]


def _hypotheses(case: Case) -> str:
    if not case.hypotheses:
        return "No hypotheses recorded."
    figure = ["::confidence"] if any(h.history for h in case.hypotheses) else []
    matrix = ["::matrix"] if case.matrix is not None and case.matrix.rows else []
    return "\n\n".join([*figure, *matrix, *(_hypothesis(h) for h in case.hypotheses)])


def _hypothesis(hypothesis: ReportHypothesis) -> str:
    confidence = "" if hypothesis.confidence is None else f", confidence {hypothesis.confidence}%"
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
            f"{step.confidence}% ({step.by}, {happened_words(step.at, step.precision)}"
            f"{_recorded(step.at, step.recorded_at)}: {step.reason})"
            for step in hypothesis.history
        )
        lines.append(f"Confidence over time: {steps}")
    return "\n\n".join(lines)


def _experiments(case: Case) -> str:
    if not case.experiments:
        return "No experiments logged."
    # the table of its sweep says all of a run that has neither words nor a verdict of its own
    experiments = [
        e for e in case.experiments if not e.sweep or e.verdict or e.conclusion or e.pins
    ]
    return "\n\n".join(["::experiments", *(_experiment(e) for e in experiments)])


def _experiment(experiment: ReportExperiment) -> str:
    """Write what the table of experiments does not hold: when it ran, its values and conclusion."""
    verdict = _VERDICT_WORDS.get(experiment.verdict or "", "has no verdict")
    locked = (
        f"- Prediction locked: {experiment.locked_at.astimezone(UTC):%Y-%m-%d %H:%M UTC}"
        if experiment.locked_at and experiment.standing == "locked"
        else ""
    )
    words = FAILED.get(experiment.failed_same_way or "", "")
    failed = f" It {words}." if words else ""
    pins = "".join(pin_reference(pin) for pin in experiment.pins)
    lines = [
        f"**Experiment {experiment.number}: {experiment.title}** — {verdict}.{failed}{pins}",
        locked,
        f"- Ran: {_ran(experiment)}" if experiment.state != "planned" else "",
        *(f"- {measure.name}: {_measured(measure)}" for measure in experiment.measures),
        f"- Conclusion: {experiment.conclusion}" if experiment.conclusion else "",
    ]
    if experiment.artifacts:
        lines.append("- Artifacts: " + ", ".join(f"`{path}`" for path in experiment.artifacts))
    return f"{lines[0]}\n\n" + "\n".join(line for line in lines[1:] if line)


def _ran(experiment: ReportExperiment) -> str:
    """'2026-11-20 22:19 UTC to 2026-11-20 22:40 UTC, on host db-7, cores 96'."""
    text = "at a time that nobody recorded"
    if experiment.began is not None:
        text = happened_words(experiment.began, experiment.precision)
    if experiment.began is not None and experiment.ended is not None:
        ended = happened_words(experiment.ended, experiment.precision)
        text += "" if ended == text else f" to {ended}"
    where = ", ".join(f"{name} {value}" for name, value in experiment.environment)
    text = f"{text}, on {where}" if where else text
    times = (
        (experiment.ended, experiment.end_recorded),
        (experiment.began, experiment.begin_recorded),
    )
    late = (_recorded(at, recorded) for at, recorded in times if at is not None)
    return text + next(filter(None, late), "")


def _recorded(at: datetime, recorded_at: datetime | None) -> str:
    """', recorded 2026-11-23 01:08 UTC'; empty for what was recorded as it happened."""
    words = recorded_words(at, recorded_at)
    return f", {words}" if words else ""


def _measured(measure: ReportMeasure) -> str:
    basis = f": {measure.basis}" if measure.basis else ""
    return measure_words(measure).removesuffix(")") + f"{basis})"


def _mitigations(case: Case) -> str:
    parts = [
        f"{finding.title}:\n\n" + "\n".join(lines)
        for finding in _findings(case)
        if (lines := _remedies(finding))
    ]
    return "\n\n".join(parts) or "None known yet."


def _remedies(finding: FindingDoc) -> list[str]:
    lines = []
    for mitigation in finding.mitigations:
        known = (mitigation.side_effects or "").strip(" -–")
        effects = f" Side effects: {sentence(known)}" if known else ""
        lines.append(f"- {mitigation.action.rstrip('.')}.{effects}")
    if fix := fix_words(finding.fixed_in):
        lines.append(f"- Fix: {sentence(fix)}")
    return lines


def _actions(case: Case) -> str:
    return "::actions" if case.actions else "No actions agreed yet."


def _gaps(case: Case) -> str:
    if case.analysis is None:
        return "Nothing has been analysed yet."
    missing = gaps.of_analysis(case.analysis)
    lines = [
        f"- {gaps.check_title(check.check).capitalize()}: {check.why}" for check in missing.checks
    ]
    if unknown := missing.unknown_formats:
        lines.append(f"- {_files(unknown)} of unknown format: " + _first_paths(unknown))
    if unplaced := missing.unplaced:
        lines.append(f"- {_files(unplaced)} could not be placed in time: " + _first_paths(unplaced))
    return "\n".join(lines) or "All seven quick checks had data, and every file was placed in time."


MOST_ARTIFACTS = 30
"""The appendix lists at most this many, and counts the others."""
MOST_CLOCKS = 10
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
    most = MOST_ARTIFACTS if len(artifacts) > MOST_ARTIFACTS + 2 else len(artifacts)
    rows = "\n".join(
        f"| `{_cell(short[a.path])}` | {a.format or 'unknown'} | "
        f"{when(a.first) if a.first else ''} | "
        f"{len(a.problems) or ''} | {number[a.clock.how] if a.clock else ''} | "
        f"`{a.sha256[:12]}` |"
        for a in artifacts[:most]
    )
    hidden = len(artifacts) - most
    parts = [
        f"Analysed by Pileup {case.analysis.engine}.",
        _ARTIFACTS + rows,
        f"Table: {len(artifacts)} {'artifact' if len(artifacts) == 1 else 'artifacts'}, "
        "and how each clock was placed."
        + (f" The first {MOST_ARTIFACTS} are listed." if hidden > 0 else ""),
    ]
    if hidden > 0:
        formats = Counter(a.format or "unknown" for a in artifacts[MOST_ARTIFACTS:])
        more = ", ".join(f"{count} × {name}" for name, count in formats.most_common(8))
        parts.append(
            f"{hidden} more {'artifact' if hidden == 1 else 'artifacts'} ({more}) "
            f"{'is' if hidden == 1 else 'are'} listed with SHA-256 on the Artifacts screen of this "
            "incident and in its archive."
        )
    if clocks:
        parts.append("Clocks:")
        shown = list(number.items())[:MOST_CLOCKS]
        parts.append("\n".join(f"{index}. {how}" for how, index in shown))
        if len(number) > MOST_CLOCKS:
            parts.append(
                f"{len(number) - MOST_CLOCKS} more are on the clock bench of the Artifacts screen."
            )
    return "\n\n".join(parts)


def _bug_summary(case: Case) -> str:
    analysis = case.analysis
    if analysis is None:
        return ""
    headline = analysis.headline
    return f"{headline.text} {headline.next_step}".rstrip() + stall_references(analysis)


def _bug_environment(case: Case) -> str:
    if case.analysis is None:
        return ""
    server = case.analysis.server or {}
    title = server_title(server.get("family"), server.get("version"))
    text = " ".join(part for part in (title, server.get("comment")) if part)
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
    sources = stall_references(case.analysis)
    parts += [f"- {b.holder}: {b.why}{references(b.evidence) or sources}" for b in blockers]
    return "\n\n".join(parts)


def _leading(case: Case) -> ReportHypothesis | None:
    alive = [
        h
        for h in case.hypotheses
        if h.status in {"proposed", "active", "supported"} and h.confidence is not None
    ]
    return max(alive, key=lambda h: (h.status == "supported", h.confidence or 0), default=None)


def _files(paths: Sequence[str]) -> str:
    return "1 file" if len(paths) == 1 else f"{len(paths)} files"


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
    "line_happened": executive.line_happened,
    "line_impact": executive.line_impact,
    "line_cause": executive.line_cause,
    "line_next": executive.line_next,
    "exec_summary": executive.summary,
    "exec_impact": executive.impact,
    "exec_cause": executive.cause,
    "exec_risk": executive.risk,
    "bug_summary": _bug_summary,
    "bug_environment": _bug_environment,
    "bug_evidence": _bug_evidence,
}
assert _WRITERS.keys() <= TITLES.keys()
