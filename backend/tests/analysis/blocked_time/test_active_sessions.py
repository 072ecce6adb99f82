"""Active sessions over time: classes add up to the level, seconds are its area."""

from __future__ import annotations

import random

import pytest

from pileup.analysis import analyse
from pileup.analysis.blocked_time.active_sessions import (
    MOST_POINTS,
    Level,
    Mix,
    active_sessions,
)
from pileup.analysis.contract import ActiveSessionsDoc
from pileup.records import Record, Session
from tests.analysis.frames import T0, S, evidence, gauge
from tests.analysis.waits.test_waits import evidence as printed
from tests.support.captures import analysis_of, of_samples, sample


def level(values: list[float], step: int = 1) -> Level:
    return Level("mysql.Threads_running", [T0 + n * step * S for n in range(len(values))], values)


def adds_up(shown: ActiveSessionsDoc) -> None:
    assert len(shown.times) == len(shown.level) <= MOST_POINTS
    for at, value in enumerate(shown.level):
        assert sum(each.values[at] for each in shown.classes) == pytest.approx(value, abs=0.02)
    assert sum(each.share for each in shown.classes) == pytest.approx(1, abs=0.002)
    if shown.seconds is not None and shown.low is not None and shown.high is not None:
        assert shown.low <= shown.seconds <= shown.high
        seconds = sum(each.seconds or 0.0 for each in shown.classes)
        assert seconds == pytest.approx(shown.seconds, abs=1)


@pytest.mark.seeds(20, 200)
def test_classes_add_up_to_the_level(seed: int) -> None:
    dice = random.Random(seed)
    values = [float(dice.randint(0, 300)) for _ in range(dice.randint(1, 700))]
    mixes = [
        Mix(
            T0 + dice.randint(0, len(values)) * S,
            {name: float(dice.randint(1, 90)) for name in dice.sample(["latch", "working"], 1)},
            complete=dice.random() < 0.5,
        )
        for _ in range(dice.randint(0, 6))
    ]
    shown = active_sessions(level(values), mixes, "moments")
    assert shown is not None
    if any(values):
        adds_up(shown)


def test_seconds_are_the_area_and_gaps_are_not_bridged() -> None:
    shown = active_sessions(level([10.0] * 11), [], "")
    assert shown is not None
    assert (shown.seconds, shown.low, shown.high) == (100.0, 100.0, 100.0)
    assert [each.id for each in shown.classes] == ["unknown"]
    times = [T0 + n * S for n in (*range(11), *range(1000, 1011))]
    gap = active_sessions(Level("running", times, [10.0] * 22), [], "")
    assert gap is not None
    assert gap.seconds == 200.0


def test_what_a_partial_source_does_not_show_is_unknown() -> None:
    """A dump lists 20 waiters for a latch while 100 sessions run; a processlist lists them all."""
    partial = Mix(T0, {"latch": 20.0}, complete=False)
    assert partial.shares(100.0) == {"latch": 0.2, "unknown": 0.8}
    whole = Mix(T0, {"latch": 20.0, "working": 60.0}, complete=True)
    assert whole.shares(100.0) == {"latch": 0.25, "working": 0.75}


def test_a_single_moment_has_no_seconds() -> None:
    shown = active_sessions(None, [Mix(None, {"latch": 3.0, "working": 1.0}, complete=True)], "x")
    assert shown is not None
    assert shown.seconds is None
    assert {each.id: each.share for each in shown.classes} == {"latch": 0.75, "working": 0.25}


@of_samples()
@pytest.mark.dealt(3)
def test_laws_hold_for_the_samples(name: str) -> None:
    """Waiters are at most the sessions, shares of roots are parts, each stall has its classes."""
    analysis = analysis_of(sample(name))
    assert analysis.active_sessions is not None
    adds_up(analysis.active_sessions)
    assert sum(root.share for root in analysis.roots) <= 1.001
    assert [blocker.root for blocker in analysis.blockers] == [
        root.key for root in analysis.roots if root.node
    ]
    for episode in analysis.episodes:
        assert episode.stall.peak_waiters is not None
        assert episode.active_sessions is not None
        assert episode.stall.peak_waiters <= episode.active_sessions.peak
    for capture in analysis.captures:
        assert capture.active_sessions is not None
        adds_up(capture.active_sessions)


def _as_printed(counts: dict[str, int], form: str) -> str:
    """Print sessions by State: with their ids, without, or counted by the server."""
    if form == "counted":
        rows = [f"{state}\t{count}" for state, count in counts.items()]
        return "\n".join(["State\tcount(*)", *rows]) + "\n"
    head = ["Id", "User", "Host", "db", "Command", "Time", "State", "Info"]
    rows = [
        f"{number}\tapp\t10.0.0.{number % 200}:5000\tshop\tQuery\t9\t{state}\tselect 1"
        for number, state in enumerate((s for s, n in counts.items() for _ in range(n)), start=10)
    ]
    first = 0 if form == "ids" else 1
    return "\n".join("\t".join(row.split("\t")[first:]) for row in ["\t".join(head), *rows]) + "\n"


@pytest.mark.seeds(4, 60)
def test_lists_with_ids_without_and_counted_show_the_same_classes(seed: int) -> None:
    """A list that names no session counts as many, of the same classes, and bridges no more."""
    dice = random.Random(seed)
    states = [
        "Waiting for table metadata lock",
        "updating",
        "Waiting for global read lock",
        "query end",
    ]
    counts = {state: dice.randint(1, 60) for state in dice.sample(states, dice.randint(1, 4))}
    shown = []
    for form in ("ids", "no ids", "counted"):
        doc = analyse(printed(_as_printed(counts, form))).active_sessions
        assert doc is not None, form
        assert doc.peak == sum(counts.values()), form
        shown.append({each.id: each.share for each in doc.classes})
    assert shown[1] == pytest.approx(shown[0], abs=0.001)
    assert shown[2] == pytest.approx(shown[0], abs=0.001)


@pytest.mark.parametrize(("waits", "found"), [(190.0, True), (20.0, False)])
def test_counters_alone_show_that_sessions_wait_for_rows(waits: float, found: bool) -> None:
    """No list and no dump: the server's own gauge says it, of nearly all and of a tenth."""
    series = {
        "mysql.Threads_running": [2.0] * 60 + [200.0] * 40 + [2.0] * 20,
        "mysql.Innodb_row_lock_current_waits": [0.0] * 60 + [waits] * 40 + [0.0] * 20,
    }
    document = analyse(evidence({"a": [gauge(name, values) for name, values in series.items()]}))
    assert document.active_sessions is not None
    shares = {each.id: each.share for each in document.active_sessions.classes}
    assert shares["row_lock"] == pytest.approx(waits / 200, abs=0.03)
    assert sum(shares.values()) == pytest.approx(1, abs=0.002)
    assert [(each.id, each.score <= 0.5) for each in document.findings] == (
        [("hot-row", True)] if found else []
    )


def test_a_single_list_with_waiters_does_not_show_how_the_time_went() -> None:
    """Twenty lists of sessions that run, and one in which all of them commit at once."""
    lists: list[Record] = []
    for second in range(60):
        busy = 20 if 30 <= second < 52 else 2
        state = "waiting for handler commit" if second == 51 else "updating"
        lists += [
            Session(
                line_first=n, line_last=n, session_id=n, command="Query", state=state, time_s=1.0,
                query="UPDATE t SET v = 1 WHERE id = 7", snapshot=second, clock="utc",
                wall_us=T0 + second * S,
            )
            for n in range(1, busy + 1)
        ]  # fmt: skip
    running = gauge("processlist.running", [20.0 if 30 <= n < 52 else 2.0 for n in range(60)])
    analysis = analyse(evidence({"processlist.txt": [*lists, running]}))
    assert analysis.stalls
    assert analysis.active_sessions is not None
    shares = {each.id: each.share for each in analysis.active_sessions.classes}
    assert shares["commit_queue"] < 0.1
    assert "commit" not in analysis.headline.story
