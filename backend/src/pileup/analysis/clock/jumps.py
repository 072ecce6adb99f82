"""Detect clocks that were set during a capture, by Uptime or by the order of log lines.

A server's start, its time minus its Uptime, is one moment. Where it moves within a file and the
server did not restart, the clock was set (ntp, a virtual machine that was moved, a person).
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from pileup.analysis.evidence.times import iso_of

_S = 1_000_000
_STEP_S = 3.0
"""A sample may be a second or two late although the clock is right."""
_MOST = 5


def clock_jumps(
    printed: Mapping[str, pl.DataFrame],
    placed: Mapping[str, pl.DataFrame],
    folds: Mapping[str, int],
) -> dict[str, list[str]]:
    """Map each artifact to a sentence per step of its clock.

    Takes: frames as parsed (in file order) and the same placed on UTC; artifact to the line at
    which its clocks went back by an hour, where the times below are read so (``folds``).
    """
    found: dict[str, list[str]] = {}
    for sha, sentence in [*_by_uptime(placed.get("sample")), *_backwards(printed, folds)]:
        found.setdefault(sha, []).append(sentence)
    return {sha: sentences[:_MOST] for sha, sentences in found.items()}


def _by_uptime(samples: pl.DataFrame | None) -> list[tuple[str, str]]:
    if samples is None:
        return []
    order = ["artifact", "host"]
    steps = (
        samples.filter(
            (pl.col("series") == "mysql.Uptime")
            & (pl.col("clock") != "relative")
            & pl.col("time").is_not_null()
            & pl.col("value").is_not_null()
        )
        .unique(["artifact", "host", "value"], keep="first", maintain_order=True)
        .with_columns((pl.col("time") - (pl.col("value") * _S).cast(pl.Int64)).alias("start"))
        .with_columns(
            (pl.col("start").diff().over(order) / _S).alias("step"),
            pl.col("value").diff().over(order).alias("ran"),
        )
        .filter((pl.col("step").abs() >= _STEP_S) & (pl.col("ran") > 0))
    )
    found = []
    for row in steps.iter_rows(named=True):
        way = "ahead" if row["step"] > 0 else "back"
        where = f"At {iso_of(row['time'])} (line {row['line_first']})"
        what = f"{where} its clock was set {abs(row['step']):.0f} s {way}: Uptime went on."
        found.append((row["artifact"], what))
    return found


def _backwards(
    printed: Mapping[str, pl.DataFrame], folds: Mapping[str, int]
) -> list[tuple[str, str]]:
    """Find log lines with an earlier time than the line above them."""
    events = printed.get("event")
    if events is None:
        return []
    steps = (
        events.filter(
            (pl.col("kind") == "log")
            & pl.col("wall_us").is_not_null()
            & pl.col("clock").is_in(["utc", "local"])
        )
        .with_columns((pl.col("wall_us").diff().over("artifact") / _S).alias("step"))
        .filter(pl.col("step") <= -_STEP_S)
    )
    found = []
    for row in steps.iter_rows(named=True):
        what = f"Line {row['line_first']} is stamped {-row['step']:.0f} s before the line above it"
        why = "its clock was set back, or the clocks changed."
        if folds.get(row["artifact"]) == row["line_first"]:
            why = "the clocks went back by an hour, and what follows is read so."
        found.append((row["artifact"], f"{what}: {why}"))
    return found


__all__ = ["clock_jumps"]
