"""Stacks of all threads: gdb's `thread apply all bt`, and pt-pmp's aggregation."""

from __future__ import annotations

from collections import Counter

from benchmarks.incidents.rendering.frames import background, frames
from benchmarks.incidents.rendering.printed import Printed, is_idle
from benchmarks.incidents.simulation import Moment

_STATIC = (
    "row_sel_try_search_shortcut_for_mysql",
    "execute_sqlcom_select",
    "row_upd_clust_step",
    "evaluate_join_record",
    "log_free_check_wait",
    "open_table_get_mdl_lock",
    "handle_connection",
    "pfs_spawn_thread",
    "rr_quick",
    "open_and_process_table",
    "join_read_key",
    "wait_for_lock",
    "buf_read_page_low",
    "event_scheduler_thread",
    "row_mysql_handle_errors",
    "inline_mysql_cond_wait",
    "log_checkpoint_margin",
    "innobase_flush_logs",
)
"""Functions whose names a stripped binary lacks: they print as ??."""


def _excerpt(
    threads: list[tuple[int, int, list[str]]], printed: Printed, moment: Moment
) -> list[tuple[int, int, list[str]]]:
    """Keep what somebody pastes of a long listing: some threads that run statements."""
    busy = {
        printed.thread(s): s.wait is not None
        for s in moment.sessions
        if not is_idle(s) and not s.background
    }
    shown = [thread for thread in threads if thread[0] in busy]
    shown.sort(key=lambda thread: busy[thread[0]])
    return shown[: printed.rng.randrange(6, 30)] or threads


def _stacks(printed: Printed, moment: Moment) -> list[tuple[int, int, list[str]]]:
    """Return pthread, LWP and frames of every thread, newest first."""
    threads = [
        (printed.thread(s), printed.lwp(s), frames(s, printed.server))
        for s in moment.sessions
        if not s.background
    ]
    threads.reverse()
    pthread, lwp = (
        0x7E00_0000_0000 + printed.rng.randrange(1 << 28) * 256,
        printed.lwp(moment.sessions[0]) - 90,
    )
    for count, names in background(printed.server):
        for _ in range(count):
            pthread, lwp = pthread - 0x801000, lwp - 1
            threads.append((pthread, lwp, names))
    return threads


def _shown(names: list[str], *, stripped: bool) -> list[str]:
    return ["??" if stripped and name in _STATIC else name for name in names]


def gdb(printed: Printed, moment: Moment, *, stripped: bool = False, excerpt: bool = False) -> str:
    """Print the stacks as gdb does; ``excerpt``: of a few busy threads only."""
    threads = _stacks(printed, moment)
    if excerpt:
        threads = _excerpt(threads, printed, moment)
    lines = [
        "[Thread debugging using libthread_db enabled]",
        'Using host libthread_db library "/lib64/libthread_db.so.1".',
        "",
    ]
    for number, (pthread, lwp, names) in zip(range(len(threads), 0, -1), threads, strict=True):
        tail = "" if printed.server.old else f' "{printed.server.binary}"'
        lines.append(f"Thread {number} (Thread {pthread:#x} (LWP {lwp}){tail}):")
        address = 0x00007F00_0000_0000 + printed.rng.randrange(1 << 24) * 16
        for at, name in enumerate(_shown(names, stripped=stripped)):
            address += 0x1510 + len(name) * 64
            where = f"0x{address:016x} in " if at or "wait" in name else ""
            plain = name.split("(")[0]
            if name == "??" or "::??" in name:
                lines.append(
                    f"#{at:<2} {where or f'0x{address:016x} in '}?? ()"
                    + (" from /lib64/" + name.split("(")[1].rstrip(")") if "(" in name else "")
                )
            elif plain in ("start_thread", "clone", "clone3") or plain.startswith(
                ("pthread_", "__pthread")
            ):
                lines.append(f"#{at:<2} {where}{plain} () from /lib64/libpthread.so.0")
            else:
                lines.append(f"#{at:<2} {where}{plain} ()")
        lines.append("")
    return "\n".join(lines) + "\n"


def pmp(printed: Printed, moment: Moment, *, stripped: bool = False, excerpt: bool = False) -> str:
    """Print the stacks as pt-pmp does; ``excerpt``: of a few busy threads only."""
    threads = _stacks(printed, moment)
    if excerpt:
        threads = _excerpt(threads, printed, moment)
    counted = Counter(
        ",".join(
            "::??" if name == "??" else name.split("@@")[0]
            for name in _shown(names, stripped=stripped)
        )
        for _, _, names in threads
    )
    lines = [f"{count:>7} {stack}" for stack, count in counted.most_common()]
    return "\n".join(lines) + "\n"
