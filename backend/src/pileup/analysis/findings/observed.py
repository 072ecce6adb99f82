"""Answer questions about the records of the stall, for signatures, rules and triage.

Each question returns a ``Seen``: whether it holds (None: no such records), how many at once, which
share, one clause with the numbers, and the raw lines. What a question means for a known problem
does not belong here: see ``matching`` for signatures and ``rules``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import msgspec
import polars as pl

from pileup.analysis.contract import HotLatchDoc
from pileup.analysis.evidence import galera, latch_stacks, listed_times
from pileup.analysis.evidence.times import clock_text
from pileup.analysis.findings import (
    event_load,
    granted_locks,
    latch_counts,
    logged_waits,
    storms,
    words,
    worst_moment,
)
from pileup.analysis.findings.cascade import Ending, endings
from pileup.analysis.findings.seen import NO_DATA, Seen
from pileup.analysis.findings.stall_records import StackGroup, StallRecords, is_primitive
from pileup.analysis.findings.texts import Texts
from pileup.analysis.findings.worst_moment import Queue
from pileup.analysis.stacks.queues import the
from pileup.analysis.waits import moment_graph
from pileup.knowledge import expressions, function_key, knowledge, wait_classes
from pileup.knowledge.signature import names as listed
from pileup.knowledge.source_sites import function_at
from pileup.numerals import grouped, number

_QUERY_LENGTH = 2000
"""Only this many characters of a statement are matched: enough for its shape."""
_SURE = 0.9
"""Least confidence of a holder that is named without "may"."""
_DOMINANT = 0.8
"""One latch explains all latch waits from this share on."""
_ENDS = 0.5
"""One latch explains a stall when this share of the time ends at it."""
_AT_WORK = frozenset({wait_classes.WORKING, "client", "data_read"})
"""Classes of time in which a session does something itself and waits for nobody."""
_PAGES_OF_ONE = 4
_PLACES_SHOWN = 2
_USUAL_LENGTH = 80
_STATE_SERIES = "processlist.state"
_LEAST_OF_PROFILE = 5
"""Per cent: less is found on any busy server."""
_NAMED = 3
"""Functions that a sentence names."""
_MOST_COUNTED = 2000
"""Sessions of one State that count, where only their number is printed."""
_LINE_LENGTH = 160
_LINES_OF = (
    pl.col("line_first").min(),
    pl.col("line_last").max(),
    pl.concat_list("line_first", "line_last").alias("parts"),
)
"""Lines of the records of one moment: all between the first and the last, and each one's own."""


NEAR = 0.5
"""Share of its weight that a limit earns that is near and not reached."""


@dataclass(frozen=True, slots=True)
class LockQueue:
    """Transactions that wait for one row or table lock, at its worst moment."""

    waiters: Seen
    table: str | None = None
    mode: str | None = None
    of_active: float = 1.0
    """The share of the active transactions of that moment that wait for any such lock."""


_RESTS = (
    pl.col("state").fill_null("").str.starts_with("not started") & pl.col("operation").is_null()
)
"""A session between transactions; one that waits for a slot prints 'not started' and the wait."""
_VERY_MANY = 1_000_000
"""Changes of a transaction that no application makes with a statement for a user."""
_MANY_LOCKS = 100_000
"""Row locks of an applier that read many rows."""
_PER_CHANGE = 100
"""Row locks per change, the least of an applier that looks for rows without a key."""
_APPLIES_ROWS = (
    r"(?i)^(applying batch of row changes|reading event from the relay log"
    r"|(update|delete)_rows_log_event)"
)
_SEARCHES = (
    pl.col("thread_state").fill_null("").str.contains(_APPLIES_ROWS)
    & (pl.col("row_locks") >= _MANY_LOCKS)
    & (pl.col("row_locks") >= _PER_CHANGE * (pl.col("undo_entries").fill_null(0) + 1))
)
"""An applier that has no key locks all that it reads, beside what it changes."""
_LOGS_IN = "unauthenticated user"
"""User of a session before its login; through the socket no name of a client is looked up."""
_HAS_NO_SESSION = (
    (
        pl.col("state").str.contains("PREPARED", literal=True)
        & (pl.col("session_id").fill_null(0) == 0)
    )
    | ((pl.col("state") == "ACTIVE") & (pl.col("session_id") == 0) & pl.col("query").is_null())
) & (pl.col("os_thread").fill_null(0) == 0)
"""As ``Actor.has_no_session``: its client has gone, or it never had one."""


class Observed(StallRecords):
    """Answers from the stall's records; each index is computed when a question first needs it."""

    @cached_property
    def worst(self) -> worst_moment.Worst:
        """What waits for what at the moment with most waiters."""
        return worst_moment.worst_moment(self.context, self.blocked)

    @property
    def queues(self) -> dict[str, Queue]:
        """What waits for what at the worst moment, by kind of resource."""
        return self.worst.queues

    # ---- questions: latches

    def latch(self, ids: Sequence[str]) -> Seen:
        """Count semaphore waits for one of these latches; by stacks if SEMAPHORES lists no waits.

        MariaDB from 10.6 never lists waits, and pt-pmp may be the only capture. Where neither was
        captured, the counts of SHOW ENGINE INNODB MUTEX speak.
        """
        listed = self._latch_waits(ids)
        if listed.holds or self.during("semaphore_wait") is not None:
            return listed
        matches = [
            stack
            for stack in self.stacks
            if (wait := latch_stacks.waits_for(stack.names)) and wait.latch in ids
        ]
        if not matches:
            return self._counted_latches(ids) if listed.holds is None else listed
        seen = {wait.latch for group in matches if (wait := latch_stacks.waits_for(group.names))}
        named = words.latches(name for name in ids if name in seen)
        return self._by_stack(matches, f"wait for the {named}")

    def _counted_latches(self, ids: Sequence[str]) -> Seen:
        """Count who waits for latches by wait events, else by what the server counts."""
        loaded = event_load.latches(self, ids, words.latches(ids))
        if loaded.holds:
            return loaded
        timed = event_load.timed(self, self._timed_latches, ids, words.latches(ids))
        return timed if timed.holds else latch_counts.counted(self, self._latch_sleeps, ids)

    @cached_property
    def _timed_latches(self) -> list[dict[str, Any]]:
        return event_load.timed_waits(self)

    @cached_property
    def _latch_sleeps(self) -> list[dict[str, Any]]:
        return latch_counts.sleeps_since_start(self)

    def place(self, places: Sequence[str]) -> Seen:
        """Count semaphore waits at one of these places: 'btr0sea.*', 'row0ins.cc:2953'."""
        if self._semaphores is None:
            return self._no_waits
        test = self._at(places, "file", "line", "mode")
        return self._waits(test, f"wait {_where(places)}")

    def hot_latch(self, latch_id: str) -> Seen:
        """Count semaphore waits for the hottest latch of this kind, with the hot places.

        When no dump lists any wait: threads whose stack waits for it, or what the server counts.
        """
        latches = self.context.hot_latches
        if not latches:
            seen = self.threads(
                lambda stack: (
                    (wait := latch_stacks.waits_for(stack)) is not None and wait.latch == latch_id
                ),
                f"wait for the {words.latches([latch_id])} by their stacks",
            )
            counted = self.stacks or self.during("semaphore_wait") is not None
            return seen if counted else self._counted_latches([latch_id])
        same = [latch for latch in latches if latch.latch == latch_id]
        if not same:
            return Seen(False)
        places = [w for w in self.context.hot_waits if w.latch == latch_id and w.example]
        evidence = tuple(
            msgspec.structs.replace(
                wait.example,
                at=None,
                text=f"{words.threads(wait.max_at_once, 'wait')} at {wait.file}:{wait.line} "
                f"({wait.mode}) for the latch {_created(wait.latch_label)} ({latch_id}), "
                f"{words.share(wait.share)} of all semaphore waits",
            )
            for wait in places[:_PLACES_SHOWN]
            if wait.example
        )
        most = max(latch.max_at_once for latch in same)
        share = min(1.0, sum(latch.share for latch in same))
        longest = max((wait.max_waited_s or 0.0 for wait in places), default=None)
        return Seen(most > 0, most, share, evidence=evidence, longest=longest)

    @cached_property
    def dominant_latch(self) -> HotLatchDoc | None:
        """Return the latch that most threads in SEMAPHORES wait for; None without a clear one.

        Page latches of one origin are many latches: they count when one page has half of the waits.
        """
        top = max(self.context.hot_latches, key=lambda latch: latch.share, default=None)
        if top is None or top.share < _DOMINANT:
            return None
        spread = top.latch == "buf_block_lock" and top.addresses > _PAGES_OF_ONE
        return None if spread else top

    @cached_property
    def endings(self) -> tuple[Ending, ...]:
        """The latches at which blocked time ends, with everybody who waits behind them."""
        return endings(self.blocked)

    def ends_at(self, latch_id: str) -> float:
        """Return the share of the active-session seconds that ends at latches of this kind."""
        return min(1.0, sum(e.share for e in self.endings if e.latch == latch_id))

    @cached_property
    def one_latch(self) -> str | None:
        """Describe the single latch that explains most waits for latches; None: there is none."""
        top = self.endings[0] if self.endings else None
        if top is not None and top.share >= _ENDS:
            return f"{top.share:.0%} of the time of active sessions ends at one latch ({top.label})"
        if (latch := self.dominant_latch) is None:
            return None
        return f"{latch.share:.0%} of the latch waits are for one latch ({latch.label})"

    @cached_property
    def latch_waiters(self) -> int:
        """Return the peak number of threads in SEMAPHORES at once, over all latches."""
        frame = self.during("semaphore_wait")
        if frame is None:
            return 0
        counts = frame.group_by("artifact", "snapshot").len()["len"]
        return int(counts.max() or 0)  # type: ignore[arg-type]  # a count

    # ---- questions: stacks

    def stack(self, functions: Sequence[str], within: Sequence[str], waiting: bool | None) -> Seen:
        """Count threads with one of the functions, and one of ``within`` where given.

        The innermost wait explains the outer frames: a function that has to wait (``waiting``
        without ``within``), or that is looked for around a lock primitive alone, has to be at the
        place of the wait.
        """
        if not self.stacks:
            return NO_DATA
        wanted, outer = (
            {function_key(function) for function in functions},
            {function_key(name) for name in within},
        )
        at_wait = all(map(is_primitive, within)) if within else bool(waiting)
        at_wait = at_wait and not (within and any(map(is_primitive, functions)))
        matches = [
            stack
            for stack in self.stacks
            if wanted & (stack.site if at_wait else stack.keys)
            and (not outer or outer & stack.keys)
            and (waiting is None or stack.waiting == waiting)
        ]
        if not matches or (
            all(group.profiled for group in matches) and _most_at_once(matches) < _LEAST_OF_PROFILE
        ):
            return self._no_stack
        most = _most_at_once(matches)
        top = max(matches, key=lambda group: group.threads)
        named = _named(matches, wanted)
        verb = {True: "wait in", False: "work in", None: "are in"}[waiting]
        text = _amount(top, most, f"{verb} {named}")
        if outer:
            text += f" (below {next((n for n in top.names if function_key(n) in outer), '')})"
        return self._stacks_seen(matches, top, most, text)

    def profile(self, functions: str | list[str]) -> Seen:
        """Measure the part of a CPU profile with one of the functions."""
        if not any(stack.profiled for stack in self.stacks):
            return NO_DATA
        wanted = {function_key(function) for function in listed(functions)}
        matches = [stack for stack in self.stacks if stack.profiled and wanted & stack.keys]
        if not matches:
            return Seen(False)
        most = _most_at_once(matches)
        top = max(matches, key=lambda group: group.threads)
        text = words.profile(most, f"are in {_named(matches, wanted)}")
        return Seen(True, most, most / 100, text, (self.lines(top.example, text),))

    def threads(self, test: Callable[[Sequence[str]], bool], what: str) -> Seen:
        """Count threads whose stack (function names, innermost first) passes a test.

        ``what`` completes "12 threads at once ...". The share is of all threads that are not idle.
        """
        if self.context.evidence.frame("stack") is None:
            return NO_DATA
        passing = [group for group in self.stacks if test(group.names)]
        if not passing:
            return self._no_stack
        top = max(passing, key=lambda group: (group.example["count"], -group.example["row"]))
        most = _most_at_once(passing)
        text = _amount(top, most, what)
        if not top.profiled and 1 < (alike := min(top.example["count"], most)) < most:
            text += f"; {grouped(alike)} of them with this stack"
        return self._stacks_seen(passing, top, most, text)

    @property
    def _no_stack(self) -> Seen:
        """No stack passes; by a profile alone nothing is absent."""
        return NO_DATA if self.only_profiles else Seen(False)

    def _by_stack(self, matches: Sequence[StackGroup], verb: str) -> Seen:
        most = _most_at_once(matches)
        top = max(matches, key=lambda group: group.threads)
        return self._stacks_seen(matches, top, most, _amount(top, most, f"{verb} by their stacks"))

    def _stacks_seen(
        self, matches: Sequence[StackGroup], top: StackGroup, most: int, text: str
    ) -> Seen:
        # a debugger that names nothing of a thread does not show that it is none of these
        share = max(
            sum(group.threads for group in matches if group.profiled == profiled) / busy
            for profiled in (False, True)
            if (
                busy := sum(
                    each.threads
                    for each in self.stacks
                    if each.profiled == profiled and any(name != "??" for name in each.names)
                )
            )
        )
        return Seen(True, most, share, text, (self.lines(top.example, text),))

    # ---- questions: sessions, transactions, statements

    def sessions_in(self, pattern: str) -> Seen:
        """Count sessions whose State matches, in the processlist with most; never transactions."""
        listed = self._session_states
        if listed is None:
            return NO_DATA
        return self._most(
            listed,
            pattern,
            lambda top, usual: (
                f"{words.count(top['n'], 'session', 'sessions')} in state '{usual}'{_at(top)}"
            ),
        )

    @cached_property
    def lock_queue(self) -> LockQueue:
        """Find the row or table lock with the most waiting transactions."""
        waiting = self._lock_waits
        if waiting is None:
            no_records = self.during("transaction") is None and self.during("lock_wait") is None
            return LockQueue(NO_DATA if no_records else Seen(False))
        top = _peak(waiting, "waits_table", "waits_index", "waits_mode")
        table, mode = top["waits_table"], top["waits_mode"]
        named = ", ".join(filter(None, (top["waits_index"] or "table", mode)))
        text = (
            f"{words.count(top['n'], 'transaction waits', 'transactions wait')} for a lock on "
            f"{table or 'a table that is not printed'} ({named}){_at(top)}"
        )
        of_it = pl.col("waits_table") == table if table else pl.col("waits_table").is_null()
        share = waiting.filter(of_it).height / waiting.height
        longest = _longest(waiting, "wait_s")
        where = (self.lines(top, text),)
        seen = Seen(True, top["n"], share, text, where, longest=longest)
        return LockQueue(seen, table, mode, self._share_of_active(waiting))

    def _share_of_active(self, waiting: pl.DataFrame) -> float:
        """Return which share of the active transactions waits, over the moments that list both."""
        frame = self.during("transaction")
        if frame is None:
            return 1.0
        keys = ["artifact", "snapshot"]
        active = frame.filter(~_RESTS)
        active = active.join(waiting.select(keys).unique(), on=keys, how="semi", nulls_equal=True)
        return min(1.0, waiting.height / active.height) if active.height else 1.0

    def state(self, pattern: str, lasting: float | None = None) -> Seen:
        """Count active sessions by their State, else transactions by their thread's State.

        lasting: only those that have lasted this many seconds.
        """
        sessions = self._session_states
        listed = sessions if sessions is not None and sessions.is_named else self._thread_states
        if listed is not None and listed.is_named:
            seen = self._most(listed, pattern, _sessions_in, lasting)
            # how long one statement works or sends its rows tells nothing of the others
            return (
                seen
                if lasting or self._is_for_others(listed, pattern)
                else replace(seen, longest=None)
            )
        return NO_DATA  # no record prints a State

    def replicating(self, pattern: str, lasting: float | None = None) -> Seen:
        """Count threads of replication by their State; their Time is how far they are behind."""
        listed = self._replicating_states
        if listed is None or not listed.is_named:
            return NO_DATA
        return self._most(listed, pattern, _sessions_in, lasting)

    @cached_property
    def is_clustered(self) -> bool:
        """Whether the server is a node of a Galera cluster."""
        return galera.is_node(self.context)

    def _is_for_others(self, listed: Texts, pattern: str) -> bool:
        """Return whether sessions wait in any State that matches, as far as is known."""
        matches = listed.matching(pattern)
        states = [] if matches is None else matches[listed.column].unique().to_list()
        return any(wait_classes.of_state(None, state) not in _AT_WORK for state in states)

    def user(self, pattern: str) -> Seen:
        """Count active sessions by their user."""
        listed = self._users
        if listed is None or not listed.is_named:
            return NO_DATA
        return self._most(listed, pattern, _sessions_of, age=False)

    def command(self, pattern: str, lasting: float | None = None) -> Seen:
        """Count sessions by their Command: 'Killed' has not ended yet."""
        listed = self._commands
        if listed is None or not listed.is_named:
            return NO_DATA
        return self._most(listed, pattern, _sessions_with, lasting)

    def transaction(self, pattern: str, lasting: float | None = None) -> Seen:
        """Count transactions by 'state operation'; the share is of those that are active."""
        listed = self._transactions
        if listed is None:
            return NO_DATA
        return self._most(listed, pattern, _transactions_in, lasting)

    def lock(self, pattern: str) -> Seen:
        """Count waits for a row or table lock by 'kind mode table', from dumps or lock tables."""
        listed = self._locks
        if listed is None:
            return NO_DATA if self.during("transaction") is None else Seen(False)
        return self._most(listed, pattern, _transactions_wait)

    @cached_property
    def _lock_waits(self) -> pl.DataFrame | None:
        """Waits for row and table locks: of status dumps, else of the lock tables; None: none."""
        columns = ["artifact", "snapshot", "time", "line_first", "line_last"]
        names = ["waits_kind", "waits_mode", "waits_table", "waits_index", "wait_s"]
        frame = self.during("transaction")
        if frame is not None:
            waiting = frame.filter("lock_wait").select(*columns, *names)
            named = waiting.filter(pl.col("waits_table").is_not_null())
            if named.height:  # INNODB_TRX shows the same waits without their tables
                return waiting.filter(
                    pl.col("artifact").is_in(named["artifact"].unique().to_list())
                )
        pairs = self.during("lock_wait")
        if pairs is None:
            return None if frame is None or waiting.is_empty() else waiting
        waiter = ["artifact", "snapshot", "waiting_trx", "waiting_session"]
        pairs = pairs.filter(pl.col("lock_kind") != "metadata").unique(waiter, maintain_order=True)
        listed = self._with_locks(pairs).select(
            *columns,
            pl.col("lock_kind").alias("waits_kind"),
            pl.col("mode").alias("waits_mode"),
            pl.col("table").alias("waits_table"),
            pl.col("index").alias("waits_index"),
            pl.col("waiting_s").alias("wait_s"),
        )
        return None if listed.is_empty() else listed

    def _with_locks(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Name the table, index and mode of waits by the locks that the same file lists."""
        locks = self.during("trx_lock")
        if locks is None:
            return pairs
        names = ["table", "index", "mode"]
        locks = locks.filter(pl.col("lock_id").is_not_null() & (pl.col("table") != "unknown"))
        locks = locks.unique(["artifact", "lock_id"], maintain_order=True)
        locks = locks.select("artifact", "lock_id", *(pl.col(n).alias(f"of_{n}") for n in names))
        joined = pairs.join(locks, on=["artifact", "lock_id"], how="left", maintain_order="left")
        return joined.with_columns(pl.coalesce(pl.col(n), f"of_{n}").alias(n) for n in names)

    def query(self, pattern: str, lasting: float | None = None) -> Seen:
        """Count running statements in processlists or, without one, in transactions."""
        listed = self._statements
        if listed is None:
            return NO_DATA
        return self._most(listed, pattern, _statements_like, lasting, age=lasting is not None)

    def lock_time(self, who: logged_waits.Who) -> Seen:
        """Count statements of a slow log that waited for locks most of their time."""
        return logged_waits.waited(self, who)

    def log(self, pattern: str) -> Seen:
        """Count log lines anywhere in the capture: a warning may precede the stall."""
        listed = self._log_lines
        if listed is None or listed.frame.is_empty():
            return NO_DATA
        matches = listed.matching(pattern)
        if matches is None:
            return Seen(False)
        frame, row = listed.frame, matches.row(0, named=True)
        times = "once" if matches.height == 1 else f"{matches.height} times"
        text = f"the log says {times} '{words.clip(row['message'], _LINE_LENGTH)}'"
        share = matches.height / frame.height
        return Seen(True, matches.height, share, text, (self.lines(row, text),))

    # ---- questions: limits, storms

    def limit(self, ids: list[str] | str) -> Seen:
        """Return whether one of these limits is reached; the share counts one that is near."""
        named = [limit for limit in self.limits if limit.id in listed(ids)]
        if not named:
            return NO_DATA
        top = named[0]
        if top.verdict == "far":
            return Seen(False)
        share = 1.0 if top.verdict == "reached" else NEAR
        return Seen(True, 1, share, top.text, tuple(top.evidence))

    def deadlocks(self, per_minute: float) -> Seen:
        """Return whether deadlocks come this often, by printed deadlocks and lines of logs."""
        return storms.deadlocks(self, per_minute)

    def old_transaction(self, seconds: float) -> Seen:
        """Count transactions that are open for so long, other than those that wait for a lock."""
        frame = self.during("transaction")
        if frame is None:
            return NO_DATA
        test = (pl.col("active_s") >= seconds) & ~pl.col("lock_wait").fill_null(False)
        matches = frame.filter(test.fill_null(False))
        if matches.is_empty():
            return Seen(False)
        top = _peak(matches)
        oldest = matches.filter(pl.col("active_s") == matches["active_s"].max()).row(0, named=True)
        session = oldest["session_id"]
        whose = oldest["trx_id"] if session is None else f"of session {session}"
        text = f"transaction {whose} is open for {number(oldest['active_s'])} s"
        if top["n"] > 1:
            text = f"{grouped(top['n'])} old transactions, of which {text}"
        share = matches.height / frame.height
        return Seen(True, top["n"], share, text, (self.lines(oldest, text),))

    def trend(self, series: list[str] | str) -> Seen:
        """Return whether one of these series grows steadily, from before the stall to its end."""
        return storms.trend(self, listed(series))

    # ---- questions: the worst moment

    def passed_on(self, kind: str) -> Seen:
        """Tell whether sessions get one resource of a kind one after another, while others wait."""
        if self.blocked is None or not self.blocked.roots:
            return NO_DATA
        root = next(
            (each for each in self.blocked.roots if each.kind == kind and each.rotates), None
        )
        if root is None:
            seen = self.record_counts
            moments = seen["status dumps"] + seen["processlists"] + seen["stack samples"]
            return Seen(False) if moments > 1 else NO_DATA  # one moment shows no turns
        many = words.count(root.behind, "session waits", "sessions wait")
        text = f"{many} for {the(root.name)}, which one after another gets"
        return Seen(True, root.behind, root.share, text, tuple(root.evidence[:1]))

    def wait(self, kind: str, holder: str | None, sure: float | None = None) -> Seen:
        """Count the sessions that wait for one kind of resource, joined over all layers.

        holder: an expression that what is known of the holder must match. sure: the least
        confidence that it holds it.
        """
        if not self.worst.waiting and self.during("snapshot") is None:
            unnamed = holder is None and sure is None
            return event_load.kind(self, kind) if unnamed else NO_DATA
        queue = self.queues.get(kind)
        if queue is None:
            if kind != "metadata_lock" or not self._only_grants:
                return Seen(False)
            unnamed = holder is None and sure is None
            return granted_locks.change_in_use(self) if unnamed else NO_DATA
        many = words.count(queue.waiters, "session waits", "sessions wait")
        text = f"{many} for {the(queue.label)}"
        if queue.longest is not None and queue.longest >= 1:
            text += f", for up to {number(queue.longest)} s"
        if holder is not None or sure is not None:
            if queue.holder is None or queue.sure < (sure or 0.0):
                return Seen(False)
            known = worst_moment.text_of(queue.holder)
            if not expressions.occurs(holder or "", known[:_QUERY_LENGTH]):
                return Seen(False)
            last = queue.holder
            if holder is None and queue.root is not None and queue.root_sure >= (sure or 0.0):
                last = queue.root  # the one before it only waits first in line
            verb = "holds" if queue.sure >= _SURE else "may hold"
            held = f"{worst_moment.describe_holder(last)} {verb} it"
            text = f"{text}; {held}" if holder is not None else held
        evidence = tuple(
            locator if locator.text else msgspec.structs.replace(locator, text=text)
            for locator in queue.evidence[:1]
        )
        return Seen(True, queue.waiters, queue.share, text, evidence, longest=queue.longest)

    @property
    def _only_grants(self) -> bool:
        """Whether MariaDB's list of metadata locks, which has no requests, is all there is."""
        frame = self.during("metadata_lock")
        if frame is None or any(map(self._has, ("session", "stack", "event_wait"))):
            return False
        return frame["ps_thread_id"].null_count() == frame.height

    def _has(self, kind: str) -> bool:
        return self.during(kind) is not None

    def main(self, pattern: str) -> Seen:
        """Check what InnoDB's main thread does, as status dumps print it."""
        frame = self.during("snapshot")
        frame = None if frame is None else frame.filter(pl.col("main_thread").is_not_null())
        if frame is None or frame.is_empty():
            return NO_DATA
        matches = Texts(frame, "main_thread").matching(pattern)
        if matches is None:
            return Seen(False)
        row = matches.row(0, named=True)
        text = f"the main thread is '{words.clip(row['main_thread'], _USUAL_LENGTH)}'"
        where = (self.lines(row, text),)
        return Seen(True, matches.height, matches.height / frame.height, text, where)

    def locked(self, places: Sequence[str]) -> Seen:
        """Count latch waits whose latch was last write-locked at one of these places."""
        if self._semaphores is None:
            return self._no_waits
        test = self._at(places, "last_write_file", "last_write_line", None)
        return self._waits(test, f"wait for a latch last write-locked {_where(places)}")

    # ---- parts

    @cached_property
    def _session_states(self) -> Texts | None:
        frame = self.during("session")
        if frame is None:
            return self._counted_states
        named = _prints(frame, "state")
        rows = _active(frame, "command", "state")
        return Texts(rows, "state", "time_s", named, _expressions("state"))

    @cached_property
    def _replicating_states(self) -> Texts | None:
        listed = self._session_states
        if listed is None or not {"user", "command"} <= set(listed.frame.columns):
            return None
        columns = ["user", "command", "state"]
        kinds = listed.frame.select(columns).unique()
        applies = [listed_times.is_replication(*row) for row in kinds.iter_rows()]
        frame = listed.frame.join(kinds.filter(applies), on=columns, how="semi", nulls_equal=True)
        if (lists := self.during("session")) is not None and not frame.is_empty():
            frame = frame.with_columns(listed_times.stood(frame, lists).alias("time_s"))
        return Texts(frame, "state", "time_s", listed.is_named, _expressions("state"))

    @cached_property
    def _counted_states(self) -> Texts | None:
        """Return sessions that are only counted by their State, as one row each."""
        frame = self.context.evidence.frame("sample")
        if frame is None:
            return None
        test = (pl.col("series") == _STATE_SERIES) & (pl.col("value") >= 1)
        if self._stall is not None:
            test &= self._stall.holds()
        frame = frame.filter(test.fill_null(False))
        if frame.is_empty():
            return None
        many = pl.col("value").clip(0, _MOST_COUNTED).cast(pl.Int64)
        state = pl.col("labels").cast(pl.String).str.strip_prefix("state=")
        rows = frame.select(
            "artifact",
            pl.lit(None, pl.Int64).alias("snapshot"),
            "time",
            "line_first",
            pl.col("line_first").alias("line_last"),
            state.alias("state"),
            many.alias("many"),
        )
        rows = rows.select(pl.exclude("many").repeat_by("many").explode())
        rows = _active(rows, None, "state")
        return Texts(rows, "state", expressions=_expressions("state"))

    @cached_property
    def _thread_states(self) -> Texts | None:
        frame = self.during("transaction")
        if frame is None:
            return None
        named = _prints(frame, "thread_state")
        rows = _active(frame, None, "thread_state")
        return Texts(rows, "thread_state", None, named, _expressions("state"))

    @cached_property
    def _users(self) -> Texts | None:
        frame = self.during("session")
        if frame is None:
            return None
        named = _prints(frame, "user")
        local = (pl.col("client_host") == "localhost") & (pl.col("user") == _LOGS_IN)
        frame = _active(frame, "command", "state").with_columns(
            pl.when(local).then(pl.lit(f"{_LOGS_IN} of the socket")).otherwise("user").alias("user")
        )
        return Texts(frame, "user", None, named, _expressions("user"))

    @cached_property
    def _commands(self) -> Texts | None:
        frame = self.during("session")
        if frame is None:
            return None
        named = _prints(frame, "command")
        return Texts(frame, "command", "time_s", named, _expressions("command"))

    @cached_property
    def _transactions(self) -> Texts | None:
        frame = self.during("transaction")
        if frame is None:
            return None
        frame = frame.filter(~_RESTS)
        parts = [pl.col(name).fill_null("") for name in ("state", "operation")]
        parts.append(pl.when(_HAS_NO_SESSION).then(pl.lit("without a session")))
        many = pl.col("undo_entries") >= _VERY_MANY
        parts.append(pl.when(many).then(pl.lit("with very many changes")))
        parts.append(
            pl.when(_SEARCHES).then(pl.lit("of an applier that locks very many rows to change few"))
        )
        text = pl.concat_str(parts, separator=" ", ignore_nulls=True)
        frame = frame.with_columns(text.alias("what"))
        return Texts(frame, "what", "active_s", expressions=_expressions("transaction"))

    @cached_property
    def _locks(self) -> Texts | None:
        frame = self._lock_waits
        if frame is None:
            return None
        parts = [pl.col(name).fill_null("") for name in ("waits_kind", "waits_mode", "waits_table")]
        frame = frame.with_columns(pl.concat_str(parts, separator=" ").alias("what"))
        return Texts(frame, "what", "wait_s", expressions=_expressions("lock"))

    @cached_property
    def _statements(self) -> Texts | None:
        """Running statements in processlists or, without one, in transactions."""
        for kind, age in (("session", "time_s"), ("transaction", "active_s")):
            frame = self.during(kind)
            if frame is None or not frame["query"].drop_nulls().len():
                continue
            frame = frame.filter(pl.col("query").is_not_null())
            frame = frame.with_columns(pl.col("query").str.slice(0, _QUERY_LENGTH))
            return Texts(frame, "query", age, expressions=_expressions("query"))
        return None

    @cached_property
    def _log_lines(self) -> Texts | None:
        frame = self.context.evidence.frame("event")
        if frame is None:
            return None
        lines = frame.filter(pl.col("kind") != "clock")
        return Texts(lines, "message", expressions=_expressions("log"))

    @cached_property
    def _semaphores(self) -> pl.DataFrame | None:
        return moment_graph.semaphores(self.context.evidence, self._stall, self.context.server)

    def _at(self, places: Sequence[str], file: str, line: str, mode: str | None) -> pl.Expr:
        """Test for places of the source; a name without a dot is a function."""
        functions = frozenset(place for place in places if "." not in place)
        test = _at_places(tuple(place for place in places if "." in place), file, line)
        if not functions or self._semaphores is None:
            return test
        columns = [file, line, *([mode] if mode else [])]
        server = self.context.server
        inside = [
            row
            for row in self._semaphores.select(columns).drop_nulls().unique().iter_rows()
            if function_at(*row[:2], family=server.family, numbers=server.numbers,
                           mode=row[2] if mode else "X") in functions
        ]  # fmt: skip
        for row in inside:
            test |= pl.all_horizontal(
                pl.col(column) == value for column, value in zip(columns, row, strict=True)
            )
        return test.fill_null(False)

    @cached_property
    def _dumps(self) -> int:
        return self.record_counts["status dumps"]

    @cached_property
    def _latches_waited_for(self) -> frozenset[str]:
        frame = self._semaphores
        return frozenset() if frame is None else frozenset(frame["latch"].drop_nulls().unique())

    def _latch_waits(self, ids: Sequence[str]) -> Seen:
        frame = self._semaphores
        if frame is None:
            return self._no_waits
        if self._latches_waited_for.isdisjoint(ids):
            # what nothing identifies may be any of them
            unknown = frame["latch"].null_count()
            return NO_DATA if latch_counts.may_be_any(unknown, frame.height) else Seen(False)
        named = [name for name in ids if name in self._latches_waited_for]
        return self._waits(
            pl.col("latch").is_in(ids), f"wait for the {words.latches(named or ids)}"
        )

    @property
    def _no_waits(self) -> Seen:
        """The answer of records that list no wait for a latch."""
        return Seen(False) if self._dumps else NO_DATA

    def _waits(self, test: pl.Expr, what: str) -> Seen:
        frame = self._semaphores
        if frame is None:
            return self._no_waits
        matches = frame.filter(test)
        if matches.is_empty():
            return Seen(False)
        moments = (
            matches.group_by("artifact", "snapshot", maintain_order=True)
            .agg(
                pl.len().alias("n"),
                pl.col("time").first(),
                *_LINES_OF,
            )
            .sort("n", "time", descending=[True, False], nulls_last=True, maintain_order=True)
        )
        top = moments.row(0, named=True)
        share = matches.height / frame.height
        dumps = (moments.height, max(self._dumps, moments.height))
        text = f"{words.threads(top['n'], what)} {self._listed_in(top)} "
        text += f"({words.share(share)} of the latch waits"
        of = f"status dumps{' of the stall' if self._stall else ''}"
        in_dumps = dumps[1] > 1 and top["snapshot"] is not None
        text += f", in {dumps[0]} of {dumps[1]} {of})" if in_dumps else ")"
        longest = _longest(matches, "waited_s")
        return Seen(True, top["n"], share, text, (self.lines(top, text),), dumps, longest)

    def _listed_in(self, moment: dict[str, Any]) -> str:
        """Name what lists the waits of a moment: a dump, or a log that reports them alone."""
        if moment["snapshot"] is not None:
            return "in one status dump"
        return "in the error log" if moment["artifact"] in self._logs else "in one list"

    @cached_property
    def _logs(self) -> frozenset[str]:
        """The artifacts with log lines."""
        frame = self.context.evidence.frame("event")
        return frozenset() if frame is None else frozenset(frame["artifact"].unique())

    def _most(
        self,
        listed: Texts,
        pattern: str,
        what: Callable[[dict[str, Any], str], str],
        lasting: float | None = None,
        *,
        age: bool = True,
    ) -> Seen:
        """Find the moment with the most rows whose text matches.

        ``what`` makes the text from the moment and the usual value. age: name how long the
        oldest of them has lasted.
        """
        matches = listed.matching(pattern, lasting)
        if matches is None:
            return Seen(False)
        top = _peak(matches)
        usual = str(matches[listed.column].mode().sort()[0])
        text = what(top | {"alike": _alike(matches, top, listed.column, usual)}, usual)
        longest = _longest(matches, listed.age) if age and listed.age else None
        if longest is not None and longest >= 1:
            text += f", for up to {number(longest)} s"
        share = matches.height / listed.frame.height
        return Seen(True, top["n"], share, text, (self.lines(top, text),), longest=longest)


def _alike(matches: pl.DataFrame, top: dict[str, Any], column: str, usual: str) -> int:
    """Count the rows of a moment that have the usual text itself."""
    moment = pl.all_horizontal(
        pl.col(key).eq_missing(top[key]) for key in ("artifact", "snapshot", "time")
    )
    return matches.filter(moment & (pl.col(column).fill_null("") == usual)).height


def _sessions_in(top: dict[str, Any], usual: str) -> str:
    """Count sessions by State: of what is named, or 'and similar States'."""
    similar = " and similar States" if top["alike"] < top["n"] else ""
    states = _usual(top, usual).removesuffix(" at once")
    at_once = " at once" if top["n"] > 1 else ""
    return f"{words.count(top['n'], 'session', 'sessions')} in {states}{similar}{at_once}"


def _sessions_of(top: dict[str, Any], usual: str) -> str:
    return f"{words.count(top['n'], 'session', 'sessions')} of user {_usual(top, usual)}"


def _created(label: str) -> str:
    """Name a latch by its place: 'created at buf0buf.cc:1021'."""
    return label.replace("created ", "created at ", 1)


def _sessions_with(top: dict[str, Any], usual: str) -> str:
    return f"{words.count(top['n'], 'session', 'sessions')} with Command {_usual(top, usual)}"


def _transactions_wait(top: dict[str, Any], usual: str) -> str:
    many = words.count(top["n"], "transaction waits", "transactions wait")
    return f"{many} for the lock {_usual(top, usual)}"


def _usual(top: dict[str, Any], usual: str) -> str:
    """Quote the usual value: "'Sending data' at once"."""
    at_once = " at once" if top["n"] > 1 else ""
    return f"'{words.clip(usual, _USUAL_LENGTH)}'{at_once}"


def _statements_like(top: dict[str, Any], usual: str) -> str:
    return f"{words.count(top['n'], 'statement', 'statements')} like {_usual(top, usual)}"


def _transactions_in(top: dict[str, Any], usual: str) -> str:
    return f"{words.count(top['n'], 'transaction', 'transactions')} in {_usual(top, usual)}"


def _at(top: dict[str, Any]) -> str:
    return f" at {clock_text(top['time'])}" if top["time"] is not None else ""


def _prints(frame: pl.DataFrame, column: str) -> bool:
    """Return whether any record prints a column: one that a list leaves out shows nothing."""
    return frame[column].null_count() < frame.height


def _active(frame: pl.DataFrame, command: str | None, state: str) -> pl.DataFrame:
    """Keep the rows of sessions that work or wait inside the server, by the knowledge of States."""
    columns = [name for name in (command, state) if name]
    known = knowledge()
    idle = []
    for row in frame.select(columns).unique().iter_rows(named=True):
        meaning = known.state_for(row[command] if command else None, row[state])
        quiet = meaning is not None and meaning.category == "idle"
        if quiet or (command is None and not row[state]):
            idle.append(row)
    if not idle:
        return frame
    gone = pl.DataFrame(idle, schema=dict.fromkeys(columns, pl.String))
    return frame.join(gone, on=columns, how="anti", nulls_equal=True)


def _peak(frame: pl.DataFrame, *columns: str) -> dict[str, Any]:
    """Find the moment (and value of ``columns``) with the most rows (``n``), earliest on ties."""
    keys = ("artifact", "snapshot", "time", *columns)
    moments = frame.group_by(*keys, maintain_order=True).agg(pl.len().alias("n"), *_LINES_OF)
    ordered = moments.sort("n", "time", descending=[True, False], maintain_order=True)
    return ordered.row(0, named=True)


"""Functions that only carry out a wait: of libc, and the locks' own."""


def _longest(frame: pl.DataFrame, column: str) -> float | None:
    value = frame[column].max()
    return float(value) if isinstance(value, int | float) else None


@lru_cache(maxsize=1024)
def _at_places(places: tuple[str, ...], file_column: str, line_column: str) -> pl.Expr:
    expressions = []
    for place in places:
        file, _, lines = place.partition(":")
        test: pl.Expr = pl.col(file_column).fill_null("").str.contains(_glob(file))
        if lines:
            first, _, last = lines.partition("-")
            test &= pl.col(line_column).is_between(int(first), int(last or first))
        expressions.append(test)
    return pl.any_horizontal(expressions) if expressions else pl.lit(False)


def _where(places: Sequence[str]) -> str:
    """Say at which places, or in which functions: 'at fts0fts.* or in buf_wait_for_read'."""
    return " or ".join(f"{'at' if '.' in place else 'in'} {place}" for place in places)


def _glob(file: str) -> str:
    return "(^|/)" + re.escape(file).replace(r"\*", "[^/]*") + "$"


def _named(groups: Sequence[StackGroup], wanted: Container[str]) -> str:
    """Name the functions in which most are: 'fsync', 'compact_zone or migrate_pages'."""
    counts: defaultdict[str, float] = defaultdict(float)
    for group in groups:
        name = next((name for name in group.names if function_key(name) in wanted), group.names[0])
        counts[name] += group.threads
    most = sorted(counts, key=lambda name: (-counts[name], name))[:_NAMED]
    return " or ".join([", ".join(most[:-1]), most[-1]] if len(most) > 1 else most)


def _amount(group: StackGroup, most: int, doing: str) -> str:
    """Write how many threads, or how much of a profile, do something."""
    return (words.profile if group.profiled else words.threads)(most, doing)


def _expressions(kind: str) -> tuple[str, ...]:
    return knowledge().expressions.get(kind, ())


def _most_at_once(matches: Iterable[StackGroup]) -> int:
    """Count the threads, or per cent, of these groups in the sample that has most of them."""
    at_once: defaultdict[tuple[str, int | None], float] = defaultdict(float)
    for group in matches:
        for key, threads in group.per_sample.items():
            at_once[key] += threads
    return max(1, round(max(at_once.values())))


__all__ = ["NO_DATA", "LockQueue", "Observed", "Seen"]
