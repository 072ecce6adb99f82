"""Build the tables on the page of `pileup analyze`: queries, log, sessions and settings.

The same views as the screens, over evidence in memory: no server and no database. Each table is a
``Block`` of the page (``report.ticket``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from pileup.analysis.contract import Analysis
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.stalls.documents import main_stall, worst_time
from pileup.numerals import grouped, number
from pileup.report.ticket import Block
from pileup.views.evidence.log_groups import log_groups
from pileup.views.evidence.queries import QueryFilter, QuerySource, top_queries
from pileup.views.evidence.server_settings import (
    SettingRow,
    SettingSide,
    SettingSource,
    SettingTable,
    setting_sources,
    setting_table,
)
from pileup.views.evidence.sessions import (
    By,
    ProcesslistMoment,
    SessionFilter,
    processlist,
    processlist_moments,
)
from pileup.views.source import EvidenceSource
from pileup.views.window import moment_of

FEW = 5
"""Rows of a table in a terminal."""
MANY = 100
"""Rows of a table on the page."""
_MOST_OTHERS = 10
"""Most sources of settings to compare with the first."""
_SERVER = ("SHOW VARIABLES", "my.cnf")
"""Sources that hold how a server was set; others hold a few facts, or the machine's settings."""
_TEXT = 160
_QUERY_SOURCES: Mapping[QuerySource, str] = {
    "slow_log": "the slow log",
    "query_digest": "query digests",
    "processlist": "processlists",
}


def table_blocks(evidence: Evidence, analysis: Analysis, most: int) -> list[Block]:
    """Build the tables of a capture, each with at most ``most`` rows.

    Sessions are those of the processlist nearest to the worst moment of the main stall; without a
    stall, of the fullest processlist.
    """
    page = _Page(EvidenceSource(evidence), most)
    worst = moment_of(worst_time(main_stall(analysis.stalls)))
    blocks = [page.queries(evidence, each) for each in _QUERY_SOURCES]
    blocks += [page.log(), *page.sessions(worst), *page.settings(analysis)]
    return [block for block in blocks if block is not None]


@dataclass(frozen=True, slots=True)
class _Page:
    source: EvidenceSource
    most: int

    def queries(self, evidence: Evidence, seen_in: QuerySource) -> Block | None:
        top = top_queries(self.source, QueryFilter(source=seen_in), evidence.artifacts)
        if not top.items:
            return None
        rows = [
            (
                _seconds(query.total_s),
                "" if query.share is None else f"{query.share:.0%}",
                "" if query.calls is None else grouped(query.calls),
                _seconds(query.max_s),
                _cut(query.shape),
                self._place(query.artifact, query.line_first, query.line_last),
            )
            for query in top.items[: self.most]
        ]
        return Block(
            f"Top queries of {_QUERY_SOURCES[seen_in]}",
            self._more(top.shapes, "statement"),
            ("time", "share", "calls", "longest", "statement", "source"),
            rows,
        )

    def log(self) -> Block | None:
        groups = log_groups(self.source)
        if not groups.items:
            return None
        rows = [
            (
                grouped(group.count),
                group.severity or "",
                _time(group.first),
                _time(group.last),
                _cut(group.shape),
                self._place(
                    group.example.artifact, group.example.line_first, group.example.line_last
                ),
            )
            for group in groups.items[: self.most]
        ]
        return Block(
            "Log messages",
            self._more(groups.groups, "message"),
            ("count", "severity", "first", "last", "message", "source"),
            rows,
        )

    def sessions(self, worst: datetime | None) -> list[Block | None]:
        moments = processlist_moments(self.source).items
        if not moments:
            return []
        timed = [moment for moment in moments if moment.time is not None]
        if worst is not None and timed:
            chosen = min(timed, key=lambda moment: abs(_at(moment) - worst))
        else:
            chosen = max(moments, key=lambda moment: moment.active)
        return [
            self._grouped(chosen, "state", "state"),
            self._grouped(chosen, "digest", "statement"),
        ]

    def _grouped(self, moment: ProcesslistMoment, by: By, name: str) -> Block | None:
        wanted = SessionFilter(moment.artifact, moment.snapshot, by)
        listed = processlist(self.source, wanted, 0, 1)
        if not listed.groups:
            return None
        time = _time(moment.time) or "an unknown time"
        about = f"{grouped(moment.active)} of {grouped(moment.sessions)} sessions are active"
        rows = [
            (
                grouped(group.count),
                _seconds(group.max_time_s),
                _cut(group.key or "none"),
                group.meaning or "",
            )
            for group in listed.groups[: self.most]
        ]
        columns: tuple[str, ...] = ("sessions", "longest", name, "meaning")
        if by != "state":
            columns, rows = columns[:-1], [row[:-1] for row in rows]  # type: ignore[misc]
        return Block(
            f"Sessions by {name} at {time}",
            [f"{about} ({moment.path}).", *self._more(listed.groups_total, name)],
            columns,
            rows,
        )

    def settings(self, analysis: Analysis) -> list[Block | None]:
        """List what differs from the server with the most variables, and what matters on it.

        Of several other servers, moments and option files, the one that differs most is shown.
        """
        sources = [each for each in setting_sources(self.source) if each.source in _SERVER]
        if not sources:
            return []
        findings: Sequence[Mapping[str, Any]] = msgspec.to_builtins(analysis.findings)
        first = max(sources, key=lambda each: (not each.is_file, each.count))
        alike = [
            each
            for each in sources
            if each.id != first.id and (each.is_file or 2 * each.count > first.count)
        ]
        tables = [
            setting_table(self.source, first.id, other.id, findings)
            for other in alike[:_MOST_OTHERS]
        ]
        compared = max(tables, key=lambda table: table.differing, default=None)
        alone = setting_table(self.source, first.id, None, findings)
        return [self._different(compared) if compared else None, self._known(alone)]

    def _different(self, table: SettingTable) -> Block | None:
        rows = _mentioned_first([row for row in table.rows if _differs(row)])
        if not rows or table.b is None:
            return None
        about = f"a is {_named(table.a)}, b is {_named(table.b)}."
        return Block(
            "Settings that differ",
            [about, *self._more(len(rows), "setting")],
            ("setting", "a", "b", "mentioned by", "source"),
            [self._setting(row) for row in rows[: self.most]],
        )

    def _known(self, table: SettingTable) -> Block | None:
        known = _mentioned_first([row for row in table.rows if row.mentioned])
        if not known:
            return None
        about = (
            f"{grouped(table.total)} settings of {_named(table.a)}; "
            "a finding or the knowledge base mentions these."
        )
        rows = [self._setting(row) for row in known[: self.most]]
        return Block(
            "Settings that matter",
            [about, *self._more(len(known), "setting")],
            ("setting", "value", "mentioned by", "source"),
            [(row[0], row[1], *row[3:]) for row in rows],
        )

    def _setting(self, row: SettingRow) -> tuple[str, ...]:
        side = row.a or row.b
        by = row.mentioned[0].title if row.mentioned else ""
        return (
            row.name,
            _value(row.a),
            _value(row.b),
            _cut(by),
            self._place(side.artifact, side.line, side.line) if side else "",
        )

    def _more(self, total: int, noun: str) -> list[str]:
        """Say how much the table omits, and where to find it; empty when it shows everything."""
        if total <= self.most:
            return []
        shown = f"{self.most} of {grouped(total)} {noun}s"
        return [f"{shown}; --report FILE.html lists more." if self.most == FEW else f"{shown}."]

    def _place(self, sha256: str, first: int, last: int) -> str:
        path = self.source.paths().get(sha256, "")
        return f"{path}:{first}" + (f"-{last}" if last > first else "")


def _differs(row: SettingRow) -> bool:
    return row.state in ("changed", "only_a", "only_b") and not row.volatile


def _mentioned_first(rows: Sequence[SettingRow]) -> list[SettingRow]:
    """Sort settings: mentioned by a finding, then by the knowledge base, then the rest."""

    def rank(row: SettingRow) -> tuple[int, str]:
        by = {mention.by for mention in row.mentioned}
        return (0 if "finding" in by else 1 if by else 2, row.name)

    return sorted(rows, key=rank)


def _at(moment: ProcesslistMoment) -> datetime:
    assert moment.time is not None
    return moment.time


def _named(source: SettingSource) -> str:
    return f"{source.source} in {source.path}" + (
        f" at {_time(source.time)}" if source.time else ""
    )


def _value(side: SettingSide | None) -> str:
    if side is None:
        return "not set"
    return "no value" if side.value is None else _cut(side.value)


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{number(value)} s"


def _time(time: datetime | None) -> str:
    return "" if time is None else f"{time:%Y-%m-%dT%H:%M:%SZ}"


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
