"""Join the layers of one moment by thread: status dump, stacks, processlist, lock tables.

``--Thread 139719055636224`` (SEMAPHORES), ``Thread 0x7f12…`` (gdb) and ``OS thread handle``
(TRANSACTIONS) are one pthread_t; ``MySQL thread id 390`` is the processlist's Id. So one waiter has
its latch, its stack, its transaction, its session and its query. Each join records its reason.

Times: a stack sample and a dump are seconds apart; each layer is the one nearest to the moment,
       within NEAR_US, of the same host.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from pileup.analysis.contract import Locator
from pileup.analysis.evidence import unnumbered
from pileup.analysis.evidence.actors import NO_NUMBER, Actor, Join, Row
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.reconcile import join_by_wait
from pileup.numerals import grouped

NEAR_US = 12_000_000
THREADS_NEAR_US = 3_600_000_000
"""A thread serves its session as long as the connection lasts."""
STACKS_NEAR_US = 20_000_000
"""gdb stops the server while it walks the stacks, so they are further from the dump."""

_THREAD_AND_SESSION = (
    ("ps_thread_id", "session_id"),
    ("waiting_ps_thread", "waiting_session"),
    ("blocking_ps_thread", "blocking_session"),
)
_BOTH_IDS = (
    ("thread", "ps_thread_id", "session_id"),
    ("metadata_lock", "ps_thread_id", "session_id"),
    ("event_wait", "ps_thread_id", "session_id"),
    ("lock_wait", "waiting_ps_thread", "waiting_session"),
    ("lock_wait", "blocking_ps_thread", "blocking_session"),
)
"""Kind of record, and the columns of a thread's number and its session."""
ANONYMOUS_AT_MOST = 20_000
"""Threads of all stacks without ids that become nodes: many per stack, at least one each."""
_APART_US = 2_000_000
"""Layers further apart than this are joined with a warning."""
_SAME_SECOND, _LOST_PER_S, _LEAST_SURE = 0.98, 0.015, 0.6
"""Confidence of a join by an id that two files print, and its loss per second between them."""
_BY_KERNEL_THREAD = 0.9
"""A thread pool or a thread cache may have given the kernel's thread to another session."""
_WITHOUT_ID = 0.5
_SAME_STATEMENT = 0.8
"""Confidence that a listed session without an id is the transaction that runs its statement."""
_STATEMENT = 40
"""Letters of a statement by which a list without ids and a dump are compared first."""

_OF_DUMP = frozenset({"semaphore_wait", "transaction", "trx_lock", "latch_hold"})


@dataclass(slots=True)
class Scene:
    """All layers of one moment."""

    at: int | None
    host: str | None
    actors: dict[str, Actor]
    lock_waits: list[Row]
    trx_locks: list[Row]
    stacks: list[Row]
    """All stacks, including those without thread ids (pt-pmp)."""
    locators: list[Locator]
    """The snapshots that were joined."""
    metadata_locks: list[Row] = field(default_factory=list)
    latch_holds: list[Row] = field(default_factory=list)
    event_waits: list[Row] = field(default_factory=list)
    """The innermost wait of each thread of performance_schema."""
    dump: Row | None = None
    """The snapshot of the status dump that was joined."""
    stacks_alone: bool = False
    """True if no other layer names a thread: stacks without thread ids become threads."""
    notes: list[str] = field(default_factory=list)
    """Distances between layers that make a join less certain, and counts that disagree."""
    session_of_trx: dict[str, int] = field(default_factory=dict)
    """Sessions of transactions that other samples of the moment name."""

    def by_session(self, session_id: int | None) -> Actor | None:
        if session_id is None:
            return None
        return next((a for a in self.actors.values() if a.session_id == session_id), None)

    def by_trx(self, trx_id: str | None) -> Actor | None:
        if trx_id is None:
            return None
        return next((a for a in self.actors.values() if a.trx and a.trx["trx_id"] == trx_id), None)


def scene(evidence: Evidence, at: int | None, host: str | None = None) -> Scene:
    """Join the layers nearest to ``at`` (UTC µs); None: layers without regard to time."""
    joined_scene = Scene(at, host, {}, [], [], [], [])
    index = _Index(joined_scene)
    dump = _nearest_snapshot(evidence, at, host)
    rows = _layers(evidence, at, host, dump)
    rows["lock_wait"] = unnumbered.resolved(rows["lock_wait"], rows["transaction"])
    joined_scene.dump = dump
    index.apart = _apart_s(dump, rows)
    index.threads(
        _sessions_of_threads(evidence, at, host),
        rows["thread"],
        [*rows["metadata_lock"], *rows["event_wait"]],
        rows["session"],
    )
    shared = _shared_threads(rows["transaction"])
    for row in rows["transaction"]:
        if not _is_nameless(row):
            index.transaction({**row, "os_thread": None} if row["os_thread"] in shared else row)
    for row in rows["session"]:
        index.session(row)
    index.nameless([row for row in rows["transaction"] if _is_nameless(row)])
    for row in rows["semaphore_wait"]:
        index.wait(row)
    for row in rows["stack"]:
        index.stack(row)
    if not joined_scene.actors and rows["stack"]:
        joined_scene.stacks_alone = True
        index.anonymous(rows["stack"])
    joined_scene.notes = [*_apart(dump, rows), *index.notes]
    if rows["stack"] and (rows["session"] or rows["transaction"]):
        joined_scene.notes += join_by_wait(joined_scene.actors)
    known = _sessions(evidence, at, host, dump, rows["transaction"])
    joined_scene.session_of_trx = _by_any_sample(evidence, host, rows["lock_wait"], known)
    _take_lock_tables(joined_scene, index, rows)
    joined_scene.metadata_locks = [index.with_sessions(row) for row in rows["metadata_lock"]]
    joined_scene.latch_holds = [index.with_sessions(row) for row in rows["latch_hold"]]
    joined_scene.event_waits = [index.with_sessions(row) for row in _innermost(rows["event_wait"])]
    index.events(joined_scene.event_waits)
    joined_scene.stacks = rows["stack"]
    joined_scene.locators = list(_locators(evidence, dump, rows))
    return joined_scene


_REACH_US = {
    "semaphore_wait": NEAR_US,
    "transaction": NEAR_US,
    "session": NEAR_US,
    "stack": STACKS_NEAR_US,
    "lock_wait": NEAR_US,
    "trx_lock": NEAR_US,
    "metadata_lock": NEAR_US,
    "latch_hold": NEAR_US,
    "event_wait": NEAR_US,
    "thread": THREADS_NEAR_US,
}
"""Kinds of records that are layers of a scene, and how far from its moment each may be."""


def _layers(
    evidence: Evidence, at: int | None, host: str | None, dump: Row | None
) -> dict[str, list[Row]]:
    """Return the rows of each layer: those of the dump, else of the snapshot nearest to it."""
    rows: dict[str, list[Row]] = {}
    for kind, reach in _REACH_US.items():
        if kind in _OF_DUMP and dump is not None:
            frame = evidence.frame(kind)
            rows[kind] = [] if frame is None else frame.filter(_of(dump)).to_dicts()
        else:
            rows[kind] = _nearest(evidence, kind, at, host, reach)
    if dump is not None:  # a dump prints few locks; the lock tables print all
        for kind in ("trx_lock", "latch_hold"):
            rows[kind] += _nearest(evidence, kind, at, host, NEAR_US, excluded=dump)
    return rows


def _take_lock_tables(scene: Scene, index: _Index, rows: dict[str, list[Row]]) -> None:
    """Add the locks and waits of the lock tables, without those of transactions that have ended."""
    running = _running(rows["transaction"])
    scene.lock_waits = [
        row
        for row in map(index.with_sessions, rows["lock_wait"])
        if not _has_ended(row, "waiting_trx", "waiting_session", running)
        and not _has_ended(row, "blocking_trx", "blocking_session", running)
        and not (scene.dump and _waits_no_longer(row, running))
    ]
    scene.trx_locks = [
        row
        for row in map(index.with_sessions, rows["trx_lock"])
        if not _has_ended(row, "trx_id", "session_id", running)
    ]


class _Index:
    """Index of actors by thread and session; creates missing ones."""

    def __init__(self, scene: Scene) -> None:
        self.notes: list[str] = []
        self.apart: dict[str, float] = {}
        """Seconds between each layer and the first one."""
        self._actors = scene.actors
        self._by_pthread: dict[int, Actor] = {}
        self._by_session: dict[int, Actor] = {}
        self._session_of_ps: dict[int, int] = {}
        self._session_of_tid: dict[int, int] = {}
        self._running: defaultdict[str, list[Actor]] = defaultdict(list)
        """Transactions by the beginning of their statement."""

    def threads(
        self, known: dict[int, int], threads: list[Row], locks: list[Row], sessions: list[Row]
    ) -> None:
        """Record which session each thread of performance_schema or of the kernel serves.

        known: what lists further away print; those of the moment win.
        """
        self._session_of_ps.update(known)
        for row in (*threads, *locks):
            if row["ps_thread_id"] is not None and row["session_id"] is not None:
                self._session_of_ps[row["ps_thread_id"]] = row["session_id"]
        for row in (*threads, *sessions):
            if row["os_tid"] is not None and row["session_id"] is not None:
                self._session_of_tid[row["os_tid"]] = row["session_id"]

    def with_sessions(self, row: Row) -> Row:
        """Return a row of a lock table with the sessions of its performance_schema threads."""
        known = dict(row)
        for thread, session in _THREAD_AND_SESSION:
            if thread in row and row[session] is None and row[thread] is not None:
                known[session] = self._session_of_ps.get(row[thread])
        return known

    def transaction(self, row: Row) -> None:
        # thread 0 is none: transactions without a session share nothing
        actor = self._actor(row["os_thread"], row["session_id"] or None, f"trx:{row['trx_id']}")
        if actor.trx is None or row["lock_wait"]:
            actor.trx = row
            if row["query"]:
                self._running[_beginning(row["query"])].append(actor)
            if actor.pthread is not None and actor.session_id is not None:
                actor.join(
                    f"session {row['session_id']} and thread {row['os_thread']} by TRANSACTIONS",
                    1.0,
                )

    def session(self, row: Row) -> None:
        if row["session_id"] is None:
            self._without_id(row)
            return
        actor = self._actor(None, row["session_id"], f"session:{row['session_id']}")
        actor.session = row
        if actor.trx is not None:
            actor.join(
                f"processlist Id {row['session_id']} (exact){self._later('session')}",
                self._sure("session"),
            )

    def _without_id(self, row: Row) -> None:
        """Add a listed session without an id: the transaction with its statement, or a new one."""
        for actor in self._running.get(_beginning(row["query"]), ()):
            if actor.session is None and _is_same(actor, row):
                actor.session = row
                actor.join("processlist by statement", _SAME_STATEMENT)
                return
        name = f"listed:{row['line_first']}"
        self._actors[name] = Actor(name, session=row)

    def nameless(self, rows: list[Row]) -> None:
        """Give transactions that wait before they start to running sessions without one.

        MySQL 8.0 prints neither thread nor statement of them. Where no list shows enough running
        sessions, each is an actor of its own; an idle slot is none.
        """
        waiting = [row for row in rows if row["operation"] is not None]
        running = (
            actor
            for actor in list(self._actors.values())
            if actor.trx is None and actor.query and (actor.session or {}).get("command") == "Query"
        )
        for row in waiting:
            actor = next(running, None)
            if actor is None:
                self._actors[f"trx:{row['trx_id']}"] = Actor(f"trx:{row['trx_id']}", trx=row)
                continue
            actor.trx = row
            actor.join(f"one of {len(waiting)} transactions that print no thread", _WITHOUT_ID)

    def wait(self, row: Row) -> None:
        # A count of waits names no thread: each is an actor of its own.
        actor = self._actor(row["thread_id"], None, f"waiter:{len(self._actors)}")
        actor.waits.append(row)
        if actor.trx is not None:
            actor.join("semaphore wait by OS thread handle (exact)", 1.0)

    def stack(self, row: Row) -> None:
        for thread in row["threads"]:
            session = self._session_of_tid.get(thread["lwp"]) if thread["lwp"] else None
            if thread["pthread"] is not None:
                actor = self._actor(thread["pthread"], session, f"thread:{thread['pthread']}")
                actor.join(
                    f"gdb thread {thread['pthread']:#x} (exact){self._later('stack')}",
                    self._sure("stack"),
                )
            elif session is not None:  # eu-stack prints the kernel's id alone
                actor = self._actor(None, session, f"session:{session}")
                actor.join(
                    f"kernel thread {thread['lwp']} by performance_schema.threads"
                    f"{self._later('stack')}",
                    min(_BY_KERNEL_THREAD, self._sure("stack")),
                )
            else:
                continue
            actor.stack = row

    def events(self, rows: list[Row]) -> None:
        """Attach performance_schema's waits to the actors of their sessions."""
        for row in rows:
            if row["session_id"] is None or row["ongoing"] is False:
                continue
            actor = self._actor(None, row["session_id"], f"session:{row['session_id']}")
            actor.event = row
            if actor.session is not None or actor.trx is not None or actor.stack is not None:
                actor.join(
                    f"performance_schema thread {row['ps_thread_id']} is session "
                    f"{row['session_id']}{self._later('event_wait')}",
                    self._sure("event_wait"),
                )

    def anonymous(self, rows: list[Row]) -> None:
        """Create one actor per thread of stacks that have counts but no thread ids (pt-pmp)."""
        counts = [max(1, row["count"] // max(1, row["samples"])) for row in rows]
        most = _most_each(counts, ANONYMOUS_AT_MOST)
        if max(counts) > most:
            self.notes.append(
                f"The stacks count {grouped(sum(counts))} threads; the graph shows at most "
                f"{grouped(most)} of each stack."
            )
        for row, count in zip(rows, counts, strict=True):
            for number in range(min(count, most)):
                name = f"stack:{row['line_first']}:{number}"
                self._actors[name] = Actor(
                    name, stack=row, joined=[Join("a stack without thread ids", _WITHOUT_ID)]
                )

    def _sure(self, layer: str) -> float:
        """Return the confidence of a join by an exact id at the distance of its layer."""
        seconds = self.apart.get(layer, 0.0)
        return max(_LEAST_SURE, _SAME_SECOND - _LOST_PER_S * seconds)

    def _later(self, layer: str) -> str:
        seconds = self.apart.get(layer, 0.0)
        return f", {seconds:.0f} s apart" if seconds >= 1 else ""

    def _actor(self, pthread: int | None, session_id: int | None, fallback: str) -> Actor:
        actor = self._by_pthread.get(pthread) if pthread is not None else None
        if actor is None and session_id is not None:
            actor = self._by_session.get(session_id)
        if actor is None:
            name = (
                f"thread:{pthread}"
                if pthread is not None
                else f"session:{session_id}"
                if session_id is not None
                else fallback
            )
            actor = self._actors.setdefault(name, Actor(name))
        if pthread is not None and actor.pthread is None:
            actor.pthread = pthread
            self._by_pthread[pthread] = actor
        if session_id is not None and actor.session_id is None:
            actor.session_id = session_id
            self._by_session[session_id] = actor
        return actor


def _beginning(statement: str | None) -> str:
    return " ".join((statement or "")[: 4 * _STATEMENT].split())[:_STATEMENT]


def _is_same(actor: Actor, row: Row) -> bool:
    """Return whether a listed session runs the statement of a transaction, as far as printed."""
    mine, listed = ((actor.trx or {})["query"] or "").strip(), (row["query"] or "").strip()
    user = (actor.trx or {}).get("user")
    if not listed or (user and row["user"] and user != row["user"]):
        return False
    return bool(mine.startswith(listed) or listed.startswith(mine))


def _by_any_sample(
    evidence: Evidence, host: str | None, waits: list[Row], known: dict[str, int]
) -> dict[str, int]:
    """Add the sessions of other transactions that waits name, by any sample: ids are unique."""
    named = {row[name] for row in waits for name in ("waiting_trx", "blocking_trx") if row[name]}
    named -= known.keys()
    frame = evidence.frame("transaction")
    if not named or frame is None:
        return known
    rows = frame.filter(
        pl.col("trx_id").is_in(list(named))
        & (pl.col("session_id") > 0)
        & pl.col("host").eq_missing(pl.lit(host, dtype=pl.String))
    )
    return known | dict(rows.select("trx_id", "session_id").unique().iter_rows())


def _sessions(
    evidence: Evidence, at: int | None, host: str | None, dump: Row | None, shown: list[Row]
) -> dict[str, int]:
    """Return the sessions of transactions, also by a list of transactions near the dump."""
    listed = dump and _nearest(evidence, "transaction", at, host, NEAR_US, excluded=dump)
    return {
        row["trx_id"]: row["session_id"]
        for row in (*(listed or ()), *shown)
        if row["trx_id"] is not None and row["session_id"] is not None
    }


def _running(transactions: list[Row]) -> dict[int, Row]:
    """Return the transaction of each session."""
    return {
        row["session_id"]: row
        for row in transactions
        if row["session_id"] and row["trx_id"] is not None
    }


def _has_ended(row: Row, trx: str, session: str, running: dict[int, Row]) -> bool:
    """Return whether a lock table names a transaction that its session has ended since.

    Both are sampled at different times; where a row goes from hand to hand every moment, an old
    pair beside a new one looks like a circle. Only numbers of one kind are compared: older servers
    print some in hexadecimal.
    """
    named, now = row[trx], running.get(row[session])
    if named in (None, NO_NUMBER) or now is None or now["artifact"] == row["artifact"]:
        return False
    is_other: bool = named != now["trx_id"]
    return is_other and named.isdecimal() and now["trx_id"].isdecimal()


def _waits_no_longer(row: Row, running: dict[int, Row]) -> bool:
    """Return whether a later dump shows the waiting transaction of a lock table at work."""
    now = running.get(row["waiting_session"])
    if now is None or now["lock_wait"] or now["artifact"] == row["artifact"]:
        return False
    is_later = now["time"] is not None and row["time"] is not None and row["time"] < now["time"]
    return is_later and bool(now["trx_id"] == row["waiting_trx"])


def _is_nameless(row: Row) -> bool:
    return row["session_id"] is None and row["state"].startswith("not started")


def _shared_threads(transactions: list[Row]) -> set[int]:
    """Return the threads that several sessions print: a pool's threads identify no session."""
    sessions: dict[int, set[int]] = {}
    for row in transactions:
        if row["os_thread"] is not None and row["session_id"] is not None:
            sessions.setdefault(row["os_thread"], set()).add(row["session_id"])
    return {thread for thread, served in sessions.items() if len(served) > 1}


def _most_each(counts: list[int], budget: int) -> int:
    """Return the largest bound per stack, at least 1, with which all fit the budget of threads."""
    left = budget
    ordered = sorted(counts)
    for at, count in enumerate(ordered):
        share = left // (len(ordered) - at)
        if count > share:
            return max(1, share)
        left -= count
    return ordered[-1]


def _innermost(rows: list[Row]) -> list[Row]:
    """Return one wait per thread, the innermost ongoing one of nested waits."""
    by_thread: dict[object, Row] = {}
    for number, row in enumerate(rows):
        key = row["ps_thread_id"], row["session_id"]
        if key == (None, None):
            key = number, None
        if key not in by_thread or row["ongoing"] is not False:
            by_thread[key] = row
    return list(by_thread.values())


def _sessions_of_threads(evidence: Evidence, at: int | None, host: str | None) -> dict[int, int]:
    """Return the session of each performance_schema thread, by any list that prints both ids.

    Nearest in time first: only a restarted server gives a thread's number away again.
    """
    pairs = []
    for kind, thread, session in _BOTH_IDS:
        frame = evidence.frame(kind)
        if frame is None:
            continue
        wanted = pl.col(thread).is_not_null() & pl.col(session).is_not_null()
        distance = pl.lit(0, pl.Int64)
        if at is not None:
            distance = (pl.col("time") - at).abs()
            wanted &= distance <= THREADS_NEAR_US
        if host is not None:
            wanted &= pl.col("host").fill_null(host) == host
        pairs.append(
            frame.lazy()
            .filter(wanted)
            .select(
                pl.col(thread).alias("thread"),
                pl.col(session).alias("session"),
                distance.alias("distance"),
            )
        )
    if not pairs:
        return {}
    nearest = (
        pl.concat(pairs, how="vertical_relaxed")
        .group_by("thread")
        .agg(pl.col("session").sort_by("distance", "session").first())
        .collect()
    )
    return dict(nearest.iter_rows())


def _nearest_snapshot(evidence: Evidence, at: int | None, host: str | None) -> Row | None:
    """Return the status dump nearest to the instant; in one second the one with most waits."""
    frame = evidence.frame("snapshot")
    if frame is None:
        return None
    dumps = frame.filter(pl.col("kind") == "innodb_status")
    if host is not None:
        dumps = dumps.filter(pl.col("host").fill_null(host) == host)
    if at is not None:
        dumps = dumps.drop_nulls("time").with_columns(
            ((pl.col("time") - at).abs() // 1_000_000).alias("distance")
        )
        dumps = dumps.filter(pl.col("distance") <= NEAR_US // 1_000_000)
        if dumps.is_empty():
            return None
        nearest = dumps["distance"].min()
        dumps = dumps.filter(pl.col("distance") == nearest)
    if dumps.is_empty():
        return None
    if dumps.height == 1:
        return dumps.row(0, named=True)
    return max(dumps.to_dicts(), key=lambda row: _size(evidence, row))


def _size(evidence: Evidence, dump: Row) -> int:
    total = 0
    for kind in ("semaphore_wait", "transaction"):
        frame = evidence.frame(kind)
        total += 0 if frame is None else frame.filter(_of(dump)).height
    return total


def _nearest(
    evidence: Evidence,
    kind: str,
    at: int | None,
    host: str | None,
    reach: int,
    excluded: Row | None = None,
) -> list[Row]:
    """Return the rows of one kind from the snapshot nearest to the instant; of equals, the first.

    excluded: a snapshot whose artifact is left out.
    """
    frame = evidence.frame(kind)
    if frame is None:
        return []
    wanted = []
    if excluded is not None:
        wanted.append(pl.col("artifact") != excluded["artifact"])
    if host is not None:
        wanted.append(pl.col("host").fill_null(host) == host)
    if at is not None:
        wanted.append((pl.col("time") - at).abs() <= reach)
    frame = frame.filter(*wanted) if wanted else frame
    if frame.is_empty():
        return []
    nearest = 0 if at is None else (frame["time"] - at).abs().arg_min()
    first = frame.select("artifact", "snapshot", "time").row(nearest or 0)
    same = zip(("artifact", "snapshot", "time"), first, strict=True)
    return frame.filter(*(pl.col(name).eq_missing(value) for name, value in same)).to_dicts()


def _of(dump: Row) -> pl.Expr:
    same: pl.Expr = pl.col("artifact") == dump["artifact"]
    return same & pl.col("snapshot").eq(dump["snapshot"])


def _apart_s(dump: Row | None, rows: dict[str, list[Row]]) -> dict[str, float]:
    """Return the seconds between each layer and the dump, or the processlist without a dump."""
    times = {kind: some[0]["time"] for kind, some in rows.items() if some}
    base = dump["time"] if dump else times.get("session")
    if base is None:
        return {}
    return {kind: abs(time - base) / 1e6 for kind, time in times.items() if time is not None}


def _apart(dump: Row | None, rows: dict[str, list[Row]]) -> list[str]:
    """Write a warning per layer that was taken seconds apart from the first one."""
    times = {"status dump": dump["time"] if dump else None}
    names = {"session": "processlist", "stack": "stack sample", "lock_wait": "lock table"}
    times |= {name: rows[kind][0]["time"] for kind, name in names.items() if rows[kind]}
    known = {name: time for name, time in times.items() if time is not None}
    if not known:
        return []
    first, base = next(iter(known.items()))
    return [
        f"The {name} was taken {abs(time - base) / 1e6:.0f} s from the {first}: a thread may have "
        "moved on between them."
        for name, time in known.items()
        if abs(time - base) > _APART_US
    ]


def _locators(
    evidence: Evidence, dump: Row | None, rows: dict[str, list[Row]]
) -> Iterator[Locator]:
    names = {"session": "processlist", "stack": "stack sample", "lock_wait": "lock waits"}
    if dump is not None:
        yield _locator(evidence, dump, dump["line_first"], dump["line_last"], "status dump")
    for kind, name in names.items():
        if some := rows[kind]:
            last = max(row["line_last"] for row in some)
            first = min(row["line_first"] for row in some)
            yield _locator(evidence, some[0], first, last, f"{name} ({len(some)} rows)")


def _locator(evidence: Evidence, row: Row, first: int, last: int, text: str) -> Locator:
    return Locator(
        kind="lines",
        artifact=row["artifact"],
        path=evidence.path(row["artifact"]),
        line_first=first,
        line_last=last,
        text=text,
    )
