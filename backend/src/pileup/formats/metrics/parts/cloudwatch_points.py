"""Build the series of a CloudWatch metric from its points, in whatever form they are printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Samples

_UNITS = {
    "Percent": "%",
    "Bytes": "B",
    "Bytes/Second": "B/s",
    "Count/Second": "1/s",
    "Seconds": "s",
    "Milliseconds": "ms",
    "Microseconds": "us",
}


class Point(NamedTuple):
    """A value of a metric as printed."""

    time: str
    stat: str
    """Average, Maximum, ...; empty where it is not named."""
    value: float
    unit: str
    line: int


def datapoints(
    label: str,
    points: Iterable[Point],
    family: str = "cloudwatch",
    labels: tuple[tuple[str, str], ...] = (),
) -> Iterator[Samples]:
    """Yield the gauge <family>.<label> of each statistic, in order of time.

    A point without a readable time is left out.
    """
    series: dict[str, list[tuple[int, float, int]]] = {}
    unit = ""
    for point in points:
        if (stamp := read_stamp(point.time)) is not None:
            series.setdefault(point.stat, []).append((stamp[0], point.value, point.line))
            unit = point.unit or unit
    for stat, rows in series.items():
        rows.sort()
        yield Samples(
            series=f"{family}.{label}",
            kind="gauge",
            unit=_UNITS.get(unit),
            clock="utc",
            wall_us=[time for time, _, _ in rows],
            values=[value for _, value, _ in rows],
            lines=[line for _, _, line in rows],
            labels=(*labels, ("stat", stat)) if stat else labels,
        )
