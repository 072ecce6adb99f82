"""Read the names and values of a server's variables; the kind and the unit of those of its status.

Source: the manuals (Server Status Variables of MySQL, MariaDB, Percona Server, Galera), and which
        names the servers of the test captures print. What is not named here is a counter: a server
        has ten counters for a gauge. LSNs only grow, so they are counters too (of bytes).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from pileup.records import Problem

_GAUGES = re.compile(
    "|".join(
        (
            # threads, sessions, tables, files
            r"threads_(cached|connected|running)|threadpool_(idle_)?threads|open_\w+|uptime\w*",
            r"max_used_connections\w*|prepared_stmt_count|delayed_(insert_threads|writers)",
            r"not_flushed_delayed_rows|table_open_cache_active_instances|ongoing_\w+|acl_\w+",
            r"(global_connection|max)?_?memory_used\w*|global_connection_memory|stack_usage",
            r"last_query_\w+|compression(_\w+)?|net_buffer_length|deprecated_\w+_last_timestamp",
            r"error_log_(buffered_\w+|latest_write)|performance_schema_\w+_longest_seen",
            r"tc_log_(max_pages_used|page_size)|ndb_(cluster|config|number)_\w+",
            # caches of pages and of queries
            r"(key|aria_pagecache)_blocks_\w+|qcache_(free_\w+|queries_in_cache|total_blocks)",
            # InnoDB
            r"innodb_buffer_pool_(pages_(data|dirty|free|latched|misc|total|old)|bytes_(data|dirty))",
            r"innodb_buffer_pool_(load|dump|resize)_\w+|innodb_page_size|innodb_num_open_files",
            r"innodb_row_lock_(current_waits|time_avg|time_max)|innodb_current_row_locks",
            r"\w+_pending_\w+|innodb_history_list_length|innodb_checkpoint_(max_|target_)?age",
            r"innodb_redo_log_(logical_size|physical_size|capacity_resized|read_only|enabled|uuid)",
            r"innodb_ibuf_(size|free_list|segment_size)|innodb_adaptive_hash_(cells|heap_buffers)",
            r"innodb_mem_\w+|innodb_(descriptors|read_views)_memory|innodb_dict_tables",
            r"innodb_available_undo_logs|innodb_undo_tablespaces_\w+|innodb_have_\w+",
            r"innodb_onlineddl_\w*pct\w*|innodb_encryption_rotation_estimated_iops",
            r"innodb_(oldest_view_low_limit_trx_id|purge_undo_no)",
            # replication, Galera
            r"(slave|replica)_(running|open_temp_tables|heartbeat_period|last_heartbeat)",
            r"slaves_(connected|running)|rpl_status|binlog_snapshot_position|binlog_disk_use",
            r"rpl_semi_sync_\w+_(clients|status|net_avg_wait_time|tx_avg_wait_time|wait_sessions)",
            r"wsrep_local_(recv|send)_queue(_(avg|min|max))?|wsrep_(cluster|cert_index)_(size|conf_id)",
            r"wsrep_(flow_control_paused|cert_(deps_distance|interval)|apply_\w+|commit_(oo\w+|window))",
            r"wsrep_(local_(index|state)|protocol_version|\w*thread_count|open_\w+|gcache_pool_size)",
            r"wsrep_(desync_count|connected|ready|flow_control_(active|interval\w*))",
            # X plugin, SSL (except event counters), TokuDB
            r"mysqlx_(port|socket|worker_threads\w*)",
            r"(mysqlx_)?ssl_(\w*(mode|depth|timeout|size|version|cipher\w*|entries)|server_\w+)",
            r"tokudb_\w*(_current|_now|_max|_limit|_ratio|_period|_last|_memory_used|_lock_requests)",
            r"tokudb_cachetable_size_(cloned|leaf|nonleaf|rollback|writing)",
        )
    ),
    re.IGNORECASE,
)
_UNITS = {
    "attempts": "Aborted_connects Connections",
    "batches": "Innodb_dblwr_writes",
    "blocks": "Qcache_free_blocks",
    "boolean": "Rpl_semi_sync_master_status",
    "bytes": (
        "Binlog_snapshot_position Bytes_received Bytes_sent Innodb_checkpoint_age "
        "Innodb_checkpoint_max_age Innodb_mem_adaptive_hash Innodb_os_log_written"
    ),
    "calls": "Handler_commit Handler_prepare",
    "connections": "Aborted_clients Max_used_connections Threads_connected",
    "deadlocks": "Innodb_deadlocks",
    "definitions": "Open_table_definitions Opened_table_definitions",
    "errors": (
        "Connection_errors_internal Connection_errors_max_connections "
        "Connection_errors_peer_address"
    ),
    "events": "Innodb_truncated_status_writes Innodb_undo_truncations",
    "evictions": "Table_open_cache_overflows",
    "files": "Created_tmp_files Innodb_num_open_files Open_files Opened_files",
    "fsyncs": "Innodb_data_fsyncs Innodb_os_log_fsyncs",
    "groups": "Binlog_group_commits",
    "hits": "Qcache_hits",
    "inserts": "Qcache_inserts",
    "instances": "Performance_schema_mutex_instances_lost",
    "joins": "Select_full_join Select_range Select_scan",
    "locks": "Table_locks_immediate",
    "lookups": "Table_open_cache_hits Table_open_cache_misses",
    "us": "Rpl_semi_sync_master_tx_avg_wait_time",
    "ms": ("Innodb_row_lock_time Innodb_row_lock_time_avg Innodb_row_lock_time_max"),
    "operations": (
        "Innodb_data_pending_fsyncs Innodb_data_pending_reads Innodb_data_pending_writes "
        "Innodb_data_reads Innodb_data_writes Innodb_os_log_pending_fsyncs "
        "Innodb_os_log_pending_writes"
    ),
    "pages": (
        "Innodb_buffer_pool_pages_data Innodb_buffer_pool_pages_dirty "
        "Innodb_buffer_pool_pages_flushed Innodb_buffer_pool_pages_free "
        "Innodb_buffer_pool_pages_LRU_flushed Innodb_buffer_pool_pages_misc "
        "Innodb_buffer_pool_pages_total Innodb_buffer_pool_read_ahead "
        "Innodb_buffer_pool_read_ahead_evicted Innodb_dblwr_pages_written"
    ),
    "passes": "Sort_merge_passes",
    "prunes": "Qcache_lowmem_prunes",
    "reads": "Innodb_buffer_pool_read_requests Innodb_buffer_pool_reads",
    "requests": "Innodb_log_write_requests",
    "rounds": "Innodb_mutex_spin_rounds",
    "rows": (
        "Handler_delete Handler_read_key Handler_read_next Handler_read_rnd_next "
        "Handler_update Handler_write Innodb_rows_deleted Innodb_rows_inserted "
        "Innodb_rows_read Innodb_rows_updated Sort_rows"
    ),
    "searches": ("Innodb_adaptive_hash_hash_searches Innodb_adaptive_hash_non_hash_searches"),
    "s": "Uptime Uptime_since_flush_status",
    "sessions": "Rpl_semi_sync_master_wait_sessions",
    "statements": (
        "Com_alter_table Com_analyze Com_commit Com_create_table Com_delete Com_drop_table "
        "Com_flush Com_insert Com_purge Com_replace Com_rollback Com_select "
        "Com_show_processlist Com_show_status Com_truncate Com_update Qcache_not_cached "
        "Queries Questions Slow_queries"
    ),
    "tables": "Created_tmp_disk_tables Created_tmp_tables Open_tables Opened_tables",
    "threads": "Slow_launch_threads Threads_cached Threads_created Threads_running",
    "transactions": (
        "Binlog_cache_disk_use Binlog_cache_use Binlog_commits Innodb_row_lock_current_waits "
        "Rpl_semi_sync_master_no_tx Rpl_semi_sync_master_yes_tx"
    ),
    "undo logs": "Innodb_history_list_length",
    "waits": (
        "Innodb_buffer_pool_wait_free Innodb_log_waits Innodb_mutex_os_waits "
        "Innodb_mutex_spin_waits Innodb_row_lock_waits Innodb_s_lock_os_waits "
        "Innodb_x_lock_os_waits Table_locks_waited"
    ),
    "writes": "Innodb_buffer_pool_write_requests Innodb_log_writes",
}

UNITS: dict[str, str] = {
    name.lower(): unit for unit, names in _UNITS.items() for name in names.split()
}
_PREFIX_UNITS = (("com_", "statements"), ("handler_", "calls"))


@lru_cache(maxsize=8192)  # a hostile file may have any number of names
def variable_kind(name: str) -> Literal["counter", "gauge"]:
    """Return whether a variable is a counter (its difference over time matters) or a gauge."""
    return "gauge" if _GAUGES.fullmatch(name) else "counter"


@lru_cache(maxsize=8192)  # a hostile file may have any number of names
def variable_unit(name: str) -> str | None:
    """Return the unit of a variable, or None when it is unknown."""
    lower = name.lower()
    known = UNITS.get(lower)
    return known or next((unit for prefix, unit in _PREFIX_UNITS if lower.startswith(prefix)), None)


FIRST_VARIABLES = frozenset(
    (
        "activate_all_roles_on_login",  # MySQL 8
        "allow_suspicious_udfs",  # MariaDB 10.9
        "alter_algorithm",  # MariaDB 10.3
        "aria_block_size",  # MariaDB 5.1
        "auto_increment_increment",  # MySQL 5.0
    )
)
"""SHOW VARIABLES begins with one of them; the last is in every version."""
_SECRETS = ("password", "secret")
HIDDEN = "(hidden)"
"""In place of a password: the same for each source, so that no two of them seem to differ."""
_LOWER_STATUS = "option_tracker_usage"
_WSREP_VARIABLES = frozenset({
    "osu_method", "allowlist", "auto_increment_control", "causal_reads", "certification_rules",
    "certify_nonpk", "cluster_address", "cluster_name", "convert_lock_to_trx", "data_home_dir",
    "dbug_option", "debug", "desync", "dirty_reads", "drupal_282555_workaround",
    "forced_binlog_format", "gtid_domain_id", "gtid_mode", "load_data_splitting",
    "log_conflicts", "max_ws_rows", "max_ws_size", "mode", "mysql_replication_bundle",
    "node_address", "node_incoming_address", "node_name", "notify_cmd", "on", "provider",
    "provider_options", "recover", "reject_queries", "replicate_myisam", "restart_slave",
    "retry_autocommit", "slave_fk_checks", "slave_threads", "slave_uk_checks", "sst_auth",
    "sst_donor", "sst_donor_rejects_queries", "sst_method", "sst_receive_address",
    "start_position", "status_file", "strict_ddl", "sync_wait", "trx_fragment_size",
    "trx_fragment_unit", "applier_threads", "ignore_apply_errors", "min_log_verbosity",
    "disk_pages_encrypt", "gcache_encrypt", "applier_fk_checks", "applier_uk_checks",
})  # fmt: skip
"""Names behind wsrep_, of MariaDB and Percona XtraDB Cluster; the others of wsrep are status."""


def is_variable(name: str) -> bool:
    """Whether SHOW VARIABLES prints the name; nearly all of SHOW STATUS begin with a capital."""
    if name.startswith("wsrep_"):
        return name.removeprefix("wsrep_").lower() in _WSREP_VARIABLES
    return name[:1].islower() and not name.startswith(_LOWER_STATUS)


def shown(name: str, value: str | None) -> str | None:
    """Return a variable's value, but for passwords; a number (a length, a switch) is not one."""
    hidden = value and not value.isdigit() and any(word in name for word in _SECRETS)
    return HIDDEN if hidden else value


def parse_value(text: str) -> float | None:
    """Convert a printed value to a number; None for a text or a number that no counter holds."""
    if not text or text[0] not in "-0123456789." or "_" in text:
        return None
    if "," in text:
        if not _IN_THOUSANDS.fullmatch(text):
            return None
        text = text.replace(",", "")
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < 2**63 else None


_IN_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
"""A number that a person or a dashboard prints: 1,998."""


def not_a_number_problem(name: str, text: str, number: int) -> Problem | None:
    """Report a text as the value of a variable whose values are numbers; else None."""
    if variable_unit(name) in (None, "boolean"):
        return None
    message = f"{name} is not a number here; it was left out."
    return Problem(number, message, expected="a number", found=text[:200])
