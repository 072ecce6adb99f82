/**
 * Which part of the server a function belongs to, by the prefixes and classes that its sources use. A name
 * that fits none is of the SQL layer, which has no prefix of its own.
 * Source: storage/innobase/, sql/rpl_*, sql/binlog*, sql/wsrep*, vio/, sql/net_serv.cc, storage/*.
 */

export const MODULES = [
  'innodb',
  'sql',
  'replication',
  'network',
  'engine',
  'system',
  'unknown',
] as const
type Module = (typeof MODULES)[number]

/** Its name, and the token and share of its colour. */
export const MODULE: Readonly<Record<Module, { name: string; token: string; share: number }>> = {
  innodb: { name: 'InnoDB', token: '--cat-1', share: 34 },
  sql: { name: 'SQL layer', token: '--cat-3', share: 26 },
  replication: { name: 'binlog and replication', token: '--cat-4', share: 38 },
  network: { name: 'network', token: '--cat-5', share: 34 },
  engine: { name: 'other engines', token: '--cat-7', share: 34 },
  system: { name: 'libc and kernel', token: '--g7', share: 40 },
  unknown: { name: 'unknown', token: '--diff-none', share: 55 },
}

const UNKNOWN = /^(\?\?|\[unknown\]|0x[\da-f]+)?$/i
/** C library, POSIX threads, C++ runtime, allocators, system calls and the kernel. */
const SYSTEM =
  /^(_|std::|operator |futex|pthread|lll_|syscall|clone\d?$|start_thread|start_routine|sys_|do_sys|entry_SYSCALL|ret_from_fork|f(data)?sync|pread|pwrite|p?read(v2?|64)?$|p?write(v2?|64)?$|open(at)?(64)?$|close$|ioctl|io_(getevents|submit|uring)|nanosleep|clock_|usleep|sleep$|sched_|mem(cpy|set|cmp|move|chr)|str(n?cmp|n?cpy|len|dup|to)|(m|c|re)alloc$|free$|je_|tc_|mmap|munmap|madvise|native_|vfs_|ext4_|xfs_|btrfs_|jbd2_|blk_|submit_bio|schedule(_|$)|io_schedule|tcp_|inet_|ip_|x64_sys|ksys_|crypto_|lib[\w.+-]*(\.so[\w.]*)?(::|\()|ld-linux|pfs_spawn_thread|spawn_thread|aarch64_)/
const NETWORK =
  /^(vio_|Vio|net_(read|write|flush|real|send|clear)|my_net_|my_real_read|Protocol|poll$|ppoll|epoll|select$|recv|send(to|msg)?$|accept\d?$|connect$|SSL_|ssl_|BIO_|Mysqld_socket|Connection_handler|Mysqld_channel|inline_mysql_socket|handle_connections_sockets)/
const REPLICATION =
  /^(MYSQL_BIN_LOG|binlog_|Binlog|mysql_bin_log|THD::binlog|[Ss]lave_|handle_slave|mts_|Mts_|Rpl_|rpl_|Relay_|relay_|Gtid|gtid_|[\w:]*_[Ll]og_event\b|Log_event|Commit_order|Stage_manager|Commit_stage|repl_semi|ReplSemi|Repl_semi|Trans_delegate|Trans_observer|Binlog_|Master_info|Multisource|exec_relay|apply_event|queue_event|wsrep|Wsrep|galera|gcs_|gcomm|gu_|asio|Gcs_|xcom_|Certifier|Applier_|ordered_commit|group_commit|process_io_rotate|io_thread|sql_thread|compress_gtid|end_write_group_gtid)/
const ENGINE =
  /^(rocksdb::|myrocks::|ha_rocksdb|rdb_|ha_myisam|mi_|_mi_|ha_maria|ma_|_ma_|ha_tokudb|toku|ft_index|ha_archive|ha_blackhole|ha_heap|heap_|hp_|ha_federated|ha_partition|ha_ndb|Ndb|ha_csv|ha_tina|ha_spider|spider_|temptable::|ha_perfschema|pfs_|PFS_|table_[a-z_]+::|cursor_by_)/
const INNODB =
  /^((btr|buf|dict|fil|fsp|fseg|fts|ib|ibuf|mlog|mtr|os|page|que|rem|rec|row|rw_lock|rw_x|rw_s|srv|sync|trx|ut|univ|usr|data|dtuple|dfield|dyn|eval|pars|flst|fut|gis|rtr|ha_innobase|ha_innopart|innobase|innodb|innopart|lob|clone_|arch_|recv_|redo_|undo|purge|flush_|log_(write|writer|flush|flusher|buffer|closer|checkpoint|wait|free|group|io|reserve|append|request|update|block|files|sys|notifier)|lock_(rec|table|wait|trx|sec|clust|update|deadlock|validate|print|sys|release|move|prdt|has|get|cancel|grant|make)|mem_heap|mach|read_view|read_cursor|view_)(_|::|$)|rec_get|ReadView|MVCC|PolicyMutex|TTAS|OSMutex|Mutex(Debug|Monitor)|sync_array|ssux_lock|srw_|sux_lock|block_lock|index_lock|buf_|Buf_|Buffer_pool|Double_write|dblwr|log_t(::|$)|mtr_t|os_|AIO|LinuxAIO|Fil_|Tablespace|IORequest|SysTablespace|Row_|lock_t(::|$)|locksys|trx_t|rw_trx_hash|purge_|tpool::|ut_|io_handler|pc_(sleep|flush|request|wait|finish)|mutex_(spin|enter|exit)|pfs_(rw_lock|mutex_(enter|exit)|os_)|cmp_(dtuple|rec|data)|sel_(restore|set|dequeue|push|enqueue|col)|convert_search_mode|check_trx_exists|thd_destructor|TrxInInnoDB|dict_|Parallel_reader|ha_insert_for|ha_search|btr_cur|Btr_|Page|PageConverter|SimulatedAIO|srv_|write_slot|page_)/

/** The part of the server, or of the system below it, that a function belongs to. */
export function moduleOf(name: string): Module {
  const plain = name.replace(/^.*::(\?\?)$/, '$1')
  if (UNKNOWN.test(plain) && !/^lib/.test(name)) return 'unknown'
  if (INNODB.test(name)) return 'innodb'
  if (REPLICATION.test(name)) return 'replication'
  if (NETWORK.test(name)) return 'network'
  if (SYSTEM.test(name)) return 'system'
  return ENGINE.test(name) ? 'engine' : 'sql'
}
