"""Progress of an online schema change: gh-ost and pt-online-schema-change.

Source: printStatus() of gh-ost's migrator, a line per interval; pt-online-schema-change --progress.
            Copy: 120000/2915100 4.1%; Applied: 310; Backlog: 40/1000; Time: 30s(total), 29s(copy);
            streamer: mysql-bin.000017:80021042; Lag: 0.41s, HeartbeatLag: 0.52s, State: migrating
            Copying `shop`.`orders`:  42% 01:12 remain
            Replica lag is 812 seconds on db2.  Waiting.
Yields: schema_change.copied, .rows, .applied, .backlog, .lag (of the stream of events),
        .replica_lag (by heartbeats, or of the replica that it waits for) and .progress on a
        relative clock: the seconds since it began, or the number of the line; a change of gh-ost's
        state is an event.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.series_columns import Columns
from pileup.records import Event, Item, Skipped

NAME = "schema-changes"
TITLE = "progress of an online schema change"
GIVES = "Rows copied and applied, backlog, lag and progress (`schema_change.*`); changes of state."
PRINTED_BY = "gh-ost, pt-online-schema-change"
VERSION = 2
HINTS = ("gh-ost.log", "ghost.log")

_GH_OST = re.compile(
    r".{0,80}?\bCopy: (?P<copied>\d{1,18})/(?P<rows>\d{1,18}) (?P<progress>[\d.]{1,8})%;"
    r" Applied: (?P<applied>\d{1,18}); Backlog: (?P<backlog>\d{1,9})/\d{1,9};"
    r" Time: (?P<total>[\dhms.]{2,20})\(total\)"
)
_LAG = re.compile(r"\bLag: (?P<lag>[\d.]{1,12})s")
_REPLICA_LAG = re.compile(
    r"\bHeartbeatLag: (?P<heartbeat>[\d.]{1,12})s|\blag=(?P<state>[\d.]{1,12})s"
    r"|\bReplica lag is (?P<replica>\d{1,9}) seconds"
)
_STATE = re.compile(r"\bState: (?P<state>[^;]{1,200})")
_PT = re.compile(
    r"Copying (?P<table>\S{1,200}): +(?P<progress>\d{1,3})% (?:\d{1,3}\+)?\d{1,3}:\d\d(?::\d\d)?"
    r" remain"
)
_PART = re.compile(r"(?P<number>\d{1,9}(?:\.\d{1,9})?)(?P<unit>[hms])")
_SECONDS = {"h": 3600, "m": 60, "s": 1}
_UNITS = {"lag": "s", "replica_lag": "s", "progress": "%"}


def sniff(head: str) -> bool | None:
    """Return whether half of the lines are of the progress."""
    lines = [line for line in head.split("\n")[:100] if line.strip()]
    fits = sum(bool(_GH_OST.match(line) or _PT.match(line)) for line in lines)
    return fits > 0 and 2 * fits >= len(lines)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the figures of every line, and an event where gh-ost's state changes."""
    columns = Columns()
    state, count = "", 0
    for number, text in enumerate(lines, start=1):
        match = _GH_OST.match(text) or _PT.match(text)
        if match is None:
            if text.strip():
                yield Skipped(number, number, "not a line of the progress")
            continue
        values = match.groupdict()
        wall = _duration_us(values["total"]) if "total" in values else count * 1_000_000
        count += 1
        if lag := _LAG.search(text):
            values["lag"] = lag["lag"]
        if lags := [max(filter(None, lag)) for lag in _REPLICA_LAG.findall(text)]:
            values["replica_lag"] = max(lags, key=float)
        for name in ("copied", "rows", "applied", "backlog", "lag", "replica_lag", "progress"):
            if values.get(name) is not None:
                columns.add(
                    f"schema_change.{name}",
                    float(values[name]),
                    wall=wall,
                    clock="relative",
                    line=number,
                    kind="counter" if name in ("copied", "applied") else "gauge",
                    unit=_UNITS.get(name),
                )
        found = _STATE.search(text)
        if found and found["state"].split(",")[0] != state:
            state = found["state"].split(",")[0]
            yield Event(
                line_first=number,
                line_last=number,
                wall_us=wall,
                clock="relative",
                kind="log",
                severity="note",
                subsystem="gh-ost",
                message=f"gh-ost: {found['state'].strip()}",
            )
        if columns.full:
            yield from columns.flush()
    yield from columns.flush()


def _duration_us(text: str) -> int:
    """Convert 1h2m3s to microseconds."""
    return round(
        1e6 * sum(float(part["number"]) * _SECONDS[part["unit"]] for part in _PART.finditer(text))
    )
