"""Identical stacks are one group with a lasting key and a name that says something."""

from __future__ import annotations

from typing import Any

from pileup.analysis.stacks.groups import name_of, stack_groups


def row(line: int, count: int, *functions: str, samples: int = 1) -> dict[str, Any]:
    frames = [{"function": f, "file": None, "line": line, "library": None} for f in functions]
    return {
        "count": count, "samples": samples, "frames": frames, "threads": [], "line_first": line,
        "line_last": line, "artifact": "a", "snapshot": 0, "time": None,
    }  # fmt: skip


def test_arguments_and_lines_do_not_part_a_group() -> None:
    """One group of 3 + 4 threads, whose key is the same in the next sample."""
    found = stack_groups(
        [
            row(1, 3, "futex_wait", "row_search_mvcc(unsigned char*)", "main"),
            row(9, 4, "futex_wait", "row_search_mvcc", "main"),
        ]
    )
    assert [(group.count, len(group.rows)) for group in found] == [(7, 2)]
    again = stack_groups([row(70, 1, "futex_wait", "row_search_mvcc", "main")])
    assert again[0].key == found[0].key


def test_merged_samples_count_threads_at_once() -> None:
    assert stack_groups([row(1, 30, "poll", "main", samples=10)])[0].count == 3


def test_a_name_says_what_is_waited_for_and_in_what() -> None:
    """The latch function of the wait, and the first function that does the server's work."""
    spin = ("ut_delay", "rw_lock_s_lock_spin", "pfs_rw_lock_s_lock_func", "row_search_mvcc", "main")
    assert name_of(spin) == "rw_lock_s_lock_spin in row_search_mvcc"
    assert name_of(("__futex", "pthread_cond_wait", "do_work", "main")) == "do_work"
    assert name_of(("__GI___poll", "libc.so.6::??", "??")) == "__GI___poll"
    assert name_of(("??",)) == "unknown functions"


def test_a_socket_wait_is_idle_whatever_libc_calls_it() -> None:
    """vio_io_wait below do_command waits for the client."""
    names = ("__GI___poll", "vio_io_wait", "vio_socket_io_wait", "vio_read", "my_real_read")
    assert stack_groups([row(1, 5, *names, "my_net_read", "do_command")])[0].idle
