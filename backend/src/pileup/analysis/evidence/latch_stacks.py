"""Identify the latch that a thread waits for by its stack alone: by the caller of the wait.

MariaDB from 10.6 has no sync array, so SEMAPHORES is empty there however many wait: its slim
latches (srw_mutex_impl, ssux_lock_impl, sux_lock, index_lock) show on stacks only. A pt-pmp without
a dump is read in the same way for other servers.
Source: sux_lock.h, srw_lock.cc (MariaDB 10.6 to 11.8), sync0rw.cc, sync0arr.cc (MySQL). A build
        that inlines the caller names none, and then nothing is claimed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pileup.knowledge import function_key

_SLIM = re.compile(r"(srw_mutex_impl|ssux_lock_impl|ssux_lock|sux_lock|srw_lock\w*|index_lock)\b")
_OLD = re.compile(r"(pfs_)?rw_lock_(s|x|sx)_lock\w*|sync_array_wait_event|sync_array_reserve_\w+")
# frames between the system call and the caller
_BETWEEN = re.compile(
    r"syscall|futex\w*|lll_\w+|pthread_\w+|os_event\w*|os_cond\w*|native_cond\w*|my_cond\w*"
    r"|srw_pause|ut_delay|sync_array\w*|mutex_spin_wait|std::\w+|mtr_t::(s|x|sx|u)_lock\w*"
    r"|mtr_(s|x|sx)_lock\w*|page_hash_latch::\w+|transactional_\w+"
    # methods of mutexes and events, which a compiler inlined without the name of their class
    r"|(?:enter|lock|wait|wait_low|wait_time_low|acquire)$"
)
# InnoDB's mutexes of 5.5 to 5.7, in which a thread spins, sleeps or waits for an event
_MUTEX = re.compile(
    r"mutex_spin_wait|mutex_enter_func|pfs_mutex_enter_func"
    r"|(TTAS(Event|Futex)Mutex|OSTrackMutex|PolicyMutex|SyncMutex|ib_mutex)(::\w+)?"
)
_SPINS = re.compile(r"nanosleep|os_thread_sleep\w*")
_READS = re.compile(r"(^|::|_)(psi_)?(rd|s)_(lock|wait)|rw_lock_s_lock|s_lock(?!\w)")
_UPDATES = re.compile(r"(^|::|_)u_lock|sx_lock|psi_u_lock|u_wr_upgrade")
_MOST_BETWEEN = 24
_CALLERS = (
    (r"buf_page_get\w*|buf_page_optimistic\w*|mtr_t::page_lock|mtr_t::upgrade\w*|buf_page_mtr_lock|btr_block_get\w*",
     "buf_block_lock"),
    (r"btr_search_\w+|btr_sea\w*::\w+", "btr_search_latch"),
    ((r"btr_cur_t::\w+|btr_cur_search_to_nth_level\w*|btr_cur_open_at\w*|btr_pcur_\w+"
     r"|mtr_t::index_lock\w*"), "index_tree_lock"),
    (r"dict_sys_t::\w+|row_mysql_(lock|freeze)_data_dictionary\w*", "dict_operation_lock"),
    (r"lock_sys_t::\w+|lock_\w+|(TM)?Lock(Multi|Mutex)?Guard(::\w+)?", "lock_sys_mutex"),
    (r"trx_rseg_t::\w+|trx_undo_assign\w*|trx_sys_t::history_size\w*", "rseg_mutex"),
    (r"fil_space_t::\w+|fsp_\w+|fseg_\w+", "fil_space_latch"),
    (r"mtr_t::(commit|do_write|finish_write\w*)|log_\w+|log_t::\w+", "log_sys_mutex"),
)  # fmt: skip
_MUTEX_CALLERS = (
    (
        re.compile(r"dict_table_(open|close|check|get)\w*|dict_mutex_enter_for_mysql\w*"),
        "dict_sys_mutex",
    ),
)
_LATCHES = tuple((re.compile(pattern), latch) for pattern, latch in _CALLERS)
# Functions that run inside the code a latch protects.
_INSIDE = {
    "index_tree_lock": frozenset(
        {
            "btr_page_split_and_insert", "btr_root_raise_and_insert", "btr_compress",
            "btr_cur_pessimistic_insert", "btr_cur_pessimistic_delete",
            "btr_cur_pessimistic_update", "btr_lift_page_up", "btr_attach_half_pages",
        }
    ),
    "dict_sys_mutex": frozenset(
        {"dict_stats_save", "dict_load_table", "fil_delete_tablespace", "row_drop_table_for_mysql"}
    ),
    "dict_operation_lock": frozenset(
        {"row_drop_table_for_mysql", "dict_load_table", "dict_stats_save", "ha_innobase::create"}
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StackWait:
    latch: str
    """Id of latches.yaml."""
    mode: str
    """S, X, SX or mutex."""
    function: str
    """Function that requested the latch."""


def waits_for(functions: Sequence[str]) -> StackWait | None:
    """Return the latch that a stack (innermost first) waits for; None without a known latch."""
    waits = of_mutex = False
    inner: list[str] = []
    for name in functions[:_MOST_BETWEEN]:
        key = function_key(name)
        if _SLIM.match(key) or _OLD.match(key):
            waits = True
        elif _MUTEX.fullmatch(key):
            of_mutex = True
        elif of_mutex and not _BETWEEN.match(key):
            found = (latch for pattern, latch in _MUTEX_CALLERS if pattern.fullmatch(key))
            latch = next(found, None)
            return StackWait(latch, "mutex", key) if latch else None
        elif not (_BETWEEN.match(key) or _SPINS.fullmatch(key)):
            return _named(key, inner) if waits else None
        inner.append(key)
    return None


def inside(latch: str, functions: Sequence[str]) -> bool:
    """Return whether a stack runs inside the code that the latch protects."""
    wanted = _INSIDE.get(latch)
    return bool(wanted and wanted.intersection(function_key(function) for function in functions))


def _named(caller: str, inner: Sequence[str]) -> StackWait | None:
    if not any(_waiting(name) for name in inner):
        return None  # it takes or releases a latch without waiting
    if any(name.startswith("page_hash_latch") for name in inner):
        return StackWait("page_hash_latch", _mode(inner), caller)
    if any(name.startswith("index_lock") for name in inner):
        return StackWait("index_tree_lock", _mode(inner), caller)
    text = next((latch for pattern, latch in _LATCHES if pattern.fullmatch(caller)), None)
    return StackWait(text, _mode(inner), caller) if text else None


def _waiting(name: str) -> bool:
    """Return whether a function waits: slim latches in ...::wait, old ones in an event."""
    return name.startswith(("sync_array_wait", "os_event", "rw_lock_x_lock_wait")) or bool(
        _SLIM.match(name) and re.search(r"::\w*wait", name)
    )


def _mode(inner: Sequence[str]) -> str:
    text = " ".join(inner)
    if _UPDATES.search(text):
        return "SX"
    return "S" if _READS.search(text) else "X"


__all__ = ["StackWait", "inside", "waits_for"]
