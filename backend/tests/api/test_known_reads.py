"""Reads that were answered before, in front of the routes: as current and as safe as there."""

from __future__ import annotations

import time
from typing import Any

import pytest
from fastapi import Request, Response
from fastapi.testclient import TestClient

from pileup.api import known_reads, one_thread
from pileup.api.body_store import Bodies, Body
from pileup.api.known_reads import Question
from pileup.storage.database import Unreachable
from tests.support.site import Site


@pytest.fixture
def long_way(site: Site, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths of the requests that went the long way; bodies are stored as in production."""
    site.app.state.bodies = Bodies("test")
    paths: list[str] = []
    serve = one_thread._serve

    def counted(handle: Any, request: Request, *more: Any) -> Response:
        paths.append(request.url.path)
        return serve(handle, request, *more)

    monkeypatch.setattr(one_thread, "_serve", counted)
    return paths


def test_the_second_answer_takes_the_short_way(site: Site, long_way: list[str]) -> None:
    path = f"/api/v1/incidents/{site.incident()}/overview"
    first = site.admin.get(path)
    long_way.clear()
    again = site.admin.get(path)
    assert (again.content, again.headers["etag"]) == (first.content, first.headers["etag"])
    unchanged = site.admin.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert unchanged.status_code == 304
    for name in ("content-security-policy", "x-request-id", "cache-control"):
        assert name in again.headers
        assert name in unchanged.headers
    assert long_way == []
    assert site.admin.patch(
        path.removesuffix("/overview"), json={"title": "new"}, headers={"If-Match": '"1"'}
    ).is_success
    changed = site.admin.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert changed.json()["incident"]["title"] == "new"


def test_what_is_the_same_for_all_is_shared_for_a_moment(site: Site, long_way: list[str]) -> None:
    reader = site.client("viewer")
    first = site.admin.get("/api/v1/status")
    long_way.clear()
    again = reader.get("/api/v1/status", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, long_way) == (304, [])
    assert site.stranger.get("/api/v1/status").status_code == 401


def test_when_a_moment_is_over_one_request_computes(site: Site) -> None:
    bodies, key = Bodies("test"), ("/status?", "")
    now = time.monotonic()
    bodies.put(key, Body("old", b"", "", False, until=now - 1))
    assert bodies.lately(key) is None
    assert bodies.lately(key, or_before=60) is None
    body = bodies.lately(key, or_before=60)
    assert body is not None
    assert (body.tag, bodies.lately(key), bodies.lately(key, or_before=0.5)) == ("old", None, None)
    bodies.put(key, Body("new", b"", "", False, until=now + 60))
    body = bodies.lately(key)
    assert body is not None
    assert body.tag == "new"


def test_lost_access_ends_at_once(site: Site, long_way: list[str]) -> None:
    """A session that ended, a token that was revoked, an incident that became private or went."""
    incident = site.incident()
    path = f"/api/v1/incidents/{incident}/overview"
    reader, leaver = site.client("viewer"), site.client("viewer", name="Leaver")
    made = site.admin.post("/api/v1/tokens", json={"name": "t", "verbs": ["read"]}).json()
    bearer = {"Authorization": f"Bearer {made['token']}"}
    for client in (site.admin, reader, leaver):
        assert client.get(path).status_code == 200
    long_way.clear()
    assert leaver.get(path).status_code == 200
    assert site.stranger.get(path, headers=bearer).status_code == 200
    assert long_way == []
    cookies = dict(leaver.cookies)
    assert leaver.delete("/api/v1/session").is_success
    site.stranger.cookies.update(cookies)
    assert site.stranger.get(path).status_code == 401
    site.stranger.cookies.clear()
    assert site.admin.delete(f"/api/v1/tokens/{made['id']}").is_success
    assert site.stranger.get(path, headers=bearer).status_code == 401
    private = f"/api/v1/incidents/{incident}/visibility"
    answer = site.admin.put(private, json={"visibility": "private"})
    assert answer.is_success, answer.text
    assert reader.get(path).status_code == 404
    assert site.admin.get(path).status_code == 200
    assert site.admin.delete(f"/api/v1/incidents/{incident}").is_success
    assert site.admin.get(path).status_code == 404


def test_a_round_answers_each_as_the_long_way(site: Site, long_way: list[str]) -> None:
    """Whoever else asks in the same round, in any order."""
    mine, other = site.incident(), site.incident("other")
    reader = site.client("viewer")
    site.admin.put(f"/api/v1/incidents/{other}/visibility", json={"visibility": "private"})
    paths = [f"/api/v1/incidents/{each}{part}" for each in (mine, other) for part in ("", "/queue")]
    paths.append("/api/v1/status")
    for path in paths:
        assert site.admin.get(path).status_code == 200
    questions = [
        question(site, client, path) for path in paths for client in (site.admin, reader, None)
    ]
    for order in (questions, questions[::-1]):
        answers = known_reads._answers(order)
        found = dict(zip(map(id, order), answers, strict=True))
        got = [found[id(each)] is not None for each in questions]
        seen = [True, True, False]
        assert got == seen * 2 + [True, False, False] * 2 + seen


def test_without_the_database_the_long_way_says_so(
    site: Site, long_way: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/api/v1/incidents/{site.incident()}/overview"
    assert site.admin.get(path).status_code == 200

    def gone(*_: Any) -> None:
        raise Unreachable("select 1", None, Exception("gone"))

    monkeypatch.setattr(known_reads, "versions_of", gone)
    long_way.clear()
    assert site.admin.get(path).status_code == 200
    assert long_way == [path]


def question(site: Site, client: TestClient | None, path: str) -> Question:
    cookies = (
        "; ".join(f"{name}={value}" for name, value in client.cookies.items()) if client else ""
    )
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"",
        "headers": [(b"cookie", cookies.encode())],
        "app": site.app,
    }
    request = Request(scope)
    bodies: Bodies = site.app.state.bodies
    known = bodies.known(request)
    assert known is not None
    return Question(request, known, ("cookie", cookies))
