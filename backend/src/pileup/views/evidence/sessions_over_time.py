"""Group the sessions of an incident's processlists over time: a stack of counts per processlist."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import polars as pl

from pileup.views.evidence.sessions import (
    By,
    fullest_of_stretches,
    moments_frame,
    with_activity,
    with_key,
)
from pileup.views.source import Source
from pileup.views.window import moment_of

MOST_COLUMNS = 200
"""Processlists in the answer; of more, the fullest of each stretch."""
MOST_GROUPS = 7
"""Groups with a count of their own; the others count together."""


@dataclass(frozen=True, slots=True)
class SessionsOverTimeGroup:
    key: str | None
    """A statement shape, state, user, client or schema; None: sessions without one."""
    peak: int
    """Most sessions in one of the shown processlists."""


@dataclass(frozen=True, slots=True)
class SessionsColumn:
    time: datetime | None
    artifact: str
    snapshot: int
    sessions: int
    active: int
    counts: list[int]
    """Sessions of each group, in the order of the groups."""
    other: int
    """Sessions of all groups that are not listed."""


@dataclass(frozen=True, slots=True)
class SessionsOverTime:
    by: By
    groups: list[SessionsOverTimeGroup]
    """Those with the most sessions in one of the shown processlists, the largest first."""
    groups_total: int
    columns: list[SessionsColumn]
    """In time order, those of unknown time last. Each is one processlist, never a mean."""
    total: int
    """Processlists; more than the columns when each column is the fullest of its stretch."""


def sessions_over_time(source: Source, by: By, *, idle: bool, q: str) -> SessionsOverTime:
    """Count the sessions of each group in each processlist, or in the fullest of each stretch.

    idle: also count sessions that sleep. q: count only sessions that hold this text.
    """
    moments = moments_frame(source)
    shown = fullest_of_stretches(moments, MOST_COLUMNS)
    rows = (
        with_activity(source.scan("session"))
        .join(shown.lazy().select("artifact", "snapshot"), on=["artifact", "snapshot"], how="semi")
        .collect()
    )
    counted = (
        with_key(rows, by, idle=idle, q=q)
        .group_by("artifact", "snapshot", "key")
        .agg(pl.len().alias("count"))
    )
    groups = (
        counted.group_by("key")
        .agg(pl.col("count").sum().alias("all"), pl.col("count").max().alias("peak"))
        .sort("peak", "all", "key", descending=[True, True, False], nulls_last=True)
    )
    listed = groups.head(MOST_GROUPS)
    place = {key: at for at, key in enumerate(listed["key"])}
    empty = [0] * (len(place) + 1)
    counts: dict[tuple[str, int], list[int]] = {}
    for artifact, snapshot, key, count in counted.iter_rows():
        column = counts.setdefault((artifact, snapshot), list(empty))
        column[place.get(key, -1)] += count
    return SessionsOverTime(
        by=by,
        groups=[SessionsOverTimeGroup(row["key"], row["peak"]) for row in listed.to_dicts()],
        groups_total=groups.height,
        columns=[
            SessionsColumn(
                time=moment_of(row["time"]),
                artifact=row["artifact"],
                snapshot=row["snapshot"],
                sessions=row["sessions"],
                active=row["active"],
                counts=counts.get((row["artifact"], row["snapshot"]), empty)[:-1],
                other=counts.get((row["artifact"], row["snapshot"]), empty)[-1],
            )
            for row in shown.iter_rows(named=True)
        ],
        total=moments.height,
    )
