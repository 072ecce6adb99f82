"""Counts of sessions by state that people write in sentences and lists.

Source: posts and tickets that tell what a processlist showed.
            we have 400 threads in 'Waiting for table metadata lock'
            - 212 connections in state "statistics"
            Waiting for table flush: 31
Yields: what a processlist yields that the server has counted by state.
Note:   a count needs a noun for sessions and a state in quotes, or a wait by its first words; then
        others in the same text may lack the noun. A state that comes again begins another count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.tables.layouts.reader import ResultRow, ResultSet
from pileup.formats.tables.meanings.counts_in_text import COLUMNS, counts_in, counts_sessions
from pileup.formats.tables.meanings.reader import TableReader
from pileup.records import Item, Skipped

NAME = "counted-sessions"
TITLE = "counts of sessions by state in a text"
GIVES = "A table of counts; `processlist.sessions`, `.running`, `.state`."
PRINTED_BY = "people: posts, tickets, chats"
VERSION = 2
HINTS = ()
ONLY_UNCLAIMED = True

_MOST_LINES = 400


def sniff(head: str) -> bool | None:
    """Return whether a line of the beginning counts sessions."""
    return any(map(counts_sessions, head.split("\n")[:_MOST_LINES]))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the counts of each list of states as a table, and its series.

    Raises FormatError when no line has a count.
    """
    reader = TableReader()
    result: ResultSet | None = None
    states: set[str] = set()
    tables = 0
    for number, line in enumerate(lines, start=1):
        rows = list(counts_in(line))
        if not rows and line.strip():
            yield Skipped(number, number, "no count of sessions")
        for count, state in rows:
            if result is None or state in states:
                result = ResultSet(tables, "", COLUMNS, number, "cells")
                tables += 1
                states = set()
                yield from reader.part(result)
            states.add(state)
            yield from reader.part(ResultRow(result, (count, state), number, number))
    if result is None:
        raise FormatError("No count was found: expected sessions and the state that they are in.")
    yield from reader.end()


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
