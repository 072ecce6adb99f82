"""Rule for statements of one shape that run for long and wait for nothing (slow-statement).

Processlists show what runs. Without one, a slow log tells what ran at the same time: each entry
ends at its time and began its query time earlier.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from pileup.analysis.evidence.digests import digests
from pileup.analysis.evidence.levels import Level
from pileup.analysis.evidence.statements import tables_of, verb_of
from pileup.analysis.findings.level_words import change
from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.rules import Match, Rule, count, locks
from pileup.analysis.findings.slow_queries import at_once
from pileup.analysis.findings.strength import Patience, age
from pileup.formats.reading.series_columns import decimal
from pileup.knowledge import knowledge, wait_classes
from pileup.numerals import number
from pileup.sql_tokens import shapes

_SLOW = Patience(1.0, 300.0)
_COLLECTS_S = 30.0
"""A statement that looks at the server is slow from here on, however few rows it gives."""
"""A statement of this age is slow for what waits on it, or slow by any measure."""
_MEASURED = 0.08
"""What it adds that a log counted the rows that a statement read, by its age: a list of sessions
does not show whether a long report searches."""
_WASTED = 0.2
"""What it adds that several of one shape examined nearly all rows in vain."""
_ALIKE, _LEAST_ALIKE_S, _ALL_ALIKE = 2, 2.0, 0.2
"""Several of one shape and nothing else at work are seen from this age on, with this score."""
_MANY_ROWS, _ROWS_FOR_ONE = 100_000, 100
"""A statement searches that examines so many rows, and so many for each row of its result."""
_SOME_ROWS = 1_000
"""So many are enough of one that took longer than any statement should (``_SLOW.clear``)."""
_READ = ("Handler_read_rnd_next", "Handler_read_next", "Innodb_rows_read", "Rows_read")
_SOME_TIMES, _CLEARLY_TIMES = 5.0, 1000.0
"""Rows read per second tell something from so many times as many as before on, and all from there
on: a rise in load reads a few times as many."""
_MOST = 2000
"""Rows whose statements are compared."""
_SHOWN = 160
_DUMP = r"(?i)^\s*select\s*/\*!40001 SQL_NO_CACHE \*/"
"""A mysqldump reads whole tables by design, one after the other, with a statement for each."""
_PLANNED = "statistics"
"""A statement that has not begun: something keeps it from its plan."""
_WAITS = (
    r"(?i)\b(wait_for_executed_gtid_set|wait_until_sql_thread_after_gtids|master_gtid_wait"
    r"|(master|source)_pos_wait|get_lock|sleep)\s*\("
)
"""A statement that waits on purpose."""
_READS = r"(?i)^\s*(/\*.{0,200}?\*/\s*|\()*(select|with|call|execute)\b"
"""Statements that wait for no row lock where none is listed: a processlist does not show such."""
_CHANGES = r"(?i)^\s*(/\*.{0,200}?\*/\s*)*(update|delete|insert|replace)\b"
"""Statements that may wait for a row, for as long as InnoDB lets them."""


def slow_statement(observed: Observed) -> Match | None:
    """Match running statements that wait for nothing known, most of them of one shape."""
    frame = observed.during("session")
    of_log = _of_log(observed)
    if frame is not None:
        return _of_lists(observed, frame, of_log)
    if of_log is not None:
        return of_log.match
    return (
        _of_digests(observed)
        or _of_profile(observed)
        or _of_counts(observed)
        or _of_plans(observed)
    )


@dataclass(frozen=True, slots=True)
class _Logged:
    """What a slow log shows of the statements of one shape."""

    shape: str
    match: Match


def _of_lists(observed: Observed, frame: pl.DataFrame, of_log: _Logged | None) -> Match | None:
    past_locks = pl.col("time_s") >= locks.past_lock_waits(observed)
    running = frame.filter(
        pl.col("query").is_not_null()
        & (
            pl.col("query").str.contains(_READS)
            | (pl.col("query").str.contains(_CHANGES) & past_locks)
        )
        & ~pl.col("query").str.contains(_DUMP)
        & ~pl.col("query").str.contains(_WAITS)
        & ~locks.LOCKS_IN_PLAN
        & (pl.col("state").fill_null("").str.to_lowercase() != _PLANNED)
        & (pl.col("time_s").fill_null(0.0) >= _SLOW.usual)
    )
    running = running.filter(_at_work(running)).head(_MOST)
    if running.is_empty():
        return None
    shaped = running.with_columns(shapes(pl.col("query")).alias("shape"))
    of_shape = shaped["shape"].value_counts(sort=True).row(0)
    same = shaped.filter(pl.col("shape") == of_shape[0])
    moments = same.group_by("artifact", "snapshot", "time", maintain_order=True).len()
    most = int(moments["len"].max() or 0)  # type: ignore[arg-type]  # a count
    longest = float(same["time_s"].max() or 0.0)  # type: ignore[arg-type]
    waiting = _usually_waiting(observed)
    # where more wait for something else, that may be why these take long
    read = _rows_read(observed) if waiting <= most else None
    tells = max(age(longest, _SLOW), _tells(read))
    score = _score(most, longest, waiting, alone=same.height == running.height, tells=tells)
    many = count(most, "session runs", "sessions run")
    text = f"{many} statements like '{_shown(same)}', for up to {number(longest)} s"
    against = (
        (f"{count(waiting, 'session waits', 'sessions wait')} for something else.",)
        if waiting > most
        else ()
    )
    where = [observed.lines(same.row(0, named=True), text)]
    clauses = [text]
    if read is not None and _tells(read) > 0:
        clauses.append(change(read))
        where.append(observed.series(read, clauses[-1]))
    if of_log is not None and of_log.shape == of_shape[0]:
        score = 1 - (1 - score) * (1 - of_log.match.score)
        clauses.append(f"the slow log has {of_log.match.why.rstrip('.')}")
        where += of_log.match.evidence
    why = f"{'; '.join(clauses)}; they wait for no lock or latch that shows."
    return Match(
        "slow-statement", round(score, 3), why, tuple(where), against, statement=_statement(same)
    )


def _usually_waiting(observed: Observed) -> int:
    """Return how many sessions wait, on average over the stall: at a moment, far more may."""
    worst = observed.worst.waiting
    blocked = observed.blocked
    usual = None if blocked is None else blocked.usual_of(lambda member: member.waits)
    return worst if usual is None else min(worst, round(usual))


def _statement(same: pl.DataFrame) -> str:
    """Name statements of one shape by verb and table: 'SELECT on shop.orders'."""
    query = str(same.row(0, named=True)["query"])
    verb, tables = verb_of(query) or "", tables_of(query)
    return f"{verb} on {next(iter(tables))}" if verb and len(tables) == 1 else verb


def _rows_read(observed: Observed) -> Level | None:
    """Return the count of rows read per second that rose most with the stall."""
    levels = [
        level
        for level in observed.levels_named(_READ)
        if level.before is not None and level.inside is not None
    ]
    return max(levels, key=_times, default=None)


def _times(level: Level) -> float:
    """Return how many times as many rows were read as before; few of before count as one."""
    return (level.inside or 0.0) / max(1.0, level.before or 0.0)


def _tells(read: Level | None) -> float:
    """Return how much it tells that more rows were read: no wait for another reads rows."""
    times = _times(read) if read is not None else 0.0
    if read is None or times < _SOME_TIMES or (read.inside or 0.0) < _MANY_ROWS:
        return 0.0
    return min(1.0, math.log(times) / math.log(_CLEARLY_TIMES))


def _score(
    most: int, longest: float, waiting: int, *, alone: bool, tells: float | None = None
) -> float:
    """Return how much ``most`` statements of one shape at once tell.

    longest: age of the oldest, in seconds. alone: nothing else was at work. tells: how much shows
    that they work for long, 0 to 1; by default their age.
    """
    share = most / (most + waiting)
    tells = age(longest, _SLOW) if tells is None else tells
    score = tells * (0.3 + 0.35 * min(1.0, most / 5)) * min(1.0, share / 0.5)
    if alone and not waiting and most >= _ALIKE and longest >= _LEAST_ALIKE_S:
        score = max(score, _ALL_ALIKE)
    return score


def _shown(same: pl.DataFrame) -> str:
    return " ".join(str(same.row(0, named=True)["query"]).split())[:_SHOWN]


def _of_log(observed: Observed) -> _Logged | None:
    """Match statements of a slow log that read many rows for each that they return or change.

    What reads few rows and takes long was held up by something that the log does not show.
    """
    frame = observed.during("query")
    if frame is None:
        return None
    given = pl.col("rows_sent").fill_null(0) + pl.col("rows_affected").fill_null(0)
    slow = frame.filter(
        pl.col("query").is_not_null()
        & pl.col("time").is_not_null()
        & ~pl.col("administrator")
        & ~pl.col("query").str.contains(_DUMP)
        & (pl.col("query_time_s").fill_null(0.0) >= _SLOW.usual)
    ).head(_MOST)
    least = pl.when(pl.col("query_time_s") >= _SLOW.clear).then(_SOME_ROWS).otherwise(_MANY_ROWS)
    collecting = [text for text in slow["query"].unique() if wait_classes.is_collector(text)]
    searching = slow.filter(
        (
            (pl.col("rows_examined").fill_null(0) >= least)
            & (pl.col("rows_examined") >= _ROWS_FOR_ONE * (given + 1))
        )
        | (pl.col("query").is_in(collecting) & (pl.col("query_time_s") >= _COLLECTS_S))
    ).filter(pl.col("lock_time_s").fill_null(0.0) < pl.col("query_time_s") / 2)
    if searching.is_empty():
        return None
    shaped = searching.with_columns(shapes(pl.col("query")).alias("shape"))
    took = shaped.group_by("shape", maintain_order=True).agg(pl.col("query_time_s").sum())
    shape = took.sort("query_time_s", descending=True, maintain_order=True)["shape"][0]
    same = shaped.filter(pl.col("shape") == shape).sort(
        "query_time_s", descending=True, maintain_order=True
    )
    of_all = float(same["query_time_s"].sum()) / float(slow["query_time_s"].sum())
    most, longest = at_once(same), float(same["query_time_s"][0])
    alone = same.height == slow.height
    score = of_all * (
        _score(most, longest, _usually_waiting(observed), alone=alone)
        + _MEASURED * age(longest, _SLOW)
        + _WASTED * _wasted(same)
    )
    rows = number(float(same["rows_examined"].max() or 0))  # type: ignore[arg-type]  # a count
    together = f", {most} of them at once" if most > 1 else ""
    text = (
        f"{count(same.height, 'statement', 'statements')} like '{_shown(same)}'{together}, "
        f"for up to {number(longest)} s; one examined {rows} rows"
    )
    where = (observed.lines(same.row(0, named=True), text),)
    why = f"{text}."
    match = Match("slow-statement", round(score, 3), why, where, statement=_statement(same))
    return _Logged(shape, match)


def _wasted(same: pl.DataFrame) -> float:
    """Return how much tells what several statements of a shape examined for each row of a result.

    0 for a single one, which may be a report; 1 where each examined a million for every row.
    """
    if same.height == 1:
        return 0.0
    given = pl.col("rows_sent").fill_null(0) + pl.col("rows_affected").fill_null(0) + 1
    least = same.select((pl.col("rows_examined") / given).min()).item()
    return min(1.0, max(0.0, math.log10(max(1.0, float(least or 0)) / _ROWS_FOR_ONE) / 4))


def _of_digests(observed: Observed) -> Match | None:
    """Match a digest that took most of the time of its table, and seconds for each call.

    A digest has no time of its own, and its time may be that of a lock.
    """
    timed = [each for each in digests(observed.context.evidence) if each.total_s and each.calls]
    if not timed:
        return None
    top = max(timed, key=lambda each: each.total_s or 0.0)
    of_all = sum(each.total_s or 0.0 for each in timed if each.table is top.table)
    total = top.total_s or 0.0
    share, each_s = total / of_all, total / top.calls
    if share < _MOSTLY or each_s < _SLOW.usual or (top.lock_s or 0.0) > total / 2:
        return None
    score = share * (0.3 + 0.3 * age(each_s, _SLOW))
    text = (
        f"{share:.0%} of the time of all statements went to "
        f"'{' '.join(top.text.split())[:_SHOWN]}', {number(each_s)} s for each of "
        f"{number(top.calls)} calls"
    )
    against = ("A digest has no time: it says what the server mostly does.",)
    return Match(
        "slow-statement", round(score, 3), f"{text}.", (observed.lines(top.table, text),), against
    )


def _of_profile(observed: Observed) -> Match | None:
    """Match a profile most of which reads rows and compares them."""
    seen = observed.profile(_READING)
    if not seen.holds or seen.share < _MOSTLY:
        return None
    against = ("A profile does not name the statements: a processlist does.",)
    return Match("slow-statement", _ALL_ALIKE, f"{seen.text}.", seen.evidence, against)


def _of_counts(observed: Observed) -> Match | None:
    """Match a list that only counts sessions by State, where a crowd is at work in one of them.

    It names no statement and no age: a crowd of this size reads rows that an index would spare, or
    has no CPU left.
    """
    counted = [
        level
        for level in observed.levels_named([_COUNTED])
        if level.inside and level.series == "processlist.state"
    ]
    running = sum(level.inside or 0.0 for level in counted)
    for level in counted:
        state, most = level.labels.removeprefix("state="), level.inside or 0.0
        share = most / running
        meaning = knowledge().state_for("Query", state)
        if (
            most >= _CROWD
            and share >= _MOSTLY
            and meaning is not None
            and meaning.category in _WORK
        ):
            text = f"{number(most)} sessions are in '{state}' at once, {share:.0%} of those running"
            against = ("Counts of States name no statement: a processlist does.",)
            where = (observed.series(level, text),)
            return Match("slow-statement", _BY_COUNT, f"{text}.", where, against, round(most))
    return None


def _of_plans(observed: Observed) -> Match | None:
    """Match the plan of a statement that took long, or that reads a whole table of many rows.

    EXPLAIN ANALYZE and MariaDB's ANALYZE run the statement and time its steps; EXPLAIN estimates.
    """
    frame = observed.context.evidence.frame("table")
    if frame is None:
        return None
    tables = list(frame.iter_rows(named=True))
    for table in tables:
        seconds, scanned = _run(table)
        if seconds >= 1.0:
            text = f"the statement took {number(seconds)} s when its plan was run{scanned}"
            score = _PLANNED_SCORE + _RUN_SCORE * age(seconds, _SLOW)
            where = (observed.lines(table, text),)
            return Match("slow-statement", round(score, 3), f"{text}.", where)
    scans = [
        (estimated, name, table)
        for table in tables
        for name, access, estimated in _steps(table)
        if access.lower() in _WHOLE and estimated >= _MANY_ROWS
    ]
    if not scans:
        return None
    rows, name, table = max(scans, key=lambda scan: scan[0])
    text = f"the plan reads all of {name}, {number(rows)} rows by the optimizer's estimate"
    against = ("A plan tells what a statement would do: a slow log tells what it took.",)
    return Match(
        "slow-statement", _PLANNED_SCORE, f"{text}.", (observed.lines(table, text),), against
    )


def _run(table: dict[str, Any]) -> tuple[float, str]:
    """Return how long a plan took that was run, in seconds, and which scan read most rows."""
    columns = [name.lower() for name in table["columns"]]
    if not {"table", "rows", "loops", "total_ms"} <= set(columns):
        return 0.0, ""
    steps = [dict(zip(columns, row, strict=True)) for row in table["rows"][:_MOST]]
    longest = max((_float(step["total_ms"]) for step in steps), default=0.0) / 1000
    read, name = max(
        (
            (_float(step["rows"]) * _float(step["loops"]), step["table"])
            for step in steps
            if step["table"] and "lookup" not in (step.get("step") or "")
        ),
        default=(0.0, None),
    )
    scanned = f", and read {number(read)} rows of {name}" if read >= _MANY_ROWS else ""
    return longest, scanned


def _float(text: str | None) -> float:
    return decimal(text or "") or 0.0


def _steps(table: dict[str, Any]) -> Iterator[tuple[str, str, float]]:
    """Yield the table, the access and the estimated rows of each step of a plan."""
    columns = [name.lower() for name in table["columns"]]
    if {"step", "table", "estimated_rows"} <= set(columns):  # as a tree
        at = [columns.index(name) for name in ("table", "step", "estimated_rows")]
        for name, step, rows in ([row[place] for place in at] for row in table["rows"][:_MOST]):
            yield name or "", "all" if (step or "").startswith(_SCAN) else "", _float(rows)
        return
    if not {"table", "rows"} <= set(columns) or not _ACCESS.intersection(columns):
        return
    at = [columns.index(name) for name in ("table", "rows")]
    access = next(columns.index(name) for name in columns if name in _ACCESS)
    for row in table["rows"][:_MOST]:
        name, rows = (row[place] for place in at)
        if name and row[access] and rows and (known := rows.replace(",", "").strip()).isdecimal():
            yield name.strip(), row[access].strip(), float(known)


_ACCESS = frozenset(("type", "access"))
_WHOLE = ("all",)
_SCAN = "Table scan on "
_PLANNED_SCORE, _RUN_SCORE = 0.25, 0.3
"""What a plan tells, and what it adds that it was run, by how long that took."""
_COUNTED = "state"
_CROWD, _BY_COUNT = 50, 0.3
"""Sessions at work in one State that are a crowd on any machine, and what their count tells."""
_MOSTLY = 0.5
_READING = [
    "row_search_mvcc",
    "row_search_for_mysql",
    "row_sel_store_mysql_rec",
    "row_sel_store_mysql_rec_func",
    "row_sel_store_mysql_field",
    "row_sel_store_mysql_field_func",
    "row_sel_field_store_in_mysql_format_func",
    "rec_get_offsets_func",
    "rec_init_offsets",
    "rec_init_offsets_comp_ordinary",
    "evaluate_join_record",
    "Item_func_like::val_int",
    "Item_func_regex::val_int",
    "my_strnncollsp_utf8",
    "my_strnncollsp_utf8mb4",
    "my_wildcmp_mb",
    "my_wildcmp_8bit",
    "filesort",
    "hp_search",
    "heap_scan",
]
"""Functions that read rows one after the other, and compare, filter and sort them."""


def _at_work(frame: pl.DataFrame) -> pl.Series:
    """Return for each session whether its State is one of statements at work."""
    known, quick = knowledge(), {}
    for command, state in frame.select("command", "state").unique().iter_rows():
        meaning = known.state_for(command, state)
        quick[command, state] = command in (None, "Query", "Execute") and (
            not state or (meaning is not None and meaning.category in _WORK)
        )
    rows = frame.select("command", "state").iter_rows()
    return pl.Series([quick[row] for row in rows], dtype=pl.Boolean)


_WORK = ("running", "io", "temp", "sort")
RULES: dict[str, Rule] = {"slow-statement": slow_statement}
