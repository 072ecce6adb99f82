"""Convert samples to plain values: gauges as printed, counters as rates without resets and gaps.

Absent is not zero: nothing is filled in where a collector has no sample. Series of exporters and
scripts are converted to the unit of the measure that their name means (fractions to percent).
"""

from __future__ import annotations

import polars as pl

from pileup.analysis.evidence.compact_samples import by_series, compact, distinct, ranks
from pileup.knowledge.series_names import Measure, measure_of

NAMED_BY_OTHERS = frozenset({"metric", "cloudwatch"})
"""Collectors whose names come from an exporter or a script."""
OF_MACHINE = ("vmstat", "iostat", "mpstat", "dstat", "top", "sar", "procstat", "pidstat")
"""Collectors that look at the machine, and never into the server."""
_LEAST_FRACTION = 0.1
"""A share that stays below it is an idle machine in either unit, and is left as printed."""

SCHEMA: dict[str, pl.DataType] = {
    "id": pl.Categorical(),
    "series": pl.Categorical(),
    "labels": pl.Categorical(),
    "host": pl.Categorical(),
    "kind": pl.Categorical(),
    "unit": pl.Categorical(),
    "artifact": pl.Categorical(),
    "time": pl.Int64(),
    "value": pl.Float64(),
}


def values(samples: pl.DataFrame | None) -> pl.DataFrame:
    """Convert placed samples to ``SCHEMA``, sorted by id and time; counters as rates per second.

    A rate belongs to the later of its two samples. Each artifact is differenced on its own,
    so overlapping collectors never make a false reset.
    """
    if samples is None or samples.is_empty():
        return pl.DataFrame(schema=SCHEMA)
    rows = (
        compact(samples)
        .lazy()
        .filter(
            pl.col("time").is_not_null()
            & pl.col("value").is_not_null()
            & pl.col("value").is_finite()
        )
        .select(list(SCHEMA))
        .collect()
    )
    # a few series at a time: sorting them all at once would hold everything three times
    pieces = [_plain(piece) for piece in by_series(rows)]
    return pl.concat(pieces) if pieces else rows


def untimed_levels(samples: pl.DataFrame | None) -> pl.DataFrame:
    """Return gauges and rates without a time, in ``SCHEMA``: of a dump without its head.

    A level needs no time; the rate of a counter needs two, or how far apart its samples are in
    their file. Empty if every sample has a time.
    """
    if samples is None or samples.is_empty():
        return pl.DataFrame(schema=SCHEMA)
    known = pl.col("value").is_not_null() & pl.col("value").is_finite()
    timeless = pl.col("time").is_null()
    printed = timeless & pl.col("kind").is_in(("gauge", "rate"))
    rows = compact(samples).lazy().filter(printed & known).select(list(SCHEMA)).collect()
    counted = _untimed_rates(samples.filter(timeless & known & (pl.col("kind") == "counter")))
    rows = pl.concat([rows, counted]) if counted.height else rows
    return _in_units(rows) if rows.height else rows


def _untimed_rates(counters: pl.DataFrame) -> pl.DataFrame:
    """Return the rates of counters whose file says how far apart its samples are, and no time."""
    empty = pl.DataFrame(schema=SCHEMA)
    if counters.is_empty() or not {"wall_us", "clock"} <= set(counters.columns):
        return empty
    of_series = ["artifact", "id"]
    apart = pl.col("wall_us").diff().over(of_series) / 1e6
    grown = pl.col("value").diff().over(of_series)
    rates = (
        counters.filter((pl.col("clock") == "relative") & pl.col("wall_us").is_not_null())
        .sort("artifact", "id", "wall_us")
        .with_columns(pl.when((apart > 0) & (grown >= 0)).then(grown / apart).alias("value"))
        .filter(pl.col("value").is_not_null())
    )
    return compact(rates).lazy().select(list(SCHEMA)).collect() if rates.height else empty


def averages_since_start(samples: pl.DataFrame | None) -> pl.DataFrame:
    """Return counters that a file prints once, per second of the Uptime in it, in ``SCHEMA``.

    A single SHOW GLOBAL STATUS has no rates; what it counts since the server started, or since its
    counters were reset, has an average.
    """
    if samples is None or samples.is_empty():
        return pl.DataFrame(schema=SCHEMA)
    series = pl.col("series").cast(pl.String)
    uptimes = (
        samples.filter(series.is_in(_UPTIMES) & (pl.col("value") >= _LEAST_UPTIME_S))
        .group_by("artifact")
        .agg(pl.col("value").min().alias("_uptime"), pl.len().alias("_n"), series.n_unique())
        .filter(pl.col("_n") == pl.col("series"))
        .select("artifact", "_uptime")
    )
    if uptimes.is_empty():
        return pl.DataFrame(schema=SCHEMA)
    known = pl.col("value").is_not_null() & pl.col("value").is_finite()
    rows = (
        samples.filter((pl.col("kind") == "counter") & known)
        .filter(pl.len().over("artifact", "id") == 1)
        .join(uptimes, on="artifact", how="inner")
        .with_columns(pl.col("value") / pl.col("_uptime"))
    )
    return (
        compact(rows).lazy().select(list(SCHEMA)).collect()
        if rows.height
        else rows.select(list(SCHEMA))
    )


_UPTIMES = ("mysql.Uptime", "mysql.Uptime_since_flush_status")
_LEAST_UPTIME_S = 60.0


def _plain(samples: pl.DataFrame) -> pl.DataFrame:
    """Convert the samples of whole series."""
    keyed = samples.with_columns(
        ranks(samples["artifact"]).alias("_artifact"), ranks(samples["id"]).alias("_id")
    )
    several = distinct(keyed, "_artifact", "_id").height > keyed["_id"].n_unique()
    order = ["_artifact", "_id", "time"] if several else ["_id", "time"]
    before = pl.all_horizontal(
        pl.col("_artifact") == pl.col("_artifact").shift(1), pl.col("_id") == pl.col("_id").shift(1)
    )
    step, seconds = pl.col("value").diff(), pl.col("time").diff() / 1e6
    rate = pl.when(before & (step >= 0) & (seconds > 0)).then(step / seconds)
    value = pl.when(pl.col("kind") == "counter").then(rate).otherwise(pl.col("value"))
    plain = (
        keyed.sort(order).with_columns(value.alias("value")).filter(pl.col("value").is_not_null())
    )
    if several:
        plain = plain.sort("_id", "time")
    return _in_units(plain.drop("_artifact", "_id"))


def _in_units(values: pl.DataFrame) -> pl.DataFrame:
    """Convert series of exporters to the units of their measures; values in others stay."""
    named = distinct(values, "id", "series", "labels", "unit")
    factors: list[tuple[str, float, bool, str]] = []
    for id_, series, labels, unit in named.iter_rows():
        named_as = measure(series, labels, unit)
        if named_as is None or named_as.unit is None:
            continue
        factor = named_as.factor
        if named_as.is_fraction_or_percent and _are_fractions(values.filter(pl.col("id") == id_)):
            factor = 100.0
        if factor != 1.0 or named_as.is_complement:
            factors.append((id_, factor, named_as.is_complement, named_as.unit))
    if not factors:
        return values
    schema = {"id": pl.String, "_factor": pl.Float64, "_rest": pl.Boolean, "_unit": pl.String}
    table = pl.DataFrame(factors, schema=schema, orient="row").unique("id", keep="first")
    table = table.with_columns(pl.col("id", "_unit").cast(pl.Categorical))
    scaled = pl.col("value") * pl.col("_factor")
    value = pl.when(pl.col("_rest")).then((100.0 - scaled).clip(0.0)).otherwise(scaled)
    return (
        values.join(table, on="id", how="left", maintain_order="left")
        .with_columns(
            pl.when(pl.col("_factor").is_not_null()).then(value).otherwise("value").alias("value"),
            pl.coalesce("_unit", "unit").alias("unit"),
        )
        .drop("_factor", "_rest", "_unit")
    )


def _are_fractions(values: pl.DataFrame) -> bool:
    """Return whether a share without a printed unit is from 0 to 1 rather than to 100."""
    highest = values["value"].max()
    return isinstance(highest, float) and _LEAST_FRACTION < highest <= 1.0


def measure(series: str, labels: str = "", unit: str | None = None) -> Measure | None:
    """Return the measure that a series of an exporter or a script is; None for our collectors."""
    collector, _, name = series.partition(".")
    return measure_of(name, labels or "", unit) if collector in NAMED_BY_OTHERS else None


def short_name(series: str, labels: str = "") -> str:
    """Return 'threads_running' for 'mysql.Threads_running' and the names of exporters."""
    named = measure(series, labels)
    name = named.name if named is not None else series.rpartition(".")[2].lower()
    if name == "tps" and (series.partition(".")[0] in OF_MACHINE or "device=" in labels):
        return "transfers"  # a disk's, as sar and iostat call them: no transactions
    return name


def whole(named: pl.DataFrame) -> list[str]:
    """Return the ids of series that measure all of their host, not a part of it.

    Takes: ``id``, ``series``, ``host``, ``labels``, of any number of rows. A series without labels
    is whole, and one over all CPUs; one with labels is if no other series of its name and host has
    different labels (an environment, a region), and of several statistics the average is.
    """
    rows = distinct(named, "id", "series", "host", "labels")
    of_name: dict[tuple[str, str, str | None], list[tuple[str, str]]] = {}
    for id_, series, host, labels in rows.sort("id").iter_rows():
        key = series, short_name(series, labels or ""), host
        of_name.setdefault(key, []).append((id_, labels or ""))
    found: list[str] = []
    for items in of_name.values():
        plain = [id_ for id_, labels in items if is_whole(labels)]
        if not plain and len({_without_statistic(labels) for _, labels in items}) == 1:
            plain = [next((i for i, labels in items if "stat=Average" in labels), items[0][0])]
        found += plain
    return found


def is_whole(labels: str) -> bool:
    """Return whether labels divide nothing: there are none, or they say all CPUs."""
    return labels in WHOLE


WHOLE = ("", "cpu=all", "cpu=cpu-total", "cpu=total", "cpu=_Total")


def _without_statistic(labels: str) -> str:
    return ",".join(item for item in labels.split(",") if not item.startswith("stat="))
