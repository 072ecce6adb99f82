"""Server-sent events over a real socket: what changes is sent while it changes."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text
from starlette.types import Message

from pileup.api import event_hub
from pileup.api import events as events_module
from pileup.api.app import create_app
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.sessions import Sessions
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import ACCESS
from pileup.storage.queue.jobs import Jobs
from pileup.storage.queue.workers import Workers
from tests.support.server import serving
from tests.support.site import Site

Event = tuple[str, dict[str, Any]]
EVERYTHING = ("changed", {"what": "everything"})


@pytest.fixture(autouse=True)
def long_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process remember its notices for longer than a test takes on a busy machine."""
    monkeypatch.setattr(event_hub, "_LATELY_S", 600.0)


@contextmanager
def opened(client: httpx.Client, incident: str) -> Iterator[Iterator[Event]]:
    """Open a stream; it begins with the worker, and the process listens once `everything` came."""
    with client.stream("GET", f"/api/v1/incidents/{incident}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        received = events(stream.iter_lines())
        assert next(received) == ("worker", {"alive": False})
        assert next(received) == EVERYTHING
        yield received


def events(lines: Iterator[str]) -> Iterator[Event]:
    name = ""
    for line in lines:
        if line.startswith("event:"):
            name = line.removeprefix("event:").strip()
        elif line.startswith("data:"):
            yield name, json.loads(line.removeprefix("data:"))


def test_a_stream_tells_what_changes(site: Site) -> None:
    """The state at the start, then artifacts, the analysis, edits and the worker."""
    incident = site.incident()
    cookies = dict(site.admin.cookies)
    with (
        serving(create_app(site.settings)) as url,
        httpx.Client(base_url=url, cookies=cookies, timeout=20) as client,
    ):
        with opened(client, incident) as received:
            artifact = site.upload(incident, "a.txt", b"content")
            name, data = next(received)
            assert (name, data["id"], data["state"]) == ("artifact", artifact["id"], "queued")
            with site.database.unit() as unit:
                Artifacts(unit).progress(artifact["id"], "parsing", 0.5)
            name, data = next(received)
            assert (data["state"], data["progress"]) == ("parsing", 0.5)

            with site.database.unit() as unit:
                unit.session.execute(text("delete from jobs"))
                Jobs(unit).request_analysis(incident, 0)
            assert next(received) == ("analysis", {"state": "queued", "error": None})

            headers = {"If-Match": '"1"'}
            site.admin.patch(
                f"/api/v1/incidents/{incident}", json={"title": "renamed"}, headers=headers
            )
            assert next(received) == ("changed", {"what": "incident"})

            with site.database.unit() as unit:
                Workers(unit).beat("w@test", "0", 2)
            assert next(received) == ("worker", {"alive": True})


def test_a_rolled_back_change_is_not_told(site: Site) -> None:
    """Notices come with the commit or never; other incidents' notices go elsewhere."""
    incident, other = site.incident(), site.incident()
    cookies = dict(site.admin.cookies)
    with (
        serving(create_app(site.settings)) as url,
        httpx.Client(base_url=url, cookies=cookies, timeout=20) as client,
    ):
        with opened(client, incident) as received:
            try:
                with site.database.unit() as unit:
                    unit.notify(incident, "pins")
                    raise KeyError
            except KeyError:
                pass
            site.upload(other, "b", b"elsewhere")
            with site.database.unit() as unit:
                unit.notify(incident, "report")
            assert next(received) == ("changed", {"what": "report"})


def test_what_changed_just_before_the_stream_stood_is_told(site: Site) -> None:
    """A page has read its data by then: without this it would show the old state for ever."""
    incident, other = site.incident(), site.incident()
    cookies = dict(site.admin.cookies)
    with (
        serving(create_app(site.settings)) as url,
        httpx.Client(base_url=url, cookies=cookies, timeout=20) as client,
    ):
        with opened(client, incident) as received:
            with site.database.unit() as unit:
                unit.notify(incident, "hypotheses")
                unit.notify(other, "report")
            with site.database.unit() as unit:
                unit.notify(incident, "pins")
                unit.notify(incident, "hypotheses")
            with site.database.unit() as unit:
                unit.notify(incident, "texts")
            assert "pins" in up_to("texts", received)  # so the process has received all of them
        with opened(client, incident) as received:
            with site.database.unit() as unit:
                unit.notify(incident, "end")
            assert up_to("end", received) == ["pins", "hypotheses", "texts", "end"]


def up_to(last: str, received: Iterator[Event]) -> list[str]:
    """List what changed, as far as this topic."""
    topics: list[str] = []
    while last not in topics:
        name, data = next(received)
        assert name == "changed"
        topics.append(data["what"])
    return topics


def test_a_silent_worker_is_not_alive(site: Site) -> None:
    """The heartbeat decides."""
    with site.database.unit() as unit:
        Workers(unit).beat("w@test", "0", 2)
        assert Workers(unit).presence(timedelta(seconds=5)).alive
        unit.session.execute(text("update workers set last_seen = now() - interval '1 minute'"))
        assert not Workers(unit).presence(timedelta(seconds=5)).alive


REVOKE: dict[str, Callable[[Site, TestClient, str, str], Any]] = {
    "session ended": lambda site, here, _user, other: here.post(
        "/api/v1/session/all/end", json={"session_id": other}
    ),
    "disabled": lambda site, _here, user, _: site.admin.patch(
        f"/api/v1/users/{user}", json={"disabled": True}
    ),
    "new password": lambda site, _here, user, _: site.admin.patch(
        f"/api/v1/users/{user}", json={"password": "another horse battery"}
    ),
    "token revoked": lambda site, here, _user, _: [
        here.delete(f"/api/v1/tokens/{token['id']}") for token in here.get("/api/v1/tokens").json()
    ],
}


@pytest.mark.parametrize("why", REVOKE)
def test_a_stream_ends_with_the_right_to_read_it(site: Site, why: str) -> None:
    """Within a second, and another user's stream goes on until the incident is deleted."""
    csrf = {"X-CSRF-Token": site.admin.headers["X-CSRF-Token"]}
    incident, here = site.incident(), site.client("contributor", "ann")
    user = here.get("/api/v1/session").json()["user"]
    if why == "token revoked":
        there = site.with_token("read", here)
    else:
        there = site.signed_in(user["email"])
    sessions = here.get("/api/v1/session/all").json()
    other = next((row["id"] for row in sessions if not row["current"]), "")
    with (
        serving(create_app(site.settings)) as url,
        httpx.Client(
            base_url=url, cookies=dict(there.cookies), headers=authorization(there), timeout=20
        ) as client,
        httpx.Client(base_url=url, cookies=dict(site.admin.cookies), timeout=20) as admin,
        opened(client, incident) as ending,
        opened(admin, incident) as lasting,
    ):
        REVOKE[why](site, here, user["id"], other)
        began = time.monotonic()
        assert list(ending) == [EVERYTHING]
        assert time.monotonic() - began < 1.0
        with site.database.unit() as unit:
            unit.notify(incident, "report")
        assert next(lasting) == ("changed", {"what": "report"})
        assert admin.delete(f"/api/v1/incidents/{incident}", headers=csrf).status_code == 204
        began = time.monotonic()
        assert EVERYTHING in list(lasting)
        assert time.monotonic() - began < 1.0


def test_a_stream_ends_when_its_session_does(site: Site) -> None:
    """At that moment, without any notice."""
    hub = event_hub.EventHub(site.settings.database_url or "")
    left_s = iter([0.1, 0.1, 0.0])

    async def reads_s() -> float:
        return next(left_s)

    async def read() -> list[str | None]:
        stream = events_module._stream(hub, site.app.state.services, "i", "user", reads_s)
        async with asyncio.timeout(1):
            return [event.event async for event in stream]

    assert asyncio.run(read()) == ["worker", "changed"]


def test_when_a_right_to_read_ends(site: Site) -> None:
    """The earlier of unused and expired; a token without an end stays."""
    idle = timedelta(hours=1)
    with site.database.unit() as unit:
        user = Accounts(unit).create_user("ann", "ann@example.org", "viewer", None)
        for lifetime, ends_in in ((timedelta(hours=9), idle), (timedelta(minutes=5),) * 2):
            session = Sessions(unit).find(Sessions(unit).open(user, lifetime, "").secret, idle)
            assert session is not None
            assert session.ends_in_s == pytest.approx(ends_in.total_seconds(), abs=5)
        for expires_in in (None, 60.0):
            at = None if expires_in is None else datetime.now(UTC) + timedelta(seconds=expires_in)
            _, secret = Accounts(unit).create_token(user.id, "t", ["read"], at, None)
            use = Accounts(unit).by_tokens([secret])[secret]
            assert use.ends_in_s == (expires_in and pytest.approx(expires_in, abs=5))


def test_a_reader_that_does_not_read_holds_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last notice of each subject; too many become one resync, and a check of its rights."""
    inbox = event_hub.Inbox()
    for number in range(3 * event_hub._MOST_SUBJECTS):
        inbox.put({"topic": "pins", "id": "same", "number": number})
    assert [notice["number"] for notice in inbox.take()] == [number]
    inbox.put({"topic": ACCESS, "id": "user", "number": 1})
    for number in range(event_hub._MOST_SUBJECTS):
        inbox.put({"topic": "artifact", "id": str(number), "number": number})
    assert [(each["topic"], each["id"]) for each in inbox.take()] == [
        (ACCESS, None),
        ("resync", None),
    ]
    assert inbox.take() == []


def test_a_stream_that_nobody_reads_ends(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its inbox and its place are free again."""
    monkeypatch.setattr(events_module, "_SEND_S", 0.05)
    hub = event_hub.EventHub(site.settings.database_url or "")

    async def reads_s() -> float:
        return 60.0

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    async def receive() -> Message:
        return await asyncio.Event().wait()  # type: ignore[return-value]  # it never comes

    async def serve() -> None:
        events = events_module._stream(hub, site.app.state.services, "i", "user", reads_s)
        stream = events_module._Stream(hub, "user", events)
        await stream({"type": "http", "method": "GET"}, receive, send)

    asyncio.run(asyncio.wait_for(serve(), 20))
    assert (hub._streams, hub._places) == ({}, {})


def test_a_person_opens_so_many_streams(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others still open theirs, and a stream that ends leaves its place."""
    monkeypatch.setattr(event_hub, "_MOST_STREAMS", 1)
    incident, viewer = site.incident(), site.client("viewer")
    path = f"/api/v1/incidents/{incident}/events"
    with (
        serving(create_app(site.settings)) as url,
        httpx.Client(base_url=url, cookies=dict(site.admin.cookies), timeout=20) as client,
        httpx.Client(base_url=url, cookies=dict(viewer.cookies), timeout=20) as other,
    ):
        with opened(client, incident), opened(other, incident):
            refused = client.get(path)
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "15")
        with opened(other, incident):
            pass


def authorization(client: TestClient) -> dict[str, str]:
    sent = client.headers.get("Authorization")
    return {"Authorization": sent} if sent else {}


def test_a_stream_opens_for_those_who_may_read(site: Site) -> None:
    """Rounds look up who opens it: a stranger, a viewer without access and an admin."""
    incident = site.incident()
    path = f"/api/v1/incidents/{incident}/events"
    reader = site.client("viewer")
    site.admin.put(f"/api/v1/incidents/{incident}/visibility", json={"visibility": "private"})
    assert site.stranger.get(path).status_code == 401
    bearer = {"Authorization": "Bearer unknown"}
    assert "token" in site.stranger.get(path, headers=bearer).json()["detail"]
    assert reader.get(path).status_code == 404
    assert site.with_token("upload").get(path).status_code == 403
    assert site.admin.get("/api/v1/incidents/no%00id/events").status_code == 404
