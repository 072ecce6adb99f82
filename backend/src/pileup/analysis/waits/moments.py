"""The moments at which somebody looked who waits, and which of them are looked at.

A status dump, a stack sample, a processlist and a sample of the lock tables are each a moment. The
wait graph of a moment joins the layers around it (``joins``); what is counted over time is counted
over moments of **one** kind, so that "in 23 of 24 status dumps" means that and nothing else.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pileup.analysis.evidence import latch_stacks
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.stacks import commit_queue, instruments, queues
from pileup.knowledge import knowledge
from pileup.numerals import grouped

AT_MOST = 24
"""Moments whose wait graphs are made for what is counted over time, spread evenly."""
_LASTS_AT_MOST_S = 15.0
"""Half the longest time between moments over which a wait is taken to have lasted."""
_LOCK_TABLES = frozenset({"transactions", "lock_waits", "metadata_locks", "event_waits"})
_UNITS = (
    ("status dump", frozenset({"innodb_status"})),
    ("lock table", _LOCK_TABLES),
    ("stack sample", frozenset({"stacks"})),
    ("processlist", frozenset({"processlist"})),
)
"""The surest first."""
_FEW = 0.25
"""Of the moments of the kind that has most."""


@dataclass(frozen=True, slots=True)
class WaitMoment:
    """One snapshot and how many waited in it."""

    time: int | None
    """UTC µs."""
    artifact: str
    snapshot: int
    kind: str
    host: str | None
    waiters: int
    """Threads in SEMAPHORES, or threads and sessions that wait by their stack or state."""
    lock_waits: int
    max_waited_s: float | None

    @property
    def waiting(self) -> int:
        return self.waiters + self.lock_waits


def moments(evidence: Evidence) -> list[WaitMoment]:
    """Every snapshot in time order; those of unknown time last."""
    found = _dumps(evidence) + _processlists(evidence) + _stack_samples(evidence)
    found += _lock_tables(evidence)
    return sorted(found, key=lambda m: (m.time is None, m.time or 0, m.artifact, m.snapshot))


def worst(evidence: Evidence) -> WaitMoment | None:
    """The moment of the capture with the most waiters."""
    return worst_of(moments(evidence))


def worst_of(
    every: Sequence[WaitMoment], span: Span | None = None, host: str | None = None
) -> WaitMoment | None:
    """The moment whose own layer lists the most waiters; a status dump before others that tie."""
    return max(
        within(every, span, host),
        key=lambda m: (m.waiting, m.kind == "innodb_status", -(m.time or 0)),
        default=None,
    )


def within(every: Sequence[WaitMoment], span: Span | None, host: str | None) -> list[WaitMoment]:
    """Those inside a span and of a host; of no known host as well."""
    return [
        moment
        for moment in every
        if (host is None or moment.host in (None, host))
        and (span is None or (moment.time is not None and span.start <= moment.time <= span.end))
    ]


@dataclass(frozen=True, slots=True)
class Looked:
    """The moments that are looked at for what is counted over time."""

    unit: str
    """What one is: 'status dump', 'lock table', 'stack sample', 'processlist'."""
    chosen: tuple[WaitMoment, ...]
    """At most AT_MOST, in time order, evenly spread, with the worst among them."""
    total: int
    """How many there are to choose from."""
    scope: str
    """'of the stall', or 'with waiters': those of the capture in which somebody waits."""

    @property
    def among(self) -> str:
        """'24 status dumps of the stall', '24 status dumps looked at (83 of the stall)'."""
        of = len(self.chosen)
        plural = self.unit if of == 1 else f"{self.unit}s"
        if self.total <= of:
            return f"{of} {plural} {self.scope}"
        return f"{of} {plural} looked at ({grouped(self.total)} {self.scope})"


def look(every: Sequence[WaitMoment], span: Span | None, host: str | None) -> Looked:
    """The moments of a stall (None: of the capture) of one kind, one per host and second.

    The kind is the surest that shows somebody waiting in most of its moments: a status dump lists
    no commit waits, so a pileup at the commit is counted over processlists. One of which there are
    few beside another is passed over. Where no kind does, those with waiters of the kind that has
    most.
    """
    some = within(every, span, host)
    kinds = [(unit, [m for m in some if m.kind in of]) for unit, of in _UNITS]
    with_waiters = [(unit, [m for m in found if m.waiting > 0]) for unit, found in kinds]
    scope = "of the stall" if span else "with waiters"
    telling = kinds if span else with_waiters
    telling = [row for row in telling if len(row[1]) > 1 and 2 * _waiting(row[1]) >= len(row[1])]
    most = max((len(found) for _, found in telling), default=0)
    for unit, found in telling:
        if len(found) >= _FEW * most:
            return _looked(unit, found, scope)
    unit, found = max(with_waiters, key=lambda with_waiter: len(with_waiter[1]))
    return _looked(unit, found, "with waiters")


def _looked(unit: str, found: Sequence[WaitMoment], scope: str) -> Looked:
    return Looked(unit, tuple(spread(_distinct(found))), len(found), scope)


def _waiting(found: Sequence[WaitMoment]) -> int:
    return sum(moment.waiting > 0 for moment in found)


def spread(found: Sequence[WaitMoment]) -> list[WaitMoment]:
    """At most AT_MOST, evenly spread, the worst in the place of its neighbour."""
    if len(found) <= AT_MOST:
        return list(found)
    chosen = [i * len(found) // AT_MOST for i in range(AT_MOST)]
    worst = max(range(len(found)), key=lambda i: found[i].waiting)
    nearest = min(range(AT_MOST), key=lambda i: abs(chosen[i] - worst))
    chosen[nearest] = worst
    return [found[i] for i in chosen]


def _distinct(found: Sequence[WaitMoment]) -> list[WaitMoment]:
    """One per host and second, that with most waiters: two layers of a second are one graph."""
    apart: dict[tuple[object, ...], WaitMoment] = {}
    for moment in found:
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
    """Seconds that each moment stands for: half the way to its neighbours of the same host."""
    values: dict[int, float] = {id(moment): 0.0 for moment in chosen}
    by_host: defaultdict[str | None, list[WaitMoment]] = defaultdict(list)
    for moment in chosen:
        if moment.time is not None:
            by_host[moment.host].append(moment)
    for some in by_host.values():
        for before, after in itertools.pairwise(some):
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
    for kind, count_as, longest in (
        ("semaphore_wait", "waiters", "waited_s"),
        ("transaction", "lock_waits", "wait_s"),
    ):
        rows = evidence.frame(kind)
        if rows is None:
            dumps = dumps.with_columns(
                pl.lit(0).alias(count_as), pl.lit(None, dtype=pl.Float64).alias(f"{count_as}_s")
            )
            continue
        if kind == "transaction":
            rows = rows.filter(pl.col("lock_wait"))
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
            waiters=row["waiters"],
            lock_waits=row["lock_waits"],
            max_waited_s=max(
                (s for s in (row["waiters_s"], row["lock_waits_s"]) if s is not None), default=None
            ),
        )
        for row in dumps.iter_rows(named=True)
    ]


def _processlists(evidence: Evidence) -> list[WaitMoment]:
    """Sessions whose state says that they wait for a lock, the commit or a cache."""
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
    """Threads whose stack waits for a latch, a lock, a page or the commit."""
    frame = evidence.frame("stack")
    if frame is None:
        return []
    found: dict[tuple[str, int], WaitMoment] = {}
    columns = ["artifact", "snapshot", "time", "host", "count", "samples", "frames"]
    for sha, snapshot, time, host, threads, samples, frames in frame.select(columns).iter_rows():
        functions = [frame["function"] for frame in frames]
        meaning = knowledge().stack_for(functions)
        waits = (
            commit_queue.waits_by_stack(functions)
            or (meaning is not None and meaning.category in _WAITING_STACKS)
            or queues.by_stack(functions) is not None
            or latch_stacks.waits_for(functions) is not None
        )
        key = (sha, snapshot or 0)
        before = found.get(key)
        mine = threads // max(1, samples) if waits else 0
        found[key] = WaitMoment(
            time=time,
            artifact=sha,
            snapshot=key[1],
            kind="stacks",
            host=host,
            waiters=mine + (before.waiters if before else 0),
            lock_waits=0,
            max_waited_s=None,
        )
    return list(found.values())


_LOCK_LAYERS = (
    ("transaction", pl.col("lock_wait"), ["trx_id"], pl.col("wait_s")),
    (
        "lock_wait",
        pl.col("waiters").is_null(),
        ["waiting_trx", "waiting_session", "waiting_ps_thread"],
        pl.col("waiting_s"),
    ),
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
"""Kind of record, which of them wait, by what a waiter is known, and how long it waits (s)."""


def _lock_tables(evidence: Evidence) -> list[WaitMoment]:
    """Samples of lock tables in which somebody waits: transactions, pairs, metadata locks."""
    dumps = evidence.frame("snapshot")
    if dumps is None:
        return []
    tables = dumps.filter(pl.col("kind").is_in(_LOCK_TABLES))
    found = []
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
        found += [
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
    return found
