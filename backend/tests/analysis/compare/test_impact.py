"""Compared series are ordered by what users feel; a second series of a quantity comes late."""

from __future__ import annotations

import itertools

from msgspec import structs

from pileup.analysis.compare.impact import by_impact
from pileup.analysis.contract import SidesSeries, SpreadDoc


def row(
    series: str, before: float, after: float, labels: str = "", *, clear: bool = True
) -> SidesSeries:
    levels = [
        SpreadDoc(median=value, low=value, high=value, points=9, runs=1)
        for value in (before, after)
    ]
    return SidesSeries(
        series=series,
        labels=labels,
        title=series,
        detail="",
        unit=None,
        levels=list(levels),
        ratios=[None, None],
        clear=clear,
    )


HOUSEKEEPING = row("innodb.master_active", 1, 0)
STATE = row("processlist.state", 0, 161, "state=Waiting for table metadata lock")
FEW = row("processlist.state", 0, 3, "state=init")
RUNNING = row("mysql.Threads_running", 2, 163)
COPY = row("metric.threads_running", 2, 163)
QPS = row("metric.qps", 1972, 5)
UNCLEAR = row("metric.queries_per_s", 5, 6, clear=False)


def test_what_users_feel_comes_first() -> None:
    rows = [HOUSEKEEPING, FEW, STATE, COPY, RUNNING, QPS, UNCLEAR]
    ordered = by_impact(rows)
    assert [each.series.rpartition(".")[2].lower() for each in ordered[:2]] == [
        "threads_running",
        "qps",
    ]
    assert ordered[2:5] == [STATE, FEW, HOUSEKEEPING]
    assert ordered[-1] is UNCLEAR


def test_work_is_counted_by_the_fullest_series_as_on_the_overview() -> None:
    def counted(series: str, before: float, after: float, points: int) -> SidesSeries:
        levels = [
            SpreadDoc(median=value, low=value, high=value, points=points, runs=1)
            for value in (before, after)
        ]
        return structs.replace(row(series, before, after), levels=list(levels))

    status = counted("mysql.Questions", 1882, 0, 12)
    log = counted("sysbench.qps", 1874, 5, 60)
    for rows in itertools.permutations([HOUSEKEEPING, status, log]):
        assert by_impact(rows) == [log, HOUSEKEEPING, status]
        assert by_impact(rows, "mysql.Questions") == [status, HOUSEKEEPING, log]


def test_nothing_is_lost_in_any_order() -> None:
    rows = [HOUSEKEEPING, STATE, COPY, RUNNING, QPS]
    for some in itertools.permutations(rows, 4):
        ordered = by_impact(some)
        assert sorted(each.series for each in ordered) == sorted(each.series for each in some)
        load = [each for each in ordered if each in (COPY, RUNNING, QPS)]
        assert ordered[0] in load
    assert by_impact([]) == []


def test_where_nothing_differs_clearly_what_users_feel_still_comes_first() -> None:
    names = ("innodb.blocks_read", "mysql.Threads_running")
    rows = [row(name, 5, 6, clear=False) for name in names]
    rows.append(row("metric.qps", 7, 7, clear=False))
    assert [each.series for each in by_impact(rows)] == [
        "mysql.Threads_running",
        "metric.qps",
        "innodb.blocks_read",
    ]
