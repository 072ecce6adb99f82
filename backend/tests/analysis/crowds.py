"""Scenes for the limits of the engine: three or more of everything that it cuts."""

from __future__ import annotations

import re
from contextlib import ExitStack
from functools import cache
from types import SimpleNamespace
from typing import Any
from unittest import mock

import polars as pl
from msgspec import structs

from pileup.analysis.blocked_time import path_steps
from pileup.analysis.captures import case, recurrence
from pileup.analysis.clock import anchoring, jumps, metrics_hosts, session_shapes
from pileup.analysis.compare import differences, table_changes
from pileup.analysis.compare.differences import Side, untimed_tables
from pileup.analysis.compare.fleet import fleet
from pileup.analysis.compare.sides import Group, Member
from pileup.analysis.compare.sides_comparison import compare_sides
from pileup.analysis.contract import Locator
from pileup.analysis.deadlocks import cycle as cycles
from pileup.analysis.deadlocks.patterns import WORDS
from pileup.analysis.deadlocks.patterns import _begin as begin_pattern
from pileup.analysis.deadlocks.statements import _read as read_statement
from pileup.analysis.evidence import (
    activity,
    admission,
    answers,
    digests,
    latch_stacks,
    line_ranges,
    scene,
    series,
)
from pileup.analysis.evidence.actors import Actor
from pileup.analysis.evidence.context import Server, Span
from pileup.analysis.evidence.statements import short_shape, tables_of
from pileup.analysis.evidence.table_diff import CellChange, RowChange
from pileup.analysis.findings import (
    catalogue,
    next_evidence,
    observed,
    particulars,
    stall_records,
    storms,
)
from pileup.analysis.findings.rules import latches, locks, statements
from pileup.analysis.findings.slow_queries import _shapes as shapes_of_texts
from pileup.analysis.findings.slow_queries import slow_queries
from pileup.analysis.reasoning import falsifiable, pin_value, similar
from pileup.analysis.stacks import (
    commit_queue,
    flame,
    hot_stacks,
    log_flushes,
    queues,
    same_samples,
)
from pileup.analysis.stacks.groups import stack_groups
from pileup.analysis.stalls import onsets, shifts
from pileup.analysis.story import compose
from pileup.analysis.waits import (
    by_commit_order,
    by_commits,
    by_instruments,
    by_latch_stacks,
    by_queues,
    groups,
    inspect_node,
    moment_graph,
    over_time,
    persistence,
    search,
)
from pileup.analysis.waits.node_documents import thread_node
from pileup.records import (
    Event,
    Frame,
    Query,
    Record,
    SemaphoreWait,
    Session,
    Stack,
    Table,
    Transaction,
)
from tests.analysis import test_rivals
from tests.analysis.frames import T0, S, evidence, frames, gauge, moment, setting

_AT = {"line_first": 1, "line_last": 2, "wall_us": T0, "clock": "utc", "snapshot": 0}


LINES = Locator(kind="lines", artifact="a", path="a", line_first=1, line_last=2)


def _stack(number: int, *functions: str, count: int = 3) -> Stack:
    named = tuple(Frame(function=function) for function in functions)
    return Stack(count=count, frames=named, **{**_AT, "line_first": number})


def _stacks() -> list[Record]:
    """Three stacks of four functions each, one of them twice as frequent."""
    deep = [f"step_{n}" for n in range(4)]
    return [_stack(n, *(f"{name}_{n}" for name in deep), count=9 - n) for n in range(3)]


def _frame() -> pl.DataFrame:
    frame = evidence({"stacks": _stacks()}).frame("stack")
    assert frame is not None
    return frame


def hottest_stacks() -> object:
    return hot_stacks.hot_stacks(evidence({"stacks": _stacks()}), None)


def groups_of_stacks() -> object:
    return [group.key for group in stack_groups(_frame().to_dicts())]


def threads_of_flame() -> object:
    return [thread.stack for thread in flame.threads(_frame())]


def nodes_of_flame() -> object:
    root = flame._Node("all")
    for thread in flame.threads(_frame()):
        flame._add(root, thread, 0)
    return [node.name for node in flame._flat(root)[0]]


def functions_over_time() -> object:
    return flame.heat(flame.threads(_frame())).functions


def stacks_of_samples() -> object:
    with mock.patch.object(same_samples, "_comparable", lambda frame: frame):
        return [list(seen.stacks) for seen in same_samples._samples(_frame())]


def stacks_compared() -> object:
    return list(differences.stack_counts(evidence({"stacks": _stacks()})))


def waits_two_calls_down() -> object:
    return hot_stacks.is_waiting(("a", "b", "pthread_cond_wait"))


def flushes_two_calls_down() -> object:
    return log_flushes.flushes(("a", "b", "fsync", "MYSQL_BIN_LOG::sync_binlog_file"))


def sleeps_two_calls_down() -> object:
    queued = next(iter(queues._BY_FUNCTION))
    return queues._sleeps(("nanosleep", "a", "b", queued))


def commits_two_calls_down() -> object:
    return commit_queue._is_waiting(("a", "b", min(commit_queue._WAITING)))


def latch_two_calls_down() -> object:
    return activity.activity(("a", "b", "rw_lock_x_lock_func"), None)


def latch_is_named_two_calls_down() -> object:
    return latch_stacks.waits_for(
        ("sync_array_wait_event", "rw_lock_s_lock_func", "btr_search_guess_on_hash")
    )


def slow_log() -> object:
    log = [
        Query(query_time_s=float(9 - n), query=f"SELECT a FROM {name} WHERE id = 5", **_AT)
        for n, name in enumerate("abc")
    ]
    return slow_queries(evidence({"slow": log}), None, None)


def statements_of_slow_log() -> object:
    """The shapes that are known: of the statements that took most of the time."""
    inside = pl.DataFrame(
        {"_text": ["SELECT 1", "DELETE", "COMMIT"], "query_time_s": [3.0, 2.0, 1.0]}
    ).with_columns(weight=pl.lit(None, pl.Int64))
    return shapes_of_texts(inside)["_text"].to_list()


def reads_running() -> object:
    """The number of statements alike in a processlist."""
    list_of = [
        Session(
            session_id=n, command="Query", time_s=60.0, user="app", state="Sending data",
            query=f"SELECT a, b, c FROM t WHERE a > {n}", **_AT,
        )
        for n in range(5)
    ]  # fmt: skip
    frame = evidence({"list": list_of}).frame("session")
    assert frame is not None
    known: Any = SimpleNamespace(
        worst=SimpleNamespace(waiting=0), blocked=None,
        context=SimpleNamespace(hot_latches=[], setting=lambda _: None),
        lines=lambda *_: None, levels_named=lambda _: [],
    )  # fmt: skip
    match = statements._of_lists(known, frame, None)
    return None if match is None else match.why


def statement_that_runs() -> object:
    return statements._shown(pl.DataFrame({"query": ["SELECT a, b FROM t"]}))


def reads_in_the_log() -> object:
    log = [
        Query(
            query_time_s=60.0, rows_examined=90_000_000, rows_sent=1, lock_time_s=0.0,
            query=f"SELECT a FROM t WHERE b = {n}", **_AT,
        )
        for n in range(5)
    ]  # fmt: skip
    frame = evidence({"slow": log}).frame("query")
    known: Any = SimpleNamespace(
        during=lambda _: frame,
        worst=SimpleNamespace(waiting=0),
        blocked=None,
        lines=lambda *_: None,
    )
    logged = statements._of_log(known)
    return None if logged is None else logged.match.why


def blanks_before_a_word() -> object:
    return scene._beginning("a" + " " * 7 + "b") == "a"


def sleeps_often() -> object:
    queued = next(iter(queues._BY_FUNCTION))
    return queues._sleeps((*("nanosleep",) * (len(queues._SLEEPS) + 1), queued))


def changes_running() -> object:
    listed = [
        Session(
            session_id=n, command="Query", time_s=60.0 - n, user="app", state="Updating",
            query=f"UPDATE t SET a = a + 1 WHERE id = {n}", **_AT,
        )
        for n in range(5)
    ]  # fmt: skip
    frame = evidence({"list": listed}).frame("session")
    known: Any = SimpleNamespace(
        during=lambda kind: frame if kind == "session" else None,
        lines=lambda row, text: text, levels_named=lambda _: [],
        context=SimpleNamespace(hot_latches=[], setting=lambda _: None),
    )  # fmt: skip
    with mock.patch.object(locks, "_in_latches", return_value=0):
        match = locks._by_processlist(known)
    return None if match is None else match.waiters


def change_that_commits() -> object:
    """The third of the older changes."""
    older = [
        Session(
            session_id=n, command="Query", time_s=90.0 - n, user="app", query="UPDATE t SET a = 1",
            state=("Updating", "Updating", "Waiting for semi-sync ACK from slave")[n], **_AT,
        )
        for n in range(3)
    ]  # fmt: skip
    commits = evidence({"list": older}).frame("session")
    assert commits is not None
    return locks._commits(commits, "t", 60.0)


def statements_of_transactions() -> object:
    """The third of three has a list."""
    queries = ["SELECT 1", "SELECT 2", "SELECT a FROM t WHERE a IN (?)"]
    listed = [
        Transaction(trx_id=str(n), state="ACTIVE", query=query, **_AT)
        for n, query in enumerate(queries)
    ]
    frame = evidence({"dump": listed}).frame("transaction")
    known: Any = SimpleNamespace(during=lambda _: frame)
    return latches._share_of_statements(known, latches._IN_DIGEST)


def _digests() -> Any:
    rows = tuple((f"SELECT a FROM t{n} WHERE a IN (?)", str(9 - n)) for n in range(3))
    table = Table(name="digests", columns=("DIGEST_TEXT", "COUNT_STAR"), rows=rows, **_AT)
    return evidence({"digests": [table]})


def rows_of_digests() -> object:
    return digests.digests(_digests())


def digest_with_a_list() -> object:
    known: Any = SimpleNamespace(
        context=SimpleNamespace(evidence=_digests()),
        lines=lambda _, text: text,
        during=lambda _: None,
    )
    base = latches.Match("ahi", 0.9, "", ())
    with mock.patch.object(latches, "ahi_build", return_value=base):
        match = latches.ahi_in_list(known)
    assert match is not None
    return list(match.evidence)


@cache
def _two_sides() -> tuple[Group, Group]:
    """Two sides whose series, stacks, settings and tables all differ."""

    def side(name: str, factor: int) -> Group:
        columns = ("first_key", "second_key", "third_key", "value_of_it")
        rows = tuple(
            (f"row {n % 2}", f"key {n // 2 % 2}", f"name {n // 4}", str(100 * (n + 1) * factor))
            for n in range(8)
        )
        own = ((f"only {name}", f"own {name}", "x", "1"), (f"also {name}", "own", "y", "2"))
        also = ((f"more {name}", "own", "z", "3"),)
        tables = [
            Table(name=f"table_{t}", columns=columns, rows=rows + own + also, **_AT)
            for t in range(3)
        ]
        stacks: list[Record] = [moment("stacks", T0, "utc")]
        stacks += [_stack(n, f"f{n}", "g", "h", count=factor * (n + 1)) for n in range(3)]
        found = evidence(
            {
                f"{name}.csv": [gauge(f"m.{n}", [float(factor * n)] * 30) for n in (1, 2, 3)],
                f"{name}.var": [setting(f"name_{n}", str(factor)) for n in range(3)],
                f"{name}.gdb": stacks,
                f"{name}.tsv": tables,
            }
        )
        return Group(name, (Member(Side(name, found), None),))

    return side("a", 1), side("b", 50)


def sides() -> Any:
    return compare_sides(list(_two_sides()), "start")


def stacks_of_sides() -> object:
    return sides().stacks


def series_of_sides() -> object:
    return sides().series


def settings_of_sides() -> object:
    return sides().settings


def series_of_two_windows() -> object:
    a, b = (group.members[0].side.evidence for group in _two_sides())
    values = [series.values(found.frame("sample")) for found in (a, b)]
    return differences.series_between(*values)


def tables_of_sides() -> object:
    return [item.table for item in sides().tables]


def names_of_tables() -> object:
    return [item.table.name for item in sides().tables]


def keys_of_tables() -> object:
    return [item.table.keys for item in sides().tables]


def changed_rows() -> object:
    return [row for row in sides().tables[0].table.rows if row.state == "changed"]


def new_rows() -> object:
    return [row for row in sides().tables[0].table.rows if row.state == "appeared"]


def gone_rows() -> object:
    return [row for row in sides().tables[0].table.rows if row.state == "gone"]


def keys_of_rows() -> object:
    return [row.key for row in sides().tables[0].table.rows]


def names_of_columns() -> object:
    return [row.column for row in sides().tables[0].table.rows if row.column]


def tables_without_a_time() -> object:
    rows = (("a", "1"),)
    tables = [
        Table(name="t", columns=("k", "v"), rows=rows, line_first=n, line_last=n) for n in (1, 2, 3)
    ]
    (warning,) = untimed_tables([Side("a", evidence({"a.tsv": tables}), Span(T0, T0 + S))])
    return re.findall(r"a\.tsv line \d", warning)


def odd_host() -> object:
    """Three series of which one host of four shows other values."""
    hosts = ("a", "b", "c", "odd")
    found = evidence(
        {
            host: [
                gauge(f"m.{n}", [90.0 if host == "odd" else 1.0 + 0.1 * at] * 30, host=host)
                for n in range(3)
            ]
            for at, host in enumerate(hosts)
        }
    )
    return fleet(found, None).differing


def impossible_values() -> object:
    rows = [Query(query_time_s=1e30 + n, query="SELECT 1", **_AT) for n in range(4)]
    (problem,) = admission.admit("query", frames(*rows)["query"])[1]
    return re.split(r" and | were ", problem.message.partition("query_time_s ")[2])[0].split(", ")


def impossible_series() -> object:
    rows = [gauge(f"m.{n}", [1e300 + n] * 3) for n in range(4)]
    problems = admission.admit("sample", frames(*rows)["sample"])[1]
    return [problem.message for problem in problems if " more series" not in problem.message]


def defect() -> object:
    return re.findall(
        r"ValueError: (.*?)\)", answers._defect("roots", ValueError("a long message"))
    )


def _transaction_of_deadlock(n: int) -> dict[str, Any]:
    return {
        "holds": [f"record app.t{n}_{at} PRIMARY X" for at in range(3)], "number": n,
        "waits_for": f"record app.t{(n + 1) % 3}_0 PRIMARY X", "query": f"UPDATE t{n} SET a=1",
    }  # fmt: skip


def _cycle() -> cycles.Cycle:
    return cycles.read([_transaction_of_deadlock(n) for n in range(3)], 1)


def members_of_deadlock() -> object:
    return _cycle().members


def locks_of_deadlock() -> object:
    return [member.holds for member in _cycle().members]


_KIND: Any = next(iter(WORDS))


def shapes_of_deadlock() -> object:
    return begin_pattern("key", _KIND, _cycle(), {}).shapes


def tables_of_deadlock() -> object:
    return begin_pattern("key", _KIND, _cycle(), {}).tables


def statement_of_deadlock() -> object:
    return read_statement.__wrapped__("UPDATE t SET a = 1 WHERE b = 2").shape


def wanted_evidence() -> object:
    context: Any = SimpleNamespace(server=Server())
    with mock.patch.object(next_evidence, "_has", return_value=False):
        return next_evidence.to_settle(context, None).partition(": ")[2].split("; ")


def names_of_stacks() -> object:
    """Joined by commas and 'or'."""
    groups_of: Any = [SimpleNamespace(names=(f"f{n}", "main"), threads=9.0 - n) for n in range(4)]
    return re.findall(r"f\d", observed._named(groups_of, ("f0", "f1", "f2", "f3")))


def places_of_latch() -> object:
    places = [
        SimpleNamespace(
            latch="l", example=LINES, max_at_once=3, file="f.cc", line=n, mode="S",
            latch_label="created at x", share=0.2, max_waited_s=1.0,
        )
        for n in range(4)
    ]  # fmt: skip
    latch = SimpleNamespace(latch="l", max_at_once=3, waits=9, share=1.0, longest_s=1.0)
    known: Any = mock.MagicMock()
    known.context.hot_waits, known.context.hot_latches = places, [latch]
    return observed.Observed.hot_latch(known, "l").evidence


def statement_of_holder() -> object:
    """The holder's statement says it from its fifth letter on."""
    queue = SimpleNamespace(
        waiters=3, label="lock", longest=None, holder=object(), sure=1.0, share=0.5, evidence=(),
        in_largest=3,
    )  # fmt: skip
    known: Any = mock.MagicMock()
    known.queues = {"row": queue}
    with (
        mock.patch.object(observed.worst_moment, "text_of", return_value="run ALTER"),
        mock.patch.object(observed.worst_moment, "describe_holder", return_value="it"),
    ):
        return observed.Observed.wait(known, "row", holder="ALTER", sure=None).holds


def values_of_a_remedy() -> object:
    names = ("innodb_io_capacity", "table_open_cache", "max_connections")
    settings = {
        name: SimpleNamespace(value="100", name=name, number=100.0, source="SHOW VARIABLES")
        for name in names
    }
    context: Any = SimpleNamespace(settings=settings)
    said = particulars._with_values(" and ".join(f"raise {name}" for name in names), context)
    return re.findall(r"\w+ is 100", said)


def file_of_full_disk() -> object:
    """The third line names it."""
    messages = ["No space left on device", "No space left on device"]
    messages.append("Error writing file '/data/big.ibd' (errno: 28 - No space left on device)")
    context: Any = SimpleNamespace(
        evidence=SimpleNamespace(frame=lambda _: pl.DataFrame({"message": messages}))
    )
    return particulars._file(context)


def statements_of_deadlocks() -> object:
    queries = [f"UPDATE t{n} SET a = 1" for n in (0, 0, 0, 1, 1, 2)]
    printed = pl.DataFrame({"transactions": [[{"query": query} for query in queries]]})
    return storms._usual_statements(printed).split(" and ")


def words_of_an_experiment() -> object:
    """Cut within its only word."""
    return falsifiable._cut("unbroken")


def _pinned() -> pin_value.PinnedValue:
    rows = [setting(f"name_{n}", "a value") for n in range(4)]
    pinned = pin_value.value_of_lines(frames(*rows))
    assert pinned is not None
    return pinned


def pinned_lines() -> object:
    return [line for line in _pinned().text.split("\n") if not line.startswith("and ")]


def hash_of_pinned_lines() -> object:
    return _pinned().hash


def pinned_sample() -> object:
    return pin_value._line("sample", {"series": "m.x", "labels": "", "value": 1.0})


def pinned_record() -> object:
    return pin_value._line("setting", {"name": "a name", "value": "b"})


def features_of_series() -> object:
    shifts = [SimpleNamespace(name=f"metric.of_{n}", direction="up") for n in range(4)]
    return list(similar._series(SimpleNamespace(shifts=shifts)))  # type: ignore[arg-type]


def table_of_statement() -> object:
    """Named from the eighth letter on."""
    return tables_of.__wrapped__("UPDATE tb SET a = 1")


def shape_of_statement() -> object:
    return short_shape("SELECT a, b FROM t WHERE c = 5")


def jumps_of_a_clock() -> object:
    steps = [("sha", f"step {n}") for n in range(4)]
    with (
        mock.patch.object(jumps, "_by_uptime", return_value=steps),
        mock.patch.object(jumps, "_backwards", return_value=[]),
    ):
        return jumps.clock_jumps({}, {}, {})


def _stall(n: int, cause: str) -> Any:
    return SimpleNamespace(
        id=f"e{n}", finding=cause, leading=False, same_as=None, findings=(),
        stall=SimpleNamespace(onset=f"2026-11-20T22:0{n}:00Z", host=None, kind="stall"),
    )  # fmt: skip


def causes_of_stalls() -> object:
    apart = [_stall(n, f"cause {n}") for n in range(4)]
    titles = {f"cause {n}": f"Cause {n}" for n in range(4)}
    text = recurrence.recurrence([], apart, titles).text
    return re.findall(r"\(\S+\)", text.replace(" UTC", "").replace("22:", ""))


def exceptions_of_stalls() -> object:
    shared = [
        *(_stall(n, "common") for n in range(5)),
        *(_stall(n, f"cause {n}") for n in (5, 6, 7)),
    ]
    titles = {"common": "Common", **{f"cause {n}": f"Cause {n}" for n in range(8)}}
    text = recurrence.recurrence([], shared, titles).text.partition("exception: ")[2]
    return re.findall(r"\d\d:\d\d:\d\d", text)


def uptimes_of_hosts() -> object:
    """Those of the second host move away from the third sample on."""
    moved = [100.0 + n + (900 if n > 1 else 0) for n in range(7)]
    samples = pl.DataFrame(
        {
            "host": ["a"] * 7 + ["b"] * 7, "series": ["mysql.Uptime"] * 14, "labels": [""] * 14,
            "time": [T0 + n * S for n in range(7)] * 2,
            "value": [100.0 + n for n in range(7)] + moved,
        }
    )  # fmt: skip
    a, b = (metrics_hosts._Host(name, first=T0, last=T0 + 9 * S) for name in "ab")
    return metrics_hosts._contradict(samples, a, b)


def files_with_the_same_sessions() -> object:
    """Those that one is compared with."""
    names = ("lonely", "b", "c", "d")
    sources: Any = [
        SimpleNamespace(artifact=name, quality="exact", timed=True, name=name) for name in names
    ]
    compared = mock.Mock(return_value=None)
    with ExitStack() as patches:
        for name, instead in (
            ("_counts", lambda _: dict.fromkeys(names)),
            ("in_order", lambda each: each),
            ("_one_server", lambda *_: True),
            ("seen_together", lambda *_: True),
            ("_offset", compared),
        ):
            patches.enter_context(mock.patch.object(session_shapes, name, instead))
        session_shapes.by_sessions(sources, {"lonely"}, mock.Mock())
    return [call.args[2] for call in compared.call_args_list]


def series_that_anchor() -> object:
    """How many series are compared."""
    wave = [float(abs(n % 20 - 10)) for n in range(200)]
    found = frames(*(gauge(f"m.{n}", [v * (n + 1) for v in wave]) for n in range(3)))["sample"]
    tried = mock.Mock(return_value=None)
    keyed = pl.DataFrame(
        {"key": ["a"] * 200 + ["b"] * 200 + ["c"] * 200, "value": wave * 3, "host": None}
    )
    with ExitStack() as patches:
        patches.enter_context(mock.patch.object(anchoring, "_best", tried))
        patches.enter_context(
            mock.patch.object(anchoring, "_keys", return_value={"m.0": "a", "m.1": "b", "m.2": "c"})
        )
        patches.enter_context(mock.patch.object(anchoring, "_per_second", return_value=keyed))
        patches.enter_context(mock.patch.object(anchoring, "_relative", return_value=pl.lit(0)))
        anchoring.match(found, SimpleNamespace(frame=keyed), None, None)  # type: ignore[arg-type]
    return [call.args[0]["key"][0] for call in tried.call_args_list]


def judged_stalls() -> object:
    """The stalls that are judged; the others are listed only."""
    stalls = [
        SimpleNamespace(kind="stall", onset=n, end=n + 1, peak=None, evidence=()) for n in range(3)
    ]
    examined = SimpleNamespace(stalls=stalls, real=stalls, every=())
    judge = mock.Mock(return_value=mock.MagicMock())
    with ExitStack() as patches:
        for name, instead in (
            ("partition", lambda _: [mock.Mock()]),
            ("_by_capture", lambda *_: {}),
            ("shares", lambda *_: [(mock.Mock(id="c"), None)]),
            ("examine", lambda *_: examined),
            ("Episode", lambda each, at: mock.MagicMock(stall=each.stalls[at], id=str(at))),
            ("_mark_same", lambda _: None),
            ("_size", lambda _: 1),
            ("_weight", lambda _: 1),
            ("_neighbours", lambda *_: ()),
            ("judge", judge),
        ):
            patches.enter_context(mock.patch.object(case, name, instead))
        case.examine_case(mock.Mock(), (), mock.MagicMock())
    return [call.args[1].onset for call in judge.call_args_list]


# ---- waits --------------------------------------------------------------------------------------


def _actor(n: int, **more: Any) -> Any:
    usual: dict[str, Any] = {
        "id": f"a{n}", "session": None, "trx": None, "stack": {"line": n}, "functions": (),
        "lock_wait": False, "event": None, "session_id": n, "query": None,
    }  # fmt: skip
    return SimpleNamespace(**usual | more)


def _draft(*actors: Any) -> Any:
    draft = mock.MagicMock()
    draft.scene.actors = {actor.id: actor for actor in actors}
    draft.waiting, draft.resources = set(), {}
    return draft


def _held(draft: Any) -> list[str]:
    """The holders that were added, by name."""
    return [call.args[1].id for call in draft.hold.call_args_list]


def appliers_before() -> object:
    waiter = _actor(0, functions=("Commit_order_manager::wait",))
    busy = [_actor(n, functions=("work", "handle_slave_worker")) for n in (1, 2, 3)]
    draft = _draft(waiter, *busy)
    by_commit_order.commit_order(draft)
    return _held(draft)


def flushes_of_redo() -> object:
    draft = _draft(_actor(0, functions=("wait",)))
    flushing = [_actor(n) for n in (1, 2, 3)]
    with (
        mock.patch.object(by_commits, "waits_for_redo", return_value=True),
        mock.patch.object(by_commits.commit_queue, "stage", return_value=""),
    ):
        by_commits._redo(draft, {"redo log": flushing})
    return _held(draft)


def readers_of_latch() -> object:
    draft = _draft()
    draft.scene.latch_holds = [
        {"latch_address": "0x1", "mode": "S", "thread_id": n} for n in range(3)
    ]
    return by_instruments.readers(draft, "0x1")


def holders_by_stack() -> object:
    draft = _draft(*(_actor(n) for n in range(3)))
    with (
        mock.patch.object(by_latch_stacks.latch_stacks, "inside", return_value=True),
        mock.patch.object(by_latch_stacks, "is_waiting", return_value=False),
    ):
        by_latch_stacks._holders(draft, mock.Mock())
    return _held(draft)


def holders_of_queue() -> object:
    inside = [(_actor(n), "inside") for n in range(3)]
    with mock.patch.object(by_queues.queues, "inside", return_value=inside):
        return by_queues._holders(_draft(), mock.Mock(id="concurrency"), [], [], set())


def commits_before_a_lock() -> object:
    committing = [_actor(n) for n in range(3)]
    draft = _draft(*committing)
    with (
        mock.patch.object(by_queues.by_commit_order, "waiters", return_value=committing),
        mock.patch.object(by_queues.lock_holders, "guess_blocking_write", return_value=None),
    ):
        by_queues._hold_granting(draft, mock.Mock(), mock.Mock(), 0.0, committing, set())
    return _held(draft)


def statements_of_group() -> object:
    """One group for each of the commonest shapes; the last holds the others."""
    nodes: Any = [
        SimpleNamespace(id=f"{shape}{n}", kind="thread", shape=shape)
        for shape in "abc"
        for n in range(40)
    ]
    shape: Any = SimpleNamespace(behind=())
    parts = groups._by_statement(nodes, shape, groups._GRAINS[0])
    return [name for name, _ in parts if name != groups._suffix("other statements")]


def outstanding_blockers() -> object:
    """Those that block many more than the usual one are not folded."""
    nodes: Any = [
        SimpleNamespace(id=f"n{n}", kind="thread", blocks_total=5000 if n < 3 else 1, waited_s=1.0)
        for n in range(40)
    ]
    shape: Any = SimpleNamespace(ahead={"n0": ("x",)}, behind={"n0"})
    grain: Any = SimpleNamespace(blockers=1, by_parent=False)
    folded = groups._folded(nodes, shape, grain, {})
    return [node.id for node in nodes if node not in folded]


def session_of_a_list() -> object:
    row = {"user": "app", "client_host": "h", "query": "SELECT 1"}
    graph: Any = SimpleNamespace(actors={"a": _actor(0, session_id=None, session=row)})
    return moment_graph.lasting_key("a", graph).split(":")


def rows_of_heat() -> object:
    """The labels of the commonest, and 'others'."""
    at = {"artifact": ["a"], "snapshot": [0], "host": ["h"], "time": [T0]}
    labels = [label for n, label in enumerate("abcd") for _ in range(9 - n)]
    frame = pl.DataFrame({"label": labels}).with_columns(
        artifact=pl.lit("a"), snapshot=pl.lit(0, pl.Int64), detail=pl.lit("")
    )
    rows = over_time._rows("state", frame, pl.DataFrame(at))  # type: ignore[arg-type]
    return [row.label for row in rows if row.label != "others"]


def long_transactions() -> object:
    listed = [
        Transaction(trx_id=str(n), state="ACTIVE", active_s=900.0 + n, **_AT) for n in range(3)
    ]
    return over_time.transaction_spans(evidence({"dump": listed}))


def roots_of_three_tables() -> Any:
    return test_rivals.three_holders().roots


def labels_of_paths() -> object:
    return [root.path for root in roots_of_three_tables()]


def nodes_that_last() -> object:
    def lasting(n: int) -> Any:
        return SimpleNamespace(
            seen=2, waiting=2, blocking=0, root=False, most=1, cost_s=float(n), first=T0, last=T0
        )

    choice = SimpleNamespace(unit="dump", chosen=[1, 2], total=2, among=2)
    tally: Any = SimpleNamespace(choice=choice, nodes={f"n{n}": lasting(n) for n in range(3)})
    return persistence.wait_persistence(tally).nodes


def nodes_found_by_id() -> object:
    nodes: Any = [SimpleNamespace(id=f"n{n}") for n in range(3)]
    with mock.patch.object(search, "_ids", return_value=("id of all",)):
        return search.find_nodes(nodes, "id of all")


def nodes_found_by_words() -> object:
    nodes: Any = [SimpleNamespace(id=f"n{n}") for n in range(3)]
    with (
        mock.patch.object(search, "_ids", return_value=()),
        mock.patch.object(search, "_text", return_value="words of all"),
    ):
        return search.find_nodes(nodes, "words")


def _waits() -> Any:
    return evidence(
        {
            "dump": [
                moment("innodb_status", T0, "utc"),
                *(
                    SemaphoreWait(
                        thread_id=n, file=f"file{n}.cc", line=n, mode="S", waited_s=1.0,
                        latch_name=f"latch {n}", **_AT,
                    )
                    for n in range(1, 4)
                ),
            ]
        }
    )  # fmt: skip


def places_of_waits() -> object:
    return [each.file for each in moment_graph.hot_waits(_waits(), None)]


def latches_of_waits() -> object:
    return [each.label for each in moment_graph.hot_latches(_waits(), None)]


def places_of_node() -> object:
    edges = [
        SimpleNamespace(
            source="r", target="a", kind="waits_for", source_site=None,
            locators=[structs.replace(LINES, line_first=n, line_last=n)],
        )
        for n in range(1, 5)
    ]  # fmt: skip
    graph: Any = SimpleNamespace(actors={}, resources={"r": None}, touching={"r": edges})
    counts: Any = SimpleNamespace(direct={"r": 0}, total={"r": 0}, depth={"r": 1})
    node = thread_node(Actor("a"), waits=False)
    with mock.patch.object(moment_graph, "resource_node", return_value=node):
        return moment_graph.node_doc("r", graph, counts).locators


def roots_of_graph() -> object:
    names = ["a", "b", "c"]
    with ExitStack() as patches:
        for name in ("node_doc", "why_root", "_is_inferred", "confidence", "amplification"):
            patches.enter_context(mock.patch.object(moment_graph, name))
        patches.enter_context(mock.patch.object(moment_graph, "at_least"))
        docs = moment_graph.roots_doc(mock.MagicMock(), mock.MagicMock(), names)
    return [doc.node for doc in docs]


def _whole(stack: Any, members: int) -> Any:
    def node(n: int) -> Any:
        return SimpleNamespace(id=f"n{n}", label=f"n{n}", waited_s=1.0, blocks_total=0)

    graph = SimpleNamespace(actors={"n0": _actor(0, stack=stack)}, resources={}, touching={})
    nodes = [node(n) for n in range(members)]
    return SimpleNamespace(graph=graph, nodes=nodes, groups={n.id: "group:g" for n in nodes})


def _stack_of_node() -> dict[str, Any]:
    deep = [{"function": name} for name in ("a", "b", "c")]
    return {"frames": deep, "artifact": "a", "snapshot": 0}


def members_of_group() -> object:
    found = inspect_node.describe_node(_whole(None, 3), "group:g")
    assert found is not None
    return found.members


def frames_of_node() -> object:
    with mock.patch.object(inspect_node, "_frame", lambda frame: frame["function"]):
        found = inspect_node.describe_node(_whole(_stack_of_node(), 1), "n0")
    assert found is not None
    return found.frames


def key_of_node() -> object:
    return inspect_node._key(_stack_of_node())


def stack_of_thread() -> object:
    actor = Actor("a")
    actor.stack = _stack_of_node()
    return thread_node(actor, waits=False).stack


def statement_of_step() -> object:
    actor = _actor(0, query="UPDATE t", is_idle=False)
    graph: Any = SimpleNamespace(actors={"a": actor})
    with mock.patch.object(path_steps, "_since", return_value=None):
        return path_steps._step("a", "a", 1, graph).statement


# ---- lists of the document -----------------------------------------------------------------


def listed_tables() -> object:
    rows = (("a", "1"),)
    tables = [Table(name=f"t{n}", columns=("k", "v"), rows=rows, **_AT) for n in range(3)]
    return table_changes.tables(evidence({"a.tsv": tables}))


def cells_that_changed() -> object:
    cells = tuple(CellChange(str(n), str(9 * n), None, 9.0) for n in (1, 2, 3))
    return table_changes._largest([RowChange("changed", ("k",), cells)], ("a", "b", "c"))


def ranges_of_lines() -> object:
    return line_ranges.line_ranges([(1, 1), (3, 3), (5, 5), (7, 7)])


def beginning_of_statement() -> object:
    return scene._beginning("UPDATE t")


def listed_events() -> object:
    logged = [Event(kind="log", message=f"event {n}", **_AT) for n in range(3)]
    return catalogue.events(evidence({"log": logged}))


def nearest_functions() -> object:
    return stall_records._group(("a", "b", "c"), profiled=False)


def metadata_functions() -> object:
    return stall_records._group(("MDL_a", "around_it", "MDL_b"), profiled=False)


def level_of_blocks() -> object:
    """A block of three hides the third value, which stands alone."""
    return onsets._is_flat([0.0, 0.0, 9.0, 0.0, 0.0, 0.0], 0.5)


def moved_series() -> object:
    quiet, loud = [10.0, 11.0] * 30, [200.0] * 60
    values = series.values(
        evidence({"m": [gauge(f"metric.{name}", [*quiet, *loud]) for name in "abc"]}).frame(
            "sample"
        )
    )
    return shifts.shifts(values, Span(T0 + 60 * S, T0 + 119 * S), Span(T0, T0 + 59 * S))


def fixes_of_finding() -> object:
    finding: Any = SimpleNamespace(
        id="f", role="problem", verdict="found", mitigations=["a", "b", "c"]
    )
    with mock.patch.object(
        compose, "_fix", lambda _, each: SimpleNamespace(command=each, action=each)
    ):
        return [fix.command for fix in compose._fixes([finding])]


def digest_that_takes_time() -> object:
    digest = SimpleNamespace(total_s=900.0, calls=10.0, lock_s=0.0, text="SELECT a", table={})
    known: Any = mock.MagicMock()
    with mock.patch.object(statements, "digests", return_value=[digest]):
        match = statements._of_digests(known)
    assert match is not None
    return re.findall(r"'(.*)'", match.why)
