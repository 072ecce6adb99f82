"""Levels that follow from two others: periods that a quota cut, of all; how long a read takes.

Where both have rates, their share is that of the rates; where a file prints each once, it is that
of their totals since the machine or the container started, which need no Uptime. What is pending
over what ends per second is how long each takes (Little's law), whatever the device says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.level import Level
from pileup.analysis.evidence.series import short_name


@dataclass(frozen=True, slots=True)
class _Share:
    name: str
    part: frozenset[str]
    whole: frozenset[str] | None
    """None: the total itself is the level."""


_SHARES = (
    _Share(
        "throttled_pct",
        frozenset(("container_cpu_cfs_throttled_periods", "cpu_cfs_throttled_periods")),
        frozenset(("container_cpu_cfs_periods", "cpu_cfs_periods")),
    ),
    _Share(
        "listen_overflows_since_start",
        frozenset(
            ("tcpext_times_the_listen_queue_of_a_socket_overflowed", "tcpextlistenoverflows")
        ),
        None,
    ),
)
_PENDING_READS = ("innodb_data_pending_reads",)
_READS = ("innodb_data_reads",)
_READ_MS = "page_read_ms"
_TOTAL = "_total"


def shares(context: Context, rates: Sequence[Level]) -> Iterator[Level]:
    """Yield the shares of rates, and of totals that are printed once."""
    named = [(_name(row.series, row.labels), row) for row in rates]
    yield from _reads(named)
    alone = []
    for share in _SHARES:
        parts = {row.labels: row for name, row in named if name in share.part}
        wholes = {row.labels: row for name, row in named if name in (share.whole or ())}
        for labels, part in parts.items():
            if (whole := wholes.get(labels)) is not None:
                yield _of_rates(share.name, part, whole)
        if not parts:
            alone.append(share)
    frame = context.evidence.frame("sample")
    if frame is not None and alone:
        yield from _of_totals(alone, frame, context.host)


def _reads(named: Sequence[tuple[str, Level]]) -> Iterator[Level]:
    """Yield how long a read of the server takes, where some are pending at most moments."""
    whole = {row.artifact: row for name, row in named if name in _READS}
    for name, row in named:
        if name not in _PENDING_READS or (row.inside or 0.0) < 1:
            continue
        if (ended := whole.get(row.artifact)) is not None and ended.inside:
            inside = 1000 * (row.inside or 0.0) / ended.inside
            before = 1000 * (row.before or 0.0) / ended.before if ended.before else None
            yield Level(
                row.id, f"mysql.{_READ_MS}", row.labels, row.artifact, before, inside, inside,
                row.points, lowest=inside,
            )  # fmt: skip


def _name(series: str, labels: str) -> str:
    return short_name(series, labels).removesuffix(_TOTAL)


def _of_rates(name: str, part: Level, whole: Level) -> Level:
    inside = _percent(part.inside, whole.inside)
    return Level(
        part.id, f"metric.{name}", part.labels, part.artifact, _percent(part.before, whole.before),
        inside, inside or 0.0, part.points, lowest=inside,
    )  # fmt: skip


def _percent(part: float | None, whole: float | None) -> float | None:
    return 100 * part / whole if part is not None and whole else None


def _of_totals(wanted: Sequence[_Share], frame: pl.DataFrame, host: str | None) -> Iterator[Level]:
    counters = frame.filter((pl.col("kind") == "counter") & pl.col("value").is_not_null())
    if host is not None:
        counters = counters.filter(pl.col("host").is_null() | (pl.col("host") == host))
    columns = [pl.col(name).cast(pl.String) for name in ("series", "labels", "id", "artifact")]
    listed = counters.select(*columns).unique(maintain_order=True)
    names = {
        row["id"]: name
        for row in listed.to_dicts()
        if (name := _name(row["series"], row["labels"] or "")) in _ALL
    }
    if not names:
        return
    totals = counters.filter(pl.col("id").cast(pl.String).is_in(list(names)))
    last = totals.group_by("artifact", "id", maintain_order=True).agg(
        pl.col("value").last(), pl.col("labels").first()
    )
    rows = last.to_dicts()
    for share in wanted:
        wholes = {
            (row["artifact"], row["labels"]): row["value"]
            for row in rows
            if names[row["id"]] in (share.whole or ())
        }
        for row in rows:
            if names[row["id"]] not in share.part:
                continue
            whole = wholes.get((row["artifact"], row["labels"]))
            value = _percent(row["value"], whole) if share.whole else row["value"]
            if value is not None:
                yield Level(
                    row["id"], f"metric.{share.name}", row["labels"] or "", row["artifact"], None,
                    value, value, 1, since_start=True, lowest=value,
                )  # fmt: skip


_ALL = frozenset().union(*(share.part | (share.whole or frozenset()) for share in _SHARES))
"""The names of all totals that are wanted."""


__all__ = ["shares"]
