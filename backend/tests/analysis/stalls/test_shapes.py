"""Stalls of every shape by construction, and loads that look like one."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from pileup.analysis import Evidence
from pileup.analysis.evidence import series
from pileup.analysis.stalls import detection
from pileup.analysis.stalls.indicators import Signal
from pileup.analysis.stalls.stall import Stall
from pileup.records import Event, Samples
from tests.analysis.frames import T0, S, evidence, gauge, setting

_BEFORE, _STALL, _AFTER = 60, 40, 40
_LENGTH = _BEFORE + _STALL + _AFTER

Columns = dict[str, list[float]]


def around(dice: random.Random, level: float, count: int, spread: float = 0.1) -> list[float]:
    return [max(0.0, dice.gauss(level, level * spread)) for _ in range(count)]


def during(dice: random.Random, usual: float, inside: float) -> list[float]:
    return around(dice, usual, _BEFORE) + around(dice, inside, _STALL) + around(dice, usual, _AFTER)


def columns(values: Columns, *, start: int = T0, step: int = S, order: int = 1) -> Evidence:
    files = [
        (name, [gauge(f"metric.{name}", numbers, start=start, step=step)])
        for name, numbers in values.items()
    ]
    return evidence(dict(files[::order]))


def stalls(gathered: Evidence) -> list[Stall]:
    found = detection.find(gathered, series.values(gathered.frame("sample")))
    return [stall for stall in found if stall.kind == "stall"]


SHAPES: dict[str, Callable[[random.Random], Columns]] = {
    "piled_up": lambda dice: {"threads_running": during(dice, 4, 120)},
    "stopped": lambda dice: {"qps": during(dice, 300, 2)},
    "refused": lambda dice: {
        "connection_errors_max_connections": [0.0] * _BEFORE + [40.0] * _STALL + [0.0] * _AFTER
    },
    "slow": lambda dice: {"avg_latency": during(dice, 5, 90)},
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.seeds(2, 50)
def test_every_shape_is_found_with_its_times_and_a_baseline(shape: str, seed: int) -> None:
    (stall,) = stalls(columns(SHAPES[shape](random.Random(seed))))
    assert stall.shape == shape
    assert abs(stall.onset - (T0 + _BEFORE * S)) <= 5 * S
    assert stall.end is not None
    assert abs(stall.end - (T0 + (_BEFORE + _STALL) * S)) <= 5 * S
    assert stall.baseline is not None
    assert stall.baseline.end < stall.onset


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.seeds(2, 50)
def test_a_calm_series_never_removes_a_stall(shape: str, seed: int) -> None:
    dice = random.Random(seed)
    shown = SHAPES[shape](dice)
    calm = {
        "threads_running": around(dice, 3, _LENGTH, 0.3),
        "qps": around(dice, 300, _LENGTH),
        "avg_latency": around(dice, 5, _LENGTH),
        "threads_connected": around(dice, 80, _LENGTH, 0.02),
        "connection_errors_max_connections": [0.0] * _LENGTH,
        "cpu_pct": around(dice, 30, _LENGTH),
    }
    alone = stalls(columns(shown))
    for name in dice.sample(sorted(set(calm) - set(shown)), 3):
        (both,) = stalls(columns({**shown, name: calm[name]}))
        assert (both.onset, both.end, both.shape) == (alone[0].onset, alone[0].end, shape), name


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.seeds(1, 20)
def test_times_shift_and_loads_scale(shape: str, seed: int) -> None:
    shown = SHAPES[shape](random.Random(seed))
    (stall,) = stalls(columns(shown))
    shift = 12_345_678_901
    (moved,) = stalls(columns(shown, start=T0 + shift))
    assert moved.onset - stall.onset == shift
    larger = {name: [value * 37 for value in numbers] for name, numbers in shown.items()}
    (scaled,) = stalls(columns(larger))
    assert abs(scaled.onset - stall.onset) <= 2 * S
    assert stalls(columns(shown, order=-1)) == [replace(stall)]


def test_an_outage_by_too_many_connections_is_refused() -> None:
    dice = random.Random(5)
    (stall,) = stalls(
        columns(
            {
                "threads_running": around(dice, 3, _BEFORE) + [1.0] * _STALL + [3.0] * _AFTER,
                "qps": during(dice, 300, 4),
                "aborted_connects": during(dice, 0, 0)[:_BEFORE] + [50.0] * _STALL + [0.0] * _AFTER,
            }
        )
    )
    assert (stall.shape, stall.also) == ("refused", ("stopped",))


def test_connections_that_rise_to_their_limit_are_refused() -> None:
    rising = [50.0] * 60 + [151.0] * 40 + [60.0] * 40
    gathered = evidence(
        {
            "m": [gauge("metric.threads_connected", rising)],
            "v": [setting("max_connections", "151")],
        }
    )
    (stall,) = stalls(gathered)
    assert (stall.shape, stall.onset) == ("refused", T0 + 60 * S)
    pool = evidence(
        {
            "m": [gauge("metric.threads_connected", [151.0] * 140)],
            "v": [setting("max_connections", "151")],
        }
    )
    assert stalls(pool) == []  # a pool of clients that has as many connections as it may


def test_log_lines_alone_show_refused_clients() -> None:
    lines = [
        Event(
            line_first=at, line_last=at, kind="log", clock="utc", wall_us=T0 + at * S,
            message="Host 'web1' got 1040 (HY000): Too many connections",
        )
        for at in range(70, 90)
    ]  # fmt: skip
    calm = gauge("metric.threads_running", [3.0] * 140)
    (stall,) = stalls(evidence({"app.log": lines, "m": [calm]}))
    assert (stall.shape, stall.onset, stall.end) == ("refused", T0 + 70 * S, T0 + 89 * S)


@pytest.mark.parametrize("length", [10, 40, 60])
@pytest.mark.parametrize(
    ("name", "usual", "inside"), [("qps", 9000, 90), ("threads_running", 20, 220)]
)
def test_the_onset_of_a_slow_ramp_is_where_it_begins(
    name: str, usual: float, inside: float, length: int
) -> None:
    """Thresholds are crossed late on a ramp; a plateau at the new level follows."""
    dice = random.Random(length)
    ramp = [usual + (inside - usual) * step / length for step in range(1, length + 1)]
    values = around(dice, usual, 90) + ramp + around(dice, inside, 60) + around(dice, usual, 30)
    (stall,) = stalls(columns({name: values}))
    assert abs(stall.onset - (T0 + 90 * S)) <= 5 * S


@pytest.mark.parametrize("share", [0.2, 0.24, 0.28, 0.4])
def test_work_that_slows_down_first_stops_where_it_stops(share: float) -> None:
    """A plateau of slow work, near the limit of a fall, does not move the onset of the stop."""
    dice = random.Random(7)
    slow = around(dice, share * 25e3, 26, 0.25)
    values = around(dice, 25e3, 60, 0.2) + slow + around(dice, 300, 70, 0.5)
    (stall,) = stalls(columns({"qps": [*values, *around(dice, 25e3, 20, 0.2)]}))
    assert (stall.shape, abs(stall.onset - (T0 + 86 * S)) <= 5 * S) == ("stopped", True)


def test_a_ramp_up_before_a_collapse_is_no_baseline() -> None:
    up = [19e3, 71e3, 95e3, 102e3, 101e3]
    down = [95e3 * 0.8**step for step in range(30)]
    (stall,) = stalls(columns({"qps": up + down}))
    assert abs(stall.onset - (T0 + 5 * S)) <= 3 * S
    assert stall.end is None


def _day(dice: random.Random, count: int) -> Columns:
    load = [1.2 + math.sin(at * 2 * math.pi / count) for at in range(count)]
    return {
        "qps": [max(0.0, dice.gauss(800 * level, 60)) for level in load],
        "threads_running": [max(1.0, dice.gauss(6 * level, 2)) for level in load],
        "avg_latency": [max(0.5, dice.gauss(6, 1)) for _ in load],
    }


def _bursts(dice: random.Random, count: int) -> Columns:
    on = [at // 12 % 2 for at in range(count)]
    return {
        "qps": [dice.gauss(1500, 100) if busy else dice.gauss(40, 5) for busy in on],
        "threads_running": [dice.gauss(9, 2) if busy else dice.gauss(2, 0.5) for busy in on],
    }


def _batch(dice: random.Random, count: int) -> Columns:
    third = count // 3
    return {
        "qps": around(dice, 500, third) + around(dice, 6000, third) + around(dice, 500, third),
        "threads_running": around(dice, 3, third)
        + around(dice, 40, third)
        + around(dice, 3, third),
    }


def _ends(dice: random.Random, count: int) -> Columns:
    half = count // 2
    return {
        "qps": around(dice, 4000, half) + around(dice, 3, half),
        "threads_running": around(dice, 16, half) + [1.0] * half,
        "threads_connected": [40.0] * half + [3.0] * half,
    }


def _tail(dice: random.Random, count: int) -> Columns:
    return {
        "qps": [dice.lognormvariate(6, 0.35) for _ in range(count)],
        "threads_running": [1 + dice.expovariate(0.25) for _ in range(count)],
        "latency_p95": [dice.lognormvariate(1, 0.6) for _ in range(count)],
        "aborted_connects": [dice.random() * 0.5 for _ in range(count)],
        "errors": [float(dice.random() < 0.02) for _ in range(count)],
    }


@pytest.mark.parametrize("load", [_day, _bursts, _batch, _ends, _tail])
@pytest.mark.seeds(2, 100)
def test_healthy_loads_are_silent(load: Callable[[random.Random, int], Columns], seed: int) -> None:
    dice = random.Random(seed)
    assert stalls(columns(load(dice, dice.choice([240, 600, 900])))) == []


def test_a_load_that_came_and_went_is_no_stop() -> None:
    dice = random.Random(3)
    assert (
        stalls(columns({"qps": around(dice, 4, 30) + around(dice, 900, 60) + around(dice, 4, 60)}))
        == []
    )


@pytest.mark.parametrize(
    ("reads", "after", "is_stall"), [(0.2, 250, True), (1.0, 250, False), (0.2, 0, False)]
)
def test_dumps_alone_show_that_rows_change_no_more(
    reads: float, after: float, is_stall: bool
) -> None:
    """Statements behind a metadata lock wait in no dump; a job that ends is no stall."""
    dice = random.Random(3)
    updates = [*around(dice, 250, _BEFORE), *[0.0] * _STALL, *around(dice, after, _AFTER)]
    shown = {
        "innodb.row_updates_per_s": updates,
        "innodb.row_reads_per_s": during(dice, 1300, 1300 * reads),
        "innodb.active_transactions": around(dice, 1, _LENGTH),
    }
    gathered = evidence({"dumps": [gauge(name, values) for name, values in shown.items()]})
    assert [stall.shape for stall in stalls(gathered)] == ["stopped"] * is_stall


def test_a_restart_is_no_stall() -> None:
    dice = random.Random(3)
    values: dict[str, Sequence[float]] = {
        "qps": during(dice, 900, 3),
        "uptime": [*range(1000, 1000 + _BEFORE), *range(1, _STALL + _AFTER + 1)],
    }
    assert stalls(columns({name: list(numbers) for name, numbers in values.items()})) == []


@pytest.mark.parametrize("pause", [16, 45])
@pytest.mark.parametrize(("answered", "is_stall"), [(30, True), (None, False)])
def test_a_pause_of_the_collector_in_which_the_server_did_nothing(
    answered: int | None, pause: int, is_stall: bool
) -> None:
    """What the counter shows after the pause tells a server that hung from a collector that did."""
    steps = [300] * 40 + [answered or 300 * pause] + [300] * 40
    times = [T0 + i * S for i in range(41)] + [T0 + (40 + pause + i) * S for i in range(41)]
    counted = Samples(
        series="mysql.Queries",
        kind="counter",
        unit=None,
        clock="utc",
        wall_us=times,
        values=[float(value) for value in itertools.accumulate(steps, initial=1000)],
        lines=list(range(1, 83)),
        labels=(),
        host=None,
    )
    found = stalls(evidence({"ext": [counted]}))
    assert [(stall.onset, stall.end, stall.shape) for stall in found] == (
        [(T0 + 41 * S, T0 + (40 + pause) * S, "stopped")] if is_stall else []
    )
    assert all(stall.baseline is not None for stall in found)  # what was before the pause


def test_lost_samples_are_no_stall() -> None:
    dice = random.Random(3)
    first, second = around(dice, 900, 60), around(dice, 900, 60)
    gathered = evidence(
        {"m": [gauge("metric.qps", first), gauge("metric.qps", second, start=T0 + 600 * S)]}
    )
    assert stalls(gathered) == []


def test_statements_that_fail_for_want_of_space_are_a_stall_of_errors() -> None:
    """Sessions are calm: each statement fails at once."""
    line = "Disk is full writing '/tmp/MYfd77' (Errcode: 28 - No space left on device)"
    lines = [
        Event(
            line_first=n + 1, line_last=n + 1, kind="log", severity="error", message=line,
            wall_us=T0 + (_BEFORE + n) * S, clock="utc",
        )
        for n in range(30)
    ]  # fmt: skip
    calm = [gauge("metric.threads_running", [5.0] * _LENGTH)]
    (stall,) = stalls(evidence({"metrics": calm, "error.log": lines}))
    assert (stall.shape, stall.onset) == ("refused", T0 + _BEFORE * S)
    assert "failed" in stall.note


def test_a_moment_s_fall_beside_a_long_one_is_no_pattern() -> None:
    """A debugger stops the server for a second, four times; the collapse is none of these."""
    dice = random.Random(4)
    work = around(dice, 900, 100) + around(dice, 20, 60) + around(dice, 900, 60)
    for second in (30, 60, 180, 200):
        work[second] = 40.0
    (stall,) = stalls(columns({"qps": work}))
    assert stall.shape == "stopped"
    assert abs(stall.onset - (T0 + 100 * S)) <= 2 * S


def test_a_pileup_that_falters_begins_where_it_began() -> None:
    rising = [11.0, 11, 19, 28, 15, 6, 9, 9, 9, 9, 21, 42, 55, 61]
    running = [1.0, 0, 2, 4] * 15 + rising + [60.0] * 40 + [1.0, 0, 2, 4] * 10
    (stall,) = stalls(columns({"threads_running": running}))
    assert stall.onset == T0 + 60 * S


def _dump(at_s: float, waiting: float) -> Samples:
    return gauge("innodb.semaphore_waits", [waiting], start=T0 + round(at_s * S))


@pytest.mark.parametrize(
    ("sessions", "dumps", "shown"),
    [
        (False, [_dump(30, 13)], True),
        (True, [_dump(30, 13)], False),
        (True, [_dump(90, 13)], True),
        (True, [_dump(30, 13), _dump(40, 13)], True),
    ],
)
def test_a_crowd_of_one_moment_is_none_where_the_sessions_go_on(
    sessions: bool, dumps: list[Samples], shown: bool
) -> None:
    """A busy server has such moments: what lasts, or what no series covers, is a stall."""
    dice = random.Random(1)
    running = [gauge("mysql.Threads_running", around(dice, 12, 60, 0.3))] if sessions else []
    assert bool(stalls(evidence({"m": running, "d": dumps}))) is shown


@pytest.mark.parametrize("series", ["sar.tps", "iostat.tps", "metric.tps"])
def test_transfers_of_a_disk_are_no_work_of_the_server(series: str) -> None:
    dice = random.Random(2)
    disk = gauge(series, during(dice, 900, 40), labels=(("device", "vda"),))
    assert not stalls(evidence({"m": [disk]}))
    work = gauge("metric.tps", during(dice, 900, 40))
    assert [stall.series for stall in map(_signal, stalls(evidence({"m": [disk, work]})))] == [
        "metric.tps"
    ]


def _signal(stall: Stall) -> Signal:
    assert stall.signal is not None
    return stall.signal
