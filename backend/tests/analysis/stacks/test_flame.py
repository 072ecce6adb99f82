"""Stacks as a tree: widths are threads, idle ones set aside, two sets beside each other."""

from __future__ import annotations

import pytest

from pileup.analysis.evidence.activity import activity
from pileup.analysis.evidence.context import Span
from pileup.analysis.stacks import flame as flame_module
from pileup.analysis.stacks.flame import Thread, flame, heat, threads
from pileup.knowledge import match_stack
from pileup.records import Frame, Record, Snapshot, Stack
from tests.analysis.frames import T0, S, evidence

MAIN = ("do_command", "handle_connection", "start_thread")
RUNS = ("row_search_mvcc", "ha_innobase::index_read", *MAIN)
LATCH = ("futex_wait", "rw_lock_x_lock_func", "btr_cur_search_to_nth_level", *MAIN)
IDLE = ("poll", "vio_io_wait", "vio_read", "my_net_read", "do_command", "start_thread")


def sample(number: int, at: int, **counts: int) -> list[Record]:
    stacks = {"runs": RUNS, "latch": LATCH, "idle": IDLE}
    return [
        Snapshot(
            line_first=1, line_last=9, kind="stacks", snapshot=number, wall_us=at, clock="utc"
        ),
        *(
            Stack(
                line_first=1, line_last=9, count=count, snapshot=number, wall_us=at, clock="utc",
                frames=tuple(Frame(function=f) for f in stacks[name]),
            )
            for name, count in counts.items()
        ),
    ]  # fmt: skip


def stacks(*samples: list[Record]):  # type: ignore[no-untyped-def]
    return evidence({"gdb": [item for some in samples for item in some]}).frames["stack"]


def test_widths_are_threads_and_idle_is_set_aside() -> None:
    document = flame(threads(stacks(sample(0, T0, runs=3, latch=7, idle=90))))
    assert document.samples == 1
    assert document.activity == {"cpu": 3, "latch": 7, "idle": 90}
    by_name = {node.name: node for node in document.nodes}
    assert by_name["all"].total == 10
    assert by_name["do_command"].total == 10
    assert (by_name["futex_wait"].total, by_name["futex_wait"].self_) == (7, 7)
    assert "poll" not in by_name
    whole = flame(threads(stacks(sample(0, T0, runs=3, idle=90))), idle=True)
    assert whole.nodes[0].total == 93


def test_callers_come_first_and_the_widest_first() -> None:
    nodes = flame(threads(stacks(sample(0, T0, runs=3, latch=7)))).nodes
    assert all(node.parent < at for at, node in enumerate(nodes))
    below = [node.name for node in nodes if node.parent == 3]
    assert below == ["btr_cur_search_to_nth_level", "ha_innobase::index_read"]


@pytest.mark.parametrize(
    ("most", "names", "pruned"),
    [
        (5, ["all", "main", "wide", "narrow", "deep"], 0),
        (4, ["all", "main", "wide", "deep"], 1),
        (3, ["all", "main", "wide"], 2),
        (1, ["all"], 1),
    ],
)
def test_of_too_many_nodes_the_widest_stay(
    monkeypatch: pytest.MonkeyPatch, most: int, names: list[str], pruned: int
) -> None:
    """Also where a narrow one comes before a wide one that is deeper."""
    monkeypatch.setattr(flame_module, "MOST_NODES", most)
    made = [
        Thread(("a", 0), T0, stack, count, 1, "cpu")
        for stack, count in ((("main", "wide", "deep"), 9), (("main", "narrow"), 2))
    ]
    found = flame(made)
    assert ([node.name for node in found.nodes], found.pruned) == (names, pruned)


def test_two_windows_in_one_tree() -> None:
    frame = stacks(sample(0, T0, runs=8), sample(1, T0 + 60 * S, runs=1, latch=9))
    before = threads(frame, Span(T0 - S, T0 + S))
    after = threads(frame, Span(T0 + 59 * S, T0 + 61 * S))
    document = flame(before, after)
    node = next(n for n in document.nodes if n.name == "rw_lock_x_lock_func")
    assert (node.total, node.total_b) == (0, 9)
    assert (document.nodes[0].total, document.nodes[0].total_b) == (8, 10)


def test_heat_over_time() -> None:
    frame = stacks(sample(0, T0, runs=8), sample(1, T0 + S, runs=1, latch=9))
    document = heat(threads(frame))
    rows = dict(zip(document.functions, document.counts, strict=True))
    assert rows["rw_lock_x_lock_func"] == [0, 9]
    assert rows["row_search_mvcc"] == [8, 1]
    assert "do_command" not in rows
    # index_read was there whenever row_search_mvcc was: the inner one stands for both
    assert "ha_innobase::index_read" not in rows


def test_nothing_is_an_empty_tree() -> None:
    document = flame(threads(None))
    assert (document.samples, [n.name for n in document.nodes]) == (0, ["all"])
    assert heat(threads(None)).functions == []


def test_a_deep_and_wide_input_is_bounded() -> None:
    many = [
        Stack(
            line_first=1, line_last=1, count=1, snapshot=0, wall_us=T0, clock="utc",
            frames=tuple(Frame(function=f"f{n}_{d}") for d in range(50)),
        )
        for n in range(1000)
    ]  # fmt: skip
    document = flame(threads(stacks([*sample(0, T0, runs=5), *many])))
    assert len(document.nodes) <= 4000
    assert document.pruned > 0
    assert document.nodes[0].total == 1005


@pytest.mark.parametrize(
    ("functions", "doing"),
    [
        (LATCH, "latch"),
        (RUNS, "cpu"),
        (IDLE, "idle"),
        (("fsync", "os_file_fsync_posix", "log_write_up_to"), "io"),
        (("__libc_send", "vio_write", "net_write_packet", "do_command"), "net"),
        (("futex_wait", "__pthread_cond_wait", "something_new"), "waiting"),
        (("??", "my_own_function"), "cpu"),
    ],
)
def test_what_a_thread_does(functions: tuple[str, ...], doing: str) -> None:
    assert activity(functions, match_stack(functions)) == doing
