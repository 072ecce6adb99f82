"""Rule for transactions that wait for a row lock, and the transaction that holds it."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import polars as pl

from pileup.analysis.evidence.series import short_name
from pileup.analysis.evidence.statements import LOCKS_ROWS, tables_of
from pileup.analysis.findings import event_load
from pileup.analysis.findings.observed import Observed, Seen
from pileup.analysis.findings.rules import Match, Rule, count, having_any
from pileup.analysis.findings.strength import Patience, age, strength
from pileup.analysis.findings.worst_moment import Queue, describe_holder
from pileup.knowledge import wait_classes
from pileup.numerals import grouped, number

_MANY = 50
_KNOWN = 0.9
"""Certainty from which on the holder of the locks is a fact."""


def hot_row(observed: Observed) -> Match | None:
    """Match transactions that wait for row locks, however few (hot-row)."""
    queue = observed.lock_queue
    if (queue.mode or "").startswith("AUTO-INC"):
        return None
    at_worst = observed.queues.get("row_lock")
    waits = _waits(observed, queue.waiters, at_worst)
    if waits is None:
        found = _by_processlist(observed) or _by_counter(observed)
        found = found or _by_list_of_locks(observed)
        return found or _by_log(observed) or _by_slow_log(observed)
    grade = strength(waits.most, queue.of_active, waits.longest)
    idle = _idle_holder(observed)
    holder = at_worst.holder if at_worst else None
    named = at_worst.sure if at_worst and holder else 0.0
    score = (
        grade * (0.5 + 0.2 * min(1.0, waits.share / 0.5))
        + 0.12 * grade * min(1.0, waits.most / _MANY)
        + 0.12 * grade * max(named, float(idle > 0 or (holder is not None and holder.is_idle)))
    )
    why = _why(waits, queue.table, at_worst, idle)
    if _by_stacks_alone(observed) and waits.share < _MOSTLY:
        score = min(score, _EVEN_BET)
    everyone = max(waits.most, at_worst.waiters if at_worst else 0)
    against: tuple[str, ...] = ()
    if _by_stacks_alone(observed) and (undo := observed.stack(_ROLLS_BACK, [], False)).holds:
        score = min(score, _EVEN_BET)
        against = (f"They may wait for a transaction that rolls back: {undo.text}.",)
    if (latched := observed.latch_waiters) > _LATCHED * everyone:
        score = min(score, _EVEN_BET)
        against += (f"{count(latched, 'thread waits', 'threads wait')} for latches instead.",)
    away = max(observed.wait(kind, None, None).most for kind in _REPLIES)
    if away > _AWAY * everyone:
        score = min(score, _EVEN_BET)
        against += (f"{count(away, 'session waits', 'sessions wait')} for other servers instead.",)
    if (waits.longest or 0.0) < _ENDED_S and (storm := _deadlocks(observed)):
        score = min(score, _EVEN_BET)
        against += (f"No wait lasts for long, as deadlocks end them: {storm}.",)
    score = round(min(0.97, score), 3)
    return Match("hot-row", score, why, waits.evidence, against, waiters=everyone)


_MOSTLY, _EVEN_BET = 0.5, 0.5
"""Stacks name no row and no holder: where most threads wait for something else, an even bet."""
_STORM, _ENDED_S = 6.0, 5.0
"""Deadlocks per minute that are a storm; where no wait lasts for so many seconds, they end them."""
_LATCHED = 3
"""Times as many threads that wait for latches: row locks are held for long because of these."""


_REPLIES, _AWAY = ("queue:galera", "queue:semisync"), 2
"""Times as many that wait for the reply of other servers: they keep their rows meanwhile."""


def _deadlocks(observed: Observed) -> str:
    """Say how many deadlocks there are, if many: by what is printed, or by the server's counter."""
    if (storm := observed.deadlocks(_STORM)).holds:
        return storm.text
    counted = [level for level in observed.levels_named(_COUNTED_DEADLOCKS) if not level.labels]
    per_s = max((level.inside or 0.0 for level in counted), default=0.0)
    return f"{number(per_s)} per second" if per_s >= _STORM_PER_S else ""


_COUNTED_DEADLOCKS = ("innodb_deadlocks", "lock_deadlocks")
_STORM_PER_S = 2.0
"""Deadlocks per second by a counter that are a storm, as the knowledge has it."""


def _by_stacks_alone(observed: Observed) -> bool:
    return observed.during("transaction") is None and observed.during("lock_wait") is None


_ROLLS_BACK = ["row_undo_step", "row_undo", "trx_rollback_active", "trx_rollback_recovered"]
_FOR_A_LOCK = having_any("lock_wait_suspend_thread", "row_mysql_handle_errors")
_FOR_A_TABLE = having_any("row_lock_table_autoinc_for_mysql", "row_lock_table_for_mysql")


def _waits(observed: Observed, listed: Seen, at_worst: Queue | None) -> Seen | None:
    """Return the waits for row locks, by the dumps and lock tables, else by the stacks."""
    if listed.holds:
        return listed
    if at_worst is not None:
        return Seen(
            True,
            at_worst.waiters,
            at_worst.share,
            evidence=at_worst.evidence,
            longest=at_worst.longest,
        )
    by_stack = observed.threads(_waits_for_a_row, "wait for a row lock")
    if by_stack.holds:
        return by_stack
    loaded = event_load.kind(observed, "row_lock")
    return loaded if loaded.holds else None


def _waits_for_a_row(stack: Sequence[str]) -> bool:
    """Return whether a thread's innermost wait is for a row, not for a latch on the way there."""
    if not _FOR_A_LOCK(stack) or _FOR_A_TABLE(stack):
        return False
    return wait_classes.of_stack(tuple(stack)) != wait_classes.LATCH


def _why(waits: Seen, table: str | None, at_worst: Queue | None, idle: float) -> str:
    lasted = f", for up to {waits.longest:.0f} s" if waits.longest else ""
    on = f" on {table}" if table else ""
    many = count(waits.most, "transaction waits", "transactions wait at once")
    why = f"{many} for a row lock{on}{lasted}."
    if at_worst and at_worst.holder:
        may = "is held by" if at_worst.sure >= _KNOWN else "may be held by"
        why += f" It {may} {describe_holder(at_worst.holder)}."
    elif idle:
        why += (
            f" A transaction with undo and row locks has been idle for up to {idle:.0f} s: "
            "it holds what they wait for."
        )
    return why


_UPDATING = r"(?i)^(updating|update|searching rows for update|updating reference tables|end)$"
LOCKS_IN_PLAN = pl.col("state").fill_null("").str.contains(r"(?i)^statistics$") & pl.col(
    "query"
).fill_null("").str.contains(LOCKS_ROWS)
"""A read by a unique key reads its row while it is planned: one that locks it may wait there."""
_LASTING_S = 2.0
"""A change of rows that takes longer may wait for one of them."""
_BY_STATE, _SAME_ROW, _COUNTED = 0.3, 0.2, 0.25
"""Weights of sessions that change one table and do not get on: a list shows no row lock, so this
stays at an even bet where they name one row, and is only seen where they name different ones,
unless a counter shows such waits. All that makes changes slow looks the same in a list."""
_ALONE_S = 10.0
"""From here on a change tells by itself: a single one may as well read many rows."""
_NONE_COUNTED = 0.5
"""Factor where the counter of row lock waits stayed at zero; near 1 where it counts all of them."""
_CURRENT_WAITS = ("innodb_row_lock_current_waits", "lock_row_lock_current_waits")
_INSERTS = re.compile(r"(?is)\s*(?:insert|replace)\b(?:(?!\bselect\b).){1,400}\bvalues?\b")
"""It reads no rows: one that takes long waits."""
_CONDITION = re.compile(r"(?is).*\bwhere\b(.*)")


def _by_processlist(observed: Observed) -> Match | None:
    """Match several sessions that have changed one table for seconds, where only a list shows."""
    frame = observed.during("session")
    if frame is None or observed.during("transaction") is not None:
        return None
    changing = frame.filter(
        (pl.col("state").fill_null("").str.contains(_UPDATING) | LOCKS_IN_PLAN)
        & pl.col("query").is_not_null()
        & (pl.col("time_s").fill_null(0.0) >= _LASTING_S)
    )
    tables: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in changing.head(_ROWS).iter_rows(named=True):
        for table in tables_of(row["query"]):
            tables[table].append(row)
    if not tables:
        return None
    table, rows = max(tables.items(), key=lambda item: (len(item[1]), item[0]))
    most = _at_once(rows)
    longest = max(row["time_s"] for row in rows)
    if most < 2 and longest < _ALONE_S:
        return None  # a change that takes long, alone
    running = frame.filter(pl.col("query").is_not_null() & (pl.col("command") != "Sleep")).height
    counted = [level for level in observed.levels_named(_CURRENT_WAITS) if not level.labels]
    peak = max((level.peak for level in counted), default=0.0)
    shown = min(1.0, peak / most)
    score = _BY_STATE + _SAME_ROW * _of_one_row(rows, most) + _COUNTED * shown
    score *= strength(most, len(rows) / max(1, running), longest)
    why = (
        f"{count(most, 'session has', 'sessions have')} been changing rows of {table} for up to "
        f"{longest:.0f} s. A processlist shows no row locks: they may wait for one."
    )
    against: tuple[str, ...] = ()
    if counted and shown < _MOSTLY:
        name = short_name(counted[0].series)
        who = (
            f"is {number(peak)} at most: few of them wait"
            if peak
            else "stays at zero: nobody waits"
        )
        against += (f"{name} {who} for a row.",)
        score *= _NONE_COUNTED + (1 - _NONE_COUNTED) * shown
    if not _of_one_row(rows, most) and longest >= past_lock_waits(observed):
        against += ("A wait for one row ends much sooner (innodb_lock_wait_timeout).",)
        score *= _PAST_LOCK_WAITS_FACTOR
    if committing := _commits(frame, table, longest):
        against += (committing,)
        score *= _BEHIND_A_COMMIT
    if shown < _MOSTLY and (latched := _in_latches(observed)):
        against += (f"{count(latched, 'thread waits', 'threads wait')} for latches instead.",)
        score *= most / (most + latched)
    where = (observed.lines(rows[0], why),)
    return Match("hot-row", round(score, 3), why, where, against, waiters=most)


_LOCK_WAIT_S, _LOCK_WAITS = 50.0, 3
"""The default of innodb_lock_wait_timeout; a single change that has run for so many times as long
does not wait for one row, but for many in turn, or it reads and changes them."""
_PAST_LOCK_WAITS_FACTOR = 0.5


def past_lock_waits(observed: Observed) -> float:
    """Return the age in seconds from which on a single change does not wait for one row lock."""
    setting = observed.context.setting("innodb_lock_wait_timeout") or ""
    timeout = float(setting) if setting.strip().isdecimal() else _LOCK_WAIT_S
    return _LOCK_WAITS * timeout


_BEHIND_A_COMMIT = 0.5
"""Factor where an older change of the table waits in its commit: what delays that is the cause."""
_IN_COMMIT = frozenset({"replication", "commit_queue", "log_flush", "global_lock", "redo_space"})


def _commits(frame: pl.DataFrame, table: str, longest: float) -> str:
    """Describe an older change of a table that waits in its commit, and so holds its rows."""
    older = frame.filter(pl.col("query").is_not_null() & (pl.col("time_s") > longest))
    for row in (
        older.sort("time_s", descending=True, maintain_order=True).head(_ROWS).iter_rows(named=True)
    ):
        of_state = wait_classes.of_state(row["command"], row["state"])
        if of_state in _IN_COMMIT and table in tables_of(row["query"]):
            return (
                f"Session {row['session_id']} has changed {table} before and waits in "
                f"'{row['state']}': it holds its rows until that ends."
            )
    return ""


def _by_counter(observed: Observed) -> Match | None:
    """Match a stall in which a counter says how many wait for rows, and no record shows who."""
    if any(observed.during(kind) is not None for kind in ("transaction", "lock_wait", "session")):
        return None
    waits = [level for level in observed.levels_named(_CURRENT_WAITS) if level.inside]
    running = observed.level("threads_running", "threads_running_avg", "active_sessions")
    level = max(waits, key=lambda level: level.inside or 0.0, default=None)
    if level is None or level.inside is None or running == 0:
        return None
    most = round(level.inside)
    share = min(1.0, level.inside / running) if running else _SHARE_UNKNOWN
    if share < _SHARE_COUNTED or (not running and most < _CROWD):
        return None
    of = f", of {running:.0f} running" if running else ""
    why = (
        f"{short_name(level.series)} was {most}{of}: they wait for row locks. No list shows who "
        "holds them."
    )
    score = round(_EVEN_BET * share * strength(most, share), 3)
    return Match("hot-row", score, why, (observed.series(level, why),), waiters=most)


_SHARE_UNKNOWN, _CROWD = 0.5, 5
"""Share where nothing shows how many run, and the least that are a crowd then."""
_SHARE_COUNTED = 0.3
"""Least share of the running sessions that a counter says wait for rows: fewer are victims too."""


def _by_list_of_locks(observed: Observed) -> Match | None:
    """Match locks of one record whose modes exclude each other, in a list that names no waiter.

    INNODB_LOCKS lists what is requested and what blocks it: they cannot all be granted.
    """
    frame = observed.during("trx_lock")
    if frame is None or frame["waiting"].any():
        return None
    record = ["artifact", "snapshot", "table", "index", "space", "page", "heap"]
    on_rows = frame.filter(
        (pl.col("lock_kind") == "record")
        & pl.col("heap").is_not_null()
        & ~pl.col("mode").str.contains("GAP")
    )
    taken = on_rows.group_by(record, maintain_order=True).agg(
        pl.col("trx_id").unique(maintain_order=True),
        pl.col("mode").str.contains("^X").any().alias("excludes"),
        pl.col("lock_data").first(),
        pl.col("line_first").min(),
        pl.col("line_last").max(),
    )
    row, transactions = None, 0
    for each in taken.iter_rows(named=True):
        if each["excludes"] and each["trx_id"][1:] and len(each["trx_id"]) > transactions:
            row, transactions = each, len(each["trx_id"])
    if row is None:
        return None
    most = transactions - 1
    key = f" ({row['lock_data']})" if row["lock_data"] else ""
    why = (
        f"{transactions} transactions hold or request locks of one row of {row['table']}{key} in "
        "modes that exclude each other: not all of them are granted."
    )
    score = _LISTED + _LISTED_BY_ALL * min(1.0, most / _CROWD)
    return Match("hot-row", round(score, 3), why, (observed.lines(row, why),), waiters=most)


_LISTED, _LISTED_BY_ALL = 0.3, 0.15
"""Weights of locks that exclude each other, in a list that does not show for how long they do."""


def _by_log(observed: Observed) -> Match | None:
    """Match lock waits that timed out, where only a log or a client reports them."""
    logged = observed.log(_TIMED_OUT)
    if not logged.holds:
        return None
    score = 0.3 + 0.15 * min(1.0, logged.most / 3)
    why = f"Waits for a row lock timed out: {logged.text}."
    return Match("hot-row", round(score, 3), why, logged.evidence)


def _by_slow_log(observed: Observed) -> Match | None:
    """Match statements that waited for locks most of the time, where only a slow log shows it."""
    changes = observed.lock_time("changes")
    if not changes.holds:
        return None
    grade = strength(changes.most, changes.share, changes.longest)
    score, against = _LOCK_TIME * grade, list[str]()
    if (reads := observed.lock_time("reads")).holds:
        score *= changes.share
        against.append(f"Plain reads wait for no row: {reads.text}.")
    why = f"{changes.text}. The log does not say for which: a row's, most likely."
    why = why[0].upper() + why[1:]
    return Match("hot-row", round(score, 3), why, changes.evidence, tuple(against), changes.most)


_LOCK_TIME = 0.45
"""Of statements whose Lock_time is most of their time: it may be a table's or a metadata lock."""
_TIMED_OUT = r"(?i)lock wait timeout (exceeded|info)|(?:\b|_)errno\W{1,4}1205\b"


def _at_once(rows: Sequence[dict[str, Any]]) -> int:
    """Return the most sessions in one sample."""
    return max(Counter((row["artifact"], row["snapshot"], row["time"]) for row in rows).values())


def _of_one_row(rows: Sequence[dict[str, Any]], most: int) -> float:
    """Return which share of the sessions names the same rows: the same text after WHERE.

    A single session names few where it inserts what it lists.
    """
    if most == 1:
        return float(any(_INSERTS.match(row["query"]) for row in rows))
    named: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if condition := _CONDITION.match(row["query"]):
            named[" ".join(condition[1].split()).rstrip(" ;")].append(row)
    same = max((_at_once(group) for group in named.values()), default=0)
    return same / most if same > 1 else 0.0


def _in_latches(observed: Observed) -> int:
    """Return how many threads at once wait for latches, by SEMAPHORES or by the wait graph."""
    queue = observed.queues.get("latch")
    return max(observed.latch_waiters, queue.waiters if queue else 0)


_ROWS = 2000
"""Sessions whose statements are read."""
_IDLE_S = 3.0
"""A transaction without a statement for so long is idle."""


def _idle_holder(observed: Observed) -> float:
    """Return the longest idle time in seconds of a transaction with undo and locks."""
    frame = observed.during("transaction")
    if frame is None:
        return 0.0
    idle = frame.filter(
        ~pl.col("lock_wait")
        & pl.col("query").is_null()
        & (pl.col("row_locks").fill_null(0) > 0)
        & (pl.col("undo_entries").fill_null(0) > 0)
        & (pl.col("active_s").fill_null(0) >= _IDLE_S)
    )
    longest = idle["active_s"].max()
    return float(longest) if isinstance(longest, int | float) else 0.0


def large_transaction(observed: Observed) -> Match | None:
    """Match an open transaction with very many undo entries (large-transaction)."""
    frame = observed.during("transaction")
    if frame is None:
        return _too_large(observed)
    large = frame.filter(
        (pl.col("undo_entries").fill_null(0) >= _MANY_CHANGES)
        & ~pl.col("operation").fill_null("").str.contains(r"(?i)roll")
    )
    if large.is_empty():
        return _too_large(observed)
    largest = large.filter(pl.col("undo_entries") == large["undo_entries"].max())
    top = largest.row(0, named=True)
    changes, lasts = int(top["undo_entries"]), float(top["active_s"] or 0.0)
    whose = f"session {top['session_id']}" if top["session_id"] is not None else top["trx_id"]
    text = f"The transaction of {whose} has {grouped(changes)} undo entries" + (
        f" and is open for {number(lasts)} s" if lasts else ""
    )
    score = 0.25 + 0.15 * min(1.0, math.log10(changes / _MANY_CHANGES)) + 0.15 * age(lasts, _OPEN)
    return Match("large-transaction", round(score, 3), f"{text}.", (observed.lines(top, text),))


def _too_large(observed: Observed) -> Match | None:
    """Match log lines of a transaction that is larger than a limit allows."""
    logged = observed.log(_OVER_A_LIMIT)
    if not logged.holds:
        return None
    return Match("large-transaction", 0.45, f"{logged.text}.", logged.evidence)


_OVER_A_LIMIT = (
    r"(?i)transaction size limit \(?\d+\)? ?exceeded|transaction of size \d+ exceeds"
    r"|(maximum|max) ?(writeset|write-set|transaction) size .{0,20}exceeded"
    r"|required more than 'max_binlog_cache_size' bytes"
)
_MANY_CHANGES = 1_000_000
"""Undo entries that take minutes to roll back on any machine."""
_OPEN = Patience(60.0, 3600.0)
"""Seconds for which a transaction is open: long for many changes, and long by any measure."""
RULES: dict[str, Rule] = {"hot-row": hot_row, "large-transaction": large_transaction}
