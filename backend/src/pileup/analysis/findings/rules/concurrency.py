"""Rules for throughput that collapses as the threads or other programs that want a CPU rise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from pileup.analysis.contract import Locator, ShiftDoc
from pileup.analysis.findings import machine_checks
from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.rules import Match, Rule, graded, mostly_locked
from pileup.numerals import grouped, number

THREADS = ("metric.threads_running", "mysql.Threads_running", "processlist.running")
RATES = ("metric.qps", "mysql.Questions", "mysql.Queries", "mysql.Com_select", "metric.com_select")


_MANY, _TIMES_AS_MANY = 64, 4
"""Threads that run, and how many times as many as before; not known how many: enough."""
_COLLAPSED = 0.5
_NEARLY_NOTHING = 0.2
"""Of the work done before."""
_OF_THREADS = 0.2
"""Share of the threads that wait for latches at once."""
_LIMITED = 64
"""A larger limit of threads lets them pile up, too."""
_USUAL_SPINS = 30
_BY_ONE_LATCH = 0.5


@dataclass(frozen=True, slots=True)
class Collapse:
    threads: ShiftDoc
    rate: ShiftDoc


def collapse(observed: Observed) -> Collapse | None:
    """Return the collapse if threads rose, work fell and threads wait for latches, else None."""
    threads, rate = observed.shift(*THREADS), observed.shift(*RATES)
    if threads is None or rate is None or threads.direction != "up" or rate.direction != "down":
        return None
    count = threads.stall or 0
    many = count >= _MANY and (threads.ratio or _TIMES_AS_MANY) >= _TIMES_AS_MANY
    collapsed = (rate.ratio if rate.ratio is not None else 1) <= _COLLAPSED
    waiters = observed.latch_waiters
    rows = observed.lock_queue.waiters
    if not (many and collapsed) or waiters < _OF_THREADS * count or rows.most > waiters:
        return None
    return Collapse(threads, rate)


def unlimited(observed: Observed) -> Match | None:
    """Match a throughput collapse with innodb_thread_concurrency=0 (thread-concurrency-zero)."""
    drop = collapse(observed)
    if drop is None:
        return _work_alone(observed)
    limit = observed.context.number("innodb_thread_concurrency")
    spins = observed.context.number("innodb_sync_spin_loops")
    if limit is not None and 0 < limit <= _LIMITED:
        return None
    score = graded(
        (True, 0.55),
        (limit == 0, 0.2),
        ((drop.rate.ratio or 0) <= _NEARLY_NOTHING, 0.12),
        (spins is not None and spins > _USUAL_SPINS, 0.05),
    )
    evidence = [observed.shifted(drop.threads), observed.shifted(drop.rate)]
    named = ("innodb_thread_concurrency", "innodb_sync_spin_loops")
    evidence += [where for name in named if (where := observed.setting(name))]
    why = (
        f"Running threads rose to {grouped(drop.threads.stall or 0)} while the work done fell to "
        f"{drop.rate.ratio or 0:.0%}: more threads, less work. Threads wait for latches "
        f"({observed.latch_waiters} at once)"
        + (
            ", and nothing limits how many run (innodb_thread_concurrency=0)."
            if limit == 0
            else "."
        )
    )
    against: tuple[str, ...] = ()
    waiters = observed.latch_waiters
    if (latch := observed.one_latch) is not None:
        against = (f"{latch}: its holder explains them, whatever the number of threads.",)
        score *= _BY_ONE_LATCH
    return Match("thread-concurrency-zero", round(score, 3), why, tuple(evidence), against, waiters)


_LEAST_WAITS = 10
_CROWDED = 0.5
"""Share of the calls of a trace that wait for a lock, and of these waits that came too late."""


def _crowded_trace(observed: Observed) -> tuple[str, Locator] | None:
    """Find a strace in which threads wait for locks and little else, and mostly come too late.

    A futex that has changed before the thread sleeps (EAGAIN) is taken and released all the time.
    """
    frame = observed.context.evidence.frame("table")
    if frame is None:
        return None
    calls: Counter[str] = Counter()
    traces: dict[str, dict[str, Any]] = {}
    columns = pl.col("columns").list
    for table in (
        frame.filter(columns.contains("call") | columns.contains("changed_before"))
        .select("artifact", "line_first", "line_last", "columns", "rows")
        .to_dicts()
    ):
        names, rows = table["columns"], table["rows"]
        if names[0] == "call" and "calls" in names:
            at = names.index("calls")
            calls[table["artifact"]] = sum(
                int(row[at]) for row in rows if (row[at] or "").isdigit()
            )
        elif names[:2] == ["address", "waits"]:
            traces[table["artifact"]] = table
    for artifact, table in traces.items():
        late = table["columns"].index("changed_before")
        waits = sum(int(row[1]) for row in table["rows"])
        changed = sum(int(row[late]) for row in table["rows"])
        if waits < _LEAST_WAITS or waits < _CROWDED * calls[artifact]:
            continue
        if changed >= _CROWDED * waits:
            text = (
                f"{grouped(waits)} of {grouped(calls[artifact])} system calls of a trace wait for "
                f"a lock, and {grouped(changed)} of these came too late: it had changed hands"
            )
            return text, observed.lines(table, text)
    return None


def _work_alone(observed: Observed) -> Match | None:
    """Match from the statement rate, with the settings or a trace, when nothing else is there."""
    context = observed.context
    if context.evidence.frame("snapshot") is not None or context.stall is None:
        return None
    levels = observed.levels
    rate = levels.first("qps", "questions", "queries", "com_select")
    if levels.first("threads_running") or rate is None or not rate.before or rate.inside is None:
        return None
    where = observed.setting("innodb_thread_concurrency")
    limit = context.number("innodb_thread_concurrency")
    crowded = _crowded_trace(observed)
    fell = rate.inside / rate.before
    if fell > _COLLAPSED or (limit is None and crowded is None) or (limit is not None and limit):
        return None
    why = f"The work done collapsed to {fell:.0%}"
    against = ["Sessions running and waits were not captured: a rise cannot be confirmed."]
    if limit == 0:
        why += ", and nothing limits how many run at once (innodb_thread_concurrency=0)"
    else:
        against.append("innodb_thread_concurrency is not known.")
    if crowded is not None:
        why += f". {crowded[0]}"
    score = graded(
        (limit == 0, 0.5),
        (limit is None, 0.3),
        (fell <= _NEARLY_NOTHING, 0.1),
        (limit == 0 and crowded is not None, 0.1),
    )
    evidence = tuple(filter(None, (where, crowded and crowded[1])))
    return Match("thread-concurrency-zero", score, f"{why}.", evidence, tuple(against))


def _has_data(observed: Observed) -> bool:
    """Return whether sessions, the work done and where threads meet are all known."""
    records = ("semaphore_wait", "stack", "transaction")
    return (
        bool(observed.context.shifts)
        and observed.levels.first("qps", "questions", "queries", "com_select") is not None
        and any(observed.context.evidence.frame(kind) is not None for kind in records)
    )


def _counts_periods(observed: Observed) -> bool:
    """Return whether the kernel's count of periods rules a quota out; no other record can."""
    return bool(observed.levels_named(["throttled_pct"]))


HAS_DATA: dict[str, Callable[[Observed], bool]] = {
    "cpu-quota": _counts_periods,
    "thread-concurrency-zero": _has_data,
}
"""Rules that need more than a dump, a list or stacks: whether the evidence has it."""
_SATURATED, _HALF = 90.0, 50.0
"""CPU in use, and the part of one CPU per CPU that others take, in percent."""
_MOST = 75.0
_MORE, _ADDED = 1.5, 0.25
"""What others take over what they took before, or a share of all CPUs on top of it: a machine may
be shared all the time."""
_LITTLE_MORE = 1.1
_UNSURE, _FULL_BEFORE = 0.5, 0.55
"""The most where no sample shows what they took before; factor where the CPUs were full before."""


def contention(observed: Observed) -> Match | None:
    """Match other programs on the CPUs for which the server's threads queue (cpu-contention).

    Whoever stops working leaves the CPUs to others: that these take more tells nothing without a
    queue that grew, or CPUs that were not full before.
    """
    levels = observed.levels
    earlier, taken = machine_checks.taken_by_strangers(observed.context)
    listed = machine_checks.cpus(levels)
    cpus = listed or 1
    crowd = machine_checks.crowd(levels, grew=True)
    busy = machine_checks.cpu_busy(levels)
    full = busy is not None and busy[0] >= _SATURATED
    filled = busy is not None and full and (busy[1] is None or busy[1] < _SATURATED)
    if taken is None or taken < _HALF * cpus or not (crowd or filled):
        return None
    room = 100.0 * listed if listed else taken
    most = taken >= _MOST * cpus
    score = graded((True, 0.25), (crowd is not None, 0.15), (full, 0.1), (most, 0.15))
    against: tuple[str, ...] = ()
    if earlier is None:
        against += ("No sample shows what they took before.",)
        score = min(score, _UNSURE)
    elif taken < min(_MORE * earlier, earlier + _ADDED * room):
        if taken < _LITTLE_MORE * earlier:
            return None
        against += (f"They took {number(earlier)}% of a CPU together before as well.",)
        score *= _FULL_BEFORE
    if reason := mostly_locked(observed):
        against += (reason,)
        score *= 0.5
    others = machine_checks.strangers(levels)[:3]
    parts = [text for text, _ in others]
    if crowd:
        parts.append(crowd)
    elif busy is not None:
        parts.append(f"the CPUs were busy {number(busy[0])}% of the time")
    why = f"{'; '.join(parts)}."
    where = tuple(observed.series(level, text) for text, level in others)
    return Match("cpu-contention", round(score, 3), why, where, against)


_THROTTLED = ((50.0, 0.6), (25.0, 0.5), (10.0, 0.35))
"""Percent of the periods in which the kernel stopped the server, and what they tell."""
_CAPPED, _EVEN = 0.4, 0.1
"""What an even use of CPU tells that a crowd wants more of, and how far its samples are apart."""
_LEAST_USED, _LEAST_SEEN = 20.0, 5
"""Percent of a CPU, and samples: less use and fewer samples are even by chance."""
_WANT, _ROOM = 4.0, 70.0
"""Running threads for each CPU that is used, and percent of the machine's CPUs that are taken."""


def quota(observed: Observed) -> Match | None:
    """Match a server that gets no more CPU than a limit gives (cpu-quota).

    By the kernel's count of periods; without it, by a use of CPU that stays even while far more
    threads run than it serves, nobody waits inside the server and the machine has CPUs to spare.
    """
    counted = [row for row in observed.levels_named(["throttled_pct"]) if row.inside is not None]
    most = max(counted, key=lambda row: row.inside or 0.0, default=None)
    for above, score in _THROTTLED:
        if most is not None and (most.inside or 0.0) > above:
            text = f"The server was stopped in {number(most.inside or 0)}% of the periods."
            return Match("cpu-quota", score, text, (observed.series(most, text),))
    if most is not None or observed.context.stall is None:
        return None
    used = machine_checks.of_server(observed.levels)
    running = observed.level("threads_running", "threads_running_avg", "processlist.running")
    busy = machine_checks.cpu_busy(observed.levels)
    if used is None or used.inside is None or running is None or busy is None:
        return None
    apart = max(used.peak - used.inside, used.inside - (used.lowest or 0.0))
    if used.inside < _LEAST_USED or used.points < _LEAST_SEEN or apart > _EVEN * used.inside:
        return None
    if running < _WANT * max(1.0, used.inside / 100) or busy[0] > _ROOM:
        return None
    if max(observed.worst.waiting, observed.latch_waiters) > running / 2:
        return None
    why = (
        f"The server used {number(used.inside)}% of a CPU all the time, while {running:.0f} "
        f"threads ran and the machine's CPUs were busy {number(busy[0])}%: something limits it."
    )
    return Match("cpu-quota", _CAPPED, why, (observed.series(used, why),))


RULES: dict[str, Rule] = {
    "cpu-contention": contention,
    "cpu-quota": quota,
    "thread-concurrency-zero": unlimited,
}
