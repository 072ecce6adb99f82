"""Counts of sessions by state, and named values, that people write in sentences and lists.

Source: posts and tickets that tell what a processlist showed.
            we have 400 threads in 'Waiting for table metadata lock'
            - 212 connections in state "statistics"
            Waiting for table flush: 31
            the replica is far behind (`Seconds_Behind_Source = 37020`)
Yields: what a processlist yields that the server has counted by state; what the replica's status
        and the server's yield of such values.
Note:   a count needs a noun for sessions and a state in quotes, or a wait by its first words; then
        others in the same text may lack the noun. A state that comes again begins another count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.tables.layouts.reader import ResultRow, ResultSet
from pileup.formats.tables.meanings.counts_in_text import COLUMNS, counts_in, counts_sessions
from pileup.formats.tables.meanings.reader import TableReader
from pileup.formats.tables.meanings.values_in_text import is_of_replica, values_in
from pileup.records import Item, Skipped

NAME = "counted-sessions"
TITLE = "counts of sessions by state, and named values, in a text"
GIVES = (
    "A table of counts; `processlist.sessions`, `.running`, `.state`; `replication.*`, `mysql.*`."
)
PRINTED_BY = "people: posts, tickets, chats"
VERSION = 5
HINTS = ()
ONLY_UNCLAIMED = True

_MOST_LINES = 400


def sniff(head: str) -> bool | None:
    """Return whether a line of the beginning counts sessions or names a value."""
    return any(
        counts_sessions(line) or any(values_in(line)) for line in head.split("\n")[:_MOST_LINES]
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the counts of each list of states as a table, and its series.

    Raises FormatError when no line has a count.
    """
    reader = TableReader()
    result: ResultSet | None = None
    states: set[str] = set()
    tables = 0
    named: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(lines, start=1):
        rows = list(counts_in(line))
        values = list(values_in(line))
        named |= {name: (value, number) for name, value in values if name not in named}
        if not rows and not values and line.strip():
            yield Skipped(number, number, "no count of sessions")
        for count, state in rows:
            if result is None or state in states:
                result = ResultSet(tables, "", COLUMNS, number, "cells")
                tables += 1
                states = set()
                yield from reader.part(result)
            states.add(state)
            yield from reader.part(ResultRow(result, (count, state), number, number))
    if result is None and not named:
        raise FormatError(
            "No count was found: expected sessions and the state that they are in, or a value by "
            "its name."
        )
    for part in _named_parts(named, tables):
        yield from reader.part(part)
    yield from reader.end()


def _named_parts(named: dict[str, tuple[str, int]], tables: int) -> Iterator[ResultSet | ResultRow]:
    """Yield a row of the replica's status and a list of the server's."""
    of_replica = [name for name in named if is_of_replica(name)]
    if of_replica:
        lines = [named[name][1] for name in of_replica]
        result = ResultSet(tables, "", tuple(of_replica), lines[0], "cells")
        yield result
        values = tuple(named[name][0] for name in of_replica)
        yield ResultRow(result, values, min(lines), max(lines))
        tables += 1
    of_server = [name for name in named if not is_of_replica(name)]
    if of_server:
        result = ResultSet(tables, "", ("Variable_name", "Value"), named[of_server[0]][1], "cells")
        yield result
        for name in of_server:
            value, line = named[name]
            yield ResultRow(result, (name, value), line, line)


__all__ = [
    "GIVES",
    "HINTS",
    "NAME",
    "ONLY_UNCLAIMED",
    "PRINTED_BY",
    "TITLE",
    "VERSION",
    "parse",
    "sniff",
]
