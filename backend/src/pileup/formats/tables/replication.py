"""Parse SHOW REPLICA STATUS and SHOW SLAVE STATUS: delay and errors; pt-stalk -slave-status.

Source: see ``meanings.replication``. pt-stalk prints the statement each second, also on a server
        that replicates nothing: a file of statements alone yields a Section that reports it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.tables.meanings import reader as result_records
from pileup.records import Item, Section

NAME = "replication"
TITLE = "replication status"
GIVES = "`replication.*` series per channel; settings; errors as events."
PRINTED_BY = "`SHOW REPLICA STATUS`, `SHOW SLAVE STATUS`, MySQL 5.0 to 9.x, MariaDB"
VERSION = 5
HINTS = ("-slave-status", "-replica-status")

_KEY = re.compile(r"(?:^|[\t|]) *(?:Slave|Replica)_IO_State(?::|\t| *\|)", re.M | re.I)
_STATEMENT = re.compile(
    r"\s*(?:mysql> )?(?:SHOW (?:ALL )?(?:SLAVES?|REPLICA) STATUS|SELECT .*replication_)", re.I
)


def sniff(head: str) -> bool | None:
    """Whether the head has the first column of a replication status, or only its statement."""
    lower = head.lower()
    if "_io_state" in lower and _KEY.search(head):
        return True
    if "status" not in lower and "replication_" not in lower:
        return False
    count = other = 0
    for line in head.split("\n"):
        if line.strip() and not line.startswith("TS "):
            count += bool(_STATEMENT.match(line))
            other += not _STATEMENT.match(line)
    return count > 0 and other <= 2 * count


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every status; a Section when no statement got an answer."""
    seen = _Lines(lines)
    rows = False
    for item in result_records.parse(seen):
        rows = True
        yield item
    if not rows and seen.statement:
        yield Section("no replication: every answer is empty", seen.statement, seen.number)


class _Lines:
    """Passes lines on and notes the number of the first statement."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self.statement = self.number = 0

    def __iter__(self) -> Iterator[str]:
        for text in self._lines:
            self.number += 1
            if not self.statement and _STATEMENT.match(text):
                self.statement = self.number
            yield text
