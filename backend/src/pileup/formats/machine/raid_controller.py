"""The state of a RAID controller: its cache and battery by MegaCli, storcli, perccli and ssacli.

Source: ``MegaCli64 -AdpBbuCmd``, ``-LDInfo``; ``storcli /c0/bbu show all``; ``ssacli ctrl all show
        detail``: a name, a colon or blanks, a value.
Yields: an Event for each line whose value is not the one of a healthy controller: a battery that
        learns, fails or charges, a cache that writes through although it is set to write back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.records import Event, Item, Skipped

NAME = "raid-controller"
TITLE = "state of a RAID controller"
GIVES = "Events: a battery that is not well, a write cache that is off."
PRINTED_BY = "MegaCli, storcli, perccli, ssacli, hpacucli"
VERSION = 1
HINTS = ("megacli.txt", "storcli.txt", "ssacli.txt")

_SNIFF = re.compile(
    r"^[ \t]*+(?:Battery ?Type ?: |Battery State ?: |Learn Cycle Active|Default Cache Policy ?: "
    r"|Current Cache Policy ?: "
    r"|(?:Controller|Cache|Battery/Capacitor) Status: |Cache Backup Power Source: )",
    re.MULTILINE,
)
# Battery State: Learning        Current Cache Policy: WriteThrough, ReadAdaptive, Direct
_LINE = re.compile(r"\s*(?P<name>[A-Z][\w /()-]{3,60}?)\s*[:=]\s*(?P<value>\S.{0,200})$")
_STATE = re.compile(
    r"battery ?state|battery/capacitor status|cache status|controller status|bbu state"
    r"|charging status"
    r"|learn cycle (?:active|status|requested)|battery replacement required|current cache policy"
    r"|battery pack missing",
    re.IGNORECASE,
)
_WELL = re.compile(
    r"ok\b|optimal|no\b|none|full|operational|writeback|enabled|healthy|idle|n/?a\b|normal",
    re.IGNORECASE,
)
_DEFAULT = re.compile(r"Default Cache Policy", re.IGNORECASE)
_CURRENT = re.compile(r"Current Cache Policy", re.IGNORECASE)
_WRITES_BACK = re.compile(r"Write ?Back", re.IGNORECASE)
_LONGEST = 400


def sniff(head: str) -> bool | None:
    """Return whether a line has the state of a battery or of a cache."""
    return ("Battery" in head or "Cache" in head) and bool(_SNIFF.search(head))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield an Event per state that is not well; of a cache, one that is not as it was set."""
    default = ""
    held: Event | None = None
    for number, line in enumerate(lines, start=1):
        text = line[:_LONGEST].strip()
        match = _LINE.match(text)
        if match is None:
            if text:
                yield Skipped(number, number, "no state of the controller")
            continue
        if _DEFAULT.match(match["name"]):
            default = match["value"]
        elif _STATE.search(match["name"]) and not _WELL.match(match["value"]):
            event = _event(number, text)
            if not _CURRENT.match(match["name"]):
                yield event
                continue
            held = event
        if held is not None and default:  # they come in either order
            if _WRITES_BACK.match(default):
                yield held
            held = None


def _event(number: int, text: str) -> Event:
    return Event(
        line_first=number,
        line_last=number,
        kind="log",
        severity="warning",
        subsystem="raid",
        message=text,
    )
