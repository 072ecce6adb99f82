"""Clocks, series, and rules that choose among levels: direct calls with rivals, and a tie."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from pileup.analysis.blocked_time import roots
from pileup.analysis.clock import connection_numbers, uptimes
from pileup.analysis.evidence import series
from pileup.analysis.evidence.context import Server
from pileup.analysis.findings import latch_counts, storms
from pileup.analysis.findings.rules import memory, statements
from pileup.analysis.stalls import detection
from pileup.analysis.stalls.indicators import Signal
from pileup.records import Deadlock, DeadlockTrx, Event
from tests.analysis.frames import T0, S, evidence, frames, gauge
from tests.analysis.turning.rules import stall
from tests.analysis.turning.tools import always, given, instead, level


def starts_by_time() -> object:
    late, early = gauge("mysql.Uptime", [9.0], start=T0 + S), gauge("mysql.Uptime", [9.0])
    found = evidence({"a": [late], "c": [early], "b": [early]}).frame("sample")
    assert found is not None
    turned = found.sort("artifact", descending=True)
    return [(each.artifact[0], each.first) for each in uptimes.starts(turned)]


def nearest_start() -> object:
    known = [uptimes.Start(name, None, at * S, T0, T0) for name, at in (("b", 2), ("a", 2))]
    known = [uptimes.Start("c", None, 4 * S, T0, T0), *known]
    own = [gauge("mysql.Uptime", [0.0, 1.0, 9.0], start=0, clock="relative")]
    samples = frames(*own)["sample"].with_columns(artifact=pl.lit("x")).reverse()
    with instead(uptimes, _APART_S=1e12):
        found = uptimes.base_of(samples, known)
    return found and (found[0], found[1].artifact)


def logged_starts() -> object:
    message = "mysqld (mysqld 8.0.42) starting as process 4197"
    lines = {
        name: [Event(line_first=1, line_last=1, kind="restart", message=message, clock="utc",
                     wall_us=T0 + at * S)]
        for name, at in (("a", 5), ("c", 1), ("b", 1))
    }  # fmt: skip
    events = evidence(lines).frame("event")
    assert events is not None
    turned = events.sort("artifact", descending=True)
    return [(each.artifact[0], each.first) for each in uptimes.logged_starts(turned)]


def rising_numbers() -> object:
    points = [connection_numbers._Point(n, at) for n, at in ((7, 3), (5, 1), (6, 1), (8, 4))]
    return connection_numbers._rising(points)


def zero_of_counts() -> object:
    """The latest of the earliest moments, and the earliest of the latest, but for those astray."""
    points = [
        connection_numbers._Point(n, at * S) for n, at in enumerate((0, 1, 2, 4, 5, 8, 9, 11))
    ]
    counted = [(1, 1), (2, 2), (3, 5), (4, 4), (5, 8), (6, 7)]
    return connection_numbers._zero([(n, at * S) for n, at in counted], points)


def seconds_seen() -> object:
    on = Signal("a", "a", "h", "concurrency", [T0 + at * S for at in (9, 1)], [1.0, 1.0])
    return detection._seen({"concurrency": on, "throughput": replace(on, times=[T0 + 5 * S])})


def deadlocks_per_minute() -> object:
    return storms._rate([T0 + at * S for at in (9, 1, 5, 2, 3)])


def ruled_by_uptime() -> object:
    printed = [gauge("mysql.Uptime", [100.0, 101.0, 109.0, 110.0], start=0, clock="relative")]
    rows = frames(*printed)["sample"]
    late = rows.with_columns(artifact=pl.lit("b"))
    return uptimes.rulers(pl.concat([late.reverse(), rows.with_columns(artifact=pl.lit("a"))]))


def rates_without_times() -> object:
    counted = [gauge("m.x", [1.0, 4.0, 9.0], start=0, clock="relative", kind="counter")]
    rows = evidence({"b": counted, "a": counted}).frame("sample")
    assert rows is not None
    turned = rows.sort("artifact", "wall_us", descending=True)
    return series._untimed_rates(turned).select("artifact", "value")


def most_read() -> object:
    levels = [level("Handler_read_next", 50.0, before=10.0), level("Rows_read", 90.0, before=9.0)]
    found = statements._rows_read(stall(levels_named=always(levels)))
    return found and found.series


def uneven_nodes() -> object:
    def levels(names: Any) -> list[Any]:
        values = {"size": (100.0, 100.0, 100.0), "free": (50.0, 1.0, 90.0)}[names[0]]
        return [
            level(names[0], value, collector="numactl", labels=f"node={n}")
            for n, value in enumerate(values)
        ]

    found = memory._nodes(stall(levels_named=levels))
    return found and [each.labels for each in found]


def node_of_a_process() -> object:
    levels = [
        level("private", value, collector="numastat", labels=f"node={n}")
        for n, value in enumerate((5.0, 95.0))
    ]
    found = memory._of_process(stall(levels_named=always(levels)))
    return found and found[0].labels


def longest_stay() -> object:
    known: Any = given(times=[T0 + n * S for n in range(9)])
    return roots.Roots._stood(known, {5: 1.0, 3: 1.0, 4: 1.0, 2: 1.0})


def last_reading() -> object:
    rows = pl.DataFrame(
        {
            "artifact": ["b", "a", "a", "a"], "series": ["m.os_waits"] * 4,
            "labels": ["x", "y", "x", "x"], "value": [1e6, 9e6, 2e6, 3e6],
            "line_first": [1, 9, 5, 2],
        }
    )  # fmt: skip
    known: Any = stall(
        context=given(evidence=given(frame=always(rows), path=always("a")), server=Server())
    )
    with instead(latch_counts, _latch_of=lambda label, _: label, latches=" ".join):
        sleeps = latch_counts.sleeps_since_start(known)
        return latch_counts._since_start(known, sleeps[::-1], {"x", "y"}).text, sleeps


def modes_without_types() -> object:
    met: list[str] = []
    known = given(latch_for=always(None))
    with instead(latch_counts, _wait=lambda mode, *_: met.append(mode), knowledge=always(known)):
        latch_counts._latch_of("latch=x", Server())
    return met


def numbered(*numbers: int) -> object:
    """Deadlocks in another order than their numbers; a counter that stood still for a dump."""
    printed = gauge("innodb.trx_id_counter", [100, 300, 200, 200, 400], host="db1")
    deadlocks = [
        Deadlock(
            line_first=n, line_last=n, host="db1",
            transactions=(DeadlockTrx(number=1, trx_id=str(number)),),
        )
        for n, number in enumerate(numbers, start=1)
    ]  # fmt: skip
    return evidence({"log": deadlocks, "dumps": [printed]}).frames["deadlock"]["time"].to_list()


ORDERED: dict[str, Any] = {
    "clock.transaction_numbers with_times": lambda: numbered(350, 150, 250),
    "blocked_time.roots Roots._stood": longest_stay,
    "clock.uptimes base_of": nearest_start,
    "clock.connection_numbers _rising": rising_numbers,
    "clock.connection_numbers _zero": zero_of_counts,
    "clock.uptimes logged_starts": logged_starts,
    "clock.uptimes rulers": ruled_by_uptime,
    "findings.storms _rate": deadlocks_per_minute,
    "stalls.detection _seen": seconds_seen,
    "clock.uptimes starts": starts_by_time,
    "evidence.series _untimed_rates": rates_without_times,
    "findings.latch_counts _latch_of": modes_without_types,
    "findings.latch_counts _since_start": last_reading,
    "findings.latch_counts sleeps_since_start": last_reading,
    "findings.rules.memory _nodes": uneven_nodes,
    "findings.rules.memory _of_process": node_of_a_process,
    "findings.rules.statements _rows_read": most_read,
}
