"""What a request body costs: nothing for strangers, a bounded part of memory for others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from pileup.api import rounds
from pileup.api.bodies import MOST_BYTES, MOST_PUBLIC_BYTES
from tests.support.site import PASSWORD, Site


def undeclared() -> Iterator[bytes]:
    """A body of 64 MB that declares no length."""
    for _ in range(64):
        yield b" " * (1 << 20)


@pytest.mark.parametrize("path", ["/session", "/session/link"])
def test_a_stranger_sends_an_address_and_a_password_at_most(site: Site, path: str) -> None:
    """More is not read to its end, whether its length is declared or not."""
    body = b'{"email": "' + b"x" * MOST_PUBLIC_BYTES + b'"}'
    for content in (body, iter([body, body])):
        answer = site.stranger.post(f"/api/v1{path}", content=content)
        assert (answer.status_code, answer.headers["connection"]) == (413, "close")
        assert answer.json()["title"] == "Too large"


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer plp_x"}])
def test_a_flood_of_strangers_is_refused_late(
    site: Site, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After more refusals than people cause; whoever is in does not wait."""
    pauses = site.app.state.sign_in_limits.pauses
    waited: list[float] = []

    async def pause() -> None:
        waited.append(pauses._lately)

    monkeypatch.setattr(pauses, "pause", pause)
    for lately, pauses._lately in ((0.0, 0.0), (1e9, 1e9)):
        assert site.stranger.get("/api/v1/incidents", headers=headers).status_code == 401
        assert bool(waited) is bool(lately)
        assert site.admin.get("/api/v1/incidents").status_code == 200
    assert len(waited) == 1


def test_who_is_asking_is_known_before_the_body(site: Site) -> None:
    """Without a session the answer is 401, whatever is sent."""
    for content in (b"x" * (MOST_BYTES + 1), b"not json", b"{}"):
        answer = site.stranger.post("/api/v1/incidents", content=content)
        assert answer.status_code == 401, answer.text
        assert ("connection" in answer.headers) == (len(content) > MOST_PUBLIC_BYTES)
        assert answer.headers["content-type"] == "application/problem+json"


def test_a_body_of_the_limit_is_parsed_and_one_byte_more_is_not(site: Site) -> None:
    """Whether its length is declared or not."""
    start = b'{"title": "x"'
    fits = start + b" " * (MOST_BYTES - len(start) - 1) + b"}"
    assert len(fits) == MOST_BYTES
    json = {"Content-Type": "application/json"}
    assert site.admin.post("/api/v1/incidents", content=fits, headers=json).status_code == 201
    answer = site.admin.post("/api/v1/incidents", content=fits + b" ", headers=json)
    assert (answer.status_code, answer.json()["title"]) == (413, "Too large")
    assert (
        site.admin.post("/api/v1/incidents", content=undeclared(), headers=json).status_code == 413
    )


def test_a_client_that_leaves_while_it_sends_is_no_defect(site: Site) -> None:
    """No traceback, whatever kind of route it was."""
    cookie = "; ".join(f"{name}={value}" for name, value in site.admin.cookies.items())
    headers = {"cookie": cookie, "x-csrf-token": site.admin.headers["X-CSRF-Token"]}
    for path in ("/api/v1/incidents", "/api/v1/session", "/api/v1/incidents/import"):
        sent: list[dict[str, Any]] = []

        async def send(message: dict[str, Any], sent: list[dict[str, Any]] = sent) -> None:
            sent.append(message)

        messages = iter(({"type": "http.request", "body": b"{", "more_body": True},))

        async def receive(messages: Iterator[dict[str, Any]] = messages) -> dict[str, Any]:
            return next(messages, {"type": "http.disconnect"})

        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("testclient", 1),
            "server": ("testserver", 80),
            "scheme": "http",
            "http_version": "1.1",
        }
        assert site.stranger.portal is not None
        site.stranger.portal.call(site.app, scope, receive, send)  # raises what it does not handle
        assert sent[0]["status"] in (400, 415, 422), path


@contextmanager
def _taken(site: Site) -> Iterator[dict[str, int]]:
    """Count the connections that are taken of those who are in, and at the door."""
    services = site.app.state.services
    taken = {"inside": 0, "door": 0}
    counts = []
    for name, database in (("inside", services.database), ("door", services.door)):

        def count(*_: object, name: str = name) -> None:
            taken[name] += 1

        event.listen(database.engine.pool, "checkout", count)
        counts.append((database.engine.pool, count))
    yield taken
    for pool, count in counts:
        event.remove(pool, "checkout", count)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/incidents"),
        ("POST", "/api/v1/incidents"),
        ("GET", "/api/v1/session"),
        ("GET", "/metrics"),
    ],
)
def test_what_strangers_invent_is_refused_at_the_door(site: Site, method: str, path: str) -> None:
    for name, value in (("cookie", "pileup_session=invented"), ("authorization", "Bearer plp_x")):
        with _taken(site) as taken:
            answer = site.stranger.request(method, path, headers={name: value})
        assert answer.status_code == 401, answer.text
        assert taken == {"inside": 0, "door": 1}, name


def test_who_got_in_lately_does_not_wait_at_the_door(site: Site) -> None:
    """And is asked again by each request: a session that ends is over."""
    other = site.client("viewer")
    for door in (1, 0):
        with _taken(site) as taken:
            assert other.get("/api/v1/incidents").status_code == 200
        assert (taken["door"], taken["inside"] > 0) == (door, True)
    cookie = "; ".join(f"{name}={value}" for name, value in other.cookies.items())
    assert other.delete("/api/v1/session").status_code == 204
    with _taken(site) as taken:
        answer = site.stranger.get("/api/v1/incidents", headers={"cookie": cookie})
    assert (answer.status_code, taken["door"]) == (401, 0)


def test_a_session_of_before_hinders_nobody_from_signing_in(site: Site) -> None:
    old = {"cookie": "pileup_session=ended"}
    assert site.stranger.get("/api/v1/setup", headers=old).json()["has_users"] is True
    site.client("viewer", "eve")
    me = {"email": "eve@example.org", "password": PASSWORD}
    assert site.stranger.post("/api/v1/session", json=me, headers=old).status_code == 200


def test_a_crowd_at_the_door_is_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "LINE", 0)
    answer = site.stranger.get("/api/v1/incidents", headers={"authorization": "Bearer plp_x"})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "3")
