"""Find the hosts that differ: compare each host's level of each series with the fleet's median.

A host is an outlier when its median is more than ``FAR`` robust spreads and more than ``TIMES``
times away from the fleet's. With fewer than three hosts there is no fleet, only a comparison.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import polars as pl

from pileup.analysis.contract import FleetDoc, FleetHost, FleetSeries, FleetSetting
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.series import values as plain_values
from pileup.analysis.evidence.servers import settings as all_settings
from pileup.numerals import number

LEAST = 3
FAR = 5.0
TIMES = 1.5
_SHOWN = 20


def fleet(evidence: Evidence, span: Span | None) -> FleetDoc:
    """List the hosts that differ from the others inside a window (all of the time when None)."""
    rows = plain_values(evidence.frame("sample")).filter(pl.col("host").is_not_null())
    if span is not None:
        rows = rows.filter(span.holds())
    hosts = sorted(rows["host"].unique().to_list())
    if len(hosts) < LEAST:
        return FleetDoc(hosts=hosts, differing=[], text=_too_few(len(hosts)))
    outliers = _outliers(rows, len(hosts))
    odd_settings = _odd_settings(evidence, set(hosts))
    differing = [
        FleetHost(
            host=host,
            series=outliers.get(host, [])[:_SHOWN],
            moved=len(outliers.get(host, [])),
            settings=odd_settings.get(host, []),
        )
        for host in hosts
        if host in outliers or host in odd_settings
    ]
    differing.sort(key=lambda host: (-host.moved, -len(host.settings), host.host))
    return FleetDoc(hosts=hosts, differing=differing, text=_text(hosts, differing))


def _outliers(rows: pl.DataFrame, hosts: int) -> dict[str, list[FleetSeries]]:
    levels = rows.group_by("series", "labels", "host").agg(
        pl.col("value").median().alias("level"), pl.col("unit").first()
    )
    keys = ["series", "labels"]
    level, middle = pl.col("level"), pl.col("middle")
    table = (
        levels.with_columns(level.median().over(keys).alias("middle"), pl.len().over(keys))
        .filter(pl.col("len") >= max(LEAST, hosts // 2))
        .with_columns((level - middle).abs().median().over(keys).alias("mad"))
        .with_columns(
            ((level - middle).abs() / (1.4826 * pl.col("mad") + 0.02 * middle.abs() + 1e-9))
            .clip(0, 1000)
            .alias("score")
        )
        .filter(
            (pl.col("score") >= FAR)
            & ((level.abs() >= TIMES * middle.abs() + 1e-9) | (level.abs() * TIMES <= middle.abs()))
        )
        .sort(["score", "series", "labels"], descending=[True, False, False])
    )
    outliers: defaultdict[str, list[FleetSeries]] = defaultdict(list)
    for row in table.iter_rows(named=True):
        outliers[row["host"]].append(
            FleetSeries(
                series=row["series"],
                labels=row["labels"] or "",
                host_level=row["level"],
                fleet_level=row["middle"],
                score=row["score"],
                text=(
                    f"{row['series']} is {number(row['level'])}, "
                    f"the fleet's median is {number(row['middle'])}"
                ),
            )
        )
    return dict(outliers)


def _odd_settings(evidence: Evidence, hosts: set[str]) -> dict[str, list[FleetSetting]]:
    """List the settings of each host that differ from the value that most hosts share."""
    by_name: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for all_setting in all_settings(evidence):
        if all_setting.host in hosts and all_setting.value is not None:
            by_name[all_setting.name][all_setting.host] = all_setting.value
    odd: defaultdict[str, list[FleetSetting]] = defaultdict(list)
    for name, values in sorted(by_name.items()):
        common, count = Counter(values.values()).most_common(1)[0]
        if len(values) < LEAST or count <= len(values) / 2 or count == len(values):
            continue
        for host, value in values.items():
            if value != common:
                odd[host].append(FleetSetting(name=name, host_value=value, fleet_value=common))
    return dict(odd)


def _text(hosts: list[str], differing: list[FleetHost]) -> str:
    if not differing:
        return f"No host differs from the others ({len(hosts)} hosts)."
    names = ", ".join(host.host for host in differing[:5])
    more = f" and {len(differing) - 5} more" if len(differing) > 5 else ""
    return f"{len(differing)} of {len(hosts)} hosts differ from the others: {names}{more}."


def _too_few(count: int) -> str:
    known = {0: "No series names its host", 1: "One host is known"}.get(
        count, "Two hosts are known"
    )
    return f"{known}; a fleet needs {LEAST} hosts. Compare two sides instead."


__all__ = ["fleet"]
