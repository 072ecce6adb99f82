"""Parse any pasted query result: buffer pool pages by index, a summary of waits, a digest table.

Source: the mysql client's three layouts (``client_layouts``), MySQL Shell's tables. Several results
        may follow each other; the statement above one names it.
Yields: a Table per result set that no other module knows, to be compared with another of the same
        columns; locks, threads and replication among them become their own records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pileup.formats.reading.text import Chunk, make_chunks
from pileup.formats.tables.meanings import reader
from pileup.formats.tables.meanings.detection import format_of
from pileup.records import Item

NAME = "result-set"
TITLE = "the result of a query"
GIVES = "A table per result, named by its query; series of what performance_schema and sys sum up."
PRINTED_BY = (
    "the mysql client and MySQL Shell: box, tabs, `\\G`; ProxySQL, MaxScale; several in one file"
)
VERSION = 24
HINTS = ()

ONLY_UNCLAIMED = True
"""Other formats read tables too, those that they know better."""


def sniff(head: str) -> bool | None:
    """Whether the head has tables."""
    return format_of(head) is not None or format_of(head, any_words=True) is not None


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the records of every result, whatever its columns are."""
    return parse_chunks(make_chunks(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """Yield the same as ``parse``."""
    return reader.parse_chunks(chunks, any_words=True)
