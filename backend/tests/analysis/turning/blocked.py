"""Blocked time and captures, called directly where a threshold decides."""

from __future__ import annotations

from typing import Any
from unittest import mock

import polars as pl

from pileup.analysis.blocked_time import (
    active_sessions,
    blame,
    disagreements,
    hidden_waits,
    moment_roots,
    population,
    roots,
)
from pileup.analysis.captures import case, partition, stretches
from tests.analysis.frames import T0, S
from tests.analysis.turning.tools import Scenes, always, given, instead

_LEVEL = active_sessions.Level("a series", [T0, T0 + 2 * S], [3.0, 5.0])


def _path() -> object:
    names = ["root", "third", "second", "first"]
    into: list[dict[str, float]] = [{"third": 1.0}, {"second": 1.0}, {"first": 1.0}, {}]
    flowing = given(population=given(members={}))
    of = {name: at for at, name in enumerate(names)}
    return blame._path(flowing, of, into, given(names=["root"], sessions=1.0))


def _changes() -> object:
    """Four changes of a table, eight seconds old."""
    rows = {
        "state": ["updating"] * 4, "time_s": [8.0] * 4, "time": [T0] * 4,
        "query": [f"UPDATE t SET a = 1 WHERE id = {n}" for n in range(4)],
    }  # fmt: skip
    return hidden_waits.may_hide(pl.DataFrame(rows)).any()


def _leaving() -> object:
    sure = {("a", "b"): 0.5, ("b", "a"): 0.7}
    flowing = given(sure=sure, ahead={"a": [("b", 1.0)], "b": [("a", 1.0)]})
    return blame._leaving(flowing, ["a", "b"], [("a", "c", 0.5)])


def _minor_root() -> object:
    """A root with a tenth of the time of the other, and first in the table of the stall."""
    ended = {"small": 1.0, "large": 10.0}
    table: Any = [given(key="small", known=False, why="", label="")]
    whole: Any = given(
        graph=None, counts=given(roots=[], total=dict.fromkeys(ended, 0)), scene=given(),
        notes=[], waiters=0, nodes=[],
    )  # fmt: skip
    documents = mock.Mock(side_effect=lambda _, __, names: [given(node=name) for name in names])
    with (
        instead(
            moment_roots,
            _ended=always((ended, {})),
            flow=always(None),
            population=always(None),
            key_of=lambda name, _: name,
            replace=lambda _, **changes: changes["roots"],
        ),
        instead(moment_roots.moment_graph, roots_doc=documents, build_headline=always("")),
    ):
        return [doc.node for doc in moment_roots.with_roots(whole, table)]  # type: ignore[attr-defined]


def _left_of_an_end() -> object:
    flowing: Any = given(ends=always([blame.End(["a"], 0.5)]))
    with instead(moment_roots, root_of=lambda name, _: name, key_of=lambda name, _: name):
        return moment_roots._ended(flowing, given(), {})


def _listed_together() -> object:
    running = {
        "time": T0 + S // 2, "count": 50, "samples": 1, "frames": [{"function": "row_search_mvcc"}]
    }  # fmt: skip
    scene: Any = given(actors={"1": given(session={"time": T0})}, stacks=[running])
    return population._notes(scene, [given(command="Query")])


def _seen(**shares: float) -> Any:
    return roots._Seen({int(at[1:]): share for at, share in shares.items()})


def _seen_once() -> object:
    """One holder of a lock that was seen in one of four moments."""
    found = roots.Roots(given(), 50.0)
    often = {0: 0.5, 1: 0.5, 2: 0.5}
    found.through["queue:q"].update({"once": {3: 0.5}, "often": dict(often)})
    found.ends["once"] = _seen(m3=0.5)
    found.ends["often"] = _seen(m0=0.5, m1=0.5, m2=0.5)
    return found._settled()


def _rest_of_a_root() -> object:
    found = roots.Roots(given(), 50.0)
    found.ends["k"] = _seen(m0=0.5)
    return found._settled()


def _handed_on() -> object:
    """Three moments of a row's lock, each with other transactions that wait for it."""
    found = roots.Roots(given(), 50.0, times=[T0 + at * S for at in range(3)])
    found.queues["row"] = {at: {f"trx {at}": 1.0, "slow": 9.0} for at in range(3)}
    return found._is_handed_on("row", {})


def _circle_seen_once() -> object:
    found = roots.Roots(given(), 50.0, weights=[1.0] * 5)
    document = lambda _, key, *__, **___: given(share=1.0, known=True, key=key)  # noqa: E731
    with instead(roots.Roots, _settled=always({"cycle:a": ({0: 1.0}, False)}), _document=document):
        return [root.key for root in found.documents(9.0)]


def _stretch(*seconds: int, interval: float | None) -> stretches.Stretch:
    return stretches.Stretch(
        None, seconds[0] * S, seconds[-1] * S, list(seconds), {"a"}, interval, is_server=True
    )


def _single_dump() -> object:
    parts = [_stretch(*range(60), interval=1.0), _stretch(100, interval=None)]
    return [len(group.parts) for group in partition._of_host(None, parts)]


def _holes() -> object:
    return stretches.holes([_stretch(0, 1, 2, 3, 9000, 9001, interval=1.0)])


def _stall_of_two_scales() -> object:
    seen = [given(interval_s=interval) for interval in (1.0, 15.0)]
    first, second = (
        given(
            stall=given(host=None, onset=T0, span=given(end=T0 + S)),
            examined=given(capture=capture),
            same_as=None,
        )
        for capture in seen
    )
    case._mark_same([first, second])
    return second.same_as is first


SCENES: Scenes = {
    "blocked_time.hidden_waits _ALIKE _alike": _changes,
    "blocked_time.hidden_waits _OLD_S may_hide": _changes,
    "blocked_time.active_sessions _GAP_S Level.at": lambda: _LEVEL.at(T0 + 5 * S),
    "blocked_time.active_sessions _GAP_S most_near": lambda: active_sessions.most_near(
        _LEVEL, T0 + 5 * S
    ),
    "blocked_time.blame _LONGEST _path": _path,
    "blocked_time.blame _SURE_CYCLE _leaving": _leaving,
    "blocked_time.disagreements _FEW _apart": lambda: disagreements._apart(10, 7, 0.0),
    "blocked_time.moment_roots _MINOR with_roots": _minor_root,
    "blocked_time.moment_roots _ROUNDED _ended": _left_of_an_end,
    "blocked_time.population _TOGETHER_US _notes": _listed_together,
    "blocked_time.roots _IN_A_ROW Roots._is_handed_on": _handed_on,
    "blocked_time.roots _MANY Roots._settled": _seen_once,
    "blocked_time.roots _MANY Roots.documents": _circle_seen_once,
    "blocked_time.roots _ROUNDED Roots._settled": _rest_of_a_root,
    "captures.case DENSE_S _mark_same": _stall_of_two_scales,
    "captures.partition SILENT_S _of_host": _single_dump,
    "captures.stretches _FEW holes": _holes,
}
