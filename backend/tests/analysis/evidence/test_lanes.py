"""A lane keeps extremes, breaks at gaps and resets, and never draws more than it is asked for."""

from __future__ import annotations

import polars as pl
import pytest

from pileup.analysis.evidence.downsample import buckets_of, draw, lane, rates, sum_up, values_of

SECOND = 1_000_000


def frame(
    values: list[float | None], artifact: str = "a", every: int = SECOND, start: int = 0
) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "artifact": [artifact] * len(values),
            "time": [start + i * every for i in range(len(values))],
            "value": pl.Series(values, dtype=pl.Float64),
        }
    )


def test_counter_becomes_rate_and_is_absent_across_a_reset() -> None:
    """10, 20, 5, 15: rates 10 and 10; the fall is a restart, not a negative rate."""
    result = rates(frame([10, 20, 5, 15]))
    assert result["value"].to_list() == [10, 10]
    assert result["time"].to_list() == [SECOND, 3 * SECOND]


def test_two_files_of_one_counter_are_differenced_apart() -> None:
    """The second file starts again from its own first value."""
    both = pl.concat([frame([100, 110], "a"), frame([50, 52], "b", start=SECOND // 2)])
    assert sorted(rates(both)["value"].to_list()) == [2, 10]


def test_decimation_keeps_the_one_second_spike() -> None:
    """100,000 zeros and one 300: the maximum is still drawn at 500 pixels."""
    values = [0.0] * 100_000
    values[77_777] = 300.0
    drawn = lane(frame(values), kind="gauge", start_us=0, end_us=100_000 * SECOND, pixels=500)
    assert drawn.decimated
    assert len(drawn.points) <= 502
    assert drawn.high == 300
    assert drawn.samples == 100_000


def test_hole_in_the_series_is_a_gap() -> None:
    """A stalled exporter leaves a hole: three nulls, not a straight line."""
    values = pl.concat([frame([1.0] * 10), frame([2.0] * 10, start=60 * SECOND)])
    drawn = lane(values, kind="gauge", start_us=0, end_us=80 * SECOND, pixels=500)
    assert [p for p in drawn.points if p[1] is None] == [(60 * SECOND - 1, None, None, None)]


def test_window_takes_one_neighbour_on_each_side() -> None:
    """Lines run to the edge of the plot."""
    drawn = lane(
        frame([float(i) for i in range(10)]),
        kind="gauge",
        start_us=3 * SECOND,
        end_us=5 * SECOND,
        pixels=100,
    )
    assert [p[1] for p in drawn.points] == [2, 3, 4, 5, 6]
    assert drawn.samples == 3


@pytest.mark.parametrize("values", [[], [None, None]])
def test_nothing_is_an_empty_lane(values: list[float | None]) -> None:
    """No values: no points, no invented range."""
    drawn = lane(frame(values), kind="gauge", start_us=0, end_us=SECOND, pixels=10)
    assert (drawn.points, drawn.low, drawn.high) == ([], None, None)


def test_sums_keep_gaps_and_draw_as_the_samples_do() -> None:
    """A view of the sums has the extremes, the count and the holes of a view of the samples."""
    values = [0.0] * 20_000
    values[7_777], values[15_000] = 300.0, -4.0
    whole = pl.concat([frame(values), frame(values, start=21_000 * SECOND)])
    sums = sum_up(values_of(whole, "gauge"))
    assert sums.height == 2 * -(-20_000 // 64)
    assert sums["gap"].sum() == 1
    window = {"start_us": 0, "end_us": 41_000 * SECOND, "pixels": 200}
    fine, coarse = draw(buckets_of(values_of(whole, "gauge")), **window), draw(sums, **window)
    assert (coarse.low, coarse.high, coarse.samples) == (fine.low, fine.high, fine.samples)
    assert coarse.decimated
    holes = [p[0] for p in coarse.points if p[1] is None]
    assert holes == [p[0] for p in fine.points if p[1] is None] == [21_000 * SECOND - 1]


def test_no_bucket_reaches_over_a_gap() -> None:
    """The hole begins where the samples end, not where 64 of them would."""
    sums = sum_up(
        values_of(pl.concat([frame([1.0] * 10), frame([2.0] * 10, start=600 * SECOND)]), "gauge")
    )
    assert sums["last"].to_list() == [9 * SECOND, 609 * SECOND]
    assert sums["gap"].to_list() == [False, True]
