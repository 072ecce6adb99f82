"""Numbers of a status dump as series: one value per dump, named innodb.<snake>.

Source: srv_printf_innodb_monitor() and the print functions that it calls (srv0srv.cc, buf0buf.cc,
        log0log.cc, ibuf0ibuf.cc, fil0fil.cc). Rates ('12.00 reads/s') are left out: every SHOW
        resets them, so they mean little; the cumulative counters beside them are read.
Units:  pages, bytes, events; LSN in bytes (two 32-bit halves up to 5.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from pileup.formats.innodb_semaphores import Numbered


class Value(NamedTuple):
    series: str
    kind: Literal["counter", "gauge"]
    unit: str
    value: int | float
    line: int


_N = r"(-?\d+)"
_LSN = r"(\d+(?: \d+)?)"

# section -> (what the line begins with, pattern, (series, kind, unit) per group)
_Series = tuple[str, Literal["counter", "gauge"], str]
_Rule = tuple[str, re.Pattern[str], tuple[_Series, ...]]


def _rule(start: str, pattern: str, *series: _Series) -> _Rule:
    return start, re.compile(pattern), series


def _counter(name: str, unit: str) -> _Series:
    return name, "counter", unit


def _gauge(name: str, unit: str) -> _Series:
    return name, "gauge", unit


_SEMAPHORES = (
    _rule(
        "OS WAIT ARRAY INFO: res",
        rf".*reservation count {_N}(?:, signal count {_N})?",
        _counter("reservation_count", "waits"),
        _counter("signal_count", "signals"),
    ),
    _rule("OS WAIT ARRAY INFO: sig", rf".*signal count {_N}", _counter("signal_count", "signals")),
    _rule(
        "Mutex spin",
        rf"Mutex spin waits {_N}, rounds {_N}, OS waits {_N}",
        _counter("mutex_spin_waits", "waits"),
        _counter("mutex_spin_rounds", "rounds"),
        _counter("mutex_os_waits", "waits"),
    ),
    *(
        _rule(
            f"RW-{word} spins",
            rf"RW-{word} spins {_N}, rounds {_N}, OS waits {_N}",
            _counter(f"rw_{word}_spins", "spins"),
            _counter(f"rw_{word}_rounds", "rounds"),
            _counter(f"rw_{word}_os_waits", "waits"),
        )
        for word in ("shared", "excl", "sx")
    ),
)
_TRANSACTIONS = (
    _rule("History list", rf"History list length {_N}", _gauge("history_list_length", "pages")),
    _rule("Trx id counter", r"Trx id counter (\d+)$", _counter("trx_id_counter", "transactions")),
)
_FILE_IO = (
    _rule(
        "Pending flushes",
        rf"Pending flushes \(fsync\) ?log: {_N}; buffer pool: {_N}",
        _gauge("pending_log_fsyncs", "fsyncs"),
        _gauge("pending_pool_fsyncs", "fsyncs"),
    ),
    _rule(
        "",
        rf"{_N} OS file reads, {_N} OS file writes, {_N} OS fsyncs",
        _counter("os_file_reads", "reads"),
        _counter("os_file_writes", "writes"),
        _counter("os_fsyncs", "fsyncs"),
    ),
    _rule(
        "",
        rf"{_N} pending preads, {_N} pending pwrites",
        _gauge("pending_preads", "reads"),
        _gauge("pending_pwrites", "writes"),
    ),
)
_LOG = (
    _rule("Log sequence", rf"Log sequence number +{_LSN}$", _counter("log_sequence_number", "B")),
    _rule("Log flushed", rf"Log flushed up to +{_LSN}$", _counter("log_flushed_up_to", "B")),
    _rule("Pages flushed", rf"Pages flushed up to +{_LSN}$", _counter("pages_flushed_up_to", "B")),
    _rule("Last checkpoint", rf"Last checkpoint at +{_LSN}$", _counter("last_checkpoint", "B")),
    _rule(
        "",
        rf"{_N} pending log (?:writes|flushes), {_N} pending chkp writes",
        _gauge("pending_log_flushes", "flushes"),
        _gauge("pending_checkpoint_writes", "writes"),
    ),
    _rule("", rf"{_N} log i/o's done", _counter("log_ios", "writes")),
)
_POOL = (
    _rule("Buffer pool size ", rf"Buffer pool size +{_N}$", _gauge("pool_pages", "pages")),
    _rule("Free buffers", rf"Free buffers +{_N}", _gauge("pool_free_pages", "pages")),
    _rule("Database pages", rf"Database pages +{_N}", _gauge("pool_database_pages", "pages")),
    _rule("Modified db", rf"Modified db pages +{_N}", _gauge("pool_modified_pages", "pages")),
    _rule("Pending reads", rf"Pending reads +{_N}", _gauge("pool_pending_reads", "pages")),
    _rule(
        "Pending writes",
        rf"Pending writes: LRU {_N}, flush list {_N}(?:, single page {_N})?",
        _gauge("pool_pending_lru_writes", "pages"),
        _gauge("pool_pending_flush_list_writes", "pages"),
        _gauge("pool_pending_single_page_writes", "pages"),
    ),
    _rule(
        "Pages made young",
        rf"Pages made young {_N}, not young {_N}",
        _counter("pool_pages_made_young", "pages"),
        _counter("pool_pages_not_young", "pages"),
    ),
    _rule(
        "Pages read ",
        rf"Pages read {_N}, created {_N}, written {_N}",
        _counter("pool_pages_read", "pages"),
        _counter("pool_pages_created", "pages"),
        _counter("pool_pages_written", "pages"),
    ),
    _rule("Buffer pool hit", rf"Buffer pool hit rate {_N} /", _gauge("pool_hit_rate", "per mille")),
)
_ROWS = (
    _rule(
        "",
        rf"{_N} queries inside InnoDB, {_N} queries in queue",
        _gauge("queries_inside", "queries"),
        _gauge("queries_in_queue", "queries"),
    ),
    _rule("", rf"{_N} read views open", _gauge("read_views_open", "read views")),
    _rule(
        "Number of rows",
        rf"Number of rows inserted {_N}, updated {_N}, deleted {_N}, read {_N}",
        _counter("rows_inserted", "rows"),
        _counter("rows_updated", "rows"),
        _counter("rows_deleted", "rows"),
        _counter("rows_read", "rows"),
    ),
)
_IBUF = (
    _rule(
        "Ibuf:",
        rf"Ibuf: size {_N}, free list len {_N}, seg size {_N}",
        _gauge("ibuf_size", "pages"),
        _gauge("ibuf_free_list", "pages"),
        _gauge("ibuf_segment_size", "pages"),
    ),
    _rule("Ibuf:", rf".*, {_N} merges", _counter("ibuf_merges", "merges")),
)
_SECTIONS: dict[str, tuple[_Rule, ...]] = {
    "SEMAPHORES": _SEMAPHORES,
    "TRANSACTIONS": _TRANSACTIONS,
    "FILE I/O": _FILE_IO,
    "LOG": _LOG,
    "BUFFER POOL AND MEMORY": _POOL,
    "ROW OPERATIONS": _ROWS,
    "INSERT BUFFER AND ADAPTIVE HASH INDEX": _IBUF,
}


def read_counters(sections: Iterable[tuple[str, Sequence[Numbered]]]) -> list[Value]:
    """The numbers of one dump; of a series printed twice the first counts."""
    found: dict[str, Value] = {}
    for title, lines in sections:
        rules = _SECTIONS.get(title)
        if rules:
            _read(rules, _until_instances(lines), found)
    checkpoint, lsn = found.get("innodb.last_checkpoint"), found.get("innodb.log_sequence_number")
    if checkpoint and lsn and lsn.value >= checkpoint.value:
        age = lsn.value - checkpoint.value
        found["innodb.checkpoint_age"] = Value(
            "innodb.checkpoint_age", "gauge", "B", age, checkpoint.line
        )
    return list(found.values())


def _read(rules: Sequence[_Rule], lines: Iterable[Numbered], found: dict[str, Value]) -> None:
    for number, text in lines:
        for start, pattern, series in rules:
            if not text.startswith(start):
                continue
            match = pattern.match(text)
            if not match:
                continue
            for (name, kind, unit), group in zip(series, match.groups(), strict=True):
                value = _number(group)
                if value is not None and f"innodb.{name}" not in found:
                    found[f"innodb.{name}"] = Value(f"innodb.{name}", kind, unit, value, number)


def _until_instances(lines: Sequence[Numbered]) -> Iterable[Numbered]:
    """The totals only: what follows '---BUFFER POOL 0' or '---TRANSACTION' is about one thing."""
    for line in lines:
        if line[1].startswith(("---BUFFER POOL", "---TRANSACTION")):
            return
        yield line


def _number(text: str | None) -> int | None:
    """A printed number; None for one that wrapped around (20 digits) or is not there."""
    if text is None:
        return None
    high, _, low = text.partition(" ")
    value = (int(high) << 32) + int(low) if low else int(high)
    return value if abs(value) < 1 << 63 else None
