"""Answers of the views at their edges, by name: nothing there, a value exactly on a bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from unittest import mock

import polars as pl

from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.downsample import BUCKETS
from pileup.records import Frame, Stack, StackThread
from pileup.storage.errors import NotFound
from pileup.views.artifacts import (
    artifact_records,
    excerpts,
    mapping_preview,
    pasted,
    record_text,
    tables,
)
from pileup.views.evidence import (
    capture_tables,
    compare,
    deadlocks,
    episodes,
    first_lanes,
    lanes,
    log_groups,
    moved,
    nearest_sessions,
    queries,
    server_settings,
    sessions,
    stacks,
    timeline,
)
from pileup.views.evidence.sessions_over_time import sessions_over_time
from pileup.views.reasoning import matrix, result_table, similar, sweeps
from pileup.views.source import EvidenceSource
from pileup.views.window import Window
from tests.analysis.frames import T0, S, evidence, gauge, sha
from tests.api.test_table_tabs import CNF, a_deadlock, session, slow, trx, variable
from tests.views import agreed_scenes
from tests.views.agreed_parts import AT, after, answer, given
from tests.views.evidence import test_first_lanes as listed

Scene = Callable[[], object]


def source(**files: list[Any]) -> EvidenceSource:
    return EvidenceSource(evidence(files))


def nothing() -> object:
    """Every view of evidence that holds none of its records."""
    empty, window = source(), Window()
    page = log_groups.log_page(empty, log_groups.LogFilter(), "time", False, 0, 9)
    wanted = sessions.SessionFilter(sha("none"))
    return [
        log_groups.log_groups(empty), page, deadlocks.deadlocks(empty, window, lambda _: (), {}),
        stacks.stack_moments(empty), answer(stacks.stack_sample, empty, sha("none"), 0, {}),
        stacks.stack_heat(empty, idle=True), stacks.stack_flame(empty, None, None, True, None),
        sessions_over_time(empty, "state", idle=True, q=""), sessions.processlist_moments(empty),
        answer(sessions.processlist, empty, wanted, 0, 9),
        nearest_sessions.sessions_near(empty, T0), server_settings.setting_sources(empty),
        answer(server_settings.setting_table, empty, "none", None, ()),
        *(queries.top_queries(empty, queries.QueryFilter(source=name), ())
          for name in ("slow_log", "processlist", "query_digest")),
        queries.query_examples(empty, window, "none", "slow_log"),
        timeline.strips(None), episodes.episodes({}, None), first_lanes.first_lanes([], {}),
    ]  # fmt: skip


def statements_on_the_bounds_of_a_window() -> object:
    """A statement that ended as the window begins ran in it; one that begins at its end did not."""
    listed_ = [slow(1, "SELECT 1", 2.0, 7), slow(2, "DELETE FROM t", 3.0, 13),
               slow(3, "COMMIT", None, 10)]  # fmt: skip
    found = []
    for start, end in ((7, 10), (8, 10), (7, 11), (None, 10), (10, None)):
        window = Window(*(None if at is None else T0 + at * S for at in (start, end)))
        rows = queries.top_queries(
            source(log=listed_), queries.QueryFilter(window=window, sort="calls"), ()
        )
        found.append(sorted(row.shape for row in rows.items))
    return found


def high_percentiles() -> object:
    """By weight where weights are printed, of the statements that have a duration."""
    weighted = [slow(n, f"SELECT {n}", took, n, weight=weight) for n, (took, weight) in enumerate(
        ((9.0, 1), (8.0, 4), (7.0, 60), (6.0, 35), (None, 500)), 1)]  # fmt: skip
    plain = [slow(n, f"SELECT {n}", float(n), n) for n in range(1, 41)]
    found = []
    for rows in (weighted, plain, weighted[:1], plain[:3]):
        (shown,) = queries.top_queries(source(log=rows), queries.QueryFilter(), ()).items
        found.append((shown.calls, shown.logged, shown.p95_s, shown.mean_s, shown.total_s))
    return found


def long_texts() -> object:
    """Texts of just the length that is shown, and of one more."""
    found: list[Any] = []
    for more in (0, 1):
        text = "x" * (queries._MOST_QUERY + more)
        rows = source(log=[slow(1, text, 1.0, 1)])
        first = queries.top_queries(rows, queries.QueryFilter(), ()).items[0]
        shown = queries.query_examples(rows, Window(), first.id, "slow_log").items[0]
        found.append([len(first.shape), len(shown.query), shown.query_cut])
        listed_ = source(list=[session(1, "y" * (sessions.MOST_QUERY + more))])
        row = sessions.processlist(listed_, sessions.SessionFilter(sha("list")), 0, 9).rows[0]
        found.append([len(row.query or ""), row.query_cut])
        value = "z" * (server_settings.MOST_VALUE + more)
        settings = source(v=[variable("a", value)])
        side = server_settings.setting_table(
            settings, server_settings.setting_sources(settings)[0].id, None, ()
        ).rows[0].a  # fmt: skip
        found.append([len(side.value or ""), side.cut] if side else None)
        found.append(len(record_text._short("w" * (record_text.LINE + more))))
        for name in ("frames", "threads"):
            many = [{"function": "f"}] * (200 + more)
            found.append(record_text._render_value("stack", name, many).count("\n"))
    found.append(record_text._short("v" + " " * (4 * record_text.LINE - 2) + "uu"))
    return found


def sources_of_settings() -> object:
    """Servers in the order of time, those without a time last, the largest first; then files."""
    timed = {"clock": "utc", "wall_us": T0 + 9 * S}
    found = source(
        b=[variable("a", "1", **timed), variable("b", "1", host="db-1", **timed)],
        a=[variable("a", "2", clock="utc", wall_us=T0)],
        d=[variable("a", "3"), variable("b", "3"), variable("c", "off")],
        c=[variable("a", "4"), variable("c", "0", source="MY.CNF", section="mysqld")],
        e=[variable("c", "OFF", **CNF), variable("a", "2", **CNF)],
    )
    every = server_settings.setting_sources(found)
    pairs = [(0, 1), (2, 3), (4, 5), (5, 4), (2, 5), (5, 2)]
    return [
        [(each.path, each.source, each.host, each.time, each.count, each.is_file)
         for each in every],
        *([(row.name, row.state, row.a and row.a.value, row.b and row.b.value) for row in
           server_settings.setting_table(found, every[a].id, every[b].id, ()).rows]
          for a, b in pairs if max(a, b) < len(every)),
    ]  # fmt: skip


def prints_of_deadlocks() -> object:
    """A print that is cut off, and sections of dumps on the bounds of a print."""
    whole = [trx(1, "record app.a PRIMARY X", "record app.b PRIMARY X"),
             trx(2, "record app.b PRIMARY X", "record app.a PRIMARY X")]  # fmt: skip
    bare = [replace(each, query=None, holds=()) for each in whole]

    def timeless(*transactions: Any, line: int) -> Any:
        return replace(a_deadlock(0, *transactions, line=line), wall_us=None, clock=None)

    found = source(
        one=[a_deadlock(5, *whole, line=10, truncated=True), a_deadlock(7, *whole, line=60)],
        two=[a_deadlock(5, *whole, line=30)],
        three=[timeless(*bare[:1], line=5), timeless(*whole, line=30)],
    )  # fmt: skip
    shown: list[Any] = []
    for section in ((19, 25), (20, 25), (20, 59), (20, 60), (69, 70), (70, 71)):
        listed_ = deadlocks.deadlocks(found, Window(), lambda name, s=section: (
            [s] if name == sha("one") else []), {})  # fmt: skip
        shown.append([(each.id, each.dumps, each.truncated) for each in listed_.items])
    return shown


def stacks_at_their_bounds() -> object:
    """Threads whose ids are listed, over all groups; a profile counts parts of its samples."""

    def stack(at: int, count: int, name: str, **more: Any) -> Stack:
        threads = tuple(StackThread(pthread=None, lwp=10 * at + n) for n in range(count))
        fields: dict[str, Any] = {"wall_us": T0, "clock": "utc", "snapshot": None} | more
        return Stack(line_first=at, line_last=at, count=count, threads=threads,
                     frames=(Frame(function=name),), **fields)  # fmt: skip

    threads = [stack(1, 3, "poll"), stack(2, 2, "read"), stack(3, 2, "write")]
    again = [stack(1, 6, "f", samples=4), stack(2, 7, "g", samples=2)]
    profile = [stack(1, 6, "f", samples=4, event="cycles"), stack(2, 7, "g", samples=2,
                                                                 event="cycles")]  # fmt: skip
    found = source(a=threads, b=again, c=profile)
    with mock.patch.object(stacks, "MAX_THREADS", 4):
        few = stacks.stack_sample(found, sha("a"), 0, {})
    with mock.patch.object(stacks, "MAX_GROUPS", 2):
        cut = stacks.stack_sample(found, sha("a"), 0, {})
    return [
        [(each.name, each.count, len(each.threads)) for each in few.groups],
        (len(cut.groups), cut.left_out, cut.total, cut.idle), few.groups[0].threads,
        [(each.path, each.snapshot, each.threads) for each in stacks.stack_moments(found)],
    ]  # fmt: skip


def fullest_lists() -> object:
    """Of very many processlists the first of the fullest of each stretch."""
    rows = [(n, active) for n, active in enumerate((1, 5, 5, 2, 0, 0, 3, 1, 9))]
    frame = pl.DataFrame(rows, schema=["snapshot", "active"], orient="row")
    return [sessions.fullest_of_stretches(frame, most)["snapshot"].to_list()
            for most in (10, 9, 8, 4, 3, 2, 1)]  # fmt: skip


def _buckets(*rows: tuple[int, float | None, int, bool]) -> pl.DataFrame:
    """Buckets by second, mean, samples and whether a hole is before them."""
    return pl.DataFrame(
        [(T0 + at * S, T0 + at * S, mean, mean, mean, n, gap) for at, mean, n, gap in rows],
        schema=BUCKETS, orient="row",
    )  # fmt: skip


def means_over_time() -> object:
    mean = moved._mean
    return [
        mean(_buckets()), mean(_buckets((0, 5.0, 1, False))), mean(_buckets((0, 5.0, 0, False))),
        mean(_buckets((0, 1.0, 1, False), (10, 4.0, 1, False), (11, 7.0, 1, False))),
        mean(_buckets((0, 1.0, 1, False), (1, 4.0, 1, False), (100, 7.0, 1, True),
                      (101, 9.0, 1, False))),
        mean(_buckets((0, 1.0, 1, False), (0, 3.0, 1, False))),
        mean(_buckets((0, 1.0, 1, False), (2, None, 0, False), (4, 3.0, 5, False))),
    ]  # fmt: skip


def windows_and_ranges() -> object:
    """Windows that are empty, and series without a time."""

    def stored(*series: Any) -> Any:
        return given(catalogue={each.id: each for each in series}, of=lambda _: [])

    timeless = given(id="a", first=None, last=None)
    half = given(id="b", first=AT, last=None)
    later = AT + timedelta(seconds=1)
    whole = given(id="c", first=AT, last=later)
    return [
        answer(moved._two_windows, AT, AT), answer(moved._two_windows, later, AT),
        [(each.start - T0, each.end - T0) for each in moved._two_windows(AT, later)],
        answer(lanes.lanes, stored(timeless), (), None, None, 9),
        answer(lanes.lanes, stored(half), (), None, None, 9),
        lanes.captured_range([half, timeless, whole]), lanes.captured_range([half]),
        answer(lanes.lanes, stored(whole), (), later, None, 9),
        answer(lanes.lanes, stored(whole), (), None, AT, 9),
        [lanes._is_fine(_long(width), 2 * S) for width in (1, 2, 3)], lanes._is_fine(_long(), 5),
    ]  # fmt: skip


def _long(*seconds: int) -> pl.DataFrame:
    return pl.DataFrame(
        {"time": [T0] * len(seconds), "last": [T0 + each * S for each in seconds]},
        schema={"time": pl.Int64, "last": pl.Int64},
    )


def lanes_of_a_first_look() -> object:
    """Each source of a lane: the stall, load, the finding, its subsystem, what moved."""
    ids = first_lanes.first_lanes
    every = [*listed.ALL, listed.WAITING, listed.IDLE, listed.DIRTY]
    labelled = listed.series("metric.threads_running", "state=a")
    other = listed.series("mysql.Threads_running", points=10)
    foreign = replace(other, host="z", id="z")
    shifts = (listed.IDLE, listed.DIRTY, listed.WAITING)
    found: list[Any] = []
    for category in (None, "metadata_locks", "buffer_pool"):
        document = listed.parts(listed.FREE, shifts=shifts)
        document["findings"][0]["category"] = category
        document["episodes"][0]["stall"]["evidence"].append({"series": listed.FREE.id})
        found.append(ids(every, document))
    document = listed.parts(listed.FLAT, shifts=shifts)
    without = {"stalls": [{"kind": "gap"}, document["episodes"][0]["stall"]],
               "findings": document["findings"]}  # fmt: skip
    named = document | {"episodes": [document["episodes"][0] | {"finding": "unknown"}]}
    series = document | {"findings": [], "episodes": []}
    lines = listed.parts()
    lines["findings"][0]["evidence"] = [
        {"kind": "lines", "series": listed.FLAT.id}, {"kind": "series", "series": None},
        {"kind": "series", "series": "unknown"},
    ]  # fmt: skip
    return [
        *found, ids(every, without), ids(every, named), ids(every, series), ids(every, lines),
        ids([labelled, listed.SPINS, listed.IDLE, listed.DIRTY, listed.FREE], {}),
        ids([foreign, other, listed.COPY], listed.parts()),
        ids([labelled, other], {"shifts": [{"series": labelled.id, "direction": "up"},
                                           {"series": "unknown", "direction": "up"}]}),
    ]  # fmt: skip


def excerpts_of_files() -> object:
    """The lines that a page has room for, and how many more there are."""

    class Reader:
        def __init__(self, _: object, index: object, lines: int) -> None:
            self.index, self.lines = index, lines

        def excerpt(self, first: int, last: int) -> list[str]:
            return [f"{n}" for n in range(first, min(last, self.lines) + 1)]

        def span(self, first: int, last: int) -> tuple[int, int]:
            return first * 10, last * 10 + 10

    def path(sha256: str) -> str:
        if sha256 == "gone":
            raise NotFound(sha256)
        return sha256

    artifacts: list[Any] = [given(sha256=name, id=name, lines=lines) for name, lines in
                            (("a", 100), ("gone", 9), ("image", None), ("empty", 0))]  # fmt: skip
    blobs: Any = given(path=path)
    unit: Any = mock.Mock()
    with (
        mock.patch.object(excerpts, "Artifacts", return_value=given(line_index=lambda _: "index")),
        mock.patch.object(excerpts, "LineReader", Reader),
    ):
        reader = excerpts.Excerpts(unit, blobs, artifacts)
        return [
            [reader.read("a", first, last) for first, last in
             ((1, 1), (99, 100), (99, 101), (99, 102), (100, 300), (101, 101), (1, 40))],
            [(reader.read("a", 1, last) or "").split("\n")[-2:] for last in (40, 41, 42, 50)],
            [reader.read(name, 1, 2) for name in ("gone", "image", "empty", "unknown")],
            reader.read_ranges("a", [(1, 2), (101, 102), (5, 5)]),
            reader.read_ranges("a", []), reader.read_ranges("gone", [(1, 2)]),
            reader.span("a", 2, 3), reader.span("a", 101, 101), reader.span("gone", 1, 1),
        ]  # fmt: skip


def mapped_rows() -> object:
    problem = given(line=2, column=None, message="no number", found="three")
    at = given(line=3, column=1, message="no time", found="x")
    row = given(line=1, cells=["a", "b", "c"], time=None, problems=(problem, at))
    samples = [gauge("a", [3.0, None, -2.0, 7.0]), gauge("b", [None]), gauge("c", [])]
    return mapping_preview._seen(
        given(rows=[row], rows_read=9, rows_timed=4, problems=[problem, at], problem_count=7,
              series=samples)
    )  # fmt: skip


_VMSTAT = """procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 1  0      0 807804  40480 922852    0    0    31    41   98  201  1  0 98  0  0
 2  1      0 807804  40480 922852    0    0     5     6   98  201  1  0 98  0  0
 x
"""


def understood_pastes() -> object:
    log = "2026-11-20T22:00:05.000000Z 7 [Warning] [MY-010055] [Server] IP address '10.0.0.1'\n"
    texts = ("", "hello there, what is up\n", _VMSTAT, log * 2)
    return [pasted.understand(text) for text in texts]


def stored_tables() -> object:
    def named(format_: str | None, version: int | None, frame: Any) -> object:
        frames: Any = given(load_kind=lambda *_: frame)
        artifact: Any = given(id="i", path="p", sha256="s", format=format_, parser_version=version)
        return [each.ref.name for each in tables.stored_tables(frames, artifact)]

    row = pl.DataFrame([{"name": "t", "columns": ["a"], "rows": [["1"]], "line_first": 1,
                         "line_last": 1}])  # fmt: skip
    return [named("f", 1, row), named("f", 1, None), named(None, 1, row), named("f", None, row)]


def sides_of_captures() -> object:
    def episode(name: str, capture: str, took: float | None, at: int) -> dict[str, Any]:
        stall = {"kind": "stall", "id": name, "onset": after(at), "end": None, "duration_s": took,
                 "host": "db", "baseline": None}  # fmt: skip
        return {"id": name, "capture": capture, "stall": stall}

    def capture(name: str, first: str | None, *bundles: str) -> dict[str, Any]:
        return {"id": name, "host": name, "first": first, "last": first and after(900),
                "artifacts": [name] if first else [], "bundles": list(bundles)}  # fmt: skip

    stored = compare.StoredCaptures(
        [capture("c1", after(0), "b1"), capture("c2", None), capture("c3", after(5), "b1")],
        [episode("e1", "c1", 5.0, 10), episode("e2", "c1", 9.0, 20), episode("e3", "gone", 1.0, 30),
         episode("e4", "c2", None, 40)],
    )  # fmt: skip

    def side(name: str | None, part: Any = "whole", host: str | None = None) -> object:
        wanted = compare.SideQuery("a", part, Span(1, 2), host, name, ())
        made = answer(stored.side, wanted, "evidence")
        if isinstance(made, str):
            return made
        (member,) = made.members  # type: ignore[attr-defined]
        narrowed = member.side
        span = narrowed.span and (narrowed.span.start - T0, narrowed.span.end - T0)
        return [made.label, span, narrowed.host, sorted(narrowed.artifacts or ()),  # type: ignore[attr-defined]
                narrowed.keeps_untimed, member.onset and member.onset - T0]  # fmt: skip

    with mock.patch.object(
        compare,
        "_stall",
        lambda e: compare.stall_of(
            SimpleNamespace(  # type: ignore[arg-type]
                onset=e["stall"]["onset"], end=None, duration_s=e["stall"]["duration_s"],
                baseline=None,
            )
        ),
    ):  # fmt: skip
        return [stored.choices(), side("c1"), side("b1"), side("e1"), side("e1", "stall", "z"),
                side("c1", "stall"), side("c1", "baseline"), side("c2"), side("c3", "stall"),
                side("e3"), side("none"), side(None), side("c1", "window")]  # fmt: skip


def cards_of_stalls() -> object:
    """The pictures of stalls, and of captures without one."""
    values = [1.0] * 20 + [50.0, 90.0] * 10 + [1.0] * 20
    found = evidence(
        {
            "a": [gauge("mysql.Threads_running", values, host="db-1"), gauge("m.x", [1.0] * 60)],
            "b": [gauge("mysql.Threads_running", [2.0, 3.0, 2.0] * 20, start=T0 + 3600 * S)],
        }
    )
    names = found.frame("sample")
    assert names is not None
    running = sorted(set(names["id"].cast(pl.String).to_list()))

    def episode(capture: str, series: str | None) -> dict[str, Any]:
        shown = [] if series is None else [{"series": series, "baseline": 1.0, "peak": 90.0}]
        return {"capture": capture, "stall": {"onset": after(20), "duration_s": 20.0,
                                              "evidence": shown}}  # fmt: skip

    def capture(name: str, first: int | None, *stalls: str, host: str | None = None) -> Any:
        return {"id": name, "host": host, "episodes": list(stalls), "artifacts": [sha(name)],
                "first": None if first is None else after(first),
                "last": None if first is None else after(first + 59)}  # fmt: skip

    parts = {
        "captures": [capture("a", 0, "e"), capture("b", 3600), capture("b", 3600, host="other"),
                     capture("c", None)],
        "episodes": [episode("a", running[-1]), episode("a", None), episode("a", "unknown")],
        "recurrence": {"count": 3},
    }  # fmt: skip
    shown, bare = episodes.episodes(parts, found), episodes.episodes(parts, None)
    return [shown, [each.thumbnail for each in bare.episodes], bare.calm, bare.from_s]


def spread_moments() -> object:
    """At most so many moments, the first and the last among them."""
    moments = [AT + timedelta(seconds=n) for n in range(2 * matrix._MOMENTS)]
    found = []
    for more in (0, 1, matrix._MOMENTS):
        some = moments[: matrix._MOMENTS + more]
        shown = matrix._spread(some)
        found.append([len(shown), shown[0], shown[1], shown[7], shown[-2], shown[-1] == some[-1]])
    return found


def roles_of_columns() -> object:
    """The role that a column has by its heading and by how many of its cells are numbers."""
    tables = {
        "all are numbers": "name,n\n1,5\n2,6",
        "some are numbers": "name,n\na,5\n2,6",
        "half are numbers": "x,y\na,1\n2,b",
        "more than half are": "x,y\na,1\n2,3\n4,b",
        "a failure in a cell": "x,y\n1,fine\n2,failed",
        "a verdict in the heading": "x,verdict\n1,a\n2,b",
        "text before and behind a value": "x,y,z,u\na,1,2,b\nc,3,4,d",
        "units of some cells": "x,y,z\n1,5 ms,5 ms\n2,6 ms,6\n3,7 s,7",
        "one unit of all cells": "x,y\n1,5 ms\n2,6 ms",
        "a unit in the heading": "x,y (s)\n1,5 ms\n2,6 ms",
    }
    found = {}
    for name, text in tables.items():
        cells = result_table.cells_of(text)
        chosen = result_table.guessed_columns(cells)
        made = answer(result_table.runs_of, cells, chosen, ["failed"])
        found[name] = [[(each.role, each.unit) for each in chosen], made]
    return found


def sweeps_of_runs() -> object:
    made = [given(sweep=name, number=n) for n, name in enumerate(("b", "", "a", "b", "c"))]
    runs: Any = made
    with (
        mock.patch.object(sweeps, "sweep_run", side_effect=lambda run: run),
        mock.patch.object(sweeps, "lines_of", side_effect=lambda runs: [
            given(axis=f"axis of {len(runs)}")] if runs[0].sweep != "c" else []),
        mock.patch.object(sweeps, "_series", side_effect=lambda line, runs: sorted(runs)),
        mock.patch.object(sweeps, "most_varied", side_effect=len),
    ):  # fmt: skip
        return [
            (each.name, each.axis, each.charted, each.series) for each in sweeps.sweeps_of(runs)
        ]  # type: ignore[attr-defined]


def alike_incidents() -> object:
    """Without what tells an incident apart there is none like it; of others what people decided."""

    def known(name: str, *features: str, onset: str | None = None, cause: str | None = None) -> Any:
        return given(id=name, title=f"title {name}", onset=onset, cause=cause, cause_title=cause,
                     features={f"finding:{each}": each for each in features})  # fmt: skip

    every = {"mine": known("mine", "a", "b", cause="a"), "x": known("x", "a", onset=after(1)),
             "y": known("y", "b", "c"), "none": known("none"), "z": known("z", "d", cause="a"),
             "dump": known("dump", cause="a")}  # fmt: skip
    past = [given(statement=f"it is {status}", status=status, confidence=n)
            for n, status in enumerate(("refuted", "supported", "active"))]  # fmt: skip
    asked: list[Any] = []

    def similar_to(features: Any, most: int) -> list[str]:
        asked.append((sorted(features), most))
        return ["y", "mine", "x", "gone"]

    stored = given(
        symptoms=lambda ids: {name: every[name] for name in ids if name in every},
        similar=similar_to,
        of_cause=lambda finding, most: ["z", "mine", "dump"] if finding == "a" else [],
    )
    with (
        mock.patch.object(similar, "Incidents", return_value=stored),
        mock.patch.object(similar, "Hypotheses", return_value=given(of_incident=lambda _: past)),
    ):
        unit: Any = None
        names = ("mine", "none", "unknown", "dump")
        return [*(similar.similar_incidents(unit, name) for name in names), asked]


def pages_of_records() -> object:
    rows = pl.DataFrame(
        {"line_first": [1, 5, 5, 9], "line_last": [4, 8, 5, 400], "severity": ["a", "b", "c", "d"],
         "message": ["one", "two", "three", "four"]}
    )  # fmt: skip
    samples = rows.select("line_first", pl.col("message").alias("series"))
    stored = {"event": rows.lazy(), "sample": samples.lazy()}
    frames: Any = given(scan_kind=lambda key, kind: stored.get(kind))
    artifact: Any = given(sha256="s", format="f", parser_version=1, path="p",
                          records={"event": 4, "sample": 4, "query": 0, "stack": 2})  # fmt: skip
    bare: Any = given(sha256="s", format=None, parser_version=1, path="p", records={"event": 4})
    views = artifact_records
    artifact.records.pop("stack")
    at = [
        [(row.kind, row.index) for row in views.records_at(frames, artifact, first, last).items]
        for first, last in ((1, 1), (4, 5), (5, 5), (6, 8), (8, 9), (9, 10**9), (401, 402))
    ]
    return [
        at, views.record_page(frames, artifact, "event", 1, 2),
        views.record(frames, artifact, "event", 2), views.record(frames, artifact, "sample", 3),
        *(answer(views.record, frames, which, kind, index) for which, kind, index in (
            (artifact, "event", 4), (artifact, "stack", 0), (artifact, "query", 0),
            (bare, "event", 0), (artifact, "no_kind", 0))),
    ]  # fmt: skip


def tables_of_a_capture() -> object:
    """What a capture is printed with: at its worst moment, or of its fullest list; few or all."""
    analysis: Any = given(stalls=[], findings=[])
    found: list[Any] = []
    for worst in (None, T0, T0 + 9 * S):
        with mock.patch.object(capture_tables, "worst_time", return_value=worst):
            for most in (2, 50):
                blocks = capture_tables.table_blocks(agreed_scenes.capture(), analysis, most)
                found.append(
                    [(each.title, each.lines, each.columns, each.rows[:3]) for each in blocks]
                )
    bare = source(list=[replace(session(1, "SELECT 1"), wall_us=None, clock=None)])
    with mock.patch.object(capture_tables, "worst_time", return_value=T0):
        found.append(capture_tables.table_blocks(bare.evidence, analysis, 2))
    return found


SCENES: dict[str, Scene] = {
    each.__name__.replace("_", " "): each
    for each in (
        nothing, statements_on_the_bounds_of_a_window, high_percentiles, long_texts,
        sources_of_settings, prints_of_deadlocks, stacks_at_their_bounds, fullest_lists,
        means_over_time, windows_and_ranges, lanes_of_a_first_look, excerpts_of_files, mapped_rows,
        understood_pastes, stored_tables, sides_of_captures, cards_of_stalls,
        spread_moments, roles_of_columns, sweeps_of_runs, alike_incidents, pages_of_records,
        tables_of_a_capture,
    )
}  # fmt: skip
