"""List the moments of a capture that show waits, and choose those that counts over time use.

A status dump, a stack sample, a processlist and a sample of the lock tables are each a moment. The
wait graph of a moment joins the layers around it. Counts over time use moments of **one** kind, so
that "in 23 of 24 status dumps" is literally true.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from pileup.analysis.evidence import latch_stacks
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.stacks import commit_queue, instruments, queues
from pileup.knowledge import knowledge

AT_MOST = 24
"""Most moments, spread evenly, whose wait graphs are built for counts over time."""
_LASTS_AT_MOST_S = 15.0
"""Half of the longest gap between moments that counts as one wait, in seconds."""
_LOCK_TABLES = frozenset({"transactions", "lock_waits", "metadata_locks", "event_waits"})
WaitSource = Literal["status dump", "lock table", "stack sample", "processlist"]
"""Kind of moment, by what was captured."""
_UNITS: tuple[tuple[WaitSource, frozenset[str]], ...] = (
    ("status dump", frozenset({"innodb_status"})),
    ("lock table", _LOCK_TABLES),
    ("stack sample", frozenset({"stacks"})),
    ("processlist", frozenset({"processlist"})),
)
"""The surest first."""
_FEW = 0.25
"""A kind with fewer than this share of the most frequent kind's moments is skipped."""


@dataclass(frozen=True, slots=True)
class WaitMoment:
    """One snapshot and the number of waiters in it."""

    time: int | None
    """UTC µs."""
    artifact: str
    snapshot: int
    kind: str
    host: str | None
    waiters: int
    """Threads in SEMAPHORES, and threads and sessions that wait by their stack or state."""
    lock_waits: int
    max_waited_s: float | None

    @property
    def waiting(self) -> int:
        return self.waiters + self.lock_waits


def unit_of(kind: str) -> WaitSource:
    """Return which kind of moment a snapshot is."""
    return next((unit for unit, kinds in _UNITS if kind in kinds), "status dump")


def moments(evidence: Evidence) -> list[WaitMoment]:
    """Return every snapshot in time order, those of unknown time last."""
    members = _dumps(evidence) + _processlists(evidence) + _stack_samples(evidence)
    members += _lock_tables(evidence)
    return sorted(members, key=lambda m: (m.time is None, m.time or 0, m.artifact, m.snapshot))


def worst(evidence: Evidence) -> WaitMoment | None:
    """Return the moment of the capture with the most waiters; None without moments."""
    return worst_of(moments(evidence))


def worst_of(
    every: Sequence[WaitMoment], span: Span | None = None, host: str | None = None
) -> WaitMoment | None:
    """Return the moment whose own layer lists most waiters, preferring a status dump in a tie."""
    return max(
        within(every, span, host),
        key=lambda m: (m.waiting, m.kind == "innodb_status", -(m.time or 0)),
        default=None,
    )


def within(every: Sequence[WaitMoment], span: Span | None, host: str | None) -> list[WaitMoment]:
    """Select moments inside a span and of a host or of no known host."""
    return [
        moment
        for moment in every
        if (host is None or moment.host in (None, host))
        and (span is None or (moment.time is not None and span.start <= moment.time <= span.end))
    ]


@dataclass(frozen=True, slots=True)
class MomentChoice:
    """The moments chosen for counts over time."""

    unit: str
    """Kind of moment: 'status dump', 'lock table', 'stack sample', 'processlist'."""
    chosen: tuple[WaitMoment, ...]
    """At most AT_MOST moments in time order, evenly spread, including the worst."""
    total: int
    """Number of moments to choose from."""
    scope: str
    """'of the stall', or 'with waiters': moments of the capture with waiters."""

    @property
    def among(self) -> str:
        """'7 status dumps of the stall', or '24 sampled status dumps' chosen from more."""
        of = len(self.chosen)
        plural = self.unit if of == 1 else f"{self.unit}s"
        if self.total <= of:
            return f"{of} {plural} {self.scope}"
        return f"{of} {plural}" if plural.endswith("samples") else f"{of} sampled {plural}"


def choose_moments(
    every: Sequence[WaitMoment], span: Span | None, host: str | None
) -> MomentChoice:
    """Choose moments of one kind in a stall (None: in the capture), one per host and second.

    The surest kind with waiters in at least half of its moments wins: a status dump lists no commit
    waits, so a pileup at the commit is counted over processlists. A kind that is rare compared with
    another is skipped. If no kind qualifies, the moments with waiters of the most frequent kind
    are chosen.
    """
    candidates = within(every, span, host)
    kinds = [(unit, [m for m in candidates if m.kind in of]) for unit, of in _UNITS]
    with_waiters = [(unit, [m for m in members if m.waiting > 0]) for unit, members in kinds]
    scope = "of the stall" if span else "with waiters"
    eligible = kinds if span else with_waiters
    eligible = [row for row in eligible if len(row[1]) > 1 and 2 * _waiting(row[1]) >= len(row[1])]
    most = max((len(members) for _, members in eligible), default=0)
    for unit, members in eligible:
        if len(members) >= _FEW * most:
            return _choose_spread(unit, members, scope)
    unit, members = max(with_waiters, key=lambda with_waiter: len(with_waiter[1]))
    return _choose_spread(unit, members, "with waiters")


def choose_evenly(
    every: Sequence[WaitMoment], span: Span | None, host: str | None, most: int = AT_MOST
) -> MomentChoice:
    """Choose moments of one kind whether or not anything waits in them, one per host and second.

    A kind with waiters in most of its moments wins, as in ``choose_moments``; else processlists,
    which list every session, and then the most frequent kind.
    """
    candidates = within(every, span, host)
    choice = choose_moments(candidates, span, host)
    members = [moment for moment in candidates if unit_of(moment.kind) == choice.unit]
    if choice.scope == "with waiters" or not members:
        kinds = [(unit, [m for m in candidates if m.kind in of]) for unit, of in _UNITS]
        most_of = max(len(of_kind) for _, of_kind in kinds)
        listed = [row for row in kinds if row[0] == "processlist" and len(row[1]) >= _FEW * most_of]
        unit, members = max(listed or kinds, key=lambda row: len(row[1]))
        return _choose_spread(unit, members, "of the window", most)
    return _choose_spread(choice.unit, members, "of the window", most)


def _choose_spread(
    unit: str, members: Sequence[WaitMoment], scope: str, most: int = AT_MOST
) -> MomentChoice:
    return MomentChoice(unit, tuple(spread(_distinct(members), most)), len(members), scope)


def _waiting(members: Sequence[WaitMoment]) -> int:
    return sum(moment.waiting > 0 for moment in members)


def spread(members: Sequence[WaitMoment], most: int = AT_MOST) -> list[WaitMoment]:
    """Select at most ``most`` moments, evenly spread; the worst replaces its neighbour."""
    if len(members) <= most:
        return list(members)
    chosen = [i * len(members) // most for i in range(most)]
    worst = max(range(len(members)), key=lambda i: members[i].waiting)
    nearest = min(range(most), key=lambda i: abs(chosen[i] - worst))
    chosen[nearest] = worst
    return [members[i] for i in chosen]


def _distinct(members: Sequence[WaitMoment]) -> list[WaitMoment]:
    """Keep one moment per host and second, the one with most waiters: they share a graph."""
    apart: dict[tuple[object, ...], WaitMoment] = {}
    for moment in members:
        when = (
            (moment.artifact, moment.snapshot)
            if moment.time is None
            else (moment.time // 1_000_000,)
        )
        key = (moment.host, *when)
        if key not in apart or moment.waiting > apart[key].waiting:
            apart[key] = moment
    return list(apart.values())


def lasting_s(chosen: Sequence[WaitMoment]) -> dict[int, float]:
    """Return the seconds that each moment represents: half the gaps to its host's neighbours."""
    values: dict[int, float] = {id(moment): 0.0 for moment in chosen}
    by_host: defaultdict[str | None, list[WaitMoment]] = defaultdict(list)
    for moment in chosen:
        if moment.time is not None:
            by_host[moment.host].append(moment)
    for of_host in by_host.values():
        for before, after in itertools.pairwise(of_host):
            assert before.time is not None
            assert after.time is not None
            half = min((after.time - before.time) / 2e6, _LASTS_AT_MOST_S)
            values[id(before)] += half
            values[id(after)] += half
    return values


# ---- moments per layer


def _dumps(evidence: Evidence) -> list[WaitMoment]:
    frame = evidence.frame("snapshot")
    if frame is None:
        return []
    dumps = frame.filter(pl.col("kind") == "innodb_status").select(
        "artifact", "snapshot", "time", "host"
    )
    keys = ["artifact", "snapshot"]
    transactions = evidence.frame("transaction")
    layers = {
        "semaphores": (evidence.frame("semaphore_wait"), "waited_s"),
        "queued": (_queued(transactions), "active_s"),
        "lock_waits": (
            None if transactions is None else transactions.filter("lock_wait"),
            "wait_s",
        ),
    }
    for count_as, (rows, longest) in layers.items():
        if rows is None:
            dumps = dumps.with_columns(
                pl.lit(0).alias(count_as), pl.lit(None, dtype=pl.Float64).alias(f"{count_as}_s")
            )
            continue
        counted = rows.group_by(keys).agg(
            pl.len().alias(count_as), pl.col(longest).max().alias(f"{count_as}_s")
        )
        dumps = dumps.join(counted, on=keys, how="left").with_columns(pl.col(count_as).fill_null(0))
    return [
        WaitMoment(
            time=row["time"],
            artifact=row["artifact"],
            snapshot=row["snapshot"],
            kind="innodb_status",
            host=row["host"],
            waiters=row["semaphores"] + row["queued"],
            lock_waits=row["lock_waits"],
            max_waited_s=max(
                (s for s in (row[f"{name}_s"] for name in layers) if s is not None), default=None
            ),
        )
        for row in dumps.iter_rows(named=True)
    ]


def _queued(transactions: pl.DataFrame | None) -> pl.DataFrame | None:
    """Return the transactions that wait for a slot to run in, by their operation."""
    if transactions is None:
        return None
    operations = transactions["operation"].drop_nulls().unique().to_list()
    waiting = [each for each in operations if queues.by_state([each]) is not None]
    return transactions.filter(pl.col("operation").is_in(waiting) & ~pl.col("lock_wait"))


def _processlists(evidence: Evidence) -> list[WaitMoment]:
    """Count per processlist the sessions in a state of waiting for a lock, commit or cache."""
    frame = evidence.frame("session")
    if frame is None:
        return []
    pairs = frame.select("command", "state").unique()
    known = knowledge()
    waiting = [
        {"command": command, "state": state, "waits": True}
        for command, state in pairs.iter_rows()
        if ((meaning := known.state_for(command, state)) and meaning.category in _WAITING_STATES)
        or queues.by_state([state] if state else []) is not None
    ]
    table = pl.DataFrame(
        waiting, schema={"command": pl.String, "state": pl.String, "waits": pl.Boolean}
    )
    marked = frame.join(table, on=["command", "state"], how="left", nulls_equal=True)
    grouped = marked.group_by(
        "artifact", pl.col("snapshot").fill_null(0), "time", "host", maintain_order=True
    ).agg(
        pl.col("waits").fill_null(False).sum().alias("waiters"),
        pl.col("time_s").filter(pl.col("waits")).max().alias("longest"),
    )
    return [
        WaitMoment(
            time=row["time"],
            artifact=row["artifact"],
            snapshot=row["snapshot"],
            kind="processlist",
            host=row["host"],
            waiters=row["waiters"],
            lock_waits=0,
            max_waited_s=row["longest"],
        )
        for row in grouped.iter_rows(named=True)
    ]


_WAITING_STATES = frozenset({"waiting_lock", "waiting_commit", "waiting_table_cache"})
_WAITING_STACKS = frozenset({"latch_wait", "lock_wait", "page_wait", "commit_wait"})


def _stack_samples(evidence: Evidence) -> list[WaitMoment]:
    """Count per stack sample the threads that wait for a latch, a lock, a page or the commit."""
    frame = evidence.frame("stack")
    if frame is None:
        return []
    members: dict[tuple[str, int], WaitMoment] = {}
    known: dict[tuple[str, ...], bool] = {}
    columns = ["artifact", "snapshot", "time", "host", "count", "samples", "frames"]
    for sha, snapshot, time, host, threads, samples, frames in frame.select(columns).iter_rows():
        functions = tuple(frame["function"] for frame in frames)
        waits = known.get(functions)
        if waits is None:
            waits = known[functions] = _waits_by_stack(functions)
        key = (sha, snapshot or 0)
        before = members.get(key)
        mine = threads // max(1, samples) if waits else 0
        members[key] = WaitMoment(
            time=time,
            artifact=sha,
            snapshot=key[1],
            kind="stacks",
            host=host,
            waiters=mine + (before.waiters if before else 0),
            lock_waits=0,
            max_waited_s=None,
        )
    return list(members.values())


def _waits_by_stack(functions: Sequence[str]) -> bool:
    meaning = knowledge().stack_for(functions)
    return (
        commit_queue.waits_by_stack(functions)
        or (meaning is not None and meaning.category in _WAITING_STACKS)
        or queues.by_stack(functions) is not None
        or latch_stacks.waits_for(functions) is not None
    )


_LOCK_LAYERS = (
    ("transaction", pl.col("lock_wait"), ["trx_id"], pl.col("wait_s")),
    (
        "lock_wait",
        pl.col("waiters").is_null(),
        ["waiting_trx", "waiting_session", "waiting_ps_thread"],
        pl.col("waiting_s"),
    ),
    ("trx_lock", pl.col("waiting"), ["trx_id"], pl.lit(None, dtype=pl.Float64)),
    (
        "metadata_lock",
        pl.col("status") == "PENDING",
        ["ps_thread_id", "session_id"],
        pl.lit(None, dtype=pl.Float64),
    ),
    (
        "event_wait",
        pl.col("ongoing").fill_null(True) & pl.col("event").str.contains(instruments.WAITS),
        ["ps_thread_id", "session_id"],
        pl.col("waited_s"),
    ),
)
"""Kind of record, filter for waiters, identifying columns, and wait time (s)."""


def _lock_tables(evidence: Evidence) -> list[WaitMoment]:
    """Count the waiters per sample of the lock tables: transactions, pairs, metadata locks."""
    dumps = evidence.frame("snapshot")
    if dumps is None:
        return []
    tables = dumps.filter(pl.col("kind").is_in(_LOCK_TABLES))
    members = []
    keys = ["artifact", "snapshot"]
    for kind, waits, who, longest in _LOCK_LAYERS:
        rows = evidence.frame(kind)
        if rows is None:
            continue
        counted = (
            rows.filter(waits)
            .group_by(keys)
            .agg(pl.struct(who).n_unique().alias("waiting"), longest.max().alias("longest"))
        )
        members += [
            WaitMoment(
                time=row["time"],
                artifact=row["artifact"],
                snapshot=row["snapshot"],
                kind=row["kind"],
                host=row["host"],
                waiters=0,
                lock_waits=row["waiting"],
                max_waited_s=row["longest"],
            )
            for row in tables.join(counted, on=keys, how="inner").iter_rows(named=True)
        ]
    return members
