"""Any log whose lines begin with a date: what no other format claims.

Source: pt-kill, pt-heartbeat, orchestrator, MHA, keepalived, HAProxy, applications.
            # 2024-06-01T10:01:02 KILL 91221 (Query 312 sec) SELECT * FROM orders
            [2024/06/01 10:01:02] ERROR replica db-3 is 812 seconds behind
Yields: an event per line; lines without a date belong to the one above.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Clock, Event, Item, Skipped

NAME = "dated-lines"
TITLE = "a log with a date in each line"
GIVES = "An event per line."
PRINTED_BY = "pt-kill, orchestrator, MHA and any other program"
VERSION = 3
HINTS = ()
ONLY_UNCLAIMED = True

_LINE = re.compile(
    r"\s{0,8}[#\[\s]{0,3}(?P<stamp>\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
    r"(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)[\]:|\s-]{1,4}(?P<message>\S.*)$"
)
_WORD = re.compile(r"[A-Za-z]{2}")
_SEVERITY = re.compile(
    r"\b(?:(?P<error>ERROR|FATAL|CRITICAL|CRIT|SEVERE)|(?P<warning>WARN(?:ING)?)|(?P<note>INFO|NOTICE|DEBUG))\b"
)
_LEAST = 2
_MOST_MORE = 100
_LONGEST = 8_192


def sniff(head: str) -> bool | None:
    """Return whether nine of ten lines are a date and words; a line alone also says how bad."""
    lines = [line for line in head.split("\n")[:100] if line.strip()]
    matches = [match for line in lines if (match := _match(line)) is not None]
    graded = len(lines) == 1 and any(_SEVERITY.search(match["message"]) for match in matches)
    return (len(matches) >= _LEAST or graded) and len(matches) >= 0.9 * (len(lines) - 1)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield an event per line with a date."""
    held: tuple[int, int, tuple[int, Clock], list[str], str] | None = None
    for number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST]
        match = _match(text)
        stamp = read_stamp(match["stamp"].replace("/", "-")) if match else None
        if match is not None and stamp is not None:
            if held:
                yield _event(*held)
            held = (number, number, stamp, [match["message"].rstrip()], match["stamp"])
        elif held and text.strip():
            if len(held[3]) < _MOST_MORE:
                held[3].append(text.rstrip())
            held = (held[0], number, *held[2:])
        elif text.strip():
            yield Skipped(number, number, "undated, and no dated line before it to belong to")
    if held:
        yield _event(*held)


def _match(text: str) -> re.Match[str] | None:
    match = _LINE.match(text[:_LONGEST])
    return match if match and _WORD.search(match["message"]) else None


def _event(
    first: int, last: int, stamp: tuple[int, Clock], message: list[str], printed: str
) -> Event:
    severity = _SEVERITY.search(message[0][:100])
    return Event(
        line_first=first,
        line_last=last,
        wall_us=stamp[0],
        clock=stamp[1],
        kind="log",
        severity=severity.lastgroup if severity else None,
        message="\n".join(message),
        original=printed,
    )
