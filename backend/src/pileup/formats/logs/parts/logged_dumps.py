"""Status dumps and waits that a log prints line by line, each line with the log's own prefix.

Source: innodb_status_output and innodb_print_all_deadlocks write to the error log; where that goes
        to syslog or the journal (log_syslog, mysqld_safe --syslog, systemd), each line of the dump
        becomes a line of the log:
            Nov 20 22:20:15 db1 mysqld[2159]: 2026-11-20 22:20:15 0x7fa1 INNODB MONITOR OUTPUT
        Likewise the waits that the server's watchdog prints after "a long semaphore wait":
            Nov 20 22:20:15 db1 mysqld[2159]: --Thread 1400 has waited at btr0sea.ic line 122 for
Yields: what innodb_status yields of the dump, with the line numbers of the log. Lines that other
        programs wrote between them are not part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pileup.formats.innodb.innodb_status import BANNER, DumpReader
from pileup.formats.reading.line_numbers import renumber
from pileup.records import Event, Item

_WAIT = "--Thread "
_MOST_WAIT_LINES = 200_000
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
        """Line number in the log of each line of a dump or of waits."""
        self._speaker: str | None = None
        self._waits: list[str] = []
        self._wait_lines: list[int] = []
        self._waiter: str | None = None
        """The process whose waits are being printed."""
        self._since: Event | None = None

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

    def takes_wait(self, speaker: str, message: str) -> bool:
        """Return whether the message begins a wait or continues those of its process."""
        if message.startswith(_WAIT):
            return self._waiter in (None, speaker)
        return self._waiter == speaker and not message.startswith("InnoDB:") and bool(message)

    def feed_wait(self, number: int, speaker: str, message: str, event: Event) -> None:
        """Add a message for which ``takes_wait`` is true."""
        if not self._waits:
            self._waiter, self._since = speaker, event
        if len(self._waits) < _MOST_WAIT_LINES:
            self._waits.append(printed(message))
            self._wait_lines.append(number)

    def end_waits(self, speaker: str | None = None) -> Iterator[Item]:
        """Yield the waits of a process (None: of any) when it prints something else."""
        if not self._waits or self._since is None or speaker not in (None, self._waiter):
            return
        text, since, first = "\n".join(self._waits), self._since, len(self._numbers) + 1
        self._numbers += self._wait_lines
        self._waits, self._wait_lines, self._waiter, self._since = [], [], None, None
        for item in self._dumps.read_waits(text, first, since.wall_us, since.clock):
            yield self._placed(item)

    def finish(self) -> Iterator[Item]:
        """Yield the waits and the records of the dump that are open at the end of the log."""
        yield from self.end_waits()
        if self._numbers:
            for item in self._dumps.finish():
                yield self._placed(item)

    def _placed(self, item: Item) -> Item:
        return renumber(item, self._line, self._line)

    def _line(self, line: int) -> int:
        return self._numbers[min(line, len(self._numbers)) - 1]
