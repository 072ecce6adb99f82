"""List settings of the servers: their sources, all of one source, or two by name."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import polars as pl

from pileup.analysis.compare.differences import VOLATILE_SETTINGS, same_value
from pileup.knowledge import Knowledge, knowledge
from pileup.storage.errors import NotFound
from pileup.views.source import Source

MOST_SOURCES = 500
MOST_ROWS = 5000
MOST_VALUE = 300
"""Characters of one value; the raw line has the rest."""
_MOST_MENTIONS = 5
_SERVER_GROUPS = re.compile(r"^(?:mysqld|mariadbd?|server|galera|embedded)")
_WORD = re.compile(r"(?<![a-z0-9])[a-z][a-z0-9]*+(?:_[a-z0-9]++)+")

_SPEAKS = ("title", "why", "experiment", "mitigations", "evidence", "signs")
"""Where a finding speaks of settings."""

State = Literal["same", "changed", "only_a", "only_b", "default"]


@dataclass(frozen=True, slots=True)
class SettingSource:
    """One set of settings: an option file, or the variables of a server at one moment."""

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


@dataclass(frozen=True, slots=True)
class SettingSide:
    value: str | None
    cut: bool
    artifact: str
    line: int


@dataclass(frozen=True, slots=True)
class Mention:
    by: Literal["finding", "knowledge"]
    title: str
    id: str
    latch: bool
    """``id`` is that of a latch, not of a known problem."""


@dataclass(frozen=True, slots=True)
class SettingRow:
    name: str
    a: SettingSide | None
    b: SettingSide | None
    state: State
    volatile: bool
    """Differs between any two servers or moments: ids, paths, positions."""
    mentioned: list[Mention]


@dataclass(frozen=True, slots=True)
class SettingTable:
    a: SettingSource
    b: SettingSource | None
    rows: list[SettingRow]
    differing: int
    """Rows that are changed or on one side only, without those that always differ."""
    total: int
    cut: bool


def setting_sources(source: Source) -> list[SettingSource]:
    """List every source of settings, servers before files, in time order."""
    paths = source.paths()
    grouped = (
        server_settings(source)
        .group_by("artifact", "source", "time")
        .agg(
            pl.col("name").n_unique().alias("count"),
            pl.col("host").drop_nulls().first(),
            pl.col("line_first").min(),
        )
        .collect()
    )
    sources = [
        SettingSource(
            id=_source_id(row["artifact"], row["source"], row["time"]),
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
    sources.sort(
        key=lambda each: (
            each.is_file,
            -each.count if each.time is None else 0,
            each.time or datetime.max.replace(tzinfo=UTC),
            each.path,
            each.source,
            each.artifact,
        )
    )
    return sources[:MOST_SOURCES]


def setting_table(
    source: Source, a: str, b: str | None, findings: Iterable[Mapping[str, Any]]
) -> SettingTable:
    """Return the settings of one source, or of two by name.

    a, b: ``SettingSource.id``; NotFound for an unknown one. findings: those of the analysis, as
    stored, whose mentions of a setting are listed with it.
    """
    sources = {each.id: each for each in setting_sources(source)}
    for wanted in (a, b):
        if wanted is not None and wanted not in sources:
            raise NotFound("this incident has no such source of settings, or it was read again")
    left = _values(source, sources[a])
    right = _values(source, sources[b]) if b is not None else {}
    mentions = _mentions(findings)
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


def _source_id(artifact: str, name: str, time: int | None) -> str:
    return f"{artifact[:16]}:{time if time is not None else ''}:{name}"


def server_settings(source: Source) -> pl.LazyFrame:
    """Drop texts of SHOW STATUS, and groups of option files that the server does not read."""
    return source.scan("setting").filter(
        ~pl.col("name").str.starts_with("status.")
        & (pl.col("section").is_null() | pl.col("section").str.contains(_SERVER_GROUPS.pattern))
    )


def _values(source: Source, of: SettingSource) -> dict[str, SettingSide]:
    time = None if of.time is None else int(of.time.timestamp() * 1e6)
    rows = (
        server_settings(source)
        .filter(
            (pl.col("artifact") == of.artifact)
            & (pl.col("source") == of.source)
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
            artifact=of.artifact,
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
    """Map names of settings to what mentions them: this incident's findings come first."""
    mentions: defaultdict[str, list[Mention]] = defaultdict(list)
    for finding in findings:
        text = str([finding.get(part) for part in _SPEAKS])
        for name in set(_WORD.findall(text.lower())):
            mentions[name].append(Mention("finding", finding["title"], finding["id"], latch=False))
    for name, known in _known_mentions(knowledge()).items():
        mentions[name] += known
    return mentions


@functools.lru_cache(maxsize=2)
def _known_mentions(known: Knowledge) -> dict[str, list[Mention]]:
    mentions: defaultdict[str, list[Mention]] = defaultdict(list)
    for latch in known.latches.values():
        for name in set(_WORD.findall(" ".join(latch.knobs).lower())):
            title = f"{latch.id}: {latch.contention_means}"[:200]
            mentions[name].append(Mention("knowledge", title, latch.id, latch=True))
    for issue in known.issues.values():
        text = " ".join([*(remedy.action for remedy in issue.mitigations), issue.change or ""])
        for name in set(_WORD.findall(text.lower())):
            mentions[name].append(Mention("knowledge", issue.title, issue.id, latch=False))
    return dict(mentions)
