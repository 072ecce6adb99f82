"""Functions of captures and wait groups that sort a set or choose one of several."""

from __future__ import annotations

from typing import Any

import polars as pl

from pileup.analysis.captures import case, contradictions, partition
from pileup.analysis.reasoning import similar
from pileup.analysis.stalls import row_work
from pileup.analysis.waits import groups
from tests.analysis.frames import T0, S, evidence, gauge
from tests.analysis.turning.tools import always, given, instead, signal


def bundles_by_name() -> object:
    listed = {"a": "z", "b": "a", "c": None, "d": "m", "e": "other"}
    artifacts = [given(sha256=name, bundle=bundle) for name, bundle in listed.items()]
    examined: Any = given(evidence=given(artifacts=artifacts), capture=given(artifacts=set("abcd")))
    return case._bundles(examined)


def files_of_a_capture() -> object:
    group: Any = given(
        host="h", start=0, end=9 * S, interval_s=1.0, artifacts={"x"},
        lent=[given(interval_s=1.0, artifacts=set("bac"))],
        parts=[given(is_dense=True, hosts={"h"})],
        undated={"q": 3, "p": 2, "r": 1, "s": 4}, shared=set(), folder=None,
    )  # fmt: skip
    with instead(partition, holes=always(())):
        found = partition._capture(group, set("pqr"))
    return [found.lent, found.copies]


def features_by_weight() -> object:
    texts = {name: name.upper() for name in ("place:x", "latch:b", "latch:a", "blocker:c")}
    return similar._describe(set(texts), texts)


def changes_of_rows() -> object:
    """The series that counts most."""
    made = dict(zip(row_work._CHANGED, (1.0, 9.0, 5.0), strict=False))
    with instead(
        row_work, _signal=lambda _, name, __: signal(made.get(name, 2.0)), _reads_fell=always(True),
        stops=lambda changes, *_: [given(kind="false_positive", of=changes.values)],
    ):  # fmt: skip
        frame: Any = None
        stalls: Any = row_work.row_stops(frame, "h", [])
    return [each.of for each in stalls]


def rows_in_time() -> object:
    count = row_work.LEAST + 2
    rows = pl.DataFrame({"time": [T0 + 7 * n % 11 * S for n in range(count)]}).with_columns(
        value=pl.int_range(count).cast(pl.Float64), series=pl.lit("x"), labels=pl.lit(""),
        host=pl.lit("h"), id=pl.lit("x@h"),
    )  # fmt: skip
    found = row_work._signal(rows, "x", "h")
    return found and (found.times, found.values)


def key_of_a_group() -> object:
    edges = [
        given(target=target, mode=mode, position=f"at {target}")
        for target, mode in (("t2", "X"), ("t3", None), ("t1", "S"), ("t2", "X"))
    ]
    shape: Any = given(
        ahead={"n": edges}, behind={"n"}, holds={"n": {"b", "a", "c"}}, levels={"n": 2}
    )
    node: Any = given(id="n", depth=1, kind="thread", mark="", inferred=False)
    grain: Any = given(by_parent=True, exact=True)
    return groups._key(node, shape, grain, {"t1": "z", "t3": "a"})


def servers_of_folders() -> object:
    """Two folders of one server have the name of the first."""
    started = {"x/c/e": 100.0, "x/b/e": 100.0, "x/a/e": 555.0}
    files = {name: [gauge("mysql.Uptime", [up], host=None)] for name, up in started.items()}
    return sorted(contradictions.servers_apart(evidence(files)).values())


ORDERED: dict[str, Any] = {
    "captures.contradictions servers_apart": servers_of_folders,
    "captures.case _bundles": bundles_by_name,
    "captures.partition _capture": files_of_a_capture,
    "reasoning.similar _describe": features_by_weight,
    "stalls.row_work _signal": rows_in_time,
    "stalls.row_work row_stops": changes_of_rows,
    "waits.groups _key": key_of_a_group,
}
