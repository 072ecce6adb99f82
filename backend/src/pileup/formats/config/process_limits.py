"""/proc/PID/limits: what the kernel allows a process.

Source: proc_pid_limits(), fs/proc/base.c of Linux: '%-25s %-20s %-20s %-10s'; prlimit of util-linux
        prints RESOURCE, DESCRIPTION, SOFT, HARD and UNITS.
Yields: the table 'limits' (limit, soft, hard, units), as printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.records import Item, Section, Skipped, Table

NAME = "process-limits"
TITLE = "/proc/PID/limits, prlimit"
GIVES = "A table of what the kernel allows a process: open files, processes, locked memory."
PRINTED_BY = "Linux (`/proc/PID/limits`), util-linux `prlimit`"
VERSION = 1
HINTS = ("-limits", "limits.txt")

_UNITS = "seconds|bytes|processes|files|locks|signals|us|microsecs"
_ROW = re.compile(
    r"\s*(?P<limit>Max [a-z][a-z/ -]{2,24}?)\s{2,}(?P<soft>unlimited|\d{1,20})\s+"
    rf"(?P<hard>unlimited|\d{{1,20}})(?:\s+(?P<units>{_UNITS}))?\s*$"
)
_PRLIMIT = re.compile(
    r"\s*(?P<limit>[A-Z]{2,12})\s+\S[^\n]{3,60}?\s{1,}(?P<soft>unlimited|\d{1,20})\s+"
    rf"(?P<hard>unlimited|\d{{1,20}})(?:\s+(?P<units>{_UNITS}))?\s*$"
)
_HEADER = re.compile(
    r"\s*(?:Limit\s+Soft Limit\s+Hard Limit\s+Units|RESOURCE\s+DESCRIPTION\s+SOFT)"
)
_LONGEST = 300
_MOST_ROWS = 1_000


def sniff(head: str) -> bool | None:
    """Return whether a line is a limit of a process, or the heading above them."""
    if "Max " not in head and "RESOURCE" not in head:
        return False
    lines = [line[:_LONGEST] for line in head.split("\n")[:100]]
    if any(map(_HEADER.match, lines)):
        return any(_ROW.match(line) or _PRLIMIT.match(line) for line in lines)
    return any(map(_ROW.match, lines))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield one Table; a second list of limits goes on with it."""
    rows: list[tuple[str | None, ...]] = []
    places: list[int] = []
    is_prlimit = False
    for number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST].rstrip()
        if _HEADER.match(text):
            is_prlimit = "RESOURCE" in text
        elif match := _ROW.match(text) or (_PRLIMIT.match(text) if is_prlimit else None):
            if len(rows) < _MOST_ROWS:
                rows.append(match.group("limit", "soft", "hard", "units"))
                places.append(number)
        elif text:
            yield Skipped(number, number, "no limit of a process")
    if rows:
        yield Section("limits", places[0], places[-1])
        yield Table(
            line_first=places[0],
            line_last=places[-1],
            name="limits",
            columns=("limit", "soft", "hard", "units"),
            rows=tuple(rows),
        )
