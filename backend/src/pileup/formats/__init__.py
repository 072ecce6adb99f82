"""Text to records: one module per artifact format, and the list of them.

A format has NAME, TITLE, GIVES, PRINTED_BY, VERSION, HINTS, ``sniff(head)`` and ``parse(lines)``
(see ``detect.Format``). It opens no file, reads no clock and logs nothing. ``driver`` runs one over
an artifact; ``archive`` opens containers.

The list is in sniffing order: where two formats both claim a file, the earlier one is the more
specific. To add a format, add its module here and run ``make docs``.
"""

from __future__ import annotations

from pileup.formats import (
    bench_tables,
    cloudwatch_json,
    csv_table,
    df,
    diskstats,
    dstat,
    error_log,
    eu_stack,
    gdb,
    general_log,
    iibench,
    innodb_metrics,
    innodb_mutex,
    innodb_status,
    iostat,
    json_samples,
    kept,
    kernel_log,
    lock_tables,
    lsof,
    memory_map,
    metric_csv,
    mpstat,
    mstat,
    my_cnf,
    mysqladmin_status,
    mysqlslap,
    netstat,
    open_tables,
    openmetrics,
    perf_report,
    perf_script,
    pidstat,
    pmp,
    processlist,
    processlist_json,
    procfs,
    prometheus_json,
    ps,
    pt_mext,
    pt_stalk_hostname,
    pt_stalk_trigger,
    qps_log,
    query_digest,
    replication,
    result_json,
    result_set,
    sar,
    slow_log,
    status,
    strace,
    sysbench,
    sysctl,
    syslog,
    top,
    uptime,
    variables,
    vmstat,
)
from pileup.formats.detect import Detection, Format, choose

FORMATS: tuple[Format, ...] = (
    # InnoDB: an error log (or the syslog that holds one) with dumps in it, a dump
    syslog,
    error_log,
    innodb_status,
    # stacks
    gdb,
    perf_script,
    perf_report,
    eu_stack,
    pmp,
    # result sets: transactions, lock waits, processlist, status, variables
    lock_tables,
    processlist,
    processlist_json,
    innodb_metrics,
    innodb_mutex,
    status,
    pt_mext,
    mysqladmin_status,
    variables,
    replication,
    open_tables,
    # operating system: sampled
    vmstat,
    iostat,
    mpstat,
    pidstat,
    sar,
    dstat,
    diskstats,
    df,
    top,
    procfs,
    uptime,
    # tracers; lsof may stand in front of strace
    strace,
    # operating system: listings and settings
    netstat,
    lsof,
    ps,
    memory_map,
    sysctl,
    # pt-stalk's own files
    pt_stalk_trigger,
    # logs of the machine
    kernel_log,
    # logs
    slow_log,
    general_log,
    query_digest,
    # configuration
    my_cnf,
    # load generators and what they print of the server
    sysbench,
    mysqlslap,
    iibench,
    mstat,
    bench_tables,
    # monitoring: Prometheus, CloudWatch, JSON
    prometheus_json,
    cloudwatch_json,
    json_samples,
    openmetrics,
    # tables of numbers: qps logs, CSV
    qps_log,
    csv_table,
    metric_csv,
    # one word
    pt_stalk_hostname,
    # the result of a query that nobody above knows
    result_json,
    result_set,
    # what is not read
    kept,
)


def detect(head: str, name: str) -> Detection:
    """Name the format of an artifact by its first 64 KB of text (wrappers peeled)."""
    return choose(FORMATS, head, name)


def by_name(name: str) -> Format | None:
    """The format of that NAME."""
    return next((one for one in FORMATS if name == one.NAME), None)


__all__ = ["FORMATS", "Detection", "Format", "by_name", "choose", "detect"]
