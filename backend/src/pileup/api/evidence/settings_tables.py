"""Settings: which sources say them, all of one source, two sources beside each other."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import polars as pl
from fastapi import APIRouter, Query

from pileup.analysis.compare.differences import VOLATILE_SETTINGS, same_value
from pileup.api.deps import IncidentDep, Services, ServicesDep, UnitDep
from pileup.api.schema import Out
from pileup.knowledge import Knowledge, knowledge
from pileup.storage.errors import NotFound
from pileup.storage.incidents.analyses import Analyses

router = APIRouter(tags=["tables"])

MOST_SOURCES = 500
MOST_ROWS = 5000
MOST_VALUE = 300
"""Characters of one value; the raw line has the rest."""
_MOST_MENTIONS = 5
_SERVER_GROUPS = re.compile(r"^(?:mysqld|mariadbd?|server|galera|embedded)")
_WORD = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")

_SAID = ("title", "why", "experiment", "mitigations", "evidence", "signs")
"""Where a finding speaks of settings."""

State = Literal["same", "changed", "only_a", "only_b", "default"]


class SettingSource(Out):
    """One reading of settings: an option file, or the variables of a server at one moment."""

    id: str
    source: str
    host: str | None
    artifact: str
    path: str
    time: datetime | None
    count: int
    line_first: int
    is_file: bool
    """An option file: what it does not name has its default."""


class SettingSide(Out):
    value: str | None
    cut: bool
    artifact: str
    line: int


class Mention(Out):
    by: Literal["finding", "knowledge"]
    title: str
    id: str
    latch: bool = False
    """``id`` is that of a latch, not of a known problem."""


class SettingRow(Out):
    name: str
    a: SettingSide | None
    b: SettingSide | None
    state: State
    volatile: bool
    """Differs between any two servers or moments: ids, paths, positions."""
    mentioned: list[Mention]


class SettingTable(Out):
    a: SettingSource
    b: SettingSource | None
    rows: list[SettingRow]
    differing: int
    """Rows that are changed or on one side only, without those that always differ."""
    total: int
    cut: bool


@dataclass(frozen=True, slots=True)
class _Key:
    artifact: str
    source: str
    time: int | None

    def id(self) -> str:
        return f"{self.artifact[:16]}:{self.time if self.time is not None else ''}:{self.source}"


@router.get("/incidents/{incident_id}/settings/sources")
def setting_sources(incident: IncidentDep, services: ServicesDep) -> list[SettingSource]:
    """Every source of settings, servers before files, in time order."""
    return _sources(services, incident.id)


@router.get("/incidents/{incident_id}/settings")
def setting_table(
    incident: IncidentDep,
    services: ServicesDep,
    unit: UnitDep,
    a: Annotated[str, Query(max_length=300)],
    b: Annotated[str | None, Query(max_length=300)] = None,
) -> SettingTable:
    """The settings of one source; with a second, both beside each other by name."""
    sources = {one.id: one for one in _sources(services, incident.id)}
    for wanted in (a, b):
        if wanted is not None and wanted not in sources:
            raise NotFound("this incident has no such source of settings, or it was read again")
    left = _values(services, incident.id, sources[a])
    right = _values(services, incident.id, sources[b]) if b is not None else {}
    parts = Analyses(unit).parts(incident.id, "findings") or {"findings": []}
    mentions = _mentions(parts["findings"] or [])
    rows = [
        _row(name, left.get(name), right.get(name), sources[a], sources.get(b or ""), mentions)
        for name in sorted(left.keys() | right.keys())
    ]
    differing = sum(
        row.state in ("changed", "only_a", "only_b") and not row.volatile for row in rows
    )
    return SettingTable(
        a=sources[a],
        b=sources[b] if b is not None else None,
        rows=rows[:MOST_ROWS],
        differing=differing if b is not None else 0,
        total=len(rows),
        cut=len(rows) > MOST_ROWS,
    )


def _sources(services: Services, incident_id: str) -> list[SettingSource]:
    index = services.placed.index(incident_id)
    if index is None:
        return []
    paths = {one.sha256: one.path for one in index.artifacts}
    grouped = (
        _server_settings(services, incident_id)
        .group_by("artifact", "source", "time")
        .agg(
            pl.col("name").n_unique().alias("count"),
            pl.col("host").drop_nulls().first(),
            pl.col("line_first").min(),
        )
        .collect()
    )
    found = [
        SettingSource(
            id=_Key(row["artifact"], row["source"], row["time"]).id(),
            source=row["source"],
            host=row["host"],
            artifact=row["artifact"],
            path=paths.get(row["artifact"], ""),
            time=None if row["time"] is None else datetime.fromtimestamp(row["time"] / 1e6, UTC),
            count=row["count"],
            line_first=row["line_first"],
            is_file="cnf" in row["source"].lower(),
        )
        for row in grouped.iter_rows(named=True)
    ]
    found.sort(
        key=lambda one: (
            one.is_file,
            -one.count if one.time is None else 0,
            one.time or datetime.max.replace(tzinfo=UTC),
            one.path,
        )
    )
    return found[:MOST_SOURCES]


def _server_settings(services: Services, incident_id: str) -> pl.LazyFrame:
    """Without texts of SHOW STATUS, and of files the groups that the server reads."""
    frame = services.placed.scan(incident_id, "setting")
    return frame.filter(
        ~pl.col("name").str.starts_with("status.")
        & (pl.col("section").is_null() | pl.col("section").str.contains(_SERVER_GROUPS.pattern))
    )


def _values(services: Services, incident_id: str, source: SettingSource) -> dict[str, SettingSide]:
    time = None if source.time is None else int(source.time.timestamp() * 1e6)
    rows = (
        _server_settings(services, incident_id)
        .filter(
            (pl.col("artifact") == source.artifact)
            & (pl.col("source") == source.source)
            & (pl.col("time").is_null() if time is None else pl.col("time") == time)
        )
        .select("name", "value", "line_first")
        .sort("line_first", maintain_order=True)
        .collect()
    )
    # The last of a name is the one in force.
    return {
        name: SettingSide(
            value=None if value is None else value[:MOST_VALUE],
            cut=value is not None and len(value) > MOST_VALUE,
            artifact=source.artifact,
            line=line,
        )
        for name, value, line in rows.iter_rows()
    }


def _row(
    name: str,
    a: SettingSide | None,
    b: SettingSide | None,
    left: SettingSource,
    right: SettingSource | None,
    mentions: Mapping[str, list[Mention]],
) -> SettingRow:
    state: State = "same"
    if right is not None:
        if a is None:
            state = "default" if left.is_file and not right.is_file else "only_b"
        elif b is None:
            state = "default" if right.is_file and not left.is_file else "only_a"
        elif not same_value(a.value, b.value, switch=left.is_file or right.is_file):
            state = "changed"
    return SettingRow(
        name=name,
        a=a,
        b=b,
        state=state,
        volatile=name in VOLATILE_SETTINGS,
        mentioned=mentions.get(name, [])[:_MOST_MENTIONS],
    )


def _mentions(findings: Iterable[Mapping[str, Any]]) -> dict[str, list[Mention]]:
    """Names of settings to what speaks of them: this incident's findings before the knowledge."""
    found: defaultdict[str, list[Mention]] = defaultdict(list)
    for finding in findings:
        said = [finding.get(part) for part in _SAID]
        for name in set(_WORD.findall(str(said).lower())):
            found[name].append(Mention(by="finding", title=finding["title"], id=finding["id"]))
    for name, known in _known_mentions(knowledge()).items():
        found[name] += known
    return found


@functools.lru_cache(maxsize=2)
def _known_mentions(known: Knowledge) -> dict[str, list[Mention]]:
    found: defaultdict[str, list[Mention]] = defaultdict(list)
    for latch in known.latches.values():
        for name in set(_WORD.findall(" ".join(latch.knobs).lower())):
            title = f"{latch.id}: {latch.contention_means}"[:200]
            found[name].append(Mention(by="knowledge", title=title, id=latch.id, latch=True))
    for issue in known.issues.values():
        told = " ".join([*(action for action, _ in issue.mitigations), issue.change or ""])
        for name in set(_WORD.findall(told.lower())):
            found[name].append(Mention(by="knowledge", title=issue.title, id=issue.id))
    return dict(found)
