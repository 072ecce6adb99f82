"""What moved, by how much and when: by construction, and fast enough for ten thousand series."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from pileup.analysis.evidence import series
from pileup.analysis.evidence.context import Span
from pileup.analysis.stalls import shifts
from tests.analysis.frames import T0, S, evidence, gauge
from tests.support.cpu import growth

BASE = Span(T0 + 10 * S, T0 + 59 * S)
STALL = Span(T0 + 60 * S, T0 + 100 * S)


def moved(*items):  # type: ignore[no-untyped-def]
    gathered = evidence({"metrics": items})
    values = series.values(gathered.frame("sample"))
    return {shift.name: shift for shift in shifts.shifts(values, STALL, BASE)}


def test_direction_ratio_and_when() -> None:
    """One leads by five seconds, one falls with the onset, one never moves."""
    found = moved(
        gauge("metric.leader", [10.0] * 55 + [100.0] * 45),
        gauge("metric.faller", [500.0] * 60 + [50.0] * 40),
        gauge("metric.steady", [7.0, 8.0] * 50),
    )
    assert set(found) == {"metric.leader", "metric.faller"}
    assert found["metric.leader"].first_moved_s == -5.0
    assert found["metric.faller"].first_moved_s == 0.0
    assert found["metric.faller"].direction == "down"
    assert found["metric.leader"].ratio == 10.0


def test_idleness_is_ranked_behind_everything_else() -> None:
    """The CPUs idle less, and earlier, because something runs: that is what moved."""
    busy = gauge("metric.leader", [10.0] * 60 + [20.0] * 40)
    idle = gauge("vmstat.id", [95.0] * 55 + [1.0] * 45)
    assert list(moved(idle, busy)) == ["metric.leader", "vmstat.id"]


def test_a_counter_is_a_rate_and_a_restart_is_no_shift() -> None:
    """100/s all along, the server restarted in between: the fall of the counter is not a rate."""
    counter = [100.0 * i for i in range(70)] + [100.0 * i for i in range(30)]
    assert moved(gauge("mysql.Questions", counter, kind="counter")) == {}


def test_absent_is_not_zero() -> None:
    """No sample inside the stall: nothing is claimed of it."""
    values = [5.0] * 60 + [None] * 40
    assert moved(gauge("metric.gone", values)) == {}


def test_a_baseline_after_the_stall_says_nothing_of_when() -> None:
    gathered = evidence({"m": [gauge("metric.x", [90.0] * 60 + [2.0] * 60)]})
    values = series.values(gathered.frame("sample"))
    stall, after = Span(T0, T0 + 60 * S), Span(T0 + 60 * S, T0 + 90 * S)
    (first,) = shifts.shifts(values, stall, after)
    assert first.first_moved_s is None


def test_many_series_take_time_in_proportion() -> None:
    """1,000 series of 900 points, against a quarter of them."""
    points = 900

    def ranked(names: int) -> Callable[[], object]:
        values = pl.DataFrame(
            {
                "id": pl.Series([f"m.s{i}" for i in range(names)]).repeat_by(points).explode(),
                "time": pl.concat(
                    [pl.Series(range(T0, T0 + points * S, S), dtype=pl.Int64)] * names
                ),
                "value": pl.Series([float(i % 17) for i in range(names * points)]),
            }
        ).select(
            "id",
            pl.col("id").alias("series"),
            pl.lit("").alias("labels"),
            pl.lit(None, dtype=pl.String).alias("host"),
            pl.lit("gauge").alias("kind"),
            pl.lit(None, dtype=pl.String).alias("unit"),
            pl.lit("a").alias("artifact"),
            "time",
            "value",
        )
        stall, before = Span(T0 + 450 * S, T0 + 600 * S), Span(T0 + 350 * S, T0 + 449 * S)
        return lambda: shifts.shifts(values, stall, before)

    assert growth(ranked(250), ranked(1_000)) < 10  # 4 when linear, 16 when quadratic


def test_one_quantity_from_three_sources_is_named_once() -> None:
    """SHOW STATUS, an exporter and a script count the same threads; a fourth counts others."""
    threads = [2.0] * 60 + [160.0] * 40
    found = moved(
        gauge("mysql.Threads_running", threads),
        gauge("metric.mysql.threads_running", threads),
        gauge("metric.threads_running", [each * 1.05 for each in threads]),
        gauge("proxy.threads_running", [each * 1.2 for each in threads]),
    )
    alone = [name for name, shift in found.items() if shift.same_as is None]
    assert len(found) == 4
    assert len(alone) == 2
    assert "proxy.threads_running" in alone
    assert {shift.same_as for shift in found.values()} <= {None, *alone}
