"""Count events that come in storms, and recognise series that grow steadily."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import polars as pl

from pileup.analysis.deadlocks import explain
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.series import short_name
from pileup.analysis.findings.seen import NO_DATA, Seen
from pileup.analysis.findings.stall_records import StallRecords
from pileup.analysis.findings.words import clip
from pileup.numerals import number
from pileup.sql_tokens import shapes

_MINUTE_US = 60_000_000
_LOGGED = r"(?i)deadlock found when trying|transactions? deadlock detected|\b1213\b.*deadlock"
_HALF_A_SECOND_US = 500_000
_LEAST_TO_RATE = 4
_LEAST_SPAN_US = 3_000_000
"""Deadlocks that tell how often there are some, and the time between the first and the last."""
_FULL = 5.0
"""Times the wanted rate that tells all it can."""
_LEAST = 10
"""Samples: fewer may rise by chance."""
_PARTS = 5
_GROWS, _CLEARLY = 3.0, 6.0
_UP = 0.8
"""Share of the steps between fifths that rise, and of the peak that the last one keeps."""
_SHAPES = 2
_LONGEST = 160


def deadlocks(records: StallRecords, per_minute: float) -> Seen:
    """Count deadlocks in the minute with most of them, and the statements that take part most."""
    printed, logged = _printed(records), _logged(records)
    if printed is None and logged is None:
        return NO_DATA
    rows = max((printed, logged), key=lambda frame: 0 if frame is None else frame.height)
    assert rows is not None
    most = _most_in_a_minute(rows["time"].to_list())
    enough = max(per_minute, 2)
    rate = float(most) if most >= enough else _rate(rows["time"].to_list())
    rate = max(rate, _rate_of_latest(records))
    if rate < enough:
        # a status dump prints the latest deadlock alone: how many there were is not known
        few = _few(records, printed)
        return few or (NO_DATA if logged is None and rows.height < 2 else Seen(False))
    text = f"{most} deadlocks in one minute, {rows.height} in all"
    if rate > most:
        text = f"{most} deadlocks within seconds of each other, or of the dump that prints them"
    if usual := _usual_statements(printed):
        text += f"; most often between {usual}"
    first: dict[str, Any] = rows.row(0, named=True)
    share = min(1.0, rate / (per_minute * _FULL))
    return Seen(True, most, max(0.5, share), text, (records.lines(first, text),))


_OF_DEADLOCK = r"(?i)deadlock|\*\*\* "
OTHER_RECORDS = ("session", "transaction", "semaphore_wait", "stack", "lock_wait")
"""Records of anything but deadlocks; the lines and counters of their file may be there."""
_RECENT_US = 600_000_000
"""Age of a deadlock when its dump was taken: somebody who meets one looks at once."""
_RECENT = 0.5
"""Strength of a recent deadlock in a whole dump, which may have been taken for another reason."""


def _few(records: StallRecords, printed: pl.DataFrame | None) -> Seen | None:
    """Return a deadlock that was pasted by itself, or is recent in a dump without a stall."""
    evidence = records.context.evidence
    if printed is None or records.context.stall is not None:
        return None
    alone = all(evidence.frame(kind) is None for kind in OTHER_RECORDS)
    alone &= not _tells_more(evidence.frame("event"))
    alone &= all("deadlock" in file.records for file in evidence.artifacts)
    last = printed.row(-1, named=True)
    if not alone and not _is_recent(evidence.frame("snapshot"), last["time"]):
        return None
    explained = explain(last["transactions"], last["victim"])
    if explained.kind == "unknown":
        text = f"a deadlock was detected; its kind is not known, because {explained.because}"
    else:
        text = f"a deadlock was detected: {explained.label[0].lower()}{explained.label[1:]}"
    strength = 1.0 if alone else _RECENT
    return Seen(True, printed.height, strength, text, (records.lines(last, text),))


def _tells_more(events: pl.DataFrame | None) -> bool:
    """Return whether a log around a deadlock has lines of anything else."""
    return events is not None and not events["message"].str.contains(_OF_DEADLOCK).all()


def _is_recent(dumps: pl.DataFrame | None, deadlock: int | None) -> bool:
    """Return whether the only status dump was taken soon after a deadlock."""
    if dumps is None or deadlock is None:
        return False
    times = dumps.filter(pl.col("kind") == "innodb_status")["time"].to_list()
    return len(times) == 1 and times[0] is not None and 0 <= times[0] - deadlock <= _RECENT_US


def _printed(records: StallRecords) -> pl.DataFrame | None:
    """Return every printed deadlock once: each later status dump repeats the latest one."""
    frame = _near(records, "deadlock")
    if frame is None:
        return None
    ids = pl.col("transactions").list.eval(pl.element().struct.field("trx_id")).list.join(",")
    return frame.with_columns(ids.alias("who")).unique("who", keep="first", maintain_order=True)


def _logged(records: StallRecords) -> pl.DataFrame | None:
    events = _near(records, "event")
    if events is None:
        return None
    lines = events.filter(pl.col("message").str.contains(_LOGGED))
    return lines if lines.height else None


def _most_in_a_minute(times: Sequence[int | None]) -> int:
    """Return the most events within a minute; without times, all of them."""
    known = sorted(time for time in times if time is not None)
    if not known:
        return len(times)
    most, first = 0, 0
    for last, time in enumerate(known):
        while time - known[first] > _MINUTE_US:
            first += 1
        most = max(most, last - first + 1)
    return most


def _rate(times: Sequence[int | None]) -> float:
    """Return how many per minute follow each other; 0 for fewer than three known times."""
    known = sorted(time for time in times if time is not None)
    if len(known) < _LEAST_TO_RATE or known[-1] - known[0] < _LEAST_SPAN_US:
        return 0.0
    return (len(known) - 1) * _MINUTE_US / (known[-1] - known[0])


def _rate_of_latest(records: StallRecords) -> float:
    """Return how many per minute there are by the age of the latest one in each status dump.

    A dump prints the latest alone: the more there are, the younger that is when the dump is taken.
    """
    frame, dumps = _near(records, "deadlock"), _near(records, "snapshot")
    if frame is None or dumps is None:
        return 0.0
    dumps = dumps.filter((pl.col("kind") == "innodb_status") & pl.col("time").is_not_null())
    host = pl.col("host").fill_null("")
    latest = frame.select(host, "time", pl.col("time").alias("deadlock")).drop_nulls().sort("time")
    ages = (
        dumps.select(host, "time")
        .sort("time")
        .join_asof(latest, on="time", by="host", check_sortedness=False)
    )
    age = pl.col("time") - pl.col("deadlock")
    known: list[int] = ages.select(age).to_series().drop_nulls().to_list()
    if min(len(known), latest.height) < _LEAST_TO_RATE:
        return 0.0
    # times are whole seconds, so that each is half a second old at the least
    return len(known) * _MINUTE_US / (sum(known) + len(known) * _HALF_A_SECOND_US)


def _near(records: StallRecords, kind: str) -> pl.DataFrame | None:
    """Return the records of the stall and the minute before it, in which its cause may begin."""
    frame, span = records.context.evidence.frame(kind), records.context.stall
    if frame is not None and span is not None:
        frame = frame.filter(Span(span.start - _MINUTE_US, span.end).holds())
    return None if frame is None or frame.is_empty() else frame


def _usual_statements(printed: pl.DataFrame | None) -> str:
    """Return the shapes of the statements that take part most: 'UPDATE t SET ? and DELETE ...'."""
    if printed is None:
        return ""
    queries = (
        printed.select(pl.col("transactions").explode().struct.field("query"))
        .drop_nulls()
        .with_columns(shapes(pl.col("query")).alias("shape"))
    )
    counts = Counter(queries["shape"].drop_nulls().to_list())
    usual = sorted(counts.items(), key=lambda row: (-row[1], row[0]))[:_SHAPES]
    return " and ".join(f"'{clip(shape, _LONGEST)}'" for shape, _ in usual)


def trend(records: StallRecords, names: Sequence[str]) -> Seen:
    """Return whether a series grows threefold or more, without a fall, up to the stall's end.

    It grows from the baseline on, or from its last minimum where that is earlier.
    """
    context = records.context
    span = context.stall
    if span is not None and context.baseline is not None and context.baseline_is_before:
        span = Span(context.baseline.start, span.end)
    levels = records.levels_named(names)
    if not levels or context.values.is_empty():
        return NO_DATA
    rows = context.values.filter(pl.col("id").is_in([level.id for level in levels]))
    best, enough = Seen(False), False
    for level in levels:
        all_of_it = rows.filter(pl.col("id") == level.id).sort("time", maintain_order=True)
        values = (all_of_it if span is None else all_of_it.filter(span.holds()))["value"].to_list()
        enough = enough or len(values) >= _LEAST
        if span is not None and (longer := _since_minimum(all_of_it, span)):
            values = max(values, longer, key=_growth)
        factor = _growth(values)
        if factor < _GROWS:
            continue
        size = len(values) // _PARTS
        start, end = _middle(values[:size]), _middle(values[-size:])
        text = (
            f"{short_name(level.series, level.labels)} grew from {number(start)} to {number(end)} "
            "without falling"
        )
        share = min(1.0, 0.5 + 0.5 * math.log(factor / _GROWS) / math.log(_CLEARLY / _GROWS))
        if share > best.share:
            best = Seen(True, 1, share, text, (records.series(level, text),))
    return best if enough else NO_DATA


def _since_minimum(rows: pl.DataFrame, span: Span) -> list[float]:
    """Return the values from the last minimum up to the end; none if it is inside the span."""
    until = rows.filter(pl.col("time") <= span.end)
    values: list[float] = until["value"].to_list()
    if not values:
        return []
    lowest = len(values) - 1 - values[::-1].index(min(values))
    return values[lowest:] if until["time"][lowest] < span.start else []


def _growth(values: Sequence[float]) -> float:
    """Return the factor between the first and the last fifth; 0 unless every fifth grows."""
    if len(values) < _LEAST:
        return 0.0
    size = len(values) // _PARTS
    parts = [_middle(values[at * size : (at + 1) * size]) for at in range(_PARTS - 1)]
    parts.append(_middle(values[-size:]))
    if any(later <= earlier for earlier, later in pairwise(parts)):
        return 0.0
    if parts[-1] < _UP * max(values):
        return 0.0
    return parts[-1] / max(parts[0], 1.0)


def _middle(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


__all__ = ["OTHER_RECORDS", "deadlocks", "trend"]
