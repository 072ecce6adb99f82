"""Input of every rule: the evidence and everything measured from it so far."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from pileup.analysis.contract import (
    HotLatchDoc,
    HotStackDoc,
    HotWaitDoc,
    ShiftDoc,
    SlowQueryDoc,
    StallDoc,
)
from pileup.analysis.evidence.evidence import Evidence
from pileup.knowledge.renamed import look_up


@dataclass(frozen=True, slots=True)
class Span:
    """A range of time in UTC µs, both ends included."""

    start: int
    end: int

    @property
    def seconds(self) -> float:
        return (self.end - self.start) / 1e6

    def widened(self, seconds: float) -> Span:
        return Span(self.start - round(seconds * 1e6), self.end + round(seconds * 1e6))

    def holds(self, column: str = "time") -> pl.Expr:
        return pl.col(column).is_between(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Server:
    """The server that wrote the artifacts; None: unknown."""

    version: str | None = None
    """As printed: '8.0.15', '5.6.24-log'."""
    family: str | None = None
    """mysql, percona, mariadb."""
    comment: str | None = None

    @property
    def numbers(self) -> tuple[int, ...]:
        """Version as numbers, (8, 0, 15); empty if unknown."""
        head = (self.version or "").partition("-")[0]
        parts = head.split(".")
        return tuple(int(name) for name in parts) if all(p.isdigit() for p in parts) else ()


@dataclass(frozen=True, slots=True)
class Setting:
    value: str | None
    source: str
    host: str | None
    artifact: str
    line_first: int


@dataclass(frozen=True, slots=True)
class Context:
    evidence: Evidence
    server: Server = Server()
    settings: dict[str, Setting] = field(default_factory=dict)
    """Effective value per name: SHOW VARIABLES over my.cnf."""
    stalls: tuple[StallDoc, ...] = ()
    stall: Span | None = None
    """The stall that matters most (the longest), as µs; None without one."""
    host: str | None = None
    """Host of the stall; None if unknown or nothing stalled."""
    baseline: Span | None = None
    """Range to compare the stall with: before it, or after it if the capture begins inside."""
    baseline_is_before: bool = True
    values: pl.DataFrame = field(default_factory=pl.DataFrame)
    """Every sample as a plain value, counters as rates per second: id, series, labels, host,
    kind, unit, artifact, time, value."""
    shifts: tuple[ShiftDoc, ...] = ()
    hot_waits: tuple[HotWaitDoc, ...] = ()
    hot_latches: tuple[HotLatchDoc, ...] = ()
    hot_stacks: tuple[HotStackDoc, ...] = ()
    slow_queries: tuple[SlowQueryDoc, ...] = ()

    def setting(self, name: str) -> str | None:
        """Return a variable's value as printed, under any name it has had; None if unknown."""
        setting = look_up(self.settings, name)
        return None if setting is None else setting.value

    def number(self, name: str) -> float | None:
        """Return a variable's value as a number (ON and OFF are 1 and 0), or None."""
        value = (self.setting(name) or "").strip().upper()
        if value in ("ON", "OFF"):
            return float(value == "ON")
        try:
            return float(value)
        except ValueError:
            return None

    def median(self, name: str, span: Span | None) -> float | None:
        """Return the median of a series (any host and labels) inside a span, or None."""
        if span is None or self.values.is_empty():
            return None
        rows = self.values.filter((pl.col("series") == name) & span.holds())["value"]
        middle = rows.median()
        return float(middle) if isinstance(middle, int | float) else None


__all__ = ["Context", "Server", "Setting", "Span"]
