"""Clocks and comparisons, called directly where a threshold decides."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import polars as pl

from pileup.analysis.clock import (
    anchoring,
    connection_numbers,
    metrics_hosts,
    offsets,
    placement,
    repeated_hours,
    session_shapes,
    uptimes,
    utc_ranges,
    years,
)
from pileup.analysis.clock.offsets import Offset
from pileup.analysis.clock.zone_evidence import Zone
from pileup.analysis.compare import differences, fleet, table_changes
from pileup.analysis.contract import ClockDoc
from pileup.analysis.evidence.context import Span
from pileup.records import Deadlock, DeadlockTrx, Table
from tests.analysis.frames import T0, S, artifact, evidence, frames, gauge
from tests.analysis.turning.tools import Scenes, always, given, instead

_WAVE = [float(n % 7 + (n // 7) % 5 * 3) for n in range(60)]


def _rulers() -> object:
    printed = gauge("mysql.Uptime", [1000.0, 1001.0, 1009.0], start=0, clock="relative")
    samples = frames(printed)["sample"].with_columns(artifact=pl.lit("a"))
    return uptimes.rulers(samples).height


def _starts() -> object:
    samples = evidence({"a": [gauge("mysql.Uptime", [1000.0])]}).frame("sample")
    assert samples is not None
    return len(uptimes.starts(samples))


def _base(apart_s: int = 8, later_s: int = 0, begins_s: int = 0) -> object:
    """Two files that differ by so much on the start; the third lies so much after both.

    begins_s: when both begin, so much after the server.
    """
    known = [
        uptimes.Start(name, None, at * S, begins_s * S, begins_s * S)
        for name, at in (("a", 0), ("b", apart_s))
    ]
    own = [gauge("mysql.Uptime", [later_s + 0.0, later_s + 1.0], start=0, clock="relative")]
    samples = frames(*own)["sample"].with_columns(artifact=pl.lit("c"))
    return uptimes.base_of(samples, known) is None


def _outlier(own: float, fleet_level: float = 10.0) -> object:
    levels = [fleet_level] * 4 + [own]
    rows = pl.DataFrame({"host": list("abcde"), "value": levels}).with_columns(
        series=pl.lit("x"), labels=pl.lit(""), unit=pl.lit("")
    )
    return sorted(fleet._outliers(rows, 5))


def _only_start(uptime: float, next_s: float | None = None) -> object:
    starts = [uptimes.Start("a", None, at, 0, 0) for at in (0.0, next_s) if at is not None]
    own = frames(gauge("mysql.Uptime", [uptime], start=0, clock="relative"))["sample"]
    found = uptimes.only_start(own, [*starts], (None, ""), {"a": ""})
    return [each.start for each in found]


def _listed_at(numbers: list[int], known: list[tuple[int, int]]) -> object:
    """When lists were taken whose newest connections have these numbers."""
    points = [connection_numbers._Point(number, at * S) for number, at in known]
    return connection_numbers._times(numbers, [at * S for at in range(len(numbers))], points)


def _zero(counted: list[tuple[int, int]], known: list[tuple[int, int]]) -> object:
    """From when on counts are timed, and how far off that is, in seconds."""
    points = [connection_numbers._Point(number, at * S) for number, at in known]
    found = connection_numbers._zero([(count, at * S) for count, at in counted], points)
    return found and [value / S for value in found]


def _given_at(apart_s: int) -> object:
    points = [connection_numbers._Point(10, 0), connection_numbers._Point(20, apart_s * S)]
    return connection_numbers._given_at(15, points)


def _rising(*points: tuple[int, int]) -> object:
    return connection_numbers._rising([connection_numbers._Point(n, at * S) for n, at in points])


_KNOWN = [(at, at) for at in range(1, 9)]


def _placed(held: float, second: float, r: float = 0.9) -> object:
    return anchoring.Match("m", "t", "a", 0, r, held, second, 200).is_clear


def _anchor_frames(
    shift: int = 0, wave: Sequence[float] = _WAVE
) -> tuple[pl.DataFrame, pl.DataFrame]:
    seconds = list(range(len(wave)))
    mine = pl.DataFrame({"second": seconds, "value": wave, "series": ["mine"] * len(wave)})
    theirs = pl.DataFrame({"second": [at + shift for at in seconds], "value": wave})
    return mine, theirs.with_columns(artifact=pl.lit("a"), series=pl.lit("theirs"))


def _best() -> object:
    return anchoring._best(*_anchor_frames(100), None)


def _next_best() -> object:
    """A slope up and down fits better three seconds off than four, which is another position."""
    slopes = [float(min(at, 24 - at)) for at in range(24)]
    found = anchoring._best(*_anchor_frames(100, slopes), None)
    return found is not None and found.second < 0.5


def _best_points() -> object:
    """Half of the seconds have a value: as many points as there can be."""
    mine, theirs = _anchor_frames(100)
    return anchoring._best(mine.gather_every(2), theirs, None) is not None


def _match(points: int) -> object:
    found = anchoring.Match("m", "t", "a", 0, 0.9, 0.9, 0.0, 30)
    keyed = pl.DataFrame({"key": ["k"] * points, "value": _WAVE[:points], "host": [None] * points})
    reference: Any = given(frame=keyed)
    own = frames(gauge("m", _WAVE))["sample"]
    with instead(
        anchoring, _best=always(found), _keys=always({"m": "k"}), _per_second=always(keyed),
        _relative=always(pl.lit(0)),
    ):  # fmt: skip
        return anchoring.match(own, reference, None, None)


def _few_counts() -> object:
    """Two servers whose sessions differ, by five samples of each."""
    samples = pl.DataFrame(
        {
            "host": ["a"] * 5 + ["b"] * 5, "series": ["mysql.Threads_running"] * 10,
            "labels": [""] * 10, "time": [T0 + n * S for n in range(5)] * 2,
            "value": [4.0] * 5 + [90.0] * 5,
        }
    )  # fmt: skip
    a, b = (metrics_hosts._Host(name, first=T0, last=T0 + 9 * S) for name in "ab")
    return metrics_hosts._contradict(samples, a, b)


def _uptimes() -> object:
    samples = pl.DataFrame(
        {
            "host": ["a"] * 3 + ["b"] * 3, "series": ["mysql.Uptime"] * 6, "labels": [""] * 6,
            "time": [T0 + n * S for n in range(3)] * 2,
            "value": [100.0, 101.0, 102.0, 150.0, 151.0, 152.0],
        }
    )  # fmt: skip
    a, b = (metrics_hosts._Host(name, first=T0, last=T0 + 9 * S) for name in "ab")
    return metrics_hosts._contradict(samples, a, b)


def _counts(*values: float) -> dict[int, float]:
    return dict(enumerate(values))


def _absolute_range() -> object:
    file = artifact("a")
    name = file.sha256
    found = utc_ranges.UtcRanges([file], {name: {"utc": (0, 9, 3)}}, {name: ""}, {name: None})
    return list(found.of("", None))


def _measured_offset() -> object:
    source = offsets.Source("a", "a", None, "exact")
    found = Offset(3600.0, 10.0, 20, "Questions", "b")
    with instead(offsets, _better=always(found), _measured=always(found)):
        return offsets._against(source, [source], {}, {})


def _rest_of_a_zone() -> object:
    doc = ClockDoc(source="", zone=None, offset_s=0.0, how="", quality="assumed")
    placed = placement._Placement(doc, Zone(None, "", "assumed"))
    offset = Offset(3700.0, 1.0, 20, "Questions", "b")
    return placement._by_anchors({"a": placed}, {"a": {"local": (0, 1, 2)}}, {"a": offset})


def _fold(above_s: int = 3600, wall_s: int = 0) -> object:
    rows = {"line_first": [1, 2], "wall_us": [above_s * S, wall_s * S], "clock": ["local"] * 2}
    return sorted(repeated_hours.folds({"event": pl.DataFrame({"artifact": ["a"] * 2, **rows})}))


def _same_shape(
    times: float = 1.0,
    lag: int = 0,
    rise: float = 40.0,
    noise: float = 0.0,
    again: float = 0.0,
    base: float = 10.0,
    plus: float = 0.0,
) -> object:
    """Sessions of two files: a rise in the middle, in the other one with these differences."""
    shape = [base] * 100
    for at in range(40):
        shape[30 + at] += rise * (1 + at % 5) / 5 if at < 25 else rise * (40 - at) / 40
    other = [value * times + plus + (noise if n % 3 == 0 else 0.0) for n, value in enumerate(shape)]
    if again:
        other += [10 + (value - 10) * again + (6 if n % 2 else 0) for n, value in enumerate(shape)]
    mine = session_shapes._Count("mine", dict(enumerate(shape)))
    theirs = session_shapes._Count("theirs", {n + lag: v for n, v in enumerate(other)})
    with instead(session_shapes, is_explained=always(True)):
        found = session_shapes._offset(mine, theirs, "x")
    return found is not None


def _year(number: int) -> bool:
    moment = round(datetime(number, 7, 1, tzinfo=UTC).timestamp()) * S
    return years._nearest(15_700_000 * S, [(moment, moment + S)]) == number


def _untimed() -> object:
    rows = (("a", "1"),)
    tables = [
        Table(name="t", columns=("k", "v"), rows=rows, line_first=n, line_last=n) for n in range(5)
    ]
    side = differences.Side("a", evidence({"a.tsv": tables}), Span(T0, T0 + S))
    return " more." in differences.untimed_tables([side])[0]


def _few_hosts() -> object:
    hosts = ("a", "b", "c", "d")
    found = evidence({host: [gauge("m.x", [1.0] * 9, host=host)] for host in hosts})
    with instead(fleet, _outliers=always({}), _odd_settings=always({})):
        return fleet.fleet(found, None).text.startswith("No host differs")


def _changed_tables() -> object:
    tables = [
        Table(
            name=f"t{n}", columns=("k", "v"), rows=(("a", str(at)),), line_first=9 * at + n,
            line_last=9 * at + n, wall_us=T0 + at * S, clock="utc",
        )
        for n in range(3)
        for at in range(2)
    ]  # fmt: skip
    return [doc.name for doc in table_changes.table_changes(evidence({"a.tsv": tables}))]


def _numbered(*numbers: int, counters: tuple[float, ...] = (100, 200), apart_s: int = 60) -> object:
    """The times of deadlocks by the numbers of their transactions, dumps a minute apart."""
    printed = gauge("innodb.trx_id_counter", counters, step=apart_s * S, host="db1")
    deadlocks = [
        Deadlock(
            line_first=n, line_last=n, host="db1",
            transactions=(DeadlockTrx(number=1, trx_id=str(number)),),
        )
        for n, number in enumerate(numbers, start=1)
    ]  # fmt: skip
    found = evidence({"log": deadlocks, "dumps": [printed]}).frames["deadlock"]
    return dict(zip(numbers, found["time"].to_list(), strict=True))


def _clear() -> object:
    """Three spreads apart, by too few samples to compare their ranges."""
    row: dict[str, object] = dict.fromkeys(("unit", "unit_b", "kind", "kind_b", "labels"))
    for name in ("median", "p05", "p95", "median_b", "p05_b", "p95_b"):
        row[name] = 1.0
    return differences._series_doc(row | {"series": "a", "n": 1, "n_b": 1, "score": 3.0}).clear


def _apart() -> object:
    """Five samples of 1, and nine of 2."""
    less = {"n": 5, "p05": 1.0, "p95": 1.0, "median": 1.0}
    return differences._is_apart(less | {"n_b": 9, "p05_b": 2.0, "p95_b": 2.0, "median_b": 2.0})


SCENES: Scenes = {
    "clock.anchoring _LEAST_VARIATION match": lambda: _match(points=40),
    "clock.anchoring _MAX_LAGS _best": _best,
    "clock.anchoring _MIN_POINTS _best": _best_points,
    "clock.anchoring _MIN_POINTS match": lambda: _match(points=40),
    "clock.anchoring _MIN_LEAD Match.is_clear": lambda: _placed(0.8, 0.0, r=0.07),
    "clock.anchoring _MIN_LEAD_OF_WEAK Match.is_clear": lambda: _placed(0.75, 0.5),
    "clock.anchoring _SAME_PLACE _best": _next_best,
    "clock.anchoring _MIN_R Match.is_clear": lambda: _placed(0.8, 0.6),
    "clock.metrics_hosts _APART _are_apart": lambda: metrics_hosts._are_apart(10.0, 2.0),
    "clock.metrics_hosts _FEW _contradict": _few_counts,
    "clock.metrics_hosts _FEW _compare": lambda: metrics_hosts._compare(
        _counts(100, 100, 100, 100, 100), _counts(100, 100, 100, 100, 900)
    ),
    "clock.metrics_hosts _MOST_APART _compare": lambda: metrics_hosts._compare(
        _counts(*[100] * 10), _counts(*[100] * 9, 900)
    ),
    "clock.metrics_hosts _MOST_APART _compare again": lambda: metrics_hosts._compare(
        _counts(*[100] * 10), _counts(*[100] * 9, 102)
    ),
    "clock.metrics_hosts _MOVES _compare again": lambda: metrics_hosts._compare(
        _counts(*[10] * 10), _counts(*[10] * 10)
    ),
    "clock.metrics_hosts _MOVES _compare": lambda: metrics_hosts._compare(
        _counts(2, 2, 2, 2, 2, 12), _counts(2, 2, 2, 2, 2, 12)
    ),
    "clock.metrics_hosts _UPTIME_S _contradict": _uptimes,
    "clock.offsets _MOST_SPREAD_S _against": _measured_offset,
    "clock.placement _MOST_REST_S _by_anchors": _rest_of_a_zone,
    "clock.repeated_hours _HOUR folds": _fold,
    "clock.repeated_hours _HOUR folds again": lambda: _fold(above_s=6600, wall_s=4800),
    "clock.repeated_hours _NEAR folds": lambda: _fold(above_s=6000, wall_s=3600),
    "clock.repeated_hours _NEAR folds again": lambda: _fold(above_s=7200, wall_s=4800),
    "clock.session_shapes _LEAD _offset": lambda: _same_shape(again=0.9),
    "clock.session_shapes _LIKE _offset": lambda: _same_shape(noise=3.0),
    "clock.session_shapes _MOST_LAGS _offset": lambda: _same_shape(lag=50),
    "clock.session_shapes _NEAR_S _offset": lambda: _same_shape(again=0.9),
    "clock.session_shapes _RISE _offset": _same_shape,
    "clock.session_shapes _SAME _offset": lambda: _same_shape(base=1, rise=12, plus=1.5),
    "clock.session_shapes _SAME_SHARE _offset": lambda: _same_shape(rise=54, times=1.25),
    "clock.transaction_numbers _APART_US _between": lambda: _numbered(150),
    "clock.connection_numbers _APART_US _given_at": lambda: _given_at(60),
    "clock.connection_numbers _APART_US _zero": lambda: _zero(
        [(10, 0), (11, 60), (12, 120)], [(10, 0), (11, 60), (12, 120), (13, 180)]
    ),
    "clock.connection_numbers _ASTRAY _zero": lambda: _zero(
        [(at, at if at != 4 else 8) for at in range(1, 11)], [(at, at) for at in range(1, 13)]
    ),
    "clock.connection_numbers _LEAST _zero": lambda: _zero([(1, 0), (2, 1), (3, 2)], _KNOWN),
    "clock.connection_numbers _SURE_US _zero": lambda: _zero([(1, 0), (2, 1), (3, 5)], _KNOWN),
    "clock.connection_numbers _LEAST _rising": lambda: _rising((5, 1), (6, 2), (7, 3)),
    "clock.connection_numbers _LEAST _times": lambda: _listed_at([2, 3, 4], _KNOWN),
    "clock.connection_numbers _RESOLVED _times": lambda: _listed_at([2, 3, 40, 50], _KNOWN),
    "clock.connection_numbers _RISES _times": lambda: _listed_at([2, 3, 3, 4, 5, 6], _KNOWN),
    "clock.connection_numbers _SURE_US _given_at": lambda: _given_at(2),
    "clock.connection_numbers _SURE_US _rising": lambda: _rising((5, 1), (4, 3), (6, 4), (7, 5)),
    "clock.uptimes _AGREE_S base_of": _base,
    "clock.uptimes _AGREE_S only_start": lambda: _only_start(100.0, 95.0 * S),
    "clock.uptimes _LONGEST_S only_start": lambda: _only_start(float(uptimes._LONGEST_S)),
    "clock.uptimes _APART_S base_of": lambda: _base(apart_s=0, later_s=1000),
    "clock.uptimes _APART_S base_of again": lambda: _base(apart_s=0, begins_s=3601),
    "clock.uptimes _LONGEST_S rulers": _rulers,
    "clock.utc_ranges _LEAST UtcRanges.__init__": _absolute_range,
    "clock.uptimes _LONGEST_S starts": _starts,
    "clock.years MAXYEAR _nearest": lambda: _year(2020),
    "clock.years MINYEAR _nearest": lambda: _year(900),
    "compare.differences _APART _is_apart": _apart,
    "compare.differences CLEAR _series_doc": _clear,
    "compare.differences _ENOUGH _is_apart": _apart,
    "compare.differences _NAMED untimed_tables": _untimed,
    "compare.fleet LEAST fleet": _few_hosts,
    "compare.fleet TIMES _outliers": lambda: _outlier(15.0 + 1e-9),
    "compare.fleet TIMES _outliers again": lambda: _outlier(10.0, fleet_level=15.0),
    "compare.table_changes MOST_CHANGES table_changes": _changed_tables,
}
