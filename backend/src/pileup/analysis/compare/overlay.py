"""Overlay one series of several sides on one axis of seconds."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from pileup.analysis.compare.sides import Align, Group, zero_time
from pileup.analysis.contract import OverlayDoc, OverlayLine
from pileup.analysis.evidence.series import values
from pileup.analysis.evidence.times import iso

POINTS = 300
"""Of one line."""


def overlay(groups: Sequence[Group], series: str, align: Align = "onset") -> OverlayDoc:
    """Overlay one series (name and labels, whichever host) of every run on one axis of seconds.

    Raises:
        NotAlignedError: a side has no onset.
    """
    lines: list[OverlayLine] = []
    unit: str | None = None
    samples = 0
    for at, group in enumerate(groups):
        for member in group.members:
            rows = values(member.side.narrowed().frame("sample"))
            named = pl.concat_str(
                pl.col("series").cast(pl.String),
                pl.when(pl.col("labels").cast(pl.String).fill_null("") == "")
                .then(pl.lit(""))
                .otherwise(pl.lit("{") + pl.col("labels").cast(pl.String) + pl.lit("}")),
            )
            rows = rows.filter(named == series, pl.col("value").is_not_null())
            zero = zero_time(member, align)
            for (host,), frame in rows.group_by("host", maintain_order=True):
                unit = unit or frame["unit"].cast(pl.String)[0]
                if frame["kind"].cast(pl.String)[0] == "counter":
                    unit = f"{(unit or '1').removesuffix('/s')}/s"
                samples += frame.height
                lines.append(
                    OverlayLine(
                        side=at,
                        label=member.side.label,
                        host=str(host) if host is not None else None,
                        zero=iso(zero) or "",
                        points=_points(frame, zero),
                    )
                )
    return OverlayDoc(series=series, unit=unit, align=align, lines=lines, samples=samples)


def _points(rows: pl.DataFrame, zero: int) -> list[tuple[float, float, float, float]]:
    first, last = rows["time"].min(), rows["time"].max()
    assert isinstance(first, int) and isinstance(last, int)  # noqa: PT018
    width = max((last - first) // POINTS + 1, 1)
    drawn = (
        rows.with_columns(((pl.col("time") - first) // width).alias("at"))
        .group_by("at")
        .agg(
            pl.col("time").median(),
            pl.col("value").median().alias("middle"),
            pl.col("value").min().alias("least"),
            pl.col("value").max().alias("most"),
        )
        .sort("at")
    )
    return [
        (round((row["time"] - zero) / 1e6, 3), row["middle"], row["least"], row["most"])
        for row in drawn.iter_rows(named=True)
    ]


__all__ = ["POINTS", "overlay"]
