"""Convert rows of a slow log kept as a table to records of statements.

Source: mysql.slow_log (``log_output=TABLE``); exports of managed servers, which have the same
        columns with endings of their own (``query_time_d``, ``start_time_t [UTC]``).
Time:   ``start_time`` of mysql.slow_log is the moment of logging, as in the file; an export prints
        that moment in a column of its own.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import (
    Handler,
    Ready,
    Seen,
    Where,
    first,
    integer,
    seconds,
)
from pileup.formats.tables.meanings.tables import Shared
from pileup.records import Query

_ENDING = re.compile(r"(?:_[a-z])?(?: ?\[(?P<zone>\w{1,8})\])?$")
_LOGGED = ("timegenerated", "timestamp", "time", "event_time", "start_time")
# app[app] @ app1.example.com [10.1.0.4]
_USER_HOST = re.compile(r"(?P<user>[^\[\s]*)\[[^\]]*\] ?@ ?(?P<host>[^\s\[]*) ?\[(?P<ip>[^\]]*)\]")
_US_DATE = re.compile(
    r"(?P<month>\d\d?)/(?P<day>\d\d?)/(?P<year>\d{4}),? "
    r"(?P<hour>\d\d?)(?P<rest>:\d\d:\d\d(?:\.\d+)?) (?P<half>[AP])M$"
)
_NEEDED = frozenset(("query_time", "sql_text"))
_BESIDE = frozenset(("lock_time", "rows_examined", "user_host", "rows_sent"))
NAMES = frozenset(("sql_text", "sql_text_s"))


def is_slow_log(seen: Seen) -> bool:
    """Whether a table has the columns of a slow log."""
    names = {plain for plain, _ in map(_plain, seen.columns)}
    return names >= _NEEDED and bool(names & _BESIDE)


@lru_cache(maxsize=256)
def _plain(column: str) -> tuple[str, str]:
    """Return a column's name without its ending, and the zone that the ending has."""
    match = _ENDING.search(column.lower())
    assert match is not None
    name = column.lower()[: match.start()]
    return name or column.lower(), ((match["zone"] or "").upper())


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    del shared
    return _Statements(seen, where)


class _Statements(Ready):
    def __init__(self, seen: Seen, where: Where) -> None:
        super().__init__()
        self._where = where
        self._names = [_plain(column) for column in seen.columns]

    def row(self, row: ResultRow) -> None:
        cells = {name: value for (name, _), value in zip(self._names, row.values, strict=True)}
        zones = {name: zone for name, zone in self._names if zone}
        name = next((name for name in _LOGGED if cells.get(name)), "")
        stamp = _time(cells.get(name) or "", zones.get(name, ""))
        client = _USER_HOST.match(cells.get("user_host") or "")
        fields = self._where.record_fields(row)
        del fields["snapshot"]
        if stamp is not None:
            fields |= {"wall_us": stamp[0], "clock": stamp[1]}
        self._ready.append(
            Query(
                **fields,
                query_time_s=seconds(cells.get("query_time")),
                lock_time_s=seconds(cells.get("lock_time")),
                rows_sent=integer(cells.get("rows_sent")),
                rows_examined=integer(cells.get("rows_examined")),
                rows_affected=integer(cells.get("rows_affected")),
                session_id=integer(cells.get("thread_id")),
                user=client["user"] or None if client else None,
                client_host=(client["host"] or client["ip"] or None) if client else None,
                client_ip=(client["ip"] or None) if client else None,
                db=first(cells, "db", "schema") or None,
                query=cells.get("sql_text"),
            )
        )


def _time(text: str, zone: str) -> tuple[int, str] | None:
    """Read a time; a month is first where the hour is of twelve."""
    if american := _US_DATE.match(text):
        hour = int(american["hour"]) % 12 + (12 if american["half"] == "P" else 0)
        year, month, day = american["year"], american["month"], american["day"]
        text = f"{year}-{month}-{day} {hour:02}{american['rest']}"
    return read_stamp(f"{text} {zone}".strip())
