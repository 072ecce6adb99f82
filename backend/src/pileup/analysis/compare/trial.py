"""Decide whether a change helped: compare two runs at their worst as better, same or worse.

The measure is the time that a statement spends inside the server, by Little's law: running sessions
divided by statements per second. Throughput alone would penalise a run with less load; sessions
alone would penalise a run that did more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import polars as pl

from pileup.analysis.contract import TrialDoc
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.series import short_name, values
from pileup.numerals import number

_BETTER, _WORSE = 1 / 1.5, 1.5
"""Ratios closer to 1 count as the same: two runs of one load differ by a third anyway."""
_NOISE = 2.0
"""A difference of fewer sessions, at the same rate, counts as the same."""
_UNLIKE_LOAD = 4.0
_WORST_S = 30.0
_RATES = ("questions", "qps", "queries", "tps")
_LEAST_RATE = 0.1
_NEXT_TO_NOTHING = 0.01
"""Up to this share of the other's rate, beside more sessions, what completes is not their work."""


@dataclass(frozen=True, slots=True)
class Run:
    """One side of a trial."""

    name: str
    """Name used in sentences: 'the incident', 'A'."""
    values: pl.DataFrame
    """``series.SCHEMA``."""
    span: Span | None = None
    """Window to measure; None: the 30 s with the most sessions running."""
    work: str | None = None
    """The series by which work is counted, where it has one of its kind; None: the fullest."""

    @classmethod
    def of(cls, name: str, evidence: Evidence, span: Span | None = None) -> Run:
        return cls(name, values(evidence.frame("sample")), span)


def trial(before: Run, after: Run) -> TrialDoc:
    """Compare the run with a change (``after``) with the run without it.

    Both runs use the same kind of rate: statements and transactions are not comparable. Of several,
    the one with most samples counts, as on the overview.
    """
    first, second = _ids(before), _ids(after)
    for rate in _fullest_first((before, first), (after, second)):
        old, new = _inside(before, first, rate), _inside(after, second, rate)
        if old and new:
            return _verdict(before, old, after, new)
    for run, ids in ((before, first), (after, second)):
        if not any(_inside(run, ids, rate) for rate in _RATES):
            text = f"{_head(run.name)} has no series of running sessions and of statements done."
            return _unknown(text)
    text = f"{_head(before.name)} and {after.name} count statements in different ways."
    return _unknown(text)


@dataclass(frozen=True, slots=True)
class _Inside:
    """The median of the sessions that run and of the statements per second, as on the overview."""

    running: float
    own: float
    """How many of them only read the status."""
    rate: float
    is_idle: bool
    """Whether no statement completed at all; a median of zero alone does not say so."""

    @property
    def seconds(self) -> float:
        """Seconds per statement, without the sessions that only read the status."""
        return max(self.running - self.own, 0.0) / max(self.rate, _LEAST_RATE)

    @property
    def known(self) -> float | None:
        """Seconds per statement, of the printed numbers; None when no statements completed."""
        return self.running / self.rate if self.rate >= _LEAST_RATE else None

    def beside(self, other: _Inside) -> float | None:
        """Seconds per statement; None too where more sessions do next to nothing of the other."""
        is_stuck = self.running > other.running and self.rate <= _NEXT_TO_NOTHING * other.rate
        return None if is_stuck else self.known


def _verdict(before_run: Run, old: _Inside, after_run: Run, new: _Inside) -> TrialDoc:
    before, after = before_run.name, after_run.name
    if old.known is None and new.known is None:
        return _unknown(f"Neither {before} nor {after} completed any statements.")
    verdict: Literal["better", "same", "worse", "unknown"] = "same"
    if abs(new.seconds - old.seconds) * max(old.rate, new.rate) >= _NOISE:
        if new.seconds <= old.seconds * _BETTER:
            verdict = "better"
        elif new.seconds >= old.seconds * _WORSE:
            verdict = "worse"
    fast, slow = sorted((old, new), key=lambda inside: inside.seconds)
    unlike = verdict != "same" and fast.rate * _UNLIKE_LOAD < slow.rate
    if unlike:
        verdict = "unknown"
    conclusion = {
        "better": f"{_head(after)} is better than {before}",
        "same": f"{_head(after)} is about the same as {before}",
        "worse": f"{_head(after)} is worse than {before}",
        "unknown": f"The load differs too much to compare {after} with {before}",
    }[verdict]
    before_s, after_s = old.beside(new), new.beside(old)
    inside = "inside the server per statement "
    spent = _spent(new, after_s, inside)
    text = f"{conclusion}: {spent}, against {_spent(old, before_s, '' if after_s else inside)}."
    if new.known is not None or old.known is not None:
        text += " Sessions and rates are medians."
    if unlike and fast is new and after_run.span is None:
        text += f" Repeat {after} with more load."
    return TrialDoc(verdict=verdict, text=text, before_s=before_s, after_s=after_s)


def _unknown(text: str) -> TrialDoc:
    return TrialDoc(verdict="unknown", text=text, before_s=None, after_s=None)


def _spent(item: _Inside, seconds: float | None, inside: str = "") -> str:
    running, rate = number(item.running), number(item.rate)
    sessions = "session" if running == "1" else "sessions"
    load = f"({running} {sessions} running, {rate} statement{'' if rate == '1' else 's'}/s)"
    if seconds is None:
        return f"{'no' if item.is_idle else 'hardly any'} statements completed {load}"
    return f"{_ms(seconds)} {inside}{load}"


_Ids = Mapping[str, Mapping[str, str]]


def _ids(run: Run) -> _Ids:
    """Map short name and host to the id of the unlabelled series with most samples."""
    rows = run.values.filter(pl.col("labels").fill_null("") == "")
    if run.span:
        rows = rows.filter(run.span.holds())
    fullest = (
        rows.group_by("id")
        .agg(pl.col("series", "host").first(), pl.len())
        .with_columns((pl.col("series") == (run.work or "")).alias("chosen"))
        .sort("chosen", "len", "id", descending=[False, False, True])
    )
    ids_by_name: dict[str, dict[str, str]] = {}
    for row in fullest.iter_rows(named=True):
        name = short_name(row["series"])
        if name == "running" and not row["series"].startswith("processlist."):
            continue
        ids_by_name.setdefault(name, {})[row["host"] or ""] = row["id"]
    return ids_by_name


def _fullest_first(*sides: tuple[Run, _Ids]) -> list[str]:
    """Order the kinds of rates: the chosen one, then by the samples of both sides together."""

    wanted_first = {short_name(run.work) for run, _ in sides if run.work}

    def rank(rate: str) -> tuple[bool, int, list[str]]:
        named = [list(ids.get(rate, {}).values()) for _, ids in sides]
        counts = [
            run.values.filter(pl.col("id").is_in(wanted), run.span.holds() if run.span else True)
            for (run, _), wanted in zip(sides, named, strict=True)
        ]
        least = -sum(rows.height for rows in counts)
        return rate not in wanted_first, least, sorted({*named[0], *named[1]})

    return sorted(_RATES, key=rank)


def _inside(run: Run, ids: _Ids, rate: str) -> _Inside | None:
    """Measure the host with the most running sessions among those that have both series."""
    running = ids.get("threads_running") or ids.get("running", {})
    # SHOW STATUS counts its own session
    own = 1.0 if "threads_running" in ids else 0.0
    rates = ids.get(rate, {})
    pairs = [(running[host], rates[host]) for host in running.keys() & rates.keys()]
    if not pairs and len(running) == len(rates) == 1:
        pairs = list(zip(running.values(), rates.values(), strict=True))
    insides = [inside for pair in sorted(pairs) if (inside := _at_worst(run, *pair, own))]
    return max(insides, key=lambda inside: inside.running, default=None)


def _at_worst(run: Run, running: str, rate: str, own: float) -> _Inside | None:
    sessions, done = (_rows(run, name) for name in (running, rate))
    span = run.span or _worst(sessions.filter(pl.col("time").is_between(*_bounds(done))))
    if span is None:
        return None
    middle, speed = _median(sessions, span), _median(done, span)
    if middle is None or speed is None or speed < 0:
        return None
    is_idle = not (done.filter(span.holds())["value"] > 0).any()
    return _Inside(middle, own, speed, is_idle)


def _rows(run: Run, series: str) -> pl.DataFrame:
    return (
        run.values.filter(pl.col("id") == series)
        .select("time", "value")
        .sort("time", maintain_order=True)
    )


def _bounds(rows: pl.DataFrame) -> tuple[int, int]:
    return rows["time"][0], rows["time"][-1]


def _median(rows: pl.DataFrame, span: Span) -> float | None:
    median = rows.filter(span.holds())["value"].median()
    return float(median) if isinstance(median, int | float) else None


def _worst(rows: pl.DataFrame) -> Span | None:
    """Find the 30 s (or three samples, when they are rarer) with the most running sessions."""
    times = rows["time"].to_list()
    if not times:
        return None
    step = rows["time"].diff().median()
    width = round(max(_WORST_S * 1e6, 3 * step if isinstance(step, int | float) else 0))
    if times[-1] - times[0] <= width:
        return Span(times[0], times[-1])
    means = (
        rows.with_columns(pl.col("time").cast(pl.Datetime("us")))
        .rolling("time", period=f"{width}us")
        .agg(pl.col("value").mean())["value"]
    )
    full = [i for i, at in enumerate(times) if at - times[0] >= width]
    end = times[max(full, key=lambda i: means[i])]
    return Span(end - width + 1, end)


def _head(name: str) -> str:
    return name[:1].upper() + name[1:]


def _ms(seconds: float) -> str:
    return f"{number(seconds * 1000)} ms" if seconds < 1 else f"{number(seconds)} s"


__all__ = ["Run", "trial"]
