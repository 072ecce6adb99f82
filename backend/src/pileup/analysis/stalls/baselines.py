"""Choose the baseline of a stall, also if the capture has nothing before it.

Tried in order: the half minute after it, a quiet range of the same host at any other time (another
bundle), and another host of the incident over the same seconds. ``Baseline.how`` records the
choice; none of these shows when each series first moved.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.series import short_name
from pileup.analysis.evidence.times import clock_text, iso_of
from pileup.analysis.stalls.detection import Stall

_S = 1_000_000
_AFTER_US = 30 * _S
_LEAST = 5
"""Fewest samples of a quiet range."""
_QUIET = 4.0
"""Factor by which a quiet level is below the stall's."""
_MARGIN_S = 5.0


@dataclass(frozen=True, slots=True)
class Baseline:
    """Baseline window, its values, and how it was chosen."""

    span: Span
    values: pl.DataFrame
    """As of ``series.values``; another host's are renamed to the stalled one, in ``span``."""
    is_before: bool
    how: str = ""


def choose(
    main: Stall,
    found: Sequence[Stall],
    values: pl.DataFrame,
    neighbours: Callable[[], pl.DataFrame] | None = None,
) -> Baseline | None:
    """Choose the best baseline for a stall; None if the incident has nothing quiet.

    neighbours: returns values of other hosts over the same seconds; called as a last resort.
    """
    if main.baseline is not None:
        return Baseline(main.baseline, values, is_before=True)
    if main.signal is None:
        return None
    level = statistics.median(
        [
            value
            for time, value in zip(main.signal.times, main.signal.values, strict=True)
            if main.span.start <= time <= main.span.end
        ]
        or [0.0]
    )
    after = _after(main, found)
    if after is not None:
        how = "Compared with the half minute after it."
        return Baseline(after, values, is_before=False, how=how)
    other_time = _other_time(main, found, level)
    if other_time is not None:
        how = (
            f"Compared with a quiet stretch of the same host at another time, "
            f"{iso_of(other_time.start)} to {clock_text(other_time.end)}."
        )
        return Baseline(other_time, values, is_before=False, how=how)
    others = None if neighbours is None else neighbours()
    if others is None or others.is_empty():
        return _other_host(main, values, level)
    return _other_host(main, pl.concat([values, others]).sort("id", "time"), level)


def _after(main: Stall, stalls: Sequence[Stall]) -> Span | None:
    """Return the quiet half minute after a stall and its drain, if it was sampled."""
    if main.end is None or main.signal is None:
        return None
    drains = [stall.span.end for stall in stalls if stall.kind == "recovery_burst"]
    start = max([main.end, *drains])
    later = [
        stall.onset for stall in stalls if stall.onset > start and stall.kind != "false_positive"
    ]
    end = min([start + _AFTER_US, *later])
    inside = [time for time in main.signal.times if start < time <= end]
    return Span(start, inside[-1]) if len(inside) >= _LEAST else None


def _other_time(main: Stall, stalls: Sequence[Stall], level: float) -> Span | None:
    """Return the quiet range of the same series nearest to the onset; None without one."""
    assert main.signal is not None
    busy = [stall.span.widened(_MARGIN_S) for stall in stalls if stall.host == main.host]
    gap = 3 * main.signal.interval_us
    stretches: list[list[int]] = [[]]
    for time, value in zip(main.signal.times, main.signal.values, strict=True):
        quiet = value * _QUIET <= level and not any(b.start <= time <= b.end for b in busy)
        if stretches[-1] and (not quiet or time - stretches[-1][-1] > gap):
            stretches.append([])
        if quiet:
            stretches[-1].append(time)
    long = [stretch for stretch in stretches if len(stretch) >= _LEAST]
    if not long:
        return None
    nearest = min(
        long, key=lambda group: min(abs(group[0] - main.onset), abs(group[-1] - main.onset))
    )
    return Span(nearest[0], nearest[min(len(nearest), 60) - 1])


def _other_host(main: Stall, values: pl.DataFrame, level: float) -> Baseline | None:
    """Use another host over the same seconds, as if it were this one a day earlier."""
    if main.host is None or values.is_empty() or main.signal is None:
        return None
    name = short_name(main.signal.series)
    inside = values.filter(main.span.holds() & pl.col("host").is_not_null())
    alike = [item for item in inside["series"].unique() if short_name(item) == name]
    levels = (
        inside.filter(pl.col("series").is_in(alike) & (pl.col("host") != main.host))
        .group_by("host")
        .agg(pl.col("value").median().alias("level"), pl.len().alias("n"))
        .filter((pl.col("level") * _QUIET <= level) & (pl.col("n") >= _LEAST))
        .sort(["n", "host"], descending=[True, False])
    )
    if levels.is_empty():
        return None
    host = str(levels["host"][0])
    day = 86_400 * _S
    theirs = inside.filter(pl.col("host") == host).with_columns(
        (pl.col("id").cast(pl.String).str.strip_suffix(f"@{host}") + f"@{main.host}").cast(
            values.schema["id"]
        ),
        pl.lit(main.host, dtype=values.schema["host"]).alias("host"),
        pl.col("time") - day,
    )
    span = Span(main.span.start - day, main.span.end - day)
    both = pl.concat([values, theirs.select(values.columns)]).sort("id", "time")
    how = f"Compared with {host} over the same seconds, where {name} stayed low."
    return Baseline(span, both, is_before=False, how=how)


__all__ = ["Baseline", "choose"]
