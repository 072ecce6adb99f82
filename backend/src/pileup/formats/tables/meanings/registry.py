"""The meanings of tables: which columns make which records.

The first meaning that fits a table reads it, so the special ones come first and "simply a table" is
last. Every file of tables is read by this list, whatever its layout and whichever format it is of;
``format`` is the format that a file is named after when this is the most special table in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pileup.formats.tables.layouts.reader import ResultSet
from pileup.formats.tables.meanings import (
    connection_pool,
    group_members,
    grouped_sessions,
    innodb_metrics,
    latch_counts,
    locks,
    logged_deadlocks,
    logged_messages,
    logged_statements,
    named_values,
    open_tables,
    pool_groups,
    replication,
    sampled_values,
    selected_variables,
    server_counts,
    sessions,
    summaries,
    values_by_node,
    wait_load,
)
from pileup.formats.tables.meanings.handlers import Handler, Seen, Where
from pileup.formats.tables.meanings.tables import Shared, TableCollector

RESULT = "result-set"
"""The format of a file in which no table has a special meaning."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A kind of table."""

    format: str
    fits: Callable[[Seen], bool]
    """Whether a table is of this kind; only the first of its rows is known."""
    handler: Callable[[Seen, Where, Shared], Handler]
    names: frozenset[str] = frozenset()
    """Such a table has one of these columns, or an expression in brackets; empty: it may have any.

    By them a line that can be no header of a known table is passed over quickly.
    """
    snapshot: Callable[[tuple[str, ...]], str | None] = lambda _: None
    """The kind of snapshot that its rows belong to, by its columns; None for none."""


def _table(seen: Seen, where: Where, shared: Shared) -> Handler:
    return TableCollector(seen.result, where, shared)


MEANINGS: tuple[Meaning, ...] = (
    Meaning("lock-tables", locks.is_lock_table, locks.handler, locks.NAMES, locks.snapshot_kind),
    Meaning(
        "slow-log-table",
        logged_statements.is_slow_log,
        logged_statements.handler,
        logged_statements.NAMES,
    ),
    Meaning(
        "lock-tables",
        logged_deadlocks.is_deadlocks,
        logged_deadlocks.handler,
        logged_deadlocks.NAMES,
    ),
    Meaning("processlist", sessions.is_processlist, sessions.handler, sessions.STRONG_NAMES),
    Meaning(
        "processlist", grouped_sessions.is_grouped, grouped_sessions.handler, sessions.STRONG_NAMES
    ),
    Meaning(
        "innodb-metrics", innodb_metrics.is_metrics, innodb_metrics.handler, innodb_metrics.COLUMNS
    ),
    Meaning("innodb-mutex", latch_counts.is_latches, latch_counts.handler, latch_counts.NAMES),
    Meaning("replication", replication.is_status, replication.handler, replication.NAMES),
    Meaning(
        "open-tables",
        open_tables.is_open_tables,
        open_tables.handler,
        frozenset(open_tables.COLUMNS),
    ),
    Meaning(
        "mysqladmin-status", server_counts.is_counts, server_counts.handler, server_counts.NAMES
    ),
    Meaning(RESULT, replication.is_worker_status, replication.worker_handler),
    Meaning(RESULT, group_members.is_members, group_members.handler),
    Meaning(RESULT, logged_messages.are_messages, logged_messages.handler, logged_messages.NAMES),
    Meaning(RESULT, pool_groups.are_groups, pool_groups.handler, pool_groups.NAMES),
    Meaning(RESULT, connection_pool.is_pool, connection_pool.handler, connection_pool.NAMES),
    Meaning(RESULT, summaries.is_summary, summaries.handler, summaries.NAMES),
    Meaning(RESULT, wait_load.is_load, wait_load.handler, wait_load.NAMES),
    Meaning(RESULT, named_values.is_named_values, named_values.handler, named_values.NAMES),
    Meaning(RESULT, named_values.are_parameters, named_values.handler),
    Meaning(RESULT, values_by_node.is_by_node, values_by_node.handler, values_by_node.NAMES),
    Meaning(RESULT, selected_variables.is_selected, selected_variables.handler),
    Meaning(RESULT, sampled_values.is_sampled, sampled_values.handler),
    Meaning(RESULT, lambda _: True, _table),
)


_NAMES = frozenset[str]().union(*(meaning.names for meaning in MEANINGS))
_EXPRESSION = re.compile(rf"\(|[.`\"'] *(?:{'|'.join(map(re.escape, sorted(_NAMES)))})\b")
"""Columns with an expression, or with a known name behind that of its table or in quotes."""


def meaning_of(seen: Seen) -> Meaning:
    """Return the first meaning that fits a table; "simply a table" fits all."""
    return next(meaning for meaning in MEANINGS if meaning.fits(seen))


def is_known(names: Sequence[str]) -> bool:
    """Whether columns of these names alone are those of a table with a special meaning."""
    return _are_known(tuple(names))


@lru_cache(maxsize=256)  # several formats look at the same first lines
def _are_known(names: tuple[str, ...]) -> bool:
    columns = tuple(name.strip().lower() for name in names)
    if _NAMES.isdisjoint(columns) and not _EXPRESSION.search("\n".join(columns)):
        return False
    meaning = meaning_of(Seen(ResultSet(0, "", names, 1, "tab"), columns, None))
    return meaning.format != RESULT or bool(meaning.names)


__all__ = ["MEANINGS", "RESULT", "Meaning", "is_known", "meaning_of"]
