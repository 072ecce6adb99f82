"""Admit one artifact's frames to the evidence: bound times and numbers, report what is left out.

The analysis adds, rounds and converts what the formats read. A value that no server, machine or
clock can print would overflow there, so it is left out here, where its file and line are known.
What a value means does not belong here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

import polars as pl

from pileup.records import LONGEST_SESSION_S, SAMPLE, Problem, frame_schema

_S = 1_000_000
EARLIEST = int(datetime(1970, 1, 1, tzinfo=UTC).timestamp()) * _S
LATEST = int(datetime(2200, 1, 1, tzinfo=UTC).timestamp()) * _S - 1
_LONGEST_US = 100 * 365 * 86_400 * _S
"""Relative times: no capture lasts a century."""
_LARGEST = 1e21
"""No counter is larger: one of 64 bits, in bytes or picoseconds, ends at 1.8e19."""
_LONGEST_S = 1e10
_MOST_THREADS = 1_000_000
"""Threads in one stack sample: ten times the most connections that a server can be configured for.
"""
_SHOWN = 3
_NAMED = 20
"""Series of one file that are named; a file may have thousands."""
_INCREDIBLE = 0.1
"""Share of impossible values above which a whole series is left out."""


def admit(kind: str, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Problem]]:
    """Return the frame without impossible values (null instead), and a problem per column.

    Takes a frame of ``records.frame_schema(kind)``. A stack whose count of threads is impossible
    counts as one thread; a sample with many such stacks, or with too many threads, is left out.
    """
    problems: list[Problem] = []
    if kind == SAMPLE:
        frame, problems = _without_incredible_series(frame)
    elif kind == "stack":
        frame, problems = _without_incredible_stacks(frame)
    for column, wrong, blank, sentence in _checks(kind):
        bad = frame.filter(wrong)
        if bad.is_empty():
            continue
        values = ", ".join(_text(value) for value in bad[column].head(_SHOWN))
        more = f" and {bad.height - _SHOWN} more" if bad.height > _SHOWN else ""
        line = bad["line_first"][0] if "line_first" in bad.columns else None
        verb = "was" if bad.height == 1 else "were"
        problems.append(Problem(line, f"{column} {values}{more} {verb} left out: {sentence}."))
        dtype = frame.schema[column]
        frame = frame.with_columns(
            pl.when(wrong).then(pl.lit(blank, dtype=dtype)).otherwise(pl.col(column)).alias(column)
        )
    return frame, problems


def _without_incredible_series(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Problem]]:
    """Leave out the series whose values are often impossible: the rest is no measurement."""
    wrong = ~pl.col("value").is_between(-_LARGEST, _LARGEST)
    if frame.select(wrong.any()).item() is not True:
        return frame, []
    key = ["series", "labels", "host"]
    shares = frame.drop_nulls("value").group_by(key, maintain_order=True)
    bad = shares.agg(wrong.mean().alias("share"), pl.col("line_first").min()).filter(
        pl.col("share") > _INCREDIBLE
    )
    incredible = frame.select(key).join(
        bad.select(*key, pl.lit(True).alias("_bad")),
        on=key,
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )["_bad"]
    problems = [
        Problem(line, f"{series} was left out: {share:.0%} of its values are no counter's.")
        for series, share, line in bad[:_NAMED].select("series", "share", "line_first").iter_rows()
    ]
    if not (rest := bad[_NAMED:]).is_empty():
        more = f"{rest.height} more series were left out for the same reason."
        problems.append(Problem(rest["line_first"][0], more))
    return frame.filter(incredible.is_null()), problems


def _without_incredible_stacks(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Problem]]:
    """Leave out the stacks of a moment with impossible counts: their shares say nothing."""
    most = _MOST_THREADS * pl.max_horizontal("samples", pl.lit(1))
    wrong = ~pl.col("count").is_between(0, most)
    crowd = pl.col("count").cast(pl.Float64).sum() > most.max()
    moment = ["snapshot", "wall_us", "host"]
    incredible = (wrong.mean() > _INCREDIBLE) | crowd
    bad = frame.filter(incredible.over(moment))
    if bad.is_empty():
        return frame, []
    line = bad["line_first"].min()
    stacks = "1 stack was" if bad.height == 1 else f"{bad.height} stacks were"
    assert line is None or isinstance(line, int)
    problem = Problem(line, f"{stacks} left out: no server has that many threads.")
    return frame.filter(~incredible.over(moment)), [problem]


def without_refused_moments(
    frames: Mapping[str, pl.DataFrame], stacks: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """Leave out the moments, and their counts of threads, of which no stack was admitted.

    frames: what was admitted of one artifact. stacks: all stacks that it prints.
    """
    left = frames["stack"]["snapshot"].unique().implode()
    refused = stacks.filter(~pl.col("snapshot").is_in(left))["snapshot"].unique().implode()
    moments = frames.get("snapshot")
    if moments is None or not refused.item().len():
        return dict(frames)
    gone = (pl.col("kind") == "stacks") & pl.col("snapshot").is_in(refused)
    lines = moments.filter(gone)["line_first"].implode()
    found = {**frames, "snapshot": moments.filter(~gone.fill_null(False))}
    if (samples := frames.get(SAMPLE)) is not None:
        counted = (pl.col("series") == "stacks.threads") & pl.col("line_first").is_in(lines)
        found[SAMPLE] = samples.filter(~counted.fill_null(False))
    return found


def _checks(kind: str) -> Iterator[tuple[str, pl.Expr, int | None, str]]:
    """Yield per column: which values are impossible, what replaces them, and why."""
    for name, dtype in frame_schema(kind).items():
        column = pl.col(name)
        if name == "wall_us":
            dated = pl.col("clock").is_in(["utc", "local"]) & ~column.is_between(EARLIEST, LATEST)
            far = (column < -_LONGEST_US) | (column > LATEST)
            yield name, (dated | far).fill_null(False), None, "the year is not 1970 to 2199"
        elif kind == "session" and name == "time_s":
            wrong = ~column.is_between(-LONGEST_SESSION_S, LONGEST_SESSION_S)
            yield name, wrong.fill_null(False), None, "no session is in a state for ten years"
        elif name.endswith("_s") and dtype.is_numeric():
            wrong = ~column.is_between(-_LONGEST_S, _LONGEST_S)
            yield name, wrong.fill_null(False), None, "no wait lasts for centuries"
        elif dtype.is_float():
            wrong = ~column.is_between(-_LARGEST, _LARGEST)
            yield name, wrong.fill_null(False), None, "no counter is that large"
        elif kind == "stack" and name == "count":
            most = _MOST_THREADS * pl.max_horizontal("samples", pl.lit(1))
            wrong = (column < 0) | (column > most)
            yield name, wrong.fill_null(False), 1, "no server has that many threads"


def _text(value: float) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


__all__ = ["EARLIEST", "LATEST", "admit", "without_refused_moments"]
