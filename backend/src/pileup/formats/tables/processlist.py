"""Parse processlists: SHOW [FULL] PROCESSLIST, information_schema and others, in any layout.

Source: mysqld_list_processes() and fill_schema_processlist(), sql/sql_show.cc; queries that select
        some of the columns, or count by them.
Yields: a Session per row, a Snapshot per listing, and per listing the series
        processlist.sessions, processlist.running and processlist.state (label state=); what else is
        in the file as in ``result_set``.
Units:  time_s in seconds in the current state (seconds behind for a replication thread); it can be
        negative or near 2^32 as printed. Where TIME_MS is printed its decimals are used.
Time:   TS lines, or any date above a listing. Without them listings count as 1 s apart (relative).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.reading.text import Chunk, make_chunks
from pileup.formats.tables.meanings import reader
from pileup.formats.tables.meanings.detection import format_of
from pileup.records import Item, Problem, Skipped

NAME = "processlist"
TITLE = "SHOW PROCESSLIST"
GIVES = "Sessions; `processlist.sessions`, `.running`, `.state`."
PRINTED_BY = (
    "any layout of a client, Markdown, CSV; any columns in any order, or counted by state; "
    "`information_schema`, `performance_schema`"
)
VERSION = 21
HINTS = ("-processlist", "processlist.txt")


def sniff(head: str) -> bool | None:
    """Whether a table of the head is a processlist, in any layout."""
    return format_of(head) == NAME


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the records of every listing; one ends at a time, at row 1, or at a new header."""
    return parse_chunks(make_chunks(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """Yield the same as ``parse``: plain rows as columns, everything else line by line.

    Raises FormatError when there is no table.
    """
    read = False
    for item in reader.parse_chunks(chunks, each_time_answers=True):
        read = read or not isinstance(item, Problem | Skipped)
        yield item
    if not read:
        raise FormatError("No session was found: expected the rows of a processlist.")
