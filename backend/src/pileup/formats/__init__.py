"""Artifact formats, one module each, and the list of them.

A format has NAME, TITLE, GIVES, PRINTED_BY, VERSION, HINTS, ``sniff(head)`` and ``parse(lines)``
(see ``detect.Format``). It opens no file, reads no clock and logs nothing. ``driver`` runs a format
over an artifact; ``archive`` opens containers.

The list is in sniffing order: when several formats claim a file, the earliest is the most specific.
To add a format, add its module here and run ``make docs``.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pileup.formats.bench import (
    bench_tables,
    disk_tests,
    hammerdb,
    iibench,
    load_results,
    mstat,
    mysqlslap,
    schema_changes,
    sysbench,
)
from pileup.formats.bundle import pieces, pt_stalk_hostname, pt_stalk_log, stored_only
from pileup.formats.config import (
    grastate,
    my_cnf,
    mysqltuner,
    named_settings,
    process_limits,
    pt_summary,
    settings_diff,
    sysctl,
)
from pileup.formats.detect import Detection, Format, choose, choose_only
from pileup.formats.innodb import innodb_status, semaphore_counts
from pileup.formats.logs import (
    binlog,
    client_errors,
    container_states,
    dated_lines,
    error_log,
    general_log,
    kernel_log,
    kubectl_describe,
    query_digest,
    slow_log,
    statements,
    syslog,
)
from pileup.formats.machine import (
    atop,
    container_stats,
    df,
    disk_health,
    diskstats,
    dstat,
    histograms,
    iostat,
    iotop,
    lsof,
    memory_map,
    mpstat,
    netstat,
    network_counters,
    network_losses,
    numactl,
    pidstat,
    procfs,
    ps,
    raid_controller,
    sar,
    strace,
    sysstat_json,
    top,
    uptime,
    vmstat,
)
from pileup.formats.metrics import (
    aws_output,
    cloudwatch_json,
    csv_table,
    heartbeat,
    json_samples,
    json_series,
    line_protocol,
    metric_csv,
    openmetrics,
    prometheus_json,
    qps_log,
)
from pileup.formats.stacks import eu_stack, gdb, perf_report, perf_script, pmp, traced_stacks
from pileup.formats.tables import (
    changed_values,
    cluster_status,
    counted_sessions,
    event_counts,
    innodb_metrics,
    innodb_mutex,
    innotop,
    lock_tables,
    myq_status,
    mysqladmin_status,
    mytop,
    open_tables,
    plan,
    processlist,
    processlist_json,
    pt_mext,
    replication,
    replication_topology,
    result_json,
    result_set,
    slow_log_table,
    status,
    variables,
)

FORMATS: tuple[Format, ...] = (
    # lines of two files of settings
    settings_diff,
    # the state of a container, whose lines look like names and values
    container_states,
    # InnoDB: an error log (or the syslog that holds one) with dumps in it, a dump
    syslog,
    error_log,
    innodb_status,
    semaphore_counts,
    # its banner has the columns of a processlist
    general_log,
    # counters that look like counted stacks
    network_losses,
    network_counters,
    # stacks
    gdb,
    perf_script,
    perf_report,
    eu_stack,
    traced_stacks,
    pmp,
    # result sets: transactions, lock waits, processlist, status, variables
    lock_tables,
    processlist,
    processlist_json,
    cluster_status,
    replication_topology,
    myq_status,
    mytop,
    innotop,
    mysqltuner,
    innodb_metrics,
    innodb_mutex,
    # a name with two numbers and an arrow, before those with one
    changed_values,
    status,
    pt_mext,
    mysqladmin_status,
    variables,
    replication,
    open_tables,
    slow_log_table,
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
    atop,
    numactl,
    sysstat_json,
    # tracers; lsof output may precede strace's
    strace,
    histograms,
    # operating system: listings and settings
    netstat,
    lsof,
    ps,
    memory_map,
    sysctl,
    # pt-stalk's own files
    pt_stalk_log,
    # logs of the machine
    raid_controller,
    container_stats,
    disk_health,
    iotop,
    kernel_log,
    kubectl_describe,
    # logs
    binlog,
    slow_log,
    query_digest,
    # configuration
    pt_summary,
    process_limits,
    grastate,
    my_cnf,
    # load generators and their reports about the server
    sysbench,
    mysqlslap,
    hammerdb,
    iibench,
    disk_tests,
    load_results,
    mstat,
    bench_tables,
    schema_changes,
    # monitoring: Prometheus, CloudWatch, JSON
    prometheus_json,
    cloudwatch_json,
    aws_output,
    json_samples,
    json_series,
    line_protocol,
    openmetrics,
    # tables of numbers: qps logs, CSV
    heartbeat,
    qps_log,
    csv_table,
    metric_csv,
    # a single word
    pt_stalk_hostname,
    # plans of statements
    plan,
    # statements without a result
    statements,
    # a list of wait events with their sessions
    event_counts,
    # the result of a query that no format above knows
    result_json,
    result_set,
    # several of them in one text
    pieces,
    # any other log
    dated_lines,
    # a line of the server's in anything else
    client_errors,
    # sentences
    counted_sessions,
    named_settings,
    # files that are stored without being read
    stored_only,
)


LINE_STARTS = re.compile(
    "|".join(f"(?:{starts})" for item in FORMATS if (starts := getattr(item, "LINE_STARTS", "")))
)
"""Matches a line that begins a line of its own in some format: it continues no wrapped line."""


def detect(head: str, name: str) -> Detection:
    """Choose the format of an artifact by its name and the first 64 KB of its text."""
    return choose(FORMATS, head, name)


def detect_only(head: str, name: str) -> Detection:
    """Choose the same format in less time, without the candidates and the reason: for a trial."""
    return choose_only(FORMATS, head, name)


def by_name(name: str) -> Format | None:
    """Return the format with this NAME, or None when there is none."""
    return next((item for item in FORMATS if name == item.NAME), None)


@lru_cache
def line_starts(name: str | None) -> re.Pattern[str] | None:
    """Return what matches the beginnings of a format's lines; None where it names none."""
    starts = getattr(by_name(name or ""), "LINE_STARTS", None)
    return re.compile(starts) if starts else None


__all__ = [
    "FORMATS",
    "LINE_STARTS",
    "Detection",
    "Format",
    "by_name",
    "choose",
    "detect",
    "detect_only",
    "line_starts",
]
