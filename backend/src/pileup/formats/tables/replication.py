"""SHOW REPLICA STATUS, SHOW SLAVE STATUS: how far behind, what is wrong; pt-stalk -slave-status.

Source: see ``replication_rows``. pt-stalk prints the statement each second, also on a server that
        replicates nothing: a file of statements alone is read and says just that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.tables.parts import result_records
from pileup.records import Item, Section

NAME = "replication"
TITLE = "replication status"
GIVES = "`replication.*` series per channel; settings; errors as events."
PRINTED_BY = "`SHOW REPLICA STATUS`, `SHOW SLAVE STATUS`, MySQL 5.0 to 9.x, MariaDB"
VERSION = 2
HINTS = ("-slave-status", "-replica-status")

_KEY = re.compile(r"(?:^|[\t|]) *(?:Slave|Replica)_IO_State(?::|\t| *\|)", re.M | re.I)
_ASKED = re.compile(
    r"\s*(?:mysql> )?(?:SHOW (?:ALL )?(?:SLAVES?|REPLICA) STATUS|SELECT .*replication_)", re.I
)


def sniff(head: str) -> bool | None:
    """The column that a replication status begins with, or nothing but its statement."""
    lower = head.lower()
    if "_io_state" in lower and _KEY.search(head):
        return True
    if "status" not in lower and "replication_" not in lower:
        return False
    count = other = 0
    for line in head.split("\n"):
        if line.strip() and not line.startswith("TS "):
            count += bool(_ASKED.match(line))
            other += not _ASKED.match(line)
    return count > 0 and other <= 2 * count


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Every status; a Section per question that got no answer."""
    seen = _Lines(lines)
    rows = False
    for item in result_records.parse(seen):
        rows = True
        yield item
    if not rows and seen.asked:
        yield Section("no replication: every answer is empty", seen.asked, seen.number)


class _Lines:
    """The lines, with a note of where the first question stands."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self.asked = self.number = 0

    def __iter__(self) -> Iterator[str]:
        for text in self._lines:
            self.number += 1
            if not self.asked and _ASKED.match(text):
                self.asked = self.number
            yield text
