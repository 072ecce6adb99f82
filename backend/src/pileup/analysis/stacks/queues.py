"""Detect waiters and holders of queues that no dump lists, by stack, state or operation.

SEMAPHORES and TRANSACTIONS name latches and row locks only. Table and global read locks, the query
cache, the table cache, InnoDB's concurrency queue and semi-synchronous replication show in a
session's State, in a transaction's operation, or in the functions on a thread's stack. A holder is
a thread that is inside the same code and does not wait: inferred, and marked so.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pileup.analysis.evidence.actors import Actor
from pileup.analysis.stacks.hot_stacks import is_waiting
from pileup.knowledge import function_key, wait_classes

PASSING = frozenset({"free-page", "table-cache", "adaptive-hash"})
"""Queues that any of those inside lets go on, each for a moment."""
_LOCKS = frozenset({"metadata_lock", "row_lock", "table_lock", "global_lock", "user_lock"})
"""Classes of locks: a stack that waits for one of them waits in no other queue."""


@dataclass(frozen=True, slots=True)
class Queue:
    id: str
    label: str
    meaning: str
    functions: frozenset[str]
    """A thread that waits with one of these on its stack is in the queue."""
    states: re.Pattern[str] | None
    """State of a session, or operation of a transaction, in the queue."""
    inside: frozenset[str]
    """A running thread with one of these on its stack is a holder."""
    inside_words: str
    oldest: bool = False
    """Whether ``lock_holders`` infers a holder by table and age if no stack shows one."""
    latch: str | None = None
    """Latch of the knowledge base that the queue belongs to, merged with the dump's latch."""


def _queue(
    id_: str, label: str, meaning: str, functions: str, states: str, inside: str, words: str = "",
    *, oldest: bool = False, latch: str | None = None,
) -> Queue:  # fmt: skip
    return Queue(
        id_,
        label,
        meaning,
        frozenset(map(function_key, functions.split())),
        re.compile(states, re.IGNORECASE) if states else None,
        frozenset(map(function_key, inside.split())),
        words,
        oldest,
        latch,
    )


QUEUES = (
    _queue(
        "concurrency",
        "InnoDB concurrency queue",
        "As many as innodb_thread_concurrency are inside; the others wait for a slot.",
        "srv_conc_enter_innodb srv_conc_enter_innodb_with_atomics srv_conc_enter_innodb_full",
        r"sleeping before (entering|joining) InnoDB|waiting in InnoDB queue",
        "",
    ),
    _queue(
        "semisync",
        "acknowledgement of a replica",
        "Semi-synchronous replication: a commit waits until a replica has it.",
        "ReplSemiSyncMaster::commitTrx Repl_semi_sync_master::commit_trx",
        r"semi-?sync ACK",
        "",
    ),
    _queue(
        "galera",
        "the cluster (certification, order, flow control)",
        "Galera: a commit waits until the cluster has ordered and certified its write set; flow "
        "control stops all nodes for one that cannot keep up.",
        "gcs_sm_enter gcs_sendv gcs_replv galera::Monitor::enter galera::ReplicatorSMM::replicate "
        "galera::ReplicatorSMM::send galera::ReplicatorSMM::pre_commit "
        "galera::ReplicatorSMM::commit_order_enter_local galera::ReplicatorSMM::to_isolation_begin",
        r"^wsrep.*(pre-?commit|certif|replicating|flow control|isolation)"
        r"|^waiting for (certification|flow control|toi ddl)$|^waiting to execute in isolation$",
        "",
    ),
    _queue(
        "query-cache",
        "query cache lock",
        "One lock for the whole query cache; invalidation walks long lists under it.",
        "Query_cache::try_lock Query_cache::lock Query_cache::invalidate Query_cache::insert "
        "Query_cache::send_result_to_client Query_cache::free_query_internal",
        r"query cache (lock|mutex)",
        "Query_cache::invalidate Query_cache::invalidate_table Query_cache::free_old_query "
        "Query_cache::free_memory_block Query_cache::send_result_to_client Query_cache::pack",
        "is inside the query cache",
    ),
    _queue(
        "global-read-lock",
        "global read lock",
        "FLUSH TABLES WITH READ LOCK or a backup holds it until its session releases it.",
        "Global_read_lock::lock_global_read_lock wait_if_global_read_lock",
        r"global read lock|release of readlock",
        "",
    ),
    _queue(
        "commit-lock",
        "commit lock (FLUSH TABLES WITH READ LOCK)",
        "Commits wait until the session that has the global read lock releases it.",
        "Global_read_lock::make_global_read_lock_block_commit",
        r"^waiting for commit lock$",
        "",
    ),
    _queue(
        "backup-lock",
        "backup lock",
        "LOCK INSTANCE FOR BACKUP, LOCK BINLOG FOR BACKUP or BACKUP STAGE holds it until its "
        "session releases it.",
        "",
        r"(backup|binlog) lock",
        "",
    ),
    _queue(
        "user-lock",
        "user lock",
        "GET_LOCK() of an application; its session holds it until RELEASE_LOCK() or its end.",
        "Item_func_get_lock::val_int",
        r"^user lock$",
        "",
    ),
    _queue(
        "table-flush",
        "table flush",
        "A flushed table opens again when every statement that uses its old version has ended.",
        "TABLE_SHARE::wait_for_old_version tdc_wait_for_old_version",
        r"^waiting for table flush$|^waiting for tables?$|^flushing tables$",
        "",
        oldest=True,
    ),
    _queue(
        "table-lock",
        "table lock",
        "A table-level lock (MyISAM, LOCK TABLES): a writer shuts out all.",
        "wait_for_lock thr_lock thr_multi_lock",
        r"^locked$|table.level lock|^table lock$",
        "",
        oldest=True,
    ),
    _queue(
        "table-cache",
        "table cache (LOCK_open)",
        "Opening and closing tables goes through one lock.",
        "open_table open_table_from_share get_table_share tdc_acquire_share close_thread_tables",
        r"^opening tables?$|^closing tables$",
        "open_table_from_share open_table_def mysql_rm_table mysql_rm_table_part2 "
        "dict_stats_save ha_innobase::open",
        "is inside the table cache",
    ),
    _queue(
        "metadata-lock",
        "metadata lock",
        "Held by every transaction that used the table, until it ends.",
        "MDL_context::acquire_lock MDL_wait::timed_wait",
        "",
        "",
        oldest=True,
    ),
    _queue(
        "redo-room",
        "room in the redo log",
        "Writers wait until dirty pages are written and a checkpoint has freed room in the log.",
        "log_free_check_wait log_checkpoint_margin log_check_margins "
        "log_preflush_pool_modified_pages log_wait_for_space_in_log_buf",
        "",
        "buf_flush_page_coordinator_thread buf_flush_page_cleaner_coordinator "
        "buf_flush_page_cleaner_thread buf_flush_page_cleaner log_checkpointer",
        "writes dirty pages or a checkpoint",
    ),
    _queue(
        "free-page",
        "free page of the buffer pool",
        "Who reads or makes a page needs a free one; pages are freed by flushing old ones.",
        "buf_LRU_get_free_block buf_flush_wait_LRU_batch_end",
        "",
        "buf_flush_single_page_from_LRU buf_flush_LRU_list_batch buf_do_LRU_batch",
        "frees pages",
    ),
    _queue(
        "adaptive-hash",
        "adaptive hash latch",
        "Look-ups share it, building and dropping of entries shuts them out.",
        "btr_search_s_lock btr_search_x_lock btr_search_guess_on_hash btr_search_info_update_slow "
        "btr_search_build_page_hash_index btr_search_drop_page_hash_index",
        "",
        "btr_search_build_page_hash_index btr_search_drop_page_hash_index "
        "btr_search_update_hash_on_insert btr_search_update_hash_on_delete",
        "changes adaptive hash entries",
        latch="btr_search_latch",
    ),
)


_BY_FUNCTION: dict[str, list[Queue]] = {}
for _each in QUEUES:
    for _function in _each.functions:
        _BY_FUNCTION.setdefault(_function, []).append(_each)


def is_passing(label: str) -> bool:
    """Return whether a queue is for something that each holder gives back at once."""
    return any(queue.label == label and queue.id in PASSING for queue in QUEUES)


def waits_in(actor: Actor) -> Queue | None:
    """Return the queue that a thread waits in, by its stack if known, else by its state."""
    if actor.functions:
        return by_stack(actor.functions)
    return by_state(
        [
            text
            for row, name in (
                (actor.session, "state"), (actor.trx, "thread_state"), (actor.trx, "operation"),
            )
            if row and (text := row.get(name))
        ]
    )  # fmt: skip


def by_stack(functions: Sequence[str]) -> Queue | None:
    """Return the queue that a stack waits in, by its innermost wait; None for a running thread.

    Outer frames are only context: every wait for a metadata lock is also inside open_table.
    """
    return _by_stack(tuple(functions))


@functools.lru_cache(maxsize=4096)
def _by_stack(functions: tuple[str, ...]) -> Queue | None:
    if not is_waiting(functions) and not _sleeps(functions):
        return None
    time_class = wait_classes.of_stack(functions)
    engine = False
    for function in functions:
        engine = engine or function.startswith(_ENGINE)
        for queue in _BY_FUNCTION.get(function_key(function), ()):
            if engine and queue.id == "table-cache":
                continue  # what opens the table waits inside its storage engine
            own = wait_classes.of_queue(queue.id)
            if own == time_class or not {own, time_class} & _LOCKS:
                return queue
    return None


_SLEEPS = frozenset({"nanosleep", "usleep", "os_thread_sleep", "std::this_thread::sleep_for"})
_CALLERS = 2


def _sleeps(functions: tuple[str, ...]) -> bool:
    """Return whether a queue's own code sleeps, to look again later; not a call that is slow."""
    keys = [function_key(function) for function in functions[: len(_SLEEPS) + _CALLERS]]
    above = [key for key in keys if key not in _SLEEPS]
    return keys[:1] != above[:1] and any(key in _BY_FUNCTION for key in above[:_CALLERS])


_ENGINE = ("dict_", "dd_", "ha_", "handler::")


def by_state(states: Sequence[str]) -> Queue | None:
    """Return the queue that a State, or a transaction's operation, names."""
    return next(
        (
            queue
            for queue in QUEUES
            if queue.states and any(queue.states.search(text) for text in states)
        ),
        None,
    )


def inside(queue: Queue, actors: Sequence[Actor]) -> list[tuple[Actor, str]]:
    """Return the threads inside the code that a queue waits for, each with a reason."""
    if queue.id == "concurrency":
        found = [actor for actor in actors if actor.trx and actor.trx.get("declared_inside")]
        return [(actor, "declared inside InnoDB by the dump") for actor in found]
    found = [
        actor
        for actor in actors
        if actor.functions
        and queue.inside & {function_key(name) for name in actor.functions}
        and not is_waiting(actor.functions)
    ]
    return [(actor, f"its stack {queue.inside_words}") for actor in found]


def the(label: str) -> str:
    """Name a thing of the wait graph in a sentence: 'the commit queue', 'a free page'."""
    if label.startswith("free "):
        return f"a {label}"
    return label if label.startswith(("the ", "a ", "an ", "room ")) else f"the {label}"


__all__ = ["PASSING", "QUEUES", "Queue", "by_stack", "by_state", "inside", "the", "waits_in"]
