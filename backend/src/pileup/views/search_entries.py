"""Build the entries that the search of an incident finds: what the analysis saw, by name.

The worker stores them with each analysis. What people write is searched where it is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import pairwise

import polars as pl
import structlog

from pileup.analysis.contract import Analysis
from pileup.analysis.evidence.evidence import Evidence
from pileup.knowledge import named_latch
from pileup.storage.incidents.search import Entry
from pileup.views.evidence.log_groups import log_groups
from pileup.views.evidence.queries import QueryFilter, QuerySource, top_queries
from pileup.views.evidence.server_settings import server_settings
from pileup.views.evidence.sessions import IDLE
from pileup.views.source import EvidenceSource

MOST_SESSIONS = 1000
"""Sessions that can be found by id; those that work or wait longest come first."""
MOST_LOG_GROUPS = 300
_MOST_SETTINGS = 2000
_MOST_TITLE = 300
_SOURCES: tuple[QuerySource, ...] = ("slow_log", "query_digest", "processlist")

log = structlog.get_logger()


def search_entries(document: Analysis, evidence: Evidence) -> list[Entry]:
    """Return the entries of an analysis; of two with one kind and key the first stays.

    A part that fails is left out and logged, because a search is worth less than an analysis.
    """
    source = EvidenceSource(evidence)
    parts: tuple[Callable[[], Iterable[Entry]], ...] = (
        lambda: _findings(document),
        lambda: _nodes(document),
        lambda: _chain(document),
        lambda: _deadlocks(document),
        lambda: _stacks(document),
        lambda: _sessions(source),
        lambda: _statements(source, evidence),
        lambda: _settings(source),
        lambda: _log_lines(source),
    )
    entries: dict[tuple[str, str], Entry] = {}
    for part in parts:
        try:
            for entry in part():
                entries.setdefault((entry.kind, entry.key), entry)
        except (pl.exceptions.PolarsError, ValueError, TypeError, KeyError) as error:
            log.error("search.part_failed", why=str(error), exc_info=True)
    return list(entries.values())


def _findings(document: Analysis) -> Iterator[Entry]:
    for finding in document.findings:
        names = [name.title for name in finding.known_as]
        yield _entry(
            "finding",
            finding.id,
            finding.title,
            hint=finding.why or finding.explanation,
            words=[finding.id, finding.category, *names, finding.explanation],
            weight=1.0 if finding.role == "problem" else 0.5,
        )


def _nodes(document: Analysis) -> Iterator[Entry]:
    """What others wait for: roots, blockers, latches and positions of waits."""
    for root in document.roots:
        yield _entry(
            "node",
            root.node or root.key,
            root.label,
            hint=" · ".join(part for part in (root.why, root.statement) if part),
            at=_moment(root.time),
            words=[root.kind, root.user, root.statement, root.table, str(root.session_id or "")],
            weight=0.5 + root.share / 2,
        )
    for blocker in document.blockers:
        yield _entry(
            "node",
            blocker.id,
            blocker.holder,
            hint=blocker.why,
            at=_moment(blocker.time),
            words=[blocker.kind],
            weight=0.5,
        )
    for latch in document.hot_latches:
        yield _entry(
            "wait",
            latch.label,
            named_latch(latch.latch, latch.label),
            hint=latch.meaning,
            at=_moment(latch.max_at),
            words=[latch.latch],
            weight=latch.share,
        )
    for wait in document.hot_waits:
        yield _entry(
            "wait",
            f"{wait.file}:{wait.line} {wait.mode}",
            f"{wait.file} line {wait.line} ({wait.latch_label})",
            hint=wait.meaning,
            at=_moment(wait.max_at),
            words=[wait.function, wait.latch, wait.subsystem, f"{wait.file}:{wait.line}"],
            weight=wait.share,
        )


def _chain(document: Analysis) -> Iterator[Entry]:
    """The locks, latches and queues between the holder and the victims, at the worst moment."""
    if document.story is None:
        return
    at = document.roots[0].time if document.roots else None
    for before, link in pairwise([None, *document.story.chain]):
        if link is not None and link.role == "resource":
            yield _entry(
                "wait",
                link.title,
                link.title,
                hint=f"behind {before.title}" if before else link.detail,
                at=_moment(at),
                weight=0.5,
            )


def _deadlocks(document: Analysis) -> Iterator[Entry]:
    for pattern in document.deadlock_patterns:
        yield _entry(
            "deadlock",
            pattern.id,
            f"Deadlock: {pattern.kind_label}",
            hint=", ".join(pattern.tables),
            at=_moment(pattern.last),
            words=pattern.shapes,
        )


def _stacks(document: Analysis) -> Iterator[Entry]:
    for stack in document.hot_stacks:
        if not stack.stack:
            continue
        yield _entry(
            "stack",
            stack.stack[0],
            stack.stack[0],
            hint=" · ".join(part for part in (stack.meaning, " < ".join(stack.stack[1:])) if part),
            words=stack.stack,
            weight=0.0 if stack.set_aside else stack.share,
        )


def _sessions(source: EvidenceSource) -> Iterator[Entry]:
    busy = ~pl.col("command").is_in(IDLE).fill_null(value=False)
    frame = (
        source.scan("session")
        .filter(pl.col("session_id").is_not_null())
        .sort(busy, pl.col("time_s").fill_null(0), descending=True, maintain_order=True)
        .group_by("session_id", maintain_order=True)
        .agg(
            pl.col(
                "user", "client_host", "db", "state", "query", "time", "artifact", "snapshot"
            ).first(),
            busy.first().alias("busy"),
        )
        .head(MOST_SESSIONS)
        .collect()
    )
    for row in frame.iter_rows(named=True):
        who = "@".join(part for part in (row["user"], row["client_host"]) if part)
        yield _entry(
            "session",
            f"{row['session_id']} {row['artifact']}:{row['snapshot'] or 0}",
            " · ".join(
                part for part in (f"Session {row['session_id']}", who, row["state"]) if part
            ),
            hint=row["query"],
            at=None if row["time"] is None else datetime.fromtimestamp(row["time"] / 1e6, UTC),
            words=[row["db"]],
            weight=0.5 if row["busy"] else 0.0,
        )


def _statements(source: EvidenceSource, evidence: Evidence) -> Iterator[Entry]:
    for seen_in in _SOURCES:
        top = top_queries(source, QueryFilter(source=seen_in), evidence.artifacts)
        for query in top.items:
            yield _entry(
                "statement",
                f"{seen_in} {query.id}",
                query.shape,
                at=query.first,
                weight=query.share or 0.0,
            )


def _settings(source: EvidenceSource) -> Iterator[Entry]:
    frame = (
        server_settings(source)
        .filter(pl.col("name").is_not_null())
        .group_by("name", maintain_order=True)
        .agg(pl.col("value").unique(maintain_order=True).head(4))
        .head(_MOST_SETTINGS)
        .collect()
    )
    for row in frame.iter_rows(named=True):
        values = [value for value in row["value"] if value]
        yield _entry("setting", row["name"], row["name"], hint=" or ".join(values))


def _log_lines(source: EvidenceSource) -> Iterator[Entry]:
    for group in log_groups(source).items[:MOST_LOG_GROUPS]:
        yield _entry(
            "log",
            group.id,
            group.example.message,
            hint=f"{group.count:,} {'line' if group.count == 1 else 'lines'}",
            at=group.first,
            words=[group.severity, group.shape],
        )


def _entry(
    kind: str,
    key: str,
    title: str,
    *,
    hint: str | None = None,
    at: datetime | None = None,
    words: Iterable[str | None] = (),
    weight: float = 0.0,
) -> Entry:
    return Entry(
        kind=kind,
        key=key[:_MOST_TITLE],
        title=title[:_MOST_TITLE],
        hint=hint[:_MOST_TITLE] if hint else None,
        at=at,
        words=" ".join(word for word in (title, hint, *words) if word),
        weight=min(max(weight, 0.0), 1.0),
    )


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text.replace("Z", "+00:00"))
