"""Tables that a program writes to the log line by line, each line with the log's own prefix.

Source: a watchdog's ``mysql -e 'SHOW FULL PROCESSLIST' | logger -t watchdog``, or a unit of systemd
        whose output goes to the journal. A tab is #011 where rsyslog wrote it:
            Nov 20 22:20:15 db1 watchdog[311]: Id#011User#011Host#011db#011Command#011Time#011...
Yields: what a table of these columns yields, with the line numbers, the time and the host of the
        log. Only columns of a known meaning make a table; one without a row is an Event per line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from pileup.formats.logs.parts.logged_dumps import printed
from pileup.formats.reading.line_numbers import renumber
from pileup.formats.tables.layouts.reader import read
from pileup.formats.tables.meanings.reader import TableReader
from pileup.formats.tables.meanings.registry import is_known
from pileup.formats.unwrapping.client_layouts import CHATTER, ROW, RULE
from pileup.records import Event, Item, Record, Samples, Snapshot, Table

_NAME = r"[A-Za-z_][\w .()]{0,63}"
_BOX_HEADER = re.compile(rf"\|(?: *{_NAME}\|){{2,64}}$")
_TAB_HEADER = re.compile(rf"{_NAME}(?:\t{_NAME}){{1,64}}$")
_KEY = re.compile(rf"\s*{_NAME}: ?")
_MOST_LINES = 50_000
_MOST_US = 10_000_000
"""Longest time a listing may take: nothing but the next message ends a row of several lines."""


@dataclass(frozen=True, slots=True)
class _Message:
    text: str
    event: Event


class LoggedListings:
    """Reader of the tables among programs' messages, which are fed in order."""

    def __init__(self, next_snapshot: Callable[[], int]) -> None:
        """Read with ``next_snapshot``, which returns the artifact's next snapshot number."""
        self._next_snapshot = next_snapshot
        self._tables = TableReader()
        self._speaker = ""
        self._held: list[_Message] = []
        self._layout = ""
        self._tabs = 0
        """Between the columns of the open listing."""
        self._rules = 0

    def takes(self, speaker: str, message: str) -> bool:
        """Return whether the message begins a listing or continues its program's open listing."""
        if self._held and speaker == self._speaker:
            return True
        if not message.startswith(("|", "*")) and "\t" not in message and "#011" not in message:
            return False
        return _layout(printed(message)) != ""

    def feed(self, speaker: str, message: str, event: Event) -> Iterator[Item]:
        """Add a message for which ``takes`` is true; yield the records of the listing that it ends.

        ``event`` is yielded in place of the message when it is no part of a listing.
        """
        text = printed(message)
        begins = _layout(text)
        if begins or not self._goes_on(text, event):
            yield from self.finish()
        if not self._held and not begins:
            yield event
            return
        if not self._held:
            self._speaker, self._layout, self._rules = speaker, begins, 0
            self._tabs = text.count("\t")
        self._rules += RULE.match(text) is not None
        self._held.append(_Message(text, event))

    def finish(self) -> Iterator[Item]:
        """Yield the records of the open listing, or its messages as events if it has none."""
        held, self._held = self._held, []
        if not held:
            return
        items: list[Item] = []
        for part in read((message.text for message in held), is_known=is_known):
            items += self._tables.part(part)
        items += self._tables.end()
        if not any(
            isinstance(item, Record | Samples) and not isinstance(item, Table) for item in items
        ):
            yield from (message.event for message in held)
            return
        numbers = {
            item.snapshot: self._next_snapshot() for item in items if isinstance(item, Snapshot)
        }
        for item in items:
            yield _placed(item, held, numbers)

    def _goes_on(self, text: str, event: Event) -> bool:
        if not self._held or len(self._held) >= _MOST_LINES or CHATTER.match(text):
            return False
        begun, now = self._held[0].event.wall_us, event.wall_us
        if begun is not None and now is not None and not 0 <= now - begun <= _MOST_US:
            return False
        if self._layout == "tab":
            return text.count("\t") >= self._tabs
        if self._layout == "vertical" and len(self._held) == 1:
            return _KEY.match(text) is not None
        return self._rules < 2  # the first rule follows the header, the second the last row


def _layout(text: str) -> str:
    """Return the layout of the listing that this line begins; empty if it begins none."""
    if _TAB_HEADER.match(text) and is_known(text.split("\t")):
        return "tab"
    if _BOX_HEADER.match(text) and is_known([name.strip() for name in text[1:-1].split("|")]):
        return "box"
    row = ROW.match(text) if text.startswith("*") else None
    return "vertical" if row and row["number"] == "1" else ""


def _placed(item: Item, held: list[_Message], numbers: dict[int | None, int]) -> Item:
    """Return the item with the log's line numbers, time and host, and its snapshot's number."""
    first = held[0].event

    def line(number: int) -> int:
        return held[min(number, len(held)) - 1].event.line_first

    item = renumber(item, line, line)
    if isinstance(item, Samples):
        walls = [first.wall_us] * len(item.values)
        return replace(item, wall_us=walls, clock=first.clock or "relative", host=first.host)
    if isinstance(item, Record):
        snapshot = numbers.get(item.snapshot)
        item = replace(item, snapshot=snapshot, host=item.host or first.host)
        if item.clock is None or item.clock == "relative":
            item = replace(item, wall_us=first.wall_us, clock=first.clock)
    if isinstance(item, Snapshot):
        return replace(item, time_quality="unknown" if first.wall_us is None else "exact")
    return item
