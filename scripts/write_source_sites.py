"""Write knowledge/data/source_sites.parquet from a table of source sites (tab separated).

Columns: version, file, line, end_line, function, latch, mode, kind (created, acquired), via. The
table comes from a text scan of server sources, including all code under preprocessor conditions.
Usage: write_source_sites.py TABLE.tsv
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

TARGET = (
    Path(__file__).resolve().parents[1] / "backend/src/pileup/knowledge/data/source_sites.parquet"
)
_CORRECTIONS = (
    # function, latch by the scan, call ("": any), latches that the function creates, by line
    # The scan took the ordering level (SYNC_INDEX_TREE) for the latch.
    ("dict_table_stats_latch_alloc", "index_tree_lock", "", ("dict_table_stats_latch",)),
    ("dict_init", "index_tree_lock", "rw_lock_create", ("dict_table_stats_latch",)),
    ("dict_init", "index_tree_lock", "mutex_create", ("dict_index_stat_mutex",)),
    ("dict_mem_table_create", "index_tree_lock", "", ("dict_table_stats_latch",)),
    # It took the structure for its mutex: log_sys->checkpoint_lock, log_sys->write_mutex, ...
    ("log_init", "log_sys_mutex", "rw_lock_create", ("log_checkpoint_lock", "log_archive_lock")),
    ("log_t::create", "log_sys_mutex", "rw_lock_create", ("log_checkpoint_lock",)),
    ("log_init", "log_sys_mutex", "mutex_create", ("log_sys_mutex", "log_write_mutex")),
    ("srv_init", "srv_sys_mutex", "", ("srv_sys_mutex", "srv_sys_tasks_mutex")),
    ("trx_sys_create", "trx_sys_mutex", "", ("trx_sys_mutex", "trx_sys_serialisation_mutex")),
    ("buf_pool_create", "free_list_mutex", "", ("free_list_mutex", "zip_free_mutex")),
    ("buf_pool_init", "free_list_mutex", "", ("free_list_mutex", "zip_free_mutex")),
    ("buf_pool_init_instance", "free_list_mutex", "", ("free_list_mutex", "zip_free_mutex")),
    ("fil_init", "fil_system_mutex", "", ("fil_system_mutex", "fil_extend_mutex")),
    ("recv_sys_create", "recv_sys_mutex", "", ("recv_sys_mutex", "recv_writer_mutex")),
    ("recv_sys_create", "buf_block_lock", "mutex_create", ("recv_writer_mutex",)),
    ("btr_search_sys_create", "btr_search_latch", "mutex_create", ("btr_search_enabled_mutex",)),
    # The array of 8.0 that holds rollback segments, and a segment's mutex.
    ("Rsegs::init", "rseg_mutex", "rw_lock_create", ("rsegs_lock",)),
    ("trx_rseg_mem_create", "trx_sys_mutex", "", ("rseg_mutex",)),
    ("trx_rseg_mem_initialize", "trx_sys_mutex", "", ("rseg_mutex",)),
    # The queue of rollback segments to purge, not the latch of the purge view.
    ("trx_purge_sys_create", "purge_latch", "mutex_create", ("purge_queue_mutex",)),
    ("trx_purge_sys_mem_create", "purge_latch", "mutex_create", ("purge_queue_mutex",)),
    ("purge_sys_t::create", "purge_latch", "mutex_create", ("purge_queue_mutex",)),
    ("purge_sys_t::create", "purge_latch", "mysql_mutex_init", ("purge_queue_mutex",)),
    # A spatial search's private copy of a page.
    ("rtr_create_rtr_info", "buf_block_lock", "", ("rtr_matches_block_lock",)),
    ("rtr_create_rtr_info", "buf_block_mutex", "", ("rtr_matches_block_lock",)),
    ("Context::Context", "autoinc_mutex", "", ("ddl_autoinc_mutex",)),
    # Latches that the scan knew by their key only.
    ("hash_create_sync_obj", "hash_table_locks_key", "", ("page_hash_latch",)),
    ("hash_create_sync_obj_func", "hash_table_rw_lock_key", "", ("page_hash_latch",)),
    ("trx_i_s_cache_init", "trx_i_s_cache_lock_key", "", ("trx_i_s_cache_lock",)),
    ("trx_i_s_cache_init", "rw_lock", "", ("trx_i_s_cache_lock",)),
)
"""Corrections of the scan, by the function that creates the latch."""
_WORDS = ("version", "file", "function", "latch", "mode", "kind", "via")


def main() -> None:
    """Write the table sorted, with categories and zstd, which shrinks 17 MB to half a megabyte."""
    table = pl.read_csv(sys.argv[1], separator="\t", quote_char=None, infer_schema_length=0)
    table = _corrected(table.with_columns(pl.col("line", "end_line").cast(pl.Int32))).sort(
        "file", "function", "via", "version", "line"
    )
    table = table.with_columns(pl.col(name).cast(pl.Categorical) for name in _WORDS)
    table.write_parquet(TARGET, compression="zstd", compression_level=19)


def _corrected(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with the latches that the functions really create."""
    order = pl.col("line").rank("ordinal").over("version", "file", "function", "latch", "via") - 1
    table = table.with_columns(order.alias("order"), pl.col("latch").alias("scanned"))
    for function, scanned, call, latches in _CORRECTIONS:
        wrong = (
            (pl.col("kind") == "created")
            & (pl.col("function") == function)
            & (pl.col("scanned") == scanned)
            & ((pl.col("via") == call) if call else pl.lit(True))
        )
        for index, latch in enumerate(latches):
            last = index == len(latches) - 1
            nth = pl.col("order") >= index if last else pl.col("order") == index
            table = table.with_columns(
                pl.when(wrong & nth).then(pl.lit(latch)).otherwise("latch").alias("latch")
            )
    return table.drop("order", "scanned")


if __name__ == "__main__":
    main()
