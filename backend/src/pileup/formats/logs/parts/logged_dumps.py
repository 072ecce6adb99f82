"""Status dumps that a log prints line by line, each line with the log's own prefix.

Source: innodb_status_output and innodb_print_all_deadlocks write to the error log; where that goes
        to syslog or the journal (log_syslog, mysqld_safe --syslog, systemd), each line of the dump
        becomes a line of the log:
            Nov 20 22:20:15 db1 mysqld[2159]: 2026-11-20 22:20:15 0x7fa1 INNODB MONITOR OUTPUT
Yields: what innodb_status yields of the dump, with the line numbers of the log. Lines that other
        programs wrote between them are not part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pileup.formats.innodb.innodb_status import BANNER, DumpReader
from pileup.formats.reading.line_numbers import renumber
from pileup.records import Item

_OCTAL = re.compile(r"#(0[0-3][0-7]|177)")
"""Control characters as rsyslog writes them: #011 is a tab."""


def printed(message: str) -> str:
    """Decode a message into the text that the program wrote."""
    return _OCTAL.sub(lambda m: chr(int(m[1], 8)), message).replace("\n", " ")


class LoggedDumps:
    """Reader of the dumps among a server's messages, which are fed in order."""

    def __init__(self) -> None:
        self._dumps = DumpReader()
        self._numbers: list[int] = []
        """Line number in the log of each line of a dump."""
        self._speaker: str | None = None

    def next_snapshot(self) -> int:
        """Return the next snapshot number, for another reader of the same log."""
        return self._dumps.next_snapshot()

    def takes(self, speaker: str, message: str) -> bool:
        """Return whether the message begins a dump or continues the open dump of its process."""
        if self._dumps.in_dump:
            return speaker == self._speaker
        return BANNER in message and f"END OF {BANNER}" not in message

    def feed(self, number: int, speaker: str, message: str) -> Iterator[Item]:
        """Add a message for which ``takes`` is true; yield the records of the dump that it ends."""
        self._speaker = speaker
        self._numbers.append(number)
        for item in self._dumps.feed(f"{printed(message)}\n", len(self._numbers)):
            yield self._placed(item)

    def finish(self) -> Iterator[Item]:
        """Yield the records of the dump that is open at the end of the log."""
        if self._numbers:
            for item in self._dumps.finish():
                yield self._placed(item)

    def _placed(self, item: Item) -> Item:
        return renumber(item, self._line, self._line)

    def _line(self, line: int) -> int:
        return self._numbers[min(line, len(self._numbers)) - 1]
