"""Evidence, reasoning and stacks, called directly where a threshold decides."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl

from pileup.analysis.captures import contradictions
from pileup.analysis.evidence import (
    admission,
    compact_samples,
    scene,
    series,
    times,
)
from pileup.analysis.reasoning import discriminate, pin_value, proposals, run_outcome, similar
from pileup.analysis.stacks import same_samples
from pileup.records import Frame, Query, ServerThread, Session, Stack
from tests.analysis.frames import T0, S, evidence, frames, gauge
from tests.analysis.turning.tools import Scenes, always, given, instead


def _admitted(value: float = 5.0, wall: int = T0, clock: Any = "utc") -> object:
    samples = gauge("m.x", [value] + [1.0] * 10, start=wall, clock=clock)
    admitted, _ = admission.admit("sample", frames(samples)["sample"])
    return admitted.select("wall_us", "value")


def _admitted_wait() -> object:
    row = Query(query_time_s=5.0, query="SELECT 1", line_first=1, line_last=1, wall_us=T0)
    return admission.admit("query", frames(row)["query"])[0].select("query_time_s")


def _admitted_session() -> object:
    row = Session(time_s=5.0, line_first=1, line_last=1, wall_us=T0)
    return admission.admit("session", frames(row)["session"])[0].select("time_s")


def _alike(score: float) -> object:
    with instead(run_outcome, likeness=always(similar.Likeness(score, ("a",), (), ()))):
        return run_outcome.symptoms({"a": "a"}, {"a": "a"}).same_way


def _incredible() -> object:
    samples = gauge("m.x", [1.0, 1e22])
    frame, _ = admission._without_incredible_series(frames(samples)["sample"])
    return frame.height


def _incredible_stacks() -> object:
    rows = [
        Stack(count=count, frames=(Frame(function=f"f{count}"),), line_first=1, line_last=1)
        for count in (1, -1)
    ]
    return admission._without_incredible_stacks(frames(*rows)["stack"])[0].height


def _named_values() -> object:
    rows = [
        Query(query_time_s=1e30 + n, query="SELECT 1", line_first=1, line_last=1) for n in range(5)
    ]
    (problem,) = admission.admit("query", frames(*rows)["query"])[1]
    return " more" in problem.message


def _distinct(rows: int) -> object:
    """Which way it goes: all give the same rows, and a test of their own holds that."""
    frame = pl.DataFrame({"a": [n % 3 for n in range(rows)]})
    calls: list[str] = []
    ways = {name: getattr(pl.DataFrame, name) for name in ("unique", "filter")}

    def seen(name: str) -> Any:
        def method(*arguments: Any, **named: Any) -> Any:
            calls.append(name)
            return ways[name](*arguments, **named)

        return method

    with instead(pl.DataFrame, **{name: seen(name) for name in ways}):
        compact_samples.distinct(frame, "a")
    return calls


def _averages() -> object:
    found = evidence(
        {
            "a": [
                gauge("mysql.Uptime", [100.0], kind="counter"),
                gauge("mysql.Questions", [500.0], kind="counter"),
            ]
        }
    )
    return series.averages_since_start(found.frame("sample"))["value"].to_list()


def _separated() -> object:
    named = {name: given(label=name) for name in "ab"}
    scores = {name: given(rank=1, inconsistency=0.0) for name in "ab"}
    matrix: Any = given(scores=scores, points={("r", "a"): 1.0, ("r", "b"): 0.0})
    with instead(discriminate, separation=always(0.75), nearest=always("C")):
        text = discriminate._compare_scores(
            matrix, [given(id="r")], ("a", "b"), named, {"r": "this"}
        )
    return "separates them best" in text


def _pinned() -> object:
    rows = [
        Query(query_time_s=1.0, query=f"SELECT {n}", line_first=n, line_last=n) for n in range(12)
    ]
    pinned = pin_value.value_of_lines(frames(*rows))
    assert pinned is not None
    return "more records" in pinned.text


def _proposed() -> object:
    pin: Any = given(id="p", locator=None)
    found = {"id": "f", "score": 0.9, "why": "", "evidence": []}
    with instead(proposals, _keys=always(["k"]), _places=always({"k": [(found, "why")]})):
        return proposals.propose([pin], {"h": "f"}, [found], [])["p", "h"].rating


def _place_of_waits() -> object:
    wait = given(file="f", mode="S", share=0.5)
    analysis: Any = given(hot_latches=[], hot_waits=[wait], blockers=[])
    return similar._waits(analysis)


def _share_of_a_latch() -> object:
    listed = [given(latch=name, label=name, waits=waits) for name, waits in (("x", 1), ("y", 4))]
    analysis: Any = given(hot_latches=listed, hot_waits=[], blockers=[])
    return similar._waits(analysis)


def _same(bare: int = 9, full: int = 10) -> object:
    seen: Any = [given(stacks=Counter({("a",): n}), threads=full, time=0) for n in (bare, full)]
    return same_samples._is_same(*seen)


def _like(apart: int) -> object:
    bare, full = (given(time=T0 + at) for at in (0, apart))
    with instead(same_samples, _is_same=always(True)):
        return same_samples._first_like(bare, [full]) is not None


def _thread_an_hour_before() -> object:
    thread = ServerThread(
        ps_thread_id=63, session_id=31, line_first=1, line_last=1, wall_us=T0, clock="utc"
    )
    known = evidence({"threads": [thread]})
    return scene._sessions_of_threads(known, T0 + 3600 * S, None)


def _measured() -> object:
    """As few samples as can be compared, of the run and of the incident."""
    rows: Any = pl.DataFrame({"value": [1.0] * run_outcome._LEAST})
    with instead(run_outcome, _rows=lambda run, *_: run.rows):
        found = run_outcome.measure(
            given(rows=rows), "x.r", "falls", None, None, before=given(rows=rows)
        )
    return found.verdict


SCENES: Scenes = {
    "captures.contradictions _SAME_START_S _is_start": lambda: contradictions._is_start(
        5.0, zones=False
    ),
    "evidence.admission EARLIEST _checks": lambda: _admitted(wall=500),
    "evidence.admission LATEST _checks": _admitted,
    "evidence.admission LONGEST_SESSION_S _checks": _admitted_session,
    "evidence.admission _LARGEST _checks": lambda: _admitted(5.0),
    "evidence.admission _LONGEST_S _checks": _admitted_wait,
    "evidence.admission _LONGEST_US _checks": lambda: _admitted(wall=-500, clock="relative"),
    "evidence.admission _INCREDIBLE _without_incredible_series": _incredible,
    "evidence.admission _LARGEST _without_incredible_series": _incredible,
    "evidence.admission _INCREDIBLE _without_incredible_stacks": _incredible_stacks,
    "evidence.admission _SHOWN admit": _named_values,
    "evidence.compact_samples _FEW distinct": lambda: _distinct(300),
    "evidence.compact_samples _NOT_MANY distinct": lambda: _distinct(300),
    "evidence.scene THREADS_NEAR_US _sessions_of_threads": _thread_an_hour_before,
    "evidence.scene _APART_US _apart": lambda: scene._apart(
        {"time": T0}, {"session": [{"time": T0 + 3 * S}], "stack": [], "lock_wait": []}
    ),
    "evidence.series _LEAST_UPTIME_S averages_since_start": _averages,
    "evidence.times DAY_US clock_text": lambda: "sample" in times.clock_text(5 * S),
    "reasoning.discriminate _APART _compare_scores": _separated,
    "reasoning.pin_value _SHOWN value_of_lines": _pinned,
    "reasoning.proposals _SURE propose": _proposed,
    "reasoning.run_outcome _LEAST measure": _measured,
    "reasoning.run_outcome _OTHER symptoms": lambda: _alike(0.25),
    "reasoning.run_outcome _SAME symptoms": lambda: _alike(0.6),
    "reasoning.run_outcome _ABOUT _holds": lambda: run_outcome._holds(5.0, "~", 4.0),
    "reasoning.similar _LATCH_SHARE _waits": _place_of_waits,
    "reasoning.similar _LATCH_SHARE _waits again": _share_of_a_latch,
    "stacks.same_samples _ALIKE _is_same": _same,
    "stacks.same_samples _APART_US _first_like": lambda: _like(3 * S),
}
