"""Words of each kind: its label, why it happens, what to change, and what would settle it.

``{table}`` and ``{index}`` are those of the first request, ``{tables}`` all tables of the cycle.
"""

from __future__ import annotations

from typing import NamedTuple

from pileup.analysis.deadlocks.kinds import Kind


class Words(NamedTuple):
    label: str
    why: str
    change: tuple[str, ...]
    settle: str


_RETRY = "Repeat the whole transaction when the server answers error 1213; keep transactions short."
_HISTORY = "The earlier statements of both transactions (general log or performance_schema)."
_DDL = "SHOW CREATE TABLE of {tables}, and the earlier statements of both transactions."
_READ_COMMITTED = "Use READ COMMITTED for these transactions: searches then lock no gaps."
_ORDER = "Lock the rows in the same order everywhere: sort by {index} before the first change."

WORDS: dict[Kind, Words] = {
    "auto-inc": Words(
        "AUTO-INC lock against a row lock",
        "One transaction keeps the AUTO-INC lock of {table} to the end of its statement and waits"
        " for a row, whose owner inserts into the same table and waits for AUTO-INC.",
        (
            "Set innodb_autoinc_lock_mode = 2 (needs a restart and binlog_format = ROW).",
            "Load in small batches instead of one INSERT ... SELECT.",
            _RETRY,
        ),
        "SHOW VARIABLES LIKE 'innodb_autoinc_lock_mode'.",
    ),
    "table-lock": Words(
        "Table lock against row locks",
        "A lock on the whole table {table} waits for row locks, whose owner wants the table.",
        (
            "Remove LOCK TABLES, or take it before the transaction's first row lock.",
            "Keep statements that lock whole tables out of transactions that change rows.",
            _RETRY,
        ),
        _HISTORY,
    ),
    "upsert": Words(
        "REPLACE or INSERT ... ON DUPLICATE KEY UPDATE",
        "These statements lock a unique key and the gap before it; each then wants to write into"
        " the gap that another has locked, in {index} of {table}.",
        (
            "Give {table} a single unique key, or name rows by the key that {index} has.",
            "Try UPDATE first and INSERT only if it changed no row; use READ COMMITTED.",
            "Insert the rows of a batch in the order of {index}.",
            _RETRY,
        ),
        "SHOW CREATE TABLE of {tables}: all its unique keys.",
    ),
    "duplicate-insert": Words(
        "Shared locks after a duplicate key",
        "An INSERT that meets a duplicate takes a shared lock on the key in {index} of {table}; two"
        " such transactions then both want to write there, and each shared lock blocks the other.",
        (
            "Use INSERT ... ON DUPLICATE KEY UPDATE: it takes an exclusive lock at once.",
            "Let one writer insert a key, for instance by partitioning the work by {index}.",
            _RETRY,
        ),
        _HISTORY,
    ),
    "delete-insert": Words(
        "DELETE against INSERT of the same key",
        "An INSERT checks a key in {index} of {table} with a shared lock, and a DELETE of the same"
        " key waits for it; the INSERT then queues behind that DELETE.",
        (
            "Replace DELETE and INSERT by one UPDATE or INSERT ... ON DUPLICATE KEY UPDATE.",
            "Delete and insert rows in the order of {index}.",
            _RETRY,
        ),
        _HISTORY,
    ),
    "missing-row-insert": Words(
        "Gap locks on missing rows, then inserts",
        "Both searched for rows that do not exist and so locked the same gap of {index} of {table};"
        " gap locks do not exclude each other, yet each blocks the other's INSERT.",
        (
            "Insert without the SELECT ... FOR UPDATE: INSERT ... ON DUPLICATE KEY UPDATE.",
            _READ_COMMITTED,
            _RETRY,
        ),
        _HISTORY,
    ),
    "supremum": Words(
        "Gap above the highest key",
        "Both locked the gap above the highest key of {index} of {table}, the supremum, by a"
        " search that found nothing there or ran to the end; each then blocks the other's INSERT.",
        (
            "Insert without the locking search: INSERT ... ON DUPLICATE KEY UPDATE.",
            _READ_COMMITTED,
            "Add an index so that the search ends before the highest key.",
            _RETRY,
        ),
        _HISTORY,
    ),
    "gap-insert": Words(
        "Gap lock blocks an insert",
        "A search locked a range of {index} of {table} with its gaps, and another transaction wants"
        " to insert into it, while the searcher waits for that transaction.",
        (
            _READ_COMMITTED,
            "Narrow the search with an index on all columns of its WHERE.",
            _RETRY,
        ),
        _HISTORY,
    ),
    "insert-wait": Words(
        "An insert into a locked gap",
        "A transaction inserts into a gap of {index} of {table} that another has locked: by a"
        " search of a range or for a missing row, or by a check for a duplicate; {because}.",
        (
            _READ_COMMITTED,
            "Insert without a locking search before it: INSERT ... ON DUPLICATE KEY UPDATE.",
            _RETRY,
        ),
        "The whole text: innodb_print_all_deadlocks = ON writes each deadlock to the error log.",
    ),
    "waiting-lock": Words(
        "A waiting request blocks its own holder",
        "One transaction waits for a row of {index} of {table}; the row's owner asks for more on"
        " the same row and queues behind that request.",
        (
            "Take the strongest lock first: SELECT ... FOR UPDATE before the change.",
            "Use READ COMMITTED, so that the waiting request does not include the gap.",
            _RETRY,
        ),
        _DDL,
    ),
    "foreign-key": Words(
        "Foreign-key check against a change of the parent",
        "A change of a child row takes a shared lock on its parent row in {tables}, and another"
        " transaction holds or wants that row exclusively.",
        (
            "Lock the parent row first with SELECT ... FOR UPDATE, then change its children.",
            "Change parents in the order of their key, before any child.",
            _RETRY,
        ),
        "SHOW CREATE TABLE of the tables in both statements: their foreign keys.",
    ),
    "s-to-x": Words(
        "Shared lock raised to exclusive",
        "A transaction holds a shared lock on a row of {index} of {table} and wants to change the"
        " row; another, with a shared lock or an earlier request for it, is in its way.",
        (
            "Read with SELECT ... FOR UPDATE where a change follows, not with a shared lock.",
            "If the shared lock comes from a foreign-key check, lock the parent row first.",
            _RETRY,
        ),
        "The earlier statements, and whether {table} is the parent of a foreign key.",
    ),
    "index-order": Words(
        "Indexes locked in opposite order",
        "On {table}, one transaction goes from one index to another and the other transaction the"
        " other way round, for the same row.",
        (
            "Search the rows by primary key in both: SELECT the keys first, then change by key.",
            "Add a covering index, or drop the index that only one of the statements needs.",
            _RETRY,
        ),
        "EXPLAIN of both statements and SHOW CREATE TABLE of {tables}.",
    ),
    "index-merge": Words(
        "Index merge",
        "The statement seems to combine several indexes of {table} and locks rows through each of"
        " them, so that two runs meet the same rows in different order.",
        (
            "Add one index over all columns of the WHERE.",
            "Set optimizer_switch = 'index_merge=off' for these statements.",
            _RETRY,
        ),
        "EXPLAIN of both statements: type index_merge.",
    ),
    "range-scan": Words(
        "Range scan against other row locks",
        "A statement locks a range of {index} of {table} row by row, and another transaction"
        " already has a row in it while it waits for one that the range has locked.",
        (
            "Narrow the range with an index, or change rows in small batches by primary key.",
            "Use READ COMMITTED: rows that do not match are released.",
            _RETRY,
        ),
        "EXPLAIN of the statement that scans, and SHOW CREATE TABLE of {tables}.",
    ),
    "row-order": Words(
        "Rows locked in opposite order",
        "Each transaction has locked a row that the other wants next, in {tables}: they change the"
        " same rows in opposite order.",
        (_ORDER, "Lock all rows up front with one SELECT ... FOR UPDATE ORDER BY.", _RETRY),
        _HISTORY,
    ),
    "cycle": Words(
        "Rows locked in a circle",
        "Each of the {n} transactions has locked a row that another wants next, in {tables}.",
        (_ORDER, "Lock all rows up front with one SELECT ... FOR UPDATE ORDER BY.", _RETRY),
        _HISTORY,
    ),
    "unknown": Words(
        "Kind unknown",
        "Kind unknown, because {because}.",
        (_RETRY,),
        "The whole text: innodb_print_all_deadlocks = ON writes each deadlock to the error log.",
    ),
}

__all__ = ["WORDS", "Words"]
