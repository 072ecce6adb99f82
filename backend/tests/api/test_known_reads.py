"""Reads that were answered before, in front of the routes: as current and as safe as there."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import httpx
import pytest
from fastapi import Request, Response

from pileup.api import one_thread, rounds
from pileup.api.body_store import Bodies, Body
from pileup.api.rounds import Question
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


def test_a_round_answers_each_as_the_long_way(site: Site) -> None:
    """Whoever else asks in the same round, in any order; an odd id does not disturb them."""
    mine, other = site.incident(), site.incident("other")
    reader = site.client("viewer")
    site.admin.put(f"/api/v1/incidents/{other}/visibility", json={"visibility": "private"})
    callers = {"admin": site.admin.cookies, "reader": reader.cookies, "nobody": {}}
    questions = {
        (name, incident): Question(("cookie", cookies.get("pileup_session") or "x"), incident)
        for incident in (mine, other, "no\0id", "../x", None)
        for name, cookies in callers.items()
    }
    for order in (list(questions), list(questions)[::-1]):
        asked = [questions[each] for each in order]
        with site.app.state.services.unit() as unit:
            found = rounds.verdicts(unit, site.app.state.services, asked)
        seen = {
            each
            for each, verdict in zip(order, found, strict=True)
            if verdict.caller is not None and verdict.sees
        }
        assert seen == {
            ("admin", mine),
            ("admin", other),
            ("admin", None),
            ("reader", mine),
            ("reader", None),
        }
        versions = dict(zip(order, (verdict.versions for verdict in found), strict=True))
        assert versions["admin", mine] != versions["admin", other]
        assert versions["admin", None] == versions["admin", "../x"] == {}


def test_a_crowd_computes_an_answer_once(site: Site, long_way: list[str]) -> None:
    """Readers of a page that nobody opened before, and those who may not, all at once."""
    path = f"/api/v1/incidents/{site.incident()}/overview"
    site.admin.put(f"{path.removesuffix('/overview')}/visibility", json={"visibility": "private"})
    reader = site.client("viewer")
    crowd = [site.admin, site.admin, reader, site.stranger, *[site.admin] * 20]
    long_way.clear()

    async def ask() -> list[httpx.Response]:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(site.app), base_url="http://testserver"
        ) as client:
            return await asyncio.gather(
                *(client.get(path, cookies=dict(each.cookies)) for each in crowd)
            )

    answers = asyncio.run(ask())
    assert [each.status_code for each in answers] == [200, 200, 404, 401, *[200] * 20]
    assert len({each.content for each in answers if each.status_code == 200}) == 1
    assert len(long_way) == 2  # one that computes, one that is refused; the stranger never got in


def test_a_crowd_does_not_wait_for_a_refusal(site: Site, long_way: list[str]) -> None:
    """The first of the crowd may not read it; the others get their answer all the same."""
    incident = site.incident()
    path = f"/api/v1/incidents/{incident}/overview"
    site.admin.put(f"/api/v1/incidents/{incident}/visibility", json={"visibility": "private"})
    reader = site.client("viewer")
    crowd = [*[reader] * 5, *[site.admin] * 5]

    async def ask() -> list[int]:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(site.app), base_url="http://testserver"
        ) as client:
            answers = await asyncio.gather(
                *(client.get(path, cookies=dict(each.cookies)) for each in crowd)
            )
        return [each.status_code for each in answers]

    assert asyncio.run(ask()) == [*[404] * 5, *[200] * 5]


def test_without_the_database_the_long_way_says_so(
    site: Site, long_way: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/api/v1/incidents/{site.incident()}/overview"
    assert site.admin.get(path).status_code == 200

    def gone(*_: Any) -> None:
        raise Unreachable("select 1", None, Exception("gone"))

    monkeypatch.setattr(rounds, "versions_of", gone)
    long_way.clear()
    assert site.admin.get(path).status_code == 200
    assert long_way == [path]
