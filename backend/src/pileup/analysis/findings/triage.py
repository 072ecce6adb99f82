"""Run the seven quick checks that rule out simple causes.

Source: the checklist of a published full-text stall investigation: configuration, saturated
resources, a collateral query, another process, hardware, shared storage, locking. A check without
evidence answers no_data; "ok" covers only what the evidence contains.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
import polars as pl

from pileup.analysis.contract import FindingDoc, Locator, TriageDoc
from pileup.analysis.evidence import gaps, latch_stacks
from pileup.analysis.evidence.answers import Answers
from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.levels import Level, Levels, total
from pileup.analysis.evidence.times import iso
from pileup.analysis.findings import machine_checks, words
from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.strength import strength
from pileup.analysis.stacks import queues
from pileup.analysis.stacks.hot_stacks import is_waiting
from pileup.analysis.stacks.queues import the
from pileup.knowledge import match_stack, wait_classes
from pileup.numerals import grouped, number
from pileup.sql_tokens import shapes

_BUSY = 90.0
_DISK_BUSY = 90.0
_AS_BEFORE = 1.1
"""Below this factor over its level before the stall, a resource is as busy as before."""
_SWAPPING = 100
_CROWDED = 100
"""Sessions running, the least to which one latch is few."""
_SPIN_LOOPS = 30
"""The default of innodb_sync_spin_loops."""
_SPIN_DELAY = 6
"""The default of innodb_spin_wait_delay."""
_SLOW_MS = 20.0
"""Time of a request to a device, the least that is slow."""
_TIMES_SLOWER = 3
"""Of its usual time, the least that is a change."""
_FLUSHES = 20.0
"""Flushes per second, the least of which a fall is noticed."""
_FELL = 5.0
"""So many times fewer flushes than usual are a fall."""
_QUEUE = 10
"""Waiters at once, the least that are a queue."""
_LIKELY = 0.5
"""Confidence from which on a finding is more likely than not."""
_ALIKE = 0.6
_IDLE_COMMANDS = ("Sleep", "Daemon", "Binlog Dump", "Binlog Dump GTID")
_HARDWARE = re.compile(
    r"I/O error|Medium Error|hardware error|machine check|\bmce\b|EXT4-fs error|XFS.*error"
    r"|Out of memory|oom-killer|soft lockup|hung_task|blocked for more than|ata\d.*(?:failed|error)"
    r"|No space left|corrupt",
    re.IGNORECASE,
)
_PLACE = ("time", "artifact", "line_first", "session_id")
_METADATA = "Waiting for table metadata lock"

_Check = Callable[[Observed], TriageDoc]
_Resource = tuple[list[str], list[machine_checks.Finding]]
"""Names of the measured resources, and a finding for each resource near its limit.

A resource that was as busy before the stall explains nothing: its name says so.
"""


def triage(
    observed: Observed, answers: Answers | None = None, findings: Sequence[FindingDoc] = ()
) -> list[TriageDoc]:
    """Run all seven checks, in order, each separately.

    answers: records the checks that failed; their verdict is no_data.
    findings: of the same stall; no check calls a setting harmless that one of them rests on.
    """
    answers = answers or Answers()
    configuration: _Check = partial(_configuration, findings=findings)
    checks = {"configuration": configuration, **_CHECKS}
    return [
        answers.settle(
            f"triage/{name}",
            lambda: _with_command(check(observed), observed.context),  # noqa: B023  (at once)
            _doc(name, "no_data", "Not answered: a defect in Pileup stopped this check."),
        )
        for name, check in checks.items()
    ]


_KERNEL = ("kernel-log", "syslog")


def _with_command(doc: TriageDoc, context: Context) -> TriageDoc:
    """Add to a check that lacks evidence what to collect next time."""
    collect, why = "", doc.why
    if doc.verdict == "no_data":
        collect = gaps.command_for(doc.check)
        why += _without_time(context) if doc.check in _OF_SERIES else ""
    elif doc.check == "hardware" and not _has_kernel_log(context):
        collect = gaps.NO_KERNEL_LOG
    elif doc.check == "saturated_resources" and "disk" not in doc.why and doc.verdict == "ok":
        collect = gaps.NO_DEVICES
    return msgspec.structs.replace(doc, why=why, collect=collect)


_OF_SERIES = ("saturated_resources", "shared_storage")
_OF_MACHINES = ("atop", "diskstats", "dstat", "iostat", "mpstat", "sar", "sysstat-json", "vmstat")
"""Formats of the series that these checks lack."""


def _without_time(context: Context) -> str:
    """Name the files whose series no check can use, as nobody knows when they were taken."""
    samples = context.evidence.frame("sample")
    if samples is None:
        return ""
    placed = pl.col("time").is_not_null().any().alias("placed")
    placed_by_file = samples.group_by("artifact").agg(placed)
    lost = set(placed_by_file.filter(~pl.col("placed"))["artifact"].cast(pl.String))
    files = (a for a in context.evidence.artifacts if a.format in _OF_MACHINES)
    paths = [artifact.path for artifact in files if artifact.sha256 in lost]
    if not paths:
        return ""
    first = min(paths)
    if len(paths) > 1:
        return f" {len(paths)} files without a time, such as {first}, were not used: say when."
    return f" {first} has no time and was not used: say when that was."


def _has_kernel_log(context: Context) -> bool:
    return any(
        artifact.format is not None and artifact.format.startswith(_KERNEL)
        for artifact in context.evidence.artifacts
    )


def _configuration(observed: Observed, findings: Sequence[FindingDoc]) -> TriageDoc:
    context, levels = observed.context, observed.levels
    if not context.settings:
        return _doc("configuration", "no_data", "No variables and no my.cnf were uploaded.")
    suspects: list[tuple[str, str]] = []
    running = levels.first("threads_running")
    many = running is not None and running.inside is not None and running.inside >= _CROWDED
    if (context.number("innodb_sync_spin_loops") or 0) > _SPIN_LOOPS:
        suspects.append(
            ("innodb_sync_spin_loops", f"is above its default of {_SPIN_LOOPS}: more spinning")
        )
    if (context.number("innodb_spin_wait_delay") or 0) > _SPIN_DELAY:
        suspects.append(
            ("innodb_spin_wait_delay", f"is above its default of {_SPIN_DELAY}: longer spinning")
        )
    parts = context.number("innodb_adaptive_hash_index_parts")
    if many and parts == 1 and context.number("innodb_adaptive_hash_index"):
        suspects.append(
            ("innodb_adaptive_hash_index_parts", "is 1: one latch for the adaptive hash index")
        )
    free = levels.first("innodb_buffer_pool_pages_free", "bp_pages_free", "free_buffers")
    if free is not None and free.inside == 0 and free.before not in (None, 0):
        suspects.append(("innodb_buffer_pool_size", "left no free page during the stall"))
    evidence = [_of_setting(observed, name, why) for name, why in suspects]
    if suspects:
        why = "; ".join(f"{name} {why}" for name, why in suspects)
        return _doc("configuration", "suspect", f"{why}.", evidence)
    if (named := _of_findings(findings)) is not None:
        return named
    checked = words.count(len(context.settings), "setting", "settings")
    why = f"Checked {checked}: none is known to cause pileups."
    return _doc("configuration", "ok", why)


def _of_findings(findings: Sequence[FindingDoc]) -> TriageDoc | None:
    """Name the settings that the likely findings rest on; None: they rest on none."""
    likely = [each for each in findings if each.verdict == "found" and each.score >= _LIKELY]
    parts: dict[str, Locator] = {}
    for finding in likely:
        for locator in finding.evidence:
            if locator.setting is not None:
                parts.setdefault(f"{locator.text} bears on “{finding.title}”", locator)
    if not parts:
        return None
    return _doc("configuration", "seen", f"{'; '.join(parts)}.", list(parts.values()))


def _saturated(observed: Observed) -> TriageDoc:
    levels = observed.levels
    checked: list[str] = []
    limits: list[machine_checks.Finding] = []
    for resource in (_cpu, machine_checks.queues, _disk, _swap, _buffer_pool):
        names, at_limit = resource(levels)
        checked += names
        limits += at_limit
    if not checked:
        return _doc("saturated_resources", "no_data", "No CPU, disk or memory series.")
    if limits:
        why = "; ".join(text for text, _ in limits) + "."
        evidence = [observed.series(level, text) for text, level in limits]
        return _doc("saturated_resources", "suspect", why, evidence)
    since = " since the stall" if observed.context.stall else ""
    return _doc("saturated_resources", "ok", f"{', '.join(checked)}: none at a limit{since}.")


def _cpu(levels: Levels) -> _Resource:
    busy = machine_checks.cpu_busy(levels)
    if busy is None:
        return [], []
    inside, before, level = busy
    if inside < _BUSY:
        return ["CPU"], []
    if before is not None and inside < _AS_BEFORE * before:
        return [f"CPU (as busy as before, {number(inside)}%)"], []
    past = f" ({number(before)}% before)" if before is not None else ""
    return ["CPU"], [(f"CPU {number(inside)}% busy{past}", level)]


def _disk(levels: Levels) -> _Resource:
    disks = levels.named("util", "%util")
    return ["disk"] if disks else [], [
        (f"disk {disk.labels.removeprefix('device=')} {number(disk.inside or 0)}% utilised", disk)
        for disk in disks
        if (disk.inside or 0) >= _DISK_BUSY and not _as_before(disk)
    ]


def _as_before(level: Level) -> bool:
    return level.before is not None and (level.inside or 0.0) < _AS_BEFORE * level.before


def _swap(levels: Levels) -> _Resource:
    rates = levels.named("si", "so", collectors=("vmstat",))
    return ["swap"] if rates else [], [
        (f"swapping ({rate.series} {number(rate.inside or 0)})", rate)
        for rate in rates
        if (rate.inside or 0) > _SWAPPING and not _as_before(rate)
    ]


def _buffer_pool(levels: Levels) -> _Resource:
    waits = levels.first("innodb_buffer_pool_wait_free", "bp_wait_free")
    if waits is None:
        return [], []
    if (waits.inside or 0) <= 0 or (waits.before or 0) != 0:
        return ["buffer pool"], []
    return ["buffer pool"], [
        (f"{number(waits.inside or 0)} waits for a free page per second", waits)
    ]


def _collateral(observed: Observed) -> TriageDoc:
    context = observed.context
    sessions = context.evidence.frame("session")
    if sessions is None:
        return _collateral_in_slow_log(context)
    idle = pl.col("command").is_in(_IDLE_COMMANDS).fill_null(value=False)
    rows = sessions.filter(pl.col("query").is_not_null() & ~idle)
    if context.stall is not None:
        rows = rows.filter(context.stall.holds())
    ours = [text for text in rows["query"].unique() if wait_classes.is_collector(text)]
    rows = rows.filter(~pl.col("query").is_in(ours))
    if rows.is_empty():
        return _doc("collateral_query", "ok", "No statement was running in the processlists.")
    rows = rows.sort(*_PLACE, nulls_last=True, maintain_order=True)  # a stable choice among equals
    counted = rows.group_by("query", maintain_order=True).agg(
        pl.len(), pl.col("artifact", "line_first", "line_last", "time").first()
    )
    counts: Counter[str] = Counter()
    example: dict[str, dict[str, Any]] = {}
    for row in counted.with_columns(shapes(pl.col("query")).alias("shape")).iter_rows(named=True):
        shape = row["shape"]
        counts[shape] += row["len"]
        example.setdefault(shape, row)
    shape, count = min(counts.items(), key=lambda shape: (-shape[1], shape[0]))
    share = count / counts.total()
    text = f"{share:.0%} of the running statements have one shape: {shape[:160]}"
    row = example[shape]
    locator = observed.lines(row, text, at=iso(row["time"]))
    if share < _ALIKE:
        why = f"{len(counts)} statement shapes were running; none dominates."
        return _doc("collateral_query", "ok", why, [locator])
    why = f"{text}. They may be victims: see who blocks them."
    return _doc("collateral_query", "suspect", why, [locator])


def _collateral_in_slow_log(context: Context) -> TriageDoc:
    if not context.slow_queries:
        return _doc("collateral_query", "no_data", "No processlist and no slow query log.")
    most = context.slow_queries[0]
    text = f"{most.share:.0%} of the slow query time is of one shape: {most.shape[:160]}"
    if most.share < _ALIKE:
        why = "The slow log has many statement shapes; none dominates."
        return _doc("collateral_query", "ok", why, [most.example])
    why = f"{text}. They may be victims: see who blocks them."
    return _doc("collateral_query", "suspect", why, [most.example])


def _other_process(observed: Observed) -> TriageDoc:
    levels = observed.levels
    steal, stolen = machine_checks.steal(levels)
    listed, others = machine_checks.processes(levels)
    if others:
        text = "; ".join(text for text, _ in others)
        evidence = [observed.series(level, text) for text, level in others]
        return _doc("other_process", "suspect", f"{text}.", evidence)
    if steal is not None and stolen:
        text = f"The hypervisor took {number(steal.inside or 0)}% of the CPU time (steal)"
        return _doc("other_process", "suspect", f"{text}.", [observed.series(steal, text)])
    if steal is None and not listed:
        return _doc("other_process", "no_data", "No top, pidstat or steal time.")
    what = "processes in top or pidstat" if listed else "steal time"
    return _doc("other_process", "ok", f"Checked {what}: no other process was busy.")


def _hardware(observed: Observed) -> TriageDoc:
    context = observed.context
    events = context.evidence.frame("event")
    logs = events.filter(pl.col("kind") != "clock") if events is not None else None
    if logs is None or logs.is_empty():
        return _doc("hardware", "no_data", "No kernel or error log.")
    bad, elsewhere = machine_checks.faults(logs, context, _HARDWARE.pattern.join(("(?i)", "")))
    if bad.is_empty():
        lines = words.count(logs.height, "log line", "log lines")
        why = f"{lines}, none of a failing device"
        if elsewhere:
            why += f" within an hour before the stall; {elsewhere} at other times"
        return _doc("hardware", "ok", f"{why}.")
    evidence = [_of_line(observed, row) for row in bad.head(5).iter_rows(named=True)]
    why = f"The logs report a fault: {machine_checks.count_by_kind(bad)}."
    return _doc("hardware", "suspect", why, evidence)


def _shared_storage(observed: Observed) -> TriageDoc:
    context, levels = observed.context, observed.levels
    awaits = levels.named("await", "r_await", "w_await", "f_await")
    slow = [
        await_
        for await_ in awaits
        if (await_.inside or 0) >= _SLOW_MS
        and await_.before is not None
        and (await_.inside or 0) >= _TIMES_SLOWER * await_.before
    ]
    if slow:
        level = max(slow, key=lambda each: each.inside or 0)
        text = (
            f"{level.series} of {level.labels.removeprefix('device=')} rose from "
            f"{number(level.before or 0)} to {number(level.inside or 0)} ms"
        )
        return _doc("shared_storage", "suspect", f"{text}.", [observed.series(level, text)])
    calls = machine_checks.slow_calls(context.evidence.frame("event"), context)
    if not calls.is_empty():
        text = f"{calls.height} calls on storage took a second or more: {calls['message'][0]}"
        evidence = [_of_line(observed, row) for row in calls.head(3).iter_rows(named=True)]
        return _doc("shared_storage", "suspect", f"{text}.", evidence)
    syncs = levels.first("innodb_os_log_fsyncs", "log_fsyncs", "innodb_data_fsyncs", "data_fsyncs")
    if syncs is not None and syncs.before and syncs.before >= _FLUSHES:
        now = syncs.inside or 0.0
        if now <= syncs.before / _FELL:
            text = f"Flushes to disk fell from {number(syncs.before)} to {number(now)} per second"
            hint = (
                "either each flush takes far longer (the device may not show it: time one), or "
                "the threads that request flushes are blocked"
            )
            evidence = [observed.series(syncs, text)]
            return _doc("shared_storage", "suspect", f"{text}: {hint}.", evidence)
    if not awaits and syncs is None:
        return _doc("shared_storage", "no_data", "No iostat and no count of flushes.")
    checked = "device latency" if awaits else "the rate of flushes"
    return _doc("shared_storage", "ok", f"Checked {checked}: no sign of slow storage.")


_ROW_WAITS = ("innodb_row_lock_current_waits", "row_lock_current_waits")


def _locking(observed: Observed) -> TriageDoc:
    context, levels = observed.context, observed.levels
    parts: list[tuple[str, Level]] = []
    for names, what in (
        (("lock_wait_transactions",), "transactions in LOCK WAIT"),
        (_ROW_WAITS, "row-lock waits"),
        (("semaphore_waits",), "threads waiting for a latch"),
    ):
        level = levels.first(*names)
        if level is not None and level.peak >= _QUEUE:
            text = f"up to {number(level.peak)} {what} at once"
            if level.inside is not None and level.inside >= 1:
                text += f" (median {number(level.inside)})"
            parts.append((text, level))
    states = [
        level for level in levels.named("state") if _METADATA in level.labels and level.peak >= 1
    ]
    waiting = total(states, "peak")
    if waiting:
        parts.append((f"up to {number(waiting)} waiting for a metadata lock", states[0]))
    if parts:
        why = "; ".join(text for text, _ in parts) + "."
        why = f"{why[0].upper()}{why[1:]}"
        evidence = [observed.series(level, text) for text, level in parts]
        return _doc("locking", "suspect", why, evidence)
    by_stack = observed.threads(_waits_for_latch_or_lock, "wait for a latch or a lock")
    if by_stack.most >= _MANY_WAIT:
        why = f"{by_stack.evidence[0].text}."
        return _doc("locking", "suspect", why, list(by_stack.evidence))
    kinds = ("semaphore_wait", "transaction", "lock_wait", "session")
    dumps = context.evidence.frame("snapshot")
    if (dumps is None or observed.only_profiles) and not any(
        context.evidence.frame(kind) is not None for kind in kinds
    ):
        return _doc("locking", "no_data", "No status dump, lock table or processlist.")
    if not _waits_are_counted(observed):
        why = (
            "Only parts of status dumps, or waits that cannot be read: how many threads wait is "
            "not known. Capture whole dumps."
        )
        return _doc("locking", "no_data", why)
    if (few := _few_waits(observed)) is not None:
        return few
    return _doc("locking", "ok", _LISTS_ALONE if _lists_alone(observed) else _NO_WAITS)


_NO_WAITS = (
    "No waits for row locks, metadata locks or latches. This check does not cover waits for "
    "a commit or for the log."
)
_LISTS_ALONE = (
    "No session waits for a metadata, table or global lock. A processlist does not show waits for "
    "row locks or latches."
)


def _lists_alone(observed: Observed) -> bool:
    """Return whether nothing but processlists could show a wait."""
    context = observed.context
    frames = ("transaction", "lock_wait", "semaphore_wait", "stack")
    counted = ("lock_wait_transactions", "semaphore_waits", *_ROW_WAITS)
    return all(context.evidence.frame(kind) is None for kind in frames) and all(
        observed.levels.first(name) is None for name in counted
    )


def _few_waits(observed: Observed) -> TriageDoc | None:
    """Describe the largest queue of the worst moment, however small; None without one."""
    queues = [queue for kind, queue in observed.queues.items() if kind not in ("commit", "fsync")]
    if not queues:
        return None
    top = max(queues, key=lambda queue: (queue.waiters, queue.longest or 0.0, queue.kind))
    many = "1 session waits" if top.waiters == 1 else f"{grouped(top.waiters)} sessions wait"
    lasted = f" for up to {number(top.longest)} s" if top.longest else ""
    why = f"{many} for {the(top.label)}{lasted}."
    sure = strength(top.waiters, top.share, top.longest) >= _CLEAR
    return _doc("locking", "suspect" if sure else "seen", why, list(top.evidence))


_CLEAR = 0.7
"""Strength from which on a queue is a suspect, and not only seen."""


def _waits_are_counted(observed: Observed) -> bool:
    """Return whether something shows how many threads wait, be it none."""
    context, levels = observed.context, observed.levels
    names = ("lock_wait_transactions", "semaphore_waits", "innodb_row_lock_current_waits")
    if any(levels.first(name) is not None for name in names):
        return True
    frames = ("lock_wait", "session", "stack", "metadata_lock")
    return any(context.evidence.frame(kind) is not None for kind in frames)


_MANY_WAIT = 10


def _waits_for_latch_or_lock(functions: Sequence[str]) -> bool:
    """Return whether a stack shows a wait for a latch or lock (not for commit or network)."""
    if not is_waiting(functions):
        return False
    meaning = match_stack(functions)
    return (
        latch_stacks.waits_for(functions) is not None
        or (meaning is not None and meaning.category in ("latch_wait", "lock_wait"))
        or ((queue := queues.by_stack(functions)) is not None and queue.id in _LOCKS)
    )


_LOCKS = ("adaptive-hash", "table-lock", "metadata-lock", "global-read-lock", "query-cache")

_CHECKS: dict[str, _Check] = {
    "saturated_resources": _saturated,
    "collateral_query": _collateral,
    "other_process": _other_process,
    "hardware": _hardware,
    "shared_storage": _shared_storage,
    "locking": _locking,
}
"""The checks that need no findings, in order, after that of the configuration."""


def _doc(check: str, verdict: str, why: str, evidence: list[Locator] | None = None) -> TriageDoc:
    return TriageDoc(check=check, verdict=verdict, why=why, evidence=evidence or [])  # type: ignore[arg-type]


def _of_setting(observed: Observed, name: str, why: str) -> Locator:
    line = observed.setting(name, f"{name} = {observed.context.setting(name)}")
    # A suspect can be inferred from a series while the variables were not uploaded.
    return line or Locator(kind="lines", text=f"{name} {why}")


def _of_line(observed: Observed, row: dict[str, Any]) -> Locator:
    return observed.lines(row, row["message"][:200], at=iso(row["time"]))


__all__ = ["triage"]
