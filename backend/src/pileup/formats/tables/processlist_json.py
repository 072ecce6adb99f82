"""Parse a processlist as JSON: an array of flat objects or an object per line, one per session.

Source: MySQL Shell (--result-format=json, json/array, ndjson), JSON_OBJECT() queries, exporters and
        scripts; of SHOW PROCESSLIST, information_schema.PROCESSLIST, performance_schema.
        processlist and threads, sys.processlist. Their names of one column differ: see ``_NAMES``.
Yields: what ``processlist`` does. A listing ends where an id comes again, or a new array begins.
Note:   background threads of performance_schema.threads have no session and are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pileup.formats.errors import FormatError
from pileup.formats.reading import json_text
from pileup.formats.tables.meanings.session_counts import ListingSeries
from pileup.formats.tables.parts.processlist_rows import NOT_RUNNING, integer, seconds
from pileup.records import Item, Problem, Section, Session, Snapshot

NAME = "processlist-json"
TITLE = "a processlist as JSON"
GIVES = "Sessions; `processlist.sessions`, `.running`, `.state`."
PRINTED_BY = "MySQL Shell, `JSON_OBJECT()`, scripts: arrays or an object per line"
VERSION = 2
HINTS = ("processlist.json", "processlist.jsonl", "processlist.ndjson")
LONG_LINES = True

_NAMES = {
    "id": ("id", "processlist_id", "conn_id"),
    "user": ("user", "processlist_user"),
    "host": ("host", "processlist_host"),
    "db": ("db", "processlist_db"),
    "command": ("command", "processlist_command"),
    "time": ("time", "processlist_time"),
    "time_ms": ("time_ms",),
    "state": ("state", "processlist_state"),
    "info": ("info", "processlist_info", "current_statement"),
    "tid": ("tid", "thread_os_id"),
}
_NEEDED = ("id", "command", "time", "state")
_OF_NAME = {name: column for column, names in _NAMES.items() for name in names}
_SECOND = 1_000_000
_MOST_REPORTED = 100
_START = re.compile(r"\s*[\[{]")


def sniff(head: str) -> bool | None:
    """Whether the head has flat objects with the columns of a processlist."""
    if not _START.match(head):
        return False
    match = json_text.OBJECT.search(head[:32_768])
    row = _row(match[0]) if match else None
    return row is not None and all(column in row for column in _NEEDED)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a Session for every object with an id, and the counts of each listing."""
    series = ListingSeries()
    listing = _Listing(0)
    count = 0
    for match, before, number, last in json_text.spans(lines, json_text.OBJECT):
        if match is None:
            if "{" in before:
                yield Problem(number, "The file ends inside a session.")
            break
        row = _row(match[0])
        if row is None or "id" not in row:
            count += 1
            if count <= _MOST_REPORTED:
                yield Problem(
                    number, "Not a session: an object without an id.", found=match[0][:200]
                )
            continue
        session = _session(row, number, last, listing.snapshot)
        if session is None:
            continue  # a background thread
        if session.session_id in listing.ids:
            yield from listing.end(series)
            listing = _Listing(listing.snapshot + 1)
            session = _session(row, number, last, listing.snapshot)
            assert session is not None
        listing.take(session)
        yield session
    if not listing.ids:
        raise FormatError(
            "No session was found: expected objects with the columns of a processlist."
        )
    yield from listing.end(series)
    yield from series.end()


@dataclass(slots=True)
class _Listing:
    snapshot: int
    ids: set[int] = field(default_factory=set)
    running: int = 0
    states: Counter[str] = field(default_factory=Counter)
    first: int = 0
    last: int = 0

    def take(self, session: Session) -> None:
        self.ids.add(session.session_id)
        self.first = self.first or session.line_first
        self.last = session.line_last
        if session.command not in NOT_RUNNING:
            self.running += 1
            if session.state:
                self.states[session.state] += 1

    def end(self, series: ListingSeries) -> Iterator[Item]:
        wall = self.snapshot * _SECOND
        yield Snapshot(
            line_first=self.first,
            line_last=self.last,
            wall_us=wall,
            clock="relative",
            snapshot=self.snapshot,
            kind="processlist",
        )
        yield Section(f"{len(self.ids)} sessions, {self.running} running", self.first, self.last)
        series.add(wall, "relative", self.first, len(self.ids), self.running, self.states)
        yield from series.drain()


def _row(text: str) -> dict[str, Any] | None:
    """Decode the known columns of an object, by our names; None when it is not one."""
    try:
        found = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        return None
    return {_OF_NAME[key.lower()]: value for key, value in found.items() if key.lower() in _OF_NAME}


def _session(row: dict[str, Any], first: int, last: int, snapshot: int) -> Session | None:
    session_id = integer(_text(row.get("id")))
    if session_id is None:
        return None
    return Session(
        line_first=first,
        line_last=last,
        wall_us=snapshot * _SECOND,
        clock="relative",
        snapshot=snapshot,
        session_id=session_id,
        user=_text(row.get("user")),
        client_host=_text(row.get("host")),
        db=_text(row.get("db")),
        command=_text(row.get("command")),
        time_s=seconds(_text(row.get("time")), _text(row.get("time_ms"))),
        state=_text(row.get("state")),
        query=_text(row.get("info")),
        os_tid=integer(_text(row.get("tid"))) or None,
    )


def _text(value: object) -> str | None:
    """Return a cell as text: exporters write numbers as numbers or texts, and NULL as either."""
    return None if value is None or value == "NULL" else str(value)
