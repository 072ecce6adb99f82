"""Small functions that sort what they are given: rivals in the wrong order, and a tie."""

from __future__ import annotations

import itertools
from typing import Any
from unittest import mock

import polars as pl

from pileup.analysis.captures import recurrence, stretches
from pileup.analysis.clock import host_names, years
from pileup.analysis.compare import differences, overlay, time_classes, trial
from pileup.analysis.evidence import (
    compact_samples,
    downsample,
    duplicate_dumps,
    levels,
    scene,
    servers,
)
from pileup.analysis.reasoning import matrix, pin_value
from pileup.analysis.stacks import flame, hot_stacks
from pileup.analysis.stalls import detection, stops
from pileup.analysis.story import compose
from pileup.records import Frame, Snapshot, Stack
from tests.analysis.frames import T0, S, evidence, gauge, setting
from tests.analysis.turning.tools import always, given, instead


def onsets_of_hosts() -> object:
    at = ("22:09", "22:30", "22:00", "22:10", "22:01")
    episodes: Any = [
        given(stall=given(host=host, onset=f"2026-11-20T{time}:00Z"))
        for host, time in zip("abaca", at, strict=True)
    ]
    return recurrence._apart(episodes)


def common_causes() -> object:
    """Two causes as often as each other: that of the leading stall; else the last by its name."""

    def common(*causes: str | None, leading: int = 0) -> object:
        episodes: Any = [
            given(id=f"e{n}", same_as=None, finding=cause, leading=n == leading)
            for n, cause in enumerate(causes)
        ]
        with instead(recurrence, _apart=always([5.0, 2.0]), _text=always("")):
            return recurrence.recurrence([], episodes, {}).finding

    return [
        common("z", "a", "a"),
        common("a", "z", "z", "a"),
        common("m", "a", "z", "z", "a"),
        common(None, "a"),
    ]


def regular_steps() -> object:
    steps = [1, 1, 9, 1, 1, 1, 1, 9, 1, 1]
    seconds = list(itertools.accumulate(steps, initial=0))
    return [stretches._is_regular(seconds, interval) for interval in (0.4, 0.5, 4.5)]


def holes_of_a_capture() -> object:
    members: Any = [given(seconds=(900, 901, 902)), given(seconds=(0, 1, 2, 901, 3))]
    with instead(stretches, _typical_silence=always(0.0)):
        return [(each.start // S, each.end // S) for each in stretches.holes(members)]


def middles_of_ranges() -> object:
    return [years._middle([(8, 10), (0, 2), (5, 7)]), years._middle([])]


def qualified_names() -> object:
    names = {"db1", "db1.eu", "db1.eu.example", "db2.us", "db2.eu", "db2"}
    return sorted(host_names._qualified(names).items())


def spellings_of_hosts() -> object:
    names = ["db1.example:3306", "db1.example", "db1", "z.example", "z"]
    return [
        sorted(host_names.spellings(names).items()),
        sorted(host_names.spellings(names, ["z.example", "db1.example", "db1"]).items()),
    ]


def points_of_an_overlay() -> object:
    at = [9, 3, 6, 0, 1, 8]
    rows = pl.DataFrame({"time": [T0 + n * S for n in at], "value": [float(n) for n in at]})
    with instead(overlay, POINTS=4):
        return overlay._points(rows, T0)


def _run(*rows: tuple[str, str | None, int]) -> Any:
    """A run with samples: series, host and how many."""
    listed = [
        {"id": f"{series}@{host}", "series": series, "host": host, "labels": "",
         "time": T0 + n * S, "value": 1.0}
        for series, host, many in rows for n in range(many)
    ]  # fmt: skip
    return given(values=pl.DataFrame(listed), span=None, work=None)


def fullest_ids() -> object:
    run = _run(("a.qps", "h", 1), ("z.qps", "h", 3), ("b.qps", "h", 3), ("c.qps", None, 2))
    fullest = trial._ids(run)
    run.work = "a.qps"
    return fullest, trial._ids(run)


def busiest_host() -> object:
    """Of two hosts with as many running sessions, the first."""
    worst = {"a": 5.0, "b": 9.0, "c": 9.0}
    ids = {name: {host: f"{name} {host}" for host in ("c", "b", "a")}
           for name in ("threads_running", "qps")}  # fmt: skip
    run: Any = given()

    def at_worst(_: object, running: str, rate: str, __: float) -> Any:
        return given(running=worst[running[-1]], of=(running, rate))

    with instead(trial, _at_worst=at_worst):
        found: Any = trial._inside(run, ids, "qps")
    return found.of


def rows_of_a_run() -> object:
    run = given(
        values=pl.DataFrame({"id": ["a", "b", "a"], "time": [9, 5, 1], "value": [1.0, 2.0, 3.0]})
    )
    return trial._rows(run, "a")


def pieces_of_series() -> object:
    rows = pl.DataFrame({"id": pl.Series(["c", "a", "b", "a", "c"], dtype=pl.Categorical),
                         "n": [1, 2, 3, 4, 5]})  # fmt: skip
    with instead(compact_samples, _ROWS=2):
        return [piece["n"].to_list() for piece in compact_samples.by_series(rows)]


def distinct_rows() -> object:
    rows = pl.DataFrame({"a": ["z", "a", "z", "b"], "b": [1, 2, 1, 4]})
    return compact_samples.distinct(rows, "a")


def _turned() -> pl.DataFrame:
    return pl.DataFrame({"artifact": ["b", "a", "b", "a", "a"],
                         "time": [8 * S, 4 * S, 6 * S, 2 * S, 9 * S],
                         "value": [9.0, 7.0, 5.0, 3.0, 8.0]})  # fmt: skip


def rates_in_time() -> object:
    return downsample.rates(_turned())


def values_in_time() -> object:
    return downsample.values_of(_turned(), "gauge")


def breaks_in_time() -> object:
    buckets = downsample.buckets_of(
        pl.DataFrame({"time": [n * S for n in (0, 1, 2, 90, 91)], "value": [1.0] * 5})
    )
    return downsample.with_breaks(buckets, S).select("time", "n")


def samples_of_dumps() -> object:
    frame = pl.DataFrame({"artifact": ["a"] * 5, "line_first": [25, 3, 14, 8, 40]})
    gone = pl.DataFrame({"artifact": ["a", "a"], "snapshot": [2, 1], "line_first": [20, 1],
                         "line_last": [29, 9]})  # fmt: skip
    return duplicate_dumps._drop("sample", frame, gone)


def fullest_level() -> object:
    listed = [given(points=n, labels="", series=name) for name, n in
              (("a", 1), ("b", 9), ("c", 9), ("d", 4))]  # fmt: skip
    found: Any = levels.Levels.first(given(named=always(listed)), "x")  # type: ignore[arg-type]
    return found.series


def averages_by_id() -> object:
    frame = pl.DataFrame(
        {"id": ["b", "a", "a"], "artifact": ["x", "z", "y"], "series": ["s"] * 3,
         "labels": [""] * 3, "value": [1.0, 2.0, 3.0], "host": [None, None, None]}
    )  # fmt: skip
    context: Any = given(evidence=given(frame=always(None)), host=None)
    with instead(levels, averages_since_start=always(frame)):
        return [(each.id, each.inside) for each in levels._averages(context, ())]


def fullest_dump() -> object:
    """In one second the dump with most waits; of equals the first."""
    dumps = [
        Snapshot(line_first=n, line_last=n, kind="innodb_status", snapshot=n, wall_us=T0 + n,
                 clock="utc")
        for n in range(4)
    ]  # fmt: skip
    found = evidence({"a": dumps})
    with instead(scene, _size=lambda _, row: {1: 5, 2: 5}.get(row["snapshot"], 0)):
        row: Any = scene._nearest_snapshot(found, T0, None)
    return row["snapshot"]


def room_for_stacks() -> object:
    return [scene._most_each([9, 1, 5], budget) for budget in (15, 14, 11, 7, 3, 1)]


def settings_by_name() -> object:
    rows = [setting(name, value) for name, value in (("port", "1"), ("a", "2"), ("m", "3"))]
    more = [setting("a", "4")]
    found = evidence({"z": rows, "y": more})
    turned = mock.Mock(frame=lambda kind: found.frames[kind].with_columns(
        source=pl.Series(["z", "q", "b", "q"])))  # fmt: skip
    return [(each.name, each.source) for each in servers.settings(turned)]


def settings_by_nearness() -> object:
    """Of the places that print a value, that of the nearest file."""
    row = {"host": "h", "name": "n", "value": "1", "source": "variables", "line_first": 1}
    frame = pl.DataFrame([{**row, "artifact": name} for name in "abcd"])
    found = servers._nearest_first(frame, {"a": 1, "b": 2, "c": 3, "d": 0})
    return [each.artifact for each in found]


def ranks_of_hypotheses() -> object:
    rows: Any = [given(id="r", weight=1.0)]
    columns: Any = [given(id=name) for name in "abcd"]
    points = {("r", "a"): -2.0, ("r", "b"): 1.0, ("r", "c"): -1.0, ("r", "d"): None}
    found = matrix._scores(rows, columns, points, set())
    return [(name, score.rank) for name, score in found.items()]


def pinned_series() -> object:
    samples = pl.DataFrame({"id": ["a"] * 4, "time": [T0 + n * S for n in (3, 1, 2, 1)],
                            "value": [5.0, 9.0, 1.0, 2.0], "unit": [None] * 4})  # fmt: skip
    found = pin_value.value_of_series(samples, ["a"])
    return found.text, found.hash


def _node(name: str, total: int, *children: Any) -> Any:
    return given(name=name, total=[total, 0], self_=[0, 0],
                 children={each.name: each for each in children})  # fmt: skip


def widest_nodes() -> object:
    root = _node("all", 20, _node("b", 3), _node("z", 9), _node("a", 3), _node("c", 1))
    found = []
    for most in (9, 3, 2):
        with instead(flame, MOST_NODES=most):
            nodes, pruned = flame._flat(root)
        found.append([[node.name for node in nodes], pruned])
    return found


def kinds_of_events() -> object:
    names = ["cycles", "faults", "faults", None, "a", "a"]
    return flame.events(pl.DataFrame({"event": names, "count": [1] * 6}))


def frequent_stacks() -> object:
    def stack(line: int, count: int, name: str) -> Stack:
        return Stack(line_first=line, line_last=line, wall_us=T0, clock="utc", snapshot=0,
                     count=count, frames=(Frame(function=name),))  # fmt: skip

    found = evidence({"a": [stack(1, 2, "z"), stack(2, 5, "m"), stack(3, 2, "a")]})
    return [(each.stack, each.threads) for each in hot_stacks.hot_stacks(found, None)]


def restarts_in_time() -> object:
    falls = gauge("mysql.Uptime", [90.0, 91.0, 3.0, 4.0, 1.0])
    found = evidence({"b": [falls], "a": [gauge("mysql.Uptime", [7.0, 2.0])]})
    turned = found.frames["sample"].reverse()
    known: Any = given(frame=lambda kind: turned if kind == "sample" else None)
    return [(host, [at - T0 for at in times])
            for host, times in detection._restart_times(known).items()]  # fmt: skip


def load_that_was_so_before() -> object:
    earlier = [*[10.0] * 5, 1.0, 1.0, *[10.0] * 13]
    return [stops._was_so_before(earlier, during, 10.0) for during in (0.0, 0.5, 5.0)]


def fixes_in_turn() -> object:
    problem: Any = given(role="problem", verdict="found", id="f", mitigations=[3, 1, 2, 0])
    with instead(compose, _fix=lambda _, number: number, _turn=lambda number: number // 2):
        return compose._fixes([problem])


def hosts_by_name() -> object:
    found = evidence({"a": [gauge("m.x", [1.0], host="z")], "b": [gauge("m.x", [1.0], host="a")],
                      "c": [gauge("m.x", [1.0], host="m")]})  # fmt: skip
    return differences._hosts(found)


def hosts_of_values() -> object:
    none: Any = given(frame=always(None))
    with instead(time_classes, hosts_of=always(["z", "a", "m"])):
        return time_classes._hosts(none, pl.DataFrame())


ORDERED: dict[str, Any] = {
    "captures.recurrence _apart": onsets_of_hosts,
    "captures.recurrence recurrence": common_causes,
    "captures.stretches _is_regular": regular_steps,
    "captures.stretches holes": holes_of_a_capture,
    "clock.host_names _qualified": qualified_names,
    "clock.host_names spellings": spellings_of_hosts,
    "clock.years _middle": middles_of_ranges,
    "compare.differences _hosts": hosts_by_name,
    "compare.overlay _points": points_of_an_overlay,
    "compare.time_classes _hosts": hosts_of_values,
    "compare.trial _ids": fullest_ids,
    "compare.trial _inside": busiest_host,
    "compare.trial _rows": rows_of_a_run,
    "evidence.compact_samples by_series": pieces_of_series,
    "evidence.compact_samples distinct": distinct_rows,
    "evidence.downsample rates": rates_in_time,
    "evidence.downsample values_of": values_in_time,
    "evidence.downsample with_breaks": breaks_in_time,
    "evidence.duplicate_dumps _drop": samples_of_dumps,
    "evidence.levels Levels.first": fullest_level,
    "evidence.levels _averages": averages_by_id,
    "evidence.scene _most_each": room_for_stacks,
    "evidence.scene _nearest_snapshot": fullest_dump,
    "evidence.servers _distinct": settings_by_name,
    "evidence.servers _nearest_first": settings_by_nearness,
    "reasoning.matrix _scores": ranks_of_hypotheses,
    "reasoning.pin_value value_of_series": pinned_series,
    "stacks.flame _flat": widest_nodes,
    "stacks.flame events": kinds_of_events,
    "stacks.hot_stacks hot_stacks": frequent_stacks,
    "stalls.detection _restart_times": restarts_in_time,
    "stalls.stops _was_so_before": load_that_was_so_before,
    "story.compose _fixes": fixes_in_turn,
}
