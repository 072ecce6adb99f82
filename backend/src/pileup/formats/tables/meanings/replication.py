"""Convert rows of SHOW REPLICA STATUS (SHOW SLAVE STATUS, SHOW ALL SLAVES STATUS) to records.

Source: show_slave_status(), sql/rpl_replica.cc (sql/rpl_slave.cc, sql/slave.cc before).
Yields: replication.* series per channel (delay, positions, running threads), what is configured
        and printed as text as settings, an error as an Event.
Units:  seconds_behind in seconds, None for NULL (not replicating is not 0); positions in bytes of
        the file that they are in, so they fall at each new file: gauges.
"""

from __future__ import annotations

from collections.abc import Iterator

from pileup.formats.reading.wall_clock import local_us
from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import (
    Cells,
    Handler,
    Ready,
    Seen,
    Where,
    first,
    seconds,
)
from pileup.formats.tables.meanings.tables import BesideTable, Shared
from pileup.records import Event, Item, Samples, Setting

# Series to the columns that print it, in the words before and after 8.0.22.
_GAUGES: dict[str, tuple[str, ...]] = {
    "seconds_behind": ("seconds_behind_source", "seconds_behind_master"),
    "sql_delay": ("sql_delay",),
    "sql_remaining_delay": ("sql_remaining_delay",),
    "read_pos": ("read_source_log_pos", "read_master_log_pos"),
    "exec_pos": ("exec_source_log_pos", "exec_master_log_pos"),
    "relay_log_pos": ("relay_log_pos",),
    "relay_log_space": ("relay_log_space",),
}
_UNITS = {"seconds_behind": "s", "sql_delay": "s", "sql_remaining_delay": "s"}
_RUNNING = {
    "io_running": ("replica_io_running", "slave_io_running"),
    "sql_running": ("replica_sql_running", "slave_sql_running"),
}
NAMES = frozenset(
    (
        "slave_io_state",
        "replica_io_state",
        *_GAUGES["seconds_behind"],
        *_RUNNING["io_running"],
        *_RUNNING["sql_running"],
        # a part of a status, which somebody picked
        *("last_sql_errno", "last_sql_error", "last_io_errno", "last_io_error"),
    )
)
WORKER_NAMES = frozenset(("last_error_number", "last_error_message"))
_ERRORS, _LAST = ("last_io", "last_sql"), "last"
"""Names of errors; ``_LAST`` is the applier's in a status of before 5.1, or in a part of one."""
_HIDDEN = ("password",)


def is_worker_status(seen: Seen) -> bool:
    """Whether a table is replication_applier_status_by_worker, or ..._by_coordinator."""
    return set(seen.columns) >= WORKER_NAMES


def worker_handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Workers(seen, where, shared)


class _Workers(BesideTable):
    """Collects the table; the last error of an applier is an event."""

    def note(self, row: ResultRow, cells: Cells) -> None:
        message, code = cells.get("last_error_message"), cells.get("last_error_number")
        if message:
            channel = cells.get("channel_name") or ""
            event = Event(
                line_first=row.line_first,
                line_last=row.line_last,
                wall_us=self._where.wall_us,
                clock=self._where.clock,
                kind="replication_error",
                severity="error",
                subsystem=f"replication {channel}".strip(),
                code=code if code != "0" else None,
                message=message[:4000],
                original=cells.get("last_error_timestamp") or None,
            )
            self._ready.append(event)


def is_status(seen: Seen) -> bool:
    """Whether a table is a replication status, of any version."""
    return not NAMES.isdisjoint(seen.columns)


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Replication(seen.columns, where, shared)


class _Replication(Ready):
    def __init__(self, columns: tuple[str, ...], where: Where, shared: Shared) -> None:
        super().__init__()
        self._columns, self._where, self._yielded = columns, where, shared.yielded

    def row(self, row: ResultRow) -> None:
        cells = dict(zip(self._columns, row.values, strict=True))
        channel = first(cells, "channel_name", "connection_name") or ""
        self._ready.extend(self._samples(cells, row, channel))
        self._ready.extend(self._settings(cells, row, channel))
        self._ready.extend(self._errors(cells, row, channel))

    def _samples(self, cells: Cells, row: ResultRow, channel: str) -> Iterator[Item]:
        labels = (("channel", channel),) if channel else ()
        numbers: dict[str, tuple[float | None, str | None]] = {
            name: (seconds(first(cells, *columns)), _UNITS.get(name, "bytes"))
            for name, columns in _GAUGES.items()
            if any(column in cells for column in columns)
        }
        for name, columns in _RUNNING.items():
            state = first(cells, *columns)
            if state is not None:  # 'Connecting' and 'Preparing' are not running
                numbers[name] = (float(state == "Yes"), None)
        for name, (value, unit) in numbers.items():
            yield Samples(
                f"replication.{name}",
                "gauge",
                unit,
                self._where.clock or "relative",
                [self._where.wall_us or 0],
                [value],
                [row.line_first],
                labels,
            )

    def _settings(self, cells: Cells, row: ResultRow, channel: str) -> Iterator[Item]:
        known = {name for names in (*_GAUGES.values(), *_RUNNING.values()) for name in names}
        for name, value in cells.items():
            if name in known or not value or any(word in name for word in _HIDDEN):
                continue
            if self._yielded.get((channel, name)) == value:
                continue
            self._yielded[channel, name] = value
            yield Setting(
                line_first=row.line_first,
                line_last=row.line_last,
                wall_us=self._where.wall_us,
                clock=self._where.clock,
                name=f"replication.{name}",
                value=value,
                source="SHOW REPLICA STATUS",
                section=channel or None,
            )

    def _errors(self, cells: Cells, row: ResultRow, channel: str) -> Iterator[Item]:
        has_each = any(cells.get(f"{which}_error") for which in _ERRORS)
        for which in _ERRORS if has_each else (_LAST,):
            message, code = cells.get(f"{which}_error"), cells.get(f"{which}_errno")
            if not message or self._yielded.get((channel, f"{which} error")) == message:
                continue
            self._yielded[channel, f"{which} error"] = message
            when = _stamp(cells.get(f"{which}_error_timestamp"))
            yield Event(
                line_first=row.line_first,
                line_last=row.line_last,
                wall_us=self._where.wall_us if when is None else when,
                clock=self._where.clock if when is None else "local",
                kind="replication_error",
                severity="error",
                subsystem=f"replication {channel}".strip(),
                code=code if code != "0" else None,
                message=message[:4000],
                original=cells.get(f"{which}_error_timestamp") or None,
            )


def _stamp(text: str | None) -> int | None:
    """Convert '261120 22:16:27', server-local, to microseconds; None for other text."""
    text = (text or "").strip()
    if len(text) != 15 or not text[:6].isdecimal():
        return None
    return local_us(f"20{text[:2]}", text[2:4], text[4:6], text[7:9], text[10:12], text[13:15])
