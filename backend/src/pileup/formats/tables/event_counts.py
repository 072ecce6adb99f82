"""Waits of performance_schema with how many sessions are in each: a dashboard's list, or counted.

Source: Performance Insights and dashboards like it ('top waits', in average active sessions);
        ``SELECT event_name, count(*)``, ``sort | uniq -c``; posts that quote some of these rows.
            wait/synch/sxlock/innodb/btr_search_latch     112.4 AAS
            188 wait/lock/metadata/sql/mdl
            synch/cond/sql/MDL_context::COND_wait_status  118.42
Yields: a Table, and the gauge metric.db.load.avg with the label db.wait_event.name, as the service
        itself answers.
Note:   a number is one of sessions if its unit, or a word above it, says so, or if it is in
        front. Sums of times and of calls since the start are no sessions, and are left to others.
        A table with names of columns is ``result_set``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.reading.series_columns import Columns, decimal
from pileup.records import Item, Skipped, Table

NAME = "event-counts"
TITLE = "sessions by wait event"
GIVES = "A table; the sessions of each event, as `metric.db.load.avg`."
PRINTED_BY = "Performance Insights, dashboards, `uniq -c` over wait events of performance_schema"
VERSION = 3
HINTS = ()
ONLY_UNCLAIMED = True

_EVENT = r"(?P<event>(?:wait/)?(?:io|lock|synch)/[\w./:<> -]{0,80}?[\w>])"
_NAMED = re.compile(r"(?:^|[^\w/.])(?:wait/)?(?:io|lock|synch)/[a-z]")
"""Performance Insights leaves out the 'wait/' of the server's names."""
_NUMBER = r"(?P<count>\d{1,7}(?:[.,]\d{1,6})?)"
_UNIT = r"(?P<unit>AAS|aas|average active sessions|active sessions|sessions?|threads?|waiters?)"
_EDGE = r"[\s|,;:=*\"'`-]{0,80}+"
_BEHIND = re.compile(
    rf"{_EDGE}{_EVENT}[\s|,;:=\"'`(]{{1,80}}{_NUMBER}\s{{0,4}}(?:{_UNIT})?{_EDGE}\)?$"
)
_IN_FRONT = re.compile(rf"{_EDGE}{_NUMBER}\s{{0,4}}(?:{_UNIT})?[\s|,;:=x]{{1,40}}{_EVENT}{_EDGE}$")
_CPU = re.compile(
    rf"{_EDGE}(?P<event>CPU|cpu)[\s|,;:=]{{1,80}}{_NUMBER}\s{{0,4}}(?:{_UNIT})?{_EDGE}$"
)
_OF_SESSIONS = re.compile(
    r"\bAAS\b|active sessions|performance insights|top waits|db ?load|sessions|threads|waiters",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[|,;\t+]|  ")
_EDGE_OF_TABLE = re.compile(r"[|,;\t+]")
_NAME = re.compile(r"event|wait|load|aas|count|type|name|time", re.IGNORECASE)
_MOST_WAITS = 20_000
"""More sessions than a server has: such a number counts something else."""
_MOST_ROWS = 10_000
"""A server has some 1,500 events."""
_LONGEST = 400
_MOST_HEAD = 400
_LEAST = 2
_COLUMNS = ("event", "sessions")


def sniff(head: str) -> bool | None:
    """Return whether two lines are a wait event and a number of sessions."""
    if not _NAMED.search(head):
        return False
    lines = [line[:_LONGEST] for line in head.split("\n")[:_MOST_HEAD]]
    rows = [match for line in lines if (match := _row(line))]
    if len(rows) < _LEAST or any(_sessions(match) > _MOST_WAITS for match in rows):
        return False
    others = [line for line in lines if line.strip() and not _row(line)]
    if any(map(_has_names_of_columns, others)):
        return False
    named = all(match.re is _IN_FRONT for match in rows) or any(match["unit"] for match in rows)
    return named or any(map(_OF_SESSIONS.search, others))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a gauge for each event, and the table.

    Raises FormatError when no line has an event and a number.
    """
    columns = Columns()
    rows: list[tuple[str, str]] = []
    first = last = 0
    for number, line in enumerate(lines, start=1):
        match = _row(line[:_LONGEST])
        if match is None or _sessions(match) > _MOST_WAITS or len(rows) == _MOST_ROWS:
            if line.strip():
                yield Skipped(number, number, "no wait event with a number of sessions")
            continue
        first, last = first or number, number
        rows.append((match["event"], match["count"]))
        columns.add(
            "metric.db.load.avg", _sessions(match), wall=None, clock="local", line=number,
            unit="sessions", labels=(("db.wait_event.name", match["event"]),),
        )  # fmt: skip
        if columns.full:
            yield from columns.flush()
    if not rows:
        raise FormatError("No row was found: expected a wait event and a number of sessions.")
    yield from columns.flush()
    yield Table(
        line_first=first,
        line_last=last,
        name="sessions by wait event",
        columns=_COLUMNS,
        rows=tuple(rows),
    )


def _has_names_of_columns(line: str) -> bool:
    """Return whether a line is the head of a table, which others read.

    Names with nothing but blanks between them are none if one speaks of sessions.
    """
    if _OF_SESSIONS.search(line) and _EDGE_OF_TABLE.search(line) is None:
        return False
    cells = [cell for cell in _BETWEEN.split(line.strip()) if cell.strip(" -\"'")]
    return len(cells) > 1 and all(map(_NAME.search, cells))


def _sessions(match: re.Match[str]) -> float:
    return decimal(match["count"].replace(",", ".")) or 0.0


def _row(line: str) -> re.Match[str] | None:
    if "/" not in line:
        return _CPU.match(line)
    return _BEHIND.match(line) or _IN_FRONT.match(line)
