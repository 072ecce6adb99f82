"""Convert rows of performance_schema's wait tables to records of waits and latch holders.

Source: events_waits_current (5.5+, MariaDB), mutex_instances and rwlock_instances, and the last
        wait of sys.processlist and sys.session. A wait whose END_EVENT_ID is NULL continues; the
        current table also keeps each thread's last wait after it has ended.
Units:  TIMER_WAIT is in picoseconds. NULL where the instrument is not timed: no age is computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import Cells, Where, integer
from pileup.records import EventWait, LatchHold, Record

_PS = 1e12
# btr0sea.ic:98    sql/binlog.cc:9204
_SOURCE = re.compile(r"(?:.{0,400}[/\\\\])?(?P<file>[^/\\\\:]{1,200}):(?P<line>\d{1,9})$")


def event_wait(cells: Cells, row: ResultRow, where: Where) -> Iterator[Record]:
    """Convert a row of events_waits_current, alone or joined with threads, to an EventWait.

    Rows of stages and statements yield nothing.
    """
    event = cells.get("event_name") or ""
    if not event.startswith(("wait/", "idle")):
        return
    file, line = _place(cells.get("source"))
    names = (cells.get("object_schema"), cells.get("object_name"))
    yield EventWait(
        **where.record_fields(row),
        ps_thread_id=integer(cells.get("thread_id")),
        session_id=integer(cells.get("processlist_id")),
        event=event,
        ongoing=_ongoing(cells),
        waited_s=_seconds(cells.get("timer_wait")),
        file=file,
        line=line,
        operation=(cells.get("operation") or "").lower() or None,
        object_address=_address(cells.get("object_instance_begin")),
        object_name=".".join(filter(None, names)) or None,
    )


def last_wait(cells: Cells, row: ResultRow, where: Where) -> Iterator[Record]:
    """Convert the last wait in a row of sys.processlist to an EventWait.

    'Still Waiting' replaces the time while a wait continues.
    """
    event = cells.get("last_wait") or ""
    if not event.startswith("wait/"):
        return
    file, line = _place(cells.get("source"))
    yield EventWait(
        **where.record_fields(row),
        ps_thread_id=integer(cells.get("thd_id")),
        session_id=integer(cells.get("conn_id")),
        event=event,
        ongoing=(cells.get("last_wait_latency") or "").lower() == "still waiting",
        file=file,
        line=line,
    )


def latch_hold(cells: Cells, row: ResultRow, where: Where) -> Iterator[Record]:
    """Convert a row of mutex_instances or rwlock_instances; nothing without a holder."""
    address = _address(cells.get("object_instance_begin"))
    owner = integer(cells.get("locked_by_thread_id"))
    writer = integer(cells.get("write_locked_by_thread_id"))
    readers = integer(cells.get("read_locked_by_count")) or 0
    name = cells.get("name") or ""
    if address is None or (owner is None and writer is None and readers < 1):
        return
    mutex = "/mutex/" in name or "locked_by_thread_id" in cells
    yield LatchHold(
        **where.record_fields(row),
        latch_address=address,
        latch_name=name or None,
        mode="mutex" if mutex else "X" if writer is not None else "S",
        ps_thread_id=owner if owner is not None else writer,
        session_id=integer(cells.get("processlist_id")),
        readers=None if mutex else readers,
    )


def _ongoing(cells: Cells) -> bool | None:
    for name in ("end_event_id", "timer_end"):  # TIMER_END runs on where END_EVENT_ID is known
        if name in cells:
            return cells[name] is None
    return None


def _place(source: str | None) -> tuple[str | None, int | None]:
    match = _SOURCE.match((source or "").strip())
    return (match["file"], int(match["line"])) if match else (None, None)


def _seconds(picoseconds: str | None) -> float | None:
    number = integer(picoseconds)
    return None if number is None or number < 0 else number / _PS


def _address(number: str | None) -> str | None:
    """Format OBJECT_INSTANCE_BEGIN, which is decimal, in hex as dumps print addresses."""
    text = (number or "").strip()
    return f"0x{int(text):x}" if re.fullmatch(r"\d{1,20}", text) and int(text) else None


__all__ = ["event_wait", "last_wait", "latch_hold"]
