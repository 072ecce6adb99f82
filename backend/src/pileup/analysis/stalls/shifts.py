"""Measure every series that moved between the baseline and the stall: how much and how early.

The score is robust: difference of medians over (1.4826 MAD + a minimum spread), of the values or of
their logarithms, whichever is larger: a rate that halves scores like one that doubles. The minimum
bounds the score of a series that never moved in the baseline.
When a series first moved is the first of two successive samples beyond the baseline's band that did
not settle again before the onset, in seconds relative to it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

import msgspec
import polars as pl

from pileup.analysis.contract import ShiftDoc
from pileup.analysis.evidence.context import Span
from pileup.knowledge.series_titles import SeriesTitle, amount, series_title
from pileup.numerals import number, numbers

MIN_SCORE = 3.0
MOST = 200
_LEAD_S = 30.0
"""Longest lead of a series before the onset, in seconds."""
_MAX_SCORE = 1000.0
_SHOWN_STEP_S = 0.5
"""A shorter step between samples is no band of uncertainty worth its words."""
_LEAST_LOG_SPREAD = 0.25
"""In doublings: changes below a fifth do not count."""
_MIN_BEFORE, _MIN_INSIDE = 3, 2
_SAME = 0.1
"""Two series of one name and host show one quantity if their medians differ by no more."""


def shifts(
    values: pl.DataFrame, stall: Span, baseline: Span, *, adjoins: bool = True
) -> list[ShiftDoc]:
    """Return the series that moved, strongest and earliest first, and what measures idleness last.

    Takes: ``series.values``. The time of the first move is known only if the baseline is directly
    before the stall; another host or another day does not show it.
    """
    if values.is_empty():
        return []
    is_before = adjoins and baseline.end <= stall.start
    stall = Span(stall.start, stall.end - 1)  # at its end the server is well again
    table = _measured(values, stall, baseline)
    if table.is_empty():
        return []
    if is_before:
        table = table.join(_first_moved(values, table, stall), on="id", how="left")
    else:
        table = table.with_columns(
            pl.lit(None, dtype=pl.Float64).alias("moved"),
            pl.lit(None, dtype=pl.Float64).alias("step"),
        )
    # an early mover is worth more than a late one of like strength
    late = pl.col("moved").fill_null(5.0).clip(-5.0, 60.0)
    table = table.with_columns(((1 + pl.col("score")).log10() - late / 40).alias("rank"))
    table = table.sort(["rank", "id"], descending=[True, False]).head(MOST)
    ranked = list(table.iter_rows(named=True))
    movers = [row for row in ranked if not _named(row).is_idleness]
    return _once_per_quantity(movers + [row for row in ranked if _named(row).is_idleness])


def _once_per_quantity(rows: Iterable[dict[str, object]]) -> list[ShiftDoc]:
    """Describe each row, and name the row before it that shows the same quantity.

    One counter comes from ``SHOW STATUS``, from an exporter and from a script, and a dump prints it
    with its rate: the same name or words on the same host, and medians that agree within a tenth.
    """
    shown: defaultdict[tuple[str, str, object], list[ShiftDoc]] = defaultdict(list)
    found: list[ShiftDoc] = []
    for row in rows:
        shift = _doc(row)
        named = _named(row)
        keys = [("quantity", named.quantity, row["host"]), ("words", named.words, row["host"])]
        known = [each for key in keys for each in shown[key]]
        first = next((each.series for each in known if _agree(each, shift)), None)
        if first is None:
            for key in keys:
                shown[key].append(shift)
        found.append(msgspec.structs.replace(shift, same_as=first))
    return found


def _agree(a: ShiftDoc, b: ShiftDoc) -> bool:
    medians = (a.baseline, b.baseline), (a.stall, b.stall)
    return all(math.isclose(x or 0.0, y or 0.0, rel_tol=_SAME) for x, y in medians)


def _measured(values: pl.DataFrame, stall: Span, baseline: Span) -> pl.DataFrame:
    """Return one row per series that has samples in both windows and moved."""
    value, before, inside = pl.col("value"), baseline.holds(), stall.holds()
    levels = (
        values.lazy()
        .filter(before | inside)
        .with_columns(before.alias("before"))
        .with_columns(value.filter(pl.col("before")).median().over("id").alias("base"))
        .group_by("id")
        .agg(
            pl.col("series", "labels", "host", "unit", "kind", "base").first(),
            value.filter(~pl.col("before")).median().alias("level"),
            (value - pl.col("base")).abs().filter(pl.col("before")).median().alias("mad"),
            (_log(value) - _log(pl.col("base")))
            .abs()
            .filter(pl.col("before"))
            .median()
            .alias("logmad"),
            (value.quantile(0.95) - value.quantile(0.05)).alias("range"),
            pl.col("before").sum().alias("n_before"),
            (~pl.col("before")).sum().alias("n_inside"),
        )
        .filter((pl.col("n_before") >= _MIN_BEFORE) & (pl.col("n_inside") >= _MIN_INSIDE))
    )
    spread = 1.4826 * pl.col("mad") + 0.05 * pl.col("base").abs() + 0.01 * pl.col("range")
    delta = pl.col("level") - pl.col("base")
    return (
        levels.with_columns(
            (spread + 1e-9).alias("spread"),
            delta.alias("delta"),
        )
        .with_columns(
            pl.max_horizontal(
                pl.col("delta").abs() / pl.col("spread"),
                pl.when(pl.col("base") > 0)
                .then(
                    (_log(pl.col("level")) - _log(pl.col("base"))).abs()
                    / (1.4826 * pl.col("logmad") + _LEAST_LOG_SPREAD)
                )
                .otherwise(0.0),
            )
            .clip(0, _MAX_SCORE)
            .alias("score")
        )
        .filter(pl.col("score") >= MIN_SCORE)
        .collect()
    )


def _log(value: pl.Expr) -> pl.Expr:
    """Return log2 with a hundredth of the baseline added, so that zero stays finite."""
    return (value.clip(0) + 0.01 * pl.col("base").abs() + 1e-9).log(2)


def _first_moved(values: pl.DataFrame, table: pl.DataFrame, stall: Span) -> pl.DataFrame:
    """Return per series the seconds from onset to first move, and its sampling step (s)."""
    bands = table.select("id", "base", "delta", "spread")
    away = (pl.col("value") - pl.col("base")) * pl.col("delta").sign()
    beyond = away > pl.max_horizontal(4 * pl.col("spread"), 0.1 * pl.col("delta").abs())
    # a spread wider than the shift can never be left by four of it
    beyond = beyond | (away > 0.7 * pl.col("delta").abs())
    follows = pl.col("out").shift(-1).over("id")
    is_early = pl.col("time") <= stall.start
    # an earlier bump that settled again is no lead: count from the last two samples at rest
    rest = pl.col("time").filter(is_early & ~pl.col("out") & ~pl.col("next")).max().over("id")
    away_again = pl.col("time").filter(
        pl.col("out") & pl.col("next") & (pl.col("time") > pl.col("rest").fill_null(0))
    )
    return (
        values.lazy()
        .filter(pl.col("time").is_between(stall.start - round(_LEAD_S * 1e6), stall.end))
        .join(bands.lazy(), on="id")
        .with_columns(beyond.alias("out"))
        .with_columns(follows.fill_null(pl.col("out")).alias("next"))
        .with_columns(rest.alias("rest"), pl.col("time").diff().over("id").alias("gap"))
        .group_by("id")
        .agg(
            ((away_again.min() - stall.start) / 1e6).alias("moved"),
            (pl.col("gap").median() / 1e6).alias("step"),
        )
        .collect()
    )


def _doc(row: dict[str, object]) -> ShiftDoc:
    base, level, score = _float(row["base"]), _float(row["level"]), _float(row["score"])
    assert base is not None
    assert level is not None
    assert score is not None
    moved, step = _float(row["moved"]), _float(row["step"])
    ratio = level / base if base else None
    named = _named(row)
    return ShiftDoc(
        series=str(row["id"]),
        name=str(row["series"]),
        title=named.words,
        baseline=base,
        stall=level,
        ratio=ratio,
        score=score,
        first_moved_s=moved,
        uncertainty_s=step,
        direction="up" if level > base else "down",
        unit=named.unit,
        host=str(row["host"]) if row["host"] is not None else None,
        text=_text(named, base, level, ratio, moved, step),
    )


def _named(row: dict[str, object]) -> SeriesTitle:
    unit = row["unit"]
    named = series_title(
        str(row["series"]), str(row["labels"] or ""), None if unit is None else str(unit)
    )
    if row["kind"] != "counter" or (named.unit or "").endswith("/s"):
        return named
    return replace(named, unit=f"{named.unit or '1'}/s")  # a counter's values are rates


def _text(
    named: SeriesTitle,
    base: float,
    level: float,
    ratio: float | None,
    moved: float | None,
    step: float | None,
) -> str:
    verb = "rose" if level > base else "fell"
    by = ""
    if ratio is not None and ratio > 0:
        by = f" ({number(ratio)} times)" if ratio >= 1 else f" (to 1/{number(1 / ratio)})"
    before, during = numbers(base, level)
    text = f"{named.words} {verb} from {before} to {amount(during, named.unit)}{by}"
    if moved is None:
        return text
    band = f" ± {step:.0f} s" if step and step >= _SHOWN_STEP_S else ""
    if abs(moved) <= max(step or 0.0, 1.0):
        return f"{text}, with the onset{band}"
    side = "before" if moved < 0 else "after"
    return f"{text}, {abs(moved):.0f} s {side} the onset{band}"


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


__all__ = ["MIN_SCORE", "shifts"]
