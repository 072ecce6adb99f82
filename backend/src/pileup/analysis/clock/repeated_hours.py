"""Detect the hour that a file of local times prints twice when the clocks go back.

A server's zone is known by the name it had when it started (``system_time_zone`` stays EDT after
the night in November), so the change shows in the file alone: a line near the end of an hour, and
below it one near the begin of the same hour. What follows is an hour later than it reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

_S = 1_000_000
_HOUR = 3600 * _S
_NEAR = 20 * 60 * _S
"""Largest distance of the lines from the full hour: a quiet log has gaps."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Where the printed time goes back by an hour."""

    line: int
    """The first line of the second time round."""
    until: int
    """Printed µs at which the repeated hour ends."""


def folds(frames: Mapping[str, pl.DataFrame]) -> dict[str, Fold]:
    """Map artifacts to the place where their clocks went back, if there is exactly one."""
    parts = [
        frame.filter((pl.col("clock") == "local") & pl.col("wall_us").is_not_null()).select(
            pl.col("artifact").cast(pl.String), "line_first", "wall_us"
        )
        for kind in ("event", "snapshot")
        if (frame := frames.get(kind)) is not None
    ]
    if not parts:
        return {}
    steps = (
        pl.concat(parts)
        .sort("artifact", "line_first", maintain_order=True)
        .with_columns(pl.col("wall_us").shift(1).over("artifact").alias("above"))
        .filter(pl.col("wall_us") < pl.col("above") - _HOUR // 2)
    )
    found: dict[str, list[Fold]] = {}
    for sha, line, wall, above in steps.iter_rows():
        end = -(-above // _HOUR) * _HOUR
        near = end - above <= _NEAR and 0 <= wall - (end - _HOUR) <= _NEAR
        found.setdefault(sha, []).append(Fold(line, end if near else 0))
    return {sha: some[0] for sha, some in found.items() if len(some) == 1 and some[0].until}


def later(fold: Fold, *, whole: bool) -> pl.Expr:
    """Select rows that are an hour later than printed. whole: also rows after that hour."""
    second: pl.Expr = pl.col("line_first") >= fold.line
    return second if whole else second & (pl.col("wall_us") < fold.until)


__all__ = ["Fold", "folds", "later"]
