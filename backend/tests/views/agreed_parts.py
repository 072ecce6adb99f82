"""Whole answers of the views' small parts, by name: for ``test_agreed_answers``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from unittest import mock

import polars as pl

from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.table_diff import CellChange, RowChange, TableData
from pileup.report.case import ReportTable
from pileup.storage.errors import Conflict, NotFound, Refused
from pileup.views.artifacts import artifact_records, mapping_preview, pasted, record_text, tables
from pileup.views.csv_rows import csv_line
from pileup.views.evidence import compare, episodes, timeline
from pileup.views.reasoning import (
    experiment_outcome,
    matrix,
    measures,
    pictures,
    result_import,
    result_table,
)
from pileup.views.reasoning.stall import Stall, stall_of
from pileup.views.reports import case, case_evidence
from tests.analysis.frames import T0, S

AT = datetime(2026, 11, 20, 22, 0, tzinfo=UTC)
Scene = Callable[[], object]


def given(**fields: Any) -> Any:
    return SimpleNamespace(**fields)


def answer(call: Callable[..., object], *arguments: Any, **named: Any) -> object:
    """Return what a call answers, or what it refuses."""
    try:
        return call(*arguments, **named)
    except (Refused, NotFound, Conflict, ValueError) as error:
        return f"{type(error).__name__}: {error} {getattr(error, 'field', '')}".rstrip()


def after(second: float) -> str:
    return (AT + timedelta(seconds=second)).isoformat().replace("+00:00", "Z")


# ---- records and tables of artifacts

_FRAME = {"function": "f", "file": "f.cc", "line": 7, "library": None}
_BARE = {"function": "g", "file": None, "line": None, "library": "libc.so"}
_RECORDS: dict[str, dict[str, Any]] = {
    "stack": {"count": 3, "frames": [_FRAME, _BARE, *[_FRAME] * 6], "threads": []},
    "deadlock": {
        "transactions": [{"trx_id": "7", "holds": ["a", "b"], "waits_for": None, "undo": 0},
                         {"trx_id": "8", "holds": [], "waits_for": "c", "undo": None}],
        "victim": 2,
    },
    "table": {"name": "t", "rows": [["1"], ["2"]], "columns": ["a"]},
    "session": {"session_id": 7, "user": "", "command": "Query", "time_s": 1.50, "state": None,
                "query": "SELECT\n  1", "active": False, "snapshot": 3, "wall_us": T0,
                "clock": "utc", "line_first": 1},
    "query": {"query_time_s": 0.0, "user": "app", "query": "x" * 300, "wall_us": T0,
              "clock": "relative"},
    "setting": {"name": "port", "value": None, "is_default": True},
    "sample": {"series": "a.b", "labels": "", "value": 12345678901.25, "unit": "s"},
    "unknown kind": {"name": "x"},
}  # fmt: skip


def records() -> object:
    return {
        kind: [record_text.in_one_line(kind, row), record_text.named_values(kind, row)]
        for kind, row in _RECORDS.items()
    }


def printed_times() -> object:
    clocks = ("utc", "local", None, "dayless", "yearless", "relative")
    return [record_text._wall(T0 + 1_500_000, clock) for clock in clocks] + [
        record_text._wall(us, "utc") for us in (-1, 10**18)
    ]


def times_of_a_preview() -> object:
    clocks = ("utc", "local", "relative")
    whole = [mapping_preview._time_text((T0 + us, c)) for us in (0, 5, 120_000) for c in clocks]
    return [*whole, mapping_preview._time_text((90_500_000, "relative")),
            mapping_preview._time_text(None)]  # fmt: skip


def far_records() -> object:
    """Of records that stand far apart the narrowest alone is read."""
    found = []
    for apart in (5000, 5001):
        lines = [9, *[1] * (apart - 1), 9]
        frame = pl.DataFrame({"line_first": lines, "line_last": [n + 1 for n in lines]}).lazy()
        found.append([row.index for row in artifact_records._at(frame, "event", 9, 9)])
    return found


def pasted_texts() -> object:
    first = pl.DataFrame({"wall_us": [5, 3, None, 9], "clock": ["utc", "utc", "utc", None],
                          "host": ["a", None, "a", None]})  # fmt: skip
    second = pl.DataFrame({"wall_us": [1, 7], "clock": ["utc", "dayless"], "host": ["a", "a"]})
    other = pl.DataFrame({"host": ["b"]})
    clocks, host = pasted._clocks, pasted._host
    return {
        "names": [pasted.suggested_name(name) for name in (None, "SHOW ENGINE (2)!", "vmstat")],
        "words": [pasted._words(kind, n) for kind, n in (
            ("query", 1), ("query", 2), ("lock_wait", 1), ("lock_wait", 12345))],
        "clocks": clocks(given(frames={"a": first, "b": second, "c": other})),
        "hosts": [host(given(frames=frames)) for frames in (
            {}, {"a": first}, {"a": first, "b": second}, {"a": first, "c": other})],
    }  # fmt: skip


def _table(name: str = "t", columns: tuple[str, ...] = ("id", "n", "note")) -> tables.Table:
    rows = [["a", "10", "x"], ["b", "9"], ["c", None, "y"], ["d", "many", None], ["e", "-1", ""]]
    ref = tables.TableRef("id", "path", name, list(columns), len(rows), 1, 9)
    return tables.Table(ref, TableData(columns, rows))


def pages_of_a_table() -> object:
    table = _table()
    return [
        tables.table_page(table, 0, 9, None, down=False),
        tables.table_page(table, 1, 2, None, down=True).page,
        *([row[:2] for row in tables.table_rows(table, "n", down)] for down in (False, True)),
        [row[0] for row in tables.table_rows(table, "note", down=True)],
        answer(tables.table_rows, table, "other", down=False),
        tables.table_page(_table(columns=("id", "n")), 0, 1, None, down=False).page,
    ]


def tables_of_an_artifact() -> object:
    rows = [
        {"name": name, "columns": ["a"], "rows": [["1"]], "line_first": n, "line_last": n}
        for n, name in enumerate(("t", "u", "t", "t"), 1)
    ]
    frames: Any = given(load_kind=lambda key, kind: pl.DataFrame(rows) if kind == "table" else None)
    artifact: Any = given(id="i", path="p", sha256="s", format="f", parser_version=1)
    return [
        [(each.ref.name, each.ref.line_first) for each in tables.stored_tables(frames, artifact)],
        tables.table_named(frames, artifact, "t (2)").ref,
        answer(tables.table_named, frames, artifact, "v"),
    ]


def tables_compared() -> object:
    before = tables.Table(
        _table("b").ref, TableData(("k", "v"), [["a", "1"], ["b", "2"], ["c", "3"], ["d", "0"]])
    )
    after_ = tables.Table(
        _table("a").ref, TableData(("k", "v"), [["a", "1"], ["b", "5"], ["e", "3"], ["d", "4"]])
    )
    compared = tables.compared_tables
    every = compared(before, after_, ["k"], ("added", "gone", "changed", "same"), 0, 9)
    some = compared(before, after_, ["k"], tables.DIFFERENT, 1, 2)
    return [every, some.total, some.rows,
            answer(compared, before, after_, ["x"], tables.DIFFERENT, 0, 9),
            answer(compared, before, tables.Table(before.ref, TableData(("z",), [["1"]])), None,
                   tables.DIFFERENT, 0, 9)]  # fmt: skip


def tables_of_a_report() -> object:
    def table(*rows: tuple[str | None, ...]) -> ReportTable:
        return ReportTable("a", "p", "t", ("k", "v", "w"), rows, (False, True, True), 1, 9)

    few = [
        table(("a", "1", "1"), ("b", "4", "1"), ("gone", "0", "")),
        table(("a", "3", "1"), ("b", "40", "2"), ("new", "7", None)),
    ]
    many = [
        table(("a", "1", "1")),
        table(("a", "2", "1"), *((f"n{n}", "1", "0") for n in range(11))),
    ]
    ten = [
        table(("a", "1", "1")),
        table(("a", "2", "1"), *((f"n{n}", "1", "0") for n in range(10))),
    ]
    bare = RowChange("gone", ("k",), (CellChange("0", None, None, None),) * 2)
    return [
        case_evidence.compare_tables(*few),
        [cell.key for cell in case_evidence.compare_tables(*many).cells][:2],
        [cell.key for cell in case_evidence.compare_tables(*ten).cells][:2],
        case_evidence._whole_row(bare, ("v", "w")),
    ]  # fmt: skip


def artifacts_by_name() -> object:
    listed = [
        given(path="bundle.zip/df", name="df", sha256="abcdef0123", records={"table": 1}),
        given(path="df", name="df", sha256="fedcba9876", records={"table": 2}),
        given(path="log", name="log", sha256="abcdef01ff", records={"event": 2}),
    ]
    known = case_evidence.CaseEvidence(*[mock.Mock()] * 4)
    stored = given(of_incident=lambda _: listed)
    with mock.patch.object(case_evidence, "Artifacts", return_value=stored):
        return {
            text: [each.path for each in known._artifacts_named(text)]
            for text in ("", "df", "bundle.zip/df", "ABCDEF01", "abcdef0", "log")
        }


# ---- results, experiments, the matrix

_RESULTS = """\
| name | threads | rate (1/s) | p95 ms | verdict | empty | latency |
|------|---------|-----------:|--------|---------|-------|---------|
| a    | 8       | 90K        | 3,5    | ok      |       | 1.5 ms  |
| b    | 16      | n/a        | 4      | not hung |      | 2 ms    |

| c    | 32      | 1,200      |        | stalled | | 12 s |
| d    | 64 |
| 5    | 64      | 7          | 2      |         | | |
"""


def results() -> object:
    cells = result_table.cells_of(_RESULTS)
    columns = result_table.guessed_columns(cells)
    failures = result_table.guessed_failures(cells, columns)
    return [cells, columns, failures, result_table.runs_of(cells, columns, failures)]


_HEADS = (
    "a  a  b\n1  2  3",
    "k,result\nx,fail\ny,never hung\nz,\n",
    "what;n\nslow;\nfast;7\n",
    "what\tn\tn 2\nslow\t5\t\nfast\t7\t\n",
    "a,b\n'1\n2',3\n",
    "x|y\n1|2\n",
    "k | v (ms)\na \\| b | 5 ms\n",
    "||h||i||\n|1|2|\n",
    "time s,[ms],load %\n1,2,3\n",
)


def guesses() -> object:
    found = []
    for text in _HEADS:
        cells = result_table.cells_of(text)
        columns = result_table.guessed_columns(cells)
        found.append([cells.head, cells.rows, [(c.name, c.role, c.unit) for c in columns],
                      result_table.guessed_failures(cells, columns)])  # fmt: skip
    return found


def refused_results() -> object:
    cells = result_table.cells_of("a,b\n1,2")
    ignored = [result_table.Column(name, "ignore", "") for name in "ab"]
    parameters = [result_table.Column(f"p{n}", "parameter", "") for n in range(11)]
    wide = result_table.Cells([f"p{n}" for n in range(12)], [["1"] * 12], [2], [])
    value = [result_table.Column("v", "value", "")]
    texts = ["a", "a\nb", "a,b\n1", ",".join("x" * 41) + "\n" + ",".join("x" * 41),
             ",".join("x" * 40) + "\n" + ",".join("x" * 40), "a,b\n" + "1,2\n" * 500,
             "a,b\n" + "1,2\n" * 501]  # fmt: skip
    shapes = [answer(result_table.cells_of, text) for text in texts]
    return [
        [each if isinstance(each, str) else len(each.rows) for each in shapes],  # type: ignore[attr-defined]
        answer(result_table.runs_of, cells, ignored[:1], ()),
        answer(result_table.runs_of, cells, ignored, ()),
        answer(result_table.runs_of, wide, [*parameters, *value], ()),
        len(result_table.runs_of(wide, [*parameters[:10], *value, ignored[0]], ())[0]),
    ]


def imports() -> object:
    known: Any = [
        given(
            number=n, sweep=sweep, parameters=dict(values), measurements=(), observation=None
        )
        for n, sweep, values in (
            (1, "s", {"threads": "8"}), (2, "s", {"threads": "16"}), (3, "s", {"threads": "16"}),
            (4, "t", {"threads": "32"}), (5, "s", {}),
        )
    ]  # fmt: skip
    text = "threads,result\n8,ok\n16,ok\n32,stall\n,ok\n"
    shown = result_import.preview_table(known, text, None, None, "s")
    without = result_import.preview_table(known, text, shown.columns, ["ok"], "")
    many = "threads,result\n" + "8,ok\n" * 200
    return [shown, [each.updates for each in without.runs],
            [each.run.failed for each in without.runs],
            len(result_import.preview_table(known, many, None, None, "").runs),
            answer(result_import.preview_table, known, many + "9,ok\n", None, None, ""),
            [result_import._same_way(failed) for failed in (None, True, False)]]  # fmt: skip


def judged() -> object:
    def computed(verdict: str | None) -> Any:
        return given(measured=verdict and given(verdict=verdict, text="It is 5."))

    def chosen(standing: str, measured: Any, verdict: Any, why: str = "") -> object:
        experiment: Any = given(prediction_standing=standing)
        return answer(experiment_outcome.judge, experiment, measured, verdict, why)

    return [
        chosen("none", None, None), chosen("planned", None, None), chosen("planned", None, "hit"),
        chosen("planned", computed(None), "miss"), chosen("planned", computed("hit"), None),
        chosen("planned", computed("hit"), "hit", "because"),
        chosen("planned", computed("not_measurable"), "miss", "  "),
        chosen("planned", computed("hit"), "miss", " because "),
    ]  # fmt: skip


def measured() -> object:
    """What is measured of a prediction: its series, sign, value, statistic and falsifier."""
    made = mock.Mock(side_effect=lambda *a, **k: [*a[1:], {n: k[n] for n in sorted(k)}])
    predictions = [
        {"op": "<", "value": 1.0}, {"metric": "m"}, {"metric": "m", "op": "<"},
        {"metric": "m", "op": "falls"}, {"metric": "m", "op": "rises"},
        {"metric": "m", "op": ">", "value": 0.0, "window_s": 9.0, "statistic": "max"},
        {"metric": "m", "op": ">", "value": 1.0, "falsifier_op": "<"},
        {"metric": "m", "op": ">", "value": 1.0, "falsifier_op": "<", "falsifier_value": 0.0},
    ]  # fmt: skip
    with mock.patch.object(experiment_outcome, "measure", made):
        return [
            experiment_outcome._measured(
                experiment_outcome._PREDICTION.validate_python(each), "the run", "before"
            )  # type: ignore[arg-type]
            for each in predictions
        ]


def levels() -> object:
    medians = {("run", "a"): 9.0, ("before", "a"): 3.0, ("run", "b"): 2.0, ("before", "b"): 0.0}

    def level(of: str, name: str, window_s: float | None = None) -> Any:
        value = medians.get((of, name))
        return None if value is None else given(median=value, window_s=window_s)

    prediction = experiment_outcome._PREDICTION.validate_python(
        {"metric": "a", "window_s": 5.0, "also": ["b", "a", "c"]}
    )
    run: Any = "run"
    before: Any = "before"
    with mock.patch.object(experiment_outcome, "level", level):
        return [
            [(e.series, e.ratio, e.run and e.run.window_s, e.incident and e.incident.window_s)  # type: ignore[attr-defined]
             for e in experiment_outcome._levels(prediction, run, incident)]
            for incident in (before, None)
        ]  # fmt: skip


def measures_of_runs() -> object:
    further = [given(name="n", value=1.0, unit="s", source="typed", basis="b", id="i", by="ann",
                     recorded_at=AT)]  # fmt: skip

    def run(prediction: Any, computed: Any, observation: Any) -> object:
        return measures.measures_of(
            given(prediction=prediction, computed=computed, observation=observation, by="bob",
                  finished_at=AT, measurements=further)
        )  # fmt: skip

    measured_ = {"measured": {"value": 5.0, "points": 1200}}
    return [
        run({}, None, None),
        run({"metric": "mysql.Threads_running"}, measured_, {"value": 5.0}),
        run({"metric": "mysql.Threads_running", "statistic": "max"}, measured_, {"value": 6.0}),
        run({}, {"measured": {"value": 0.0}}, {"value": None}),
        run({}, None, {"value": 0.0}),
    ]


def computed_measurements() -> object:
    def measurement(points: int | None, window_s: float | None, named: str = "") -> object:
        found = None if points is None else (2.5, points)
        with (
            mock.patch.object(measures, "run_evidence", mock.Mock()),
            mock.patch.object(measures, "statistic_of", return_value=found),
        ):
            return answer(
                measures.computed_measurement, mock.Mock(), mock.Mock(), given(number=3),
                series="mysql.Threads_running@db-1", statistic="p95", window_s=window_s,
                named=named, value_unit="threads",
            )  # fmt: skip

    return [measurement(1, None), measurement(2000, 90.0, "load"), measurement(None, None)]


def sentences_of_a_matrix() -> object:
    names = {"a": "H1", "b": "H2", "c": "H3"}
    leading = [given(leaders=leaders) for leaders in ((), ("b",), ("b", "a"))]
    turns = [matrix.MatrixTurn("p", f"E{n}", ["H1"], f"turn {n}") for n in range(8)]

    def believed(*columns: tuple[bool, int | None, bool]) -> object:
        listed: Any = [
            given(label=f"H{n}", leads=leads, confidence=sure, closed=closed)
            for n, (leads, sure, closed) in enumerate(columns, 1)
        ]
        return matrix._disputed(listed)

    change = {"change": "Set it off.", "expect": "fewer waits."}
    moments = [AT + timedelta(seconds=n) for n in range(400)]
    spread = matrix._spread(moments)
    return {
        "sensitivity": [
            matrix._sensitivity(turns[:many], evaluated, names)
            for evaluated in leading for many in (0, 1, 6, 7, 8)
        ],
        "turns": [
            matrix._turn(given(row="r", leaders=leaders), names, {"r": "E7"}).text
            for leaders in (("c",), ("c", "a"))
        ],
        "disputed": [
            believed(), believed((True, 10, False)),
            believed((True, 10, False), (False, 10, False)),
            believed((True, 10, False), (False, 11, False)),
            believed((True, 10, False), (False, 11, True)),
            believed((True, None, False), (False, 0, False)),
            believed((True, 1, False), (True, 2, False), (False, 3, False)),
            believed((False, 3, False)),
        ],
        "words": [matrix._words(change), matrix._words(change | {"refuted_if": "more waits"}),
                  matrix._words(change | {"refuted_if": ""})],
        "spread": [len(spread), spread[0], spread[1], spread[-2], spread[-1],
                   matrix._spread(moments[: len(spread)]) == moments[: len(spread)],
                   len(matrix._spread(moments[: len(spread) + 1]))],
    }  # fmt: skip


def pictures_cleaned() -> object:
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1" onload="x()">'
    deep = "<g>" * 41 + '<path d="M0 0"/>' + "</g>" * 41
    texts = (
        f'{head}<text x="1">a<tspan>b</tspan>c<a>d</a>e</text>tail</svg>',
        f'{head}<g fill="url(#x)" stroke="red">t<title>n</title>u</g><script>1</script></svg>',
        f"{head}<!-- note -->{deep}</svg>",
        f"{head}<!DOCTYPE x></svg>", "<svg/>", "<svg", '<a xmlns="http://www.w3.org/2000/svg"/>',
    )  # fmt: skip
    return [answer(pictures.clean_svg, text) for text in texts]


def lines_of_csv() -> object:
    texts = ("=1+1", "-x", "+1", "@a", "plain", None, 1.5, True)
    return [csv_line(texts), csv_line((AT, 'a"b', "a,b", "a\nb"))]


# ---- time, stalls and sides


def sides() -> object:
    def side(part: Any, **more: Any) -> compare.SideQuery:
        fields = {"window": Span(1, 2), "host": None, "capture": None, "experiments": ()} | more
        return compare.SideQuery("a", part, **fields)

    both, bare = Stall(Span(5, 9), Span(1, 4)), Stall(Span(5, 9), None)
    return {
        "labels": [side("whole").label, side("stall", host="db-1", capture="c2").label],
        "spans": [
            answer(compare._span, side(part), stall)
            for part in ("whole", "window", "stall", "baseline")
            for stall in (both, bare, None)
        ],
        "stalls": [
            stall_of(given(onset=after(0), end=end, duration_s=took, baseline=quiet))
            for end, took, quiet in (
                (after(9), 5.0, given(start=after(-9), end=after(-1))), (None, 2.5, None),
                (None, None, None))
        ],
    }  # fmt: skip


def strips_of_time() -> object:
    def blocker(name: str, total: int, first: str | None = after(1)) -> dict[str, Any]:
        return {"id": name, "holder": "h", "first": first, "last": after(5), "blocks_total": total,
                "inferred": name == "b"}  # fmt: skip

    much = timeline._MUCH_BLOCKED
    experiments: Any = [
        given(id=f"{n}", number=n, title="t", began=began, ended=ended, started_at=started,
              finished_at=finished, state=state)
        for n, (began, ended, started, finished, state) in enumerate((
            (AT, None, None, None, "running"), (AT, None, None, AT, "finished"),
            (AT, AT + timedelta(seconds=9), AT + timedelta(seconds=1), AT, "finished"),
            (None, None, None, None, "running"), (AT, None, None, None, "planned"),
        ))
    ]  # fmt: skip
    blockers = [blocker("a", much), blocker("b", much + 1), blocker("c", much - 1),
                blocker("d", much, None)]  # fmt: skip
    return timeline.strips(None, blockers, experiments)


def events_of_a_timeline() -> object:
    def event(at: int | None, severity: str | None) -> dict[str, Any]:
        return {"time": at and after(at), "severity": severity, "message": f"m{at} {'x' * 900}"}

    listed = [event(5, "error"), event(4, None), event(3, "note"), event(2, "warning"),
              event(None, "error")]  # fmt: skip
    found = []
    for most in (5, 4, 3, 1):
        with mock.patch.object(timeline, "_MOST_EVENTS", most):
            shown = timeline._shortened(listed)
            found.append([(each["message"][:3], len(each["message"])) for each in shown])
    return found


def snapshots_of_a_timeline() -> object:
    rows: Any = [
        given(kind="a", host=None, time=AT + timedelta(seconds=n) if n != 3 else None,
              artifact=f"f{n}", waiters=waiters, lock_waits=locks)
        for n, (waiters, locks) in enumerate(((1, 1), (None, 3), (2, None), (9, 9), (0, 0)))
    ]  # fmt: skip
    found = []
    for most in (5, 4, 3, 2, 1):
        with mock.patch.object(timeline, "_MOST_SNAPSHOTS", most):
            found.append([each.artifact for each in timeline._thinned(rows)])
    return found


def thumbnails() -> object:
    seconds = [*range(6), *range(30, 33)]
    times, numbers = [n * S for n in seconds], [float(n % 4) for n in seconds]
    stall = {"duration_s": 5.0, "onset": after(0)}
    windows = [
        episodes._window(stall | {"duration_s": took}, {"first": first, "last": last}, T0)
        for took in (5.0, None)
        for first, last in ((None, None), (after(-30), after(30)), (after(-90), after(900)))
    ]
    few = []
    for most in (9, 8, 3):
        with mock.patch.object(episodes, "_MOST_POINTS", most):
            few.append(episodes._aligned(times, numbers, 2 * S))
    return [few, episodes._aligned([], [], 0), episodes._aligned([S], [1.0], 0),
            [(each.start - T0, each.end - T0) for each in windows]]  # fmt: skip


def parts_of_a_figure() -> object:
    two = [(0, 10), (50, 80)]
    short = [(0, 1), (10, 100_000)]
    many = [(10 * n, 10 * n + 5) for n in range(case._MOST_PARTS + 1)]
    analysis: Any = given(
        series=[given(name=name, id=name_id) for name, name_id in
                (("a", "a@1"), ("a", "a@2"), ("b", "b"))],
        captures=[given(first=first and after(first), last=last and after(last)) for first, last in
                  ((1, 5), (5, 9), (11, 12), (None, 3), (20, None))],
    )  # fmt: skip
    capture = analysis.captures[0]
    points: Any = [(1.0, 5.0), (10.0, 6.0), (11.0, 7.0), (80.0, 8.0)]
    return {
        "parts": [case._parts(captured, first, last) for captured, first, last in (
            ([], 0, 9), ([(0, 9)], 0, 9), (two, 0, 100), (two, 5, 80), (two, 20, 60), (two, -9, 79),
            (short, 0, 100_000))],
        "many": [len(case._parts(many[:-1], 0, 999)), len(case._parts(many, 0, 999))],
        "named": case._named(analysis, ("b", "a", "a@2", "c", "a@1")),
        "captured": [(start - T0, end - T0) for start, end in case._captured(analysis)],
        "holds": [case._holds(capture, T0 + us) for us in
                  (S - 1, S, 5 * S + 999_999, 5 * S + 1_000_000)],
        "apart": case._apart(points, [10.0, 80.0]),
    }  # fmt: skip


SCENES: dict[str, Scene] = {
    each.__name__.replace("_", " "): each
    for each in (
        records, printed_times, times_of_a_preview, far_records, pasted_texts, pages_of_a_table,
        tables_of_an_artifact, tables_compared, tables_of_a_report, artifacts_by_name, results,
        guesses, refused_results, imports, judged, measured, levels, measures_of_runs,
        computed_measurements, sentences_of_a_matrix, pictures_cleaned, lines_of_csv, sides,
        strips_of_time, events_of_a_timeline, snapshots_of_a_timeline, thumbnails,
        parts_of_a_figure,
    )
}  # fmt: skip
