"""Direct calls of functions that compare with a number of their own: a value exactly on each."""

from __future__ import annotations

from collections import Counter, defaultdict
from decimal import Decimal
from typing import Any

import polars as pl

from pileup.analysis.blocked_time import roots
from pileup.analysis.captures import recurrence, throughput
from pileup.analysis.compare import fleet, time_classes
from pileup.analysis.deadlocks import kinds
from pileup.analysis.evidence import downsample, line_ranges, table_diff
from pileup.analysis.findings import next_evidence
from pileup.analysis.findings.rules import commit, larger
from pileup.analysis.reasoning import predicates, run_outcome, similar, sweeps
from pileup.analysis.stalls import onsets, pileups, stall
from pileup.analysis.stalls.indicators import Signal
from pileup.analysis.story import chain, marks, sentence, work
from pileup.analysis.waits import by_commits, by_locks, groups
from tests.analysis.frames import T0, S
from tests.analysis.turning.tools import Scenes, always, given, instead, signal


def rotating_holders() -> object:
    """Nobody holds it in half of the moments or more, and several do."""

    def at(*moments: int) -> dict[int, float]:
        return dict.fromkeys(moments, 1.0)

    return [
        roots._rotates(each)
        for each in (
            {"a": at(1), "b": at(2), "c": at(3)},
            {"a": at(1), "b": at(2)},
            {"a": at(1, 2), "b": at(3), "c": at(4), "d": at(4)},
            {"a": at(1, 2), "b": at(3), "c": at(4), "d": at(5)},
            {"a": at(1, 2, 3)},
            {},
        )
    ]


def spread_of_a_share() -> object:
    return [
        roots._spread(by_moment, share, weights, sessions)
        for by_moment, share, weights, sessions in (
            ({0: 0.5, 1: 0.7}, 0.6, [3.0, 1.0], 8.0),
            ({0: 0.5, 1: 0.7}, 0.6, [3.0, 1.0, 2.0], 8.0),
            ({0: 0.5}, 0.5, [4.0], 8.0),
            ({0: 0.5}, 0.5, [0.0, 0.0], 8.0),
            ({0: 0.5}, 0.5, [-1.0, 0.5], 8.0),
            ({}, 0.0, [], 0.25),
            ({}, 1.0, [], 9.0),
        )
    ]


def recurrence_in_words() -> object:
    def capture(host: str | None = "a", *, dated: bool = True, verdict: str = "stall") -> Any:
        return given(first="f" if dated else None, verdict=verdict, host=host)

    stalls: Any = [given(id=f"e{n}") for n in range(4)]
    one, two = [capture()], [capture(), capture("b")]
    unknown = [capture(verdict="unknown")] * 2
    cases: list[tuple[Any, ...]] = [
        (one, stalls[:1], 0, [], "", []),
        (two, stalls[:1], 0, [], "", []),
        (one, stalls[:2], 0, [], "", []),
        ([], stalls[:2], 0, [9.0], "Commits wait", []),
        (two, [], 1, [], "", []),
        (two, stalls[:1], 2, [], "Commits wait", []),
        ([*two, capture(dated=False)], stalls[:3], 0, [9.0], "Commits wait", []),
        ([*one, *unknown], stalls[:3], 0, [9.0], "Commits wait", stalls[:1]),
        (unknown, stalls[:3], 0, [9.0], "Commits wait", stalls[:2]),
        (two, stalls, 0, [], "Commits wait", stalls[:3]),
    ]
    with instead(
        recurrence,
        _rhythm=lambda apart: f" <{apart}>",
        _moments=lambda some: {each.id: f"at {each.id}" for each in some},
        _cause=lambda each: f"cause of {each.id}",
        _more=lambda some: f" +{len(some)}",
        _NAMED=2,
    ):
        return [recurrence._text(*each) for each in cases]


def work_beside_sessions() -> object:
    values = pl.DataFrame({"n": [1]})
    moments = [f"2026-11-20T22:00:0{n}Z" for n in range(3)]

    def found(times: list[str] | None, rows: pl.DataFrame, series: str | None) -> object:
        active: Any = None if times is None else given(times=times)
        signal_of = series and given(series=series, times=[1], values=[2.0])
        with instead(
            throughput,
            msgspec=given(structs=given(replace=lambda _, throughput: throughput)),
            indicators=given(
                throughput=lambda _, host, span: signal_of,
                WORK_UNITS={"qps": "Statements per second"},
            ),
            _between=lambda *parts: [len(part) for part in parts],
        ):
            answer: Any = throughput.with_throughput(active, rows, "a")
        return "as it was" if answer is active else answer

    return [
        found(None, values, "x.qps"),
        found(moments[:1], values, "x.qps"),
        found(moments[:2], values, "x.QPS"),
        found(moments, values, "x.other"),
        found(moments, values.clear(), "x.qps"),
        found(moments, values, None),
    ]


def hosts_that_differ() -> object:
    hosts = [f"h{n}" for n in range(8)]
    return [
        fleet._text(hosts, [given(host=name) for name in hosts[:many]]) for many in (0, 1, 5, 6, 7)
    ]


def time_of_a_side() -> object:
    """Each host of several is measured by itself, with its share of the moments, two at least."""
    values = pl.DataFrame({"host": ["a", "b", "b", None]})
    side: Any = given(host="a")

    def found(hosts: list[str], most: int, *, seen: bool = True) -> object:
        with instead(
            time_classes,
            _hosts=always(hosts),
            replace=lambda _, host: given(host=host, narrowed=lambda: f"own of {host}"),
            _document=lambda own, rows, _, host, most: (str(own)[:9], rows.height, host, most),
            _time=lambda document: document if seen else None,
            _sum=lambda each: each,
        ):
            return time_classes.side_time(side, "whole", None, values, most)  # type: ignore[arg-type]

    return [
        found([], 9),
        found(["a"], 9),
        found(["a", "b"], 9),
        found(["b", "a", "c"], 5),
        found(["a", "b"], 9, seen=False),
        found(["a"], 9, seen=False),
    ]


def missing_of_a_deadlock() -> object:
    def cycle(*wants: Any, victim: int | None = None, certain: bool = True) -> Any:
        members = [given(number=n, wants=each) for n, each in enumerate(wants, 1)]
        return given(members=members, victim=victim, certain=certain)

    return [
        kinds._missing(each)
        for each in (
            cycle("x"),
            cycle("x", "y"),
            cycle("x", None),
            cycle("x", "y", certain=False),
            cycle("x", "y", certain=False, victim=2),
            cycle("x", "y", victim=3),
            cycle("x", None, None),
        )
    ]


def kinds_of_deadlocks() -> object:
    def found(members: int, by: str, *, closed: bool = True, missing: str = "") -> object:
        named = ("_of_tables", "_of_inserts", "_of_shared", "_of_exclusive", "_of_a_part")
        functions: dict[str, Any] = dict.fromkeys(named, always(None))
        if by:
            name, kind = by.split()
            functions[name] = always(kind)
        cycle: Any = given(
            members=[given(holds=[1])] * members, waits=[given(wants=1)], closed=closed
        )
        with instead(kinds, _missing=always(missing), _NOT_BY_LOCKS={"shared"}, **functions):
            return kinds.decide(cycle)

    return [
        found(2, "_of_exclusive row-order"),
        found(3, "_of_exclusive row-order"),
        found(3, "_of_shared shared"),
        found(2, "_of_exclusive row-order", closed=False),
        found(2, "_of_tables tables"),
        found(2, "_of_inserts inserts"),
        found(2, ""),
        found(2, "_of_shared shared", closed=False),
        found(2, "", missing="a line"),
    ]


def drawn_lanes() -> object:
    def buckets(many: int, n: int = 1) -> pl.DataFrame:
        rows = pl.DataFrame(
            {
                "time": [T0 + at * S for at in range(many)],
                "value": [float(at % 5) for at in range(many)],
            }
        )
        return downsample.buckets_of(rows).with_columns(pl.lit(n, dtype=pl.UInt32).alias("n"))

    found = []
    for many, n, pixels, first, last in (
        (8, 1, 4, 0, 7),
        (9, 1, 4, 0, 8),
        (4, 2, 4, 0, 3),
        (8, 1, 4, 2, 5),
        (8, 1, 1, 3, 3),
    ):
        lane = downsample.draw(
            buckets(many, n), start_us=T0 + first * S, end_us=T0 + last * S, pixels=pixels
        )
        found.append(
            [
                [(at and at - T0, *rest) for at, *rest in lane.points],
                lane.samples,
                lane.decimated,
                lane.low,
                lane.high,
            ]
        )
    return found


def ranges_of_lines() -> object:
    return [
        line_ranges.line_ranges(parts)
        for parts in ([], [(1, 2)], [(1, 2), (3, 4)], [(4, 5), (1, 2)], [(1, 9), (2, 3), (11, 12)])
    ]


def printed_numbers() -> object:
    cells = [
        None,
        "",
        "12",
        "1,234",
        "12,345.5",
        "123,456",
        "1234,567",
        ",123",
        "1,23",
        "-1,234",
        "-1234,567",
        "50 %",
        "1_0",
        "inf",
        "1e3",
        "1e400",
        "-",
        "٣",
        "+999,000",
        "1" * table_diff._LONGEST_NUMBER,
        "1" * (table_diff._LONGEST_NUMBER + 1),
        f"1e{table_diff._MOST_EXPONENT}",
        f"1e{table_diff._MOST_EXPONENT - 1}",
        f"1e-{table_diff._MOST_EXPONENT}",
    ]
    return [
        str(found) if isinstance(found := table_diff.number(cell), Decimal) else found
        for cell in cells
    ]


def columns_of_numbers() -> object:
    rows = [
        (["1", "x"],),
        (["1", "x", "y"],),
        (["1", None, ""],),
        ([None, ""],),
        (["x"],),
        (["inf", "2", "3"],),
    ]
    return [
        table_diff.is_numeric(table_diff.TableData(("n",), tuple((cell,) for cell in cells)), "n")
        for (cells,) in rows
    ]


def names_of_columns() -> object:
    return [table_diff._names("abcdefgh"[:many]) for many in (0, 1, 6, 7)]


def commands_for_a_server() -> object:
    """What to collect, by the versions in which it came: 5.7, and 8.0."""

    def server(family: str, *numbers: int) -> Any:
        return given(family=family, numbers=numbers)

    servers = [
        server("mysql", 5, 6, 51),
        server("mysql", 5, 7),
        server("mysql", 5, 7, 9),
        server("mysql", 7, 9),
        server("mysql", 8),
        server("mysql", 8, 0, 1),
        server("mysql"),
        server("mariadb", 10, 6),
        server("mariadb"),
    ]
    with instead(next_evidence, query=lambda _, text: f"<{text}>", processlist=always("the list")):
        return [
            [
                ask(each)
                for ask in (
                    next_evidence.row_locks,
                    next_evidence.metadata_locks,
                    next_evidence.global_locks,
                )
            ]
            for each in servers
        ]


def commits_that_wait_elsewhere() -> object:
    def found(
        appliers: int,
        *,
        flushes: bool = False,
        holds: bool = True,
        crowd: str = "",
        silent: bool = False,
        clustered: bool = False,
    ) -> object:
        observed: Any = given(
            state=always(given(holds=holds, most=appliers)),
            levels=None,
            is_clustered=clustered,
        )
        with instead(
            commit,
            machine_checks=given(crowd=always(crowd)),
            pauses=given(is_silent=always(silent)),
            _earlier=lambda _, flushes: ["earlier"] if flushes else [],
        ):
            return list(commit._elsewhere(observed, given(most=10), flushes=flushes))

    return [
        found(5),
        found(4),
        found(5, holds=False),
        found(5, flushes=True),
        found(0, crowd="Many"),
        found(0, silent=True),
        found(0, clustered=True),
        found(9, crowd="Many", silent=True, clustered=True, flushes=True),
    ]


def larger_waits() -> object:
    known = [
        given(collapse=collapse, commits=commits, rows=rows)
        for collapse, commits, rows in (
            (None, 20, 20),
            (None, 21, 20),
            (None, 20, 21),
            ("c", 21, 21),
        )
    ]
    return [larger.Larger.than(each, 10) for each in known]


def places_of_threads() -> object:
    frame = pl.DataFrame(
        {
            "state": ["query End", "idle", None],
            "file": ["btr0sea.ic", "srv.cc:12", None],
            "line": [98, 12, None],
            "frames": [[{"function": "Os_event_wait"}], [{"function": "main"}], []],
        }
    )
    asked = [
        ("state", "query end"),
        ("state", "q.*"),
        ("stack", "os_event"),
        ("location", "btr0sea.ic:98"),
        ("location", "BTR0SEA.IC:98"),
        ("location", "btr0sea.ic:97"),
        ("location", "srv.cc:12"),
        ("location", ":12"),
        ("location", "sea.ic"),
        ("location", "btr0sea.ic:000000098"),
        ("location", "btr0sea.ic:0000000098"),
    ]
    return [
        frame.select(predicates._matching(predicates.SeenAtLeast(place, text, 1)).fill_null(False))
        .to_series()
        .to_list()
        for place, text in asked
    ]


def rows_of_a_run() -> object:
    rows = pl.DataFrame(
        {
            "id": ["x.r@a", "x.r@b", "x.rr@a", "x.r", "x.r@a"],
            "n": range(5),
            "time": [T0 + 2 * S, T0, T0 - 9 * S, T0 + S, T0 + 3 * S],
        }
    )
    none: Any = given(frame=always(None))
    found = []
    for metric, window, of in (
        ("x.r", None, rows),
        ("x.r@z", 2.0, rows),
        ("x.r", 1.999999, rows),
        ("x.r", 0.0, rows),
        ("no", 1.0, rows),
        ("x.r", 1.0, rows.clear()),
    ):
        with instead(run_outcome, values=always(of)):
            found.append(run_outcome._rows(none, metric, window)["n"].to_list())
    return found


def engines() -> object:
    servers = [
        {"version": "8.0.36-log", "family": "mysql"},
        {"version": "8", "family": "mysql"},
        {"family": "mysql"},
        {"version": "10.6", "family": "mariadb"},
        {"version": "10.6.1"},
    ]
    return [similar._engine(given(server=each)) for each in servers]


def loads_without_a_threshold() -> object:
    words = ("stalls", "does not")
    return [
        sweeps._no_threshold("threads", known, words)
        for known in (
            [],
            [(1.0, True)],
            [(1.0, True), (2.0, True)],
            [(4.0, True), (2.0, False), (1.0, True), (4.0, True)],
        )
    ]


def ends_of_a_baseline() -> object:
    """Where values left their baseline, by the logarithm of each: a value exactly on the band."""

    def found(
        logs: list[float],
        earliest: int = 0,
        smooth: list[float] | None = None,
        noise: float = 0.0,
        flat: bool = False,
    ) -> object:
        with instead(
            onsets,
            _noise=always(noise),
            _smoothed=lambda known: known if smooth is None else smooth,
            _is_flat=always(flat),
            _BAND=1.0,
            PLATEAU=3,
        ):
            values = [2.0**each - 1 for each in logs]
            return onsets.left_baseline(values, len(logs) - 1, earliest, falls=False)

    low = [0.0] * 8
    ramp = [0.0, 0.0, 0.0, 0.0, 0.5, 2.0, 2.0, 2.0, 2.0, 2.0, 9.0]
    return [
        found([*low, 2.0, 9.0]),
        found([*low, 2.0, 9.0], 4),
        found([*low, 2.0, 9.0], 5),
        found([*low, 1.0, 9.0], smooth=[*low, 2.0, 9.0]),
        found([*low, 2.0, 9.0], smooth=[*low, 1.0, 9.0]),
        found([*low[2:], 1.0, 2.0, 2.0, 9.0], flat=True),
        found([*low[2:], 1.0, 2.0, 2.0, 9.0]),
        found([*low[2:], 2.0, 2.0, 2.0, 9.0], flat=True),
        found(ramp),
        found(ramp[1:]),
        found([*ramp[:9], 9.0]),
        found(ramp, smooth=[0.0, 0.0, 0.0, 0.0, 0.25, *ramp[5:]], noise=0.5),
        found(ramp, smooth=[5.0] * 11),
        found(ramp, noise=0.9),
    ]


def starts_of_a_burst() -> object:
    """From the end on: work stays above in six of ten, and the search ends below four of ten."""

    def inside(text: str) -> list[tuple[int, float]]:
        return [(100 + at, float(each)) for at, each in enumerate(text)]

    return [
        pileups._burst_start(inside(text), 5.0)
        for text in (
            "",
            "9",
            "4",
            "5",
            "95",
            "949",
            "9449",
            "99449",
            "94499",
            "944499",
            "9944499",
            "99944449999",
            "994444499",
            "9999444449999",
            "99944949",
        )
    ]


def ranges_of_a_stall() -> object:
    even = signal(*[1.0] * 6)
    late = Signal(
        "x", "x", "h", "concurrency", [T0 + at * S for at in (0, 1, 2, 5, 9, 10)], [1.0] * 6
    )
    return [
        stall.of_range(of, first, last, "stall", None, "note", "slow")
        for of, first, last in ((even, 1, 3), (even, 1, 5), (late, 0, 2), (late, 1, 3))
    ]


def links_of_a_story() -> object:
    def found(
        many: int,
        *,
        kind: str = "thread",
        most: bool = True,
        behind: int = 9,
        crowd: str = "sessions",
    ) -> object:
        steps = [
            given(kind=crowd if not at else "thread", name=f"s{at}", sessions=9 if not at else 1)
            for at in range(many)
        ]
        root: Any = given(kind=kind, steps=steps, behind=behind)
        with instead(
            chain,
            msgspec=given(
                structs=given(
                    replace=lambda step, **fields: given(name=f"{step.name} {fields['label']}")
                )
            ),
            _has_most=always(most),
            _link=lambda step, at, steps, _: f"{at}/{len(steps)} {step.name}",
            _MOST=5,
        ):
            return chain.chain(root)

    return [
        chain.chain(None),
        found(1),
        found(2),
        found(3),
        found(3, kind="cycle"),
        found(3, most=False),
        found(4),
        found(5),
        found(7),
        found(3, behind=10),
        found(3, behind=10, crowd="thread"),
    ]


def steps_before_the_onset() -> object:
    onset: Any = given(onset="2026-11-20T22:00:05Z")
    since = (
        None,
        "2026-11-20T22:00:05Z",
        "2026-11-20T22:00:06Z",
        "2026-11-20T22:00:06.000001Z",
        "2026-11-20T22:00:04Z",
    )
    return [marks._began_before(given(since=each), onset) for each in since]


def roots_in_words() -> object:
    def found(kind: str, steps: int = 0, **more: Any) -> object:
        known: dict[str, Any] = {
            "kind": kind,
            "name": "session 390",
            "doing": None,
            "inferred": False,
            "confidence": 1.0,
            "rotates": False,
            "holders_do": "",
            "known": True,
            "node": "n",
            "steps": [f"exclusive step {n}" for n in range(steps)],
        }
        root: Any = given(**known | more)
        with instead(
            sentence,
            _classes_of=always(None),
            short=str,
            resource=str,
            the=lambda text: f"the {text}",
            _HOLDERS={"thread"},
            _NOBODY_HOLDS={"fsync"},
            _SURE=0.8,
        ):
            return sentence._what(root)

    return [
        found("cycle"),
        found("thread"),
        found("thread", 2),
        found("thread", 3),
        found("thread", 3, doing="idle"),
        found("thread", 3, inferred=True, confidence=0.8),
        found("thread", 3, inferred=True, confidence=0.79),
        found("thread", 3, name="thread 7"),
        found("thread", 3, name="thread in fsync"),
        found("latch", known=False),
        found("row_lock"),
        found("latch", rotates=True),
        found("latch", rotates=True, holders_do="purge"),
        found("fsync", known=False),
        found("other", known=False),
    ]


def work_of_a_story() -> object:
    def found(
        many: int | None, *, active: int | None = None, span: Any = "s", most: int = 3
    ) -> object:
        signal_of = (
            None
            if many is None
            else given(
                series="x.QPS",
                times=[T0 + n * S for n in range(many)],
                values=[float(n * n) for n in range(many)],
            )
        )
        sessions: Any = None if active is None else given(times=[0] * active)
        with instead(
            work,
            _MOST_POINTS=most,
            indicators=given(throughput=always(signal_of), WORK_UNITS={"qps": "Statements"}),
        ):
            return work.work(given(stall=span, values=None, host="a"), sessions)

    return [
        found(None),
        found(1),
        found(2),
        found(3),
        found(4),
        found(7),
        found(5, active=1),
        found(5, active=2),
        found(5, span=None),
    ]


def flushes_of_their_own() -> object:
    def found(many: int, **draft: Any) -> object:
        waits: list[object] = []
        known: dict[str, Any] = {
            "resources": {},
            "waiting": {"a1": 1},
            "lines": lambda row: row,
            "wait": lambda actor, flush, **fields: waits.append(
                (actor.id, flush, fields["locators"], fields["confidence"])
            ),
        }
        actors: Any = [
            given(id=f"a{n}", stack=None if n % 2 else f"stack {n}", event=f"event {n}")
            for n in range(many)
        ]
        with instead(by_commits, _fsync=lambda _, log: f"fsync of {log}"):
            by_commits._many(given(**known | draft), {"redo log": actors, "binary log": actors[:1]})
        return waits

    return [found(1), found(2), found(4), found(4, resources={"fsync:redo log": 1})]


def holders_that_a_list_names() -> object:
    """Two waiters see every holder; a third that waits alike is not looked at."""
    held: list[object] = []
    actors = {trx: given(name=trx) for trx in "abc"}
    draft: Any = given(
        listed_waiters=Counter(),
        granted=defaultdict(
            list,
            {
                ("t", "i", "5"): [
                    {"mode": mode, "session_id": n, "trx_id": trx}
                    for n, (mode, trx) in enumerate(
                        (("X,REC_NOT_GAP", "a"), ("S", "b"), ("X,GAP", "c"), ("X", "z"))
                    )
                ]
            },
        ),
        find_actor=lambda _, trx: actors.get(trx),
        hold=lambda _, holder, *, mode, **__: held.append((holder.name, mode)),
    )
    for waiter, mode in (
        ("a", "X"),
        ("b", "X"),
        ("c", "X"),
        ("c", "S"),
        ("c", "X,INSERT_INTENTION"),
    ):
        held.append(f"{waiter} {mode}")
        row: Any = {"table": "t", "index": "i", "lock_data": "5", "mode": mode}
        by_locks._hold_by_list(draft, given(), actors[waiter], row)
    return held


def shape_of_a_graph() -> object:
    """Edges to nodes that are not drawn do not count; a circle has both ends at one depth."""

    def found(*edges: tuple[str, str, str], most: int = 40) -> object:
        depths = {"r": 0, "a": 1, "b": 1, "c": 2, "z": 2}
        nodes: Any = [
            given(id=name, kind="thread", label=name.upper(), depth=depth)
            for name, depth in depths.items()
        ]
        raw: Any = [
            given(source=source, target=target, kind=kind) for source, target, kind in edges
        ]
        with instead(groups, _CYCLE=most):
            shape = groups._Shape(nodes, raw)
        ahead = {name: [edge.target for edge in some] for name, some in shape.ahead.items()}
        holds = {name: sorted(held) for name, held in shape.holds.items()}
        return [
            sorted(ahead.items()),
            sorted(holds.items()),
            sorted(shape.behind),
            sorted(shape.cycle),
            sorted(shape.levels.items()),
        ]

    edges = (
        ("a", "r", "waits_for"),
        ("c", "a", "held_by"),
        ("z", "c", "held_by"),
        ("b", "r", "waits_for"),
        ("gone", "r", "waits_for"),
        ("a", "gone", "held_by"),
    )
    return [
        found(*edges),
        found(*edges, ("c", "z", "waits_for")),
        found(*edges, most=2),
        found(*edges, most=1),
        found(),
    ]


SCENES: Scenes = {
    "blocked_time.roots _rotates": rotating_holders,
    "blocked_time.roots _spread": spread_of_a_share,
    "captures.recurrence _text": recurrence_in_words,
    "captures.throughput with_throughput": work_beside_sessions,
    "compare.fleet _text": hosts_that_differ,
    "compare.time_classes side_time": time_of_a_side,
    "deadlocks.kinds _missing": missing_of_a_deadlock,
    "deadlocks.kinds decide": kinds_of_deadlocks,
    "evidence.downsample draw": drawn_lanes,
    "evidence.line_ranges line_ranges": ranges_of_lines,
    "evidence.table_diff _names": names_of_columns,
    "evidence.table_diff is_numeric": columns_of_numbers,
    "evidence.table_diff number": printed_numbers,
    "findings.next_evidence global_locks": commands_for_a_server,
    "findings.next_evidence metadata_locks": commands_for_a_server,
    "findings.next_evidence row_locks": commands_for_a_server,
    "findings.rules.commit _elsewhere": commits_that_wait_elsewhere,
    "findings.rules.larger Larger.than": larger_waits,
    "reasoning.predicates _matching": places_of_threads,
    "reasoning.run_outcome _rows": rows_of_a_run,
    "reasoning.similar _engine": engines,
    "reasoning.sweeps _no_threshold": loads_without_a_threshold,
    "stalls.onsets left_baseline": ends_of_a_baseline,
    "stalls.pileups _burst_start": starts_of_a_burst,
    "stalls.stall of_range": ranges_of_a_stall,
    "story.chain chain": links_of_a_story,
    "story.marks _began_before": steps_before_the_onset,
    "story.sentence _what": roots_in_words,
    "story.work work": work_of_a_story,
    "waits.by_commits _many": flushes_of_their_own,
    "waits.groups _Shape.__init__": shape_of_a_graph,
    "waits.by_locks _hold_by_list": holders_that_a_list_names,
}
"""By module and function."""
