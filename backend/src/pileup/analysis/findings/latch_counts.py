"""Waits per latch between two readings of SHOW ENGINE INNODB MUTEX.

The server counts how often threads slept for a latch, never for how long. A sleep lasts a
millisecond or so, and rate times duration is how many wait at once (Little's law): far below one
on a healthy server, whatever the latch.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence

from pileup.analysis.evidence.context import Server
from pileup.analysis.evidence.levels import Level
from pileup.analysis.findings.seen import NO_DATA, Seen
from pileup.analysis.findings.stall_records import StallRecords
from pileup.analysis.findings.words import latches
from pileup.knowledge import Wait, knowledge
from pileup.numerals import number

SERIES = "os_waits"
_SLEEP_S = 0.001
_PLACE = re.compile(r"(?P<file>\w+\.(?:cc?|ic?|h)):(?P<line>[0-9]+)")
_MODES = {"rwlock": "S", "mutex": "mutex"}
"""A mode of waiting for each type of latch."""


def counted(records: StallRecords, ids: Collection[str]) -> Seen:
    """Return how much of the counted waits was for latches of the knowledge base."""
    levels = [level for level in records.levels_named([SERIES]) if not level.since_start]
    if not levels:
        return NO_DATA
    by_latch: defaultdict[str, list[Level]] = defaultdict(list)
    for level in levels:
        if (latch := _latch_of(level.labels, records.context.server)) in ids:
            by_latch[latch].append(level)
    matching = [level for same in by_latch.values() for level in same]
    per_second = _sum(matching)
    at_once = round(per_second * _SLEEP_S)
    if not at_once:
        return Seen(False)
    share = per_second / _sum(levels)
    text = (
        f"threads slept {number(per_second)} times per second for the {latches(sorted(by_latch))} "
        f"by SHOW ENGINE INNODB MUTEX ({share:.0%} of all such waits)"
    )
    top = max(matching, key=lambda level: level.inside or 0.0)
    return Seen(True, at_once, share, text, (records.series(top, text),), estimated=True)


def _sum(levels: Sequence[Level]) -> float:
    return sum(level.inside or 0.0 for level in levels)


def _latch_of(labels: str, server: Server) -> str:
    """Return the id of the latch that a row names, or that is created where it says; else ''."""
    of = dict(label.split("=", 1) for label in labels.split(",") if "=" in label)
    name = of.get("latch", "")
    place = _PLACE.fullmatch(name)
    wait = Wait(
        mode=_MODES.get(of.get("type", ""), ""),
        created=(place["file"], int(place["line"])) if place else None,
        family=server.family,
        numbers=server.numbers,
    )
    latch = knowledge().latch_for(None if place else name, wait)
    return latch.id if latch is not None else ""


__all__ = ["counted"]
