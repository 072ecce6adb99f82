"""Convert rows that are messages of the server to events, and keep the table.

Source: SHOW WARNINGS and SHOW ERRORS (Level, Code, Message); performance_schema.error_log of MySQL
        8.0.22 and later (LOGGED, PRIO, ERROR_CODE, SUBSYSTEM, DATA); CHECK, REPAIR, ANALYZE and
        OPTIMIZE TABLE (Table, Op, Msg_type, Msg_text).
Yields: an Event per row with what it says, at the time that a row prints; the table.
"""

from __future__ import annotations

from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import Cells, Handler, Seen, Where, first
from pileup.formats.tables.meanings.tables import BesideTable, Shared
from pileup.records import Event

_WARNINGS = frozenset(("level", "code", "message"))
_LOG = frozenset(("prio", "error_code", "data"))
_CHECK = frozenset(("table", "msg_type", "msg_text"))
NAMES = frozenset(("message", "error_code", "msg_text"))
_FINE = frozenset(("status", "info", "note"))
_LONGEST = 4_000


def are_messages(seen: Seen) -> bool:
    """Whether a table has the columns of warnings, of the log of errors, or of CHECK TABLE."""
    names = set(seen.columns)
    return names >= _WARNINGS or names >= _LOG or names >= _CHECK


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Messages(seen, where, shared)


class _Messages(BesideTable):
    """Collects the table; each row is an event."""

    def note(self, row: ResultRow, cells: Cells) -> None:
        message = first(cells, "message", "data", "msg_text")
        if not message:
            return
        level = (first(cells, "level", "prio", "msg_type") or "").lower()
        if "msg_text" in cells:
            message = f"{first(cells, 'table')}: {message}"
            level = "note" if level in _FINE else level
        stamp = read_stamp(cells.get("logged") or "")
        self._ready.append(
            Event(
                line_first=row.line_first,
                line_last=row.line_last,
                wall_us=stamp[0] if stamp else self._where.wall_us,
                clock=stamp[1] if stamp else self._where.clock,
                kind="log",
                severity=level if level in ("error", "warning", "note") else None,
                code=first(cells, "code", "error_code"),
                message=message[:_LONGEST],
            )
        )


__all__ = ["NAMES", "are_messages", "handler"]
