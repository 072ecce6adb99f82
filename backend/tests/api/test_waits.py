"""The wait graph over HTTP: at a moment, against another, what lasts, one node alone."""

from __future__ import annotations

from typing import Any

import msgspec

from pileup.analysis import analyse
from pileup.analysis.blocked_time import moment_roots
from pileup.analysis.blocked_time.first_view import FirstWaits
from pileup.analysis.evidence.times import parse
from pileup.analysis.waits.view import shown
from tests.analysis.waits.test_wait_diff import two_moments
from tests.analysis.waits.test_waits import IDLE_HOLDER, dump, evidence, row_waiter, semaphore
from tests.support.site import Site

FIRST, SECOND = "2026-11-20T22:20:15Z", "2026-11-20T22:20:45Z"


def get(site: Site, path: str, **params: Any) -> Any:
    incident = site.analysed(two_moments())
    return site.admin.get(f"/api/v1/incidents/{incident}/waits{path}", params=params)


READERS = """\
--Thread 50 has waited at mtr0mtr.ic line 161 for 0 seconds the semaphore:
X-lock (wait_ex) on RW-latch at 0x7f2162eae30 created in file buf0buf.cc line 1433
a writer (thread id 50) has reserved it in mode  wait exclusive
number of readers 1, waiters flag 1, lock_word: ffffffffffffffff
Last time read locked in file row0ins.cc line 2520
"""
"""A writer that reserved a latch and waits for its last reader."""


def test_what_the_engine_computes_of_waits_is_in_the_answers(site: Site) -> None:
    """Every node, edge, count and span, the edges of a reserved latch included."""
    locks = "".join(row_waiter(n) for n in range(1, 4)) + IDLE_HOLDER
    behind = semaphore(51, 50).replace("0x2db49f8", "0x7f2162eae30")
    first, second = dump(READERS + behind, locks), dump(READERS + behind, locks + row_waiter(9))
    found = evidence(first, second.replace("22:20:15", "22:20:45"))
    incident = site.analysed(found)
    document = analyse(found)

    def answer(path: str, **params: Any) -> Any:
        return site.admin.get(f"/api/v1/incidents/{incident}/{path}", params=params).json()

    graph = answer("waits", at=FIRST, fold="none")
    whole = shown(moment_roots.whole_graph(found, parse(FIRST), document.roots), folded=False)
    computed = msgspec.to_builtins(whole)
    for part in ("nodes", "edges", "roots"):
        wanted = [
            {name: each[name] for name in each.keys() & _SHOWN[part] if each[name]}
            for each in computed[part]
        ]
        given = [
            {name: each[name] for name in fields}
            for each, fields in zip(graph[part], wanted, strict=True)
        ]
        assert given == wanted != [], part
    edges = {
        (each["source"], each["target"], each["kind"], each.get("note")) for each in graph["edges"]
    }
    latch, thread = "latch:0x7f2162eae30", "thread:50"
    assert (latch, thread, "held_by", "reserved it (wait_ex)") in edges
    readers = f"readers:{latch}"
    assert (thread, readers, "waits_for", "waits for the readers to leave") in edges
    assert (graph["waiters"], graph["headline"]) == (whole.waiters, whole.headline)

    strips = answer("strips")
    spans = [each for each in document.blockers if each.first and each.blocks_total >= 2]
    assert [(each["holder"], each["blocks_total"]) for each in strips["blocking"]] == [
        (each.holder, each.blocks_total) for each in spans
    ]
    assert ("390" in strips["blocking"][0]["holder"], strips["blocking"][0]["start"]) == (
        True,
        FIRST,
    )
    assert strips["blocking"][0]["end"] == SECOND
    waiting = {each["trx_id"]: each["waited"] for each in strips["transactions"]}
    assert waiting == {str(30000 + n): True for n in (1, 2, 3, 9)} | {"26478": False}
    snapshots = answer("marks")["snapshots"]
    assert [(each["waiters"], each["lock_waits"]) for each in snapshots] == [(2, 3), (2, 4)]


_SHOWN = {
    "nodes": {
        "id",
        "kind",
        "label",
        "detail",
        "blocks_direct",
        "blocks_total",
        "depth",
        "inferred",
    },
    "edges": {"source", "target", "kind", "mode", "note", "inferred", "waited_s"},
    "roots": {"node", "label", "blocks_total", "inferred", "why"},
}


def test_a_difference_of_two_moments(site: Site) -> None:
    graph = get(site, "", at=SECOND, against=FIRST, fold="none").json()
    assert graph["against"] == FIRST
    assert "4 threads started to wait" in graph["difference"]
    gone = {node["id"] for node in graph["nodes"] if node.get("mark") == "gone"}
    assert gone == {"thread:1", "thread:2"}


def test_what_lasts_over_the_moments(site: Site) -> None:
    persistence = get(site, "/persistence").json()
    by_key = {node["key"]: node for node in persistence["nodes"]}
    assert (persistence["of"], by_key["thread:9"]["seen"], by_key["thread:1"]["seen"]) == (2, 2, 1)


def test_what_lasts_is_told_of_what_is_shown(site: Site) -> None:
    """Thread 5 is not in the first moment, and thread 1 stands in a group of four."""
    every = {node["key"] for node in get(site, "/persistence").json()["nodes"]}
    assert {"thread:1", "thread:5", "thread:9"} <= every
    alone = get(site, "/persistence", at=FIRST, fold="none").json()["nodes"]
    assert {"thread:1", "thread:9"} <= {part["key"] for part in alone}
    assert "thread:5" not in {part["key"] for part in alone}
    folded = {
        node["key"] for node in get(site, "/persistence", at=FIRST, fold="all").json()["nodes"]
    }
    assert "place:latch:0x2db49f8|S|btr0sea.ic:122" in folded
    assert "thread:9" in folded
    assert "thread:1" not in folded


def test_an_analysis_that_kept_none_claims_nothing_to_last(site: Site) -> None:
    """An analysis stored before persistence was."""
    incident = site.incident()
    path = f"/api/v1/incidents/{incident}/waits/persistence"
    assert site.admin.get(path).status_code == 409
    site.app.state.services.placed.replace(incident, two_moments())
    persistence = site.admin.get(path, params={"at": FIRST}).json()
    assert (persistence["of"], persistence["nodes"]) == (0, [])


def test_what_the_worker_made_ready_is_what_would_be_told(site: Site) -> None:
    """The first answers are stored; without them the same are made when they are asked for."""
    incident = site.analysed(two_moments())
    placed = site.app.state.services.placed
    assert placed.ready(incident, FirstWaits) is not None
    paths = [f"/api/v1/incidents/{incident}/waits{rest}" for rest in ("", "/moments")]
    paths.append(f"/api/v1/incidents/{incident}/waits/persistence?at=worst")
    ready = [site.admin.get(path).json() for path in paths]
    placed.replace(incident, two_moments())
    assert placed.ready(incident, FirstWaits) is None
    assert [site.admin.get(path).json() for path in paths] == ready
    assert ready[0]["waiters"] == 6
    assert len(ready[1]) == 2
    assert ready[2]["nodes"]


def test_a_new_analysis_is_looked_at(site: Site) -> None:
    """Graphs are kept per analysis: after the next one, the next graph is shown."""
    incident = site.incident()
    placed = site.app.state.services.placed
    placed.replace(incident, two_moments())
    path = f"/api/v1/incidents/{incident}/waits"
    assert site.admin.get(path, params={"at": FIRST}).json()["waiters"] == 4
    placed.replace(incident, evidence(dump(semaphore(1, 9))))
    assert site.admin.get(path, params={"at": FIRST}).json()["waiters"] == 1


def test_a_node_and_one_that_is_not_there(site: Site) -> None:
    assert get(site, "/node", at=FIRST, node="thread:1").json()["node"]["waiting"] is True
    missing = get(site, "/node", at=FIRST, node="thread:4711")
    assert missing.status_code == 404
    assert "thread:4711" in missing.json()["detail"]


def test_the_members_of_a_group_of_a_difference(site: Site) -> None:
    graph = get(site, "", at=SECOND, against=FIRST, fold="all").json()
    (group,) = [node for node in graph["nodes"] if node["id"].endswith("|added")]
    node = get(site, "/node", at=SECOND, against=FIRST, node=group["id"]).json()
    assert len(node["members"]) == group["members"] == 4
    assert get(site, "/node", at=SECOND, node=group["id"]).status_code == 404


def test_a_time_without_zone_is_refused_by_name(site: Site) -> None:
    refused = get(site, "", at=FIRST, against="2026-11-20T22:20:15")
    assert refused.status_code == 422
    assert "Z" in refused.json()["detail"]
