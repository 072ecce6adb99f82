"""Render a record in one line and as named values, for the list next to the raw text.

Takes rows of a frame as dicts; lists and structs inside become text of bounded length.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

MOST = 4000
"""Characters of one value."""
LINE = 200
"""Characters of a record in one line."""

_HIDDEN = frozenset({"line_first", "line_last", "wall_us", "clock", "artifact", "snapshot", "at"})


_HEADS: dict[str, tuple[str, ...]] = {
    "snapshot": ("kind", "original"),
    "semaphore_wait": ("mode", "file", "line", "waited_s", "latch_name"),
    "transaction": ("trx_id", "state", "active_s", "query"),
    "trx_lock": ("trx_id", "mode", "table", "index"),
    "metadata_lock": ("status", "mode", "object_name"),
    "latch_hold": ("mode", "latch_name", "latch_address", "file", "line"),
    "event_wait": ("event", "operation", "object_name", "waited_s"),
    "thread": ("ps_thread_id", "session_id", "name"),
    "lock_wait": ("lock_kind", "table", "waiting_session", "blocking_session"),
    "session": ("session_id", "user", "command", "time_s", "state", "query"),
    "event": ("severity", "message"),
    "foreign_key_error": ("table", "constraint", "message"),
    "setting": ("name", "value"),
    "query": ("query_time_s", "user", "query"),
    "sample": ("series", "labels", "value", "unit"),
}
"""What tells a record of this kind apart, in reading order."""


def in_one_line(kind: str, row: Mapping[str, Any]) -> str:
    """Summarize a record in one line, with the values that identify it."""
    if kind == "stack":
        names = [frame["function"] for frame in row["frames"][:6]]
        return _short(f"{row['count']} × {' ← '.join(names)}")
    if kind == "deadlock":
        transactions = ", ".join(f"trx {trx['trx_id']}" for trx in row["transactions"])
        return _short(f"{transactions}; victim ({row['victim'] or '?'})")
    if kind == "table":
        return _short(f"{row['name']}: {len(row['rows'])} rows of {len(row['columns'])} columns")
    values = [_plain(name, row.get(name)) for name in _HEADS.get(kind, ())]
    return _short(" · ".join(value for value in values if value))


def named_values(kind: str, row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """List every known value with its name, in the order of the schema."""
    values = [
        (name, _render_value(kind, name, value))
        for name, value in row.items()
        if name not in _HIDDEN and value is not None and value not in ("", [])
    ]
    if row.get("wall_us") is not None:
        values.insert(0, ("printed time", _wall(row["wall_us"], row.get("clock"))))
    return values


def _render_value(kind: str, name: str, value: Any) -> str:
    if kind == "stack" and name == "frames":
        return "\n".join(_frame(frame) for frame in value[:200])[:MOST]
    if kind == "table" and name == "rows":
        return f"{len(value)} rows: see the tab Tables"
    if isinstance(value, list):
        return "\n".join(_item(item) for item in value[:200])[:MOST]
    return _plain(name, value)[:MOST]


def _frame(frame: Mapping[str, Any]) -> str:
    where = frame.get("file") or frame.get("library") or ""
    line = f":{frame['line']}" if frame.get("line") is not None else ""
    return f"{frame['function']}  {where}{line}".rstrip()


def _item(item: Any) -> str:
    if not isinstance(item, Mapping):
        return str(item)
    return ", ".join(
        f"{name} {_item_value(value)}"
        for name, value in item.items()
        if value is not None and value != []
    )


def _item_value(value: Any) -> str:
    return " | ".join(map(str, value)) if isinstance(value, list) else str(value)


def _plain(name: str, value: Any) -> str:
    if value is None or value is False or value == "":
        return ""
    if isinstance(value, float):
        return f"{value:.10g}" + (" s" if name.endswith("_s") else "")
    return str(value)


def _short(text: str) -> str:
    text = " ".join(text[: 4 * LINE].split())
    return text if len(text) <= LINE else text[: LINE - 1] + "…"


def _wall(wall_us: int, clock: str | None) -> str:
    if clock == "relative":
        return f"{wall_us / 1e6:.6g} s after the first"
    try:
        moment = datetime.fromtimestamp(wall_us / 1e6, UTC)
    except (ValueError, OverflowError, OSError):
        return f"{wall_us} µs"
    if clock == "dayless":
        return f"{moment:%H:%M:%S}"
    if clock == "yearless":
        return f"{moment:%m-%d %H:%M:%S} (no year printed)"
    return f"{moment:%Y-%m-%d %H:%M:%S}" + (" UTC" if clock == "utc" else " (server's own zone)")
