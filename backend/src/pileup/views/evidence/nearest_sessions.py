"""Find the sessions at an instant: the processlist nearest to it, grouped by state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import polars as pl

from pileup.knowledge import knowledge
from pileup.views.evidence.sessions import printed_time
from pileup.views.source import Source
from pileup.views.window import moment_of

MAX_SESSIONS = 500
NEAREST_US = 30_000_000
"""A processlist further away than this is not shown for an instant."""


@dataclass(frozen=True, slots=True)
class SessionGroup:
    command: str | None
    state: str | None
    category: str | None
    meaning: str | None
    count: int
    max_time_s: float | None


@dataclass(frozen=True, slots=True)
class SessionOut:
    session_id: int | None
    user: str | None
    client_host: str | None
    db: str | None
    command: str | None
    time_s: float | None
    state: str | None
    query: str | None
    artifact: str
    line_first: int
    line_last: int


@dataclass(frozen=True, slots=True)
class Sessions:
    time: datetime | None
    artifact: str | None
    groups: list[SessionGroup]
    sessions: list[SessionOut]
    total: int


NO_SESSIONS = Sessions(time=None, artifact=None, groups=[], sessions=[], total=0)


def sessions_near(source: Source, instant: int) -> Sessions:
    """Return the processlist nearest to an instant (UTC µs); empty where none is near."""
    placed = (
        source.scan("session")
        .drop_nulls("time")
        .with_columns(printed_time())
        .with_columns((pl.col("time") - instant).abs().alias("distance"))
        .collect()
    )
    if placed.is_empty():
        return NO_SESSIONS
    nearest = placed.sort("distance", "time", "artifact").row(0, named=True)
    if nearest["distance"] > NEAREST_US:
        return NO_SESSIONS
    rows = placed.filter(
        (pl.col("artifact") == nearest["artifact"]) & (pl.col("time") == nearest["time"])
    ).to_dicts()
    names = [each.name for each in fields(SessionOut)]
    longest = sorted(rows, key=lambda row: -(row["time_s"] or 0))[:MAX_SESSIONS]
    return Sessions(
        time=moment_of(nearest["time"]),
        artifact=nearest["artifact"],
        groups=_groups(rows),
        sessions=[SessionOut(**{name: row[name] for name in names}) for row in longest],
        total=len(rows),
    )


def _groups(rows: Sequence[Mapping[str, Any]]) -> list[SessionGroup]:
    together: defaultdict[tuple[str | None, str | None], list[Mapping[str, Any]]] = defaultdict(
        list
    )
    for row in rows:
        together[row["command"], row["state"]].append(row)
    known = knowledge()
    groups: list[SessionGroup] = []
    for (command, state), members in together.items():
        meaning = known.state_for(command, state)
        times = [row["time_s"] for row in members if row["time_s"] is not None]
        groups.append(
            SessionGroup(
                command=command,
                state=state,
                category=meaning.category if meaning else None,
                meaning=meaning.meaning if meaning else None,
                count=len(members),
                max_time_s=max(times, default=None),
            )
        )
    return sorted(groups, key=lambda group: -group.count)
