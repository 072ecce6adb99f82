"""Latches by stacks alone: who waits for which, who is inside. Shapes as real pt-pmp prints."""

from __future__ import annotations

import pytest

from pileup.analysis.evidence import latch_stacks
from pileup.analysis.waits import moment_graph
from pileup.formats.stacks.parts.function_names import bare_function
from tests.analysis.waits.test_commit_graph import pmp
from tests.analysis.waits.test_waits import evidence

PAGE = (
    "syscall srw_mutex_impl<true>::wait srw_mutex_impl<true>::wait_and_lock "
    "srw_mutex_impl<true>::wr_lock ssux_lock_impl<true>::wr_lock sux_lock<ssux_lock_impl<true> "
    "buf_page_get_low btr_cur_t::search_leaf btr_pcur_open row_search_on_row_ref"
)
LOG = (
    "syscall srw_mutex_impl<false>::wait ssux_lock_impl<false>::rd_wait "
    "ssux_lock_impl<false>::rd_lock srw_lock_impl<false>::psi_rd_lock "
    "srw_lock_impl<false>::rd_lock mtr_t::do_write mtr_t::commit row_upd_clust_step"
)
INDEX = (
    "syscall srw_mutex_impl<true>::wait ssux_lock_impl<true>::rd_wait index_lock::s_lock "
    "mtr_t::s_lock btr_cur_t::search_leaf row_ins_sec_index_entry_low"
)
OLD = (
    "futex_wait os_event::wait_low sync_array_wait_event rw_lock_s_lock_spin rw_lock_s_lock_func "
    "pfs_rw_lock_s_lock_func mtr_t::s_lock btr_cur_search_to_nth_level row_search_mvcc"
)


def plain(stack: str) -> list[str]:
    """As the formats hand them on: without template arguments."""
    return [bare_function(line, None) for line in stack.split()]


@pytest.mark.parametrize(
    ("stack", "latch", "mode"),
    [
        (PAGE, "buf_block_lock", "X"),
        (LOG, "log_sys_mutex", "S"),
        (INDEX, "index_tree_lock", "S"),
        (OLD, "index_tree_lock", "S"),
    ],
)
def test_the_caller_names_the_latch(stack: str, latch: str, mode: str) -> None:
    found = latch_stacks.waits_for(plain(stack))
    assert found is not None
    assert (found.latch, found.mode) == (latch, mode)


@pytest.mark.parametrize(
    "stack",
    [
        "ssux_lock_impl<true>::rd_unlock page_hash_latch::unlock_shared buf_page_get_low",
        "ssux_lock_impl<true>::rd_lock_try ssux_lock_impl<true>::rd_lock buf_page_get_low",
        "rw_lock_s_lock_low rw_lock_s_lock_func pfs_rw_lock_s_lock_func buf_page_get_low",
        "syscall srw_mutex_impl<true>::wait somebody_else",
        "syscall io_submit os_aio buf_page_get_low",
        "",
    ],
)
def test_who_takes_releases_or_waits_for_something_else_waits_for_no_latch(stack: str) -> None:
    assert latch_stacks.waits_for(plain(stack)) is None


def test_a_split_is_who_the_others_wait_for() -> None:
    """MariaDB 10.6 and later: SEMAPHORES is empty, the one inside the latch is at work."""
    splits = "memcpy btr_page_split_and_insert btr_cur_pessimistic_insert row_ins_step"
    graph = moment_graph.wait_graph(evidence(pmp((30, INDEX), (1, splits))), None, fold=False)
    (root,) = graph.roots
    assert root.blocks_total == 30
    assert root.inferred
    assert "btr_page_split_and_insert" in " ".join(
        next(node for node in graph.nodes if node.id == root.node).stack
    )
    assert {edge.confidence for edge in graph.edges if edge.kind == "held_by"} == {0.7}


def test_of_a_page_latch_nobody_is_made_the_holder() -> None:
    graph = moment_graph.wait_graph(evidence(pmp((30, PAGE))), None, fold=False)
    assert not [edge for edge in graph.edges if edge.kind == "held_by"]
    assert any("Holder of the page latch (buf_block_lock) unknown" in note for note in graph.notes)
