"""Find waiters and leaders of the commit queue in stacks and session states.

Neither the binary log's group commit nor the redo flush is listed in SEMAPHORES, so 'no semaphore
waits' is not 'no problem' (mysql-13669, mysql-46459, mysql-73816, fsync-stall).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pileup.analysis.evidence.actors import Actor
from pileup.analysis.stacks import instruments
from pileup.knowledge import knowledge, plain_function

GROUP = "binary log group commit"
# Functions below which a session is committing: binary log group commit, redo flush, XA prepare.
COMMITTING = frozenset(
    {
        "MYSQL_BIN_LOG::ordered_commit",
        "MYSQL_BIN_LOG::change_stage",
        "MYSQL_BIN_LOG::process_commit_stage_queue",
        "MYSQL_BIN_LOG::trx_group_commit_leader",
        "MYSQL_BIN_LOG::queue_for_group_commit",
        "MYSQL_BIN_LOG::write_transaction_to_binlog_events",
        "MYSQL_BIN_LOG::commit",
        "MYSQL_LOG::log_xid",
        "TC_LOG_BINLOG::log_xid",
        "innobase_xa_prepare",
        "ha_commit_trans",
        "ha_prepare_low",
        "trx_prepare",
        "trx_prepare_for_mysql",
        "trx_commit_complete_for_mysql",
        "log_write_up_to",
        "innobase_commit",
        "trx_flush_log_if_needed",
    }
)
# Functions of the leader's work, and their descriptions.
WORK = (
    ("fts_sync", "writes the full-text cache to its index tables (fts_sync)"),
    ("fts_sync_write_words", "writes the full-text cache to its index tables (fts_sync)"),
    ("MYSQL_BIN_LOG::sync_binlog_file", "flushes the binary log to disk"),
    ("MYSQL_LOG::flush_and_sync", "flushes the binary log to disk"),
    ("MYSQL_BIN_LOG::flush_and_sync", "flushes the binary log to disk"),
    ("fil_flush", "flushes the redo log to disk"),
    ("log_write_flush_to_disk_low", "flushes the redo log to disk"),
    ("os_file_fsync", "flushes a file to disk"),
    ("os_file_flush_func", "flushes a file to disk"),
    ("my_sync", "flushes a file to disk"),
    ("fsync", "flushes a file to disk"),
    ("fdatasync", "flushes a file to disk"),
)
_SYNCING = {name for name, _ in WORK}
_WAITING = frozenset(
    {
        "pthread_cond_wait",
        "__pthread_cond_wait",
        "___pthread_cond_wait",
        "pthread_cond_timedwait",
        "pthread_mutex_lock",
        "__pthread_mutex_lock",
        "___pthread_mutex_lock",
        "__lll_lock_wait",
        "__lll_mutex_lock_wait",
        "__lll_mutex_lock_wait_private",
        "_L_mutex_lock_1133",
        "futex_wait",
        "__futex_abstimed_wait_common",
        "__futex_abstimed_wait_common64",
        "os_event_wait_low",
        "os_cond_wait",
        "my_cond_wait",
        "native_cond_wait",
        "inline_mysql_cond_wait",
        "group_commit_lock::acquire",
    }
)
_WAITING_AT_MOST = 8
"""Frames from the top among which a waiting thread shows its wait."""


def leads(functions: Sequence[str]) -> str | None:
    """Describe what the leader of the commit queue does; None if this stack is no leader."""
    names = [plain_function(name) for name in functions]
    if not COMMITTING.intersection(names):
        return None
    present = set(names)
    if not present & _SYNCING:
        return None
    if _is_waiting(names) and "fts_sync" not in present:
        return None
    return next(words for name, words in WORK if name in present)


def waits_for_commit(actor: Actor) -> bool:
    """Return whether a thread waits in the commit queue, by stack, event or state."""
    if actor.functions:
        return waits_by_stack(actor.functions)
    event = actor.event
    if event is not None and instruments.counts(event):
        return instruments.stage_of(event["event"]) is not None
    row = actor.session or {}
    state = row.get("state") or (actor.trx or {}).get("thread_state")
    return is_commit_state(row.get("command"), state) or _commits(actor.trx)


_COMMIT = re.compile(r"\s*commit\b", re.IGNORECASE)
_LEAST_S = 1.0


def _commits(trx: Mapping[str, Any] | None) -> bool:
    """Return whether a transaction of a dump is prepared and runs its COMMIT, for a second or more.

    Up to 5.7 the State of a COMMIT is still 'starting' then.
    """
    if not trx or not stage_by_transaction(trx) or trx["lock_wait"]:
        return False
    return bool(_COMMIT.match(trx["query"] or "")) and (trx["active_s"] or 0.0) >= _LEAST_S


def waits_by_stack(functions: Sequence[str]) -> bool:
    """Return whether a stack waits below a commit function."""
    names = [plain_function(name) for name in functions]
    at = next((at for at, name in enumerate(names) if name in COMMITTING), None)
    if at is None or not _is_waiting(names) or leads(functions) is not None:
        return False
    inner = names[:at]
    if any(name.startswith(_ELSEWHERE) for name in inner):
        return False
    latch = max((i for i, name in enumerate(inner) if name.startswith(_LATCHES)), default=None)
    return latch is None or latch == at - 1


_ELSEWHERE = ("galera::", "gcs_", "wsrep_", "wsrep::", "MDL_context::", "MDL_wait::")
"""What a commit calls before its log: the wait inside is for the cluster, or for a lock."""
_LATCHES = ("mutex_", "pfs_mutex_", "rw_lock_", "pfs_rw_lock_", "PolicyMutex", "TTASEventMutex")
"""A commit that waits for a latch of InnoDB, in a function of its own, waits for no log. The log's
mutex is requested by the function that writes it, and held by others during the flush."""


_STAGES = (
    ("innobase_xa_prepare", "XA prepare (commit mutex)"),
    ("MYSQL_BIN_LOG::sync_binlog_file", "sync stage"),
    ("MYSQL_BIN_LOG::flush_and_sync", "sync stage"),
    ("MYSQL_BIN_LOG::process_flush_stage_queue", "flush stage"),
    ("MYSQL_BIN_LOG::fetch_and_process_flush_stage_queue", "flush stage"),
    ("MYSQL_BIN_LOG::flush_cache_to_file", "flush stage"),
    ("MYSQL_BIN_LOG::write_transaction_or_stmt", "flush stage"),
    ("MYSQL_BIN_LOG::process_commit_stage_queue", "commit stage"),
    ("TC_LOG::run_commit_ordered", "commit stage"),
    ("MYSQL_BIN_LOG::process_after_commit_stage_queue", "after-commit stage"),
    ("MYSQL_BIN_LOG::change_stage", GROUP),
    ("MYSQL_BIN_LOG::ordered_commit", GROUP),
    ("MYSQL_BIN_LOG::trx_group_commit_leader", GROUP),
    ("MYSQL_BIN_LOG::queue_for_group_commit", GROUP),
    ("trx_prepare", "XA prepare (redo flush)"),
    ("ha_prepare_low", "XA prepare (redo flush)"),
    ("log_write_up_to", "redo flush"),
)
_OF_GROUP = ("flush stage", "sync stage", "commit stage", "after-commit stage")
_FOLLOWS = frozenset(
    {
        "Stage_manager::enroll_for", "Commit_stage_manager::enroll_for",
        "MYSQL_BIN_LOG::queue_for_group_commit", "wait_for_commit::wait_for_prior_commit2",
    }
)  # fmt: skip


def stage(functions: Sequence[str]) -> str:
    """Return the commit stage of a stack: 'XA prepare (redo flush)', 'sync stage', GROUP or ''."""
    present = {plain_function(name) for name in functions}
    return next((words for name, words in _STAGES if name in present), "")


def occupied(stacks: Iterable[Sequence[str]]) -> frozenset[str]:
    """Return the group-commit stages of the binary log that some thread executes."""
    names = {
        stage(functions)
        for functions in stacks
        if not is_waiting_for_stage(functions) and COMMITTING & set(map(plain_function, functions))
    }
    return frozenset(names.intersection(_OF_GROUP))


def is_waiting_for_stage(functions: Sequence[str]) -> bool:
    """Return whether a thread waits in the group commit for its leader or a stage's mutex."""
    names = [plain_function(name) for name in functions]
    return _is_waiting(names) and stage(functions) == GROUP


def follower_stage(functions: Sequence[str], busy: frozenset[str]) -> str:
    """Describe a waiting stack's stage, completed by the stages in which threads work.

    A follower sleeps until its leader has been through all stages, so its own stack names none
    (Stage_manager::enroll_for, binlog.cc): it waits for the one stage in which somebody works.
    """
    own = stage(functions)
    if own != GROUP:
        return own
    names = {plain_function(name) for name in functions}
    follows = bool(names & _FOLLOWS)
    does = "waits for its leader" if follows else "leads a group, waits for its turn"
    if len(busy) == 1:
        (item,) = busy
        return f"{item} ({does}; inferred: a thread works in it)"
    if busy:
        stages = " and ".join(name for name in _OF_GROUP if name in busy)
        return f"{GROUP} ({does}; threads work in the {stages})"
    return f"{GROUP} ({does})"


def stage_by_transaction(trx: Mapping[str, Any] | None) -> str:
    """Return the commit stage of a transaction in a status dump; '' if unknown.

    Source: trx_prepare_for_mysql() sets 'preparing' and then the state PREPARED, the engine's
    commit 'committing' and 'flushing log' (trx0trx.cc): between the two it is in the binary log.
    """
    if not trx:
        return ""
    state, operation = trx["state"] or "", trx["operation"] or ""
    if operation.startswith("preparing"):
        return "XA prepare (redo flush)"
    if operation.startswith(("committing", "flushing log")) or "COMMITTED" in state:
        return "commit stage (the engine's commit)"
    if "PREPARED" in state:
        return "flush or sync stage (prepared, the engine's commit has not begun)"
    return ""


def is_commit_state(command: str | None, state: str | None) -> bool:
    """Return whether a processlist State is the commit phase ('query end' in 5.6)."""
    if not state:
        return False
    meaning = knowledge().state_for(command, state)
    return meaning is not None and meaning.category == "waiting_commit"


def _is_waiting(names: Sequence[str]) -> bool:
    return any(name in _WAITING for name in names[:_WAITING_AT_MOST])
