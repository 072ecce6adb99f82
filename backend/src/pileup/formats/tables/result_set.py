"""Parse any pasted query result: buffer pool pages by index, a summary of waits, a digest table.

Source: the mysql client's three layouts (``client_layouts``), MySQL Shell's tables. Several results
        may follow each other; the statement above one names it.
Yields: a Table per result set that no other module knows, to be compared with another of the same
        columns; locks, threads and replication among them become their own records.
"""

from __future__ import annotations

from pileup.formats.tables.meanings.detection import format_of
from pileup.formats.tables.meanings.reader import parse

NAME = "result-set"
TITLE = "the result of a query"
GIVES = "A table per result, named by the query above it."
PRINTED_BY = "the mysql client and MySQL Shell: box, tabs, `\\G`; several in one file"
VERSION = 8
HINTS = ()

ONLY_UNCLAIMED = True
"""Other formats read tables too, those that they know better."""


def sniff(head: str) -> bool | None:
    """Whether the head has tables."""
    return format_of(head) is not None


__all__ = ["GIVES", "HINTS", "NAME", "PRINTED_BY", "TITLE", "VERSION", "parse", "sniff"]
