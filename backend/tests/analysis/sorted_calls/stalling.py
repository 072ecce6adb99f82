"""Stalls, waits and what speaks for a cause, where they sort: rivals, and a tie."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import polars as pl

from pileup.analysis.clock import session_shapes, years
from pileup.analysis.evidence import duplicate_dumps, level_counters, reconcile
from pileup.analysis.evidence.context import Span
from pileup.analysis.findings import slow_queries
from pileup.analysis.reasoning import matrix, pin_value, predicates
from pileup.analysis.stacks import flame, same_samples
from pileup.analysis.stalls import baselines, detection, documents, indicators
from pileup.analysis.stalls.indicators import Signal
from pileup.analysis.stalls.stall import Stall
from pileup.analysis.waits import by_commits, by_locks, counts, groups, over_time
from tests.analysis.frames import T0, S
from tests.analysis.turning.tools import always, given, instead


def _frame(**columns: list[Any]) -> pl.DataFrame:
    return pl.DataFrame(columns)


def times_around_a_file() -> object:
    """The nearest folder with times decides, of those the best kind, in order of time."""
    minutes: Any = [(9, 12), (2, 4), (5, 5)]
    kinds = {kind: set(minutes[n:]) for n, kind in enumerate(reversed(years._BEST_FIRST))}

    def found(
        of: Any, *, hosts: Any = None, recording: str | None = None, own: int | None = None
    ) -> object:
        times: Any = given(
            about=always(own),
            _artifacts={"s": given(path="a/b/c.txt")},
            _host_of={},
            _recordings={"a/b/c.txt": recording},
            _hosts=hosts or {"a/b": [None], "a": ["h", None]},
            _of=of,
        )
        with instead(years, scopes=always(("a/b", "a")), _MINUTE=1):
            return years.FullTimes.around(times, "s")

    first = years._BEST_FIRST[0]
    return [
        found({("a/b", None): kinds}),
        found({("a", None): {first: {(7, 8)}}, ("a", "h"): {first: {(1, 2), (7, 8)}}}),
        found({("a", None): kinds}, own=3),
        found({}),
    ]


def offsets_of_sessions() -> object:
    """The offset at which two counts are most alike; of equals the first."""

    def found(likeness: dict[int, float], **changes: Any) -> object:
        values = {n: float(n) for n in range(40)}
        mine, theirs = (session_shapes._Count(name, values) for name in ("a", "b"))

        def correlation(rows: list[tuple[int, int]]) -> float:
            return likeness.get(rows[0][0] - 1000, 0.0)

        known: dict[str, Any] = {
            "is_explained": always(True),
            "_held": always(theirs),
            "_correlation": correlation,
            "_pairs": lambda _, __, lag: [(1000 + lag, 1000 + lag)] * 40,
        }
        with instead(session_shapes, **known | changes):
            offset = session_shapes._offset(mine, theirs, "files")
        return offset and (offset.seconds, offset.anchors)

    return [
        found({-5: 0.95, 3: 0.99, 9: 0.97}),
        found({-2: 0.99, 3: 0.99}),
        found({3: 0.99, -30: 0.9}),
        found({3: 0.99, -27: 0.9}),
        found({3: 0.89}),
        found({3: 0.99}, _MOST_LAGS=77),
        found({3: 0.99}, _RISE=39.5),
    ]


def dumps_in_two_files() -> object:
    """A dump in two files stays in the one with more of them; in the first of equals."""
    frame = _frame(
        artifact=["z", "a", "z", "m", "m", "m", "b"],
        snapshot=[1, 1, 0, 2, 1, 0, 5],
        line_first=[1] * 7,
        line_last=[9] * 7,
        host=["h"] * 6 + ["i"],
        kind=["innodb_status"] * 7,
        original=["t1", "t1", "t2", "t1", "t3", "t2", "t1"],
    )
    pairs = frame.filter(pl.col("artifact").is_in(["z", "a"]))
    repeated = _frame(
        artifact=["b", "b", "a", "a"],
        snapshot=[1, 0, 1, 0],
        line_first=[1] * 4,
        line_last=[9] * 4,
        host=["h"] * 4,
        kind=["innodb_status"] * 4,
        original=["t"] * 4,
    )
    return [
        sorted(
            duplicate_dumps.without({"snapshot": each})["snapshot"]
            .select("artifact", "snapshot")
            .rows()
        )
        for each in (frame, pairs, repeated)
    ]


def counters_by_name() -> object:
    """Series whose rows come in any order: a count never falls, and grows nearly always."""

    def series(name: str, *values: float) -> list[dict[str, Any]]:
        rows = [
            {"series": name, "labels": "", "host": "h", "wall_us": n * S, "value": value}
            for n, value in enumerate(values)
        ]
        return rows[::-2] + rows[-2::-2]

    rows = [
        *series("z", *range(12)),
        *series("falls", *range(11), 9.0),
        *series("a", *range(9), 8, 8, 9),
        *series("flat", *range(8), 7, 7, 7, 7),
        *series("few", *range(10)),
        *series("enough", *range(11)),
        *series("other", *range(12)),
    ]
    names = ["z", "falls", "a", "flat", "few", "enough"]
    frame = pl.DataFrame(rows, schema_overrides={"value": pl.Float64})
    return [level_counters._only_grow(frame, names), level_counters._only_grow(frame, [])]


def stacks_of_sessions() -> object:
    """Threads that wait alike are given to sessions, class by class; the surplus is left out."""

    def actor(name: str, looks: str, *, stack: bool) -> Any:
        found = given(
            id=name,
            looks=looks,
            session=None if stack else {},
            trx=None,
            waits=[],
            session_id=None,
            functions=[looks],
            stack=name if stack else None,
            pthread=f"p{name}" if stack else None,
            how=[],
        )
        found.join = lambda words, sure: found.how.append(words)
        return found

    locks = sorted(reconcile._LOCKS)
    listed = [
        *(actor(f"t{n}", locks[-(n % 2)], stack=True) for n in range(8)),
        *(
            actor(f"s{n}", name, stack=False)
            for n, name in enumerate((locks[0], locks[-1], "odd", "idle"))
        ),
        actor("t9", "idle", stack=True),
    ]
    actors = {each.id: each for each in listed}
    with instead(
        reconcile,
        _of_session=lambda each: each.looks,
        _title=lambda name: f"<{locks.index(name)}>",
        wait_classes=given(of_stack=lambda functions: functions[0]),
        _LOOKS_LIKE={locks[-1]: frozenset({"odd", "idle"})},
    ):
        notes = reconcile.join_by_wait(actors)
    return [notes, [(each.id, each.stack, each.how) for each in actors.values()]]


def calls_before() -> object:
    """The most frequent texts of the baseline get a shape; of equals the first."""
    frame = _frame(
        _text=["z 1", "a 1", "m 1", "b 1", "z 1", "m 2", "x 1"],
        weight=[1, 2, 1, 2, 1, 1, 9],
        inside=[True] * 6 + [False],
    )
    ran = _frame(shape=["z", "a", "b", "m"])
    found = []
    for most in (9, 3, 2):
        with instead(
            slow_queries,
            _MOST_TEXTS=most,
            _WEIGHT=pl.col("weight"),
            overlaps=always(pl.col("inside")),
            shapes=lambda text: text.str.slice(0, 1).alias("shape"),
        ):
            found.append(sorted(slow_queries._before(frame, ran, Span(0, 1)).items()))
    return [*found, slow_queries._before(frame, ran, None)]


def rows_that_decide() -> object:
    """A row whose removal gives other leaders; ranks without it start at the least contradicted."""
    rows = [
        matrix.Row("r1"),
        matrix.Row("r2", credibility="high"),
        matrix.Row("r3", relevance="low"),
    ]
    columns = [matrix.Column("z"), matrix.Column("a"), matrix.Column("c", closed=True)]
    cells: Any = [
        {("r1", "z"): ["II"], ("r2", "a"): ["I"], ("r3", "z"): ["C"], ("r3", "a"): ["N"]},
        {("r1", "z"): ["CC"], ("r2", "a"): ["CC"], ("r3", "c"): ["CC"]},
        {
            ("r1", "z"): ["I"],
            ("r2", "z"): ["C"],
            ("r1", "a"): ["II"],
            ("r3", "a"): ["I"],
            ("r2", "c"): ["II"],
        },
        {("r1", "z"): ["C"]},
    ]
    found = []
    for each in cells:
        points = {(row.id, column.id): None for row in rows for column in columns}
        points |= {
            key: sum(matrix.POINTS[rating] for rating in ratings) / len(ratings)
            for key, ratings in each.items()
        }
        scores = matrix._scores(rows, columns, points, each)
        leaders = matrix._leaders(columns, scores)
        turns = matrix._turns(rows, columns, points, scores, leaders)
        found.append([leaders, [(turn.row, turn.leaders) for turn in turns]])
    return found


def lines_in_order() -> object:
    frames = {
        "transaction": _frame(line_first=[9, 3], line_last=[12, 5], n=["z", "b"]),
        "event": _frame(line_first=[3, 3], line_last=[4, 4], n=["y", "a"]),
        "snapshot": _frame(line_first=[1], line_last=[99], n=["s"]),
    }
    fields = {"event": ["n", "line_first"], "transaction": ["line_first", "n"]}
    found = []
    for shown in (9, 2):
        with instead(pin_value, _SHOWN=shown):
            found.append(pin_value.value_of_lines(frames, fields))
    gone = pin_value.value_of_lines({"snapshot": frames["snapshot"]}, {"event": ["n"]})
    return [*found, gone, pin_value.value_of_lines({"snapshot": frames["snapshot"]})]


def most_at_once() -> object:
    """Of moments with as many threads the first; one without a time is the last."""
    known: Any = given(path=always("p"))
    rows = _frame(
        artifact=["z", "y", "x", "w", "v"],
        time=[None, T0 + S, T0, T0, T0 - S],
        threads=[7, 7, 7, 7, 6],
        line_first=[5, 4, 3, 2, 1],
        line_last=[6] * 5,
    )
    found = []
    for least, of in ((7, rows), (8, rows), (1, rows.head(1))):
        want = predicates.SeenAtLeast("state", "x", least)
        answer = predicates._seen(want, known, of, "threads at once")
        found.append(answer)
    return found


def lines_of_a_log() -> object:
    events = _frame(
        artifact=["z", "a", "m", "b"],
        time=[None, T0 + 9 * S, T0, T0],
        line_first=[1, 2, 3, 4],
        line_last=[1, 2, 5, 4],
        message=["free Blocks", "free blocks", "no FREE blocks", "busy"],
    )
    known: Any = given(frame=always(events), path=always("p"))
    none: Any = given(frame=always(None))
    return [
        *(
            predicates._log(predicates.SeenAtLeast("log", text, 3), known)
            for text in ("free blocks", "no free", "f.ee")
        ),
        predicates._log(predicates.SeenAtLeast("log", "x", 1), none),
    ]


def functions_that_change() -> object:
    def thread(at: int | None, name: str, count: int, *stack: str, activity: str = "busy") -> Any:
        return given(
            time=None if at is None else T0 + at * S,
            moment=(name, 0),
            count=count,
            stack=stack,
            activity=activity,
        )

    threads = [
        thread(9, "b", 5, "main", "z_work", "lock_wait"),
        thread(None, "c", 1, "main", "lone"),
        thread(1, "a", 1, "main", "z_work", "lock_wait"),
        thread(9, "a2", 3, "main", "a_work"),
        thread(1, "a", 4, "main", "b_work"),
        thread(1, "a", 9, "main", "sleep_here", activity="idle"),
        thread(9, "b", 2, "main", "c_work"),
        thread(9, "b", 8, "main", "z_like"),
        thread(9, "b", 8, "main", "a_like"),
        thread(1, "a", 3, "main", "y_outer", "y_deep"),
    ]
    found = []
    for most, idle in ((20, False), (2, False), (20, True)):
        with instead(flame, MOST_FUNCTIONS=most):
            document = flame.heat(threads, idle=idle)
        found.append([document.functions, document.counts, [m.artifact for m in document.moments]])
    return found


def samples_written_twice() -> object:
    """A sum of stacks repeats the first sample with ids that is like it; each is repeated once."""

    def seen(name: str, at: float, named: int, host: str = "h", threads: int = 2) -> Any:
        return same_samples._Seen(
            (name, 0), T0 + round(at * S), host, threads, named, Counter({("f",): threads})
        )

    listed = [
        seen("bare late", 5, 0),
        seen("full late", 5.5, 2),
        seen("bare", 1, 0),
        seen("full b", 1, 2),
        seen("full a", 1, 2),
        seen("other", 1, 0, host="a"),
        seen("of other", 3, 2, host="a"),
        seen("too late", 9.000001, 0, host="a"),
        seen("full", 7, 2, host="a"),
        seen("more", 1, 0, threads=3),
    ]
    with instead(same_samples, _samples=lambda frame: frame):
        found: Any = same_samples.repeated(listed)  # type: ignore[arg-type]
    return sorted((bare[0], full[0]) for bare, full in found.items())


# ---- stalls ------------------------------------------------------------------------------------


def _signal(
    host: str | None, values: list[float], *, step: int = 1, start: int = 0, name: str = "x.r"
) -> Signal:
    times = [T0 + (start + n * step) * S for n in range(len(values))]
    return Signal(f"{name}@{host}", name, host, "concurrency", times, values)


def _stall(first: int, last: int, host: str | None = "a", **more: Any) -> Stall:
    known: dict[str, Any] = {"kind": "stall", "baseline": None, "signal": None}
    return Stall(
        host=host, onset=T0 + first * S, end=T0 + last * S, last=T0 + last * S, **known | more
    )


def quiet_times() -> object:
    """Quiet ranges of five samples at least; the nearest to the onset, at most sixty of them."""

    def found(values: list[float], onset: int, *stalls: Stall, level: float = 40.0) -> object:
        main = _stall(onset, onset + 5, signal=_signal("a", values))
        span = baselines._other_time(main, stalls, level)
        return span and ((span.start - T0) // S, (span.end - T0) // S)

    quiet, busy = [1.0] * 6, [40.0] * 6
    return [
        found(quiet + busy + quiet + busy + quiet, 20),
        found(quiet + busy + quiet + busy + quiet, 9),
        found(quiet + busy + quiet + busy + quiet, 4),
        found([1.0] * 90 + busy, 92),
        found([10.0] * 6 + busy, 8),
        found([10.1] * 6 + busy, 8),
        found([1.0] * 4 + busy, 8),
        found([1.0] * 30, 22, _stall(12, 14), _stall(3, 4, host="b")),
    ]


def _values(
    *rows: tuple[str, str | None, list[float]], start: int = 0, kind: str = "gauge"
) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "id": f"{series}@{host}",
                "series": series,
                "labels": "",
                "host": host,
                "kind": kind,
                "time": T0 + (start + n) * S,
                "value": value,
            }
            for series, host, values in rows
            for n, value in enumerate(values)
        ]
    )


def quiet_hosts() -> object:
    """Another host over the same seconds: that with most samples, of equals the first by name."""
    main = _stall(0, 9, signal=_signal("a", [80.0] * 10, name="m.running"))
    rows = [
        ("m.running", "z", [9.0] * 8),
        ("m.running", "b", [9.0] * 8),
        ("n.running", "few", [1.0] * 4),
        ("m.running", "loud", [30.0] * 9),
        ("m.other", "c", [1.0] * 10),
        ("m.other", "b", [2.0] * 2),
    ]

    def found(*of: Any) -> object:
        baseline = baselines._other_host(main, _values(*of), 80.0)
        return baseline and (baseline.how, baseline.span.start - T0, baseline.values.rows()[-12:])

    return [found(*rows), found(*rows, ("m.running", "m", [1.0] * 9)), found(rows[2], rows[3])]


def chosen_baselines() -> object:
    signal = _signal("a", [80.0, 90.0, 70.0, 80.0])
    values = _values(("x.r", "b", [1.0] * 4), ("x.r", "a", [80.0] * 4))
    neighbours = _values(("x.r", "0", [1.0, 2.0]), ("x.r", "a", [5.0]), start=-5)
    seen: list[object] = []

    def found(main: Stall, after: Any = None, other: Any = None, more: Any = None) -> object:
        with instead(
            baselines,
            _after=always(after),
            _other_time=lambda _, __, level: seen.append(level) or other,
            _other_host=lambda _, rows, level: seen.append((level, rows["id", "value"].rows())),
        ):
            baseline = baselines.choose(main, [], values, more)
        return baseline and (baseline.span, baseline.is_before, baseline.how)

    main, span = _stall(0, 2, signal=signal), Span(T0, T0 + 70 * S)
    return [
        found(_stall(0, 2, signal=signal, baseline=span), after=span),
        found(_stall(0, 2)),
        found(main, after=span, other=span),
        found(main, other=span),
        found(main),
        found(main, more=always(neighbours)),
        found(main, more=always(neighbours.clear())),
        seen,
    ]


def crowds_of_moments() -> object:
    """Few samples, each with ten or more waiters: by host, from the first to the last."""

    def found(*rows: tuple[str, str | None, int, float], sessions: tuple[Any, ...] = ()) -> object:
        values = pl.DataFrame(
            [
                {
                    "id": f"{name}@{host}",
                    "series": name,
                    "host": host,
                    "time": T0 + at * S,
                    "value": value,
                }
                for name, host, at, value in rows
            ]
        )
        return [
            (each.host, (each.onset - T0) // S, each.end, (each.last - T0) // S, each.note)
            for each in detection._from_moments(values, sessions)
        ]

    waits, locks, running = (
        "innodb.semaphore_waits",
        "innodb.lock_wait_transactions",
        "processlist.running",
    )
    calm = _signal(None, [1.0] * 30)
    return [
        found(
            (waits, "b", 9, 10.0),
            (waits, "a", 4, 12.0),
            (locks, "b", 2, 30.0),
            (waits, "b", 5, 9.9),
        ),
        found(
            (running, None, 3, detection.ALWAYS_HIGH),
            (running, "c", 3, detection.ALWAYS_HIGH - 0.1),
        ),
        found(*((waits, "a", at, 50.0) for at in range(8))),
        found(*((waits, "a", at, 50.0) for at in range(7))),
        found(("other", "a", 1, 99.0)),
        found((waits, "a", 9, 10.0), sessions=(calm,)),
    ]


def united_stalls() -> object:
    """Shapes that overlap are one stall, named by the first; a slow one joins nothing apart."""

    def found(*stalls: Stall) -> object:
        return [
            (
                each.kind,
                each.shape,
                each.also,
                (each.onset - T0) // S,
                each.end and (each.end - T0) // S,
            )
            for each in detection._united(stalls)
        ]

    span = Span(T0 - 9 * S, T0)
    return [
        found(
            _stall(30, 40, shape="stopped"),
            _stall(0, 9, shape="piled_up"),
            _stall(12, 35, shape="refused"),
        ),
        found(_stall(20, 30, shape="piled_up"), _stall(0, 9, shape="piled_up")),
        found(_stall(5, 20, shape="piled_up"), _stall(0, 9, shape="piled_up")),
        found(_stall(9, 30, shape="stopped"), _stall(3, 20, shape="refused", baseline=span)),
        found(_stall(0, 60, shape="slow"), _stall(5, 9), _stall(30, 35, shape="stopped")),
        found(_stall(0, 9), _stall(2, 40, shape="stopped"), _stall(9, 12, kind="recovery_burst")),
        found(_stall(0, 9), _stall(2, 40, shape="stopped"), _stall(10, 12, kind="recovery_burst")),
        found(_stall(0, 9), _stall(14, 20, shape="refused")),
        found(_stall(0, 9), _stall(15, 20, shape="refused")),
        found(_stall(3, 4, kind="false_positive", signal=_signal("a", [1.0])), _stall(0, 9)),
        found(_stall(30, 31, kind="false_positive"), _stall(0, 9)),
    ]


def stalls_in_time() -> object:
    """Of all hosts, in time order; of one moment by host, then by kind."""
    listed: dict[str | None, list[Stall]] = {
        "b": [_stall(5, 9, "b"), _stall(1, 3, "b")],
        None: [_stall(1, 2, None, kind="stall")],
        "a": [_stall(1, 2, "a", kind="recovery_burst"), _stall(1, 2, "a", kind="false_positive")],
    }
    nothing = {
        name: always({})
        for name in (
            "_of_log",
            "_failure_times",
            "_deadlock_times",
            "_unconnected",
            "lag_stops",
        )
    }
    refusals = given(by_log=always([]), of_collectors=always([]), by_deadlocks=always([]))
    known: dict[str, Any] = {
        "_observer_times": always([]),
        "refusals": refusals,
        "_seen": always(None),
        "_united": lambda each: each,
        "signals_by_role": always({host: {} for host in listed}),
        "_of_host": lambda _, host, *__: list(listed[host]),
        "_with_hostless": lambda found: [each for host in ("b", None, "a") for each in found[host]],
    }
    moments = [_stall(0, 0, "m")]
    found = []
    for kinds in ("stall", "false_positive"):
        with instead(detection, _from_moments=always(moments), **nothing, **known):
            if kinds != "stall":
                for each in listed:
                    listed[each] = [doc for doc in listed[each] if doc.kind != "stall"]
            stalls = detection.find(given(), pl.DataFrame())
        found.append([((each.onset - T0) // S, each.host, each.kind) for each in stalls])
    return found


def evidence_of_a_stall() -> object:
    """Its own series, the work, then telling series with a peak that is worth a line."""
    telling = sorted(documents._TELLING)[:3]
    frame = pl.concat(
        [
            _values((telling[1], "a", [1.0, documents._WORTH, 2.0])).reverse(),
            _values((telling[0], "a", [documents._WORTH - 0.1] * 3)),
            _values((telling[2], "a", [99.0, 98.0])),
            _values((telling[2], "a", [5.0, 120.0])),
            _values(("quiet", "a", [999.0])),
            _values((telling[0], "b", [500.0] * 2), start=900),
        ]
    )
    main = _stall(0, 2, signal=_signal("a", [3.0, 4.0], name="own"))
    work = _signal("a", [7.0, 8.0], name="work")

    def described(stall: Any, name: str, times: list[int], values: list[float]) -> Any:
        return given(
            name=name, times=[(at - T0) // S for at in times], values=values, peak=max(values)
        )

    found = []
    for of, of_work in ((main, work), (main, main.signal), (_stall(0, 2), None)):
        with instead(documents, throughput=always(of_work), _of=described):
            docs: list[Any] = documents._evidence(of, frame)  # type: ignore[assignment]
        found.append([(each.name, each.times, each.values) for each in docs])
    return found


def signals_of_hosts() -> object:
    def one(host: str | None, score: float) -> Any:
        return given(host=host, score=score)

    roles: list[Any] = [
        {
            "b": {"concurrency": one("b", 1.0), "latency": one("b", 9.0)},
            "c": {"connected": one("c", 99.0)},
            "a": {"throughput": one("a", 4.0), "concurrency": one("a", 4.0)},
            None: {"concurrency": one(None, 9.0)},
        },
        {None: {"concurrency": one(None, 9.0)}},
    ]
    found = []
    for by_host in roles:
        with instead(indicators, signals_by_role=always(by_host)):
            chosen: list[Any] = indicators.signals(pl.DataFrame())  # type: ignore[assignment]
        found.append(
            [
                (each.host, next(role for role, of in by_host[each.host].items() if of is each))
                for each in chosen
            ]
        )
    return found


def fullest_work() -> object:
    """The fullest series of statements; of equals the most trusted, then the first by its id."""

    def found(*rows: Any, host: str | None = None, work: tuple[str, ...] = ()) -> object:
        values = pl.concat([_values(*rows), _values(*rows[:1], start=50)])
        values = pl.concat([values, values.head(2).with_columns(pl.col("value") + 10)])
        signal_of: Any = None
        with instead(
            indicators,
            _with_role=lambda frame, *_: frame.filter(pl.col("series").is_in(work)),
            whole=lambda frame: frame["id"].unique().to_list(),
            _trust=lambda series, _: {"n": 2.0}.get(series, 1.0),
        ):
            signal_of = indicators.throughput(values, host, Span(T0, T0 + 30 * S))
        return signal_of and (
            signal_of.id,
            signal_of.host,
            [(at - T0) // S for at in signal_of.times],
            signal_of.values,
        )

    rows = [
        ("z", "a", [1.0, 2.0, 3.0]),
        ("m", "a", [4.0, 5.0]),
        ("n", "b", [6.0] * 3),
        ("o", None, [7.0] * 5),
    ]
    return [
        found(*rows, work=("z", "m")),
        found(*rows, work=("m", "n", "z")),
        found(*rows, host="a", work=("m", "n", "z")),
        found(*rows, host="b", work=("m", "n", "o")),
        found(("q", "a", [1.0] * 5), ("b", "a", [2.0] * 7), ("a", "a", [2.0] * 7), work=("a", "b")),
        found((indicators._ROWS_READ, "a", [1.0, 4.0])),
        found(*rows),
    ]


# ---- waits -------------------------------------------------------------------------------------


def leader_of_a_commit() -> object:
    """A full-text sync explains the queue better than a flush; of equals the first by its id."""

    def actor(name: str) -> Any:
        return given(id=name, waits_for_commit=name.startswith("w"))

    def found(
        leaders: dict[str, str], *, flushing: Any = None, cache: Any = None, pending: Any = None
    ) -> object:
        done: list[object] = []
        actors = {name: actor(name) for name in ("w2", "w1", "w9", *leaders)}
        draft: Any = given(
            scene=given(actors=actors),
            waiting={"w9": 1},
            notes={},
            hold=lambda queue, cache, **fields: done.append((queue, cache, fields["confidence"])),
        )
        with instead(
            by_commits,
            _without_ids=always(None),
            _flushed_log=lambda each: flushing if each.id == "w1" else None,
            _redo=always(None),
            _many=lambda _, logs: done.append(sorted(logs)),
            _leaders=lambda _: [(name, (words, actors[name])) for name, words in leaders.items()],
            _held_in_commit=lambda _: (cache, {"w2"} if cache else set()),
            _queue=lambda _, waiters, __: [each.id for each in waiters],
            _busy=always(()),
            commit_queue=given(waits_for_commit=lambda each: each.waits_for_commit),
            _lead=lambda _, queue, leader, words: done.append((queue, leader.id, words)),
            _behind_a_flush=lambda _, queue, each: done.append((queue, each.id)),
            _pending=always(pending),
            _by_dump=lambda _, queue, row: done.append((queue, row)),
        ):
            by_commits.commits(draft)
        return [done, list(draft.notes)]

    return [
        found({"z": "flush", "m": "a full-text sync", "b": "a full-text sync"}),
        found({"z": "flush", "m": "flush"}),
        found({}, flushing="redo log"),
        found({}, flushing="binary log", cache="c"),
        found({}, cache="c", pending=1),
        found({}, pending=1),
        found({}),
    ]


@dataclass(frozen=True)
class _Resource:
    id: str
    kind: str = "row_lock"
    exact: bool = False


def rows_by_holders() -> object:
    """Waiters of one table with the same holders wait for one row; the most keep its name."""

    def found(held: dict[str, str], **exact: bool) -> object:
        table = {name: _Resource("t", exact=exact.get(name, False)) for name in held}
        draft: Any = given(resources={"t": _Resource("t")})
        with instead(
            by_locks,
            _holders=always({name: frozenset(by) for name, by in held.items()}),
            _lock_resource=lambda _, waiter, __: table[waiter],
        ):
            waiters: Any = {name: (name, {}) for name in held}
            wanted = by_locks._split_by_holders(draft, waiters, [])
        return [sorted(wanted.items()), sorted(draft.resources)]

    return [
        found({"w1": "b", "w2": "ca", "w3": "ac", "w4": "z"}),
        found({"w1": "b", "w2": "a", "w3": "c"}),
        found({"w1": "b", "w2": "a"}, w1=True),
        found({"w1": "az", "w2": "bc"}),
    ]


def counted_graph() -> object:
    edges = [
        ("w1", "b"),
        ("w2", "b"),
        ("w3", "a"),
        ("w4", "a"),
        ("w5", "z"),
        ("x", "y"),
        ("y", "x"),
        ("w6", "x"),
        ("w3", "w1"),
    ]
    nodes = ["z", "b", "a", "c", *sorted({name for name, _ in edges})]
    waiting = {name for name, _ in edges}
    found = []
    for counted in (None, frozenset({"w1", "w4", "w5", "x"})):
        result = counts.count(dict.fromkeys(nodes), edges, waiting, counted)
        found.append(
            [
                result.roots,
                sorted(result.total.items()),
                sorted(result.direct.items()),
                sorted(result.levels.items()),
                sorted(result.depth.items()),
                [sorted(each) for each in result.cycles],
            ]
        )
    return found


def nodes_that_fold() -> object:
    """What blocks far more than its siblings stays single, and so do the first resources."""

    def node(name: str, total: int, kind: str = "thread", *, root: bool = False) -> Any:
        return given(id=name, kind=kind, blocks_total=total, root=root, blocks_direct=0, label=name)

    def found(
        nodes: list[Any],
        *,
        ahead: tuple[str, ...] = ("r",),
        behind: bool = True,
        by_parent: bool = True,
        inside: bool = True,
        blockers: int = 2,
    ) -> object:
        shape: Any = given(
            ahead={nodes[0].id: [given(target=name) for name in ahead]} if ahead else {},
            behind={nodes[0].id} if behind else (),
        )
        grain: Any = given(blockers=blockers, by_parent=by_parent, resources=2)
        names = dict.fromkeys(ahead) if inside else {}
        return [each.id for each in groups._folded(nodes, shape, grain, names)]

    threads = [node("a", 1), node("z", 9), node("b", 8), node("c", 2), node("d", 2), node("e", 2)]
    locks = [
        node("a", 1, "row_lock"),
        node("z", 5, "row_lock"),
        node("m", 5, "row_lock"),
        node("b", 7, "row_lock"),
    ]
    return [
        found(threads),
        found(threads, behind=False),
        found(threads, blockers=5),
        found(threads[:2]),
        found(locks),
        found(locks, inside=False),
        found(locks, by_parent=False, inside=False),
        found([node("l", 1, "latch"), node("k", 2, "latch"), node("j", 3, "latch")], ahead=()),
        found([node("l", 1, "row_lock"), node("k", 2, "row_lock")], ahead=()),
        found(
            [
                node("l", 1, "row_lock", root=True),
                node("k", 2, "row_lock"),
                node("j", 3, "row_lock"),
            ],
            ahead=(),
        ),
    ]


def rows_of_heat() -> object:
    """The fullest rows keep their label, by host; the others are one, and come last."""
    moments = _frame(
        artifact=["a"] * 3 + ["b"],
        snapshot=[2, 0, 1, 0],
        host=["h"] * 3 + ["i"],
        time=[T0 + 9 * S, T0, T0 + 5 * S, T0],
    )
    rows = [
        ("a", 0, "z", "d1"),
        ("a", 0, "z", "d0"),
        ("a", 1, "z", "d0"),
        ("a", 2, "b", "x"),
        ("a", 2, "b", "y"),
        ("a", 0, "b", "y"),
        ("a", 1, "few", "f"),
        ("b", 0, "b", "x"),
        ("b", 0, "alone", ""),
    ]
    frame = pl.DataFrame(
        [
            {"artifact": sha, "snapshot": at, "label": label, "detail": detail}
            for sha, at, label, detail in rows
        ]
    )
    found = []
    for most in (9, 3, 2):
        with instead(over_time, _MOST_ROWS={"latch": most}):
            found.append(
                [
                    (
                        row.label,
                        row.detail,
                        row.host,
                        [((at - T0) // S, n) for at, n in row.cells],
                        row.peak,
                    )
                    for row in over_time._rows("latch", frame, moments)
                ]
            )
    return [*found, over_time._rows("latch", frame.clear(), moments)]


def long_transactions() -> object:
    def row(
        trx: str, at: float, active: float | None, host: str = "h", **more: Any
    ) -> dict[str, Any]:
        known = {
            "session_id": 1,
            "state": "ACTIVE",
            "artifact": "a",
            "line_first": 1,
            "lock_wait": False,
            "query": None,
            "trx_id": trx,
            "time": T0 + round(at * S),
            "active_s": active,
            "host": host,
        }
        return known | more

    rows = [
        row("9", 50, 30.0, state="late", line_first=7),
        row("9", 40, 20.0, lock_wait=True, query="q" * 300),
        row("7", 50, 30.0),
        row("8", 50, 30.0, host="g"),
        row("short", 50, 9.9),
        row("exact", 50, 10.0),
        row("none", 50, None),
        row("9", 2000, 1980.0, session_id=5),
        row("9", 50, 30.0, artifact="b", line_first=3),
        row("twice", 50, 12.0, line_first=9),
        row("twice", 50, 12.0, line_first=4),
        row("5", 50, 20.0, host="z"),
        row("5", 45, 15.0, host="a"),
    ]
    frame = pl.DataFrame(rows)
    found = []
    for most in (60, 2):
        with instead(over_time, _MOST_SPANS=most):
            found.append(over_time.transaction_spans(given(frame=always(frame))))
    return [*found, over_time.transaction_spans(given(frame=always(None)))]


ORDERED: dict[str, Any] = {
    "clock.session_shapes _offset": offsets_of_sessions,
    "clock.years FullTimes.around": times_around_a_file,
    "evidence.duplicate_dumps without": dumps_in_two_files,
    "evidence.level_counters _only_grow": counters_by_name,
    "evidence.reconcile join_by_wait": stacks_of_sessions,
    "findings.slow_queries _before": calls_before,
    "reasoning.matrix _turns": rows_that_decide,
    "reasoning.pin_value value_of_lines": lines_in_order,
    "reasoning.predicates _log": lines_of_a_log,
    "reasoning.predicates _seen": most_at_once,
    "stacks.flame heat": functions_that_change,
    "stacks.same_samples repeated": samples_written_twice,
    "stalls.baselines _other_host": quiet_hosts,
    "stalls.baselines _other_time": quiet_times,
    "stalls.baselines choose": chosen_baselines,
    "stalls.detection _from_moments": crowds_of_moments,
    "stalls.detection _united": united_stalls,
    "stalls.detection find": stalls_in_time,
    "stalls.documents _evidence": evidence_of_a_stall,
    "stalls.indicators signals": signals_of_hosts,
    "stalls.indicators throughput": fullest_work,
    "waits.by_commits commits": leader_of_a_commit,
    "waits.by_locks _split_by_holders": rows_by_holders,
    "waits.counts count": counted_graph,
    "waits.groups _folded": nodes_that_fold,
    "waits.over_time _rows": rows_of_heat,
    "waits.over_time transaction_spans": long_transactions,
}
