"""Server-sent events over a real socket: what changes is told while it changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
from sqlalchemy import text

from pileup.api.app import create_app
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.queue.jobs import Jobs
from pileup.storage.queue.workers import Workers
from tests.support.server import serving
from tests.support.site import Site


def events(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    name = ""
    for line in lines:
        if line.startswith("event:"):
            name = line.removeprefix("event:").strip()
        elif line.startswith("data:"):
            data = json.loads(line.removeprefix("data:"))
            if data != {"what": "everything"}:  # once, when the process begins to listen
                yield name, data


def test_a_stream_tells_what_changes(site: Site) -> None:
    """The state at the start, then artifacts, the analysis, edits and the worker."""
    incident = site.incident()
    cookies = dict(site.admin.cookies)
    with (
        serving(create_app(site.settings)) as url,
        httpx.Client(base_url=url, cookies=cookies, timeout=20) as client,
    ):
        with client.stream("GET", f"/api/v1/incidents/{incident}/events") as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            told = events(stream.iter_lines())
            assert next(told) == ("worker", {"alive": False})

            artifact = site.upload(incident, "a.txt", b"content")
            name, data = next(told)
            assert (name, data["id"], data["state"]) == ("artifact", artifact["id"], "queued")
            with site.database.unit() as unit:
                Artifacts(unit).progress(artifact["id"], "parsing", 0.5)
            name, data = next(told)
            assert (data["state"], data["progress"]) == ("parsing", 0.5)

            with site.database.unit() as unit:
                unit.session.execute(text("delete from jobs"))
                Jobs(unit).request_analysis(incident, 0)
            assert next(told) == ("analysis", {"state": "queued", "error": None})

            headers = {"If-Match": '"1"'}
            site.admin.patch(
                f"/api/v1/incidents/{incident}", json={"title": "renamed"}, headers=headers
            )
            assert next(told) == ("changed", {"what": "incident"})

            with site.database.unit() as unit:
                Workers(unit).beat("w@test", "0", 2)
            assert next(told) == ("worker", {"alive": True})


def test_a_rolled_back_change_is_not_told(site: Site) -> None:
    """Notices come with the commit or never; other incidents' notices go elsewhere."""
    incident, other = site.incident(), site.incident()
    cookies = dict(site.admin.cookies)
    with (
        serving(create_app(site.settings)) as url,
        httpx.Client(base_url=url, cookies=cookies, timeout=20) as client,
    ):
        with client.stream("GET", f"/api/v1/incidents/{incident}/events") as stream:
            told = events(stream.iter_lines())
            next(told)
            try:
                with site.database.unit() as unit:
                    unit.notify(incident, "pins")
                    raise KeyError
            except KeyError:
                pass
            site.upload(other, "b", b"elsewhere")
            with site.database.unit() as unit:
                unit.notify(incident, "report")
            assert next(told) == ("changed", {"what": "report"})


def test_what_changed_just_before_the_stream_stood_is_told(site: Site) -> None:
    """A page has read its data by then: without this it would show the old state for ever."""
    incident, other = site.incident(), site.incident()
    cookies = dict(site.admin.cookies)
    with (
        serving(create_app(site.settings)) as url,
        httpx.Client(base_url=url, cookies=cookies, timeout=20) as client,
    ):

        def first(quiet_s: float) -> list[tuple[str, dict[str, Any]]]:
            """What a new stream tells before it has been silent for so long."""
            found: list[tuple[str, dict[str, Any]]] = []
            address = f"/api/v1/incidents/{incident}/events"
            with client.stream("GET", address, timeout=quiet_s) as stream:
                try:
                    found.extend(events(stream.iter_lines()))
                except httpx.ReadTimeout:
                    return found
            raise AssertionError(found)

        assert next(told for told in first(1) if told[0] == "worker")
        with site.database.unit() as unit:
            unit.notify(incident, "hypotheses")
            unit.notify(other, "report")
        with site.database.unit() as unit:
            unit.notify(incident, "pins")
            unit.notify(incident, "hypotheses")
        told = first(1)
        assert [data["what"] for name, data in told if name == "changed"] == ["pins", "hypotheses"]


def test_a_silent_worker_is_not_alive(site: Site) -> None:
    """The heartbeat decides."""
    with site.database.unit() as unit:
        Workers(unit).beat("w@test", "0", 2)
        assert Workers(unit).presence(timedelta(seconds=5)).alive
        unit.session.execute(text("update workers set last_seen = now() - interval '1 minute'"))
        assert not Workers(unit).presence(timedelta(seconds=5)).alive
