"""Hosts, snapshots, signals and ends of waits where they sort: rivals, and a tie."""

from __future__ import annotations

from collections import defaultdict
from types import MappingProxyType
from typing import Any

import polars as pl

from pileup.analysis.blocked_time import active_sessions, roots
from pileup.analysis.blocked_time.roots import End, Roots
from pileup.analysis.clock import hosts
from pileup.analysis.findings import catalogue, observed
from pileup.analysis.findings.observed import Observed
from pileup.analysis.stalls import indicators
from tests.analysis.frames import T0, S
from tests.analysis.turning.tools import always, given, instead, listed


def classes_of_a_list() -> object:
    """The moments in their order, and the classes of each in theirs."""
    found = listed({9: {1: "SELECT 1"}, 1: {2: "SELECT 1", 3: "COMMIT", 4: "x"}, 5: {5: "y"}})
    frame = found.frame("session")
    assert frame is not None
    states = [f"state {number}" for number in range(frame.height)]
    shuffled: Any = given(frame=always(frame.reverse().with_columns(state=pl.Series(states))))
    with instead(
            active_sessions,
            _counted_mixes=always([]),
            _within=lambda rows, *_: rows,
            wait_classes=given(
                of_state=lambda _, state: f"class {9 - int(state[-1])}",
                WORKING="working", UNKNOWN="unknown", IDLE="idle",
            ),
            hidden_waits=given(may_hide=always(pl.lit(False))),
    ):  # fmt: skip
        mixes = active_sessions.listed_mixes(shuffled, None, None)
    return [(mix.time, list(mix.sessions)) for mix in mixes]


def members_of_a_cycle() -> object:
    """Those of a cycle in the order of their names, each once."""
    many: Any = Roots(choice=None, timeout_s=50.0)  # type: ignore[arg-type]
    end = End(["c", "a", "b", "a2"], 3.0, {}, [], None)  # type: ignore[arg-type]
    flowing: Any = given(population=given(members=defaultdict(lambda: None)))
    here: Any = given(graph=given(resources=()), counts=None, threads=1)
    labels = {"c": "third", "a": "first", "b": "second", "a2": "first"}
    with (
        instead(
            roots,
            _cycle_key=always("cycle"),
            key_of=always("key"),
            why_root=always("why"),
            _is_commit_queue=always(False),
            node_doc=lambda each, *_: given(label=labels[each]),
        ),
        instead(Roots, _describe=always(None)),
    ):
        many._add_end(end, flowing, here, 0, 6.0)
    return many.ends["cycle"].members


def hosts_by_path() -> object:
    """A bundle is of the host that most of its files name; a path of the longest, of equals the
    first by name."""

    def artifact(sha: str, *paths: str) -> Any:
        return given(sha256=sha, paths=paths)

    files = [
        *(artifact(f"n{n}", f"bundle/{n}.txt") for n in range(4)),
        artifact("of bundle", "bundle/other.txt"),
        artifact("long", "x/db-1.example/a.txt"),
        artifact("tie", "x/bb and aa and cc.txt"),
        artifact("none", "x/nothing.txt"),
    ]
    named = {"n0": "rare", "n1": "often", "n2": "often", "n3": "seldom",
             "p": "db-1", "q": "db-1.example", "r": "cc", "s": "aa", "t": "bb"}  # fmt: skip
    with instead(
        hosts,
        _named=always(named),
        bundle_of=lambda path: "bundle" if path.startswith("bundle/") else None,
        _names=lambda path, name: name in path,
        _timed=always({}),
        _of_servers=always(set()),
        Nearness=lambda *_: given(is_observed=always(True)),
        _Beside=lambda *_: given(host=always(None)),
        _ranks=always({}),
    ):
        return hosts.assign(files, MappingProxyType({}), {}, {})


def snapshots_in_time() -> object:
    """By time, of a tie by file and number; what has no time comes last."""
    rows = [
        (None, "a", 1), (3, "a", 1), (1, "b", 2), (1, "b", 1), (1, "a", 3), (2, "c", 0),
    ]  # fmt: skip
    frame = pl.DataFrame(
        [
            {
                "artifact": artifact, "snapshot": number, "time": time, "time_quality": "exact",
                "kind": "innodb_status", "host": None, "line_first": 1, "server_version": None,
            }
            for time, artifact, number in rows
        ],
    )  # fmt: skip
    found: Any = given(frame=always(frame), artifacts=[])
    with instead(
        catalogue,
        same_samples=given(without_repeated=lambda each: each),
        wait_moments=always([]),
        _counts=always({}),
    ):
        return [(each.time, each.artifact, each.index) for each in catalogue.snapshots(found)]


def fullest_dump() -> object:
    """The dump with most waits; of equals the first by time, and one without a time last."""

    def top(*moments: tuple[int, int | None, int]) -> object:
        waits = [
            {
                "artifact": "a", "snapshot": snapshot, "time": time, "waited_s": 1.0,
                "line_first": snapshot, "line_last": snapshot,
            }
            for snapshot, time, many in moments
            for _ in range(many)
        ]  # fmt: skip
        frame = pl.DataFrame(waits, schema_overrides={"time": pl.Int64})
        seen: Any = given(
            _semaphores=frame,
            _dumps=3,
            _stall=None,
            _listed_in=lambda moment: f"in {moment['snapshot']}",
            lines=lambda moment, _: moment["snapshot"],
        )
        with instead(observed, _LINES_OF=[]):
            return Observed._waits(seen, pl.lit(True), "wait")

    return [
        top((1, T0, 1), (2, T0 + 9 * S, 3), (3, T0 + S, 2)),
        top((1, None, 2), (2, T0 + 9 * S, 2), (3, T0 + S, 2)),
        top((1, T0 + 9 * S, 2), (2, T0, 2), (3, T0 + S, 2)),
    ]


def fullest_signals() -> object:
    """Of a role the fullest series, of equals the first by id; its values in the order of time."""
    rows = [
        {
            "id": id_, "series": series, "host": "a", "labels": "", "kind": "gauge",
            "time": T0 + at * S, "value": float(at),
        }
        for id_, series in (("c", "s.c"), ("a", "s.a"), ("b", "s.b"))
        for at in (5, 3, 9, 1, 7, 0, 4, 2, 8, 6, 11, 10)
    ]  # fmt: skip
    values = pl.DataFrame(rows)
    with instead(
        indicators,
        LEAST=1,
        _with_role=lambda each: each,
        whole=lambda each: each["id"].to_list(),
        role_of=always(("latency", 1.0)),
    ):
        return indicators.signals_by_role(values)


ORDERED: dict[str, Any] = {
    "blocked_time.active_sessions listed_mixes": classes_of_a_list,
    "blocked_time.roots Roots._add_end": members_of_a_cycle,
    "clock.hosts assign": hosts_by_path,
    "findings.catalogue snapshots": snapshots_in_time,
    "findings.observed Observed._waits": fullest_dump,
    "stalls.indicators signals_by_role": fullest_signals,
}
