"""Parse any pasted query result: buffer pool pages by index, a summary of waits, a digest table.

Source: the mysql client's three layouts (``client_layouts``), MySQL Shell's tables. Several results
        may follow each other; the statement above one names it.
Yields: a Table per result set that no other module knows, to be compared with another of the same
        columns; locks, threads and replication among them become their own records.
"""

from __future__ import annotations

import itertools
import re

from pileup.formats.tables.meanings.reader import parse

NAME = "result-set"
TITLE = "the result of a query"
GIVES = "A table per result, named by the query above it."
PRINTED_BY = "the mysql client and MySQL Shell: box, tabs, `\\G`; several in one file"
VERSION = 3
HINTS = ()

_BOX = re.compile(r"^\+-[-+]*\+\n\|.*\|\s*\n\+-[-+]*\+$", re.MULTILINE)
_VERTICAL = re.compile(r"^\*{10,} 1\. row \*{10,}\n *[^\s:][^:\n]{0,127}: ?.*$", re.MULTILINE)
_NAME = re.compile(r"(?![\d.]+$)[\w@`][\w@`$().,*/%+ :-]{0,127}")


ONLY_UNCLAIMED = True
"""``sniff`` runs every other format, which is not needed when one has claimed the content."""


def sniff(head: str) -> bool | None:
    """Whether the head is a table as the client prints it that no other format claims."""
    boxes = "+-" in head and _BOX.search(head)
    if not (boxes or (" 1. row *" in head and _VERTICAL.search(head)) or _is_tab(head)):
        return False
    from pileup.formats import FORMATS  # the list holds this module too

    return not any(item.NAME != NAME and item.sniff(head) is True for item in FORMATS)


def _is_tab(head: str) -> bool:
    """Whether the head has names between tabs, and below them rows with as many tabs."""
    lines = head.split("\n")
    if len(lines) > 2:
        lines = lines[:-1]  # the head may end inside a line
    for at, line in enumerate(lines[:20]):
        names = [name.strip() for name in line.split("\t")]
        if len(names) < 2 or not all(_NAME.fullmatch(name) for name in names):
            continue
        if len(set(names)) < len(names):
            return False
        below = itertools.takewhile(str.strip, lines[at + 1 : at + 21])
        rows = list(below)
        fits = sum(row.count("\t") == len(names) - 1 for row in rows)
        return len(rows) > 0 and fits >= 0.9 * len(rows)
    return False


__all__ = ["GIVES", "HINTS", "NAME", "PRINTED_BY", "TITLE", "VERSION", "parse", "sniff"]
