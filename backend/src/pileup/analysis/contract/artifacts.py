"""Artifacts, their clocks, and the snapshots, series, settings, events and tables they hold."""

from __future__ import annotations

from typing import Literal

from pileup.analysis.contract.base import Doc, Locator, ProblemDoc


class ClockDoc(Doc, frozen=True, kw_only=True):
    """How an artifact's times were placed on UTC."""

    source: str
    """host/collector, such as 'db-ledger-01/pt-stalk'."""
    zone: str | None
    """IANA zone or fixed offset '-08:00'; None when the file is absolute or has no time."""
    offset_s: float
    """Added after the zone."""
    how: str
    """One sentence: 'TS lines of this bundle give UTC-08:00 (30 of 30 agree)'."""
    quality: Literal["exact", "derived", "assumed", "given", "unknown"]
    dispersion_s: float | None = None
    anchors: int = 0
    suggested_offset_s: float | None = None
    """Offset derived from counters or events that another source also has; not applied."""
    suggested_how: str = ""
    """'Its clock is 41.2 s ahead of that of ...: questions at 58 moments, ± 0.4 s'."""
    moves: int = 0
    """Records whose time the suggestion would change."""
    outside: int = 0
    """Records that the suggestion would move outside the time covered by other artifacts."""
    jumps: list[str] = []
    """Times at which its clock was set, one sentence each."""
    host_how: str = ""
    """Why it counts as its host's, where that is not what the file prints."""
    host_printed: str | None = None
    """The host that the file prints, where it counts as another's."""


class ArtifactDoc(Doc, frozen=True, kw_only=True):
    path: str
    sha256: str
    bytes: int
    format: str | None
    host: str | None
    first: str | None
    last: str | None
    records: dict[str, int]
    problems: list[ProblemDoc]
    bundle: str | None = None
    clock: ClockDoc | None = None


class SnapshotDoc(Doc, frozen=True, kw_only=True):
    time: str | None
    time_quality: str
    kind: str
    artifact: str
    path: str
    index: int
    host: str | None
    line_first: int
    waiters: int | None = None
    """Semaphore waits in the dump, or threads that wait in a stack sample."""
    lock_waits: int | None = None
    sessions: int | None = None
    server_version: str | None = None


class SeriesDoc(Doc, frozen=True, kw_only=True):
    id: str
    """'name{labels}@host'."""
    name: str
    labels: str
    host: str | None
    kind: str
    unit: str | None
    points: int
    first: str | None
    last: str | None
    min: float | None = None
    max: float | None = None
    artifact: str | None = None


class SettingDoc(Doc, frozen=True, kw_only=True):
    name: str
    value: str | None
    source: str
    host: str | None
    artifact: str
    line_first: int


class EventDoc(Doc, frozen=True, kw_only=True):
    time: str | None
    kind: str
    severity: str | None
    message: str
    host: str | None
    artifact: str | None
    line_first: int | None


class TableDoc(Doc, frozen=True, kw_only=True):
    """An uploaded result set; ``locator`` gives its rows."""

    name: str
    columns: list[str]
    rows: int
    time: str | None
    host: str | None
    locator: Locator


class TableCellDoc(Doc, frozen=True, kw_only=True):
    key: list[str | None]
    column: str
    before: str | None
    after: str | None
    change: str | None
    """after - before, exact; None unless both are numbers."""
    ratio: float | None


class TableChangeDoc(Doc, frozen=True, kw_only=True):
    """The first and the last of two or more tables of the same name, columns and host."""

    name: str
    keys: list[str]
    before: Locator
    after: Locator
    added: int
    gone: int
    changed: int
    largest: list[TableCellDoc]
    """The cells that changed most, by ratio."""
