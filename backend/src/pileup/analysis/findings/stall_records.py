"""Index the records of the stall, each when it is first needed, and cite their raw lines."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from pileup.analysis.blocked_time.measure import BlockedTime
from pileup.analysis.contract import LimitDoc, Locator, ShiftDoc
from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.levels import Level, Levels
from pileup.analysis.evidence.line_ranges import line_ranges
from pileup.analysis.evidence.series import measure, short_name
from pileup.analysis.evidence.times import iso
from pileup.analysis.findings import limits as limit_checks
from pileup.analysis.stacks.hot_stacks import clean, is_waiting
from pileup.analysis.stacks.profiles import shares
from pileup.knowledge import function_key, match_stack, wait_classes
from pileup.knowledge.renamed import current_name, look_up

_AROUND = 3
"""Functions of the server that count as the place of a wait, from the innermost outwards."""
_WRAPPER = re.compile(
    r"^(_*(GI|libc|lll|L)_|_*(syscall|futex|poll|ppoll|select|nanosleep|clock_nanosleep|fsync"
    r"|fdatasync|p?read(64)?|p?write(64)?|io_getevents|sched_yield)\b|_*pthread_|__|([\w.+-]+::)?\?\?"
    r"|my_mutex_|inline_mysql_|native_(mutex|cond)|safe_(mutex|cond)|os_(event|fast_mutex|mutex|thread|aio"
    r"|file)|sync_array|mutex_(enter|spin|lock)|rw_lock_|TTAS|PolicyMutex|OSMutex|SyncMutex"
    r"|mysql_(mutex|cond|rwlock|prlock)_|pfs_|psi_|ssux_lock|srw_|sux_lock|std::|ut_delay|ib_mutex"
    r"|my_(sync|read|write|pread|pwrite)\b|start_thread|clone\b)"
)


@dataclass(slots=True)
class StackGroup:
    """Threads that share one stack."""

    names: tuple[str, ...]
    keys: frozenset[str]
    waiting: bool
    site: frozenset[str]
    """The functions right around the wait: those further out did not decide to wait for it."""
    profiled: bool = False
    """A profiler counted it: ``threads`` are then per cent of the samples of its event."""
    threads: float = 0
    per_sample: defaultdict[tuple[str, int | None], float] = field(
        default_factory=lambda: defaultdict(float)
    )
    example: dict[str, Any] = field(default_factory=dict)
    """The stack record with the most threads, with its index (``row``) among all stack records."""


class StallRecords:
    """Records, levels and settings of one stall; what they mean belongs to ``Observed``."""

    def __init__(self, context: Context, blocked: BlockedTime | None = None) -> None:
        self.context = context
        self.blocked = blocked
        """Blocked time of the stall; None: not measured."""
        self._stall = context.stall
        self._during: dict[str, pl.DataFrame | None] = {}

    @cached_property
    def record_counts(self) -> dict[str, int]:
        """Count the available dumps, stack samples, processlists, log lines and series."""
        moments = self.during("snapshot")
        kinds = dict(moments.group_by("kind").len().iter_rows()) if moments is not None else {}
        sessions = self.context.evidence.frame("session")
        if sessions is not None and self._stall is not None:
            sessions = sessions.filter(self._stall.holds())
        lists = (
            sessions.select("artifact", "snapshot", "time").n_unique()
            if (sessions is not None)
            else 0
        )
        logs = self.context.evidence.frame("event")
        locks = [self.during(kind) for kind in ("lock_wait", "metadata_lock")]
        return {
            "status dumps": int(kinds.get("innodb_status", 0)),
            "stack samples": len({key for stack in self.stacks for key in stack.per_sample}),
            "processlists": lists,
            "lock tables": sum(
                frame.select("artifact", "snapshot", "time").n_unique()
                for frame in locks
                if frame is not None
            ),
            "log lines": 0 if logs is None else logs.filter(pl.col("kind") != "clock").height,
            "series": len(self.levels.rows),
            "settings": len(self.context.settings),
        }

    @cached_property
    def stacks(self) -> tuple[StackGroup, ...]:
        """Stacks of the stall that are not idle; from all samples when none has a time inside."""
        frame = self.context.evidence.frame("stack")
        if frame is None:
            return ()
        if self._stall is not None:
            inside = frame.filter(self._stall.widened(2).holds())
            frame = inside if inside.height else frame
        groups: dict[tuple[bool, tuple[str, ...]], StackGroup | None] = {}
        columns = ["artifact", "snapshot", "count", "samples", "frames", "line_first", "line_last"]
        of_profile = shares(frame)
        for row in frame.select(columns).with_row_index("row").iter_rows(named=True):
            names = tuple(clean(frame["function"] or "??") for frame in row["frames"])
            share = of_profile[row["row"]]
            if share == 0:
                continue
            key = (share is not None, names)
            if key not in groups:
                meaning = match_stack(names)
                idle = meaning is not None and meaning.set_aside
                groups[key] = None if idle else _group(names, profiled=share is not None)
            group = groups[key]
            if group is None:
                continue
            threads = share or row["count"] // max(1, row["samples"]) or 1
            group.threads += threads
            group.per_sample[row["artifact"], row["snapshot"]] += threads
            if not group.example or row["count"] > group.example["count"]:
                group.example = row
        return tuple(group for group in groups.values() if group is not None)

    @cached_property
    def only_profiles(self) -> bool:
        """Whether all stacks are of profiles, which show what works and nothing that waits."""
        return bool(self.stacks) and all(stack.profiled for stack in self.stacks)

    @cached_property
    def levels(self) -> Levels:
        """Medians of every series before and during the stall."""
        return Levels.of(self.context)

    @cached_property
    def limits(self) -> list[LimitDoc]:
        """Every gauge with a ceiling, the fullest first."""
        return limit_checks.check(self.context, self.levels)

    def during(self, kind: str) -> pl.DataFrame | None:
        """Return the records of one kind inside the stall; None when there are none.

        Sessions that look at the server are left out: the collector is no suspect.
        """
        if kind not in self._during:
            frame = self.context.evidence.frame(kind)
            if frame is not None and self._stall is not None:
                frame = frame.filter(self._stall.holds())
            known = frame is not None and not frame.is_empty()
            if frame is not None and known and kind == "session":
                frame = _without_collectors(frame)
            self._during[kind] = frame if known else None
        return self._during[kind]

    def levels_named(self, names: Iterable[str]) -> list[Level]:
        """Return the levels of series by short name, whatever their collector and labels."""
        wanted = {current_name(name) for name in names}
        return [level for name in sorted(wanted) for level in self._by_name.get(name, ())]

    def level(self, *names: str) -> float | None:
        """Return the median in the stall of the first of these series, by short name; else None."""
        found = (level for name in names for level in self.levels_named([name]))
        return next((level.inside for level in found if not level.labels), None)

    def series(self, level: Level, text: str) -> Locator:
        """Build the locator of a statement about a series over the stall."""
        path = self.context.evidence.path(level.artifact)
        return self._over_stall(level.id, text, level.artifact, path)

    def shift(self, *names: str) -> ShiftDoc | None:
        """Return the shift of the first of these full series names that exists, else None.

        A name of an exporter's matches every exporter's name of the same measure.
        """
        for name in names:
            for shift in self.context.shifts:
                if shift.name.lower() == name.lower() or _is_same_measure(shift.name, name):
                    return shift
        return None

    def shifted(self, shift: ShiftDoc) -> Locator:
        """Build the locator of a shift: the series over the stall, in the stall's own words."""
        shown = (each for stall in self.context.stalls for each in stall.evidence)
        text = next((each.text for each in shown if each.series == shift.series), shift.text)
        return self._over_stall(shift.series, text)

    def setting(self, name: str, text: str | None = None) -> Locator | None:
        """Build the locator of a variable's value; None when the value is unknown."""
        setting = look_up(self.context.settings, name)
        if setting is None:
            return None
        return Locator(
            kind="lines",
            artifact=setting.artifact,
            path=self.context.evidence.path(setting.artifact),
            line_first=setting.line_first,
            line_last=setting.line_first,
            setting=name,
            text=f"{name}={setting.value} ({setting.source})" if text is None else text,
        )

    def lines(self, row: dict[str, Any], text: str, *, at: str | None = None) -> Locator:
        """Build the locator of a record's raw lines."""
        return Locator(
            kind="lines",
            artifact=row["artifact"],
            path=self.context.evidence.path(row["artifact"]),
            line_first=row["line_first"],
            line_last=row["line_last"],
            ranges=line_ranges(row.get("parts") or ()),
            at=at,
            text=text,
        )

    def _over_stall(
        self, series: str, text: str, artifact: str | None = None, path: str | None = None
    ) -> Locator:
        span = self._stall
        return Locator(
            kind="series",
            artifact=artifact,
            path=path,
            series=series,
            start=iso(span.start) if span else None,
            end=iso(span.end) if span else None,
            text=text,
        )

    @cached_property
    def _by_name(self) -> dict[str, list[Level]]:
        levels: defaultdict[str, list[Level]] = defaultdict(list)
        for row in self.levels.rows:
            if row.inside is not None:
                levels[current_name(short_name(row.series, row.labels))].append(row)
        return levels


def _is_same_measure(series: str, name: str) -> bool:
    """Whether the series has an exporter's name and means what the other name does."""
    series, _, labels = series.partition("{")
    return measure(series) is not None and short_name(series, labels.rstrip("}")) == short_name(
        name
    )


def _group(names: tuple[str, ...], *, profiled: bool) -> StackGroup:
    own = [name for name in names if not _WRAPPER.match(name)]
    if own and own[0].startswith("MDL_"):  # whoever opens a table is around it
        own = [name for name in own[:_AROUND] if name.startswith("MDL_")]
    keys = set(map(function_key, names))
    # a lock primitive is known by its class, too: TTASEventMutex::enter and ::wait are one
    keys |= {key.partition("::")[0] for key in keys if "::" in key and is_primitive(key)}
    return StackGroup(
        names,
        frozenset(keys),
        is_waiting(names),
        frozenset(map(function_key, own[:_AROUND])),
        profiled,
    )


def is_primitive(function: str) -> bool:
    """Return whether a function only locks, waits or reads for whoever called it."""
    return bool(_WRAPPER.match(function))


def _without_collectors(sessions: pl.DataFrame) -> pl.DataFrame:
    texts = sessions["query"].drop_nulls().unique()
    ours = [text for text in texts if wait_classes.is_collector(text)]
    if not ours:
        return sessions
    # one that opens all tables for so long is no look at the server any more
    heavy = pl.col("query").fill_null("").str.contains(_OF_ALL_TABLES)
    heavy &= pl.col("time_s").fill_null(0.0) >= _NO_LOOK_S
    return sessions.filter(heavy | ~pl.col("query").fill_null("").is_in(ours))


_OF_ALL_TABLES = (
    r"(?i)\binformation_schema[`\"]?\s*\.\s*[`\"]?(?:tables|statistics|columns|partitions"
    r"|key_column_usage|referential_constraints|table_constraints|triggers)\b"
)
_NO_LOOK_S = 10.0
