"""Captures, clocks and comparisons that sort: rivals in the wrong order, and a tie."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from pileup.analysis.captures import case, shares, stretches
from pileup.analysis.clock import (
    anchoring,
    gather,
    hosts,
    offsets,
    session_shapes,
    years,
    zone_evidence,
)
from pileup.analysis.compare import (
    compared_tables,
    differences,
    fleet,
    sides_comparison,
    table_changes,
    time_classes,
    trial,
)
from pileup.analysis.contract import TrialDoc
from pileup.analysis.evidence.context import Span
from pileup.records import Table
from tests.analysis.frames import T0, S, artifact, evidence, gauge, setting
from tests.analysis.turning.tools import always, given, instead

_DAY = 86_400 * S


def nearest_captures() -> object:
    def capture(name: str, host: str | None, at: int | None) -> Any:
        span = None if at is None else Span(T0 + at * S, T0 + (at + 9) * S)
        found = given(id=name, hosts={host}, span=span)
        found.apart = lambda other: max(0, span.start - other.end, other.start - span.end)
        return found

    captures = [
        capture("far", "a", 900),
        capture("b", "b", 0),
        capture("none", "a", None),
        capture("near", "a", 70),
        capture("as near", "a", 42),
        capture("z", "z", 60),
    ]
    corrections: Any = [
        given(host=host, computed_onset=T0 + 60 * S + off)
        for host, off in (("a", 500_000), ("a", 0), ("b", 0), ("x", 0), (None, 0))
    ]
    return {
        name: [corrections.index(each) for each in mine]
        for name, mine in case._by_capture(corrections, captures).items()
    }


def same_stalls() -> object:
    """A coarse and a dense capture of one stall, either of which may come first."""
    intervals = (60.0, 1.0, None, 15.0, 16.0)
    captures = [given(capture=given(interval_s=each)) for each in intervals]

    def linked(*of: tuple[int, str, int]) -> object:
        episodes = [
            given(
                examined=captures[number],
                same_as=None,
                stall=given(host=host, onset=at * S, span=Span(at * S, (at + 50) * S)),
            )
            for number, host, at in of
        ]
        case._mark_same(episodes)
        return [each.same_as and episodes.index(each.same_as) for each in episodes]

    return [
        linked((0, "a", 0), (1, "a", 40)),
        linked((1, "a", 0), (0, "a", 40)),
        linked((1, "a", 0), (0, "a", 110)),
        linked((1, "a", 0), (0, "a", 111)),
        linked((1, "a", 0), (3, "a", 40)),
        linked((4, "a", 0), (2, "a", 40), (4, "b", 60), (1, "a", 45)),
        linked((0, "a", 0), (0, "a", 40)),
    ]


def leading_episodes() -> object:
    """Of captures with stalls of several sizes, and without: which is judged, and which leads."""
    sizes = {3: 5.0, 9: 7.0, 1: 5.0, 4: 7.0, 6: 1.0}
    weights = {3: 0.5, 9: 0.5, 1: 0.2, 4: 0.5, 6: 0.9}

    def stall(at: int, kind: str = "stall") -> Any:
        return given(onset=T0 + at * S, kind=kind, host="a")

    names = ("b", "a", "c", "h", "g", "f", "e", "d", case.UNDATED)
    captures = [given(id=name, span=None, hosts=set()) for name in names]
    stalls = {
        "b": [stall(3), stall(9), stall(2, "recovery_burst")],
        "a": [stall(3), stall(1)],
        "c": [stall(6), stall(4)],
    }
    waiting = {"h": [1, 5], "g": [5, 2], "f": [9], "e": [0]}

    def examined(capture: Any, *_: Any) -> Any:
        mine = stalls.get(capture.id, [])
        return given(
            capture=capture,
            stalls=mine,
            real=[each for each in mine if each.kind == "stall"],
            every=[given(waiting=each) for each in waiting.get(capture.id, [])],
        )

    def second(each: Any) -> int:
        return int((each.onset - T0) // S)

    changes: dict[str, Any] = {
        "shares": lambda _, each: [(row, None) for row in each],
        "with_shared": lambda every, _: every,
        "examine": examined,
        "judge": lambda of, at, _: (of.capture.id, None if at is None else second(at)),
        "_neighbours": always(None),
        "_mark_same": always(None),
        "_size": lambda each: sizes[second(each)],
        "_weight": lambda each: weights[second(each.stall)],
    }
    answers = []
    for most in (3, 5):
        with instead(case, MOST_JUDGED=most, **changes):
            found: Any = case.examine_case(given(artifacts=()), (), given(settle=always(captures)))
        answers.append(
            [
                [(each.id, each.judged) for each in found.episodes],
                found.leading.id,
                found.whole,
                found.calm,
            ]
        )
    return answers


def findings_of_a_case() -> object:
    """The leading episode's come first; of others the highest score of each, symptoms last."""

    def finding(name: str, score: float, role: str = "problem") -> Any:
        verdict = "seen" if name in "ub" else "found"
        return given(id=name, score=score, role=role, verdict=verdict)

    def episode(name: str, *findings: Any) -> Any:
        return given(id=name, judged=given(findings=findings))

    whole = given(findings=[finding("own", 0.1), finding("b", 0.3)])
    found: Any = given(
        whole=whole,
        leading="e1",
        episodes=[
            episode("e1", finding("z", 0.5), finding("s", 0.9, "symptom"), finding("own", 0.1)),
            given(id="e2", judged=None),
            episode("e3", finding("a", 0.5), finding("z", 0.6), finding("y", 0.6)),
            episode("e4", finding("a", 0.4), finding("r", 0.95, "symptom"), finding("x", 0.6)),
        ],
        calm=[
            given(findings=[finding("a", 0.99), finding("u", 0.55)]),
            given(findings=[finding("u", 0.99), finding("v", 0.6)]),
        ],
    )

    def replaced(each: Any, episodes: list[str]) -> Any:
        return each.id, each.score, episodes

    with instead(case, msgspec=given(structs=given(replace=replaced))):
        led = case.findings(found)
        found.leading = None
        return [led, case.findings(found)]


def cut_of_a_file() -> object:
    times = [9, None, 3, 5, 4, None, 8]
    rows = pl.DataFrame(
        {"time": [None if at is None else T0 + at * S for at in times], "n": range(7)}
    )
    found = []
    for first, last in ((3, 8), (4, 8), (5, 5), (0, 9), (-9, 2)):
        kind: Any = given(_parts={("a", None): rows})
        span = Span(T0 + first * S, T0 + last * S)
        found.append(shares._Kind._cut(kind, ("a", None), span)["n"].to_list())
    return found


def seconds_of_records() -> object:
    found = evidence(
        {
            "z": [
                gauge("mysql.x", [1.0, None, 2.0], host="b"),
                gauge("mysql.y", [1.0, 2.0], host="a"),
            ],
            "a": [gauge("mysql.x", [1.0], start=T0 + 70 * S + 1, host="z")],
        }
    )
    return [(sha[0], host, at - T0 // S) for sha, host, at in stretches._seconds(found)]


def stretches_by_host() -> object:
    def files(name: str, host: str | None, start: int, many: int = 4) -> Any:
        return {
            name: [gauge("mysql.Threads_running", [1.0] * many, start=T0 + start * S, host=host)]
        }

    found = evidence(
        files("z", "b", 0)
        | files("y", "b", 0, 9)
        | files("m", "a", 2000)
        | files("c", None, 5000)
        | files("a", "a", 0)
        | files("b", "a", 0)
    )
    return [
        (
            each.host,
            (each.start - T0) // S,
            (each.end - T0) // S,
            sorted(n[0] for n in each.artifacts),
        )
        for each in stretches.stretches(found)
    ]


# ---- clocks ------------------------------------------------------------------------------------


def clearest_match() -> object:
    """Series that vary most are tried, up to four; the clearest of their votes is taken."""
    own = pl.DataFrame({"series": ["a", "b", "c", "d", "e", "f"]})
    spreads = {"a": 0.5, "b": 0.9, "c": 0.1, "d": 0.7, "e": 0.5, "f": 0.02}
    seconds = list(range(15))
    mine = pl.DataFrame(
        [
            {"key": key, "second": at, "value": spread}
            for key, spread in spreads.items()
            for at in seconds[: 14 if key == "d" else 15]
        ]
    )
    reference: Any = given(frame=pl.DataFrame({"key": list("fedcba"), "host": [None] * 6}))
    votes = {"a": (0.9, 0.4), "b": (0.85, 0.2), "c": (0.99, 0.0), "e": (0.9, -0.5)}
    tried: list[str] = []

    def best(left: pl.DataFrame, *_: Any) -> Any:
        key = left["key"][0]
        tried.append(key)
        r, second = votes[key]
        return given(is_clear=True, r=r, second=second, key=key)

    with instead(
        anchoring,
        _PAIRS=3,
        _keys=always({name: name for name in spreads}),
        _relative=always(pl.lit(1)),
        _per_second=always(mine),
        _variation=lambda values: values[0],
        _best=best,
    ):
        found: Any = anchoring.match(own, reference, None, None)
    return [tried, found.key]


def fullest_of_the_others() -> object:
    """The fullest series of the reference is compared; of equals the last by its name."""
    wave = [float((n * n) % 17) for n in range(60)]

    def rows(name: str, series: str, lag: int, many: int) -> list[dict[str, object]]:
        return [
            {"artifact": name, "series": series, "second": 1000 + lag + n, "value": wave[n]}
            for n in range(many)
        ]

    left = pl.DataFrame(
        [{"series": "mine", "second": 5 + n, "value": value} for n, value in enumerate(wave[:30])]
    )

    def found(*of: tuple[str, str, int, int], near: tuple[int, int] | None = None) -> object:
        right = pl.DataFrame([row for each in of for row in rows(*each)])
        match = anchoring._best(left, right, near)
        return (
            None
            if match is None
            else (
                match.series,
                match.other,
                match.artifact,
                match.base_us,
                round(match.r, 6),
                round(match.held, 6),
                round(match.second, 6),
                match.points,
            )
        )

    one, more = ("a", "x", 0, 50), ("b", "y", 300, 60)
    return [
        found(more, one, near=(1300 * S, 20 * S)),
        found(one, ("a", "w", 9, 50), ("0", "z", 4, 50)),
        found(one, near=(1002 * S, 20 * S)),
        found(one, near=(1300 * S, 20 * S)),
        found(("a", "x", 0, 20)),
    ]


def copies_of_a_file() -> object:
    first = replace(artifact("z"), copies=("m", "c"), problems=("first",))
    second = replace(artifact("a"), copies=("k",), problems=("second",))
    return [
        (each.path, each.copies, each.problems)
        for each in (gather._with_copies(first, second), gather._with_copies(second, first))
    ]


def files_by_path() -> object:
    found = evidence(
        {
            "z": [gauge("mysql.x", [1.0]), setting("port", "1")],
            "m": [setting("port", "2")],
            "a": [setting("port", "3"), gauge("mysql.x", [3.0])],
        }
    )
    return [
        [each.path for each in found.artifacts],
        list(found.frames),
        found.frames["setting"]["value"].to_list(),
        found.frames["sample"]["value"].to_list(),
    ]


def servers_by_name() -> object:
    printed = {
        sha: {name} for sha, name in (("1", "db2.eu"), ("2", "db2"), ("3", "db1"), ("4", "db1.eu"))
    }
    printed["5"] = {"db1", "db2"}
    settings = {
        "1": {"server_uuid": {"x"}},
        "2": {"server_uuid": {"y"}},
        "3": {"server_uuid": {"v"}},
        "4": {"server_uuid": {"w"}},
    }
    names = {name for group in printed.values() for name in group}
    same = dict.fromkeys(("db2", "db2.eu"), "db2.eu") | dict.fromkeys(("db1", "db1.eu"), "db1.eu")
    with instead(hosts.host_names, spellings=always(same)):
        return [sorted(each) for each in hosts._different_servers({}, printed, settings, names)]


def renamed_hosts() -> object:
    """A note names the first of the names that a file prints and that were not kept."""
    files = {
        "a": [gauge("mysql.x", [1.0], host=name) for name in ("db1", "db2", "db1.eu", "db3")],
        "b": [gauge("mysql.x", [1.0], host=name) for name in ("db2.eu", "db3.eu", "127.0.0.1")],
        "c": [gauge("mysql.x", [1.0], host="db2")],
    }
    _, same, notes = hosts.spelled_once(
        {
            "sample": pl.concat(
                [evidence({name: each}).frames["sample"] for name, each in files.items()]
            )
        },
        {},
    )
    return [sorted(same.items()), sorted(notes.items())]


def better_offsets() -> object:
    def offset(spread: float, anchors: int, name: str) -> Any:
        return given(dispersion_s=spread, anchors=anchors, name=name)

    pairs = [
        ((2.0, 9), (1.0, 9)),
        ((1.0, 9), (2.0, 9)),
        ((1.0, 4), (1.0, 16)),
        ((1.0, 9), (1.0, 9)),
        ((0.0, 9), (0.05, 36)),
    ]
    found: list[Any] = [
        offsets._better(offset(*old, "old"), offset(*new, "new")) for old, new in pairs
    ]
    alone: Any = offset(1.0, 9, "alone")
    found += [offsets._better(None, alone), offsets._better(alone, None)]
    return [each.name for each in found]


def first_of_equal_counters() -> object:
    """Of counters that measure an offset as well, the first by name counts."""
    source: Any = given(artifact="mine")
    references: Any = [given(artifact="r2"), given(artifact="r1")]
    counters: Any = {
        "mine": {"b": 1, "z": 1, "a": 1},
        "r2": {"z": 1, "a": 1, "b": 1},
        "r1": {"a": 1},
    }
    messages = {"mine": {"x": 5 * S, "y": S}, "r1": {"x": 9 * S, "w": 1}}

    def measured(anchors: Any, what: str, reference: Any) -> Any:
        spread = {"z": 3.0, "the same log messages": 2.0}.get(what, 1.0)
        seconds = sum(anchors) / len(anchors) if anchors else 0.0
        return given(
            seconds=seconds, dispersion_s=spread, anchors=9, what=what, of=reference.artifact
        )

    def found(**changes: Any) -> object:
        with instead(offsets, _measured=measured, _anchors=always([7.0]), **changes):
            best: Any = offsets._against(source, references, counters, messages)
        return best and (best.what, best.of, best.seconds)

    return [
        found(is_explained=always(True)),
        found(is_explained=always(False)),
        found(is_explained=always(True), LEAST_S=7.0),
        found(is_explained=always(True), LEAST_S=7.5),
        found(is_explained=always(True), _MOST_SPREAD_S=1.0),
        found(is_explained=always(True), _MOST_SPREAD_S=0.5),
    ]


def thinned_seconds() -> object:
    values = {at: float(at) for at in (9, 2, 7, 4, 1)}
    found = []
    for most in (1, 2, 4, 5, 6):
        with instead(session_shapes, _MOST_POINTS=most):
            found.append(list(session_shapes._thinned(values)))
    return found


def nearest_years() -> object:
    """A time of 1972 in the year that is nearest; of two as near, the earlier."""
    at = [86_400 * S * day for day in (730, 730 + 59, 1095)]  # 1 January and 29 February 1972
    year = {n: 86_400 * S * (365 * (n - 1970) + (n - 1969) // 4) for n in (2024, 2025, 2026)}
    found = [
        years._nearest(first, ranges)
        for first in at
        for ranges in (
            [(year[2025], year[2026])],
            [(year[2026] - 5 * _DAY, year[2026] - 4 * _DAY)],
            [(year[2025] + 182 * _DAY, year[2025] + 183 * _DAY)],
            [(year[2026], year[2026] + _DAY), (year[2024], year[2024] + _DAY)],
        )
    ]
    return [*found, years._nearest(at[0], [])]


def zones_by_overlap() -> object:
    hour = 3600 * S

    def found(first: float, last: float, *ranges: tuple[float, float]) -> object:
        spans = [(round(T0 + a * hour), round(T0 + b * hour)) for a, b in ranges]
        zone = zone_evidence._by_overlap(
            (round(T0 + first * hour), round(T0 + last * hour), 9), spans
        )
        return zone.zone and zone.zone.name, zone.how, zone.quality

    return [
        found(2, 2.9, (0, 0.9)),
        found(2, 2.9, (0, 0.9), (5, 5.5)),
        found(2, 3, (0, 1)),
        found(-8, -7.2, (0, 0.8)),
        found(0, 9, (0, 1)),
        found(5.5, 5.6, (0.05, 0.06)),
        found(40, 40.5, (0, 0.5)),
        found(2, 2, (0, 0)),
    ]


def zones_of_pairs() -> object:
    quarter = 900 * S

    def found(*pairs: tuple[int, float]) -> object:
        read = [(T0 + at * quarter, T0 + round((at + off) * quarter)) for at, off in pairs]
        zone = zone_evidence._from_pairs(read, "TS lines")
        return (
            zone.zone and zone.zone.name,
            zone.how,
            zone.quality,
            [((at - T0) // S, minutes) for at, minutes in zone.changes],
            zone.dispersion_s,
            zone.anchors,
        )

    return [
        found((9, 8), (1, 8.01), (4, 7.99)),
        found((9, 8), (1, 4), (4, 4), (12, 8)),
        found((9, 800)),
        found((9, 800), (2, -4)),
    ]


# ---- comparisons -------------------------------------------------------------------------------


def _table(
    name: str,
    rows: list[tuple[str | None, ...]],
    at: int | None,
    line: int = 1,
    host: str | None = None,
) -> Table:
    return Table(
        line_first=line,
        line_last=line + 3,
        name=name,
        columns=("k", "n"),
        rows=tuple(rows),
        wall_us=None if at is None else T0 + at * S,
        clock="utc",
        host=host,
    )


def _tables() -> Any:
    return evidence(
        {
            "z": [
                _table("a", [("x", "1"), ("y", "5")], 9),
                _table("b", [("x", "1")], 2, 7),
                _table("a", [("x", "2")], None, 4),
                _table("c", [("x", "1")], 5, host="h"),
            ],
            "m": [
                _table("a", [("x", "4"), ("w", "1"), ("y", "6")], 9, 2),
                _table("b", [("x", "3")], 1),
                _table("b", [("x", "2")], 3, 5),
                _table("b", [("x", "9")], 3, 2),
            ],
        }
    )


def last_tables() -> object:
    found = compared_tables._last(_tables())
    return [
        (kind[0], [(host, row["artifact"][0], row["line_first"]) for host, row in by_host.items()])
        for kind, by_host in found.items()
    ]


def largest_tables_first() -> object:
    left = _tables()
    right = evidence(
        {
            "n": [
                _table("c", [("x", "9")], 5, host="h"),
                _table("b", [("x", "18")], 1),
                _table("a", [("x", "400"), ("w", "1"), ("v", "1")], 9, 2),
            ],
        }
    )
    found = []
    for most in (50, 2):
        with instead(compared_tables, MOST=most):
            found.append(
                [
                    (each.name, each.host, each.appeared, each.gone, each.changed)
                    for each in compared_tables.compared_tables([left], [right])
                ]
            )
    return found


def largest_cells_first() -> object:
    before = [(name, str(n)) for name, n in (("a", 10), ("b", 10), ("c", 10), ("d", 10), ("e", 10))]
    after = [("a", "12"), ("b", "90"), ("c", "2"), ("d", "90"), ("e", "10"), ("f", "1")]
    left, right = (
        evidence({name: [_table("t", rows, 1)]}) for name, rows in (("a", before), ("b", after))
    )
    found = []
    for most in (10, 2):
        with instead(compared_tables, MOST_ROWS=most):
            (table,) = compared_tables.compared_tables([left], [right])
            found.append(table.rows)
    return found


def tables_in_time() -> object:
    found = []
    for most in (500, 3):
        with instead(table_changes, MOST=most):
            found.append(table_changes.tables(_tables()))
    return found


def changes_of_tables() -> object:
    return table_changes.table_changes(_tables())


def settings_that_differ() -> object:
    def known(*rows: tuple[str, str]) -> Any:
        return {name: given(value=value) for name, value in rows}

    sides = [
        known(("port", "1"), ("b", "ON"), ("a", "2"), ("alone", "3"), ("timestamp", "1")),
        known(("a", "3"), ("b", "1"), ("port", "2"), ("timestamp", "2")),
    ]
    with instead(differences, variables=lambda side: side):
        found: Any = differences.changed_settings(*sides)
    return [(each.name, each.a, each.b) for each in found]


def tables_without_a_time() -> object:
    found = _tables()
    more = evidence(
        {
            name: [_table("x", [("x", "1")], None, line)]
            for line, name in enumerate(("q/z", "b", "a", "d"))
        }
    )

    def side(of: Any, **more: Any) -> Any:
        known = {"evidence": of, "span": Span(0, 1), "keeps_untimed": False, "artifacts": None}
        return given(**known | more)

    return [
        differences.untimed_tables([side(found)]),
        differences.untimed_tables([side(found), side(more)]),
        differences.untimed_tables([side(more, artifacts={"b".ljust(64, "0")})]),
        differences.untimed_tables([side(more, span=None), side(more, keeps_untimed=True)]),
    ]


def odd_settings() -> object:
    def one(host: str, name: str, value: str | None) -> Any:
        return given(host=host, name=name, value=value)

    rows = [
        *(one(host, "z", value) for host, value in zip("dcba", "9121", strict=True)),
        *(one(host, "b", value) for host, value in zip("dcba", "2111", strict=True)),
        *(one(host, "tie", value) for host, value in zip("dcba", "2211", strict=True)),
        *(one(host, "few", value) for host, value in zip("dc", "21", strict=True)),
        *(one(host, "all", "1") for host in "dcba"),
        *(one(host, "two", value) for host, value in zip("dcb", "211", strict=True)),
        one("elsewhere", "b", "7"),
        one("a", "none", None),
    ]
    with instead(fleet, all_settings=always(rows)):
        found = fleet._odd_settings(given(), set("abcd"))
    return [
        (host, [(e.name, e.host_value, e.fleet_value) for e in of]) for host, of in found.items()
    ]


def _levels() -> pl.DataFrame:
    """Four hosts with four samples of each series; one host is far off in some."""
    far = {
        ("d", "z"): 900.0,
        ("d", "a"): 900.0,
        ("c", "m"): 40.0,
        ("c", "quiet"): 11.0,
        ("b", "low"): 1.0,
    }
    rows = [
        {
            "series": series,
            "labels": "",
            "host": host,
            "unit": None,
            "time": T0 + n * S,
            "value": far.get((host, series), 10.0) + n / 10,
        }
        for series in ("z", "m", "a", "quiet", "low")
        for host in "dbac"
        for n in range(4)
    ]
    few = [
        {**rows[0], "series": "few", "host": host, "value": value}
        for host, value in (("a", 1.0), ("b", 900.0))
    ]
    return pl.DataFrame([*rows, *few])


def outliers_of_a_fleet() -> object:
    return list(fleet._outliers(_levels(), 4).items())


def hosts_of_a_fleet() -> object:
    odd = {host: [given(name=host)] * many for host, many in (("c", 2), ("a", 1), ("b", 2))}
    found = []
    for shown, rows in ((20, _levels()), (1, _levels()), (20, _levels().filter(host="a"))):
        none: Any = given(frame=always(None))
        with instead(fleet, _SHOWN=shown, plain_values=always(rows), _odd_settings=always(odd)):
            document: Any = fleet.fleet(none, Span(T0, T0 + 2 * S))
        found.append(
            [document.hosts, document.text]
            + [
                (each.host, each.moved, len(each.series), len(each.settings))
                for each in document.differing
            ]
        )
    return found


def counted_of_sides() -> object:
    runs: Any = [
        [{"a": 1.0, "z": 4.0, "b": 4.0}],
        [{"z": 1.0, "m": 3.0}, {"b": 2.0, "m": 9.0}],
        [None],
    ]
    found = []
    for most in (9, 2):
        with instead(sides_comparison, MOST=most):
            found.append(sides_comparison._counted(runs, lambda part: part))
    return found


def series_of_sides() -> object:
    def series(name: str, clear: bool = True) -> Any:
        return given(series=name, labels="", clear=clear, unit=None)

    shown = {
        1: [series("z"), series("m"), series("u", False)],
        2: [series("m"), series("a", False)],
        3: [series("u"), series("z", False)],
    }
    parts: Any = [[given(values=0)], [given(values=1), given(values=2)], [given(values=3)]]
    levels = {name: float(n) for n, name in enumerate("zmua", 2)}

    def levels_of(number: int) -> Any:
        return {(name, ""): value * (number + 1) for name, value in levels.items()}

    found = []
    for most in (9, 2):
        with instead(
            sides_comparison,
            MOST=most,
            series_between=lambda _, number: shown[number],
            _levels=levels_of,
            _spread=lambda rows: rows,
            _ratio=lambda old, new: (old, new),
            SidesSeries=lambda **fields: (fields["series"], fields["levels"], fields["clear"]),
        ):
            found.append(sides_comparison._series(parts, 0))
    return found


def settings_of_sides() -> object:
    def part(**settings: str) -> Any:
        return given(evidence={name: given(value=value) for name, value in settings.items()})

    parts = [
        [part(z="1", a="1", same="ON", alone="1", timestamp="1"), part(z="1", a="2")],
        [part(z="2", same="1", timestamp="2"), part(a="1")],
    ]
    found = []
    for most in (9, 1):
        with instead(sides_comparison, MOST=most, variables=lambda of: of):
            found.append(sides_comparison._settings(parts))
    return found


def sides_of_runs() -> object:
    def part(*hosts_of: str, dumps: int = 1) -> Any:
        document = given(
            start="s",
            end="e",
            hosts=list(hosts_of),
            version=hosts_of[0],
            dumps=dumps,
            samples=10 * dumps,
        )
        return given(side=document, evidence=None, span=None)

    with instead(sides_comparison, side_doc=lambda side, *_: side):
        return [
            sides_comparison._side(given(label="A"), parts)
            for parts in ([part("z", "b")], [part("z", "b", dumps=2), part("a", "b", dumps=3)])
        ]


def classes_of_sides() -> object:
    def run(average: float, by_class: dict[str, float]) -> Any:
        return given(by_class=by_class, average=average)

    names = [each.id for each in time_classes.wait_classes.time_classes()]
    first, second, third, fourth = names[:4]
    sides = [
        [run(10, {second: 4.0, first: 1.0, fourth: 3.0})],
        [run(20, {second: 5.0, third: 3.0}), None, run(0, {second: 7.0, first: 3.0, fourth: 4.0})],
        [None],
    ]
    return [
        [(each.id, each.sessions, each.shares) for each in time_classes.compare_classes(sides, at)]
        for at in (0, 1)
    ]


def _samples(**counts: int) -> pl.DataFrame:
    rows = [
        {"id": name, "time": T0 + n * S, "value": 1.0}
        for name, many in counts.items()
        for n in range(many)
    ]
    return pl.DataFrame(rows)


def rates_by_samples() -> object:
    def run(work: str | None = None, span: Span | None = None, **counts: int) -> Any:
        return given(values=_samples(**counts), span=span, work=work)

    ids: Any = (
        {"tps": {"h": "t"}, "qps": {"h": "q"}, "queries": {"h": "u"}},
        {"tps": {"h": "t"}, "queries": {"h": "u", "i": "v"}},
    )
    one, more = run(t=3, q=9, u=1), run(t=3, u=2, v=3)
    late = run(t=3, u=2, v=3, span=Span(T0 + 2 * S, T0 + 9 * S))
    chosen = run(work="x.tps", t=3, u=2, v=3)
    as_many: Any = run(t=1, a=1, q=2)
    by_id: Any = {"tps": {"h": "t", "i": "a"}, "qps": {"h": "q"}}
    return [
        *(trial._fullest_first((one, ids[0]), (after, ids[1])) for after in (more, late, chosen)),
        trial._fullest_first((as_many, by_id), (as_many, {})),
    ]


def verdicts() -> object:
    def inside(running: float, rate: float, own: float = 0.0) -> trial._Inside:
        return trial._Inside(running, own, rate, rate == 0)

    def run(name: str, span: Span | None = None) -> Any:
        return given(name=name, span=span)

    pairs = [
        ((90, 100), (10, 100)),
        ((10, 100), (90, 100)),
        ((10, 100), (11, 100)),
        ((90, 100), (1, 20)),
        ((1, 20), (90, 100)),
        ((90, 100), (1, 25)),
        ((90, 0), (1, 0)),
        ((90, 0.5), (10, 100)),
        ((10, 100), (90, 0.5)),
        ((30, 100), (20, 100)),
        ((20, 100), (30, 100)),
        ((3, 1), (1, 1)),
        ((3, 1), (1.5, 1)),
        ((90, 100, 80), (10, 100)),
        ((90, 0), (10, 100)),
    ]
    found: list[TrialDoc] = [
        trial._verdict(run("the incident"), inside(*old), run("B"), inside(*new))
        for old, new in pairs
    ]
    measured = trial._verdict(run("A"), inside(90, 100), run("B", Span(0, 1)), inside(1, 20))
    return [*found, measured]


def worst_ranges() -> object:
    def found(*values: float, step: float = 10) -> object:
        rows = pl.DataFrame(
            {"time": [T0 + round(n * step * S) for n in range(len(values))], "value": list(values)}
        )
        span = trial._worst(rows)
        return span and ((span.start - T0), (span.end - T0))

    return [
        found(1, 9, 1, 1, 8, 8, 8, 1, 1),
        found(8, 8, 8, 1, 8, 8, 8, 1, 8, 8, 8),
        found(1, 2, 3, 4),
        found(1, 2, 3, 4, 1, step=60),
        found(3),
        found(1, 2, 9, 9, 9, step=1.5),
    ]


ORDERED: dict[str, Any] = {
    "captures.case _by_capture": nearest_captures,
    "captures.case _mark_same": same_stalls,
    "captures.case examine_case": leading_episodes,
    "captures.case findings": findings_of_a_case,
    "captures.shares _Kind._cut": cut_of_a_file,
    "captures.stretches _seconds": seconds_of_records,
    "captures.stretches stretches": stretches_by_host,
    "clock.anchoring _best": fullest_of_the_others,
    "clock.anchoring match": clearest_match,
    "clock.gather _with_copies": copies_of_a_file,
    "clock.gather gather": files_by_path,
    "clock.hosts _different_servers": servers_by_name,
    "clock.hosts spelled_once": renamed_hosts,
    "clock.offsets _against": first_of_equal_counters,
    "clock.offsets _better": better_offsets,
    "clock.session_shapes _thinned": thinned_seconds,
    "clock.years _nearest": nearest_years,
    "clock.zone_evidence _by_overlap": zones_by_overlap,
    "clock.zone_evidence _from_pairs": zones_of_pairs,
    "compare.compared_tables _compared": largest_cells_first,
    "compare.compared_tables _last": last_tables,
    "compare.compared_tables compared_tables": largest_tables_first,
    "compare.differences changed_settings": settings_that_differ,
    "compare.differences untimed_tables": tables_without_a_time,
    "compare.fleet _odd_settings": odd_settings,
    "compare.fleet _outliers": outliers_of_a_fleet,
    "compare.fleet fleet": hosts_of_a_fleet,
    "compare.sides_comparison _counted": counted_of_sides,
    "compare.sides_comparison _series": series_of_sides,
    "compare.sides_comparison _settings": settings_of_sides,
    "compare.sides_comparison _side": sides_of_runs,
    "compare.table_changes table_changes": changes_of_tables,
    "compare.table_changes tables": tables_in_time,
    "compare.time_classes compare_classes": classes_of_sides,
    "compare.trial _fullest_first": rates_by_samples,
    "compare.trial _verdict": verdicts,
    "compare.trial _worst": worst_ranges,
}
