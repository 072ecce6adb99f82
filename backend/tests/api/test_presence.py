"""Who is here: sent to other processes at once, forgotten when silent, open to viewers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from pileup.api import event_hub
from pileup.api.app import create_app
from tests.support.server import serving
from tests.support.site import Site

TAB = "tab-00000001"


def next_event(lines: Iterator[str]) -> dict[str, Any]:
    """The next word about somebody."""
    next(line for line in lines if line == "event: presence")
    (peer,) = json.loads(next(lines).removeprefix("data: "))["here"]
    return dict(peer)


def test_others_see_where_somebody_is(site: Site) -> None:
    """At another process; who comes later is listed too; leaving is announced, by nobody else."""
    incident = site.incident()
    url = f"/api/v1/incidents/{incident}/presence"
    viewer = site.client("viewer", "vic")
    app = create_app(site.settings)
    hub = app.state.hub
    with (
        serving(app) as base,
        httpx.Client(base_url=base, cookies=dict(site.admin.cookies), timeout=20) as client,
    ):
        stream_url = f"/api/v1/incidents/{incident}/events"
        with client.stream("GET", stream_url) as stream:
            lines = stream.iter_lines()
            next(line for line in lines if line == "event: worker")
            here = {
                "tab": TAB,
                "address": f"/incidents/{incident}/waits?snapshot=3",
                "text": "summary",
                "cursor": {"anchor": '{"item":1}', "head": '{"item":2}'},
            }
            assert viewer.post(url, json=here).status_code == 204
            peer = next_event(lines)
            assert (peer["name"], peer["address"]) == ("vic", here["address"])
            assert peer["cursor"] == here["cursor"]
            with client.stream("GET", stream_url) as later:
                assert next_event(later.iter_lines())["tab"].endswith(f".{TAB}")
            site.admin.post(url, json={"tab": TAB, "address": "/", "left": True})
            assert (next_event(lines)["tab"] == peer["tab"], len(hub.here(incident))) == (False, 1)
            viewer.post(url, json={"tab": TAB, "address": "/", "left": True})
            assert (next_event(lines)["tab"], hub.here(incident)) == (peer["tab"], [])


def test_who_is_silent_has_left(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person has so many tabs at most, and none that is silent."""
    hub = site.app.state.hub
    incident = site.incident()
    for user, tabs in (("ann", 2 * event_hub._MOST_TABS), ("bob", 1)):
        for tab in range(tabs):
            notice = {"incident": incident, "id": f"{user}.{tab}", "user_id": user, "left": False}
            hub._update_presence(notice)
    assert len(hub.here(incident)) == event_hub._MOST_TABS + 1
    monkeypatch.setattr(event_hub, "_HERE_S", -1)
    assert hub.here(incident) == []


@pytest.mark.parametrize(
    "more",
    [{"address": "https://elsewhere.example/"}, {"address": "/" + "x" * 2000}, {"tab": "<b>"}],
)
def test_an_odd_place_is_refused(site: Site, more: dict[str, str]) -> None:
    """What others' browsers receive has a form and a size."""
    incident = site.incident()
    answer = site.admin.post(
        f"/api/v1/incidents/{incident}/presence", json={"tab": TAB, "address": "/"} | more
    )
    assert answer.status_code == 422


def test_the_largest_place_is_sent(site: Site) -> None:
    """PostgreSQL carries less than 8000 bytes, and JSON needs several for some letters."""
    viewer = site.client("viewer")
    viewer.patch("/api/v1/session/user", json={"name": "\N{GRINNING FACE}" * 200})
    here = {
        "tab": "t" * 40,
        "address": "/" + '"' * 1799,
        "text": "\x01" * 120,
        "cursor": {"anchor": "\\" * 400, "head": '"' * 400},
    }
    answer = viewer.post(f"/api/v1/incidents/{site.incident()}/presence", json=here)
    assert answer.status_code == 204, answer.text


@pytest.mark.parametrize("kind", ["guest", "token"])
def test_callers_of_one_incident_do_not_see_who_is_here(site: Site, kind: str) -> None:
    incident = site.incident()
    there = site.guest(incident) if kind == "guest" else site.with_token("read", incident=incident)
    sent = there.headers.get("Authorization")
    app = create_app(site.settings)
    with (
        serving(app) as base,
        httpx.Client(
            base_url=base,
            cookies=dict(there.cookies),
            headers={"Authorization": sent} if sent else {},
            timeout=20,
        ) as client,
        client.stream("GET", f"/api/v1/incidents/{incident}/events") as stream,
    ):
        lines = stream.iter_lines()
        next(line for line in lines if line.endswith('"everything"}'))
        site.admin.post(f"/api/v1/incidents/{incident}/presence", json={"tab": TAB, "address": "/"})
        with site.database.unit() as unit:
            unit.notify(incident, "report")
        passed = [next(lines)]
        while not passed[-1].endswith('"report"}'):
            passed.append(next(lines))
        assert len(app.state.hub.here(incident)) == 1
        assert "event: presence" not in passed


def test_presence_needs_an_incident_and_no_push_token(site: Site) -> None:
    incident = site.incident()
    here = {"tab": TAB, "address": "/"}
    assert site.admin.post("/api/v1/incidents/none/presence", json=here).status_code == 404
    pusher = site.with_token("upload")
    assert pusher.post(f"/api/v1/incidents/{incident}/presence", json=here).status_code == 403
