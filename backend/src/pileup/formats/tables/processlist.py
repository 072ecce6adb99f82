"""Parse SHOW [FULL] PROCESSLIST and information_schema.processlist: \\G, box and tab-separated.

Source: mysqld_list_processes() and fill_schema_processlist(), sql/sql_show.cc; the client's three
        layouts are described in client_layouts.
Yields: a Session per row, a Snapshot per listing, and per listing the series
        processlist.sessions, processlist.running and processlist.state (label state=).
Units:  time_s in seconds in the current state (seconds behind for a replication thread); it can be
        negative or near 2^32 as printed. Where TIME_MS is printed its decimals are used.
Time:   only pt-stalk's TS lines. Without them listings count as 1 s apart (relative).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.text import Chunk, make_chunks
from pileup.formats.tables.parts import processlist_blocks
from pileup.formats.tables.parts.processlist_reader import BOX_HEADER, TAB_HEADER, ProcesslistReader
from pileup.records import Item

NAME = "processlist"
TITLE = "SHOW PROCESSLIST"
GIVES = "Sessions; `processlist.sessions`, `.running`, `.state`."
PRINTED_BY = "`\\G`, box and tabs; one listing or many; `information_schema`"
VERSION = 2
HINTS = ("-processlist", "processlist.txt")

_VERTICAL = re.compile(
    r"^\*{10,} \d+\. row \*{10,}\n *id: -?\d+\n *user: .*\n *host: ", re.IGNORECASE | re.MULTILINE
)
_LONGEST_REST = 64 * 1024


def sniff(head: str) -> bool | None:
    """Whether the head has the columns of a processlist in their order, in any of three layouts."""
    lower = head.lower()
    if "user" not in lower or "host" not in lower:
        return False
    return bool(_VERTICAL.search(head) or BOX_HEADER.search(head) or TAB_HEADER.search(head))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the records of every listing; one ends at a TS line, at row 1, or at a new header."""
    return parse_chunks(make_chunks(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """Yield the same as ``parse``: runs of plain rows as columns, everything else line by line."""
    reader = ProcesslistReader()
    number, rest = 1, ""
    for chunk in chunks:
        text, at = rest + chunk.text, 0
        rest = ""
        tried = False  # tab-separated listings as a whole, once per chunk
        while at < len(text):
            if pattern := reader.pattern_at(text, at):
                if pattern.layout == "tab" and not tried:
                    tried = True
                    if listings := processlist_blocks.read(text, at, pattern.names):
                        yield from reader.listings(listings, number)
                        number += listings.lines
                        rest = text[at + listings.size :]
                        break
                if run := pattern.run.match(text, at):
                    cells = pattern.cells(text, at, run.end())
                    yield from reader.rows(pattern, cells, number)
                    at = run.end()
                    number += len(cells["id"]) * pattern.lines
                    continue
            elif text[at] == "*" and _is_last_row(text, at):
                rest = text[at:]  # the next chunk has the rest of this row
                break
            end = text.index("\n", at)
            yield from reader.line(number, text[at:end])
            number += 1
            at = end + 1
    for line in rest.split("\n")[:-1]:
        yield from reader.line(number, line)
        number += 1
    yield from reader.end(number - 1)


def _is_last_row(text: str, at: int) -> bool:
    return len(text) - at < _LONGEST_REST and text.find("\n***", at) < 0
