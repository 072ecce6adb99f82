"""The throughput beside the active sessions: the same times, gaps stay empty."""

from __future__ import annotations

import polars as pl

from pileup.analysis.captures.throughput import with_throughput
from pileup.analysis.contract import ActiveSessionsDoc
from pileup.analysis.evidence.times import iso_of

_S = 1_000_000
_TIMES = [at * 10 * _S for at in range(5)]


def active(times: list[int]) -> ActiveSessionsDoc:
    return ActiveSessionsDoc(
        times=[iso_of(time) for time in times],
        level=[1.0 for _ in times],
        classes=[],
        seconds=None,
        low=None,
        high=None,
        level_from="threads_running",
        mix_from="",
        peak=1.0,
        peak_at=None,
    )


def samples(series: str, times: list[int], values: list[float]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": [series] * len(times),
            "series": [series] * len(times),
            "host": [None] * len(times),
            "labels": [""] * len(times),
            "time": times,
            "value": values,
        },
        schema_overrides={"host": pl.String},
    )


def test_means_between_times_and_none_without_samples() -> None:
    times = [0, 5 * _S, 10 * _S, 40 * _S]
    found = with_throughput(active(_TIMES), samples("qps", times, [10.0, 30.0, 5.0, 7.0]), None)
    assert found is not None
    assert found.throughput is not None
    assert found.throughput.values == [20.0, 5.0, None, None, 7.0]
    assert found.throughput.title == "statements"


def test_nothing_without_a_series_of_work() -> None:
    shown = active(_TIMES)
    assert with_throughput(shown, samples("threads_running", _TIMES, [1.0] * 5), None) == shown
    assert with_throughput(None, samples("qps", _TIMES, [1.0] * 5), None) is None
    moment = active([0])
    assert with_throughput(moment, samples("qps", _TIMES, [1.0] * 5), None) == moment
