"""Waits per latch between two readings of SHOW ENGINE INNODB MUTEX.

The server counts how often threads slept for a latch, never for how long. A sleep lasts a
millisecond or so, and rate times duration is how many wait at once (Little's law): far below one
on a healthy server, whatever the latch.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

import polars as pl

from pileup.analysis.contract import Locator
from pileup.analysis.evidence.context import Server
from pileup.analysis.evidence.levels import Level
from pileup.analysis.findings.seen import NO_DATA, Seen
from pileup.analysis.findings.stall_records import StallRecords
from pileup.analysis.findings.words import latches
from pileup.knowledge import Wait, knowledge
from pileup.numerals import grouped, number

SERIES = "os_waits"
_SLEEP_S = 0.001
_MOSTLY_UNKNOWN = 0.5
"""Share of the waits for latches that nothing identifies, from which on none can be ruled out."""
_LONG_S = 600.0
"""Seconds of sleep in all, from which on a single reading tells anything."""
_PLACE = re.compile(r"(?P<file>\w+\.(?:cc?|ic?|h)):(?P<line>[0-9]+)")
_MODES = {"rwlock": "S", "mutex": "mutex"}
"""A mode of waiting for each type of latch."""


def counted(records: StallRecords, sleeps: Sequence[dict[str, Any]], ids: Collection[str]) -> Seen:
    """Return how much of the counted waits was for latches of the knowledge base.

    sleeps: see ``sleeps_since_start``.
    """
    levels = [level for level in records.levels_named([SERIES]) if not level.since_start]
    if not levels:
        return _since_start(records, sleeps, ids)
    by_latch: defaultdict[str, list[Level]] = defaultdict(list)
    unknown = []
    for level in levels:
        latch = _latch_of(level.labels, records.context.server)
        if latch in ids:
            by_latch[latch].append(level)
        elif not latch:
            unknown.append(level)
    matching = [level for same in by_latch.values() for level in same]
    per_second = _sum(matching)
    at_once = round(per_second * _SLEEP_S)
    if not at_once:
        return NO_DATA if may_be_any(_sum(unknown), _sum(levels)) else Seen(False)
    share = per_second / _sum(levels)
    text = (
        f"threads slept {number(per_second)} times per second for the {latches(sorted(by_latch))} "
        f"by SHOW ENGINE INNODB MUTEX ({share:.0%} of all such waits)"
    )
    top = max(matching, key=lambda level: level.inside or 0.0)
    return Seen(True, at_once, share, text, (records.series(top, text),), estimated=True)


def may_be_any(unknown: float, of_all: float) -> bool:
    """Return whether so many waits are for latches that are not known that none is ruled out."""
    return unknown >= _MOSTLY_UNKNOWN * of_all


def sleeps_since_start(records: StallRecords) -> list[dict[str, Any]]:
    """Return the last reading of each latch in each file: how often threads slept for it in all."""
    frame = records.context.evidence.frame("sample")
    if frame is None:
        return []
    series = pl.col("series").cast(pl.String)
    rows = (
        frame.filter(series.str.ends_with(f".{SERIES}") & (pl.col("value") > 0))
        .with_columns(pl.col("labels").cast(pl.String))
        .sort("artifact", "line_first")
        .unique(["artifact", "labels"], keep="last", maintain_order=True)
        .to_dicts()
    )
    server = records.context.server
    return [row | {"latch": _latch_of(row["labels"] or "", server)} for row in rows]


def _since_start(
    records: StallRecords, rows: Sequence[dict[str, Any]], ids: Collection[str]
) -> Seen:
    """Return how many of all sleeps a single reading counts for these latches.

    It tells nothing of now, so that it is one waiter at most, and only where threads have
    slept for long in all.
    """
    if not rows:
        return NO_DATA
    of_all = float(sum(row["value"] for row in rows))
    unknown = sum(row["value"] for row in rows if not row["latch"])
    matching = [row for row in rows if row["latch"] in ids]
    sleeps = sum(row["value"] for row in matching)
    if sleeps * _SLEEP_S < _LONG_S:
        return NO_DATA if may_be_any(unknown, of_all) else Seen(False)
    share = sleeps / of_all
    named = latches(sorted({row["latch"] for row in matching}))
    text = (
        f"threads slept {grouped(sleeps)} times for the {named} since the counts began, "
        f"by SHOW ENGINE INNODB MUTEX ({share:.0%} of the latches it lists)"
    )
    return Seen(True, 1, share, text, (_lines(records, matching[0], text),), estimated=True)


def _lines(records: StallRecords, row: dict[str, Any], text: str) -> Locator:
    path = records.context.evidence.path(row["artifact"])
    line = row["line_first"]
    return Locator(
        kind="lines",
        artifact=row["artifact"],
        path=path,
        line_first=line,
        line_last=line,
        text=text,
    )


def _sum(levels: Sequence[Level]) -> float:
    return sum(level.inside or 0.0 for level in levels)


def _latch_of(labels: str, server: Server) -> str:
    """Return the id of the latch that a row names, or that is created where it says; else ''."""
    of = dict(label.split("=", 1) for label in labels.split(",") if "=" in label)
    name = of.get("latch", "")
    place = _PLACE.fullmatch(name)
    modes = [known] if (known := _MODES.get(of.get("type", ""))) else sorted(_MODES.values())
    found = {
        latch.id
        for mode in modes  # a table without types: whatever one of them decides
        if (latch := knowledge().latch_for(None if place else name, _wait(mode, place, server)))
    }
    return found.pop() if len(found) == 1 else ""


def _wait(mode: str, place: re.Match[str] | None, server: Server) -> Wait:
    created = (place["file"], int(place["line"])) if place else None
    return Wait(mode=mode, created=created, family=server.family, numbers=server.numbers)


__all__ = ["counted", "sleeps_since_start"]
