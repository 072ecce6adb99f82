"""Comparison of two or more sides: series, waits, stacks, settings, tables, hosts."""

from __future__ import annotations

from typing import Literal

from pileup.analysis.contract.base import Doc, Locator


class ComparedSide(Doc, frozen=True, kw_only=True):
    """Scope of one side of a comparison."""

    label: str
    start: str | None
    end: str | None
    hosts: list[str]
    version: str | None
    dumps: int
    """Number of status dumps."""
    samples: int
    """Number of stack samples."""


class SidesActive(Doc, frozen=True, kw_only=True):
    """Average active sessions of one side: its active-session seconds over their duration."""

    average: float
    """The mean over a side's runs; of a single moment, its active sessions."""
    low: float | None
    high: float | None
    """Interval that the sampling error allows, of one run; least and most of several runs. None: a
    single moment."""
    level_from: str
    """Series or kind of moment that gives the level."""
    mix_from: str
    """Moments that give the classes; '' if none shows them."""


class SidesClass(Doc, frozen=True, kw_only=True):
    """Active sessions of one class of time; the classes of a side add up to its average."""

    id: str
    """Of the class, as in TimeClassDoc."""
    title: str
    waits: bool
    """Whether such a session waits for another session or a shared resource."""
    sessions: list[float | None]
    """Average active sessions of each side; None where nothing shows any session."""
    shares: list[float | None]
    """Of the side's active sessions."""


class ComparedSeries(Doc, frozen=True, kw_only=True):
    """Medians of one series on both sides; None if a side has no sample."""

    series: str
    labels: str
    unit: str | None
    """Of the shown values: counters are per second."""
    a: float | None
    b: float | None
    a_p95: float | None
    """95th percentile, nearest rank."""
    b_p95: float | None
    a_points: int
    b_points: int
    ratio: float | None
    """b over a."""
    score: float
    """Difference of the medians in robust spreads (1.4826 MAD + 5 %); 0 when a side is missing."""
    clear: bool


class ComparedSetting(Doc, frozen=True, kw_only=True):
    name: str
    a: str | None
    b: str | None


class ComparedTableRow(Doc, frozen=True, kw_only=True):
    """One cell that changed, or a whole row that one side alone has."""

    state: Literal["appeared", "gone", "changed"]
    key: list[str | None]
    """Key values of the row, in the order of the table's keys."""
    column: str | None
    """None for a whole row; a and b are None then too."""
    a: str | None
    """Value as printed; the median of a number over several runs."""
    b: str | None
    change: str | None
    """b - a, exact; None unless both are numbers."""
    ratio: float | None
    a_runs: SpreadDoc | None = None
    """Over the runs of the side; None of a single run, or where a cell is no number."""
    b_runs: SpreadDoc | None = None


class ComparedTable(Doc, frozen=True, kw_only=True):
    """The last table of a name and columns on each side."""

    name: str
    host: str | None
    """Host of the table on both sides; None if the hosts differ."""
    keys: list[str]
    a: Locator
    b: Locator
    appeared: int | None
    gone: int | None
    changed: int | None
    """Counts of rows; None when several rows have one key."""
    note: str | None
    rows: list[ComparedTableRow]
    """The cells that changed most, by ratio; then rows that appeared or are gone."""


class TrialDoc(Doc, frozen=True, kw_only=True):
    """Whether the second of two runs is better, by the time a statement spends in the server."""

    verdict: Literal["better", "same", "worse", "unknown"]
    text: str
    before_s: float | None
    """Seconds inside the server per statement; None without statements or data."""
    after_s: float | None


class SpreadDoc(Doc, frozen=True, kw_only=True):
    """Level of a series on one side, and its spread."""

    median: float
    """Of the samples; of the runs' medians where the side is several runs."""
    low: float
    """Lower quartile of the samples; least of the runs."""
    high: float
    points: int
    """Samples, of all runs."""
    runs: int
    """1: the spread is of samples, else of runs."""


class RatioDoc(Doc, frozen=True, kw_only=True):
    """Ratio of a side to the reference side."""

    ratio: float
    """Of the medians."""
    low: float | None
    """The side's low over the first one's high; None where that is not positive."""
    high: float | None


class SidesSeries(Doc, frozen=True, kw_only=True):
    series: str
    labels: str
    title: str
    """The name in words."""
    detail: str
    """The labels in words."""
    source: str = ""
    """Who measured it: 'SHOW STATUS', 'vmstat'."""
    unit: str | None
    """Of the shown values: counters are per second."""
    levels: list[SpreadDoc | None]
    """One per side; None where it has no sample."""
    ratios: list[RatioDoc | None]
    """Over the reference; its own is None."""
    clear: bool
    """Differs clearly from the reference in every run of some side."""


class SidesWait(Doc, frozen=True, kw_only=True):
    file: str
    line: int
    mode: str
    counts: list[float | None]
    """Threads per dump, the mean over a side's runs; None without dumps."""


class SidesStack(Doc, frozen=True, kw_only=True):
    stack: list[str]
    """Cleaned function names, innermost first."""
    counts: list[float | None]
    """Threads per sample, the mean over a side's runs; None without samples."""
    signature: str | None
    category: str | None
    set_aside: bool


class SidesSetting(Doc, frozen=True, kw_only=True):
    name: str
    values: list[str | None]
    """One per side; None: not printed. Different values of a side's runs are all listed."""


class SidesTable(Doc, frozen=True, kw_only=True):
    side: int
    """Index of the side compared with the reference: b of the table; the reference is a."""
    table: ComparedTable


class SidesTrial(Doc, frozen=True, kw_only=True):
    side: int
    trial: TrialDoc


class SidesDoc(Doc, frozen=True, kw_only=True):
    """Comparison of two or more sides with one of them, the reference."""

    sides: list[ComparedSide]
    reference: int
    """Index of the reference side, from 0."""
    align: Literal["onset", "start", "clock"]
    """Origin from which a window's seconds count."""
    trials: list[SidesTrial]
    warnings: list[str]
    active: list[SidesActive | None]
    """One per side; None where nothing shows any session."""
    classes: list[SidesClass]
    """Where active sessions spend their time, the largest difference first."""
    series: list[SidesSeries]
    """By impact: sessions, work, latency, where sessions are, then the clearest; medians."""
    waits: list[SidesWait]
    stacks: list[SidesStack]
    settings: list[SidesSetting]
    """Settings that at least two sides print with different values."""
    tables: list[SidesTable]


class OverlayLine(Doc, frozen=True, kw_only=True):
    """One series on one side (or in one run of it)."""

    side: int
    label: str
    host: str | None
    zero: str
    """Instant of second 0."""
    points: list[tuple[float, float, float, float]]
    """Seconds since zero, median, least and most of the samples of that stretch."""


class OverlayDoc(Doc, frozen=True, kw_only=True):
    """A series on all sides over one axis of seconds."""

    series: str
    unit: str | None
    align: Literal["onset", "start", "clock"]
    lines: list[OverlayLine]
    samples: int
    """Number of samples behind the points."""


class FleetSeries(Doc, frozen=True, kw_only=True):
    series: str
    labels: str
    host_level: float
    fleet_level: float
    """Median over the hosts."""
    score: float
    text: str


class FleetSetting(Doc, frozen=True, kw_only=True):
    name: str
    host_value: str
    fleet_value: str


class FleetHost(Doc, frozen=True, kw_only=True):
    host: str
    series: list[FleetSeries]
    moved: int
    """Number of series that differ clearly; ``series`` lists the clearest."""
    settings: list[FleetSetting]


class FleetDoc(Doc, frozen=True, kw_only=True):
    hosts: list[str]
    differing: list[FleetHost]
    text: str
