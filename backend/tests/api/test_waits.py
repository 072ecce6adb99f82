"""The wait graph over HTTP: at a moment, against another, what lasts, one node alone."""

from __future__ import annotations

from typing import Any

from tests.analysis.test_wait_diff import two_moments
from tests.support.site import Site

FIRST, SECOND = "2026-11-20T22:20:15Z", "2026-11-20T22:20:45Z"


def get(site: Site, path: str, **params: Any) -> Any:
    incident = site.incident()
    site.app.state.services.placed.replace(incident, two_moments())
    return site.admin.get(f"/api/v1/incidents/{incident}/waits{path}", params=params)


def test_a_difference_of_two_moments(site: Site) -> None:
    graph = get(site, "", at=SECOND, against=FIRST, fold="none").json()
    assert graph["against"] == FIRST
    assert "4 threads came to wait" in graph["difference"]
    gone = {node["id"] for node in graph["nodes"] if node.get("mark") == "gone"}
    assert gone == {"thread:1", "thread:2"}


def test_what_lasts_over_the_moments(site: Site) -> None:
    told = get(site, "/persistence").json()
    by_key = {one["key"]: one for one in told["nodes"]}
    assert (told["of"], by_key["thread:9"]["seen"], by_key["thread:1"]["seen"]) == (2, 2, 1)


def test_a_node_and_one_that_is_not_there(site: Site) -> None:
    assert get(site, "/node", at=FIRST, node="thread:1").json()["node"]["waiting"] is True
    missing = get(site, "/node", at=FIRST, node="thread:4711")
    assert missing.status_code == 404
    assert "thread:4711" in missing.json()["detail"]


def test_a_time_without_zone_is_refused_by_name(site: Site) -> None:
    refused = get(site, "", at=FIRST, against="2026-11-20T22:20:15")
    assert refused.status_code == 422
    assert "Z" in refused.json()["detail"]
