"""Lock and transaction tables as vertical rows: who waits for whom, as the server pairs them.

Source: INNODB_TRX, INNODB_LOCKS, INNODB_LOCK_WAITS (<= 5.7, MariaDB), performance_schema.
        data_locks, data_lock_waits and metadata_locks (8.0+), sys.innodb_lock_waits,
        sys.schema_table_lock_waits, and the two queries of pt-stalk's -lock-waits.
Yields: Transaction, TrxLock and LockWait records. The wait list holds every conflicting pair: a
        blocker that waits itself is not the root.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pileup.formats import client_tables
from pileup.formats.pt_stalk import clock_event, read_ts
from pileup.formats.stamps import read_stamp
from pileup.records import Clock, Item, LockWait, Skipped, Snapshot, Transaction, TrxLock

NAME = "lock-tables"
TITLE = "InnoDB lock and transaction tables"
GIVES = "Transactions, locks, and who waits for whom."
PRINTED_BY = (
    "`INNODB_TRX`, `INNODB_LOCKS`, `INNODB_LOCK_WAITS`, `data_locks`, `data_lock_waits`, "
    "`metadata_locks`, sys"
)
VERSION = 1
HINTS = ("-lock-waits", "-transactions", "-ps-locks-transactions")

_KEYS = (
    "who_blocks:",
    "waiting_trx_id:",
    "requesting_trx_id:",
    "trx_mysql_thread_id:",
    "lock_trx_id:",
    "ENGINE_LOCK_ID:",
    "REQUESTING_ENGINE_LOCK_ID:",
    "waiting_pid:",
    "OBJECT_INSTANCE_BEGIN:",
)
_KEY = re.compile(r"^ *([A-Za-z_]+): ?(.*)$")
_LAST = {"trx_query", "blocking_query", "waiting_query", "waiting_trx_query", "blocking_trx_query"}


def sniff(head: str) -> bool | None:
    """Vertical rows with a key that only these tables have."""
    if "1. row" not in head:
        return False
    return any(re.search(rf"^ *{key}", head, re.MULTILINE | re.IGNORECASE) for key in _KEYS)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Every row by what its columns say it is."""
    reader = _Reader()
    for number, text in enumerate(lines, start=1):
        yield from reader.line(number, text)
    yield from reader.close_row()


class _Reader:
    def __init__(self) -> None:
        self._row: dict[str, str | None] = {}
        self._first = self._last = 0
        self._key: str | None = None
        self._wall: int | None = None
        self._clock: Clock | None = None
        self._snapshot = -1
        self._kind = ""
        self._said = False
        self._width = 0

    def line(self, number: int, text: str) -> Iterator[Item]:
        if text.startswith("TS ") and (stamp := read_ts(text)):
            yield from self.close_row()
            self._wall, self._clock = stamp[0], "utc"
            self._kind = ""
            if stamp[1] and not self._said:
                self._said = True
                yield clock_event(number, stamp[0], stamp[1])
            return
        if client_tables.ROW.match(text):
            yield from self.close_row()
            self._first = self._last = number
            self._width = 0
            return
        match = _KEY.match(text)
        if match and self._first and match.end(1) == (self._width or match.end(1)):
            self._width = match.end(1)  # all keys of a row are aligned at their colon
            self._key = match[1].lower()
            self._row[self._key] = client_tables.null(match[2].strip())
            self._last = number
        elif self._row and self._key in _LAST and text.strip():
            self._row[self._key or ""] = f"{self._row.get(self._key or '') or ''}\n{text}"[:10_000]
            self._last = number
        elif text.strip() and not client_tables.CHATTER.match(text) and not _is_statement(text):
            yield Skipped(number, number, f"not a field of a row: {text[:60]!r}")

    def close_row(self) -> Iterator[Item]:
        row, self._row, self._key = self._row, {}, None
        if not row:
            return
        kind, make = _maker(row)
        if make is None:
            yield Skipped(self._first, self._last, "a row of another table")
            return
        if kind != self._kind:
            self._kind = kind
            self._snapshot += 1
            yield Snapshot(
                line_first=self._first,
                line_last=self._last,
                wall_us=self._wall,
                clock=self._clock,
                snapshot=self._snapshot,
                kind=kind,
                time_quality="exact" if self._wall is not None else "unknown",
            )
        where = {
            "line_first": self._first,
            "line_last": self._last,
            "wall_us": self._wall,
            "clock": self._clock,
            "snapshot": self._snapshot,
        }
        yield make(row, where, self._wall)


def _maker(row: dict[str, str | None]) -> tuple[str, Any]:
    if "trx_mysql_thread_id" in row or "trx_state" in row:
        return "transactions", _transaction
    if "who_blocks" in row:
        return "lock_waits", _aggregate
    if row.keys() & {"waiting_trx_id", "requesting_trx_id", "waiting_pid"}:
        return "lock_waits", _wait
    if "requesting_engine_lock_id" in row:
        return "lock_waits", _wait
    if "engine_lock_id" in row or "lock_trx_id" in row:
        return "transactions", _lock
    return "", None


def _transaction(
    row: dict[str, str | None], where: dict[str, Any], wall: int | None
) -> Transaction:
    state = row.get("trx_state") or "unknown"
    return Transaction(
        **where,
        trx_id=row.get("trx_id") or "unknown",
        state="ACTIVE" if state in ("RUNNING", "LOCK WAIT") else state,
        lock_wait=state == "LOCK WAIT",
        active_s=_age(row.get("trx_started"), wall, where["clock"]),
        operation=row.get("trx_operation_state"),
        session_id=_int(row.get("trx_mysql_thread_id")),
        query=row.get("trx_query"),
        tables_in_use=_int(row.get("trx_tables_in_use")),
        tables_locked=_int(row.get("trx_tables_locked")),
        lock_structs=_int(row.get("trx_lock_structs")),
        row_locks=_int(row.get("trx_rows_locked")),
        undo_entries=_int(row.get("trx_rows_modified")),
        declared_inside=(_int(row.get("trx_concurrency_tickets")) or 0) > 0,
    )


def _lock(row: dict[str, str | None], where: dict[str, Any], _: int | None) -> TrxLock:
    table = row.get("lock_table") or ".".join(
        filter(None, (row.get("object_schema"), row.get("object_name")))
    )
    return TrxLock(
        **where,
        trx_id=row.get("lock_trx_id") or row.get("engine_transaction_id") or "unknown",
        lock_kind="table" if (row.get("lock_type") or "").upper() == "TABLE" else "record",
        table=(table or "unknown").replace("`", ""),
        index=(row.get("lock_index") or row.get("index_name") or "").replace("`", "") or None,
        space=_int(row.get("lock_space")),
        page=_int(row.get("lock_page")),
        heap=_int(row.get("lock_rec")),
        mode=row.get("lock_mode") or "unknown",
        waiting=row.get("lock_status") == "WAITING",
        lock_id=row.get("lock_id") or row.get("engine_lock_id"),
    )


def _wait(row: dict[str, str | None], where: dict[str, Any], _: int | None) -> LockWait:
    metadata = "object_name" in row and "waiting_lock_type" in row
    return LockWait(
        **where,
        lock_kind="metadata" if metadata else "record",
        waiting_trx=_first(
            row, "waiting_trx_id", "requesting_trx_id", "requesting_engine_transaction_id"
        ),
        waiting_session=_int(_first(row, "waiting_thread", "waiting_pid", "waiting_thread_id")),
        waiting_query=_first(row, "waiting_query", "waiting_trx_query"),
        waiting_s=_seconds(
            _first(row, "wait_time", "waiting_time", "wait_age_secs", "waiting_query_secs")
        ),
        blocking_trx=_first(row, "blocking_trx_id", "blocking_engine_transaction_id"),
        blocking_session=_int(_first(row, "blocking_thread", "blocking_pid", "blocking_thread_id")),
        blocking_query=row.get("blocking_query"),
        blocking_idle_s=_seconds(_first(row, "idle_in_trx", "blocking_trx_idle")),
        table=(
            _first(row, "waiting_table_lock", "lock_table", "locked_table", "object_name") or ""
        ).replace("`", "")
        or None,
        index=_first(row, "waiting_index_lock", "lock_index", "locked_index"),
        mode=_first(row, "waiting_lock_mode", "lock_mode", "waiting_lock_type"),
        lock_id=_first(row, "requested_lock_id", "waiting_lock_id", "requesting_engine_lock_id"),
    )


def _aggregate(row: dict[str, str | None], where: dict[str, Any], _: int | None) -> LockWait:
    """pt-stalk's first query: who_blocks is 'thread 390 from localhost'."""
    match = re.search(r"thread (\d+)", row.get("who_blocks") or "")
    return LockWait(
        **where,
        lock_kind="record",
        blocking_session=int(match[1]) if match else None,
        blocking_idle_s=_seconds(row.get("idle_in_trx")),
        waiting_s=_seconds(row.get("max_wait_time")),
        waiters=_int(row.get("num_waiters")),
    )


def _first(row: dict[str, str | None], *names: str) -> str | None:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _int(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"-?\d{1,18}", text) else None


def _seconds(text: str | None) -> float | None:
    if not text:
        return None
    if match := re.fullmatch(r"(\d+):(\d\d):(\d\d)(?:\.\d+)?", text):
        return int(match[1]) * 3600.0 + int(match[2]) * 60 + int(match[3])
    try:
        return float(text)
    except ValueError:
        return None


def _age(started: str | None, wall: int | None, clock: Clock | None) -> float | None:
    """Seconds since trx_started, where both are of one clock; the session's zone is not printed."""
    stamp = read_stamp(started) if started else None
    if stamp is None or wall is None or clock != stamp[1]:
        return None
    return max(0.0, (wall - stamp[0]) / 1e6)


def _is_statement(text: str) -> bool:
    return text.lstrip().lower().startswith(("select ", "lock collection already running"))
