"""Write the headline: about three sentences for a DBA in which every number is measured."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pileup.analysis.contract import (
    ActiveSessionsDoc,
    BlockerDoc,
    EpisodeDoc,
    FindingDoc,
    Headline,
    HotWaitDoc,
    RecurrenceDoc,
    StallDoc,
    StallEvidence,
)
from pileup.analysis.deadlocks import explain
from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.levels import Level, Levels
from pileup.analysis.evidence.series import short_name
from pileup.analysis.evidence.times import DAY_US, clock_text, date_text, parse
from pileup.analysis.findings import machine_checks, next_evidence
from pileup.analysis.findings.storms import OTHER_RECORDS
from pileup.analysis.stalls.indicators import signals, throughput
from pileup.analysis.stalls.refusals import DEADLOCKS_ENDED
from pileup.numerals import grouped, number, numbers

_FEW_LATCH_WAITS = 5
_SESSIONS_LEFT = 2
_ABOVE = 1.5
"""The arrival rate rose, or a statement took longer, from so many times the usual on."""
_BELOW = 0.67
"""Of the usual arrival rate, the most that is less work."""
_HARDLY_ANY = 0.5
"""Statements per second below which next to none completed."""
_IDLE_PCT = 35.0
"""Use of the CPUs, the most at which sessions waited."""
_BUSY_PCT = 90.0
"""Use of the CPUs, the least at which they were busy."""
_COMPLETED = 0.1
"""Most of a stall's length that a statement may take for sessions and rate to tell its time."""
_ENOUGH = 20
"""'No stall' needs at least this many samples of a series that shows load."""

NOT_ANSWERED = Headline(
    verdict="not_enough_data",
    text="Whether the server stalled is not answered: a defect in Pileup stopped the question. "
    "The problems name it.",
)


def headline(
    context: Context,
    stall: StallDoc | None,
    blockers: list[BlockerDoc],
    hot_waits: list[HotWaitDoc],
    findings: list[FindingDoc],
    active: ActiveSessionsDoc | None = None,
) -> Headline:
    """Build the headline: verdict, text, and whether more work arrived or less was done.

    active: the classes of time of the stall, to choose what to collect if its cause is unknown.
    """
    if stall is None:
        return _without_stall(context, blockers, findings)
    latches = hot_waits if _latches_matter(context) else []
    sentences = [stall_sentence(stall), *_wait_sentence(latches, blockers)]
    if any(finding.verdict == "found" for finding in findings):
        cause, then = _cause(findings)
    else:
        cause, then = _unknown(findings, next_evidence.to_settle(context, active)), ""
    text = " ".join([*sentences, cause])
    return Headline(
        verdict="stall", text=text, cause=cause, next_step=then, arrival=arrival(context)
    )


def _cause(findings: Sequence[FindingDoc]) -> tuple[str, str]:
    """Name the first finding, as sure as it is; and what would make it surer, '' if it is sure."""
    if not findings:
        return "", ""
    best = findings[0]
    if best.verdict == "found":
        role = "Likely cause" if best.role == "problem" else "Symptom"
        return f"{role}: {best.title}.", ""
    then = f"To be surer: {best.next_step.rstrip('.')}." if best.next_step else ""
    return f"Seen, but too little to be sure: {best.title}.", then


def _unknown(findings: Sequence[FindingDoc], collect: str) -> str:
    """Say that nothing explains the stall, the best guess, and what would settle it."""
    guess = f"; the best guess is: {findings[0].title}" if findings else ""
    return f"Cause unknown{guess}. Collect {collect}."


def of_case(
    headline: Headline, recurrence: RecurrenceDoc | None, episodes: Sequence[EpisodeDoc]
) -> Headline:
    """Put what recurs before the headline of the leading stall, which then gets its date."""
    if recurrence is None or not recurrence.text:
        return headline
    leading = next((episode for episode in episodes if episode.leading), None)
    if leading is None:
        return msgspec.structs.replace(headline, text=f"{recurrence.text} {headline.text}")
    days = {episode.stall.onset[:10] for episode in episodes}
    day = f", on {leading.stall.onset[:10]}" if len(days) > 1 else ""
    largest = f"The largest{day}: " if len(episodes) > 1 else ""
    return msgspec.structs.replace(headline, text=f"{recurrence.text} {largest}{headline.text}")


def arrival(context: Context) -> str:
    """Describe whether the arrival rate rose, the work per query rose, or the server went idle.

    Little's law: sessions inside = statements per second x seconds that each takes. Empty without
    a stall or a baseline.
    """
    if context.stall is None or context.baseline is None:
        return ""
    levels = Levels.of(context)
    rate = _work(context, levels)
    inside = levels.first("threads_running") or levels.first("running", collectors=("processlist",))
    parts: list[str] = []
    if rate and rate.before and rate.inside is not None:
        change = rate.inside / rate.before
        before, inside_rate = numbers(rate.before, rate.inside)
        span = f"{before} to {inside_rate} statements/s"
        if change >= _ABOVE:
            parts.append(f"More work arrived and was done: {span}.")
        elif change <= _BELOW:
            parts.append(f"Less work was done, not more: {span}.")
        else:
            parts.append(f"The arrival rate hardly changed: {span}.")
        seconds = (context.stall.end - context.stall.start) / 1e6
        parts += _per_statement(inside, rate.before, rate.inside, seconds)
    parts += _idle(levels)
    return " ".join(parts)


def _work(context: Context, levels: Levels) -> Level | None:
    """Return the rate that the cost of the stall is measured by, else the fullest known one."""
    known = ("questions", "qps", "queries", "tps")
    work = throughput(context.values, context.host, context.stall) if context.stall else None
    same = [level for level in levels.named(*known) if work is not None and level.id == work.id]
    return same[0] if same else levels.first(*known)


def _per_statement(inside: object, before: float, during: float, seconds: float) -> list[str]:
    """Compare the time per statement by Little's law. seconds: the length of the stall."""
    if not isinstance(inside, Level) or inside.before is None or inside.inside is None:
        return []
    almost_nothing = f"With {number(inside.inside)} sessions inside, almost nothing completed."
    if during < _HARDLY_ANY:
        return [almost_nothing]
    if inside.inside < _SESSIONS_LEFT:  # the collector's own, while nobody else comes in
        return []
    if inside.inside / during > _COMPLETED * seconds:
        return [almost_nothing]  # those that are inside are not those that complete
    usual, now = inside.before / before * 1000, inside.inside / during * 1000
    if usual <= 0 or now / usual < _ABOVE:
        return []
    sentence = (
        f"Each statement took about {number(now / usual)} times as long inside the server "
        f"({number(usual)} ms to {number(now)} ms, medians of sessions running / rate)."
    )
    return [sentence]


def _idle(levels: Levels) -> list[str]:
    busy = machine_checks.cpu_busy(levels)
    if busy is None:
        return []
    now, before, _ = busy
    if now <= _IDLE_PCT:
        return [f"The CPUs were mostly idle ({number(now)}% busy): sessions waited."]
    if now >= _BUSY_PCT:
        change = f", {number(before)}% before" if before is not None else ""
        return [f"The CPUs were busy ({number(now)}%{change})."]
    return []


_HAPPENED = {
    "piled_up": "Stall",
    "refused": "Clients got errors",
    "stopped": "Work stopped",
    "slow": "Statements were slow",
}


def stall_sentence(stall: StallDoc) -> str:
    """Describe when the stall was, what moved, and its peak."""
    onset = clock_text(parse(stall.onset))
    host = f" on {stall.host}" if stall.host else ""
    if stall.baseline is None and stall.end is None:
        start = f"Stalled{host} from the first sample ({onset}) on"
    else:
        start = f"{_HAPPENED[stall.shape]}{host} from {onset}"
    lasted = ""
    if (seconds := stall.duration_s) is not None:
        lasted = f" for {number(round(seconds) if seconds >= 1 else seconds)} s"
        lasted += ", until the capture ends" if stall.end is None else ""
    moved = next((evidence for evidence in stall.evidence if evidence.direction == "up"), None)
    if stall.shape != "piled_up" and stall.evidence:
        moved = stall.evidence[0]
    ended_by_locks = stall.note.endswith(DEADLOCKS_ENDED)
    if (
        stall.shape == "refused"
        and stall.note
        and (ended_by_locks or not (moved and _refuses(moved)))
    ):
        # lines of a log report it, and no series moved
        return f"{start}{lasted}: {stall.note.partition('. ')[0].rstrip('.')}."
    what = f": {moved.text}" if moved else ""
    return f"{start}{lasted}{what}.{_peak_sentence(stall, moved)}"


def _refuses(moved: StallEvidence) -> bool:
    """Return whether a series shows what refuses clients: it rose well above what it was."""
    if moved.direction != "up" or moved.stall is None:
        return False
    return not moved.baseline or moved.stall >= _ROSE * moved.baseline


_ROSE = 1.1


def _peak_sentence(stall: StallDoc, moved: StallEvidence | None) -> str:
    """Describe the peak: ' At the worst moment, 22:20:15 UTC, 316 sessions waited.'

    The number is left out where the text of ``moved`` has the same peak of sessions running.
    """
    count, at = stall.peak_waiters, stall.peak_at and clock_text(parse(stall.peak_at))
    if not count:
        return ""
    waiting = stall.peak_counts == "waiting"
    if not waiting and moved and moved.peak is not None and round(moved.peak) == count:
        return f" The peak was at {at}." if at else ""
    who = "1 session" if count == 1 else f"{grouped(count)} sessions"
    when = f", {at}," if at else ""
    return f" At the worst moment{when} {who} {'waited' if waiting else 'ran at the same time'}."


def _latches_matter(context: Context) -> bool:
    """Return whether threads typically wait for latches during the stall, not just once."""
    usual = context.median("innodb.semaphore_waits", context.stall)
    return usual is None or usual >= _FEW_LATCH_WAITS


def _wait_sentence(hot_waits: list[HotWaitDoc], blockers: list[BlockerDoc]) -> list[str]:
    sentences = []
    if hot_waits:
        top = hot_waits[0]
        sentences.append(
            f"Most latch waits ({top.share:.0%}) were at {top.file}:{top.line} ({top.mode})."
        )
    if blockers and not _is_small(blockers[0]):
        root = blockers[0]
        inferred = " (inferred)" if root.inferred else ""
        holder = "a circle of waits" if root.kind == "cycle" else root.holder
        sentences.append(f"Root blocker{inferred}: {holder}, {_behind(root)}.")
    return sentences


def _is_small(root: BlockerDoc) -> bool:
    """Return whether little of the time of a stall ends at a root: then it explains no stall."""
    if root.share is None:
        return False
    return root.share < _LEAST if root.of > 1 else root.share < _LEAST_AT_ONCE


_LEAST, _LEAST_AT_ONCE = 0.1, 0.3
"""Share of the active-session seconds from which on a headline names a root; where it is seen in
one moment alone, more is needed."""


def _behind(root: BlockerDoc) -> str:
    """Describe who waits behind a root blocker: '222 directly behind it, 948 in all; ...'."""
    at = f" at {clock_text(parse(root.time))}" if root.time else ""
    text = f"{grouped(root.blocks_total)} behind it{at}"
    if root.blocks_direct and root.blocks_total > root.blocks_direct:
        direct = f"{grouped(root.blocks_direct)} directly behind it{at}"
        text = f"{direct}, {grouped(root.blocks_total)} in all"
    if root.share is not None and root.of > 1:
        text += f", {root.share:.0%} of active-session time"
    if root.of <= 1 or not root.persistence:
        return text
    return f"{text}; {root.persistence[0].lower()}{root.persistence[1:]}"


def _of_waits(blockers: list[BlockerDoc], findings: list[FindingDoc]) -> Headline:
    """Describe a dump, a list or stacks by themselves: who waits for whom, and why."""
    sentences = []
    if findings and findings[0].verdict == "found":
        sentences.append(findings[0].why)
    elif blockers:
        waiters = blockers[0].waiters
        sentences.append(f"{grouped(waiters)} session{' waits' if waiters == 1 else 's wait'}.")
    if blockers and not blockers[0].holder.startswith("commit queue"):
        sentences += _wait_sentence([], blockers)
    cause, then = _cause(findings)
    text = " ".join(filter(None, [*sentences, cause]))
    return Headline(verdict="waits", text=text, cause=cause, next_step=then)


_NOT_IN_DUMPS = (
    " A status dump does not show who waits for a metadata, table or global lock: "
    "SHOW FULL PROCESSLIST does."
)
_DEADLOCK = "deadlock-storm"


def _of_deadlock(context: Context) -> str:
    """Explain the last deadlock of evidence that shows nothing else; else an empty text."""
    evidence = context.evidence
    frame = evidence.frame("deadlock")
    if frame is None or any(evidence.frame(kind) is not None for kind in OTHER_RECORDS):
        return ""
    last = frame.sort("time", nulls_last=False, maintain_order=True).row(-1, named=True)
    explained = explain(last["transactions"], last["victim"])
    if explained.kind == "unknown":
        return f"Deadlock, {explained.why[0].lower()}{explained.why[1:]}"
    return f"Deadlock: {explained.label}. {explained.why}"


def _without_stall(
    context: Context, blockers: list[BlockerDoc], findings: list[FindingDoc]
) -> Headline:
    load_signals = [signal for signal in signals(context.values) if len(signal.times) >= _ENOUGH]
    sure = [finding.id for finding in findings if finding.verdict == "found"]
    others = blockers or {*sure} - {_DEADLOCK}
    if not load_signals and not others and (deadlock := _of_deadlock(context)):
        return Headline(verdict="waits", text=deadlock, next_step=_cause(findings)[1])
    if not load_signals and (blockers or findings):
        return _of_waits(blockers, findings)
    waits = context.evidence.frame("semaphore_wait")
    if not load_signals and waits is not None and not waits.is_empty():
        some = "1 thread waits" if waits.height == 1 else f"{grouped(waits.height)} threads wait"
        then = f"Collect {next_evidence.status_dump(context.server)}."
        sentence = f"{some} for latches that the evidence does not identify. {then}"
        return Headline(verdict="waits", text=sentence)
    if not load_signals:
        return Headline(
            verdict="not_enough_data",
            text=(
                "No time series shows how many sessions were inside the server or how much "
                "work was done, and nothing shows a session that waits."
            ),
        )
    signal = load_signals[0]
    text = clock_text if signal.times[-1] - signal.times[0] < DAY_US else date_text
    low, high = min(signal.values), max(signal.values)
    short = [stall for stall in context.stalls if stall.kind == "false_positive"]
    extra = f" {len(short)} short pileups cleared at once." if len(short) > 1 else ""
    extra = " One short pileup cleared at once." if len(short) == 1 else extra
    if signal.series.startswith("innodb.") and context.evidence.frame("session") is None:
        extra += _NOT_IN_DUMPS
    if findings:  # what grows
        extra += f" {findings[0].why}"
    return Headline(
        verdict="no_stall",
        text=(
            f"No stall between {text(signal.times[0])} and {text(signal.times[-1])}: "
            f"{short_name(signal.series)} stayed between {number(low)} and {number(high)}, "
            f"and did not stay far above its baseline.{extra}"
        ),
    )
