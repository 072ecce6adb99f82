"""Catalogue parts of the analysis document: artifacts, snapshots, series, events, deadlocks.

Conclusions do not belong here: see ``signatures``, ``triage`` and ``summary``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from pileup.analysis.contract import (
    ArtifactDoc,
    DeadlockDoc,
    DeadlockPatternDoc,
    EventDoc,
    ProblemDoc,
    SeriesDoc,
    SnapshotDoc,
)
from pileup.analysis.deadlocks import by_deadlock, explain, patterns
from pileup.analysis.evidence.context import Context, Span
from pileup.analysis.evidence.evidence import Evidence, EvidenceArtifact
from pileup.analysis.evidence.times import iso
from pileup.analysis.stacks import same_samples
from pileup.analysis.waits.moments import moments as wait_moments
from pileup.knowledge import knowledge
from pileup.numerals import number

MOST_EVENTS = 5000
MOST_DEADLOCKS = 1000
"""Deadlocks that are explained one by one, the latest; the patterns count all."""
_NOT_EVENTS = ("clock",)


def artifacts(evidence: Evidence) -> list[ArtifactDoc]:
    """List every artifact with its host, time range and problems, in path order."""
    ranges: dict[str, tuple[int, int]] = {}
    hosts: dict[str, str] = {}
    for frame in evidence.frames.values():
        if "time" not in frame.columns:
            continue
        table = frame.group_by("artifact").agg(
            pl.col("time").min().alias("a"),
            pl.col("time").max().alias("b"),
            pl.col("host").drop_nulls().first(),
        )
        for sha, first, last, host in table.iter_rows():
            if first is not None:
                old = ranges.get(sha, (first, last))
                ranges[sha] = (min(old[0], first), max(old[1], last))
            if host is not None:
                hosts.setdefault(sha, host)
    docs = []
    for artifact in evidence.artifacts:
        repeated = artifact.repeated
        elsewhere = (None, None) if repeated is None else (repeated.first_us, repeated.last_us)
        first, last = ranges.get(artifact.sha256, elsewhere)
        host = hosts.get(artifact.sha256) or (None if repeated is None else repeated.host)
        docs.append(
            ArtifactDoc(
                path=artifact.path,
                sha256=artifact.sha256,
                bytes=artifact.bytes,
                format=artifact.format,
                host=host,
                first=iso(first),
                last=iso(last),
                records=dict(artifact.records),
                problems=_problems(artifact),
                bundle=artifact.bundle,
                clock=evidence.clocks.get(artifact.sha256),
            )
        )
    return sorted(docs, key=lambda doc: doc.path)


def problems(evidence: Evidence) -> list[ProblemDoc]:
    """List the problems of every artifact, then the unusable entries of a team's own knowledge."""
    of_artifacts = [doc for artifact in evidence.artifacts for doc in _problems(artifact)]
    return of_artifacts + [
        ProblemDoc(
            artifact="",
            path="knowledge",
            line=None,
            message=f"Left out of the team's own knowledge: {text}",
            severity="error",
        )
        for text in knowledge().problems
    ]


def _problems(artifact: EvidenceArtifact) -> list[ProblemDoc]:
    return [
        ProblemDoc(
            artifact=artifact.sha256,
            path=artifact.path,
            line=problem.line,
            message=problem.message,
            expected=problem.expected,
            found=problem.found,
            severity=problem.severity,
        )
        for problem in artifact.problems
    ]


def snapshots(evidence: Evidence) -> list[SnapshotDoc]:
    """List every snapshot in time order, with its number of waiters.

    A stack sample that gdb and pt-pmp both wrote is one.
    """
    evidence = same_samples.without_repeated(evidence)
    frame = evidence.frame("snapshot")
    if frame is None:
        return []
    keys = ["artifact", "snapshot"]
    latches = _counts(evidence, "semaphore_wait", pl.lit(True))
    locks = _counts(evidence, "transaction", pl.col("lock_wait"))
    people = _counts(evidence, "session", pl.lit(True))
    others = {
        (wait_moment.artifact, wait_moment.snapshot, wait_moment.kind): wait_moment.waiters
        for wait_moment in wait_moments(evidence)
    }
    paths = {artifact.sha256: artifact.path for artifact in evidence.artifacts}
    rows = frame.select(
        *keys, "time", "time_quality", "kind", "host", "line_first", "server_version"
    ).sort("time", "artifact", "snapshot", nulls_last=True)
    docs = []
    for row in rows.iter_rows(named=True):
        key = (row["artifact"], row["snapshot"])
        is_dump = row["kind"] == "innodb_status"
        quality = row["time_quality"]
        if quality == "unknown" and row["time"] is not None:
            quality = "file name"
        docs.append(
            SnapshotDoc(
                time=iso(row["time"]),
                time_quality=quality,
                kind=row["kind"],
                artifact=row["artifact"],
                path=paths.get(row["artifact"], ""),
                index=row["snapshot"] if row["snapshot"] is not None else 0,
                host=row["host"],
                line_first=row["line_first"],
                waiters=latches.get(key, 0)
                if is_dump
                else others.get((row["artifact"], row["snapshot"] or 0, row["kind"])),
                lock_waits=locks.get(key, 0) if is_dump or key in locks else None,
                sessions=people.get(key),
                server_version=row["server_version"],
            )
        )
    return docs


def _counts(evidence: Evidence, kind: str, which: pl.Expr) -> dict[tuple[str, int | None], int]:
    frame = evidence.frame(kind)
    if frame is None:
        return {}
    counted = frame.filter(which).group_by("artifact", "snapshot").len()
    return {(sha, snapshot): count for sha, snapshot, count in counted.iter_rows()}


def series(evidence: Evidence) -> list[SeriesDoc]:
    """List every series with its time and value range, ordered by id."""
    frame = evidence.frame("sample")
    if frame is None:
        return []
    value = pl.col("value")
    table = (
        frame.group_by("id")
        .agg(
            pl.col("series", "labels", "host", "kind", "unit").first(),
            value.count().alias("points"),
            pl.col("time").min().alias("first"),
            pl.col("time").max().alias("last"),
            value.filter(value.is_finite()).min().alias("min"),
            value.filter(value.is_finite()).max().alias("max"),
            pl.col("artifact").mode().sort().first().alias("artifact"),
        )
        .sort("id")
    )
    return [
        SeriesDoc(
            id=row["id"],
            name=row["series"],
            labels=row["labels"],
            host=row["host"],
            kind=row["kind"],
            unit=row["unit"],
            points=row["points"],
            first=iso(row["first"]),
            last=iso(row["last"]),
            min=row["min"],
            max=row["max"],
            artifact=row["artifact"],
        )
        for row in table.iter_rows(named=True)
    ]


def events(evidence: Evidence) -> list[EventDoc]:
    """List log lines, triggers and other events in time order.

    Above ``MOST_EVENTS`` only the most severe are listed.
    """
    frame = evidence.frame("event")
    if frame is None:
        return []
    rows = frame.filter(~pl.col("kind").is_in(_NOT_EVENTS))
    if rows.height > MOST_EVENTS:
        grave = pl.col("severity").replace_strict(
            {"error": 0, "warning": 1}, default=2, return_dtype=pl.Int64
        )
        rows = rows.sort(grave, "time", maintain_order=True).head(MOST_EVENTS)
    return [
        EventDoc(
            time=iso(row["time"]),
            kind=row["kind"],
            severity=row["severity"],
            message=row["message"],
            host=row["host"],
            artifact=row["artifact"],
            line_first=row["line_first"],
        )
        for row in rows.sort("time", nulls_last=True, maintain_order=True).iter_rows(named=True)
    ]


def deadlocks(evidence: Evidence, context: Context) -> list[DeadlockDoc]:
    """Explain each deadlock, in order of time; of thousands the latest."""
    waited = _tables_waited_for(evidence, context.stall)
    docs: list[DeadlockDoc] = []
    for row in deque(_distinct_deadlocks(evidence), maxlen=MOST_DEADLOCKS):
        transactions = row["transactions"]
        explained = explain(transactions, row["victim"])
        docs.append(
            DeadlockDoc(
                time=iso(row["time"]),
                transactions=transactions,
                victim=row["victim"],
                relation=_relation(row["time"], transactions, waited, context.stall),
                artifact=row["artifact"],
                line_first=row["line_first"],
                kind=explained.kind,
                kind_label=explained.label,
                why=explained.why,
                change=list(explained.change),
                confidence=explained.confidence,
                settle=explained.settle,
                pattern=explained.pattern,
                lanes=list(explained.lanes),
                waits=list(explained.waits),
            )
        )
    return docs


def deadlock_patterns(evidence: Evidence) -> list[DeadlockPatternDoc]:
    """List the patterns of the deadlocks, the most frequent first."""
    return [
        DeadlockPatternDoc(
            id=pattern.id,
            kind=pattern.kind,
            kind_label=pattern.label,
            shapes=list(pattern.shapes),
            tables=list(pattern.tables),
            count=pattern.count,
            first=iso(pattern.first_us),
            last=iso(pattern.last_us),
            per_minute=pattern.per_minute,
            most_in_a_minute=pattern.most_in_a_minute,
            artifact=pattern.example["artifact"],
            line_first=pattern.example["line_first"],
        )
        for pattern in patterns(_distinct_deadlocks(evidence))
    ]


def _distinct_deadlocks(evidence: Evidence) -> Iterator[Mapping[str, Any]]:
    """Yield each deadlock once, by time, although later status dumps repeat it."""
    frame = evidence.frame("deadlock")
    if frame is None:
        return
    rows = frame.sort("time", nulls_last=True, maintain_order=True).iter_rows(named=True)
    yield from (prints[0] for prints in by_deadlock(rows))


def _tables_waited_for(evidence: Evidence, stall: Span | None) -> set[str]:
    names: set[str] = set()
    for kind, column in (("transaction", "waits_table"), ("lock_wait", "table")):
        frame = evidence.frame(kind)
        if frame is None:
            continue
        rows = frame.filter(stall.holds()) if stall else frame
        names |= {table.replace("`", "") for table in rows[column].drop_nulls().unique()}
    return names


def _how_long(span: int) -> str:
    """Format microseconds in words: '53 s', '45 min', '30 h', '921 days'."""
    seconds = span / 1e6
    for unit, size, up_to in (("s", 1, 600), ("min", 60, 120), ("h", 3600, 48)):
        if seconds / size < up_to:
            return f"{number(round(seconds / size))} {unit}"
    return f"{number(round(seconds / 86400))} days"


def _relation(
    time: int | None, transactions: list[dict[str, Any]], waited: set[str], stall: Span | None
) -> str:
    """Describe how a deadlock relates to the stall in time and tables."""
    text = " ".join(
        str(part)
        for transaction in transactions
        for part in (
            *(transaction.get("holds") or ()),
            transaction.get("waits_for") or "",
            transaction.get("query") or "",
        )
    ).replace("`", "")
    shared = sorted(
        name for name in waited if name in text or name.rpartition(".")[2] in text.split()
    )
    if stall is None:
        return "No stall to compare it with."
    if time is None:
        return "Time unknown."
    if time < stall.start:
        when = f"{_how_long(stall.start - time)} before the onset"
    elif time <= stall.end:
        when = f"{_how_long(time - stall.start)} after the onset, inside the stall"
    else:
        when = f"{_how_long(time - stall.end)} after the stall"
    if shared:
        return f"{when}, on {', '.join(shared)}, which the stall also waits for."
    if waited and not stall.start <= time <= stall.end:
        return f"{when}, on other tables: not part of this stall."
    if waited:
        return f"{when}, on tables that the stall does not wait for."
    if stall.start <= time <= stall.end:
        return f"{when}."
    return f"{when}; the stall shows no row-lock waits, so probably not part of it."
