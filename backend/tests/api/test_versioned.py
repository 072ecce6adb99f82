"""Reads by version: a changed fact changes the tag, an unchanged one costs no computing.

That equal tags mean equal bodies is checked by every test that uses a ``Site`` (CheckedBodies).
"""

from __future__ import annotations

import threading
from typing import Any

import pytest
from fastapi.testclient import TestClient

from pileup.api.body_store import Bodies, Body
from tests.support.site import Site


def tag(client: TestClient, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return str(answer.headers["etag"])


def known(client: TestClient, path: str, tag: str) -> int:
    return client.get(path, headers={"If-None-Match": tag}).status_code


def test_an_unchanged_answer_is_not_computed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is it for somebody else, who gets the same bytes from memory."""
    site.app.state.bodies = Bodies("test")
    path = f"/api/v1/incidents/{site.incident()}/overview"
    reader = site.client("viewer")
    first = site.admin.get(path)

    def never(*_: Any) -> None:
        raise AssertionError("computed")

    monkeypatch.setattr("pileup.api.incidents.incidents.build_overview", never)
    assert known(site.admin, path, first.headers["etag"]) == 304
    again = reader.get(path)
    assert (again.content, again.headers["etag"]) == (first.content, first.headers["etag"])
    assert again.headers["vary"] == "Accept-Encoding"
    plain = reader.get(path, headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.json() == first.json()


def test_each_change_changes_the_tag(site: Site) -> None:
    incident, other = site.incident(), site.incident("other")
    path, elsewhere = (f"/api/v1/incidents/{each}" for each in (incident, other))
    beside = tag(site.admin, f"{elsewhere}/overview")
    tags = [tag(site.admin, f"{path}/overview")]
    site.admin.patch(path, json={"title": "renamed"}, headers={"If-Match": '"1"'})
    tags.append(tag(site.admin, f"{path}/overview"))
    site.upload(incident, "vmstat.txt", b"x")
    tags.append(tag(site.admin, f"{path}/overview"))
    site.admin.post(f"{path}/hypotheses", json={"statement": "A causes B"})
    tags.append(tag(site.admin, f"{path}/overview"))
    assert tag(site.admin, f"{elsewhere}/overview") == beside
    site.admin.patch("/api/v1/session/user", json={"name": "Renamed"})
    assert len({*tags, tag(site.admin, f"{path}/overview")}) == len(tags) + 1
    assert tag(site.admin, f"{elsewhere}/overview") != beside


def test_what_is_rolled_back_changes_no_tag(site: Site) -> None:
    path = f"/api/v1/incidents/{site.incident()}"
    before = tag(site.admin, f"{path}/activity")
    assert (
        site.admin.patch(path, json={"title": ""}, headers={"If-Match": '"1"'}).status_code == 422
    )
    assert known(site.admin, f"{path}/activity", before) == 304


def test_notes_leave_records_unchanged(site: Site) -> None:
    incident = site.incident()
    path = f"/api/v1/incidents/{incident}"
    before = tag(site.admin, f"{path}/series")
    site.admin.post(f"{path}/hypotheses", json={"statement": "A causes B"})
    assert known(site.admin, f"{path}/series", before) == 304
    with site.database.unit() as unit:
        unit.notify(incident, "analysis")
    assert known(site.admin, f"{path}/series", before) == 200


def test_who_may_not_read_gets_no_304(site: Site) -> None:
    incident = site.incident()
    path = f"/api/v1/incidents/{incident}/overview"
    before = tag(site.admin, path)
    assert known(site.stranger, path, before) == 401
    push = site.with_token("upload", site.client("contributor"))
    assert known(push, path, before) == 403


def test_a_deleted_incident_is_gone(site: Site) -> None:
    incident = site.incident()
    path = f"/api/v1/incidents/{incident}"
    before = tag(site.admin, f"{path}/overview")
    site.admin.delete(path)
    assert known(site.admin, f"{path}/overview", before) == 404


def test_what_depends_on_the_person_is_theirs(site: Site) -> None:
    path = f"/api/v1/incidents/{site.incident()}/matrix"
    contributor = site.client("contributor")
    assert tag(site.admin, path) != tag(contributor, path)


def test_bodies_are_bounded() -> None:
    """The least recently used leave first; one that is too large is not stored."""
    bodies = Bodies("test", most_bytes=100)
    for number in range(5):
        bodies.put((str(number), ""), Body("t", b"x" * 30, "application/json", False))
        bodies.get(("0", ""), "t")
    stored = [number for number in range(5) if bodies.get((str(number), ""), "t")]
    assert stored == [0, 3, 4]
    bodies.put(("0", ""), Body("t", b"x" * 200, "application/json", False))
    assert bodies.get(("0", ""), "t") is None
    assert bodies.get(("4", ""), "another tag") is None


def test_equal_requests_compute_once() -> None:
    bodies, computed = Bodies("test"), []
    ready = threading.Barrier(4)

    def request() -> None:
        ready.wait()
        with bodies.turn(("path", "")):
            if bodies.get(("path", ""), "t") is None:
                computed.append(1)
                bodies.put(("path", ""), Body("t", b"x", "application/json", False))

    threads = [threading.Thread(target=request) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(computed) == 1


def test_an_error_has_no_tag(site: Site) -> None:
    answer = site.admin.get(f"/api/v1/incidents/{site.incident()}/waits")
    assert answer.status_code == 409
    assert "etag" not in answer.headers
