"""What rules and small parts of the engine decide of made-up levels: a value on each side."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from pileup.analysis.evidence.context import Span
from pileup.analysis.findings.rules import commit, concurrency
from pileup.analysis.stacks import queues
from pileup.analysis.stalls import refusals, workloads
from pileup.analysis.story import endings
from pileup.analysis.waits import by_latch_stacks, fold
from tests.analysis.frames import T0, S
from tests.analysis.turning.tools import always, given, instead, level

patterns: Any = import_module("pileup.analysis.deadlocks.patterns")
"""The module: its package has a function of the same name."""

# ---- more threads, less work -------------------------------------------------------------------


def moved(direction: str, stall: float | None, ratio: float | None) -> Any:
    return given(direction=direction, stall=stall, ratio=ratio)


def seen(
    threads: Any, rate: Any, *, waiters: int = 30, rows: int = 0, latch: str | None = None,
    **settings: float,
) -> Any:  # fmt: skip
    shifts = {concurrency.THREADS: threads, concurrency.RATES: rate}
    return given(
        shift=lambda *names: shifts[names], latch_waiters=waiters,
        lock_queue=given(waiters=given(most=rows)), one_latch=latch,
        context=given(number=settings.get), shifted=lambda shift: shift.direction,
        setting=lambda name: name if name in settings else None,
    )  # fmt: skip


UP, DOWN = moved("up", 100.0, 5.0), moved("down", 10.0, 0.3)


@pytest.mark.parametrize(
    ("threads", "rate", "waiters", "rows", "holds"),
    [
        (UP, DOWN, 30, 0, True),
        (None, DOWN, 30, 0, False),
        (UP, None, 30, 0, False),
        (moved("down", 100.0, 5.0), DOWN, 30, 0, False),
        (UP, moved("up", 10.0, 0.3), 30, 0, False),
        (moved("up", 64.0, 4.0), DOWN, 30, 0, True),
        (moved("up", 63.0, 4.0), DOWN, 30, 0, False),
        (moved("up", 64.0, 3.9), DOWN, 30, 0, False),
        (moved("up", 64.0, None), DOWN, 30, 0, True),
        (moved("up", None, 5.0), DOWN, 30, 0, False),
        (UP, moved("down", 10.0, 0.5), 30, 0, True),
        (UP, moved("down", 10.0, 0.51), 30, 0, False),
        (UP, moved("down", 10.0, 0.0), 30, 0, True),
        (UP, moved("down", 10.0, None), 30, 0, False),
        (UP, DOWN, 20, 0, True),
        (UP, DOWN, 19, 0, False),
        (UP, DOWN, 30, 30, True),
        (UP, DOWN, 30, 31, False),
    ],
)
def test_a_collapse_has_more_threads_and_less_work(
    threads: Any, rate: Any, waiters: int, rows: int, holds: bool
) -> None:
    found = concurrency.collapse(seen(threads, rate, waiters=waiters, rows=rows))
    assert (found is not None) is holds


@pytest.mark.parametrize(
    ("ratio", "latch", "settings", "score"),
    [
        (0.3, None, {}, 0.55),
        (0.3, None, {"innodb_thread_concurrency": 0}, 0.75),
        (0.3, None, {"innodb_thread_concurrency": 1}, None),
        (0.3, None, {"innodb_thread_concurrency": 64}, None),
        (0.3, None, {"innodb_thread_concurrency": 65}, 0.55),
        (0.2, None, {}, 0.67),
        (0.21, None, {}, 0.55),
        (0.3, None, {"innodb_sync_spin_loops": 30}, 0.55),
        (0.3, None, {"innodb_sync_spin_loops": 31}, 0.6),
        (0.3, "btr_search_latch", {}, 0.275),
    ],
)
def test_how_sure_it_is_that_nothing_limits_the_threads(
    ratio: float, latch: str | None, settings: dict[str, float], score: float | None
) -> None:
    found = concurrency.unlimited(seen(UP, moved("down", 1.0, ratio), latch=latch, **settings))
    assert (found and found.score) == score
    if found is not None:
        assert found.evidence == ("up", "down", *settings)
        assert (f"falls to {ratio:.0%}" in found.why) or (f"fell to {ratio:.0%}" in found.why)
        assert found.why.endswith("(innodb_thread_concurrency=0).") == (
            settings.get("innodb_thread_concurrency") == 0
        )
        assert bool(found.against) == (latch is not None)


@pytest.mark.parametrize(
    ("before", "inside", "more", "score"),
    [
        (100.0, 50.0, {}, 0.5),
        (100.0, 51.0, {}, None),
        (100.0, 20.0, {}, 0.6),
        (100.0, 21.0, {}, 0.5),
        (0.0, 20.0, {}, None),
        (None, 20.0, {}, None),
        (100.0, 20.0, {"limit": 1}, None),
        (100.0, 20.0, {"limit": None}, None),
        (100.0, 20.0, {"stall": None}, None),
        (100.0, 20.0, {"snapshots": "some"}, None),
        (100.0, 20.0, {"threads": level("threads_running", 9.0)}, None),
    ],
)
def test_work_that_collapses_alone(
    before: float | None, inside: float, more: dict[str, Any], score: float | None
) -> None:
    limit = more.get("limit", 0)
    rate = level("qps", inside, before=before)
    observed: Any = given(
        context=given(
            evidence=given(frame=always(more.get("snapshots"))), stall=more.get("stall", "stall"),
            number=always(limit),
        ),
        levels=given(first=lambda *names: more.get("threads") if "threads_running" in names else (
            rate)),
        setting=always(None if limit is None else "where"),
    )  # fmt: skip
    found = concurrency._work_alone(observed)
    assert (found and found.score) == score


# ---- a flush that takes seconds ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("pending", "rate", "score"),
    [
        ([5.0], 5.0, 0.2),
        ([4.9], 5.0, None),
        ([50.0], 5.0, 0.4),
        ([9.0, 50.0, 7.0], 5.0, 0.4),
        ([0.9], 0.1, None),
        ([1.0], 0.1, 0.4),
        ([], 5.0, None),
        ([5.0], None, None),
        ([5.0], 0.0, "unended"),
    ],
)
def test_flushes_by_littles_law(pending: list[float], rate: float | None, score: Any) -> None:
    levels = [level("pending_fsyncs", each) for each in pending]
    labelled = [level("pending_fsyncs", 900.0, labels="file=a")]
    observed: Any = given(
        levels_named=always([*levels, *labelled]),
        level=lambda name: rate if name == "log_ios_per_s" else None,
        series=lambda most, _: most.inside,
        during=always(None),
    )
    with instead(
        commit,
        _unended_flush=always(given(score="unended", evidence=())),
        _commits_of_log=always(None),
        _commits_by_digests=always(None),
    ):
        found = commit._slow_flushes(observed)
    assert (found and found.score) == score
    if found is not None and score != "unended":
        assert found.evidence == (max(pending),)


# ---- refusals ----------------------------------------------------------------------------------


def test_lines_that_report_refusals_are_a_stall_from_five_on() -> None:
    def stalls(*counts: int) -> Any:
        ranges = [list(range(count)) for count in counts]
        with instead(
            refusals, _together=always(ranges), _of_times=lambda *more: (len(more[0]), *more[1:])
        ):
            return refusals.by_log([], "db")

    why = "log lines report connections or statements that failed."
    assert stalls() == stalls(4) == []
    assert stalls(4, 5, 3, 9) == [(5, "db", f"5 {why}"), (9, "db", f"9 {why}")]


@pytest.mark.parametrize(
    ("done", "errors", "is_much"),
    [(None, None, True), (None, 0.0, True), (100.0, 5.0, True), (100.0, 4.9, False),
     (100.0, None, False), (0.0, None, True)],
)  # fmt: skip
def test_errors_count_beside_the_work(
    done: float | None, errors: float | None, is_much: bool
) -> None:
    levels = iter([(None, errors), (None, done)])
    with instead(refusals, levels_around=lambda *_: next(levels)):
        assert refusals._is_much(given(span=None), given(), given(), "errors") is is_much  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("count", "seconds", "done", "found"),
    [
        (10, 10, None, True),
        (9, 10, None, False),
        (10, 11, None, False),
        (10, 10, 100.0, True),
        (10, 10, 100.1, False),
        (20, 10, 200.0, True),
    ],
)
def test_deadlocks_that_end_much_of_the_work(
    count: int, seconds: int, done: float | None, found: bool
) -> None:
    """One a second, and one per cent of the statements where these are known."""
    ended = [T0 + 1 + round(n * seconds * S / (count - 1)) for n in range(count)]
    with instead(
        refusals, _together=always([ended]), levels_around=always((None, done)),
        _of_times=lambda *more: more,
    ):  # fmt: skip
        stalls: Any = refusals.by_deadlocks([], None, "db")
    assert bool(stalls) is found
    if found:
        assert stalls[0][0][0] == T0  # the second in which the first ended
        assert stalls[0][1:] == ("db", f"{count} {refusals.DEADLOCKS_ENDED}")


def test_without_a_quiet_time_no_work_is_compared() -> None:
    stall: Any = given(baseline=None, end=None, signal="signal")
    assert workloads.is_done(stall, None, always(0.0)) is False  # type: ignore[arg-type]
    stall = given(baseline=Span(0, 1), end=None, signal=None)
    assert workloads.is_done(stall, None, always(0.0)) is False  # type: ignore[arg-type]
    stall = given(baseline=None, end=5, signal=None)
    assert workloads.is_done(stall, None, always(0.0)) is False  # type: ignore[arg-type]


# ---- names and groups --------------------------------------------------------------------------


def waiting(**more: Any) -> Any:
    fields = {"blocks_total": 0, "detail": "", "mode": None, "query": None, "trx_id": None,
              "session_id": None}  # fmt: skip
    return given(**(fields | more))


@pytest.mark.parametrize(
    ("members", "label"),
    [
        ([waiting(detail="at a.cc:1", mode="S")] * 2, ("2 waiters", "S at a.cc:1")),
        ([waiting(detail="at a.cc:1"), waiting(detail="x, at a.cc:1")], ("2 waiters", "at a.cc:1")),
        ([waiting(), waiting(detail="in b", query="Q")], ("2 waiters", "in b")),
        ([waiting(query="Q\n1"), waiting(query="Q\n2")], ("2 waiters", "Q")),
        ([waiting(blocks_total=2, query="Q"), waiting(query="Q")],
         ("2 threads, each blocking 0 to 2", "Q")),
        ([waiting(blocks_total=2, trx_id="1", session_id=1)] * 2,
         ("2 transactions, each blocking 2", "")),
        ([waiting(blocks_total=2, trx_id="1"), waiting(blocks_total=3, session_id=1)],
         ("2 threads, each blocking 2 to 3", "")),
        ([waiting(blocks_total=12000, session_id=1)] * 2,
         ("2 sessions, each blocking 12\u202f000", "")),
    ],
)  # fmt: skip
def test_the_label_of_threads_that_are_folded(members: list[Any], label: tuple[str, str]) -> None:
    assert fold._threads(members) == label


def test_the_most_deadlocks_of_a_minute() -> None:
    row = {"transactions": [], "victim": None}
    minute = 60 * S
    times = [0, 59 * S, minute, minute + 1, minute + 59 * S, 3 * minute, None]
    began: Any = given(count=0, first_us=None, last_us=None, most_in_a_minute=0, id="p")
    with instead(
        patterns, _read=always(("cycle", "kind")), pattern_id=always("p"), _begin=always(began)
    ):
        (found,) = patterns.patterns([row | {"time": time} for time in reversed(times)])
    assert (found.count, found.first_us, found.last_us) == (7, 0, 3 * minute)
    assert found.most_in_a_minute == 3


@pytest.mark.parametrize(
    ("query", "statement", "same"),
    [
        (None, None, True), ("", None, True), (None, "SELECT 1", False), ("SELECT 1", None, False),
        ("SELECT  1\n", "SELECT 1", True), ("SELECT 1, 2", "SELECT 1", True),
        ("SELECT 1", "SELECT 1, 2", True), ("SELECT 1", "SELECT 2", False),
        ("a" * 80 + "b", "a" * 80 + "c", True), ("a" * 79 + "b", "a" * 79 + "c", False),
    ],
)  # fmt: skip
def test_a_statement_of_a_list_may_be_cut(
    query: str | None, statement: str | None, same: bool
) -> None:
    assert endings._same(query, statement) is same


def test_who_is_inside_of_what_a_queue_waits_for() -> None:
    def actor(name: str, functions: tuple[str, ...] = (), **trx: bool) -> Any:
        return given(name=name, functions=functions, trx=trx or None)

    queue: Any = given(id="other", inside=frozenset({"work"}), inside_words="is at work")
    actors = [actor("a", ("read", "work(int)")), actor("b"), actor("c", ("read",)),
              actor("d", ("wait", "work"))]  # fmt: skip
    with instead(
        queues, function_key=lambda name: name.partition("(")[0], is_waiting=lambda f: "wait" in f
    ):
        found = queues.inside(queue, actors)
    assert [(each.name, why) for each, why in found] == [("a", "its stack is at work")]
    declared: Any = given(id="concurrency")
    actors = [actor("a", declared_inside=True), actor("b", declared_inside=False), actor("c")]
    assert [each.name for each, _ in queues.inside(declared, actors)] == ["a"]


def test_stacks_tell_of_waits_only_where_no_dump_does() -> None:
    asked: list[str] = []

    def draft(**waits: bool) -> Any:
        actors = {
            name: given(id=name, waits=waits.get(name, False), stack=stack, functions=(name,),
                        session=None)
            for name, stack in (("a", "stack"), ("b", None), ("c", "stack"), ("d", "stack"))
        }  # fmt: skip
        return given(
            scene=given(actors=actors), waiting={"c"}, resources={"r": "resource"},
            lines=lambda stack: stack,
            wait=lambda actor, *_, **more: asked.append(f"{actor.id} {more['mode']}"),
        )  # fmt: skip

    def waits_for(functions: Any) -> Any:
        return given(latch="l", mode="X", function="f") if functions != ("d",) else None

    held: list[str] = []
    with (
        instead(by_latch_stacks.latch_stacks, waits_for=waits_for),
        instead(by_latch_stacks, _resource=always(given(id="r")),
                _holders=lambda _, resource: held.append(resource)),
    ):  # fmt: skip
        by_latch_stacks.stacks_alone(draft())
        assert (asked, held) == (["a X"], ["resource"])
        by_latch_stacks.stacks_alone(draft(d=True))
    assert (asked, held) == (["a X"], ["resource"])
